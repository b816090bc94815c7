package ir

// Stmt is a statement.
type Stmt interface {
	// String is the text form, on several lines if the statement has others inside, and
	// "" if it has none.
	String() string
	// Position is the place in the source.
	Position() Pos
	// Command is the number, from 1, of the command of the source that the statement is
	// part of, within its transaction. 0 is not known.
	Command() int
	// Snapshot tells the snapshots apart that a command has at READ COMMITTED: 0 is its
	// own, and below 0 it is not known.
	Snapshot() int
	// SetCommand makes the statement part of command n.
	SetCommand(n, snapshot int)
	// IsStmt does nothing: it tells statements from other values.
	IsStmt()
}

// Expr is an expression. Expressions have SQL's three-valued logic.
type Expr interface {
	// String is the text form.
	String() string
	// IsExpr does nothing: it tells expressions from other values.
	IsExpr()
}

// Source is a table in a FROM list with the row variable that ranges over it.
type Source struct {
	Table *Table
	Row   string
}

// Declaration is a command of the source that makes the tables, as text for the
// database's own tools.
type Declaration struct {
	Pos  Pos
	Text string
	// Optional says that nothing depends on it, such as who owns a table.
	Optional bool
}

// LockMode is the strength of a row lock.
type LockMode uint8

const (
	NoLock LockMode = iota
	ForKeyShare
	ForShare
	ForNoKeyUpdate
	ForUpdate
)

var lockWords = map[LockMode]string{ForKeyShare: "for key share", ForShare: "for share",
	ForNoKeyUpdate: "for no key update", ForUpdate: "for update"}

// String is the SQL spelling, such as "for update".
func (m LockMode) String() string { return lockWords[m] }
