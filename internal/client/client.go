package client

import "github.com/txrobust/robust/ir"

// Txn is a transaction that a client program runs: a template, of which any
// number run.
type Txn struct {
	Pos  ir.Pos
	Name string
	// Levels are the isolation levels one of which the program asks for, in the words of SQL
	// ("repeatable read"); "" stands for that of the session, and so does an empty list.
	Levels []string
	// Assumed says that a comment names the level, whatever a text does that is not known.
	Assumed bool
	// Auto says that the database runs the one statement as a transaction of its
	// own.
	Auto bool
	// Joined says that it began elsewhere: it may have locks that are none of its statements.
	Joined bool
	// Mutexes are the names of those that the program is said to hold from before the
	// transaction begins until it has ended.
	Mutexes []string
	// Vars are the variables, without those that nothing uses. Each has one name
	// in all of Body.
	Vars []Var
	Body []Stmt
}

// Kind is what is known of the values of a variable or expression.
type Kind uint8

const (
	// Any is values of which nothing is known: where it stands in statements says
	// more.
	Any Kind = iota
	Int
	Float
	Bool
	Text // also what a database takes for a number, a date or a UUID
	Time
)

// Names of functions in a Call whose meaning is that of Go's conversions.
const (
	// Float64 turns an integer into a number with 64 bits.
	Float64 = "float64"
	// Truncated turns a number into an integer.
	Truncated = "trunc"
)

// Var is a variable. One that is no Input starts at the zero value of its kind,
// or at NULL if it is Nullable or of kind Any.
type Var struct {
	Name string
	Kind Kind
	// Input says that whoever runs the transaction gives it its value, which is
	// Fresh if nobody ever used it before, such as a random UUID.
	Input, Fresh bool
	// Nullable says that it may be NULL: a pointer, or a type made for that.
	Nullable bool
	// Declared, if not "", names the type of SQL that it is declared with, as the text of the schema has it.
	Declared string
}

// Stmt is a statement. The kinds are below.
type Stmt interface{ isStmt() }

// At is the place of a statement in the program.
type At struct{ Pos ir.Pos }

func (At) isStmt() {}

// Hole stands in the text of a statement for a part that is not known.
const Hole = "\x00"

// Query sends a statement to the database.
type Query struct {
	At
	// SQL is the text, with Hole for each part that is not known.
	SQL string
	// Args are the values for the parameters by number ($1, ?), Named those for
	// parameters with names (@x, :x). Open says that there are others, of which
	// nothing is known.
	Args  []Expr
	Named []Arg
	Open  bool
	// Into are the variables for the columns of the row, in order, "" for those
	// that are dropped; ByName are variables for columns by their names. At most
	// one of the two is given. Without a row they keep their values. Where there
	// are several rows, the first one counts. Columns are taken in their order, up to one
	// with a NULL that does not fit.
	Into   []string
	ByName []Arg
	// Found, if not "", becomes whether there was a row; Null, if not "", whether
	// a NULL was to go to a variable that is not Nullable: that variable, and those
	// behind it, are as before then.
	Found, Null string
	// Every says that Null is about all rows, not the first one only. Nothing else
	// uses the variables Into or ByName then.
	Every bool
	// Count, if not "", becomes the number of rows that the statement changed, or
	// gave.
	Count string
	// Returned says that the program may look at all of the result in ways that
	// are not said here.
	Returned bool
	// Standard says that names stand between double quotes, whatever the dialect: a
	// library wrote the text.
	Standard bool
	// OneRow says that several rows are an error, and Inner that the query is part of a statement that is no SELECT.
	OneRow, Inner bool
	// Clears says that without a row the variables Into become NULL, all of which may be.
	Clears bool
	// Command, if not nil, is what is sent in the place of SQL.
	Command *Command
}

// Command is a text in parts: between two of them stands the value of an arg.
type Command struct {
	Text []string
	Args []Expr
}

// Arg is a value, or the variable for one, with a name. Expr is a *VarExpr in
// Query.ByName.
type Arg struct {
	Name string
	Expr Expr
}

// ForRows runs Body for each row of a query, with the row in its variables. Found
// and Count of the Query are not used; Null is set in each round.
type ForRows struct {
	At
	Label string
	Query *Query
	Body  []Stmt
}

// Assign sets a variable.
type Assign struct {
	At
	Var  string
	Expr Expr
}

// Havoc sets a variable to any value of its kind.
type Havoc struct {
	At
	Var   string
	Fresh bool
	// Lost, if not "", says what the program takes there in a way that is not followed: it has not
	// any value.
	Lost string
	// Element, if it has a List, says of which element of which list the value is a part.
	Element Element
}

// Element is a part of an element of a list that a loop over rows makes, which appends one in each round at
// most.
type Element struct {
	// List and Index are the list and the index in it, Len is how many elements it has.
	List, Index, Len Expr
	// From is the value of the part in the round that appends the element, nil if that is not known.
	From Expr
}

// Guess says that what follows depends on values that the program computes, and which are not
// followed: What names them. The program may not do it with the values that it is taken to have.
type Guess struct {
	At
	What string
}

// If branches.
type If struct {
	At
	Cond Expr
	Then []Stmt
	Else []Stmt
}

// Loop runs Body again and again, until a Break.
type Loop struct {
	At
	Label string
	Body  []Stmt
}

// Block runs Body once; a Break may leave it.
type Block struct {
	At
	Label string
	Body  []Stmt
}

// Break leaves the loop or block Label.
type Break struct {
	At
	Label string
}

// Continue begins the next round of the loop Label.
type Continue struct {
	At
	Label string
}

// Commit ends the transaction, and so does the end of the body.
type Commit struct{ At }

// Rollback ends the transaction without effect.
type Rollback struct{ At }

// Emit says that the program may show the values, or do anything that depends on
// them.
type Emit struct {
	At
	Exprs []Expr
}

// Savepoint marks a state of the transaction.
type Savepoint struct {
	At
	Name string
}

// RollbackTo goes back to a savepoint.
type RollbackTo struct {
	At
	Name string
}

// Unknown stands for statements that are not known. They read Tables (nil: the
// whole database), and write them unless ReadOnly. Names of tables that the
// schema does not have are left out.
type Unknown struct {
	At
	Tables   []string
	ReadOnly bool
	// Reason says what it is, as a noun: "a call of f, which is not read".
	Reason string
}
