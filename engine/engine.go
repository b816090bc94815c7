// Package engine holds what distinguishes one database from another at
// snapshot isolation: which concurrent transactions exclude each other, and
// what a statement reads outside of its snapshot. A Profile is a table of
// facts; adding a database is adding a table.
//
// The model has two events per transaction, as in CAV'19: it takes its
// snapshot and computes everything from it, and it commits. A Profile answers
// whether the commit succeeds, given the transactions that committed since the
// snapshot. Statements between the two events are taken to run as late as
// possible, which is when most of them succeed.
package engine

import (
	"sort"

	"github.com/txrobust/robust/ir"
)

// WriteClass is a set of writes to a row that was read under a lock.
type WriteClass uint8

const (
	// NoWrite is the empty set: the lock excludes nothing.
	NoWrite WriteClass = iota
	// KeyChange is deletions, and updates of a column of a primary or total
	// unique key.
	KeyChange
	// AnyWrite is every update and deletion.
	AnyWrite
)

// Profile is the behaviour of one database at snapshot isolation. The fields
// are the decisions that the interpreter and the solver share; Facts is where
// they come from.
type Profile struct {
	// Name is what -engine takes, such as "postgres".
	Name string
	// Title is for reports, such as "PostgreSQL REPEATABLE READ".
	Title string

	// InsertExcludes: a concurrent committed write of the key that a
	// transaction inserts makes the commit fail, even if the key is free
	// again. Without it, the key only has to be free at commit.
	InsertExcludes bool
	// KeyFromSnapshot: inserting a key that the snapshot shows fails, even if
	// it was deleted since.
	KeyFromSnapshot bool
	// LockExcludes gives, for every row lock that a transaction holds, the
	// writes of concurrent committed transactions that make it fail.
	LockExcludes [ir.ForUpdate + 1]WriteClass
	// LockWrites: a row lock counts as a write of the row, so that the locks
	// of committed transactions exclude too.
	LockWrites bool
	// ParentLock is the lock that inserting a child takes on the parent row
	// of a foreign key.
	ParentLock ir.LockMode
	// TableLocks: LOCK TABLE before the snapshot excludes concurrent
	// transactions that used the table in a conflicting way.
	TableLocks bool
	// Weaker, if not "", says why the database is not at snapshot isolation:
	// neither a proof nor an execution at that level says anything about it.
	Weaker string
	// Instead names a profile that is at snapshot isolation for the same dialect, "" if there is none.
	Instead string
	// InnoDB says that writing and locking commands see the newest rows, and lock all that
	// they look at (package pieces): where Weaker is set, that is all that is known.
	InnoDB bool
	// Skips says that UPDATE, DELETE and locking reads that look for rows by an index
	// other than the primary key pass over those that have left their place in it since
	// the snapshot, without an error.
	Skips bool
	// Stricter, if not "", says what the database excludes beyond the other
	// fields. They allow more executions than it does, so that a proof holds for
	// it, while an execution that is found need not be one of it.
	Stricter string
	// Documented, if not "", names the documentation that the facts are from: no test has run the
	// database. Stricter says so, too.
	Documented string
	// OtherTexts, if not "", says what texts are equal there that PostgreSQL tells apart.
	OtherTexts string
	// DefaultLevel is the level of transactions that ask for none, in the words of SQL; "" is
	// REPEATABLE READ.
	DefaultLevel string
	// LockStrengthens: an UPDATE of a row that its transaction has locked FOR UPDATE
	// before counts as a KeyChange, whatever it sets. Where a savepoint is between the two,
	// that is so for the version of the other's snapshot alone.
	LockStrengthens bool
	// EqualWrites: an UPDATE that leaves every value as it was still writes a
	// version, and so excludes.
	EqualWrites bool

	// NoReturning: no statement that writes gives rows (RETURNING).
	NoReturning bool

	Facts []Fact
}

// Fact is one row of the table: something found true of the database.
type Fact struct {
	// ID is the number of the row, such as "4".
	ID string
	// Text states the fact.
	Text string
	// Model says how the analysis uses it.
	Model string
	// Test names the test that ran it on the real database, or the source.
	Test string
}

// ByName finds a profile, or gives nil.
func ByName(name string) *Profile {
	for _, p := range All() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// All lists the profiles, sorted by name.
func All() []*Profile {
	out := []*Profile{SI(), Postgres(), MariaDB(), MariaDBOff(), MySQL(), cockroach(), oracle(), sqlServer(), yugabyte()}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Names lists the names that ByName knows, sorted.
func Names() []string {
	var out []string
	for _, p := range All() {
		out = append(out, p.Name)
	}
	return out
}

// overExpression reports whether a unique index is over an expression.
func overExpression(t *ir.Table, u ir.Unique) bool {
	for _, c := range u.Columns {
		if t.Columns[c].Hidden {
			return true
		}
	}
	return false
}

// KeyColumns are the columns whose change is a KeyChange: those of the primary
// key and of total unique keys.
func KeyColumns(t *ir.Table) map[int]bool {
	out := map[int]bool{}
	for _, k := range t.Key {
		out[k] = true
	}
	for _, u := range t.Uniques {
		if u.Where == nil && !overExpression(t, u) {
			for _, c := range u.Columns {
				out[c] = true
			}
		}
	}
	return out
}
