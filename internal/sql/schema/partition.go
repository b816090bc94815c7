package schema

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// partitioning says which rows fit into the partitions of a table.
type partitioning struct {
	Spec *pg.PartitionSpec
	text *syntax.Text
	// Bounds are those of the partitions, whole that there is one for each row, and
	// deep that a partition has partitions itself.
	Bounds      []partitionBound
	whole, Deep bool
}

type partitionBound struct {
	Spec *pg.PartitionBoundSpec
	Text *syntax.Text
}

// addPartition adds a partition that is declared.
func (l *Schema) addPartition(tab *Table, deep bool, s *pg.CreateStmt, t *syntax.Text) {
	if tab == nil || tab.Partitions == nil {
		return
	}
	p := tab.Partitions
	p.whole = p.whole || s.Partbound.IsDefault
	p.Deep = p.Deep || s.Partspec != nil || deep
	p.Bounds = append(p.Bounds, partitionBound{s.Partbound, t})
}

// Column gives the only column that the rows are partitioned by, if it is one.
func (p *partitioning) Column() (name string, ok bool) {
	if len(p.Spec.PartParams) != 1 {
		return "", false
	}
	e := pg.Inner(p.Spec.PartParams[0]).(*pg.PartitionElem)
	return e.Name, e.Name != ""
}

// Columns gives the columns that an UPDATE must set for a row to change its partition,
// nil if any may.
func (p *partitioning) Columns() []string {
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
func (p *partitioning) Open() bool {
	return p != nil && !p.whole && len(p.Bounds) > 0 && p.Spec.Strategy != pg.PartitionHash
}
