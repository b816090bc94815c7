package boogie

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/ir"
)

// keywords cannot be names. The helper functions and the counter of FRESH
// values are among them.
var keywords = strings.Fields(`assert assume axiom bool break bv call complete const div else ensures exists false
	finite forall forward free function goto havoc if implementation int invariant lambda mod modifies old par
	procedure real requires return returns then true type unique var where while yield yields and or not
	main quo rem fraction ` + freshVar)

const freshVar = "fresh.next"

// ident gives the characters of s that a Boogie name can have; others become
// their code between carets.
func ident(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_', r == '\'', r == '.', r == '$', r == '#':
			b.WriteRune(r)
		case r >= '0' && r <= '9':
			if i == 0 {
				b.WriteByte('_')
			}
			b.WriteRune(r)
		default:
			b.WriteString("^" + strconv.FormatInt(int64(r), 16) + "^")
		}
	}
	if b.Len() == 0 || b.String()[0] == '\'' || b.String()[0] == '.' {
		return "_" + b.String()
	}
	return b.String()
}

// unique gives base, or base with a number where used has it, and notes it.
func unique(used map[string]bool, base string) string {
	name := base
	for i := 1; used[name]; i++ {
		name = base + "#" + strconv.Itoa(i)
	}
	used[name] = true
	return name
}

// nullable is unique for a name that also goes with ".null".
func nullable(used map[string]bool, base string) string {
	name := base
	for i := 1; used[name] || used[name+".null"]; i++ {
		name = base + "#" + strconv.Itoa(i)
	}
	used[name], used[name+".null"] = true, true
	return name
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// nameTexts orders the texts and gives each a name.
func (x *exporter) nameTexts(seen map[string]bool) {
	x.sorted = sortedKeys(seen)
	for _, s := range x.sorted {
		name := ident(s)
		if s == "" {
			name = "empty"
		}
		if len(name) > 40 {
			name = name[:40]
		}
		x.texts[s] = unique(x.names, "text."+name)
	}
}

// step is between neighbouring texts: other texts fit in. FRESH values count
// from freshBase.
const (
	step      = 1 << 20
	freshBase = 1 << 40
)

// textValue is the integer of the i-th text. The empty one is the first of all.
func (x *exporter) textValue(i int) int64 {
	n := int64(i) * step
	if i > 0 && x.fresh && bytes.Compare([]byte(x.sorted[i]), []byte("fresh")) > 0 {
		return 2*freshBase + n // FRESH texts begin with this word
	}
	return n
}

// constant gives a value of Boogie.
func (x *exporter) constant(v ir.Value) string {
	switch v.Kind {
	case ir.KindInt, ir.KindTime:
		return number(v.I)
	case ir.KindBool:
		return strconv.FormatBool(v.I == 1)
	case ir.KindNum:
		r := v.Rat()
		s := r.Num().String() + ".0"
		if !r.IsInt() {
			s = "(" + s + " / " + r.Denom().String() + ".0)"
		}
		if r.Sign() < 0 {
			return "(-" + strings.Replace(strings.Replace(s, "-", "", 1), "(-", "(", 1) + ")"
		}
		return s
	}
	if name, ok := x.texts[v.S]; ok {
		return name
	}
	panic("boogie: a constant was not collected: " + v.String())
}

func number(i int64) string {
	if i < 0 {
		return fmt.Sprintf("(-%s)", strconv.FormatInt(i, 10)[1:])
	}
	return strconv.FormatInt(i, 10)
}

// typeName is the type of a value in Boogie.
func typeName(t ir.Type) string {
	switch t.Kind {
	case ir.KindBool:
		return "bool"
	case ir.KindNum:
		return "real"
	}
	return "int"
}

// zero is what stands where a value is NULL.
func zero(t ir.Type) string {
	switch t.Kind {
	case ir.KindBool:
		return "false"
	case ir.KindNum:
		return "0.0"
	}
	return "0"
}

// Conditions. Operands are atoms or in parentheses, and so are the results.

func and(xs ...string) string { return joined(" && ", "true", "false", xs) }

func or(xs ...string) string { return joined(" || ", "false", "true", xs) }

// joined leaves out the neutral element, and gives the one that decides.
func joined(op, neutral, decides string, xs []string) string {
	var list []string
	for _, x := range xs {
		if x == decides {
			return decides
		}
		if x != neutral && !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	switch len(list) {
	case 0:
		return neutral
	case 1:
		return list[0]
	}
	return "(" + strings.Join(list, op) + ")"
}

func not(x string) string {
	switch {
	case x == "true":
		return "false"
	case x == "false":
		return "true"
	case strings.HasPrefix(x, "!"):
		return x[1:]
	}
	return "!" + x
}

func implies(a, b string) string {
	switch {
	case a == "true":
		return b
	case a == "false" || b == "true":
		return "true"
	case b == "false":
		return not(a)
	}
	return "(" + a + " ==> " + b + ")"
}

func cond(c, a, b string) string {
	switch {
	case c == "true" || a == b:
		return a
	case c == "false":
		return b
	}
	return "(if " + c + " then " + a + " else " + b + ")"
}

// equal compares two values; what is the same text is equal.
func equal(a, b string) string {
	if a == b {
		return "true"
	}
	return "(" + a + " == " + b + ")"
}

// bare strips the outer parentheses, which quantifiers need.
func bare(s string) string {
	if !strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") {
		return s
	}
	for _, binder := range []string{"(exists ", "(forall ", "(lambda "} {
		if strings.HasPrefix(s, binder) {
			return s
		}
	}
	depth := 0
	for i, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(s)-1 {
				return s
			}
		}
	}
	return s[1 : len(s)-1]
}
