package readcommitted

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
)

// Standing says whether all that a template does at READ COMMITTED it can do at
// snapshot isolation as well, with the same outcome (docs/soundness.md, 9.2).
type Standing uint8

const (
	// Unsettled: that is not known.
	Unsettled Standing = iota
	// Atomic: it does what it would do if it ran at the moment of its commit. Nobody
	// changes what it has seen until then.
	Atomic
	// OneLook: all that it sees, and others may change, is of one snapshot, and it writes
	// nothing that snapshot isolation would refuse.
	OneLook
)

// Settled is the Standing of a template, with the reason where it is Unsettled.
type Settled struct {
	Standing Standing
	Pos      ir.Pos
	Reason   string
}

// Settle finds the Standing of the templates of a structured program for which
// committed is true: those that run at READ COMMITTED of PostgreSQL.
func Settle(p *ir.Program, committed func(*ir.Txn) bool) map[*ir.Txn]Settled {
	c := newChanges(p)
	out := map[*ir.Txn]Settled{}
	for _, t := range p.Txns {
		if committed(t) {
			out[t] = c.settle(t)
		}
	}
	return out
}

// newChanges finds what the templates of a program change.
func newChanges(p *ir.Program) *changes {
	c := &changes{code: prepare.Of(p), reinserted: reinserted(p), locked: locked(p)}
	c.freshKeys = c.code.FreshKeys()
	c.collect()
	return c
}

// InOrder reports whether each execution of a program is, with the same outcome, the serial
// one in which every transaction stands where it commits, or where it looks if it writes
// nothing.
func InOrder(p *ir.Program, settled map[*ir.Txn]Settled) bool {
	return !slices.ContainsFunc(p.Txns, func(t *ir.Txn) bool {
		s, ok := settled[t]
		return !ok || s.Standing == Unsettled || s.Standing == OneLook && writes(t)
	})
}

// writes reports whether a template changes rows.
func writes(t *ir.Txn) bool {
	is := false
	ir.Walk(t.Body, func(s ir.Stmt) { is = is || ir.Written(s) != nil })
	return is
}

// changes is what the templates of a program change.
type changes struct {
	code *prepare.Code
	// reinserted are the tables of which a template may take a row away and put another
	// one with its key there, at once.
	reinserted map[*ir.Table]bool
	// locked are the tables of which a template locks rows FOR UPDATE.
	locked map[*ir.Table]bool
	// freshKeys are the tables whose rows never get a primary key that was there before.
	freshKeys map[*ir.Table]bool
	writes    []*write
}

// collect finds what the templates write, and which locks they hold then.
func (c *changes) collect() {
	for _, t := range c.code.Program.Txns {
		if unfollowed(t) != nil {
			c.writes = append(c.writes, plainWrites(c.code.Program, t)...)
			continue
		}
		f := newFlow(c, t)
		f.collects, f.found = true, map[written]*write{}
		f.run()
		ir.Walk(t.Body, func(s ir.Stmt) {
			for _, k := range []writeKind{inserts, updates, deletes} {
				if w := f.found[written{s, k}]; w != nil {
					c.writes = append(c.writes, w)
				}
			}
		})
	}
}

func (c *changes) settle(t *ir.Txn) Settled {
	if why := unfollowed(t); why != nil {
		return *why
	}
	look := c.oneLook(t)
	if look == nil && !writes(t) {
		return Settled{Standing: OneLook}
	}
	a := newFlow(c, t)
	a.run()
	switch {
	case a.fault == nil:
		return Settled{Standing: Atomic}
	case look == nil:
		return Settled{Standing: OneLook}
	case !writes(t) && !changesRows(t):
		return *look
	}
	return *a.fault
}

// changesRows reports whether a template changes or locks rows that are there.
func changesRows(t *ir.Txn) bool {
	is := false
	ir.Walk(t.Body, func(s ir.Stmt) {
		locks, _ := ir.LocksOf(s)
		_, lock := s.(*ir.LockRows)
		in, inserts := s.(*ir.Insert)
		is = is || lock || len(locks) > 0 || ir.Written(s) != nil && (!inserts || in.Conflict != nil)
	})
	return is
}

// unfollowed is why nothing is said of a template, or nil.
func unfollowed(t *ir.Txn) *Settled {
	var out *Settled
	if t.Subtransactions {
		out = because(t.Pos, "parts of it run in subtransactions")
	}
	ir.Walk(t.Body, func(s ir.Stmt) {
		if out != nil {
			return
		}
		switch s.(type) {
		case *ir.Unmodelled:
			out = because(s.Position(), "a statement is not modelled")
		case *ir.Savepoint, *ir.RollbackTo:
			out = because(s.Position(), "it has savepoints")
		case *ir.Cascade:
			out = because(s.Position(), "an action of a foreign key changes other rows")
		case *ir.CopyTable, *ir.Fail:
			panic(fmt.Sprintf("readcommitted: %T in a program", s))
		default: // what is followed of the others say oneLook and atomicity
		}
	})
	return out
}

func because(pos ir.Pos, format string, args ...any) *Settled {
	return &Settled{Pos: pos, Reason: fmt.Sprintf(format, args...)}
}

