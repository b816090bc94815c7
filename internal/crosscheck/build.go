package crosscheck

import (
	"cmp"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/witness"
)

// NewTrace replays the evidence of a witness, and gives the versions that its
// transactions read and wrote. The error is a *Disagreement: what the run of a
// transaction read is not what the writes before it left.
func NewTrace(e witness.Evidence, w *witness.Witness) (*Trace, error) {
	t, err := newTrace(e, w)
	if err != nil {
		return nil, &Disagreement{Witness: w, Why: err}
	}
	return t, nil
}

func newTrace(e witness.Evidence, w *witness.Witness) (*Trace, error) {
	x, err := e.Replay(e.Machine())
	if err != nil {
		return nil, err
	}
	t := &tracer{p: e.Program, x: x, index: map[*ir.Table]int{}, classic: w.Classic, compares: !e.Engine.EqualWrites, rows: make([][]*row, len(e.Program.Tables)),
		named: map[string]int{}, now: map[place]*row{}, labels: make([]string, len(x.Txns))}
	for i, table := range e.Program.Tables {
		t.index[table] = i
	}
	out := &Trace{Isolation: w.Isolation, Classic: w.Classic, Txns: make([]Txn, len(x.Txns))}
	for n := range w.Transactions {
		txn := &w.Transactions[n]
		t.labels[txn.Commit] = txn.Label
		session := txn.Session
		if e.AnyOrder { // the order in a session is none
			session = n + 1
		}
		out.Txns[txn.Commit] = Txn{Label: txn.Label, Text: txn.Invocation(), Number: n + 1, Session: session}
	}
	if err := t.versions(); err != nil {
		return nil, err
	}
	t.number(out)
	for i := range out.Txns {
		reads, err := t.observe(i)
		if err != nil {
			return nil, err
		}
		out.Txns[i].Ops = t.ops(i, reads)
	}
	return out, nil
}

// number puts the objects in the order of their names.
func (t *tracer) number(out *Trace) {
	slices.SortFunc(t.objects, func(a, b *object) int { return cmp.Compare(a.Name, b.Name) })
	for n, o := range t.objects {
		o.place = n
		out.Objects = append(out.Objects, o.Object)
	}
}

// ops gives the operations of a transaction: what it read, by moments, and then what
// it wrote.
func (t *tracer) ops(i int, reads []read) []Op {
	slices.SortStableFunc(reads, func(a, b read) int { return cmp.Compare(a.object.place, b.object.place) })
	var out []Op
	for _, later := range []bool{false, true} {
		for _, r := range reads {
			if r.second == later { // of two versions of an object the earlier one comes first
				out = append(out, Op{Object: r.object.place, Version: r.version, Late: r.late})
			}
		}
	}
	for n, o := range t.objects {
		for v := range o.Versions {
			if o.Versions[v].By == i {
				out = append(out, Op{Object: n, Version: v, Write: true})
			}
		}
	}
	return out
}
