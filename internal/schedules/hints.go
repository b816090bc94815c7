package schedules

import (
	"math/rand"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// hints say which values make conditions of the calls true more often than values
// that are drawn without regard to them.
type hints struct {
	// wanted are the constants that a column has to be equal to.
	wanted map[place][]ir.Value
	// compared are the columns that a parameter has to be equal to, or those in
	// which an array has to have an element.
	compared map[argument][]place
	// cells and args are the variants of columns and parameters that functions are
	// applied to.
	cells map[place][]ir.Value
	args  map[argument][]ir.Value
}

// place is a column of a table, argument a parameter of a template.
type (
	place    struct{ table, col int }
	argument struct {
		txn   *ir.Txn
		param string
	}
)

// hintsOf collects the hints of the templates of the calls.
func (s *search) hintsOf(calls []*Call) hints {
	h := hints{map[place][]ir.Value{}, map[argument][]place{}, map[place][]ir.Value{}, map[argument][]ir.Value{}}
	seen := map[*ir.Txn]bool{}
	for _, c := range calls {
		if seen[c.Txn] {
			continue
		}
		seen[c.Txn] = true
		ir.Walk(c.Txn.Body, func(st ir.Stmt) { s.hint(h, c.Txn, st) })
	}
	return h
}

// hint collects the hints of a statement.
func (s *search) hint(h hints, t *ir.Txn, st ir.Stmt) {
	rows := map[string]*ir.Table{}
	for _, src := range ir.Reads(st) {
		rows[src.Row] = src.Table
	}
	placeOf := func(x ir.Expr) (at place, typ ir.Type, ok bool) {
		col, ok := x.(*ir.Col)
		if !ok || rows[col.Row] == nil || rows[col.Row].Column(col.Col) < 0 {
			return place{}, ir.Type{}, false
		}
		at = place{s.program.TableIndex(rows[col.Row]), rows[col.Row].Column(col.Col)}
		return at, rows[col.Row].Columns[at.col].Type, true
	}
	equal := func(x, y ir.Expr) {
		if at, typ, ok := placeOf(ofOne(x)); ok {
			h.equal(t, at, typ, ofOne(y))
		}
	}
	arguments(t, st, func(call *ir.Call, i int, kind ir.Kind) {
		at, _, ok := placeOf(call.Args[i])
		for _, v := range s.values.variantsFor(call, i, kind) {
			if x, is := call.Args[i].(*ir.Var); is {
				a := argument{t, x.Name}
				h.args[a] = append(h.args[a], v)
			} else if ok && ir.Fits(s.program.Tables[at.table].Columns[at.col].Domain, v) {
				h.cells[at] = append(h.cells[at], v)
			}
		}
	})
	for _, e := range ir.Exprs(st) {
		ir.WalkExpr(e, func(e ir.Expr) {
			switch e := e.(type) {
			case *ir.Binary:
				if e.Op == ir.Eq || e.Op == ir.Is {
					equal(e.X, e.Y)
					equal(e.Y, e.X)
				}
			case *ir.Call:
				if e.Name == "= any" {
					equal(e.Args[0], e.Args[1])
				}
			}
		})
	}
}

// equal notes that a condition wants a column of a type to be equal to a term.
func (h hints) equal(t *ir.Txn, at place, typ ir.Type, y ir.Expr) {
	switch y := y.(type) {
	case *ir.Const:
		if v := y.Value.Convert(typ); v.Kind == typ.Kind && !slices.Contains(h.wanted[at], v) {
			h.wanted[at] = append(h.wanted[at], v)
		}
	case *ir.Var:
		if of, _ := t.LocalType(y.Name); of.Kind != typ.Kind && of.Kind != ir.KindArray {
			return // what a function makes of them is equal
		}
		if a := (argument{t, y.Name}); !slices.Contains(h.compared[a], at) {
			h.compared[a] = append(h.compared[a], at)
		}
	}
}

// ofOne gives the column, parameter or local of an expression in which nothing else is, or
// the expression: what makes functions of two things equal is mostly that these are.
func ofOne(x ir.Expr) ir.Expr {
	var one ir.Expr
	several := false
	ir.WalkExpr(x, func(e ir.Expr) {
		if _, ok := e.(*ir.Exists); ok {
			several = true
		}
		v, isVar := e.(*ir.Var)
		c, isCol := e.(*ir.Col)
		if !isVar && !isCol {
			return
		}
		switch o := one.(type) {
		case nil:
			one = e
		case *ir.Var:
			several = several || !isVar || *v != *o
		case *ir.Col:
			several = several || !isCol || *c != *o
		default:
			panic("schedules: a leaf is a variable or a column")
		}
	})
	if one == nil || several {
		return x
	}
	return one
}

// cell draws what is in a column of a new row; v need not make any condition true.
func (h hints) cell(r *rand.Rand, at place, v ir.Value) ir.Value {
	if list := h.wanted[at]; len(list) > 0 && r.Intn(3) > 0 {
		return list[r.Intn(len(list))]
	}
	return v
}

// variant draws one of a list now and then, instead of v.
func variant(r *rand.Rand, list []ir.Value, v ir.Value) ir.Value {
	if len(list) > 0 && r.Intn(2) == 0 {
		return list[r.Intn(len(list))]
	}
	return v
}

// related draws a parameter of a call that more likely has to do with the rows
// and with the calls before; v is one that need not.
func (s *search) related(r *rand.Rand, sit *situation, t *ir.Txn, k int, v ir.Value) ir.Value {
	p := t.Params[k]
	array := p.Type.Kind == ir.KindArray
	if len(sit.calls) > 0 && r.Intn(2) == 0 && !(array && r.Intn(2) == 0) {
		last := sit.calls[len(sit.calls)-1]
		if i := slices.IndexFunc(last.Txn.Params, func(q ir.Param) bool { return q.Name == p.Name && q.Type == p.Type }); i >= 0 {
			return last.Params[i]
		}
	}
	there := s.hints.there(sit, argument{t, p.Name})
	if len(there) == 0 && p.Type.Kind == ir.KindInt {
		there = s.references(sit, p.Type)
	}
	if len(there) == 0 || r.Intn(4) == 0 {
		return v
	}
	some := there[r.Intn(len(there))]
	if !array {
		return some
	}
	if other := there[r.Intn(len(there))]; other != some && r.Intn(3) == 0 {
		return ir.Array([]ir.Value{some, other})
	}
	return ir.Array([]ir.Value{some})
}

// there gives the values in the columns that a parameter is compared with.
func (h hints) there(sit *situation, a argument) (out []ir.Value) {
	for _, at := range h.compared[a] {
		for _, row := range sit.rows[at.table] {
			if v := row[at.col]; !v.IsNull() {
				out = append(out, v)
			}
		}
	}
	return out
}

// references gives the values of a type in keys and in what refers to rows.
func (s *search) references(sit *situation, t ir.Type) (out []ir.Value) {
	for i, table := range s.program.Tables {
		if len(sit.rows[i]) == 0 {
			continue
		}
		cols := slices.Clone(table.Key)
		for _, fk := range table.ForeignKeys {
			cols = append(cols, fk.Columns...)
		}
		for _, c := range cols {
			for _, row := range sit.rows[i] {
				if table.Columns[c].Type == t && !row[c].IsNull() {
					out = append(out, row[c])
				}
			}
		}
	}
	return out
}
