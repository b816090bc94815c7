package stale

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// Kind says what a write does with what was read.
type Kind uint8

const (
	Value  Kind = iota // an UPDATE writes a value computed from it
	Check              // an UPDATE or DELETE is done because of it
	Insert             // an INSERT is
)

// Note is a write that rests on what another transaction has read.
type Note struct {
	Kind Kind
	// Root is the function that does both, by the name of its template.
	Root string
	// Write and Read are the places of the two statements.
	Write, Read ir.Pos
	Table       string
	// Columns are those of the table that the write rests on, sorted; none where it
	// rests on whether there are rows.
	Columns []string
	// Perhaps says that one of the two is sent by what may be the transaction of a context, or the database.
	Perhaps bool
	// Deletes says that the write is a DELETE, Locked that the read locked what it found.
	Deletes, Locked bool
}

// Units tells the transactions of a template apart: it names those one of which a
// statement belongs to, none where that is not known.
type Units func(t *ir.Txn, at ir.Pos) []string

// Find looks for such writes in the templates of p, which each have the statements
// of several transactions. Programs in whole are those whose statements count when
// it is asked whether a column ever changes. Notes are sorted by where the write
// stands. The error is that of ctx.
func Find(ctx context.Context, p *ir.Program, of Units, whole ...*ir.Program) ([]Note, error) {
	changes := changed(append(whole, p))
	var out []Note
	for _, t := range p.Txns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := &finder{txn: t, of: of, changes: changes, readings: map[place]*reading{}, found: map[noteKey]*Note{}}
		f.block(t.Body, &state{locals: map[string]local{}, decided: map[int]origins{}})
		out = append(out, f.notes()...)
	}
	slices.SortStableFunc(out, compare)
	return out, nil
}

func compare(a, b Note) int {
	return cmp.Or(comparePos(a.Write, b.Write), comparePos(a.Read, b.Read), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Root, b.Root))
}

func comparePos(a, b ir.Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// column is a column of a table, by their names; "" stands for all rows.
type column struct{ table, name string }

// changed gives the columns that some UPDATE sets, and the tables (with "") whose
// rows come or go.
func changed(programs []*ir.Program) map[column]bool {
	out := map[column]bool{}
	sets := func(t *ir.Table, list []ir.Set) {
		for _, x := range list {
			out[column{t.Name, t.Columns[x.Col].Name}] = true
		}
	}
	for _, p := range programs {
		for _, t := range p.Txns {
			ir.Walk(t.Body, func(s ir.Stmt) {
				switch s := s.(type) {
				case *ir.Update:
					sets(s.Table, s.Sets)
				case *ir.Insert:
					out[column{s.Table.Name, ""}] = true
					if s.Conflict != nil {
						sets(s.Table, s.Conflict.Sets)
					}
					for _, c := range s.Moved {
						out[column{s.Table.Name, s.Table.Columns[c].Name}] = true
					}
				case *ir.Delete:
					out[column{s.Table.Name, ""}] = true
				}
			})
		}
	}
	return out
}

// finder looks at one template.
type finder struct {
	txn      *ir.Txn
	of       Units
	changes  map[column]bool
	readings map[place]*reading
	targets  []*target
	names    int
	deleted  []*rows // what DELETEs were about
	// wrote are the tables that transactions have written so far.
	wrote []written
	found map[noteKey]*Note
}

// written is a table that a transaction writes.
type written struct {
	units units
	table string
}

// units are the transactions one of which a statement belongs to, none where that is not known.
type units []string

// apart reports whether two statements are certainly of different transactions.
func (u units) apart(v units) bool {
	return len(u) > 0 && len(v) > 0 && !u.meets(v)
}

// meets reports whether two statements may be of one transaction, of those that are known.
func (u units) meets(v units) bool {
	return slices.ContainsFunc(u, func(name string) bool { return slices.Contains(v, name) }) || len(u) == 0 && len(v) == 0
}

type noteKey struct {
	kind        Kind
	write, read ir.Pos
}

// writes records that a transaction writes a table.
func (f *finder) writes(r *rows) {
	f.wrote = append(f.wrote, written{r.units, r.table.Name})
}

// changing reports whether a column of a table changes.
func (f *finder) changing(t *ir.Table, col string) bool { return f.changes[column{t.Name, col}] }

// note takes note of a write that rests on a column of a reading.
func (f *finder) note(kind Kind, write ir.Stmt, o origin) {
	key := noteKey{kind, write.Position(), o.read.at}
	n := f.found[key]
	if n == nil {
		_, deletes := write.(*ir.Delete)
		n = &Note{Kind: kind, Root: f.txn.Name, Write: key.write, Read: key.read, Table: o.read.table.Name, Deletes: deletes, Locked: o.read.locked,
			Perhaps: len(f.of(f.txn, key.write)) > 1 || len(o.read.units) > 1}
		f.found[key] = n
	}
	if o.col != "" && !slices.Contains(n.Columns, o.col) {
		n.Columns = append(n.Columns, o.col)
		slices.Sort(n.Columns)
	}
}

func (f *finder) notes() []Note {
	var out []Note
	for key, n := range f.found {
		key.kind = Value
		if v := f.found[key]; n.Kind == Check && v != nil && !slices.ContainsFunc(n.Columns, func(c string) bool { return !slices.Contains(v.Columns, c) }) {
			continue // the same again
		}
		out = append(out, *n)
	}
	slices.SortFunc(out, compare)
	return out
}

// sorted gives origins in an order that is the same each time.
func sorted(o origins) []origin {
	return slices.SortedFunc(maps.Keys(o), func(a, b origin) int {
		return cmp.Or(comparePos(a.read.at, b.read.at), cmp.Compare(a.read.table.Name, b.read.table.Name), cmp.Compare(a.col, b.col))
	})
}
