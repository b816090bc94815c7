package crosscheck

import (
	"slices"
)

// Trace is an execution as versions of objects: what history checkers judge.
type Trace struct {
	Objects []Object
	// Txns are in the order of commits.
	Txns []Txn
	// Isolation is the level that it ran at: "si", "rc" or witness.InnoDB.
	Isolation string
	// Classic says that the order of versions counts, even if nobody can see it.
	Classic bool
}

// Object is something that has versions: a column of a row, or whether a row is
// there. A row that is deleted and inserted again is another row.
type Object struct {
	// Name tells it from others: saving(1).bal, or saving(1) for the row.
	Name string
	// Versions are in the order of commits. The first is what there was at the
	// beginning. No transaction makes two.
	Versions []Version
}

// Version is a version of an object.
type Version struct {
	// By is the transaction that made it, a place in Trace.Txns, or initially.
	By int
	// Text is the value, for people.
	Text string
	// absent says that the row is not there.
	absent bool
}

// initially made what there is at the beginning.
const initially = -1

// Txn is a committed transaction.
type Txn struct {
	// Label is that of the witness, Text how it was called.
	Label, Text string
	// Number is its place in the order of labels, from 1.
	Number, Session int
	// Ops are reads, in order, and then writes.
	Ops []Op
}

// Op reads or writes a version.
type Op struct {
	// Object and Version are places in Trace.Objects and in its Versions.
	Object, Version int
	Write           bool
	// Late says that a constraint, or the action of a foreign key, looked at what
	// had been committed after the snapshot.
	Late bool
}

// late reports whether there are operations that no snapshot explains.
func (t *Trace) late() bool {
	return slices.ContainsFunc(t.Txns, func(x Txn) bool { return slices.ContainsFunc(x.Ops, func(o Op) bool { return o.Late }) })
}

// last is the number of the version that is there at the end.
func (o *Object) last() int { return len(o.Versions) - 1 }

// at is the number of the version after the first n commits.
func (o *Object) at(n int) int {
	for v := o.last(); ; v-- {
		if o.Versions[v].By < n {
			return v
		}
	}
}
