package draws

import (
	"fmt"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
)

// call gives the places whose values a call may give.
func (sc *scope) call(e *ir.Call) []*place {
	switch {
	case e.Type.Kind == ir.KindBool || e.Name == "len":
		return nil
	case e.Def != nil:
		return sc.derive(e)
	case e.Name == irnames.RowFn:
		row := &place{}
		for i, a := range e.Args {
			for _, n := range sc.carried(a) {
				row.field(i).join(n)
			}
		}
		return []*place{row}
	case e.Name == "elem":
		return sc.carried(e.Args[0])
	}
	if i, ok := e.Field(); ok {
		return fieldOf(sc.carried(e.Args[0]), i)
	}
	var out []*place
	for _, a := range e.Args {
		for _, n := range sc.carried(a) {
			n.lump()
			out = append(out, n)
		}
	}
	return computed(out)
}

// fieldOf gives a field of rows.
func fieldOf(rows []*place, i int) []*place {
	out := make([]*place, len(rows))
	for k, n := range rows {
		out[k] = n.field(i)
	}
	return out
}

// derive gives the places of what a derivation gives.
func (sc *scope) derive(c *ir.Call) []*place {
	cols := sc.within(c).rel(c.Def.Rel)
	switch c.Def.Want {
	case ir.WantRows, ir.WantList, ir.WantFirst:
		row := &place{}
		for i, col := range cols {
			for _, n := range col {
				row.field(i).join(n)
			}
		}
		return []*place{row}
	case ir.WantValue, ir.WantArray:
		return cols[0]
	case ir.WantAny, ir.WantMany, ir.WantCount:
		return nil
	}
	panic("ir: unknown want " + c.Def.Want.String())
}

// within gives the scope inside of a derivation.
func (sc *scope) within(c *ir.Call) *scope {
	in := &scope{f: sc.f, txn: sc.txn, params: map[string][]*place{}}
	for i, p := range c.Def.Params {
		in.params[p.Name] = sc.carried(c.Args[i])
	}
	return in
}

// rel gives the places of the columns of a relation.
func (sc *scope) rel(r ir.Rel) [][]*place {
	var out [][]*place
	switch r := r.(type) {
	case *ir.Given:
		for i := range r.Cols {
			out = append(out, fieldOf(sc.params[r.Param], i))
		}
	case *ir.Elems:
		if r.Array != nil {
			return [][]*place{sc.carried(r.Array), nil}
		}
		return [][]*place{append(slices.Clone(sc.carried(r.Lo)), sc.carried(r.Hi)...), nil}
	case *ir.Project:
		in := sc.from(r.From)
		for _, c := range r.Cols {
			out = append(out, in.carried(c.Expr))
		}
	case *ir.Group:
		in := sc.from(r.From)
		for _, c := range r.Keys {
			out = append(out, in.carried(c.Expr))
		}
		for _, a := range r.Aggs {
			var arg []*place
			if carries(a.Agg) {
				arg = in.carried(a.Arg)
			}
			out = append(out, arg)
		}
	case *ir.SetOp:
		out = sc.rel(r.L)
		in, row := sc.again(r, out)
		for i, col := range in.rel(r.R) {
			for _, n := range col {
				row.field(i).join(n)
			}
			out[i] = append(slices.Clone(out[i]), col...)
		}
	default:
		panic(fmt.Sprintf("ir: unknown relation %T", r))
	}
	return out
}

// again gives the scope on the right of a set operation, with the rows of the rounds if it is recursive.
func (sc *scope) again(r *ir.SetOp, cols [][]*place) (*scope, *place) {
	row := &place{}
	if r.Again == "" {
		return sc, row
	}
	for i, col := range cols {
		for _, n := range col {
			row.field(i).join(n)
		}
	}
	in := *sc
	in.params = maps.Clone(sc.params)
	in.params[r.Again] = []*place{row}
	return &in, row
}

// from adds the row variables of a FROM list.
func (sc *scope) from(f ir.From) *scope {
	switch f := f.(type) {
	case nil:
		return sc
	case *ir.Leaf:
		in := *sc
		if in.cols = maps.Clone(sc.cols); in.cols == nil {
			in.cols = map[string]map[string][]*place{}
		}
		of, names := map[string][]*place{}, ir.Columns(f.Rel)
		for i, places := range sc.rel(f.Rel) {
			of[names[i].Name] = places
		}
		in.cols[f.Row] = of
		return &in
	case *ir.Join:
		return sc.from(f.L).from(f.R)
	}
	panic(fmt.Sprintf("ir: unknown FROM %T", f))
}

// relWalk looks at what is in a relation, with the scope of each part.
type relWalk struct {
	expr    func(*scope, ir.Expr)
	ordered func(*scope, []ir.Order)
	agg     func(*scope, ir.Agg)
}

func (w *relWalk) opt(sc *scope, list ...ir.Expr) {
	for _, e := range list {
		if e != nil {
			w.expr(sc, e)
		}
	}
}

func (w *relWalk) rel(sc *scope, r ir.Rel) {
	switch r := r.(type) {
	case *ir.Given:
	case *ir.Elems:
		w.opt(sc, r.Array, r.Lo, r.Hi)
	case *ir.Project:
		in := w.from(sc, r.From)
		for _, c := range r.Cols {
			w.expr(in, c.Expr)
		}
		w.opt(in, r.Where)
		w.opt(in, r.On...)
		w.opt(sc, r.Limit, r.Offset)
		for _, by := range r.Order {
			w.expr(in, by.Expr)
		}
		w.ordered(in, r.Order)
	case *ir.Group:
		in := w.from(sc, r.From)
		w.opt(in, r.Where)
		for _, c := range r.Keys {
			w.expr(in, c.Expr)
		}
		for _, a := range r.Aggs {
			w.opt(in, a.Arg)
			w.agg(in, a.Agg)
		}
	case *ir.SetOp:
		w.rel(sc, r.L)
		in, _ := sc.again(r, sc.rel(r))
		w.rel(in, r.R)
	default:
		panic(fmt.Sprintf("ir: unknown relation %T", r))
	}
}

// from looks at a FROM list and gives the scope behind it.
func (w *relWalk) from(sc *scope, f ir.From) *scope {
	switch f := f.(type) {
	case nil:
		return sc
	case *ir.Leaf:
		w.rel(sc, f.Rel)
		return sc.from(f)
	case *ir.Join:
		in := w.from(w.from(sc, f.L), f.R)
		w.opt(in, f.On)
		return in
	}
	panic(fmt.Sprintf("ir: unknown FROM %T", f))
}
