package weak

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// cell is what one transaction may read and another one write: a column of rows of a table, or
// with the column there whether they exist.
type cell struct {
	table *ir.Table
	col   int
	// key names the one row, "" if there may be several. In one transaction, equal names mean
	// one row; in two, only those of constants do.
	key      string
	constant bool // the name is one of constants
}

// meets reports whether cells of two transactions may be one.
func (c cell) meets(o cell) bool {
	return c.table == o.table && c.col == o.col && (!c.constant || !o.constant || c.key == o.key)
}

// touched is what a transaction may read and write, as far as its text tells.
type touched struct {
	reads, writes []cell
	// must are the rows that it writes whenever it commits and has found them. Rows in made it
	// also writes if they were not there. The values are names of rows.
	must, made map[*ir.Table]map[string]bool
	// updates are the sets of columns that it writes at once, by table: those of each UPDATE,
	// and of each ON CONFLICT.
	updates map[*ir.Table][]map[int]bool
}

// together reports whether who writes a column of a row writes another one of it, too.
func (t *touched) together(table *ir.Table, col, other int) bool {
	for _, cols := range t.updates[table] {
		if cols[col] && !cols[other] {
			return false
		}
	}
	return true // who inserts or deletes writes all of the row
}

// footprint collects what a transaction touches.
type footprint struct {
	fixed map[string]bool // the parameters that nobody assigns
	out   touched
}

func touchedBy(t *ir.Txn) *touched {
	f := &footprint{fixed: map[string]bool{}}
	f.out.updates = map[*ir.Table][]map[int]bool{}
	f.out.must, f.out.made = map[*ir.Table]map[string]bool{}, map[*ir.Table]map[string]bool{}
	for _, p := range t.Params {
		f.fixed[p.Name] = true
	}
	ir.Walk(t.Body, func(s ir.Stmt) {
		for _, name := range ir.Assigned(s) {
			delete(f.fixed, name)
		}
	})
	ir.Walk(t.Body, f.statement)
	f.certain(t.Body)
	return &f.out
}

func (f *footprint) read(c cell) {
	if !slices.Contains(f.out.reads, c) {
		f.out.reads = append(f.out.reads, c)
	}
}

func (f *footprint) write(c cell) {
	if !slices.Contains(f.out.writes, c) {
		f.out.writes = append(f.out.writes, c)
	}
}

// statement adds what a statement itself touches.
func (f *footprint) statement(s ir.Stmt) {
	sources := ir.Reads(s)
	at := func(t *ir.Table) cell { return cell{table: t, col: there} }
	if len(sources) == 1 {
		row, _ := f.pinned(sources[0], conditionOf(s))
		if ins, is := s.(*ir.Insert); is && ins.Conflict != nil && ins.Table == sources[0].Table {
			row = f.inserted(ins)
		}
		at = func(t *ir.Table) cell {
			row.table = t
			return row
		}
	}
	for _, src := range sources {
		f.read(at(src.Table))
	}
	ir.ReadColumns(s, func(t *ir.Table, col string) {
		if c := t.Column(col); c >= 0 && !t.IsKey(c) { // the columns of a key change with the row only
			x := at(t)
			x.col = c
			f.read(x)
		}
	})
	switch s := s.(type) {
	case *ir.Update:
		f.update(s, at(s.Table))
	case *ir.Delete:
		if s.Moved { // the row keeps what it had in other columns
			f.all(at(s.Table))
		}
		f.whole(at(s.Table))
	case *ir.Insert:
		row := f.inserted(s)
		if !s.Table.Rowid { // the key of such a row is new
			f.read(row)
		}
		if s.Conflict != nil { // the row that is there is read, and written
			f.all(row)
			f.at(s.Table, s.Conflict.Sets)
		}
		f.whole(row)
		f.parents(s.Table, func([]int) bool { return true })
	default: // it writes nothing
	}
}

// parents adds that foreign keys with some columns look for parents. These stay as they are
// (Beyond), so that only whether they are there yet can change.
func (f *footprint) parents(t *ir.Table, with func(cols []int) bool) {
	for i := range t.ForeignKeys {
		if fk := &t.ForeignKeys[i]; with(fk.Columns) {
			f.read(cell{table: fk.Ref, col: there})
		}
	}
}

// all adds that all columns of a row are read.
func (f *footprint) all(row cell) {
	for c := range row.table.Columns {
		row.col = c
		f.read(row)
	}
}

// at adds columns that are written at once.
func (f *footprint) at(t *ir.Table, sets []ir.Set) {
	cols := map[int]bool{}
	for _, set := range sets {
		cols[set.Col] = true
	}
	f.out.updates[t] = append(f.out.updates[t], cols)
}

