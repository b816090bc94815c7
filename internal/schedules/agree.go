package schedules

import (
	"cmp"
	"slices"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/ir"
)

// maxSpelled is the largest number of calls of which the outcomes of all serial orders
// are listed; of more, those are followed that may end in the outcome asked about.
const maxSpelled = 5

// agreeing looks for a serial order with the outputs of an execution, by call, and its
// final state. undecided is why one may be missing.
type agreeing struct {
	j       *judge
	outputs []string
	final   *interp.DB
	changes []changes // by call
	done    []bool
	trail   []int
	seen    map[string]bool
}

// agreeing gives a serial order that has an outcome, or nil.
func (j *judge) agreeing(outputs []string, final *interp.DB) []int {
	a := &agreeing{j: j, outputs: outputs, final: final, done: make([]bool, len(j.instances)), seen: map[string]bool{}}
	for _, c := range j.sit.calls {
		a.changes = append(a.changes, j.changesOf(c))
	}
	if a.follow(j.init, registers{}) {
		return a.trail
	}
	return nil
}

// follow goes on with each call that may come next.
func (a *agreeing) follow(db *interp.DB, regs registers) bool {
	j := a.j
	if err := j.s.ctx.Err(); err != nil {
		j.undecided = err.Error()
		return false
	}
	if len(a.trail) == len(a.done) {
		return db.String() == a.final.String()
	}
	key := make([]byte, len(a.done))
	for i, d := range a.done {
		if d {
			key[i] = 1
		}
	}
	// The outputs are those that are asked about.
	if k := string(key) + db.String(); a.seen[k] {
		return false
	} else {
		a.seen[k] = true
	}
	if !a.reachable(db) {
		return false
	}
	for i, c := range j.sit.calls {
		if a.done[i] || !j.s.opt.AnyOrder && j.waits(i, a.done) {
			continue
		}
		for _, run := range j.s.machine.Runs(j.instances[i], db, regs[c.Session], true) {
			j.s.followed++
			j.undecided = cmp.Or(j.undecided, run.Inconclusive())
			next, why := j.s.machine.Commit(run, db, nil)
			if why != "" || run.Outputs != a.outputs[i] {
				continue
			}
			a.done[i], a.trail = true, append(a.trail, i)
			if a.follow(next, regs.after(c.Session, run)) {
				return true
			}
			a.done[i], a.trail = false, a.trail[:len(a.trail)-1]
		}
	}
	return false
}

// reachable reports whether the calls that are left may change a state into the final
// one, as far as their statements tell.
func (a *agreeing) reachable(db *interp.DB) bool {
	for t, table := range a.j.s.program.Tables {
		if !a.sameTable(t, table, db) {
			return false
		}
	}
	return true
}

// sameTable reports whether each row of a table that no call that is left may change is
// as it is in the end.
func (a *agreeing) sameTable(t int, table *ir.Table, db *interp.DB) bool {
	now, end := db.Rows(t), a.final.Rows(t)
	byKey := map[string][]ir.Value{}
	for _, row := range end {
		byKey[interp.KeyOf(table, row)] = row
	}
	for _, row := range now {
		key := interp.KeyOf(table, row)
		last, stays := byKey[key]
		delete(byKey, key)
		if !stays {
			if !a.mayChange(t, -1, row) {
				return false
			}
			continue
		}
		for c := range row {
			if row[c] != last[c] && !a.mayChange(t, c, row) {
				return false
			}
		}
	}
	for _, row := range byKey {
		if !a.mayChange(t, -1, row) {
			return false
		}
	}
	return true
}

// mayChange reports whether a call that is left may change a column of a row, or with -1
// whether the row is there.
func (a *agreeing) mayChange(t, col int, row []ir.Value) bool {
	for i, list := range a.changes {
		if !a.done[i] && slices.ContainsFunc(list, func(c change) bool { return c.may(t, col, row) }) {
			return true
		}
	}
	return false
}

// changes are what the statements of a call may change.
type changes []change

// change is what a statement may change: rows of a table, or -1 for any, of which the
// columns have the values in where; in its columns, or nil for all and the rows themselves.
type change struct {
	table int
	cols  []int
	where map[int]ir.Value
}

func (c change) may(t, col int, row []ir.Value) bool {
	if c.table >= 0 && c.table != t || c.cols != nil && !slices.Contains(c.cols, col) {
		return false
	}
	for k, v := range c.where {
		if row[k] != v {
			return false
		}
	}
	return true
}

// changesOf lists what a call may change.
func (j *judge) changesOf(call *Call) changes {
	p := j.s.program
	assigned := map[string]bool{}
	ir.Walk(call.Txn.Body, func(s ir.Stmt) {
		for _, name := range ir.Assigned(s) {
			assigned[name] = true
		}
	})
	var out changes
	ir.Walk(call.Txn.Body, func(s ir.Stmt) {
		switch s := s.(type) {
		case *ir.Update:
			c := change{table: p.TableIndex(s.Table)}
			if !slices.ContainsFunc(s.Sets, func(set ir.Set) bool { return s.Table.IsKey(set.Col) }) &&
				!slices.ContainsFunc(s.Table.Columns, func(col ir.Column) bool { return col.Generated != nil }) {
				c.cols = []int{}
				for _, set := range s.Sets {
					c.cols = append(c.cols, set.Col)
				}
				c.where = pinned(s, call, assigned)
			}
			out = append(out, c)
		case *ir.Insert, *ir.Delete, *ir.Cascade:
			out = append(out, change{table: p.TableIndex(ir.Written(s))})
		case *ir.Unmodelled, *ir.CopyTable, *ir.LockTable:
			out = append(out, change{table: -1})
		}
	})
	return out
}

// pinned gives the integers that an UPDATE asks for in columns of the key.
func pinned(s *ir.Update, call *Call, assigned map[string]bool) map[int]ir.Value {
	out := map[int]ir.Value{}
	value := func(x ir.Expr) (ir.Value, bool) {
		switch x := x.(type) {
		case *ir.Const:
			return x.Value, x.Value.Kind == ir.KindInt
		case *ir.Var:
			for i, p := range call.Txn.Params {
				if p.Name == x.Name && !assigned[x.Name] {
					return call.Params[i], call.Params[i].Kind == ir.KindInt
				}
			}
		}
		return ir.Null, false
	}
	for _, x := range ir.Conjuncts(s.Where) {
		b, ok := x.(*ir.Binary)
		if !ok || b.Op != ir.Eq {
			continue
		}
		for _, side := range [][2]ir.Expr{{b.X, b.Y}, {b.Y, b.X}} {
			col, ok := side[0].(*ir.Col)
			if !ok || col.Row != s.Row {
				continue
			}
			c := s.Table.Column(col.Col)
			if v, known := value(side[1]); known && c >= 0 && s.Table.IsKey(c) && s.Table.Columns[c].Type.Kind == ir.KindInt {
				out[c] = v
			}
		}
	}
	return out
}
