package readcommitted

import (
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pieces"
)

// SettleInnoDB finds the Standing of all templates of a structured program on a database with
// InnoDB, at levels in the words of SQL, by name; "" is the default. A template is Atomic if it
// holds all that it has seen, and others may change, locked until it ends: then it does what it
// would do alone at its commit. It is OneLook if it sees one snapshot and does nothing else
// (docs/soundness.md, 9.6).
func SettleInnoDB(p *ir.Program, e *engine.Profile, levels map[string]string) map[*ir.Txn]Settled {
	c := newChanges(p)
	out := map[*ir.Txn]Settled{}
	for _, t := range p.Txns {
		out[t] = c.settleInnoDB(t, pieces.Of(e.Weaker == "", levels[t.Name]))
	}
	return out
}

func (c *changes) settleInnoDB(t *ir.Txn, at pieces.Level) Settled {
	if s := unlocked(t); s != nil {
		return *s
	}
	acts, commands := actions(t)
	switch {
	case !acts && at.Plain == pieces.Once, !acts && commands == 1:
		return Settled{Standing: OneLook}
	case at.Plain == pieces.Locked:
		return Settled{Standing: Atomic}
	case at.Plain == pieces.Each:
		return c.settleEach(t)
	}
	plain := map[ir.Stmt]bool{}
	var changing ir.Stmt
	for _, s := range pieces.Plain(t) {
		plain[s] = true
		if changing == nil && !c.constant(s, ir.Reads(s)) {
			changing = s
		}
	}
	if changing == nil {
		return Settled{Standing: Atomic}
	}
	if s := unfollowed(t); s != nil {
		return Settled{Pos: changing.Position(), Reason: "a plain SELECT reads " + named(ir.Reads(changing)) + " from the snapshot; whether that is still so in the end is not followed, since " + s.Reason}
	}
	a := newFlow(c, t)
	a.plain, a.snaps = plain, map[ir.Stmt]bool{}
	for _, s := range pieces.Snapshots(t) {
		a.snaps[s] = true
	}
	if a.run(); a.fault != nil {
		return *a.fault
	}
	return Settled{Standing: Atomic}
}

// settleEach finds the Standing of a template at READ COMMITTED of InnoDB. Where each command that locks or writes names the key of the one row
// that it is about, it does what it does at READ COMMITTED of PostgreSQL: it waits for the row, and looks at its newest version.
func (c *changes) settleEach(t *ir.Txn) Settled {
	if s := manyRows(t); s != nil {
		return *s
	}
	if s := unfollowed(t); s != nil {
		return *s
	}
	a := newFlow(c, t)
	if a.run(); a.fault != nil {
		return *a.fault
	}
	return Settled{Standing: Atomic}
}

// manyRows says which statement of a template, of those that see the newest rows, is not about one row that it names by a key, or
// gives nil.
func manyRows(t *ir.Txn) *Settled {
	plain := pieces.Plain(t)
	var out *Settled
	ir.Walk(t.Body, func(st ir.Stmt) {
		locks, _ := ir.LocksOf(st)
		acts := ir.Written(st) != nil || len(locks) > 0
		if out != nil || !acts && (len(ir.Reads(st)) == 0 || slices.Contains(plain, st)) || oneRow(st) {
			return
		}
		out = because(st.Position(), "it locks or reads the newest rows of %s, which it does not name by a key: READ COMMITTED locks no gaps", named(ir.Reads(st)))
	})
	return out
}

// oneRow reports whether all that a statement looks at is one row, of which it names the key.
func oneRow(st ir.Stmt) bool {
	if slices.ContainsFunc(ir.Exprs(st), ir.HasExists) {
		return false
	}
	fixed := func(t *ir.Table, row string, where ir.Expr) bool {
		_, one := conditionsOf(t, row, ir.Conjuncts(where)).fixed(t)
		return one
	}
	switch s := st.(type) {
	case *ir.Insert:
		return s.Moved == nil
	case *ir.Update:
		return fixed(s.Table, s.Row, s.Where)
	case *ir.Delete:
		return !s.Moved && fixed(s.Table, s.Row, s.Where)
	default: // the others have a query
		_, q := ir.LocksOf(st)
		return q != nil && len(q.From) == 1 && fixed(q.From[0].Table, q.From[0].Row, q.Where)
	}
}

var skipsLocked = regexp.MustCompile(`(?is)\bskip\s+locked\b`)

// unlocked says what of a template goes past the locks, or gives nil.
func unlocked(t *ir.Txn) *Settled {
	var out *Settled
	ir.Walk(t.Body, func(st ir.Stmt) {
		why := ""
		switch st := st.(type) {
		case *ir.Unmodelled:
			why = "a statement is not modelled: " + st.Reason
		case *ir.LockTable:
			why = "LOCK TABLES ends the transaction"
		case *ir.RollbackTo:
			why = "a rollback to a savepoint takes back rows that it has inserted, and with them their locks"
		case *ir.Send:
			if skipsLocked.MatchString(strings.Join(st.Text, "?")) {
				why = "SKIP LOCKED passes over what others have locked"
			}
		default: // it locks what it reads, unless it is a plain SELECT
		}
		if why != "" && out == nil {
			out = &Settled{Pos: st.Position(), Reason: why}
		}
	})
	return out
}

// actions says whether a template does anything but plain SELECTs, and in how many commands it reads
// (2 for more than one).
func actions(t *ir.Txn) (acts bool, commands int) {
	seen := map[int]bool{}
	var walk func(list []ir.Stmt, again bool)
	walk = func(list []ir.Stmt, again bool) {
		for _, st := range list {
			locks, _ := ir.LocksOf(st)
			acts = acts || ir.Written(st) != nil || len(locks) > 0
			if len(ir.Reads(st)) > 0 {
				if n := st.Command(); n == 0 || again || !seen[n] {
					commands++
				}
				if again {
					commands++
				}
				seen[st.Command()] = true
			}
			_, while := st.(*ir.While)
			_, loop := st.(*ir.ForRange)
			_, each := st.(*ir.Foreach)
			for _, inside := range ir.Children(st) {
				walk(inside, again || while || loop || each)
			}
		}
	}
	walk(t.Body, false)
	plain := pieces.Plain(t)
	if !acts { // what reads the newest rows locks them
		ir.Walk(t.Body, func(st ir.Stmt) { acts = acts || len(ir.Reads(st)) > 0 && !slices.Contains(plain, st) })
	}
	return acts, commands
}
