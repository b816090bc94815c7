package expr

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
)

// Dialect is what expressions mean in another dialect, where that differs from PostgreSQL.
type Dialect interface {
	// Operands makes the operands of a comparison comparable; alike says that nothing is left to convert. Alike gives several
	// values that are compared with each other what they are compared by, and Key gives what a text is compared by.
	Operands(x *Spot, op string, l, r Val) (a, b Val, alike bool)
	Alike(x *Spot, vs []Val)
	Key(x *Spot, v Val) Val
	// Collated gives a value the collation of a COLLATE clause.
	Collated(v Val, collation string) Val
	// Condition makes a truth value of what stands as a condition, as far as it is none.
	Condition(x *Spot, v Val) Val
	// Stored is v in a column of type t, or as one of values of several types; what names the place for messages.
	Stored(x *Spot, v Val, t schema.Type, what string) Val
	// Unify gives the values one type, as unify does; MinMax is the least or greatest of them.
	Unify(x *Spot, vs []Val, loc int32, what string) (out []Val, t schema.Type, nn bool)
	MinMax(x *Spot, vs []Val, t schema.Type, op ir.BinaryOp) Val
	// Arithmetic applies an operator on numbers or times; Operand makes a number of an operand beside another one.
	Arithmetic(x *Spot, op string, l, r Val) Val
	Operand(x *Spot, v, other Val) Val
	// Pattern names the function that a pattern is matched by.
	Pattern(name string, l, r Val) string
	// Call translates a function; ok is false for one that is read as in PostgreSQL. Now is a value of the time.
	Call(x *Spot, e *pg.FuncCall, name string) (v Val, ok bool)
	Now(x *Spot, name string) (v Val, ok bool)
	// Aggregated is the argument of an aggregate, Sorted what ORDER BY looks at, and AsUnsigned the type of the least or
	// greatest of values like v, which is t but for signs.
	Aggregated(x *Spot, name string, v Val) Val
	Sorted(x *Spot, v Val) Val
	AsUnsigned(v Val, t schema.Type) schema.Type
	// United refuses columns of UNION and the like that the dialect makes other values of.
	United(x *Spot, a, b schema.Type, what string)
	// Widest is the type of parameters that stand for values of type t.
	Widest(t schema.Type) schema.Type
}
