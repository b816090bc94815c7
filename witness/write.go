package witness

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/folder"
	"github.com/txrobust/robust/internal/quote"
)

// jsonFile is the file by which a folder is known to hold a witness.
const jsonFile = "witness.json"

// witnesses is what a folder with a witness is.
var witnesses = folder.Kind{Mark: jsonFile, Ours: regexp.MustCompile(`^(witness\.json|README\.txt|setup\.sql|history|[0-9]+-[^/]*\.sql)$`).MatchString}

// Write stores the witness in the folder dir:
//
//	witness.json  everything, as the type Witness describes it
//	README.txt    what happens, and which lines to run in which order
//	setup.sql     the initial rows
//	1-name.sql …  a psql script per session
//	history/      the files of histories, such as those of package crosscheck
//
// SQL files are there only for programs whose transactions are functions of a
// database. The folder appears when it is complete. A folder that holds another
// witness is replaced; one that holds anything else is an error. inputs are the
// files that define the program, for README.txt.
func (w *Witness) Write(dir string, inputs []string, histories []codec.File) error {
	files, err := w.Files(inputs, histories)
	if err != nil {
		return err
	}
	return witnesses.Write(dir, func(put folder.Put) error {
		for _, f := range files {
			if err := put(f.Name, f.Text); err != nil {
				return err
			}
		}
		return nil
	})
}

// Replaceable reports an error unless dir is absent, empty, or a witness.
func Replaceable(dir string) error { return witnesses.Replaceable(dir) }

// Files are what Write writes.
func (w *Witness) Files(inputs []string, histories []codec.File) ([]codec.File, error) {
	js, err := quote.EncodeJSON(w, "  ")
	if err != nil {
		return nil, err
	}
	out := []codec.File{{Name: jsonFile, Text: js}}
	scripts, where := w.scripts()
	if scripts != nil {
		out = append(out, codec.File{Name: "setup.sql", Text: []byte("-- The rows to start with. The tables must exist.\n\n" + strings.Join(w.Setup, "\n") + "\n")})
		out = append(out, scripts...)
	}
	readme := w.readme(inputs, scripts, where)
	if len(histories) > 0 {
		readme += fmt.Sprintf("\nThe folder history has the execution as recorded histories, for checkers of isolation levels\n(robust history check): %s accepts history/registers, and SER rejects history/lists.\n", strings.ToUpper(w.Isolation))
	}
	for _, f := range histories {
		out = append(out, codec.File{Name: "history/" + f.Name, Text: f.Text})
	}
	return append(out, codec.File{Name: "README.txt", Text: []byte(readme)}), nil
}

// place is where a step stands in the scripts.
type place struct {
	file        string
	first, last int // lines
}

// scripts gives the script of every session, and the places of the steps.
func (w *Witness) scripts() ([]codec.File, []place) {
	steps := w.Steps()
	if steps == nil {
		return nil, nil
	}
	var order []int // sessions by their first step
	names := map[int]string{}
	lines := map[int][]string{}
	var where []place
	for n, s := range steps {
		if names[s.Session] == "" {
			order = append(order, s.Session)
			names[s.Session] = fmt.Sprintf("%d-%s.sql", len(order), quote.FileName(w.first(s.Session)))
			lines[s.Session] = []string{"-- " + quote.Line(fmt.Sprintf("psql window %d: %s", len(order), w.described(s.Session))),
				"-- README.txt says when to run which step."}
		}
		l := append(lines[s.Session], "", fmt.Sprintf("-- step %d", n+1))
		p := place{names[s.Session], len(l) + 1, len(l) + len(s.SQL)}
		lines[s.Session] = append(l, s.SQL...)
		where = append(where, p)
	}
	var out []codec.File
	for _, s := range order {
		out = append(out, codec.File{Name: names[s], Text: []byte(strings.Join(lines[s], "\n") + "\n")})
	}
	return out, where
}

