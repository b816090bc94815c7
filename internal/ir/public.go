package ir

import (
	"fmt"
	"math/big"

	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/ir"
)

// What the public package declares has the same names here, so that one import is enough.
type (
	Program        = ir.Program
	Note           = ir.Note
	Range          = ir.Range
	Process        = ir.Process
	Table          = ir.Table
	Column         = ir.Column
	Unique         = ir.Unique
	ForeignKey     = ir.ForeignKey
	Action         = ir.Action
	TableCheck     = ir.TableCheck
	Invariant      = ir.Invariant
	Txn            = ir.Txn
	Param          = ir.Param
	Local          = ir.Local
	Instr          = ir.Instr
	Pos            = ir.Pos
	Error          = ir.Error
	Kind           = ir.Kind
	Type           = ir.Type
	Value          = ir.Value
	Stmt           = ir.Stmt
	Expr           = ir.Expr
	Source         = ir.Source
	Exclusion      = ir.Exclusion
	PairConstraint = ir.PairConstraint
	Declaration    = ir.Declaration
	Domain         = ir.Domain
	Ignore         = ir.Ignore
	LockMode       = ir.LockMode
)

const (
	Any = ir.Any

	NoAction      = ir.NoAction
	CascadeDelete = ir.CascadeDelete
	SetNull       = ir.SetNull
	SetDefault    = ir.SetDefault
	CascadeUpdate = ir.CascadeUpdate

	KindNull   = ir.KindNull
	KindInt    = ir.KindInt
	KindNum    = ir.KindNum
	KindBool   = ir.KindBool
	KindText   = ir.KindText
	KindTime   = ir.KindTime
	KindArray  = ir.KindArray
	KindOpaque = ir.KindOpaque

	NoLock         = ir.NoLock
	ForKeyShare    = ir.ForKeyShare
	ForShare       = ir.ForShare
	ForNoKeyUpdate = ir.ForNoKeyUpdate
	ForUpdate      = ir.ForUpdate
)

var (
	NullType   = ir.NullType
	IntType    = ir.IntType
	NumType    = ir.NumType
	BoolType   = ir.BoolType
	TextType   = ir.TextType
	TimeType   = ir.TimeType
	OpaqueType = ir.OpaqueType

	// Null is the NULL value.
	Null = ir.Null
)

// ArrayType is the type of arrays whose elements have kind elem.
func ArrayType(elem Kind) Type { return ir.ArrayType(elem) }

// Int makes an integer.
func Int(i int64) Value { return ir.Int(i) }

// Text makes a string.
func Text(s string) Value { return ir.Text(s) }

// Opaque makes a value of an opaque type; s is its identity.
func Opaque(s string) Value { return ir.Opaque(s) }

// Time makes a point in time from microseconds.
func Time(us int64) Value { return ir.Time(us) }

// Bool makes a truth value.
func Bool(b bool) Value { return ir.Bool(b) }

// Num makes a rational.
func Num(r *big.Rat) Value { return ir.Num(r) }

// Array makes an array. The elements must be non-NULL and of one kind that is not itself
// an array.
func Array(elems []Value) Value { return ir.Array(elems) }

// Compare orders two non-NULL values of one kind (integers and rationals mix): -1, 0 or
// +1. Text is ordered by bytes.
func Compare(a, b Value) int { return ir.Compare(a, b) }

// NewVar makes the table of a shared variable.
func NewVar(pos Pos, name string, typ Type, init Value) *Table {
	return &Table{Pos: pos, Name: name, Var: true,
		Columns: []Column{{Name: irnames.VarColumn, Type: typ}}, Rows: [][]Value{{init}}}
}

// Errorf makes an *Error.
func Errorf(p Pos, format string, args ...any) *Error {
	return &Error{Pos: p, Msg: fmt.Sprintf(format, args...)}
}

// FirstFresh is the first of the integers that stand for FRESH ones in an execution: it
// is above every number that programs and solvers use. A server draws small ones, so
// FRESH numbers, and what is computed from them, are in the range of every type.
const FirstFresh = 1 << 40

// Fits reports whether a value belongs to a domain. NULL does, and every value does
// where d is nil.
func Fits(d Domain, v Value) bool { return d == nil || v.IsNull() || d.Fits(v) }
