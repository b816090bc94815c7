package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// The system column ctid says where the version of a row is that the snapshot shows. Within one statement it tells the
// rows of a table apart just as their key does, which stands for it. A statement that does more with it than to compare it
// with the ctid of another row is not modelled: the place changes with each update of the row.

// isCtid reports whether an expression is a ctid.
func isCtid(n *pg.Node) bool {
	c, ok := pg.Inner(n).(*pg.ColumnRef)
	if !ok || len(c.Fields) == 0 {
		return false
	}
	s, ok := pg.Inner(c.Fields[len(c.Fields)-1]).(*pg.String)
	return ok && s.Sval == "ctid"
}

// ctid is the place of a row of a source.
func (s *rowSource) ctid() val {
	keys := keysOf([]ir.Source{s.irSource()})
	if len(keys) == 1 {
		t := s.table.IR
		return val{e: keys[0], t: schema.Type{IR: t.Columns[t.Key[0]].Type, Name: schema.TidPrefix + s.table.RowType}, nn: true}
	}
	return val{e: &ir.Call{Name: ir.RowFn, Args: keys, Type: ir.OpaqueType}, t: schema.Opaque(schema.TidPrefix + s.table.RowType), nn: true}
}

// tidOf gives the translator for an expression that is compared with a ctid.
func (x *ex) tidOf() *ex {
	y := *x
	y.tid = true
	return &y
}

// compareTids is = of two places of rows; ok is false where neither side is a ctid.
func (x *ex) compareTids(op string, e *pg.A_Expr) (v val, ok bool) {
	if !isCtid(e.Lexpr) && !isCtid(e.Rexpr) {
		return val{}, false
	}
	y := x.tidOf()
	l, r := y.expr(e.Lexpr), y.expr(e.Rexpr)
	return x.sameTid(op, l, r), true
}

// sameTid compares two places of rows.
func (x *ex) sameTid(op string, l, r val) val {
	if op != "=" || !l.t.IsTid() || l.t.Name != r.t.Name {
		panic(schema.Unmodelled{Reason: "the system column ctid in this place"})
	}
	a, rows := l.e.(*ir.Call)
	b, other := r.e.(*ir.Call)
	if !rows || !other || a.Name != ir.RowFn || b.Name != ir.RowFn {
		return val{e: ir.Op(ir.Eq, l.e, r.e), t: schema.TBool, nn: l.nn && r.nn}
	}
	var out ir.Expr
	for i := range a.Args {
		out = ir.AndE(out, ir.Op(ir.Eq, a.Args[i], b.Args[i]))
	}
	return val{e: out, t: schema.TBool, nn: true}
}

// noTid refuses a ctid where it is not compared with another one.
func (x *ex) noTid(t schema.Type) {
	if t.IsTid() && !x.tid {
		panic(schema.Unmodelled{Reason: "the system column ctid in this place"})
	}
}
