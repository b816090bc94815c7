package ir

// At is the place of a statement in the source.
type At struct {
	Pos Pos
	// Cmd is the number, from 1, of the command of the source that the statement
	// is part of, within its transaction. A database runs a command at a stretch:
	// at READ COMMITTED, each has a snapshot. 0 is not known. The text form does
	// not have it: there, each statement is a command.
	Cmd int
	// Snap tells the snapshots apart that a command has at READ COMMITTED: 0 is its
	// own, the others, from 1, are those that queries in VOLATILE functions take while
	// it runs. Below 0, it is not one for all parts and rows, or not known.
	Snap int
}

// Position gives the source position.
func (a *At) Position() Pos { return a.Pos }

// Command gives the number of the command, or 0.
func (a *At) Command() int { return a.Cmd }

// Snapshot gives the number of the snapshot within the command.
func (a *At) Snapshot() int { return a.Snap }

// SetCommand makes the statement part of command n.
func (a *At) SetCommand(n, snapshot int) { a.Cmd, a.Snap = n, snapshot }

// IsStmt marks statements.
func (*At) IsStmt() {}

// Number makes s a part of the command n, with the snapshot of the command.
func Number(s Stmt, n int) { s.SetCommand(n, 0) }

// SetCommand makes all statements of list whose command is not known, those
// inside of others included, part of command n, with one snapshot of it.
func SetCommand(list []Stmt, n, snapshot int) {
	Walk(list, func(s Stmt) {
		if s.Command() == 0 {
			s.SetCommand(n, snapshot)
		}
	})
}

// Assign sets a local.
type Assign struct {
	At
	Var  string
	Expr Expr
}

// Havoc sets a local to any value of its type, chosen by the instance: the
// same in whichever order the transaction runs. It may be NULL unless NotNull.
// A Fresh value was never used before, and is not NULL.
type Havoc struct {
	At
	Var     string
	Fresh   bool
	NotNull bool
	// Of says what of the database chooses the value, such as "now()" or
	// "nextval(order_id_seq)", and is "" where the client does. The text form does not
	// have it.
	Of string
}

// Order is one ORDER BY item. NULLs come last when ascending and first when
// descending.
type Order struct {
	Expr Expr
	Desc bool
}

// Agg is an aggregate: count (Arg nil counts rows), sum, min, max, or another
// name, which is an opaque function of the rows. NULL arguments do not take
// part. Distinct removes equal arguments.
type Agg struct {
	Fn       string
	Arg      Expr
	Distinct bool
	Type     Type
	// Known, if not nil, computes an aggregate other than count, sum, min and max of the
	// arguments that are not NULL, in any order. The text form does not have it.
	Known *Function
}

// Select reads into locals. With Aggs it computes them over all rows of Query
// (Cols is empty); otherwise it takes one row, the first in Order, any one
// among equals, and sets Into to Cols, or to NULLs when there is no row.
// Found, if not "", becomes whether there was a row. Aggregates are not
// combined with Order, Locks or Found.
type Select struct {
	At
	Into  []string
	Found string
	Cols  []Expr
	Aggs  []Agg
	Query Query
	Order []Order
	Locks Locks
	// Written says that it gives what the transaction has written just before
	// (RETURNING): not a row that it still sees although it is deleted by now, beside
	// one that it has inserted with its key. The text form does not have it.
	Written bool
	// Inner says that it is a subquery of a statement other than a SELECT, for engines to
	// which that matters (engine.Profile.Skips). The text form does not have it.
	Inner bool
	// Skips, if not NoLock, says that it takes any row, or none (SKIP LOCKED). With Aggs, it counts rows that an array of their keys
	// names, which may be any. Who sees or writes such a row in this command has locked it in that mode, and then tested
	// Where on its newest version. The text form does not have it.
	Skips LockMode
	// Returned says that it gives what the UPDATE or DELETE that follows returns of the same rows, of
	// their newest versions. The text form does not have it.
	Returned bool
}

// Emit returns values to the client: they are observed.
type Emit struct {
	At
	Exprs []Expr
	// Setting says that it gives a setting of the session, and so takes no snapshot (SHOW). The text
	// form does not have it.
	Setting bool
}

// EmitRows returns a query's result to the client: all of it is observed, as
// a bag, or as a sequence when Order is given. With a Limit and no Order that
// is total, which rows come is not determined.
type EmitRows struct {
	At
	Cols  []Expr
	Query Query
	Order []Order
	Limit Expr
	Locks Locks
	// Returned is that of Select.
	Returned bool
}

// Set is one assignment of an UPDATE; Expr sees the old row.
type Set struct {
	Col  int
	Expr Expr
}

// Conflict is ON CONFLICT: when a row with the same Target columns (nil: any
// key of the table) exists, nothing is inserted, and Sets, if any, are applied
// to it where Where is true. Row names the existing row, "excluded" the new one.
// Before Where is looked at, the existing row is locked FOR NO KEY UPDATE, or as Lock
// says if that is stronger: FOR UPDATE where the text sets a column of a key, even to
// what it is (PostgreSQL 15, ExecUpdateLockMode).
type Conflict struct {
	Target []int
	Row    string
	Sets   []Set
	Where  Expr
	Lock   LockMode
}

