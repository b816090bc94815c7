package mysql

import (
	"regexp"
	"strings"

	"github.com/txrobust/robust/ir"
)

// kind is the class of an SQL type.
type kind uint8

const (
	unknown kind = iota // a parameter whose type nothing has told yet
	null
	integer
	decimal
	boolean // a condition, which is 0 or 1 as a value
	str
	datetime
	date
	other // values that are only stored, returned and tested for NULL
)

var kindWords = [...]string{"a value of unknown type", "NULL", "an integer", "a decimal", "a condition", "a text", "a time", "a date", "a value of a type that is not modelled"}

// typ is an SQL type. Coll is the collation of a text: "" for constants and
// parameters, which take that of what they meet.
type typ struct {
	kind kind
	coll string
	enum bool   // texts that are ordered by their numbers
	name string // of a type of kind other
}

func (t typ) ir() ir.Type {
	switch t.kind {
	case integer:
		return ir.IntType
	case decimal:
		return ir.NumType
	case boolean:
		return ir.BoolType
	case datetime, date:
		return ir.TimeType
	case other:
		return ir.OpaqueType
	}
	return ir.TextType
}

// The collations that matter: that of texts whose collation is not written,
// and the one of bytes. Others stand for themselves.
const (
	usual  = "usual"
	binary = "binary"
)

// usualCollations tell ASCII letters and digits apart but for their case.
var usualCollations = regexp.MustCompile(`(?i)^(\w+_(general|unicode|unicode_520|0900_ai|uca1400_ai)_ci|latin1_swedish_ci|uca1400_ai_ci)$`)

// collation names what texts are compared by.
func collation(name string) string {
	switch {
	case name == "" || usualCollations.MatchString(name):
		// Two of these differ from each other in what they do beyond ASCII: a
		// name of its own keeps columns of different ones apart.
		if name == "" {
			return usual
		}
		return usual + " " + strings.ToLower(name)
	case strings.EqualFold(name, binary):
		return binary
	}
	return strings.ToLower(name)
}

// plain are the texts of which every usual collation only ignores the case.
var plain = regexp.MustCompile(`^([A-Za-z0-9_]([A-Za-z0-9_ -]*[A-Za-z0-9_])?)?$`)

// collated gives what e is compared by under a collation: texts are equal, or
// less, when these are. It is some function of the text, of which nothing is
// known but what it does to plain constants. e must not be NULL.
func collated(e ir.Expr, coll string) ir.Expr {
	if coll == binary {
		return e
	}
	if !strings.HasPrefix(coll, usual) {
		return &ir.Call{Name: "collated " + coll, Args: []ir.Expr{e}, Type: ir.TextType}
	}
	if c, ok := e.(*ir.Const); ok && plain.MatchString(c.Value.S) {
		return ir.C(ir.Text(strings.ToLower(c.Value.S)))
	}
	// The interpreter takes lower case; a solver does not look inside.
	low := &ir.Call{Name: "lower", Args: []ir.Expr{ir.V("text")}, Type: ir.TextType}
	rel := &ir.Project{Cols: []ir.Item{{Name: coll, Type: ir.TextType, Expr: low}}}
	out := ir.Derive(ir.WantValue, rel, ir.TextType, func(ir.Expr) ir.Type { return ir.TextType })
	out.Args = []ir.Expr{e}
	return out
}

// strict makes the result NULL where e is, unless e is never NULL.
func strict(e ir.Expr, never bool, result ir.Expr) ir.Expr {
	if never {
		return result
	}
	return &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: e}, Then: ir.C(ir.Null), Else: result}
}

// value is an expression with its type.
type value struct {
	e ir.Expr
	t typ
	// nn: it is never NULL.
	nn bool
	// key is what a text column is compared by, if a hidden column has it.
	key ir.Expr
	// param is the name of a parameter that stands alone.
	param string
	// unsigned: it is an integer that is not negative, and differences with it must not be.
	unsigned bool
	// scale is how many digits a decimal has behind the point at most, or a time behind the
	// seconds; that of a parameter is that of its column, and 0 here.
	scale int
	// labels are those of the ENUM from which it comes, padded says that a text has no
	// blanks at its end.
	labels string
	padded bool
}

func (v value) constant() (ir.Value, bool) {
	c, ok := v.e.(*ir.Const)
	if !ok {
		return ir.Null, false
	}
	return c.Value, true
}

// compared gives what a text is compared by.
func (v value) compared(coll string) ir.Expr {
	if v.key != nil && v.t.coll == coll {
		return v.key
	}
	if v.t.kind == null {
		return v.e
	}
	return strict(v.e, v.nn, collated(v.e, coll))
}
