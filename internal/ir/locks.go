package ir

import (
	"slices"

	"github.com/txrobust/robust/internal/irwords"
)

// Lock asks for row locks on the rows found. Of names row variables; empty
// means all of them.
type Lock struct {
	Mode LockMode
	Of   []string
}

// Locks are the locks that one query asks for. Of several that cover a row variable
// the strongest counts.
type Locks []Lock

// Of gives the lock on the rows of a row variable, or NoLock.
func (ls Locks) Of(row string) LockMode {
	strongest := NoLock
	for _, l := range ls {
		if len(l.Of) == 0 || slices.Contains(l.Of, row) {
			strongest = max(strongest, l.Mode)
		}
	}
	return strongest
}

// TableLock is a table lock mode, PostgreSQL's eight.
type TableLock uint8

const (
	AccessShare TableLock = iota
	RowShare
	RowExclusive
	ShareUpdateExclusive
	Share
	ShareRowExclusive
	Exclusive
	AccessExclusive
)

// LockTable locks a whole table until the transaction ends. Before every
// other statement it takes no snapshot.
type LockTable struct {
	At
	Table *Table
	Mode  TableLock
}

// LockRows locks rows that Query finds, and gives nothing of them: all of them, or with
// a Limit the first ones in Order, any among equals.
type LockRows struct {
	At
	Query Query
	Order []Order
	Limit Expr
	Locks Locks
}

// LocksOf gives the row locks that a statement asks for, and the query that finds the
// rows.
func LocksOf(s Stmt) (Locks, *Query) {
	switch s := s.(type) {
	case *Select:
		return s.Locks, &s.Query
	case *EmitRows:
		return s.Locks, &s.Query
	case *Foreach:
		return s.Locks, &s.Query
	case *LockRows:
		return s.Locks, &s.Query
	}
	return nil, nil
}

// Refusal is how a database stops a transaction, or keeps it waiting.
type Refusal uint8

const (
	// ByRowLock: it locks rows, which excludes those who write them.
	ByRowLock Refusal = iota
	// ByTableLock: it locks a table.
	ByTableLock
	// ByAdvisoryLock: it locks a number that the program chooses.
	ByAdvisoryLock
	// BySessionLock: its session has locked such a number before, and holds it beyond the end.
	BySessionLock
	// ByError: a constraint, a check, or a value that does not fit.
	ByError
	// ByValue: it does not, but the program may not come to it, or not with these values, since it computes them in a
	// way that is not followed.
	ByValue
)

func (r Refusal) String() string { return irwords.Refusals[r] }

// Dropped marks a place where the database may refuse more than the statements say. It
// does nothing, and leaving it out is sound for a proof, which then covers more
// executions, unless the refusal depends on rows that others may change: see Observes. The
// database may refuse an execution that comes to it: see interp.Machine.Doubts.
type Dropped struct {
	At
	Kind Refusal
	// What names what is left out and why, for people: "the row locks of this subquery,
	// which may not run".
	What string
	// Tables are those whose rows it is about; nil is any.
	Tables []*Table
	// Observes says that the refusal depends on the rows of Tables, such as on columns
	// that the statement does not set: a proof observes them. Without Tables it depends on
	// values that the transaction may have read, and nothing is proved.
	Observes bool
	// Query, for ByRowLock, finds rows of which some may be locked as Locks says, with a
	// Limit only among the first ones in Order; no others are. Without sources, any row
	// of Tables may be locked, in any mode. For ByError, it finds something where there
	// may be an error; without sources, there may always be one.
	Query Query
	Order []Order
	Limit Expr
	Locks Locks
	// Number, for ByAdvisoryLock, is the number or numbers that it locks, until the
	// transaction ends, each time that the transaction comes here: they are not NULL where what they are computed of is not. It is
	// nil if that is not known. Shared says that others may share the lock.
	Number []Expr
	Shared bool
}

func lockString(ls Locks) string {
	out := ""
	for _, l := range ls {
		out += " " + l.Mode.String()
		if len(l.Of) > 0 {
			out += " of " + identList(l.Of)
		}
	}
	return out
}

var tableLockWords = [...]string{"access share", "row share", "row exclusive", "share update exclusive",
	"share", "share row exclusive", "exclusive", "access exclusive"}

// String is the SQL spelling in lower case, such as "share row exclusive".
func (m TableLock) String() string { return tableLockWords[m] }

func droppedString(s *Dropped) string {
	out := "dropped " + s.Kind.String() + " " + irwords.Text(s.What) + " " + tableSet(s.Tables)
	if s.Observes {
		out += " observed"
	}
	if len(s.Query.From) > 0 {
		out += queryString(s.Query) + orderString(s.Order) + limitString(s.Limit) + lockString(s.Locks)
	}
	if len(s.Number) > 0 {
		out += " number (" + exprList(s.Number) + ")"
		if s.Shared {
			out += " shared"
		}
	}
	return out
}

// Conflicts reports whether two table locks of different transactions exclude each other
// (PostgreSQL manual, table 13.2).
func (m TableLock) Conflicts(with TableLock) bool {
	// The weakest mode that each mode conflicts with, and the exception of
	// the two modes that do not conflict with themselves.
	least := [...]TableLock{
		AccessShare:          AccessExclusive,
		RowShare:             Exclusive,
		RowExclusive:         Share,
		ShareUpdateExclusive: ShareUpdateExclusive,
		Share:                RowExclusive,
		ShareRowExclusive:    RowExclusive,
		Exclusive:            RowShare,
		AccessExclusive:      AccessShare,
	}
	if m == Share && with == Share {
		return false
	}
	return with >= least[m] && m >= least[with]
}
