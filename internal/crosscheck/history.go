package crosscheck

import (
	"cmp"
	"slices"

	"github.com/txrobust/robust/history"
)

// Form is how a trace becomes a recorded history.
type Form string

const (
	// Registers: each object is a register, whose values are its versions. Who reads
	// does not see in which order they were made. What constraints looked at after
	// the snapshot is left out.
	Registers Form = "registers"
	// Constraints: the same with what constraints looked at.
	Constraints Form = "registers-with-constraints"
	// Lists: each object is the list of its versions, to which each write appends
	// one, so that who reads sees the order. Constraints have looked, too.
	Lists Form = "lists"
)

// Forms are all of them.
func Forms() []Form { return []Form{Registers, Constraints, Lists} }

// History makes a recorded history. Its last transaction, in a session of its own,
// reads the final version of every object and nothing else: the rows at the end are
// a part of what a serial order has to explain.
//
// The transactions have the numbers of their labels, A being 1.
func (t *Trace) History(f Form) (*history.History, error) {
	b := &recorder{t: t, f: f, b: history.NewBuilder()}
	order := make([]int, len(t.Txns))
	for i := range order {
		order[i] = i
	}
	// In a session the order of commits counts; sessions come by label.
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(t.Txns[i].Session, t.Txns[k].Session) })
	for _, i := range order {
		b.txn(i)
	}
	b.final()
	return b.b.Build()
}

type recorder struct {
	t *Trace
	f Form
	b *history.Builder
}

func (r *recorder) txn(i int) {
	x := &r.t.Txns[i]
	txn := r.b.Txn(r.b.Session(history.Int(int64(x.Session))), history.Committed)
	r.b.SetNumber(txn, int64(x.Number))
	r.b.SetLabel(txn, x.Label+": "+x.Text)
	for _, o := range x.Ops {
		if o.Late && r.f == Registers {
			continue
		}
		r.op(o)
	}
	if r.unseen(i) {
		r.b.Write(r.over(i), r.b.Value(history.String("over by "+x.Label)))
	}
}

func (r *recorder) op(o Op) {
	x := &r.t.Objects[o.Object]
	key := r.b.Key(history.String(x.Name))
	switch {
	case r.f == Lists && o.Write:
		r.b.Op(history.Append, key, r.value(x, o.Version))
	case r.f == Lists:
		var list []history.Value
		for v := 1; v <= o.Version; v++ {
			list = append(list, r.value(x, v))
		}
		r.b.List(history.ReadList, key, list)
	case o.Write:
		r.b.Write(key, r.value(x, o.Version))
	default:
		r.b.Read(key, r.value(x, o.Version))
	}
}

// value is a version. The initial one has no name, so that every format has it.
func (r *recorder) value(x *Object, v int) history.Value {
	if v == 0 {
		return history.Initial
	}
	return r.b.Value(history.String(x.Versions[v].Text))
}

// final adds the transaction that reads everything at the end.
func (r *recorder) final() {
	session := 0
	for i := range r.t.Txns {
		session = max(session, r.t.Txns[i].Session)
	}
	txn := r.b.Txn(r.b.Session(history.Int(int64(session+1))), history.Committed)
	r.b.SetNumber(txn, int64(len(r.t.Txns)+1))
	r.b.SetLabel(txn, "the rows at the end")
	for n := range r.t.Objects {
		r.op(Op{Object: n, Version: r.t.Objects[n].last()})
	}
	for i := range r.t.Txns {
		if r.unseen(i) {
			r.b.Read(r.over(i), r.b.Value(history.String("over by "+r.t.Txns[i].Label)))
		}
	}
}

// unseen reports whether a transaction writes, and nothing of that is left at the
// end. Of registers nobody sees then that it came before the end, and so it says so
// by a register of its own.
func (r *recorder) unseen(i int) bool {
	writes, seen := false, r.f == Lists
	for _, o := range r.t.Txns[i].Ops {
		writes = writes || o.Write
		seen = seen || o.Write && o.Version == r.t.Objects[o.Object].last()
	}
	return writes && !seen
}

// over is the register by which a transaction says that it has written.
func (r *recorder) over(i int) history.Key {
	return r.b.Key(history.String(r.t.Txns[i].Label + " is over"))
}
