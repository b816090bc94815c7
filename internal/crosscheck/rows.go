package crosscheck

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/witness"
)

// row is a row from its insertion to its deletion.
type row struct {
	name string
	// key is that of interp.Op.
	key string
	// vals are the newest values, of whoever wrote last; possible the different
	// ones that each column has had.
	vals     []ir.Value
	possible [][]ir.Value
	// maker inserted it, or initially.
	maker int
	// there is whether it is there, nil if that does not change; cells are the
	// columns that somebody else than the maker writes, else nil.
	there *object
	cells []*object
}

// object is an Object with its place in Trace.Objects.
type object struct {
	Object
	place int
}

// place of a row in the database.
type place struct {
	table int
	key   string
}

// write is what one write of a run did to a row.
type write struct {
	row *row
	// whole says that the row came or went, else cols are the columns.
	whole bool
	cols  []bool
}

// tracer makes a Trace of an execution.
type tracer struct {
	p     *ir.Program
	x     *interp.Execution
	index map[*ir.Table]int
	// labels are those of the witness, in the order of commits.
	labels  []string
	classic bool
	// compares says that an UPDATE looks at the values that it writes over: it does
	// nothing where they stay the same.
	compares bool
	rows     [][]*row // of each table all that there ever were
	named    map[string]int
	now      map[place]*row
	// writes has for each transaction and each of its writes what it did, with a
	// nil row if it was void.
	writes  [][]write
	objects []*object
}

// addRow adds a row that a transaction makes, or that is there initially.
func (t *tracer) addRow(at place, vals []ir.Value, maker int) *row {
	tab := t.p.Tables[at.table]
	r := &row{name: witness.RowName(tab, vals), key: at.key, vals: slices.Clone(vals), maker: maker,
		possible: make([][]ir.Value, len(vals)), cells: make([]*object, len(vals))}
	if t.named[r.name]++; t.named[r.name] > 1 {
		r.name += fmt.Sprintf(" #%d", t.named[r.name])
	}
	for c, v := range vals {
		r.possible[c] = []ir.Value{v}
	}
	t.rows[at.table] = append(t.rows[at.table], r)
	return r
}

// versions goes through all writes in the order of commits.
func (t *tracer) versions() error {
	for table := range t.p.Tables {
		for _, vals := range t.x.Versions[0].Rows(table) {
			at := place{table, interp.KeyOf(t.p.Tables[table], vals)}
			t.now[at] = t.addRow(at, vals, initially)
		}
	}
	for i := range t.x.Txns {
		ops := t.x.Txns[i].Run.Ops
		t.writes = append(t.writes, make([]write, len(ops)))
		for k := range ops {
			if ops[k].Void {
				continue
			}
			w, err := t.apply(i, &ops[k])
			if err != nil {
				return err
			}
			t.writes[i][k] = w
		}
		if err := t.compare(i + 1); err != nil {
			return err
		}
	}
	return nil
}

// apply lets transaction i write.
func (t *tracer) apply(i int, op *interp.Op) (write, error) {
	at := place{op.Table, op.Key}
	r := t.now[at]
	if (op.Kind == interp.OpInsert) != (r == nil) {
		return write{}, fmt.Errorf("crosscheck: transaction %s does an %s of a row that does not fit", t.labels[i], op.Kind)
	}
	switch op.Kind {
	case interp.OpInsert:
		r = t.addRow(at, op.New, i)
		r.there = t.object(r.name, Version{By: initially, Text: "absent", absent: true})
		r.there.write(Version{By: i, Text: "inserted by " + t.labels[i]})
		t.now[at] = r
		return write{row: r, whole: true}, nil
	case interp.OpDelete:
		if r.there == nil {
			r.there = t.object(r.name, Version{By: initially, Text: "there"})
		}
		r.there.write(Version{By: i, Text: "deleted by " + t.labels[i], absent: true})
		delete(t.now, at)
		return write{row: r, whole: true}, nil
	case interp.OpUpdate:
		return t.update(i, r, op), nil
	}
	panic(fmt.Sprintf("crosscheck: unknown write %d", op.Kind))
}

func (t *tracer) update(i int, r *row, op *interp.Op) write {
	cols := op.Cols
	if cols == nil {
		cols = all(len(op.New))
	}
	for c, yes := range cols {
		if !yes {
			continue
		}
		if r.cells[c] == nil && r.maker != i {
			r.cells[c] = t.cell(op.Table, r, c)
		}
		if o := r.cells[c]; o != nil {
			o.write(t.version(op.New[c], i))
		}
		r.vals[c] = op.New[c]
		if !slices.Contains(r.possible[c], op.New[c]) {
			r.possible[c] = append(r.possible[c], op.New[c])
		}
	}
	return write{row: r, cols: cols}
}

// cell makes the object of a column, when it is first changed.
func (t *tracer) cell(table int, r *row, c int) *object {
	name := r.name
	if tab := t.p.Tables[table]; !tab.Var {
		name += "." + tab.Columns[c].Name
	}
	if r.maker == initially {
		return t.object(name, Version{By: initially, Text: witness.Value{Value: r.vals[c]}.String()})
	}
	o := t.object(name, Version{By: initially, Text: "absent", absent: true})
	o.write(t.version(r.vals[c], r.maker))
	return o
}

// object makes an object. No two have one name, however those of tables and columns are
// put together.
func (t *tracer) object(name string, first Version) *object {
	for base, n := name, 2; slices.ContainsFunc(t.objects, func(o *object) bool { return o.Name == name }); n++ {
		name = fmt.Sprintf("%s #%d", base, n)
	}
	o := &object{Object: Object{Name: name, Versions: []Version{first}}}
	t.objects = append(t.objects, o)
	return o
}

// write adds a version, in place of an earlier one by the same transaction.
func (o *object) write(v Version) {
	if last := &o.Versions[o.last()]; last.By == v.By {
		*last = v
		return
	}
	o.Versions = append(o.Versions, v)
}

// version is a value with its writer, so that no other version has the same text.
func (t *tracer) version(v ir.Value, by int) Version {
	return Version{By: by, Text: witness.Value{Value: v}.String() + " by " + t.labels[by]}
}

// compare makes sure that the rows are those of the execution after n commits.
func (t *tracer) compare(n int) error {
	count := 0
	for table := range t.p.Tables {
		for _, vals := range t.x.Versions[n].Rows(table) {
			r := t.now[place{table, interp.KeyOf(t.p.Tables[table], vals)}]
			if r == nil || !slices.Equal(r.vals, vals) {
				return fmt.Errorf("crosscheck: after the commit of %s, the row %s is not what was written", t.labels[n-1], witness.RowName(t.p.Tables[table], vals))
			}
			count++
		}
	}
	if count != len(t.now) {
		return fmt.Errorf("crosscheck: after the commit of %s, a row is gone that nobody deleted", t.labels[n-1])
	}
	return nil
}

// all marks n columns.
func all(n int) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = true
	}
	return out
}
