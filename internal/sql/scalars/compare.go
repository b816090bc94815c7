package scalars

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// quantified gives the function x op ANY (array), or with all x op ALL (array), of an x of a type and
// an array; nil if values of these types are not compared here. op is = or an order. strict says that
// x is not NULL: of an empty array the answer does not depend on x.
func quantified(op string, all bool, x, array *value.Type, strict bool) *ir.Function {
	holds := map[string]func(int) bool{
		"=": func(c int) bool { return c == 0 },
		"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
	}[op]
	if holds == nil || x == nil || array == nil || array.Elem == nil {
		return nil
	}
	elem := array.Elem
	_, _, ints := value.IntRange(x.Name)
	_, _, sameInts := value.IntRange(elem.Name)
	if !(ints && sameInts) && x.Identifier() != elem.Identifier() {
		return nil
	}
	compare := elem.Order()
	if op == "=" && elem.Equality() != value.NoEquality {
		compare = func(a, b ir.Value) (int, error) {
			same, err := elem.Equal(a, b)
			if same {
				return 0, err
			}
			return 1, err
		}
	} else if compare == nil || elem.Labels == nil && elem.IR().Kind == ir.KindText {
		return nil // which text comes first depends on the locale
	}
	word := " any "
	if all {
		word = " all "
	}
	name := op + word + x.Identifier() + " " + array.Identifier()
	if strict {
		name += " strict"
	}
	return value.Interned(name, func() *ir.Function {
		return &ir.Function{Name: name, Strict: strict, Eval: value.EvalOf(func(a []ir.Value) (ir.Value, error) {
			if a[1].IsNull() {
				return ir.Null, nil
			}
			elems := array.Elems(a[1])
			if len(elems) > 0 && a[0].IsNull() {
				return ir.Null, nil
			}
			for _, e := range elems {
				if c, err := compare(a[0], e); err != nil || holds(c) != all {
					return ir.Bool(!all), err
				}
			}
			return ir.Bool(all), nil
		}, []*value.Type{x, array})}
	})
}

// Quantified is x op ANY (array), or with all x op ALL (array); strict says that x is not NULL. Where
// no types are given, or values of them are not compared here, it is a function of which nothing is known.
func Quantified(op string, all, strict bool, x, array *value.Type, args ...ir.Expr) ir.Expr {
	if f := quantified(op, all, x, array, strict); f != nil {
		return Computed(&ir.Call{Name: f.Name, Args: args, Type: ir.BoolType, Fn: f})
	}
	word := " any"
	if all {
		word = " all"
	}
	return &ir.Call{Name: op + word, Args: args, Type: ir.BoolType}
}

// Ranked compares a value of an enum with a label by the labels that come before it or after it:
// a list of values, of which a proof knows more than of a rank. Where not one operand is a
// label and the other a variable or a column, it gives the comparison of ranks; those of two
// variables or columns are lists as well.
func Ranked(op string, l, r ir.Expr, labels []string, ranks ir.Expr) ir.Expr {
	c, isLabel := r.(*ir.Const)
	if !isLabel {
		if c, isLabel = l.(*ir.Const); !isLabel {
			if b, is := ranks.(*ir.Binary); is && plain(l) && plain(r) {
				return ir.Op(b.Op, place(l, labels), place(r, labels))
			}
			return ranks
		}
		l, op = r, map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
	}
	if !plain(l) {
		return ranks
	}
	at := slices.Index(labels, c.Value.S)
	if at < 0 || op == "" {
		return ranks
	}
	from, to := 0, at
	if op[0] == '>' {
		from, to = at+1, len(labels)
	}
	if strings.HasSuffix(op, "=") {
		from, to = min(from, at), max(to, at+1)
	}
	if from == to { // false, or NULL
		return ir.Op(ir.Ne, l, l)
	}
	var out ir.Expr
	for _, label := range labels[from:to] {
		out = ir.OrE(out, ir.Op(ir.Eq, l, ir.C(ir.Value{Kind: c.Value.Kind, S: label})))
	}
	return out
}

// Rank is what a value is ordered by whose type has another order than the IR: the place of its label where
// it is a variable or column of an enum, else a number of which nothing is known. name is that of the type.
func Rank(e ir.Expr, t *value.Type, name string) ir.Expr {
	if t != nil && t.Labels != nil && plain(e) {
		return place(e, t.Labels)
	}
	return &ir.Call{Name: "rank of " + name, Args: []ir.Expr{e}, Type: ir.NumType}
}

// plain reports whether an expression may stand several times.
func plain(e ir.Expr) bool {
	_, local := e.(*ir.Var)
	_, column := e.(*ir.Col)
	return local || column
}

// place gives the place of a label in its enum, from 0, and NULL for NULL.
func place(e ir.Expr, labels []string) ir.Expr {
	var out ir.Expr = ir.C(ir.Null)
	for i, label := range labels {
		out = &ir.Cond{If: ir.Op(ir.Eq, e, ir.C(ir.Text(label))), Then: ir.C(ir.Int(int64(i))), Else: out}
	}
	return out
}
