package allocate

import (
	"fmt"
	"io"
	"strings"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/excerpt"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sarif"
	"github.com/txrobust/robust/report"
)

// today is the level that the source asks for.
type today struct {
	Level  levels.Level   `json:"level"`
	Above  []levels.Level `json:"above,omitempty"`
	Source levels.Source  `json:"source"`
}

// JSON writes a result as one object.
func JSON(w io.Writer, r *Result) error {
	allocation, table, now := map[string]levels.Level{}, map[string]map[levels.Level]*Cell{}, map[string]today{}
	for _, row := range r.Rows {
		allocation[row.Transaction], table[row.Transaction] = row.Level, row.Cells
		now[row.Transaction] = today{row.Today.Level, row.Today.Above, row.Today.Source}
	}
	text, err := quote.EncodeJSON(struct {
		Program     string                            `json:"program"`
		Verdict     report.Verdict                    `json:"verdict"`
		Headline    string                            `json:"headline"`
		Engine      string                            `json:"engine"`
		Allocation  map[string]levels.Level           `json:"allocation"`
		Minimal     bool                              `json:"minimal"`
		Unfinished  string                            `json:"unfinished,omitempty"`
		Today       map[string]today                  `json:"today"`
		Table       map[string]map[levels.Level]*Cell `json:"table"`
		Proof       *report.Proof                     `json:"proof"`
		Open        *report.Open                      `json:"open"`
		Assumptions []string                          `json:"assumptions"`
		Initially   []string                          `json:"assuming_initially"`
	}{r.Program, r.Verdict, r.Headline(), r.Report.Engine, allocation, r.Verdict == report.Robust && r.Unfinished == "" && r.Minimal(), r.Unfinished, now, table,
		r.Report.Proof, r.Report.Open, r.Report.Assumptions, r.Report.Initially}, "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// SARIF writes results as one log with a run for each: a note at each transaction that says its
// level.
func SARIF(w io.Writer, list []*Result, opt Options) error {
	log := sarif.NewLog()
	code, _ := codes.ByID(codes.Level)
	for _, r := range list {
		run := sarif.NewRun("robust", opt.Version, sarif.InformationURI, "robust/allocate/"+r.Program)
		text := func(s string) *sarif.Text { return &sarif.Text{Text: s} }
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, &sarif.Descriptor{ID: code.ID, Name: code.Name, ShortDescription: text(code.Summary),
			FullDescription: text(code.Text), Help: text(code.Text + "\n\n" + code.Repair), Configuration: sarif.NewConfiguration(sarif.LevelNote)})
		for i := range r.Rows {
			row := &r.Rows[i]
			lines := []string{fmt.Sprintf("%s may run at %s: %s.", row.Transaction, row.Level, row.Cells[row.Level].Why)}
			if r.Verdict != report.Robust {
				lines[0] = fmt.Sprintf("No level of %s is proved: %s.", row.Transaction, row.Cells[row.Level].Why)
			}
			for _, l := range row.below() {
				if c := row.Cells[l]; c.Answer != Proved {
					lines = append(lines, fmt.Sprintf("- %s: %s", l, c.Why))
				}
			}
			res := run.NewResult(code.ID, sarif.LevelNote, &sarif.Message{Text: strings.ReplaceAll(strings.Join(lines, "\n"), "](", "] (")})
			res.Locations = append(res.Locations, sarif.NewLocation(row.Position.File, row.Position.Line, row.Position.Col))
			run.Results = append(run.Results, res)
		}
		run.Invocations = append(run.Invocations, &sarif.Invocation{Successful: true, Notifications: []*sarif.Notification{}})
		log.Runs = append(log.Runs, run)
	}
	log.Recount(excerpt.Characters())
	out, err := log.JSON()
	if err != nil {
		return err
	}
	_, err = w.Write(append(quote.JSON(out), '\n'))
	return err
}
