package readcommitted

import (
	"fmt"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// largest bounds the nodes of the expressions that locals are followed as.
const largest = 40

// value writes an expression over values that never change: each local stands for what it
// holds at this place.
func (st *state) value(e ir.Expr) ir.Expr {
	return ir.MapExpr(e, func(e ir.Expr) ir.Expr {
		if v, ok := e.(*ir.Var); ok && st.values[v.Name] != nil {
			return st.values[v.Name]
		}
		return e
	})
}

// renew gives a local a value of which nothing is known, and gives its name.
func (a *flow) renew(st *state, local string) string {
	a.named++
	name := fmt.Sprintf("%s#%d", local, a.named)
	st.values[local] = ir.V(name)
	return name
}

// uses notes that more than an abort depends on the values of an expression.
func (b *beliefs) uses(e ir.Expr) {
	for _, name := range namesIn(e) {
		b.used[name] = true
	}
}

// set gives a local the value of an expression without queries.
func (a *flow) set(st *state, local string, value ir.Expr) {
	nodes := 0
	ir.WalkExpr(value, func(ir.Expr) { nodes++ })
	if nodes > largest {
		st.uses(value)
		a.renew(st, local)
		return
	}
	st.values[local] = value
}

func text(e ir.Expr) string {
	if e == nil {
		return ""
	}
	return e.String()
}

// namesIn gives the values that an expression names.
func namesIn(e ir.Expr) []string {
	var out []string
	ir.WalkExpr(e, func(e ir.Expr) {
		if v, ok := e.(*ir.Var); ok {
			out = append(out, v.Name)
		}
	})
	return out
}

// free reports whether an expression is the same for all rows.
func free(e ir.Expr) bool {
	ok := true
	ir.WalkExpr(e, func(e ir.Expr) {
		_, column := e.(*ir.Col)
		_, query := e.(*ir.Exists)
		ok = ok && !column && !query
	})
	return ok
}

// fact is what is known of a value: which one it is, or only that it is not NULL, or is a number above 0.
type fact struct {
	value             ir.Value
	notNull, positive bool
}

// facts are known values by their names.
type facts map[string]fact

func is(v ir.Value) fact { return fact{value: v} }

// both is what is known in both of two cases.
func (f facts) both(o facts) facts {
	out := maps.Clone(f)
	maps.DeleteFunc(out, func(name string, is fact) bool { other, known := o[name]; return !known || is != other })
	return out
}

// contradicts reports whether a condition cannot come to what it should.
func (f facts) contradicts(cond ir.Expr, yes bool) bool {
	is, known := f.decides(cond)
	return known && is != yes
}

// decides tells what a condition comes to, if the facts say it: true, or false or NULL.
func (f facts) decides(cond ir.Expr) (yes, known bool) {
	v, ok := valueOf(cond, f)
	return v.value == ir.Bool(true), ok && !v.notNull
}

// valueOf computes an expression of values of which some are known.
func valueOf(e ir.Expr, known facts) (fact, bool) {
	switch e := e.(type) {
	case *ir.Const:
		return is(e.Value), true
	case *ir.Var:
		v, ok := known[e.Name]
		return v, ok
	case *ir.Unary:
		v, ok := valueOf(e.X, known)
		switch {
		case !ok || e.Op == ir.Neg:
			return fact{}, false
		case e.Op == ir.IsNull:
			return is(ir.Bool(!v.notNull && v.value == ir.Null)), true
		case v.notNull:
			return fact{}, false
		case v.value == ir.Null:
			return is(ir.Null), true
		}
		return is(ir.Bool(v.value != ir.Bool(true))), true
	case *ir.Binary:
		v, ok := binary(e, known)
		return is(v), ok
	case *ir.Cond:
		yes, ok := known.decides(e.If)
		switch {
		case !ok:
			return fact{}, false
		case yes:
			return valueOf(e.Then, known)
		}
		return valueOf(e.Else, known)
	case *ir.Col, *ir.Call, *ir.Exists:
		return fact{}, false
	}
	panic(fmt.Sprintf("readcommitted: unknown expression %T", e))
}

func binary(e *ir.Binary, known facts) (ir.Value, bool) {
	side := func(e ir.Expr) (ir.Value, bool) {
		v, ok := valueOf(e, known)
		return v.value, ok && !v.notNull
	}
	x, hasX := side(e.X)
	y, hasY := side(e.Y)
	if v, ok := aboveZero(e, known, x, y, hasX, hasY); ok {
		return v, true
	}
	if e.Op == ir.Or || e.Op == ir.And {
		decides := ir.Bool(e.Op == ir.Or)
		switch {
		case hasX && x == decides || hasY && y == decides:
			return decides, true
		case !hasX || !hasY:
			return ir.Null, false
		case x == ir.Null || y == ir.Null:
			return ir.Null, true
		}
		return ir.Bool(e.Op == ir.And), true
	}
	switch {
	case e.Op == ir.Is || e.Op > ir.Ge:
		return ir.Null, false
	case hasX && x == ir.Null || hasY && y == ir.Null:
		return ir.Null, true
	case !hasX || !hasY || x.Kind != ir.KindInt || y.Kind != ir.KindInt:
		return ir.Null, false
	}
	switch e.Op {
	case ir.Eq:
		return ir.Bool(x.I == y.I), true
	case ir.Ne:
		return ir.Bool(x.I != y.I), true
	case ir.Lt:
		return ir.Bool(x.I < y.I), true
	case ir.Le:
		return ir.Bool(x.I <= y.I), true
	case ir.Gt:
		return ir.Bool(x.I > y.I), true
	}
	return ir.Bool(x.I >= y.I), true
}

// mirrored are the comparisons with their sides exchanged.
var mirrored = map[ir.BinaryOp]ir.BinaryOp{ir.Eq: ir.Eq, ir.Ne: ir.Ne, ir.Lt: ir.Gt, ir.Le: ir.Ge, ir.Gt: ir.Lt, ir.Ge: ir.Le}

// aboveZero compares a number of which is only known that it is above 0 with one that is known.
func aboveZero(e *ir.Binary, known facts, x, y ir.Value, hasX, hasY bool) (ir.Value, bool) {
	above := func(e ir.Expr) bool {
		v, ok := valueOf(e, known)
		return ok && v.positive
	}
	op, k := e.Op, y
	switch {
	case hasY && !hasX && above(e.X):
	case hasX && !hasY && above(e.Y):
		op, k = mirrored[e.Op], x
	default:
		return ir.Null, false
	}
	if _, compares := mirrored[e.Op]; !compares || k.Kind != ir.KindInt || k.I > 1 {
		return ir.Null, false
	}
	switch {
	case k.I <= 0 && (op == ir.Gt || op == ir.Ge || op == ir.Ne), op == ir.Ge:
		return ir.Bool(true), true
	case k.I <= 0 && (op == ir.Lt || op == ir.Le || op == ir.Eq), op == ir.Lt:
		return ir.Bool(false), true
	}
	return ir.Null, false
}

// equals are values that columns of a row are known to be equal to, and so not NULL.
type equals map[int][]ir.Expr

func (q equals) add(col int, e ir.Expr) {
	if !slices.ContainsFunc(q[col], func(o ir.Expr) bool { return text(o) == text(e) }) {
		q[col] = append(q[col], e)
	}
}

func (q equals) addAll(o equals) {
	for c, list := range o {
		for _, e := range list {
			q.add(c, e)
		}
	}
}

// shares reports whether two rows are known to have one value in a column.
func (q equals) shares(o equals, col int) bool {
	return slices.ContainsFunc(q[col], func(x ir.Expr) bool {
		return slices.ContainsFunc(o[col], func(y ir.Expr) bool { return text(x) == text(y) })
	})
}

// without leaves columns out.
func (q equals) without(cols func(int) bool) equals {
	out := equals{}
	for c, list := range q {
		if !cols(c) {
			out[c] = list
		}
	}
	return out
}

// both is what two of them have in common.
func (q equals) both(o equals) equals {
	out := equals{}
	for c, list := range q {
		for _, e := range list {
			if slices.ContainsFunc(o[c], func(y ir.Expr) bool { return text(e) == text(y) }) {
				out.add(c, e)
			}
		}
	}
	return out
}

// keys are the unique keys of a table that are about all rows, the primary key first. Of
// the one row of a shared variable, the key has no columns.
func keys(t *ir.Table) [][]int {
	var out [][]int
	if t.Var || len(t.Key) > 0 {
		out = append(out, t.Key)
	}
	for _, u := range t.Uniques {
		if u.Where == nil && len(u.Columns) > 0 {
			out = append(out, u.Columns)
		}
	}
	return out
}

// fixed gives a key of a table of which all columns have values, so that there is one row
// at the most.
func (q equals) fixed(t *ir.Table) (key []int, one bool) {
	for _, k := range keys(t) {
		if !slices.ContainsFunc(k, func(c int) bool { return len(q[c]) == 0 }) {
			return k, true
		}
	}
	return nil, false
}

// sameRow reports whether two rows of a table, if both are there, are known to be one.
func (q equals) sameRow(t *ir.Table, o equals) bool {
	return slices.ContainsFunc(keys(t), func(k []int) bool {
		return !slices.ContainsFunc(k, func(c int) bool { return !q.shares(o, c) })
	})
}
