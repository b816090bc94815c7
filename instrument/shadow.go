package instrument

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
)

// shadow is what the instrumentation keeps beside a table (or shared variable)
// that some transaction writes. Tables that nobody writes need nothing.
type shadow struct {
	table *ir.Table // of the input
	base  *ir.Table // the same in the output
	prime *ir.Table // x': what the attacker sees and writes
	// event is x.event, the last access of the chain (ld or st); eventI its
	// copy at the beginning of a helper; eventA is x.event', set where the
	// attacker writes. For a variable they are variables. For a table they
	// are tables with the same key, and a column for the row's existence
	// (alive) besides one for every other column.
	event, eventI, eventA *ir.Table
	alive                 string // the name of the column for the existence
	// Row locks of the attacker, where the engine heeds them: columns of
	// eventA, or for a variable a flag of its own.
	locked, keyLocked string
	lockedVar         *ir.Table
	// freed is a column of eventA, or "": the attacker inserts the row although
	// its snapshot shows one with the key, which a helper has to delete.
	freed string
}

// values lists the columns of the table outside of the key.
func (s *shadow) values() []int {
	var out []int
	for c := range s.table.Columns {
		if !s.table.IsKey(c) {
			out = append(out, c)
		}
	}
	return out
}

// tableLock is a LOCK TABLE of the attacker.
type tableLock struct {
	table *ir.Table
	mode  ir.TableLock
}

// declare makes the tables of the output: those of the input, and the flags.
func (rw *rewriter) declare() {
	written := map[*ir.Table]bool{}
	rw.statements(func(s ir.Stmt) {
		if u := ir.Written(s); u != nil {
			written[u] = true
		}
	})
	rw.tables()
	rw.e, rw.c, rw.p, rw.q = rw.name("e"), rw.name("c"), rw.name("p"), rw.name("q")
	rw.pa, rw.phbh, rw.cycle, rw.hbLocal = rw.name("p.a"), rw.name("p.hbh"), rw.name("a_stA.read"), rw.name("hb")
	flagVar := func(name string, t ir.Type, init ir.Value) *ir.Table {
		v := ir.NewVar(ir.Pos{}, rw.name(name), t, init)
		rw.out.Tables = append(rw.out.Tables, v)
		return v
	}
	rw.hb = flagVar("HB", ir.BoolType, ir.Bool(false))
	rw.trA = flagVar("a_trA", ir.BoolType, ir.Bool(false))
	rw.stA = flagVar("a_stA", ir.TextType, ir.Null)
	for _, t := range rw.parentsFirst(written) {
		rw.addShadow(t)
	}
	for _, t := range rw.in.Txns {
		rw.collectReads(t)
	}
	for _, s := range rw.sites {
		rw.declareSite(s, s.txn)
	}
	rw.declareTableLocks()
}

// tables copies the tables where a hidden key has to become visible, so that
// flags can refer to it.
func (rw *rewriter) tables() {
	for _, t := range rw.in.Tables {
		rw.moved = rw.moved || t.Rowid
	}
	for _, t := range rw.in.Tables {
		u := t
		if rw.moved {
			c := *t
			u = &c
			if u.Rowid {
				u.Rowid = false
				u.Columns = append([]ir.Column(nil), t.Columns...)
				u.Columns[0].NotNull = true
			}
		}
		rw.base[t] = u
		rw.out.Tables = append(rw.out.Tables, u)
	}
	if rw.moved {
		for _, t := range rw.in.Tables {
			u := rw.base[t]
			u.ForeignKeys = append([]ir.ForeignKey(nil), t.ForeignKeys...)
			for i := range u.ForeignKeys {
				u.ForeignKeys[i].Ref = rw.base[u.ForeignKeys[i].Ref]
			}
		}
	}
	for _, inv := range rw.in.Invariants {
		c := *inv
		c.From = nil
		for _, s := range inv.From {
			c.From = append(c.From, ir.Source{Table: rw.base[s.Table], Row: s.Row})
		}
		rw.out.Invariants = append(rw.out.Invariants, &c)
	}
}

// parentsFirst orders the written tables so that foreign keys lead back, as
// far as they do: the attacker's commit inserts parents first.
func (rw *rewriter) parentsFirst(written map[*ir.Table]bool) []*ir.Table {
	var out []*ir.Table
	seen := map[*ir.Table]bool{}
	var visit func(t *ir.Table)
	visit = func(t *ir.Table) {
		if seen[t] {
			return
		}
		seen[t] = true
		for _, fk := range t.ForeignKeys {
			visit(fk.Ref)
		}
		if written[t] {
			out = append(out, t)
		}
	}
	for _, t := range rw.in.Tables {
		visit(t)
	}
	return out
}

func (rw *rewriter) addShadow(t *ir.Table) {
	s := &shadow{table: t, base: rw.base[t]}
	rw.shadows[t] = s
	rw.order = append(rw.order, s)
	s.prime = rw.primed(t)
	if t.Var {
		s.event = ir.NewVar(t.Pos, rw.name(t.Name+".event"), ir.TextType, ir.Null)
		s.eventI = ir.NewVar(t.Pos, rw.name(t.Name+".eventI"), ir.TextType, ir.Null)
		s.eventA = ir.NewVar(t.Pos, rw.name(t.Name+".event'"), ir.BoolType, ir.Bool(false))
		if rw.locksRows(t) {
			s.lockedVar = ir.NewVar(t.Pos, rw.name(t.Name+".locked"), ir.BoolType, ir.Bool(false))
			rw.out.Tables = append(rw.out.Tables, s.lockedVar)
		}
	} else {
		s.alive = "alive"
		for t.Column(s.alive) >= 0 {
			s.alive += "'"
		}
		s.event = rw.flagTable(s, ".event", ir.TextType)
		s.eventI = rw.flagTable(s, ".eventI", ir.TextType)
		s.eventA = rw.flagTable(s, ".event'", ir.BoolType)
		if !rw.opt.Engine.KeyFromSnapshot && rw.inserts(t) {
			s.freed = s.alive + ".freed"
			s.eventA.Columns = append(s.eventA.Columns, ir.Column{Name: s.freed, Type: ir.BoolType})
		}
		if rw.locksRows(t) {
			s.locked, s.keyLocked = s.alive+".locked", s.alive+".keylocked"
			s.eventA.Columns = append(s.eventA.Columns, ir.Column{Name: s.locked, Type: ir.BoolType},
				ir.Column{Name: s.keyLocked, Type: ir.BoolType})
		}
	}
	rw.out.Tables = append(rw.out.Tables, s.prime, s.event, s.eventI, s.eventA)
}

