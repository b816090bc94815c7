package ir

// Const is a literal.
type Const struct{ Value Value }

// Var is the value of a parameter or local.
type Var struct{ Name string }

// Col is a column of the row that the row variable Row stands for.
type Col struct {
	Row string
	Col string
}

// UnaryOp is an operator with one operand.
type UnaryOp uint8

const (
	Neg    UnaryOp = iota // - x
	Not                   // not x
	IsNull                // x is null
)

// Unary applies a UnaryOp.
type Unary struct {
	Op UnaryOp
	X  Expr
}

// BinaryOp is an operator with two operands.
type BinaryOp uint8

const (
	Or  BinaryOp = iota // three-valued
	And                 // three-valued
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	Is // is not distinct from: never NULL
	Add
	Sub
	Mul
	Div // integers truncate towards zero; division by zero aborts
	Mod // sign of the dividend, as in SQL
)

// Binary applies a BinaryOp.
type Binary struct {
	Op   BinaryOp
	X, Y Expr
	// Within, if not nil, holds the integers that the result can be: another one is an
	// error that ends the transaction. The text form and the solver do not have it.
	Within *Range
}

// Cond is: if If then Then else Else. A NULL condition chooses Else.
type Cond struct{ If, Then, Else Expr }

// Call applies a function. Known functions (Functions) have a meaning; every
// other name is an opaque function: the same arguments give the same value,
// and nothing else is known. Opaque functions are not strict.
//
// A Call with Def is opaque to a solver, but the interpreter knows its meaning;
// Name is made from Def (see Derive). A Call with Fn has the meaning that a front
// end gives it, which the text form does not have; Name tells it from others.
type Call struct {
	Name string
	Args []Expr
	Type Type
	Def  *Derivation
	Fn   *Function
}

// Exists is true when Query has a row, false otherwise; never NULL.
type Exists struct{ Query Query }

func (*Const) IsExpr() {}

func (*Var) IsExpr() {}

func (*Col) IsExpr() {}

func (*Unary) IsExpr() {}

func (*Binary) IsExpr() {}

func (*Cond) IsExpr() {}

func (*Call) IsExpr() {}

func (*Exists) IsExpr() {}

// Query is the rows (one of each source) for which Where is true. A nil
// Where is true.
type Query struct {
	From  []Source
	Where Expr
}

// C makes a constant.
func C(v Value) Expr { return &Const{v} }

// V makes a reference to a local.
func V(name string) Expr { return &Var{name} }

// Op makes a binary expression.
func Op(op BinaryOp, x, y Expr) Expr { return &Binary{Op: op, X: x, Y: y} }

// NotE negates.
func NotE(x Expr) Expr { return &Unary{Not, x} }

// AndE joins conditions; nil ones are left out, and no condition at all is
// nil.
func AndE(xs ...Expr) Expr { return join(And, xs) }

// OrE joins alternatives; nil ones are left out.
func OrE(xs ...Expr) Expr { return join(Or, xs) }

func join(op BinaryOp, xs []Expr) Expr {
	var out Expr
	for _, x := range xs {
		switch {
		case x == nil:
		case out == nil:
			out = x
		default:
			out = Op(op, out, x)
		}
	}
	return out
}

// Conjuncts splits a condition at its ANDs.
func Conjuncts(x Expr) []Expr {
	if x == nil {
		return nil
	}
	if b, ok := x.(*Binary); ok && b.Op == And {
		return append(Conjuncts(b.X), Conjuncts(b.Y)...)
	}
	return []Expr{x}
}
