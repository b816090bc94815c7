package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Where a row r of a table or of a composite type has no column f, r.f is the call f(r)
// (PostgreSQL manual, 8.16.5).

// attributeCall is r.f as the call of a function with the row; ok is false if there is none.
func (x *ex) attributeCall(row *pg.Node, name string, loc int32) (v val, ok bool) {
	if !x.l.OfRows(name) {
		return val{}, false
	}
	if _, plain := pg.Inner(row).(*pg.ColumnRef); !plain {
		x.unmodelled("the function %s of a row, written as its field", name)
	}
	if !x.expr(row).record {
		x.unmodelled("the function %s of a row that has the name of a column", name)
	}
	return x.call(&pg.FuncCall{Funcname: []*pg.Node{pg.StringNode(name)}, Args: []*pg.Node{row}, Location: loc}), true
}

// attributeOf is a name of several parts as a call, if the row has no such column or field.
func (x *ex) attributeOf(parts []string, loc int32) (v val, ok bool) {
	n := len(parts) - 1
	if n < 1 || !x.l.OfRows(parts[n]) {
		return val{}, false
	}
	if s := x.sourceNamed(parts[:n]); s != nil {
		if s.col(parts[n]) != nil {
			return val{}, false
		}
	} else if x.f == nil || !x.f.sqlLang { // PL/pgSQL takes (r).f only
		return val{}, false
	} else if r, field := x.f.scope.find(parts); r == nil || field != nil || !r.isRecord || r.lost || len(r.fields) == 0 || parts[n] == r.name {
		return val{}, false
	}
	return x.attributeCall(pg.ColumnNode(slices.Clone(parts[:n]), loc), parts[n], loc)
}

// wholeRows gives arguments where r.* stands for the row r.
func wholeRows(args []*pg.Node) []*pg.Node {
	out := slices.Clone(args)
	for i, n := range out {
		if c, ok := pg.Inner(n).(*pg.ColumnRef); ok && len(c.Fields) > 1 && syntax.IsStar(c.Fields[len(c.Fields)-1]) {
			out[i] = pg.ColumnNode(syntax.Names(c.Fields), c.Location)
		}
	}
	return out
}
