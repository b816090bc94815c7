package query

import (
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// Dest is a local that takes a value.
type Dest struct {
	Local string
	T     schema.Type
}

// Sink says where the rows of a statement go.
type Sink struct {
	Kind sinkKind
	// Dests gives the locals for the columns of a row, one per column; a
	// column whose local is "" is dropped. rest are set to NULL. It may be called several
	// times, and gives the same locals then.
	Dests func(cols []Column) (list []Dest, rest []Dest)
	// Strict says that there must be a row, whole that all rows are fetched where one is
	// taken: a client gets all that the server sends.
	Strict, Whole bool
	// Rows takes the rows of IntoRows.
	Rows *RowSink
}

type sinkKind uint8

const (
	// Discard drops the rows.
	Discard sinkKind = iota
	// IntoLocals takes one row, or NULLs.
	IntoLocals
	// ToClient returns all rows.
	ToClient
	// IntoRows puts all rows in one value.
	IntoRows
)

const (
	NoData      = "P0002"
	TooManyRows = "P0003"
	Cardinality = "21000"
)

// AtMostOne makes it an error that q has several rows.
func (b *Draft) AtMostOne(q ir.Query, pos ir.Pos, state string) {
	n := b.Local("count", schema.TInt)
	b.Emit(&ir.Select{At: At(pos), Into: []string{n}, Aggs: []ir.Agg{{Fn: "count", Type: ir.IntType}}, Query: q})
	b.Require(pos, ir.Op(ir.Le, ir.V(n), ir.C(ir.Int(1))), state)
}

// SingleRow reports whether a query over one table fixes a whole key.
func (b *Draft) SingleRow(q ir.Query) bool {
	return len(q.From) == 1 && FixesKey(q.From[0].Table, q.From[0].Row, q.Where, nil)
}

// FixesKey reports whether where says that the columns of the primary key, or
// of a total unique key, equal values that depend on no row but those of others.
func FixesKey(t *ir.Table, row string, where ir.Expr, others map[string]bool) bool {
	fixed := fixedColumns(row, where, others)
	all := func(cols []int) bool {
		for _, c := range cols {
			if !fixed[t.Columns[c].Name] {
				return false
			}
		}
		return len(cols) > 0
	}
	if all(t.Key) {
		return true
	}
	for _, u := range t.Uniques {
		if u.Where == nil && all(u.Columns) {
			return true
		}
	}
	return false
}

// fixedColumns are the columns of a row that where says to equal values which
// depend on no row but those of others.
func fixedColumns(row string, where ir.Expr, others map[string]bool) map[string]bool {
	out := map[string]bool{}
	for _, c := range ir.Conjuncts(where) {
		eq, ok := c.(*ir.Binary)
		if !ok || eq.Op != ir.Eq {
			continue
		}
		for _, side := range [][2]ir.Expr{{eq.X, eq.Y}, {eq.Y, eq.X}} {
			if col, ok := side[0].(*ir.Col); ok && col.Row == row && RowFree(side[1], others) {
				out[col.Col] = true
			}
		}
	}
	return out
}
