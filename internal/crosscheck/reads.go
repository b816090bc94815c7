package crosscheck

import (
	"fmt"
	"math"
	"slices"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/witness"
)

// read is a version that a transaction saw.
type read struct {
	object  *object
	version int
	// late is as in Op; second says that it is of the later of two moments.
	late, second bool
}

// observer collects what one transaction saw.
type observer struct {
	t *tracer
	i int
	// before is how many commits it saw.
	before int
	// own is how many of its writes it had made.
	own int
	// out has the reads of all moments.
	out []read
}

// see adds the version of an object that was there.
func (o *observer) see(x *object) {
	r := read{object: x, version: x.at(o.before)}
	// A snapshot is one moment, and what has not changed since was in it, too.
	c := &o.t.x.Txns[o.i]
	r.late = c.Split == nil && r.version != x.at(c.Snapshot)
	r.second = r.late || c.Split != nil && o.before > 0
	if !slices.Contains(o.out, r) {
		o.out = append(o.out, r)
	}
}

// look adds that a row was looked at, and if it is there some of its columns.
// What the transaction had written itself says nothing about others.
func (o *observer) look(r *row, cols []bool) {
	written := make([]bool, len(r.vals))
	for _, w := range o.t.writes[o.i][:o.own] {
		if w.row != r {
			continue
		}
		if w.whole {
			return
		}
		for c, yes := range w.cols {
			written[c] = written[c] || yes
		}
	}
	if r.there != nil {
		o.see(r.there)
	}
	if !r.thereAfter(o.before) {
		return
	}
	for c, x := range r.cells {
		if x != nil && cols[c] && !written[c] {
			o.see(x)
		}
	}
}

// thereAfter reports whether the row is there after the first n commits.
func (r *row) thereAfter(n int) bool {
	return r.there == nil || !r.there.Versions[r.there.at(n)].absent
}

// observe collects what transaction i read, and what constraints looked at for it.
func (t *tracer) observe(i int) ([]read, error) {
	c := &t.x.Txns[i]
	o := &observer{t: t, i: i}
	caps := undone(c.Run)
	for k := range c.Run.Reads {
		r := &c.Run.Reads[k]
		o.before = c.Snapshot
		switch {
		case c.Split != nil && (k < c.Split.Reads || r.Stale):
			o.before = 0
		case c.Split != nil || r.Current:
			o.before = i
		}
		o.own = min(r.OwnOps, caps[k], len(c.Run.Ops))
		if caps[k] == math.MaxInt && !r.Current {
			if err := t.same(i, o, r); err != nil {
				return nil, err
			}
		}
		o.query(r)
	}
	o.before, o.own = i, len(c.Run.Ops)
	o.constraints()
	return o.out, nil
}

// query adds what one read looked at: of each row that there ever was it is
// nothing, or what decides whether it takes part and what was returned of it.
func (o *observer) query(r *interp.Read) {
	for _, x := range o.t.rows[r.Table] {
		some, every := true, false // as far as is known
		if r.Alone {
			some, every = x.takesPart(r)
		}
		if !some {
			continue
		}
		cols := slices.Clone(r.Cols)
		for c := range cols {
			cols[c] = cols[c] || r.Tested[c] && (!every || o.t.classic)
		}
		if u, ok := r.Stmt.(*ir.Update); ok && o.t.compares && u.Table == o.t.p.Tables[r.Table] { // a subquery may read another one
			for _, s := range u.Sets {
				cols[s.Col] = true
			}
		}
		o.look(x, cols)
	}
}

// maxVersions bounds the combinations of values of a row that are tried.
const maxVersions = 256

// takesPart reports whether some combination of the values that the columns of a
// row ever have takes part in a read, and whether all do.
func (r *row) takesPart(read *interp.Read) (some, every bool) {
	var vary []int
	n := 1
	for c := range r.vals {
		if (read.Tested[c] || read.Cols[c]) && len(r.possible[c]) > 1 {
			vary = append(vary, c)
			n *= len(r.possible[c])
		}
		if n > maxVersions {
			return true, false
		}
	}
	every = true
	vals := slices.Clone(r.vals)
	for k := range n {
		for _, c := range vary {
			vals[c] = r.possible[c][k%len(r.possible[c])]
			k /= len(r.possible[c])
		}
		hit := read.Matches(vals)
		some, every = some || hit, every && hit
	}
	return some, every
}

// same makes sure that a read found the rows that there are by the versions.
func (t *tracer) same(i int, o *observer, r *interp.Read) error {
	found := map[string]bool{}
	for key, rows := range t.visible(i, o, r.Table) {
		for _, vals := range rows {
			if r.Matches(vals) {
				found[key] = true
			}
		}
		if found[key] != r.Keys[key] {
			return fmt.Errorf("crosscheck: what %s read at %s does not fit the row %s as it was", t.labels[i], r.Stmt.Position(), witness.RowName(t.p.Tables[r.Table], rows[0]))
		}
	}
	if len(found) != len(r.Keys) {
		return fmt.Errorf("crosscheck: %s read rows at %s that were not there", t.labels[i], r.Stmt.Position())
	}
	return nil
}

// visible gives by key the rows of a table that transaction i sees. Beside the one that
// it has inserted itself there may be one with its key that was deleted after its
// snapshot.
func (t *tracer) visible(i int, o *observer, table int) map[string][][]ir.Value {
	rows := map[string][][]ir.Value{}
	for _, vals := range t.x.Versions[o.before].Rows(table) {
		key := interp.KeyOf(t.p.Tables[table], vals)
		rows[key] = [][]ir.Value{vals}
	}
	for k := range o.own {
		op := &t.x.Txns[i].Run.Ops[k]
		if op.Table != table {
			continue
		}
		if op.Kind != interp.OpInsert && len(rows[op.Key]) > 0 { // the newest one goes, or gets other values
			rows[op.Key] = rows[op.Key][:len(rows[op.Key])-1]
		}
		if op.New != nil && t.x.Txns[i].Split != nil { // there is one row with the key
			rows[op.Key] = [][]ir.Value{op.New}
		} else if op.New != nil {
			rows[op.Key] = append(rows[op.Key], op.New)
		}
		if len(rows[op.Key]) == 0 {
			delete(rows, op.Key)
		}
	}
	return rows
}

// undone gives for each read of a run how many of the writes before it are among
// those that are left: no bound but in what was rolled back to a savepoint.
func undone(run *interp.Run) []int {
	out := make([]int, len(run.Reads))
	for k := range out {
		out[k] = math.MaxInt
	}
	set := map[string]*interp.Step{}
	for k := range run.Steps {
		step := &run.Steps[k]
		switch st := step.Stmt.(type) {
		case *ir.Savepoint:
			set[st.Name] = step
		case *ir.RollbackTo:
			from := set[st.Name]
			for n := from.ReadsFrom; n < step.ReadsFrom; n++ {
				out[n] = min(out[n], from.OpsFrom)
			}
		}
	}
	return out
}
