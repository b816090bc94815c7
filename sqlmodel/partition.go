package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// A partitioned table is one table here. That a row fits into one of its partitions is no
// check of the model, since more partitions may be made later: a proof must hold with them
// as well. An ir.Dropped stands beside the insertion of a row that fits into none of those
// that are declared.

const noPartition = "the error of a row that fits into no partition which is declared"

// unplaced marks that a row of t may fit into no partition.
func (b *Writer) unplaced(pos ir.Pos, t *schema.Table, row *query.RowSource) {
	if !t.Partitions.Open() {
		return
	}
	fits, ok := b.fits(t, row)
	if !ok {
		b.mayRefuse(pos, noPartition, t)
		return
	}
	b.Emit(&ir.If{At: query.At(pos), Cond: ir.NotE(ir.Op(ir.Is, fits, ir.C(ir.Bool(true)))), Then: b.Collect(func() { b.mayRefuse(pos, noPartition, t) })})
}

// fits is the condition that a row fits into a partition, where it can be told.
func (b *Writer) fits(t *schema.Table, row *query.RowSource) (cond ir.Expr, ok bool) {
	p := t.Partitions
	name, one := p.Column()
	if !one || p.Deep {
		return nil, false
	}
	value := row.Col(name).Val()
	_, ok = b.Attempt(func() {
		cond = ir.C(ir.Bool(false))
		for _, bound := range p.Bounds {
			x := &query.Place{App: b.App, Draft: b.Draft, Text: bound.Text}
			inside := ir.Expr(nil)
			limit := func(list []*pg.Node, op string) {
				if len(list) != 1 {
					x.Unmodelled("a bound of this form")
				}
				if c, is := pg.Inner(list[0]).(*pg.ColumnRef); is {
					if word := strings.ToLower(syntax.Qualified(syntax.Names(c.Fields))); word == "minvalue" || word == "maxvalue" {
						return
					}
				}
				inside = ir.AndE(inside, x.Compare(op, value, x.Expr(list[0]), bound.Spec.Location).Expr)
			}
			if p.Spec.Strategy == pg.PartitionRange {
				limit(bound.Spec.Lowerdatums, ">=")
				limit(bound.Spec.Upperdatums, "<")
				cond = ir.OrE(cond, ir.AndE(query.IsNotNull(value.Expr), inside))
				continue
			}
			for _, n := range bound.Spec.Listdatums {
				if v := x.Expr(n); v.IsNull() {
					cond = ir.OrE(cond, &ir.Unary{Op: ir.IsNull, X: value.Expr})
				} else {
					cond = ir.OrE(cond, x.Compare("=", value, v, bound.Spec.Location).Expr)
				}
			}
		}
	})
	return cond, ok
}
