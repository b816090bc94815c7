package view

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/isolation"
)

// Schema is the JSON schema of a Report.
//
//go:embed schema.json
var Schema string

// maxOps is how many operations of a transaction are shown.
const maxOps = 40

// Report is what was found out about one history.
type Report struct {
	// History is the file or folder, Format what it was read as.
	History string `json:"history"`
	Format  string `json:"format"`
	// Levels has the levels that were asked for, by the names of isolation.Level.
	Levels map[string]Level `json:"levels"`
	// Strongest is the strongest level that holds; of several, none of which
	// implies another, the last in the order of package isolation, and
	// StrongestLevels has all of them. Null if none holds.
	Strongest       *string  `json:"strongest"`
	StrongestLevels []string `json:"strongest_levels"`
	// WeakestViolated are the levels that do not hold and imply no other such.
	WeakestViolated []string  `json:"weakest_violated"`
	Anomalies       []Anomaly `json:"anomalies"`
	// Counts says how many anomalies there are of each name, at least.
	Counts map[string]int `json:"counts"`
	// Transactions are those that take part in the anomalies.
	Transactions []Txn `json:"transactions"`
	// Disagreements are faults of the checkers.
	Disagreements []string `json:"disagreements"`
	Notes         []string `json:"notes"`
	Stats         Stats    `json:"stats"`

	h *history.History // nil if it could not be read in time
	r *judge.Result
}

// Level is the answer about one level.
type Level struct {
	Verdict string `json:"verdict"` // accept, reject or unknown
	// Checker found the answer; empty if it is unknown.
	Checker string `json:"checker"`
	// From is the level that it found it about, if it is another one.
	From string  `json:"from,omitempty"`
	MS   float64 `json:"ms"` // of the checker's work on all levels
	Why  string  `json:"why,omitempty"`
}

// Anomaly is one anomaly that was found.
type Anomaly struct {
	Name string `json:"name"`
	// Adya and TAP are its names there, or those of the general case; the
	// others the same. Empty if there is none.
	Adya     string   `json:"adya"`
	TAP      string   `json:"tap"`
	Berenson string   `json:"berenson"`
	Elle     string   `json:"elle"`
	What     string   `json:"what"`
	Violates []string `json:"violates"` // the weakest levels
	Checker  string   `json:"checker"`
	// Txns take part, those of the cycle first and in its order.
	Txns []string `json:"txns"`
	Keys []string `json:"keys"`
	// Edges are the cycle; empty where a read is wrong by itself.
	Edges []Edge `json:"edges"`
	// Explanation has a sentence a line, one for each edge.
	Explanation string `json:"explanation"`
}

// Edge is a dependency of a cycle.
type Edge struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Type        string `json:"type"` // WW, WR, RW, SO or RT
	Key         string `json:"key"`  // empty for SO and RT
	Explanation string `json:"explanation"`
	// Because are the edges from which a WW edge was concluded.
	Because []Edge `json:"because"`
}

// Txn is a transaction that takes part in an anomaly.
type Txn struct {
	Name     string `json:"name"`
	Session  string `json:"session"`
	Position int    `json:"position"` // in the session, from 1
	Label    string `json:"label"`
	Status   string `json:"status"`
	// Place is where it was recorded, "file:line" or "file, byte n".
	Place      string   `json:"place"`
	Operations []string `json:"operations"`
	Omitted    int      `json:"omitted"` // further operations
}

// Stats are counts and times.
type Stats struct {
	Transactions int     `json:"transactions"` // without the initial one
	Aborted      int     `json:"aborted"`      // of these
	Unknown      int     `json:"unknown"`      // of these, outcome unknown
	Sessions     int     `json:"sessions"`
	Keys         int     `json:"keys"`
	Operations   int     `json:"operations"`
	ReadMS       float64 `json:"read_ms"`
	CheckMS      float64 `json:"check_ms"`
	Runs         []Run   `json:"runs"`
}

// Run is one checker at work.
type Run struct {
	Checker string   `json:"checker"`
	Levels  []string `json:"levels"`
	MS      float64  `json:"ms"`
	Stopped bool     `json:"stopped"`
}

// New makes the report of a history that was read from a file in some time. It may be
// nil if there was no time to read it. What of the names and values in it cannot be
// printed is escaped.
func New(file, format string, h *history.History, reading time.Duration, r *judge.Result) *Report {
	rep := &Report{
		History: quote.Line(file), Format: format, Levels: map[string]Level{},
		StrongestLevels: names(r.Strongest),
		WeakestViolated: names(r.Weakest),
		Anomalies:       []Anomaly{}, Counts: map[string]int{}, Transactions: []Txn{}, Disagreements: []string{}, Notes: []string{},
		Stats: Stats{ReadMS: ms(reading), Runs: []Run{}}, h: h, r: r,
	}
	if n := len(rep.StrongestLevels); n > 0 {
		rep.Strongest = &rep.StrongestLevels[n-1]
	}
	for _, j := range r.Judgements {
		l := Level{Verdict: j.Verdict.String(), Checker: j.Checker, MS: ms(j.Time), Why: quote.Line(j.Why)}
		if j.Checker != "" && j.From != j.Level {
			l.From = j.From.String()
		}
		rep.Levels[j.Level.String()] = l
	}
	for _, c := range r.Conflicts {
		rep.Disagreements = append(rep.Disagreements, quote.Line(c.String()))
	}
	for _, run := range r.Runs {
		rep.Stats.Runs = append(rep.Stats.Runs, Run{run.Checker, names(run.Levels), ms(run.Time), run.Stopped})
		rep.Stats.CheckMS += ms(run.Time)
	}
	for k, n := range r.Counts {
		rep.Counts[k.String()] = n
	}
	if h != nil {
		rep.count()
		rep.tell()
	}
	return rep
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func names(levels []isolation.Level) []string {
	out := []string{}
	for _, l := range levels {
		out = append(out, l.String())
	}
	return out
}

// count fills in what there is in the history.
func (rep *Report) count() {
	h, s := rep.h, &rep.Stats
	s.Transactions, s.Sessions, s.Keys, s.Operations = h.NumTxns()-1, h.NumSessions(), h.NumKeys(), h.NumOps()-h.NumKeys()
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		switch h.Status(t) {
		case history.Aborted:
			s.Aborted++
		case history.Unknown:
			s.Unknown++
		}
	}
	rep.Notes = append(append(rep.Notes, h.Notes()...), rep.r.Notes...)
	for i, n := range rep.Notes {
		rep.Notes[i] = quote.Line(n)
	}
	asked := func(l isolation.Level) bool { _, ok := rep.Levels[l.String()]; return ok && l.NeedsRealTime() }
	if h.Order() == history.NoOrder && slices.ContainsFunc(isolation.Levels(), asked) {
		rep.Notes = append(rep.Notes, "The recording has no times, so that levels with real time say no more than those without.")
	}
}

