package schedules

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// maxSpelled is the largest number of calls of which the outcomes of all serial orders
// are listed; of more, those are followed that may end in the outcome asked about.
const maxSpelled = 5

// agreeing looks for a serial order with the outputs of an execution, by call, and its
// final state.
type agreeing struct {
	ctx       context.Context
	program   *ir.Program
	machine   *interp.Machine
	calls     []*Call
	instances []*interp.Instance
	// waits reports whether a call comes after one that is not done.
	waits   func(call int, done []bool) bool
	outputs []string
	final   *interp.DB

	changes []changes // by call
	done    []bool
	trail   []int
	seen    map[string]bool
	// undecided is why an order may be missing, and followed counts the runs.
	undecided string
	followed  int
}

// registers are what sessions kept so far.
type registers map[int]map[string]ir.Value

func (r registers) after(session int, run *interp.Run) registers {
	out := maps.Clone(r)
	out[session] = run.Keep(r[session])
	return out
}

// search gives a serial order from a state, or nil.
func (a *agreeing) search(init *interp.DB) []int {
	a.done, a.seen = make([]bool, len(a.calls)), map[string]bool{}
	for _, c := range a.calls {
		a.changes = append(a.changes, changesOf(a.program, c))
	}
	if a.follow(init, registers{}) {
		return a.trail
	}
	return nil
}

// follow goes on with each call that may come next.
func (a *agreeing) follow(db *interp.DB, regs registers) bool {
	if err := a.ctx.Err(); err != nil {
		a.undecided = err.Error()
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
	for i, c := range a.calls {
		if a.done[i] || a.waits(i, a.done) {
			continue
		}
		for _, run := range a.machine.Runs(a.instances[i], db, regs[c.Session], true) {
			a.followed++
			a.undecided = cmp.Or(a.undecided, run.Inconclusive())
			next, why := a.machine.Commit(run, db, nil)
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
	for t, table := range a.program.Tables {
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
func changesOf(p *ir.Program, call *Call) changes {
	assigned := map[string]bool{}
	ir.Walk(call.Txn.Body, func(s ir.Stmt) {
		for _, name := range ir.Assigned(s) {
			assigned[name] = true
		}
	})
	var out changes
	ir.Walk(call.Txn.Body, func(s ir.Stmt) {
		if u, ok := s.(*ir.Update); ok {
			out = append(out, changeOf(p, u, call, assigned))
		} else if t := ir.Written(s); t != nil {
			out = append(out, change{table: p.TableIndex(t)})
		} else if touchesAll(s) {
			out = append(out, change{table: -1})
		}
	})
	return out
}

// changeOf is what an UPDATE may change: all of its table, where it sets a key, or values
// follow from others.
func changeOf(p *ir.Program, u *ir.Update, call *Call, assigned map[string]bool) change {
	c := change{table: p.TableIndex(u.Table)}
	if slices.ContainsFunc(u.Sets, func(set ir.Set) bool { return u.Table.IsKey(set.Col) }) ||
		slices.ContainsFunc(u.Table.Columns, func(col ir.Column) bool { return col.Generated != nil }) {
		return c
	}
	c.cols = []int{}
	for _, set := range u.Sets {
		c.cols = append(c.cols, set.Col)
	}
	c.where = pinned(u, call, assigned)
	return c
}

// pinned gives the integers that an UPDATE asks for in columns of the key.
func pinned(s *ir.Update, call *Call, assigned map[string]bool) map[int]ir.Value {
	out := map[int]ir.Value{}
	value := func(x ir.Expr) (ir.Value, bool) {
		if c, ok := x.(*ir.Const); ok {
			return c.Value, c.Value.Kind == ir.KindInt
		}
		v, ok := x.(*ir.Var)
		i := slices.IndexFunc(call.Txn.Params, func(p ir.Param) bool { return ok && p.Name == v.Name && !assigned[p.Name] })
		if i < 0 {
			return ir.Null, false
		}
		return call.Params[i], call.Params[i].Kind == ir.KindInt
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

// touchesAll reports whether a statement is taken to touch all tables.
func touchesAll(s ir.Stmt) bool {
	switch s.(type) {
	case *ir.Unmodelled, *ir.CopyTable, *ir.LockTable:
		return true
	}
	return false
}
