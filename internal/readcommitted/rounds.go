package readcommitted

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// attempts are rounds of a loop of which all but the last one leave nothing: they read, try one UPDATE or DELETE of a row by
// a key that finds nothing, and go on. Each round begins with the same values, so that the last one is what the transaction does.
type attempts struct {
	try ir.Stmt // the UPDATE or DELETE
}

// attemptsOf gives the attempts that a loop makes, or nil where a round may leave something for the next one or for what follows.
func (a *flow) attemptsOf(loop ir.Stmt) *attempts {
	label := ""
	switch s := loop.(type) {
	case *ir.While:
		if c, ok := s.Cond.(*ir.Const); !ok || !c.Value.IsTrue() {
			return nil
		}
		label = s.Label
	case *ir.ForRange:
		label = s.Label
	default:
		return nil
	}
	body := ir.Children(loop)[0]
	out := &attempts{}
	if a.plain != nil || !out.harmless(body, label) || out.try == nil || !a.afresh(loop, body) {
		return nil
	}
	return out
}

// harmless reports whether the rounds that go on run statements which only read, and one UPDATE or DELETE. Branches that leave the loop
// do not count.
func (t *attempts) harmless(body []ir.Stmt, label string) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *ir.Update, *ir.Delete:
			if t.try != nil || slices.ContainsFunc(ir.Exprs(s), ir.HasExists) {
				return false
			}
			t.try = s
		case *ir.Select:
			if len(s.Locks) > 0 || s.Skips != ir.NoLock {
				return false
			}
		case *ir.Send, *ir.Assign, *ir.Return, *ir.Abort, *ir.Break, *ir.Continue:
		case *ir.If:
			for _, branch := range ir.Children(s) {
				if !leavesLoop(branch, label) && !t.harmless(branch, label) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// leavesLoop reports whether all paths through a branch leave the loop around it.
func leavesLoop(branch []ir.Stmt, label string) bool {
	if len(branch) == 0 || slices.ContainsFunc(branch, func(s ir.Stmt) bool { return len(ir.Children(s)) > 0 }) {
		return false
	}
	switch s := branch[len(branch)-1].(type) {
	case *ir.Return, *ir.Abort:
		return true
	case *ir.Break:
		return s.Label == "" || s.Label == label
	default:
		return false
	}
}

// afresh reports whether each round of a loop sets the locals that it uses, and that are used afterwards, before it uses them, so
// that nothing of a round before matters.
func (a *flow) afresh(loop ir.Stmt, body []ir.Stmt) bool {
	inside := assignedIn(body)
	for _, name := range ir.Assigned(loop) { // the number of the round
		if usesLocal(body, name) || a.usedBeside(loop, name) {
			return false
		}
	}
	for _, name := range inside {
		sets, leaves := -1, -1
		for i, s := range body {
			one := []ir.Stmt{s}
			if leaves < 0 && jumps(one) {
				leaves = i
			}
			if slices.Contains(ir.Assigned(s), name) && !slices.ContainsFunc(ir.Exprs(s), func(e ir.Expr) bool { return slices.Contains(namesIn(e), name) }) {
				sets = i
				break
			}
			if usesLocal(one, name) || slices.Contains(assignedIn(one), name) {
				return false
			}
		}
		if leaves >= 0 && leaves < sets && a.usedBeside(loop, name) {
			return false
		}
	}
	return true
}

// assignedIn are the locals that statements set.
func assignedIn(body []ir.Stmt) []string {
	var out []string
	ir.Walk(body, func(s ir.Stmt) { out = append(out, ir.Assigned(s)...) })
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(name string) bool { return name == "" })
}

// usesLocal reports whether statements use a local.
func usesLocal(body []ir.Stmt, name string) bool {
	found := false
	ir.Walk(body, func(s ir.Stmt) {
		for _, e := range ir.Exprs(s) {
			found = found || slices.Contains(namesIn(e), name)
		}
	})
	return found
}

// usedBeside reports whether a local is used outside of a loop, or by the next transaction.
func (a *flow) usedBeside(loop ir.Stmt, name string) bool {
	if slices.ContainsFunc(a.txn.Locals, func(l ir.Local) bool { return l.Name == name && l.Kept }) {
		return true
	}
	uses := func(body []ir.Stmt) (n int) {
		ir.Walk(body, func(s ir.Stmt) {
			for _, e := range ir.Exprs(s) {
				if slices.Contains(namesIn(e), name) {
					n++
				}
			}
		})
		return n
	}
	return uses(a.txn.Body) > uses(ir.Children(loop)[0])
}

// jumps reports whether a statement may leave the round that it is in.
func jumps(body []ir.Stmt) bool {
	found := false
	ir.Walk(body, func(s ir.Stmt) {
		switch s.(type) {
		case *ir.Break, *ir.Continue, *ir.Return:
			found = true
		default: // it goes on
		}
	})
	return found
}

// failed reports whether a round that goes on has found no row to write.
func (t *attempts) failed(end *state) bool {
	tried := false
	for n, p := range end.sightings {
		if n.stmt.Command() == t.try.Command() && t.try.Command() != 0 && n.locks != ir.NoLock {
			if tried = true; p.present != nil {
				return false
			}
		}
	}
	return tried
}