// tell fills in the anomalies and their transactions.
func (rep *Report) tell() {
	var txns []history.Txn
	for _, a := range rep.r.Anomalies {
		out := Anomaly{
			Name: a.Kind.String(), What: a.Kind.What(), Violates: names(a.Violates), Checker: a.Checker,
			Adya: vocabulary(a.Kind, isolation.Adya), TAP: vocabulary(a.Kind, isolation.TAP),
			Berenson: vocabulary(a.Kind, isolation.Berenson), Elle: vocabulary(a.Kind, isolation.Elle),
			Txns: []string{}, Keys: []string{}, Edges: rep.edges(a.Cycle),
			Explanation: strings.Join(sentences(rep.h, a), "\n"),
		}
		for _, t := range a.Txns {
			out.Txns = append(out.Txns, txnName(rep.h, t))
			txns = append(txns, t)
		}
		for _, k := range a.Keys {
			out.Keys = append(out.Keys, quote.Line(explain.KeyName(rep.h, k)))
		}
		rep.Anomalies = append(rep.Anomalies, out)
	}
	slices.Sort(txns)
	for _, t := range slices.Compact(txns) {
		rep.Transactions = append(rep.Transactions, describe(rep.h, t))
	}
}

func txnName(h *history.History, t history.Txn) string { return quote.Line(explain.TxnName(h, t)) }

// sentences explain an anomaly. They call transactions by their names, not by their places.
func sentences(h *history.History, a judge.Anomaly) []string {
	var places, names []string
	for _, t := range a.Txns {
		if at := h.Locate(h.Place(t)); at != "" && t != history.InitialTxn {
			places, names = append(places, at+" ["), append(names, explain.TxnName(h, t)+" [")
		}
	}
	var out []string
	for _, s := range a.Sentences() {
		for i, at := range places {
			if rest, ok := strings.CutPrefix(s, at); ok {
				s = names[i] + rest
			}
			s = strings.ReplaceAll(s, " "+at, " "+names[i])
		}
		out = append(out, quote.Line(s))
	}
	return out
}

// otherNames are those in the vocabularies that differ from its name.
func (a *Anomaly) otherNames() string {
	var names []string
	for _, v := range []struct{ vocabulary, name string }{{"Adya", a.Adya}, {"Berenson", a.Berenson}, {"TAP", a.TAP}, {"Elle", a.Elle}} {
		if v.name != "" && v.name != a.Name {
			names = append(names, v.vocabulary+": "+v.name)
		}
	}
	return strings.Join(names, "; ")
}

func vocabulary(a isolation.Anomaly, v isolation.Vocabulary) string {
	return strings.Join(a.Names(v), ", ")
}

func (rep *Report) edges(es []judge.Edge) []Edge {
	out := []Edge{}
	for _, e := range es {
		edge := Edge{From: txnName(rep.h, e.From), To: txnName(rep.h, e.To), Type: e.Dependency.String(), Explanation: quote.Line(e.Why), Because: rep.edges(e.Because)}
		if e.Key >= 0 {
			edge.Key = quote.Line(explain.KeyName(rep.h, e.Key))
		}
		out = append(out, edge)
	}
	return out
}

// describe gives what is shown of a transaction.
func describe(h *history.History, t history.Txn) Txn {
	out := Txn{Name: txnName(h, t), Label: quote.Line(h.Label(t)), Status: h.Status(t).String(), Place: quote.Line(h.Locate(h.Place(t))), Operations: []string{}}
	if t == history.InitialTxn {
		out.Label = "the initial transaction, which writes every key before all others"
		return out
	}
	out.Session, out.Position = quote.Line(explain.SessionName(h, h.SessionOf(t))), h.Position(t)+1
	first, end := h.Ops(t)
	for o := first; o < end && o < first+maxOps; o++ {
		out.Operations = append(out.Operations, quote.Line(explain.OpWords(h, o)))
	}
	out.Omitted = int(end-first) - len(out.Operations)
	return out
}

// Exit is what the report means for a program that asks: the verdict of all
// levels together, and whether the checkers disagree.
func (rep *Report) Exit() (v isolation.Verdict, faulty bool) {
	return rep.r.Verdict(), len(rep.Disagreements) > 0
}

// JSON writes a report as one object on one line.
func JSON(w io.Writer, rep *Report) error {
	text, err := quote.EncodeJSON(rep, "")
	if err != nil {
		return fmt.Errorf("%s: %w", rep.History, err)
	}
	_, err = w.Write(text)
	return err
}
