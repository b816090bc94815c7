package reportpage

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// program is what the script draws of one report.
type program struct {
	Findings []finding `json:"findings"`
	Map      *drawing  `json:"map"`
}

// finding is what is shown of an anomaly. Numbers of events and places count from 0.
type finding struct {
	// Group is "" for what the verdict is about, else what else it is.
	Group string   `json:"group"`
	Kind  string   `json:"kind"`
	Code  string   `json:"code"`
	Cycle []string `json:"cycle"`
	What  string   `json:"what"`
	At    string   `json:"at"`
	// Doubts are why it is suspected only, Remarks other sentences.
	Doubts  []string `json:"doubts"`
	Remarks []string `json:"remarks"`
	Repairs []string `json:"repairs"`
	Diffs   []string `json:"diffs,omitempty"`
	Classic bool     `json:"classic,omitempty"`
	Lanes   []lane   `json:"lanes"`
	Edges   []edge   `json:"edges"`
	// Runs are the execution that was found, and then the serial orders. Most of what happens
	// in one happens in others: their steps have numbers of Events, and the rows at a moment
	// are numbers of Tables.
	Runs   []run   `json:"runs"`
	Events []event `json:"events"`
	Tables []table `json:"tables"`
	Orders int     `json:"orders"`

	happened map[event]int
	numbers  map[string]int
}

// lane is a transaction of a finding. Those of one session are below each other.
type lane struct {
	Label string `json:"label"`
	Name  string `json:"name"`
	// Call has the values of the parameters.
	Call    string `json:"call"`
	Level   string `json:"level,omitempty"`
	Session int    `json:"session"`
}

// edge is a dependency of a finding, with the events of the found execution that show it.
type edge struct {
	From      int    `json:"from"`
	To        int    `json:"to"`
	Type      string `json:"type"`
	What      string `json:"what"`
	Text      string `json:"text"`
	FromPlace int    `json:"fromPlace"`
	ToPlace   int    `json:"toPlace"`
	FromEvent int    `json:"fromEvent"`
	ToEvent   int    `json:"toEvent"`
}

// run is an execution. One without steps is told by what differs alone.
type run struct {
	Order   []string `json:"order"`
	Differs []string `json:"differs,omitempty"`
	Start   []int    `json:"start"`
	Steps   []step   `json:"steps"`
}

// step is an event, with the rows where they change.
type step struct {
	Event int `json:"e"`
	// Stale is the step since when what was read is not the newest any more, from 1, or 0.
	Stale     int              `json:"stale,omitempty"`
	Committed *[]int           `json:"committed,omitempty"`
	Seen      map[string][]int `json:"seen,omitempty"`
}

// event is what happens in a step.
type event struct {
	Lane  int    `json:"lane"`
	Kind  string `json:"kind"`
	Table string `json:"table,omitempty"`
	Text  string `json:"text"`
	Now   string `json:"now,omitempty"`
	Place int    `json:"place"`
}

// table has rows; those with the same key are versions of one row.
type table struct {
	Name     string     `json:"name"`
	Columns  []string   `json:"columns"`
	Variable bool       `json:"variable,omitempty"`
	Keys     []string   `json:"keys"`
	Rows     [][]string `json:"rows"`
}

func (l *lines) program(r *report.Report) *program {
	p := &program{Findings: []finding{}, Map: l.drawing(r)}
	add := func(group string, list []report.Finding) {
		for i := range list {
			if list[i].Witness != nil {
				f := l.finding(group, &list[i])
				if len(f.Diffs) == 0 && repairable(r, list[i].Witness) {
					f.Remarks = append([]string{"robust check -fix looks for changes of the source, proves them, and shows them on its page."}, f.Remarks...)
				}
				p.Findings = append(p.Findings, f)
			}
		}
	}
	add("", r.Findings)
	if c := r.ReadCommitted; c != nil {
		add("At READ COMMITTED only, no part of the verdict", c.Findings)
	}
	var accepted []report.Finding
	for _, s := range r.Suppressed {
		accepted = append(accepted, s.Finding)
	}
	add("Accepted by a comment or the baseline", accepted)
	add("Not done by the server, no part of the verdict", r.Refused)
	return p
}

