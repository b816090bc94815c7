package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// A partitioned table is one table here. That a row fits into one of its partitions is no
// check of the model, since more partitions may be made later: a proof must hold with them
// as well. An ir.Dropped stands beside the insertion of a row that fits into none of those
// that are declared.

// partitioning says which rows fit into the partitions of a table.
type partitioning struct {
	spec *pg.PartitionSpec
	text *syntax.Text
	// bounds are those of the partitions, whole that there is one for each row, and
	// deep that a partition has partitions itself.
	bounds      []partitionBound
	whole, deep bool
}

type partitionBound struct {
	spec *pg.PartitionBoundSpec
	text *syntax.Text
}

// addPartition adds a partition that is declared.
func (l *Schema) addPartition(tab *table, deep bool, s *pg.CreateStmt, t *syntax.Text) {
	if tab == nil || tab.partitions == nil {
		return
	}
	p := tab.partitions
	p.whole = p.whole || s.Partbound.IsDefault
	p.deep = p.deep || s.Partspec != nil || deep
	p.bounds = append(p.bounds, partitionBound{s.Partbound, t})
}

// column gives the only column that the rows are partitioned by, if it is one.
func (p *partitioning) column() (name string, ok bool) {
	if len(p.spec.PartParams) != 1 {
		return "", false
	}
	e := pg.Inner(p.spec.PartParams[0]).(*pg.PartitionElem)
	return e.Name, e.Name != ""
}

// columns gives the columns that an UPDATE must set for a row to change its partition,
// nil if any may.
func (p *partitioning) columns() []string {
	var out []string
	for _, n := range p.spec.PartParams {
		e := pg.Inner(n).(*pg.PartitionElem)
		if e.Name == "" {
			return nil
		}
		out = append(out, e.Name)
	}
	return out
}

// open reports whether there may be a row that fits into no partition. Where none is
// declared, they are made elsewhere.
func (p *partitioning) open() bool {
	return p != nil && !p.whole && len(p.bounds) > 0 && p.spec.Strategy != pg.PartitionHash
}

const noPartition = "the error of a row that fits into no partition which is declared"

// unplaced marks that a row of t may fit into no partition.
func (b *builder) unplaced(pos ir.Pos, t *table, row *rowSource) {
	if !t.partitions.open() {
		return
	}
	fits, ok := b.fits(t, row)
	if !ok {
		b.mayRefuse(pos, noPartition, t)
		return
	}
	b.emit(&ir.If{At: at(pos), Cond: ir.NotE(ir.Op(ir.Is, fits, ir.C(ir.Bool(true)))), Then: b.collect(func() { b.mayRefuse(pos, noPartition, t) })})
}

// fits is the condition that a row fits into a partition, where it can be told.
func (b *builder) fits(t *table, row *rowSource) (cond ir.Expr, ok bool) {
	p := t.partitions
	name, one := p.column()
	if !one || p.deep {
		return nil, false
	}
	value := row.col(name).val()
	_, ok = b.attempt(func() {
		cond = ir.C(ir.Bool(false))
		for _, bound := range p.bounds {
			x := &ex{l: b.l, b: b, text: bound.text}
			inside := ir.Expr(nil)
			limit := func(list []*pg.Node, op string) {
				if len(list) != 1 {
					x.unmodelled("a bound of this form")
				}
				if c, is := pg.Inner(list[0]).(*pg.ColumnRef); is {
					if word := strings.ToLower(syntax.Qualified(syntax.Names(c.Fields))); word == "minvalue" || word == "maxvalue" {
						return
					}
				}
				inside = ir.AndE(inside, x.compare(op, value, x.expr(list[0]), bound.spec.Location).e)
			}
			if p.spec.Strategy == pg.PartitionRange {
				limit(bound.spec.Lowerdatums, ">=")
				limit(bound.spec.Upperdatums, "<")
				cond = ir.OrE(cond, ir.AndE(isNotNull(value.e), inside))
				continue
			}
			for _, n := range bound.spec.Listdatums {
				if v := x.expr(n); v.isNull() {
					cond = ir.OrE(cond, &ir.Unary{Op: ir.IsNull, X: value.e})
				} else {
					cond = ir.OrE(cond, x.compare("=", value, v, bound.spec.Location).e)
				}
			}
		}
	})
	return cond, ok
}
