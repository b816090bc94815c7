package witness

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// who names the transaction that committed in place i.
func (b *builder) who(i int) string { return b.w.Who(b.labels[i]) }

// snapshot is the state that the transaction in place i reads.
func (b *builder) snapshot(i int) *interp.DB {
	if b.snapshots != nil {
		return b.snapshots[i]
	}
	return b.x.Versions[b.x.Txns[i].Snapshot]
}

// edges describes a cycle.
func (b *builder) edges(cycle []dependency) []Edge {
	out := []Edge{}
	for _, d := range cycle {
		e := Edge{From: b.labels[d.From], To: b.labels[d.To], Type: d.kind.String(), Text: b.words(d),
			FromName: b.x.Txns[d.From].Run.Inst.Txn.Name, ToName: b.x.Txns[d.To].Run.Inst.Txn.Name}
		if d.kind == depSO {
			e.FromPosition = position(b.x.Txns[d.From].Run.Inst.Txn.Pos)
			e.ToPosition = position(b.x.Txns[d.To].Run.Inst.Txn.Pos)
			out = append(out, e)
			continue
		}
		t := b.e.Program.Tables[d.Table]
		e.Table = t.Name
		for _, c := range d.Cols {
			e.Columns = append(e.Columns, t.Columns[c].Name)
		}
		e.FromPosition, e.ToPosition = position(d.Read.Position()), position(d.Write.Position())
		if d.kind == depWR {
			e.FromPosition, e.ToPosition = e.ToPosition, e.FromPosition
		}
		out = append(out, e)
	}
	return out
}

// words says what a dependency is about.
func (b *builder) words(d dependency) string {
	from, to := b.who(d.From), b.who(d.To)
	switch d.kind {
	case depSO:
		return fmt.Sprintf("%s runs before %s in the same session", from, to)
	case depCO:
		return d.words
	}
	t := b.e.Program.Tables[d.Table]
	row := d.New
	if row == nil {
		row = d.Old
	}
	name := rowName(t, row)
	switch d.kind {
	case depRW:
		switch {
		case d.Cols != nil:
			return fmt.Sprintf("%s read %s before %s %s", from, b.readValues(d, t), to, setTo(t, d))
		case d.Old == nil:
			return fmt.Sprintf("%s looked for rows of %s before %s inserted %s", from, b.condition(d.From, d.Read, t), to, name)
		case d.New == nil:
			return fmt.Sprintf("%s read %s before %s deleted it", from, name, to)
		}
		return fmt.Sprintf("%s looked for rows of %s before %s changed %s", from, b.condition(d.From, d.Read, t), to, changes(t, d.Old, d.New, changed(d)))
	case depWR:
		switch {
		case d.Cols != nil:
			return fmt.Sprintf("%s %s, and %s read that", from, setCells(t, d), to)
		case d.Old == nil:
			return fmt.Sprintf("%s inserted %s, and %s saw it", from, name, to)
		case d.New == nil:
			return fmt.Sprintf("%s deleted %s, and %s no longer saw it", from, name, to)
		}
		return fmt.Sprintf("%s changed %s, and %s saw that", from, changes(t, d.Old, d.New, changed(d)), to)
	case depWW:
		switch {
		case d.Old == nil:
			return fmt.Sprintf("%s wrote %s before %s inserted it again", from, name, to)
		case d.New == nil:
			return fmt.Sprintf("%s wrote %s before %s deleted it", from, name, to)
		}
		return fmt.Sprintf("%s wrote %s before %s wrote it too", from, name, to)
	}
	panic(fmt.Sprintf("witness: unknown dependency %d", d.kind))
}

// condition is a table with the condition of a read: enrolled where c_id = 1.
func (b *builder) condition(i int, read ir.Stmt, t *ir.Table) string {
	if where := b.where[i][read]; where != "" {
		return t.Name + " where " + where
	}
	return t.Name
}

// readValues gives what the reader of an RW found: saving(1).bal = 0.
func (b *builder) readValues(d dependency, t *ir.Table) string {
	old := d.Old
	for _, r := range b.snapshot(d.From).Rows(d.Table) {
		if keyOf(t, r) == keyOf(t, d.Old) {
			old = r
		}
	}
	return cells(t, old, d.Cols)
}

// setTo says what a write made of columns that the sentence has named.
func setTo(t *ir.Table, d dependency) string {
	if len(d.Cols) == 1 {
		return "set it to " + readable(t, d.Cols[0], d.New[d.Cols[0]])
	}
	parts := make([]string, len(d.Cols))
	for i, c := range d.Cols {
		parts[i] = t.Columns[c].Name + " = " + readable(t, c, d.New[c])
	}
	return "set " + strings.Join(parts, ", ")
}

func setCells(t *ir.Table, d dependency) string {
	if len(d.Cols) == 1 {
		return "set " + cell(t, d.New, d.Cols[0]) + " to " + readable(t, d.Cols[0], d.New[d.Cols[0]])
	}
	return "set " + cells(t, d.New, d.Cols)
}

// changed gives the columns that a write of a dependency changed.
func changed(d dependency) []int {
	var out []int
	for c := range d.New {
		if d.Old[c] != d.New[c] {
			out = append(out, c)
		}
	}
	return out
}