// repairable reports whether repairs of a witness may be looked for: in SQL and Go, but not on MySQL.
func repairable(r *report.Report, w *witness.Witness) bool {
	return !strings.HasPrefix(r.Engine, "mysql") && !strings.HasPrefix(r.Engine, "mariadb") && slices.ContainsFunc(w.Cycle, func(e witness.Edge) bool {
		kind := path.Ext(e.FromPosition.File)
		return kind == ".sql" || kind == ".go"
	})
}

func (l *lines) finding(group string, f *report.Finding) finding {
	w := f.Witness
	out := finding{Group: group, Kind: kindOf(f), Code: f.Code, Cycle: clean(f.Cycle), At: f.At(),
		Doubts: []string{}, Remarks: clean(f.Uncertain()), Repairs: clean(f.InWords()), Classic: w.Classic,
		Lanes: []lane{}, Edges: []edge{}, Runs: []run{}, Events: []event{}, Tables: []table{}, Orders: w.Orders, happened: map[event]int{}, numbers: map[string]int{}}
	if c, ok := codes.ByID(f.Code); ok {
		if out.What = c.Summary; len(out.Repairs) == 0 {
			out.Repairs = append(out.Repairs, c.Repair)
		}
	}
	for _, r := range f.Proved {
		if r.Diff != "" {
			out.Diffs = append(out.Diffs, r.Diff)
		}
	}
	for _, d := range f.Doubts {
		who := ""
		if d.Transaction != "" {
			who = w.Who(d.Transaction) + ", " + d.Position.Short() + ": "
		}
		out.Doubts = append(out.Doubts, quote.Line(who+d.Text+"; to settle it, "+d.Settle))
	}
	for _, s := range []string{f.ConfirmedBy(), f.Replayed()} {
		if s != "" {
			out.Remarks = append(out.Remarks, quote.Line(s))
		}
	}
	for _, a := range f.Also {
		out.Remarks = append(out.Remarks, quote.Line("The same read is part of this cycle: "+strings.Join(a.Cycle, " → ")+" ("+a.Code+")."))
	}
	for i := range w.Transactions {
		t := &w.Transactions[i]
		call := ""
		if len(t.Params) > 0 {
			call = strings.TrimPrefix(t.Invocation(), t.Name)
		}
		out.Lanes = append(out.Lanes, lane{Label: t.Label, Name: quote.Line(t.Name), Call: quote.Line(call), Level: t.Level, Session: t.Session})
	}
	if w.Play != nil {
		out.Runs = append(out.Runs, out.run(l, w, nil, nil, w.Play))
	}
	for _, o := range w.Serial {
		out.Runs = append(out.Runs, out.run(l, w, o.Order, o.Differs, o.Play))
	}
	for _, e := range w.Cycle {
		out.Edges = append(out.Edges, l.edge(w, &e))
	}
	if w.Play != nil {
		stale(w, out.Edges, out.Runs[0].Steps)
	}
	return out
}

// kindOf names the anomaly in words.
func kindOf(f *report.Finding) string {
	kind := strings.ReplaceAll(strings.ReplaceAll(string(f.Kind), "-", " "), "read only", "read-only")
	if f.Kind == witness.Other {
		kind = "anomaly"
	}
	if f.Status == report.Suspected {
		kind = "suspected " + kind
	}
	return kind
}

// laneOf is the number of a transaction.
func laneOf(w *witness.Witness, label string) int {
	return slices.IndexFunc(w.Transactions, func(t witness.Transaction) bool { return t.Label == label })
}

func (l *lines) edge(w *witness.Witness, e *report.Dependency) edge {
	m := report.Meeting{Table: e.Table, Columns: e.Columns}
	if slices.ContainsFunc(w.Rows, func(t witness.TableRows) bool { return t.Variable && t.Table == e.Table }) {
		m.Columns = nil
	}
	out := edge{From: laneOf(w, e.From), To: laneOf(w, e.To), Type: e.Type, What: quote.Line(m.What()), Text: quote.Line(e.Text),
		FromPlace: l.at(e.FromPosition), ToPlace: l.at(e.ToPosition)}
	kinds := map[string][2]witness.EventKind{"RW": {witness.Read, witness.Write}, "WR": {witness.Write, witness.Read}, "WW": {witness.Write, witness.Write}}[e.Type]
	out.FromEvent = showing(w.Schedule, e.From, e.FromPosition, e.Table, kinds[0])
	out.ToEvent = showing(w.Schedule, e.To, e.ToPosition, e.Table, kinds[1])
	return out
}

