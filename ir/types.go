package ir

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/irwords"
)

// Pos is a place in a source text. Line and Col count from 1; a zero Line
// means that the place is not known.
type Pos struct {
	File string
	Line int
	Col  int
}

// String gives file:line:col, leaving out what is not known.
func (p Pos) String() string {
	switch {
	case p.Line == 0 && p.File == "":
		return "-"
	case p.Line == 0:
		return p.File
	case p.File == "":
		return fmt.Sprintf("%d:%d", p.Line, p.Col)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// IsValid reports whether the line is known.
func (p Pos) IsValid() bool { return p.Line > 0 }

// Error is a fault in the input, at a place.
type Error struct {
	Pos Pos
	Msg string
}

func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// Kind is the class of a type: which values there are and which operations
// are understood.
type Kind uint8

const (
	// KindNull is the kind of the NULL literal, which fits every type.
	KindNull Kind = iota
	// KindInt is the integers. Overflow is not modelled by the solver; the
	// interpreter treats it as an error that aborts the transaction.
	KindInt
	// KindNum is the exact rationals (SQL NUMERIC without rounding).
	KindNum
	// KindBool is SQL BOOLEAN.
	KindBool
	// KindText is strings: equality, an unspecified total order, functions.
	KindText
	// KindTime is points in time, counted in microseconds.
	KindTime
	// KindArray is one-dimensional arrays; only elem and len look inside.
	KindArray
	// KindOpaque is every other type: equality only.
	KindOpaque
)

var kindNames = [...]string{"null", "int", "num", "bool", "text", "time", "array", "opaque"}

func (k Kind) String() string { return kindNames[k] }

// Type is the type of a column, parameter or local. Elem is the kind of the
// elements of an array and KindNull otherwise.
type Type struct {
	Kind Kind
	Elem Kind
}

var (
	NullType   = Type{Kind: KindNull}
	IntType    = Type{Kind: KindInt}
	NumType    = Type{Kind: KindNum}
	BoolType   = Type{Kind: KindBool}
	TextType   = Type{Kind: KindText}
	TimeType   = Type{Kind: KindTime}
	OpaqueType = Type{Kind: KindOpaque}
)

// ArrayType is the type of arrays whose elements have kind elem.
func ArrayType(elem Kind) Type { return Type{KindArray, elem} }

// String gives the name that the text form uses: int, num, bool, text, time,
// opaque, or int[] and so on.
func (t Type) String() string {
	if t.Kind == KindArray {
		return t.Elem.String() + "[]"
	}
	return t.Kind.String()
}

// Accepts reports whether a value of type from may be stored where t is
// wanted: equal types, NULL anywhere, integers as rationals, and an array
// literal, whose elements have no kind of their own, as any array.
func (t Type) Accepts(from Type) bool {
	return t == from || from.Kind == KindNull || t.Kind == KindNum && from.Kind == KindInt ||
		t.Kind == KindArray && from == ArrayType(KindNull)
}

// Value is one concrete value. Values are comparable with ==, and equal
// exactly when they are the same SQL value of the same kind (NULL equals
// NULL here; the three-valued operators are in Apply).
type Value struct {
	Kind Kind
	I    int64  // KindInt, KindTime (microseconds), KindBool (0 or 1)
	S    string // KindText, KindOpaque; KindNum in lowest terms; KindArray as {a,b}
}

// Null is the NULL value.
var Null = Value{}

// Int makes an integer.
func Int(i int64) Value { return Value{Kind: KindInt, I: i} }

// Text makes a string.
func Text(s string) Value { return Value{Kind: KindText, S: s} }

// Opaque makes a value of an opaque type; s is its identity.
func Opaque(s string) Value { return Value{Kind: KindOpaque, S: s} }

// Time makes a point in time from microseconds.
func Time(us int64) Value { return Value{Kind: KindTime, I: us} }

// Bool makes a truth value.
func Bool(b bool) Value {
	if b {
		return Value{Kind: KindBool, I: 1}
	}
	return Value{Kind: KindBool}
}

// Num makes a rational.
func Num(r *big.Rat) Value { return Value{Kind: KindNum, S: r.RatString()} }

// Array makes an array. The elements must be non-NULL and of one kind that
// is not itself an array.
func Array(elems []Value) Value {
	parts := make([]string, len(elems))
	for i, e := range elems {
		parts[i] = quoteElem(e)
	}
	return Value{Kind: KindArray, S: "{" + strings.Join(parts, ",") + "}"}
}

func quoteElem(e Value) string {
	switch e.Kind {
	case KindInt, KindTime:
		return strconv.FormatInt(e.I, 10)
	case KindBool:
		return strconv.FormatBool(e.I == 1)
	case KindNum:
		return e.S
	}
	return strconv.Quote(e.S)
}

// Elems splits an array whose elements have kind elem.
func (v Value) Elems(elem Kind) []Value {
	body := strings.TrimSuffix(strings.TrimPrefix(v.S, "{"), "}")
	var out []Value
	for body != "" {
		var part string
		if body[0] == '"' {
			q, err := strconv.QuotedPrefix(body)
			if err != nil {
				return out
			}
			part, _ = strconv.Unquote(q)
			body = strings.TrimPrefix(body[len(q):], ",")
		} else {
			part, body, _ = strings.Cut(body, ",")
		}
		switch elem {
		case KindInt, KindTime:
			i, _ := strconv.ParseInt(part, 10, 64)
			out = append(out, Value{Kind: elem, I: i})
		case KindBool:
			out = append(out, Bool(part == "true"))
		default:
			out = append(out, Value{Kind: elem, S: part})
		}
	}
	return out
}

// IsNull reports whether v is NULL.
func (v Value) IsNull() bool { return v.Kind == KindNull }

// IsTrue reports whether v is the truth value true (neither false nor NULL).
func (v Value) IsTrue() bool { return v.Kind == KindBool && v.I == 1 }

// Rat is the value of an integer or rational.
func (v Value) Rat() *big.Rat {
	if v.Kind == KindInt {
		return new(big.Rat).SetInt64(v.I)
	}
	r, ok := new(big.Rat).SetString(v.S)
	if !ok {
		panic("ir: not a rational: " + v.S)
	}
	return r
}

// Convert changes an integer into a rational where t asks for one.
func (v Value) Convert(t Type) Value {
	if t.Kind == KindNum && v.Kind == KindInt {
		return Num(v.Rat())
	}
	return v
}

// String is the value as a literal of the text form.
func (v Value) String() string {
	switch v.Kind {
	case KindNull:
		return "null"
	case KindInt:
		return strconv.FormatInt(v.I, 10)
	case KindBool:
		return strconv.FormatBool(v.I == 1)
	case KindNum:
		if r := v.Rat(); r.IsInt() {
			return v.S + ".0"
		} else if n, exact := r.FloatPrec(); exact {
			return r.FloatString(n)
		}
		return "num " + irwords.Text(v.S)
	case KindText:
		return irwords.Text(v.S)
	}
	return v.kindWord() + " " + irwords.Text(v.text())
}

func (v Value) kindWord() string { return v.Kind.String() }

func (v Value) text() string {
	if v.Kind == KindTime {
		return strconv.FormatInt(v.I, 10)
	}
	return v.S
}

// Compare orders two non-NULL values of one kind (integers and rationals mix):
// -1, 0 or +1. Text is ordered by bytes.
func Compare(a, b Value) int {
	switch {
	case a.Kind == KindNum || b.Kind == KindNum:
		return a.Rat().Cmp(b.Rat())
	case a.Kind == KindInt, a.Kind == KindTime, a.Kind == KindBool:
		switch {
		case a.I < b.I:
			return -1
		case a.I > b.I:
			return 1
		}
		return 0
	}
	return strings.Compare(a.S, b.S)
}