// update adds the columns that an UPDATE sets, and the columns that its CHECKs look at.
func (f *footprint) update(s *ir.Update, row cell) {
	f.at(s.Table, s.Sets)
	for _, set := range s.Sets {
		row.col = set.Col
		f.write(row)
		f.parents(s.Table, func(cols []int) bool { return slices.Contains(cols, set.Col) })
	}
	for i := range s.Table.Checks {
		ir.WalkExpr(s.Table.Checks[i].Expr, func(e ir.Expr) {
			if c, is := e.(*ir.Col); is {
				if row.col = s.Table.Column(c.Col); row.col >= 0 && !s.Table.IsKey(row.col) {
					f.read(row)
				}
			}
		})
	}
}

// whole adds that a row is made or removed.
func (f *footprint) whole(row cell) {
	row.col = there
	f.write(row)
	for c := range row.table.Columns {
		row.col = c
		f.write(row)
	}
}

// conditionOf is the condition of a statement with a single source, or nil.
func conditionOf(s ir.Stmt) ir.Expr {
	switch s := s.(type) {
	case *ir.Select:
		return s.Query.Where
	case *ir.EmitRows:
		return s.Query.Where
	case *ir.Foreach:
		return s.Query.Where
	case *ir.Update:
		return s.Where
	case *ir.Delete:
		return s.Where
	default:
		return nil
	}
}

// pinned names the row that a condition fixes by its whole key. only says that it asks for
// nothing else.
func (f *footprint) pinned(src ir.Source, where ir.Expr) (row cell, only bool) {
	row = cell{table: src.Table, col: there}
	if src.Table.Var {
		row.key, row.constant = src.Table.Name, true
		return row, where == nil
	}
	values, parts := map[int]ir.Expr{}, ir.Conjuncts(where)
	for _, c := range parts {
		eq, is := c.(*ir.Binary)
		if !is || eq.Op != ir.Eq {
			continue
		}
		for _, side := range [][2]ir.Expr{{eq.X, eq.Y}, {eq.Y, eq.X}} {
			if col, is := side[0].(*ir.Col); is && col.Row == src.Row && src.Table.IsKey(src.Table.Column(col.Col)) {
				values[src.Table.Column(col.Col)] = side[1]
			}
		}
	}
	var list []ir.Expr
	for _, k := range src.Table.Key {
		if values[k] == nil {
			return row, false
		}
		list = append(list, values[k])
	}
	row.key, row.constant = f.name(list)
	return row, row.key != "" && len(parts) == len(list)
}

// inserted names the row that an INSERT makes.
func (f *footprint) inserted(s *ir.Insert) cell {
	row := cell{table: s.Table, col: there}
	var list []ir.Expr
	for _, k := range s.Table.Key {
		i := slices.Index(s.Cols, k)
		if i < 0 {
			return row
		}
		list = append(list, s.Values[i])
	}
	row.key, row.constant = f.name(list)
	return row
}

// name makes a name of the values of a key, "" if they may be others each time.
func (f *footprint) name(list []ir.Expr) (name string, constant bool) {
	var parts []string
	constant = true // numbers that differ are different rows, which is not known of all texts
	for _, e := range list {
		switch e := e.(type) {
		case *ir.Const:
			constant = constant && e.Value.Kind == ir.KindInt
			parts = append(parts, fmt.Sprintf("=%d:%d:%q", e.Value.Kind, e.Value.I, e.Value.S))
		case *ir.Var:
			if !f.fixed[e.Name] {
				return "", false
			}
			constant = false
			parts = append(parts, ":"+e.Name)
		default:
			return "", false
		}
	}
	return strings.Join(parts, ","), constant && len(parts) > 0
}

// certain finds the rows that statements write on every way to the commit: those of a list that
// is not left early.
func (f *footprint) certain(list []ir.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Update:
			src := ir.Source{Table: s.Table, Row: s.Row}
			if row, only := f.pinned(src, s.Where); only {
				mark(f.out.must, row)
			}
		case *ir.Delete:
			src := ir.Source{Table: s.Table, Row: s.Row}
			if row, only := f.pinned(src, s.Where); only {
				mark(f.out.must, row)
			}
		case *ir.Insert:
			if c := s.Conflict; s.Moved == nil && (c == nil || len(c.Sets) > 0 && c.Where == nil) {
				if row := f.inserted(s); row.key != "" {
					mark(f.out.must, row)
					mark(f.out.made, row)
				}
			}
		case *ir.Block:
			if !leaves(s.Body) {
				f.certain(s.Body)
			}
		default: // it may write, or not
		}
		if leaves([]ir.Stmt{s}) {
			return
		}
	}
}

func mark(m map[*ir.Table]map[string]bool, row cell) {
	if m[row.table] == nil {
		m[row.table] = map[string]bool{}
	}
	m[row.table][row.key] = true
}

// leaves reports whether statements may end the transaction, or a block or loop.
func leaves(list []ir.Stmt) bool {
	found := false
	ir.Walk(list, func(s ir.Stmt) {
		switch s.(type) {
		case *ir.Return, *ir.Break, *ir.Continue:
			found = true
		default:
		}
	})
	return found
}
