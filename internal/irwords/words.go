// Package irwords has the words of the text form of the IR, for what prints it (ir) and what
// reads it (irtext): keywords, operators and how they bind, names and texts between quotes.
package irwords

// How operators bind, from weak to strong.
const (
	PrecOr = iota + 1
	PrecAnd
	PrecNot
	PrecCmp
	PrecAdd
	PrecMul
	PrecNeg
)

// Operator is an operator between two expressions.
type Operator struct {
	Word string
	Prec int
}

// Operators are in the order of ir.BinaryOp.
var Operators = [...]Operator{{"or", PrecOr}, {"and", PrecAnd}, {"==", PrecCmp}, {"!=", PrecCmp}, {"<", PrecCmp}, {"<=", PrecCmp},
	{">", PrecCmp}, {">=", PrecCmp}, {"is", PrecCmp}, {"+", PrecAdd}, {"-", PrecAdd}, {"*", PrecMul}, {"/", PrecMul}, {"%", PrecMul}}

// Words of what is counted, in the order of ir.Want, ir.SetOpKind, ir.JoinKind and ir.Refusal.
var (
	Wants    = [...]string{"rows", "value", "any", "many", "count", "array", "list", "first"}
	SetOps   = [...]string{"union", "intersect", "except"}
	Joins    = [...]string{"inner", "left", "right", "full"}
	Refusals = [...]string{"row lock", "table lock", "advisory lock", "session lock", "error", "value"}
)
