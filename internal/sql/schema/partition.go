package schema

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Partitioning says which rows fit into the partitions of a table.
type Partitioning struct {
	Spec *pg.PartitionSpec
	Text *syntax.Text
	// Bounds are those of the partitions, whole that there is one for each row, and
	// deep that a partition has partitions itself.
	Bounds      []PartitionBound
	Whole, Deep bool
}

// PartitionBound says which rows a partition takes.
type PartitionBound struct {
	Spec *pg.PartitionBoundSpec
	Text *syntax.Text
}

// Column gives the only column that the rows are partitioned by, if it is one.
func (p *Partitioning) Column() (name string, ok bool) {
	if len(p.Spec.PartParams) != 1 {
		return "", false
	}
	e := pg.Inner(p.Spec.PartParams[0]).(*pg.PartitionElem)
	return e.Name, e.Name != ""
}

// Columns gives the columns that an UPDATE must set for a row to change its partition,
// nil if any may.
func (p *Partitioning) Columns() []string {
	var out []string
	for _, n := range p.Spec.PartParams {
		e := pg.Inner(n).(*pg.PartitionElem)
		if e.Name == "" {
			return nil
		}
		out = append(out, e.Name)
	}
	return out
}

// Open reports whether there may be a row that fits into no partition. Where none is
// declared, they are made elsewhere.
func (p *Partitioning) Open() bool {
	return p != nil && !p.Whole && len(p.Bounds) > 0 && p.Spec.Strategy != pg.PartitionHash
}
