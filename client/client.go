package client

import "github.com/txrobust/robust/ir"

// Txn is a transaction that a client program runs: a template, of which any
// number run.
type Txn struct {
	Pos  ir.Pos
	Name string
	// Level is the isolation level that the program asks for, in the words of SQL
	// ("repeatable read"), or "" if it asks for none.
	Level string
	// Auto says that the database runs the one statement as a transaction of its
	// own.
	Auto bool
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
	// are several rows, the first one counts.
	Into   []string
	ByName []Arg
	// Found, if not "", becomes whether there was a row; Null, if not "", whether
	// a NULL was to go to a variable that is not Nullable: the variables are as
	// before then.
	Found, Null string
	// Count, if not "", becomes the number of rows that the statement changed, or
	// gave.
	Count string
	// Returned says that the program may look at all of the result in ways that
	// are not said here.
	Returned bool
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

// Expr is an expression. The kinds are VarExpr, Const, Op and Call.
type Expr interface{ isExpr() }

// VarExpr is the value of a variable.
type VarExpr struct{ Name string }

// Const is a constant: an integer, a number, a text, a truth value or NULL.
type Const struct{ Value ir.Value }

// Op applies an operator with the meaning that it has in Go, integers being
// unbounded: + - * / % on numbers and + on texts; == != < <= > >=; && || !; "-"
// with one operand; "null" of one operand says whether it is NULL.
type Op struct {
	Op   string
	Args []Expr
}

// Call applies a function of which nothing is known, but that equal arguments
// give equal values.
type Call struct {
	Name string
	Args []Expr
	Kind Kind
}

func (*VarExpr) isExpr() {}
func (*Const) isExpr()   {}
func (*Op) isExpr()      {}
func (*Call) isExpr()    {}

// V is the value of a variable.
func V(name string) *VarExpr { return &VarExpr{name} }

// C is a constant.
func C(v ir.Value) *Const { return &Const{v} }

// Not negates a condition.
func Not(e Expr) Expr {
	if o, ok := e.(*Op); ok && o.Op == "!" {
		return o.Args[0]
	}
	return &Op{Op: "!", Args: []Expr{e}}
}

// Walk calls f for every statement of list, outer ones first, but not for the
// Query of a ForRows.
func Walk(list []Stmt, f func(Stmt)) {
	for _, s := range list {
		f(s)
		switch s := s.(type) {
		case *ForRows:
			Walk(s.Body, f)
		case *If:
			Walk(s.Then, f)
			Walk(s.Else, f)
		case *Loop:
			Walk(s.Body, f)
		case *Block:
			Walk(s.Body, f)
		}
	}
}

// EachVar calls f for the variables in e, as often as they stand there.
func EachVar(e Expr, f func(name string)) {
	WalkExpr(e, func(e Expr) {
		if v, ok := e.(*VarExpr); ok {
			f(v.Name)
		}
	})
}

// WalkExpr calls f for e, if it is not nil, and every expression inside it,
// outer ones first.
func WalkExpr(e Expr, f func(Expr)) {
	if e == nil {
		return
	}
	f(e)
	switch e := e.(type) {
	case *Op:
		for _, a := range e.Args {
			WalkExpr(a, f)
		}
	case *Call:
		for _, a := range e.Args {
			WalkExpr(a, f)
		}
	}
}
