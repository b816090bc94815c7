package value

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
)

const (
	// EqualDigits, EqualRounding and NoMinusZero are what is taken for granted of calls that tell equal numbers apart.
	EqualDigits   = "numbers that are equal have equal texts: digits after the last one that is not 0 do not count"
	EqualRounding = "numbers that are equal have equal quotients, powers, roots and averages: zeros after the last digit do not count"
	NoMinusZero   = "no float is -0, which equals 0 and has another text"
)

// rounding are functions of numerics where it depends on the digits that a number shows how the
// result is rounded; by name.
var rounding = strings.Fields(`numeric_div / ^ sqrt numeric_sqrt ln log dlog10 exp numeric_exp power pow numeric_power
	avg stddev stddev_pop stddev_samp variance var_pop var_samp`)

// Apart says what is taken for granted of a call of a function that may tell values apart which are equal: 1.0 and 1.00,
// 0 and -0; "" for nothing. The types are those of arguments that may show any digits.
func Apart(name string, result *Type, args []*Type) string {
	textual := name != "to_char" && (result == nil || slices.Contains([]string{"text", "varchar", "bpchar", "name", "citext", "json", "xml", "bytea", catalog.Untold}, result.innermost().Name))
	has := func(names ...string) bool {
		return slices.ContainsFunc(args, func(t *Type) bool { return slices.Contains(names, t.innermost().Name) })
	}
	switch numeric := has("numeric"); {
	case numeric && textual:
		return EqualDigits
	case numeric && slices.Contains(rounding, name):
		return EqualRounding
	case has("float4", "float8") && (textual || strings.HasPrefix(name, "atan2")):
		return NoMinusZero
	}
	return ""
}

// Branches reports whether a value is that of one expression or another: they may show different digits.
func Branches(e ir.Expr) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) {
		_, is := e.(*ir.Cond)
		found = found || is
	})
	return found
}

// innermost is the type of the elements of arrays.
func (t *Type) innermost() *Type {
	for t.Elem != nil {
		t = t.Elem
	}
	return t
}