// first is the name of the first transaction of a session.
func (w *Witness) first(session int) string {
	for _, t := range w.Transactions {
		if t.Session == session {
			return t.Name
		}
	}
	return "session"
}

// described lists the transactions of a session.
func (w *Witness) described(session int) string {
	var parts []string
	for i := range w.Transactions {
		if t := &w.Transactions[i]; t.Session == session {
			parts = append(parts, t.Label+" = "+t.Invocation())
		}
	}
	return strings.Join(parts, ", ")
}

// readme is the text that goes with the scripts.
func (w *Witness) readme(inputs []string, scripts []codec.File, where []place) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", quote.Line(w.Summary()))
	for i, e := range w.Cycle {
		fmt.Fprintf(&b, "%d. %s.\n", i+1, quote.Line(e.Text))
	}
	if len(w.Cycle) > 0 {
		b.WriteString("\n")
	}
	if scripts == nil {
		b.WriteString("What happens, event by event (witness.json has it in full):\n\n")
		for _, e := range w.Schedule {
			fmt.Fprintf(&b, "  %-3s %s\n", e.Transaction, quote.Line(e.Text))
		}
		return b.String() + w.without()
	}
	b.WriteString("To see it on PostgreSQL, with psql:\n\n")
	b.WriteString("1. Make an empty database, and load the tables and functions (paths are relative to where\n   robust was run), then the rows from this folder:\n\n")
	b.WriteString("     createdb witness\n")
	for _, in := range inputs {
		fmt.Fprintf(&b, "     psql -d witness -f %s\n", quote.Shell(in))
	}
	b.WriteString("     psql -d witness -f setup.sql\n\n")
	fmt.Fprintf(&b, "2. Open %d windows with psql -d witness, one for each numbered script.\n\n", len(scripts))
	b.WriteString("3. Paste these lines, in this order:\n\n")
	width := 0
	for _, p := range where {
		width = max(width, len(p.file))
	}
	for i, p := range where {
		number, _, _ := strings.Cut(p.file, "-")
		fmt.Fprintf(&b, "     step %-3s window %s   %-*s  lines %d to %d\n", strconv.Itoa(i+1)+":", number, width, p.file, p.first, p.last)
	}
	b.WriteString("\nEvery COMMIT succeeds. With SERIALIZABLE instead of REPEATABLE READ in the scripts one\nof them should fail with SQLSTATE 40001 (PostgreSQL does not follow what foreign keys read).\n")
	for i := range w.Transactions {
		if len(w.Transactions[i].Havocs) > 0 {
			b.WriteString("Values that the server chooses, such as sequences, now() or random(), will be others than in witness.json.\n")
			break
		}
	}
	return b.String() + w.without()
}

// without lists what the serial orders would have done.
func (w *Witness) without() string {
	var b strings.Builder
	b.WriteString("\nNo serial order gives this outcome:\n\n")
	for _, o := range w.Serial {
		fmt.Fprintf(&b, "  %s: %s\n", strings.Join(o.Order, ", "), quote.Line(strings.Join(o.Differs, "; ")))
	}
	if more := w.Orders - len(w.Serial); more > 0 && len(w.Serial) == maxOrders {
		fmt.Fprintf(&b, "  … (%d orders in all)\n", w.Orders)
	}
	return b.String()
}

// Summary names the anomaly and its transactions in one line.
func (w *Witness) Summary() string {
	var names []string
	for i := range w.Transactions {
		t := &w.Transactions[i]
		names = append(names, t.Label+" = "+t.Invocation())
	}
	kind := "anomaly"
	if w.Kind != Other {
		kind = string(w.Kind)
	}
	level := "snapshot isolation"
	if w.Isolation != "si" {
		level = "READ COMMITTED"
	}
	return strings.ToUpper(kind[:1]) + kind[1:] + " under " + level + ": " + strings.Join(names, ", ")
}
