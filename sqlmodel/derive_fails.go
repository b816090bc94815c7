package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/ir"
)

// failsForRows reports whether a relation whose rows are all fetched ends in an error exactly
// where an expression of its last step fails for a row or group: a server computes each of these
// expressions for each row that comes to it, and nothing that may fail comes before.
func failsForRows(r ir.Rel) bool {
	p, ok := r.(*ir.Project)
	if !ok || p.On != nil || p.Limit != nil || p.Offset != nil || oftenTested(p.Where) {
		return false
	}
	own := []ir.Expr{p.Where}
	for _, c := range p.Cols {
		own = append(own, c.Expr)
	}
	for _, o := range p.Order {
		own = append(own, o.Expr)
	}
	from := p.From
	if leaf, is := from.(*ir.Leaf); is {
		if g, grouped := leaf.Rel.(*ir.Group); grouped && !oftenTested(g.Where) {
			own = append(own, g.Where)
			for _, k := range g.Keys {
				own = append(own, k.Expr)
			}
			for _, a := range g.Aggs {
				own = append(own, a.Arg)
			}
			from = g.From
		}
	}
	before := &ir.Project{From: from}
	fails := false
	ir.WalkRel(before, func(e ir.Expr) { fails = fails || ir.MayFail(e) })
	return !fails && !slices.ContainsFunc(own, failsWhenPlanned)
}

// oftenTested reports whether a condition has several parts, which a server tests in an order of
// its own, and one of them may fail.
func oftenTested(where ir.Expr) bool {
	return where != nil && len(ir.Conjuncts(where)) > 1 && ir.MayFail(where)
}

// failsWhenPlanned reports whether a part of an expression may fail and is about no row: a server
// computes it when it plans.
func failsWhenPlanned(e ir.Expr) bool {
	found := false
	if e != nil {
		ir.WalkExpr(e, func(e ir.Expr) { found = found || ir.Failure(e) != nil && ir.RowFree(e) })
	}
	return found
}