// Excluded is the row variable for the row that an INSERT proposed.
const Excluded = "excluded"

// Insert adds one row. Cols and Values run in parallel; other columns become
// NULL, and a hidden rowid becomes FRESH. Inserting an existing key aborts
// unless Conflict says otherwise. Done, if not "", becomes whether a row was
// inserted or updated.
//
// With Moved it is the second half of an UPDATE that changes the key of a row:
// the row of the Delete before it gets this key; if that found none, nothing
// happens. Moved lists the columns that
// change, those of the key among them: the parents that other columns name are
// neither looked for nor locked, and no row that refers to other columns loses
// its parent. The key may also stay what it was, by chance.
type Insert struct {
	At
	Table    *Table
	Cols     []int
	Values   []Expr
	Conflict *Conflict
	Done     string
	Moved    []int
}

// Update changes the rows that match in the snapshot. Key columns are never
// set.
type Update struct {
	At
	Table *Table
	Row   string
	Sets  []Set
	Where Expr
}

// Delete removes the rows that match in the snapshot. With Moved it is the first
// half of an UPDATE that changes the key of one row, whose Where tells the whole
// key: an Insert with Moved follows at once, and foreign keys are checked after
// that.
type Delete struct {
	At
	Table *Table
	Row   string
	Where Expr
	Moved bool
}

// Cascade carries out the action of a foreign key of Table on the rows that have
// lost their parent: it sets the columns of the foreign key to Values, or if
// there are none, deletes the rows or sets these columns to NULL. It acts on the rows that are there when the transaction commits, not on
// those of the snapshot, and lets the commit fail if it would act on one that
// somebody else has inserted or changed meanwhile; one that somebody else has
// deleted or given another parent is none of its concern. It follows a deletion
// from the table that the foreign key refers to, or an Insert with Moved into it.
type Cascade struct {
	At
	Table  *Table
	Key    int    // the foreign key, in Table.ForeignKeys
	Values []Expr // for its Columns, over locals
}

// Deletes reports whether the rows are deleted.
func (s *Cascade) Deletes() bool {
	return len(s.Values) == 0 && s.ForeignKey().OnDelete == CascadeDelete
}

// ForeignKey is the foreign key whose action this is.
func (s *Cascade) ForeignKey() *ForeignKey { return &s.Table.ForeignKeys[s.Key] }

// If branches; a NULL condition takes Else.
type If struct {
	At
	Cond Expr
	Then []Stmt
	Else []Stmt
}

// Block runs Body once; break Label leaves it. Label is unique in its scope.
type Block struct {
	At
	Label string
	Body  []Stmt
}

// While loops as long as Cond is true. Label, here and in the other loops, is
// its name for break and continue, or "".
type While struct {
	At
	Label string
	Cond  Expr
	Body  []Stmt
}

// ForRange runs Body with Var = From, From+1, …, To, or with From, From-1, …,
// To when Reverse. The bounds are evaluated once.
type ForRange struct {
	At
	Label    string
	Var      string
	From, To Expr
	Reverse  bool
	Body     []Stmt
}

// Foreach runs Body for every row of Query as it was when the loop began,
// with Into set to Cols, in Order or else in any order. Found, if not "",
// becomes whether there was a row, when the loop ends.
//
// Each row is locked as its round begins. With Ahead, rows are fetched, and locked,
// before their rounds, as the FOR loop of PL/pgSQL does: 10 of them when the
// loop begins, and 50 more each time when they have run out.
type Foreach struct {
	At
	Label string
	Into  []string
	Cols  []Expr
	Query Query
	Order []Order
	Locks Locks
	Ahead bool
	Found string
	Body  []Stmt
	// Inner says that the rows are those of a query in a statement other than a SELECT, for engines to which that makes a
	// difference.
	Inner bool
}

// Break leaves the loop or block Label, or the innermost loop when Label is "".
type Break struct {
	At
	Label string
}

// Continue starts the next round of the loop Label, or of the innermost one.
type Continue struct {
	At
	Label string
}

// Return ends the transaction, which commits.
type Return struct{ At }

// Assume blocks the transaction unless Cond is true: such a run does not
// commit.
type Assume struct {
	At
	Cond Expr
}

// Abort rolls the transaction back.
type Abort struct{ At }

// Savepoint marks a state of the transaction.
type Savepoint struct {
	At
	Name string
}

// RollbackTo undoes the writes and locks since the savepoint.
type RollbackTo struct {
	At
	Name string
}

// Unmodelled stands for a statement that a front end could not model: it
// reads everything in Tables (nil: the whole database), and unless ReadOnly
// it may write any row of them. Locals it would set are havocked apart.
type Unmodelled struct {
	At
	Tables   []*Table
	ReadOnly bool
	Reason   string
}

// CopyTable replaces the rows of Dst by those of Src, a table of the same
// shape. Only the instrumentation makes it.
type CopyTable struct {
	At
	Dst, Src *Table
}

// Fail is the error state of an instrumented program: assert false.
type Fail struct{ At }