// showing finds the event of a statement: of a kind and on a table, if there is one, or
// else any, or the last one of the transaction.
func showing(events []witness.Event, label string, at report.Position, table string, kind witness.EventKind) int {
	best, points := noPlace, -1
	for i, e := range events {
		if e.Transaction != label {
			continue
		}
		n := 0
		if e.Position == at {
			n += 4
		}
		if e.Table == table && table != "" {
			n += 2
		}
		if e.Kind == kind {
			n++
		}
		if n > points || n == points && n == 0 {
			best, points = i, n
		}
	}
	return best
}

// stale finds out since when what was read is not the newest.
func stale(w *witness.Witness, edges []edge, steps []step) {
	for i, e := range w.Schedule {
		if e.Now != "" {
			steps[i].Stale = i + 1
		}
	}
	for _, e := range edges {
		if e.Type != "RW" || e.FromEvent < 0 || steps[e.FromEvent].Stale > 0 {
			continue
		}
		for i, x := range w.Schedule {
			if laneOf(w, x.Transaction) == e.To && x.Kind == witness.CommitIt && w.Transactions[e.To].Commit < w.Transactions[e.From].Commit {
				steps[e.FromEvent].Stale = max(i, e.FromEvent) + 1
			}
		}
	}
}

func (f *finding) run(l *lines, w *witness.Witness, order, differs []string, p *witness.Play) run {
	out := run{Order: order, Differs: clean(differs), Steps: []step{}, Start: []int{}}
	if p == nil {
		return out
	}
	out.Start = f.rows(p.States[0].Committed)
	for i, e := range p.Events {
		before, after := &p.States[i], &p.States[i+1]
		x := step{Event: f.event(event{Lane: laneOf(w, e.Transaction), Kind: string(e.Kind), Table: quote.Line(e.Table), Text: quote.Line(e.Text), Now: quote.Line(e.Now), Place: l.at(e.Position)})}
		if e.Kind == witness.CommitIt {
			rows := f.rows(after.Committed)
			x.Committed = &rows
		}
		for _, label := range slices.Sorted(maps.Keys(after.Seen)) {
			rows := after.Seen[label]
			if old, ran := before.Seen[label]; label == e.Transaction && e.Kind != witness.Read || !ran || e.Kind == witness.CommitIt && !same(old, rows) {
				if x.Seen == nil {
					x.Seen = map[string][]int{}
				}
				x.Seen[label] = f.rows(rows)
			}
		}
		out.Steps = append(out.Steps, x)
	}
	return out
}

// same compares what somebody sees at two moments.
func same(a, b []witness.TableRows) bool {
	return slices.EqualFunc(a, b, func(x, y witness.TableRows) bool {
		return x.Table == y.Table && slices.EqualFunc(x.Rows, y.Rows, slices.Equal)
	})
}

// event gives the number of an event.
func (f *finding) event(e event) int {
	n, known := f.happened[e]
	if !known {
		n = len(f.Events)
		f.happened[e] = n
		f.Events = append(f.Events, e)
	}
	return n
}

// rows gives the numbers of tables with rows.
func (f *finding) rows(list []witness.TableRows) []int {
	out := []int{}
	for _, t := range list {
		x := tableOf(t)
		key := fmt.Sprintf("%q %q %q %q", x.Name, x.Columns, x.Keys, x.Rows)
		n, known := f.numbers[key]
		if !known {
			n = len(f.Tables)
			f.numbers[key] = n
			f.Tables = append(f.Tables, x)
		}
		out = append(out, n)
	}
	return out
}

func tableOf(t witness.TableRows) table {
	out := table{Name: quote.Line(t.Table), Columns: clean(t.Columns), Variable: t.Variable, Keys: clean(t.Keys), Rows: [][]string{}}
	for _, r := range t.Rows {
		out.Rows = append(out.Rows, clean(t.Shown(r)))
	}
	return out
}

// clean escapes what cannot be printed.
func clean(list []string) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, quote.Line(s))
	}
	return out
}