// reinserted finds the tables in which one template both deletes and inserts rows.
func reinserted(p *ir.Program) map[*ir.Table]bool {
	out := map[*ir.Table]bool{}
	for _, t := range p.Txns {
		deletes, inserts := map[*ir.Table]bool{}, map[*ir.Table]bool{}
		ir.Walk(t.Body, func(s ir.Stmt) {
			u, unknown := s.(*ir.Unmodelled)
			_, in := s.(*ir.Insert)
			_, up := s.(*ir.Update)
			switch written := ir.Written(s); {
			case in:
				inserts[written] = true
			case written != nil && !up:
				deletes[written] = true
			case unknown && !u.ReadOnly:
				tables := u.Tables
				if tables == nil {
					tables = p.Tables
				}
				for _, t := range tables {
					deletes[t], inserts[t] = true, true
				}
			}
		})
		for t, is := range deletes {
			out[t] = out[t] || is && inserts[t]
		}
	}
	return out
}

// locked finds the tables of which a template may lock rows FOR UPDATE: an UPDATE of such
// a row counts as one of its key for those who refer to it (engine.Profile.LockStrengthens).
func locked(p *ir.Program) map[*ir.Table]bool {
	out := map[*ir.Table]bool{}
	all := func(list []*ir.Table) {
		if list == nil {
			list = p.Tables
		}
		for _, t := range list {
			out[t] = true
		}
	}
	for _, t := range p.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			if locks, q := ir.LocksOf(s); len(locks) > 0 {
				for _, src := range q.From {
					out[src.Table] = true
				}
			}
			if in, ok := s.(*ir.Insert); ok && in.Conflict != nil && in.Conflict.Lock == ir.ForUpdate {
				out[in.Table] = true
			}
			if d, ok := s.(*ir.Dropped); ok && d.Kind == ir.ByRowLock {
				all(d.Tables)
			}
			if u, ok := s.(*ir.Unmodelled); ok {
				all(u.Tables)
			}
		})
	}
	return out
}

// constant reports whether no template changes what the sources of a statement show in
// its expressions.
func (c *changes) constant(s ir.Stmt, sources []ir.Source) bool {
	for _, src := range sources {
		if c.code.Inserted[src.Table] || c.code.Deleted[src.Table] {
			return false
		}
	}
	ok := true
	ir.ReadColumns(s, func(t *ir.Table, col string) { ok = ok && !c.code.Updated[t][t.Column(col)] })
	return ok
}

// oneLook says why a template is not OneLook, or gives nil.
func (c *changes) oneLook(t *ir.Txn) *Settled {
	var why *Settled
	var first ir.Stmt
	fail := func(s ir.Stmt, format string, args ...any) {
		if why == nil {
			why = because(s.Position(), format, args...)
		}
	}
	read := func(s ir.Stmt, looped bool) {
		switch {
		case c.constant(s, ir.Reads(s)):
		case s.Command() == 0:
			fail(s, "it is not known which command reads here")
		case looped:
			fail(s, "it reads in a loop")
		case first != nil && first.Command() != s.Command():
			fail(s, "it reads by more than one command")
		case s.Snapshot() < 0 || first != nil && first.Snapshot() != s.Snapshot():
			fail(s, "it reads in a VOLATILE function or trigger, where each query has a snapshot of its own, and more than once")
		default:
			first = s
		}
	}
	var list func(body []ir.Stmt, looped bool)
	list = func(body []ir.Stmt, looped bool) {
		for _, s := range body {
			if locks, _ := ir.LocksOf(s); len(locks) > 0 {
				fail(s, "it locks rows")
			}
			switch x := s.(type) {
			case *ir.Assign, *ir.Havoc, *ir.Send, *ir.Emit, *ir.Select, *ir.EmitRows, *ir.If, *ir.Block, *ir.While, *ir.ForRange, *ir.Foreach,
				*ir.Break, *ir.Continue, *ir.Return, *ir.Assume, *ir.Abort:
			default:
				fail(s, "it changes or locks what is there")
			case *ir.Dropped:
				if x.Observes {
					fail(s, "a refusal that is not modelled depends on rows")
				}
				if x.Kind == ir.ByRowLock || x.Kind == ir.ByTableLock {
					fail(s, "it locks what the model leaves out")
				}
			case *ir.Insert:
				if reason := c.plainInsert(x); reason != "" {
					fail(s, "%s", reason)
				}
			}
			if len(ir.Reads(s)) > 0 {
				_, again := s.(*ir.While)
				read(s, looped || again)
			}
			for _, inner := range ir.Children(s) {
				list(inner, looped || isLoop(s))
			}
		}
	}
	list(t.Body, false)
	return why
}

// plainInsert says why an insertion may be refused at snapshot isolation although it is
// not at READ COMMITTED, or gives "".
func (c *changes) plainInsert(s *ir.Insert) string {
	t := s.Table
	if s.Conflict != nil || s.Moved != nil || len(t.Exclusions) > 0 || len(t.Late) > 0 {
		return "it inserts into " + t.Name + " by what is there"
	}
	for i := range t.ForeignKeys {
		fk := &t.ForeignKeys[i]
		given := false
		for _, col := range fk.Columns {
			for _, set := range s.Cols {
				given = given || set == col
			}
		}
		code := c.code
		if given && (code.Inserted[fk.Ref] || code.Deleted[fk.Ref] || prepare.Touches(fk.RefColumns, code.Updated[fk.Ref]) || code.KeyUpdated(fk.Ref) || c.locked[fk.Ref]) {
			return "a row of " + t.Name + " refers to one of " + fk.Ref.Name + ", which come and go"
		}
	}
	return ""
}

func isLoop(s ir.Stmt) bool {
	switch s.(type) {
	case *ir.While, *ir.ForRange, *ir.Foreach:
		return true
	default:
		return false
	}
}