// primed is the second copy of a table. Constraints between rows are left
// out: the attacker's commit is checked against them (constraints.go). What an
// ON CONFLICT names has to stay.
func (rw *rewriter) primed(t *ir.Table) *ir.Table {
	b := rw.base[t]
	c := &ir.Table{Pos: t.Pos, Name: rw.name(t.Name + "'"), Columns: b.Columns, Key: b.Key, Var: b.Var}
	if t.Var {
		c.Rows = b.Rows
	}
	self := func(e ir.Expr) ir.Expr {
		return substitute(e, t.Name, func(col string) ir.Expr { return &ir.Col{Row: c.Name, Col: col} })
	}
	c.Columns = slices.Clone(c.Columns)
	for i, col := range c.Columns {
		if col.Generated != nil {
			c.Columns[i].Generated = self(col.Generated)
		}
	}
	for _, u := range b.PairConstraints() {
		if !rw.conflicts(t, u) {
			continue
		}
		switch u := u.(type) {
		case *ir.Unique:
			v := *u
			v.Where = self(u.Where)
			c.Uniques = append(c.Uniques, v)
		case *ir.Exclusion:
			c.Exclusions = append(c.Exclusions, *u)
		default:
			panic(fmt.Sprintf("instrument: unknown constraint %T", u))
		}
	}
	for _, k := range b.Checks {
		k.Expr = self(k.Expr)
		c.Checks = append(c.Checks, k)
	}
	return c
}

// statements calls f for every statement of the program.
func (rw *rewriter) statements(f func(ir.Stmt)) {
	for _, t := range rw.in.Txns {
		ir.Walk(t.Body, f)
	}
}

// inserts reports whether rows are inserted into t.
func (rw *rewriter) inserts(t *ir.Table) bool {
	found := false
	rw.statements(func(s ir.Stmt) {
		i, ok := s.(*ir.Insert)
		found = found || ok && i.Table == t
	})
	return found
}

// conflicts reports whether an ON CONFLICT may be about a constraint of t.
func (rw *rewriter) conflicts(t *ir.Table, u ir.PairConstraint) bool {
	found := false
	rw.statements(func(s ir.Stmt) {
		i, ok := s.(*ir.Insert)
		found = found || ok && i.Table == t && i.Conflict != nil && i.Conflict.Arbitrates(u)
	})
	return found
}

// flagTable is a table of flags for the rows of a table.
func (rw *rewriter) flagTable(s *shadow, suffix string, flag ir.Type) *ir.Table {
	t := s.base
	out := &ir.Table{Pos: t.Pos, Name: rw.name(t.Name + suffix)}
	for i, k := range t.Key {
		out.Columns = append(out.Columns, t.Columns[k])
		out.Key = append(out.Key, i)
	}
	out.Columns = append(out.Columns, ir.Column{Name: s.alive, Type: flag})
	for _, c := range s.values() {
		out.Columns = append(out.Columns, ir.Column{Name: t.Columns[c].Name, Type: flag})
	}
	return out
}

// locksRows reports whether row locks on t matter to the engine.
func (rw *rewriter) locksRows(t *ir.Table) bool {
	found := false
	rw.statements(func(s ir.Stmt) {
		for _, l := range lockTargets(s) {
			found = found || l.table == t && (rw.opt.Engine.LockWrites || rw.opt.Engine.LockExcludes[l.mode] != engine.NoWrite)
		}
	})
	return found
}

// lockTarget is a row variable whose rows a statement locks.
type lockTarget struct {
	table *ir.Table
	row   string
	mode  ir.LockMode
}

func lockTargets(s ir.Stmt) []lockTarget {
	locks, q := ir.LocksOf(s)
	if k, ok := s.(*ir.LockRows); len(locks) == 0 || ok && k.Limit != nil {
		return nil // which rows a LIMIT leaves is not told: a lock less allows more
	}
	var out []lockTarget
	for _, src := range q.From {
		if m := locks.Of(src.Row); m != ir.NoLock {
			out = append(out, lockTarget{src.Table, src.Row, m})
		}
	}
	return out
}

// declareTableLocks makes a flag for every LOCK TABLE of the program.
func (rw *rewriter) declareTableLocks() {
	rw.tableLocks = map[tableLock]*ir.Table{}
	if !rw.opt.Engine.TableLocks {
		return
	}
	rw.statements(func(s ir.Stmt) {
		if l, ok := s.(*ir.LockTable); ok {
			k := tableLock{l.Table, l.Mode}
			if rw.tableLocks[k] == nil {
				v := ir.NewVar(l.Pos, rw.name(l.Table.Name+"."+l.Mode.String()), ir.BoolType, ir.Bool(false))
				rw.tableLocks[k] = v
				rw.out.Tables = append(rw.out.Tables, v)
			}
		}
	})
}
