// Package tidy removes from a translated transaction what was written to be
// safe and turned out to be needed by nobody.
//
// A front end that computes FOUND after each statement, or resets a variable
// in each round of a loop, marks those statements as weak; a liveness analysis
// then drops the ones whose result is never read. What is not marked stays,
// so that all that the source says is still there.
package tidy

import (
	"fmt"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
)

// Txn removes the weak statements of t whose result is never read, the locals
// among fields that no statement reads from the queries that set them (unless
// computing them may fail), labels
// that nothing names, a return at the end, and locals that do not occur. For a
// Select of rows, an Insert and a Foreach, weak means that Found or Done may
// go, not the statement.
func Txn(t *ir.Txn, weak map[ir.Stmt]bool, fields map[string]bool) {
	lv := &liveness{weak: weak}
	t.Body, _ = lv.list(t.Body, set{}, true)
	t.Body = unlabel(t.Body)
	if n := len(t.Body); n > 0 {
		if _, ok := t.Body[n-1].(*ir.Return); ok {
			t.Body = t.Body[:n-1]
		}
	}
	pruneFields(t, fields)
	used := set{}
	ir.Walk(t.Body, func(s ir.Stmt) {
		used.reads(s)
		for _, n := range ir.Assigned(s) {
			used[n] = true
		}
	})
	t.Locals = slices.DeleteFunc(t.Locals, func(l ir.Local) bool { return !used[l.Name] })
	forget(t)
}

// forget takes the locals that are not there out of what commands are sent with.
func forget(t *ir.Txn) {
	gone := func(name string) bool { _, known := t.LocalType(name); return !known }
	ir.Walk(t.Body, func(s ir.Stmt) {
		c, ok := s.(*ir.Send)
		if !ok {
			return
		}
		for i := range c.Args {
			read := set{}
			read.expr(c.Args[i].Expr)
			for name := range read {
				if gone(name) {
					c.Args[i].Expr = nil
				}
			}
			if gone(c.Args[i].Set) {
				c.Args[i].Set = ""
			}
		}
		for i, name := range c.Into {
			if gone(name) {
				c.Into[i] = ""
			}
		}
		if gone(c.Found) {
			c.Found = ""
		}
		if gone(c.Count) {
			c.Count = ""
		}
	})
}

// pruneFields drops the fields of records that no statement reads.
func pruneFields(t *ir.Txn, fields map[string]bool) {
	read := set{}
	ir.Walk(t.Body, read.reads)
	prune := func(into []string, cols []ir.Expr) ([]string, []ir.Expr) {
		var names []string
		var exprs []ir.Expr
		for i, n := range into {
			if !fields[n] || read[n] || failure.MayFail(cols[i]) {
				names, exprs = append(names, n), append(exprs, cols[i])
			}
		}
		if len(names) == 0 {
			return into[:1], cols[:1]
		}
		return names, exprs
	}
	ir.Walk(t.Body, func(s ir.Stmt) {
		switch s := s.(type) {
		case *ir.Select:
			if len(s.Cols) > 0 {
				s.Into, s.Cols = prune(s.Into, s.Cols)
			}
		case *ir.Foreach:
			s.Into, s.Cols = prune(s.Into, s.Cols)
		}
	})
}

// set is a set of locals.
type set map[string]bool

func (s set) add(o set) {
	for n := range o {
		s[n] = true
	}
}

func (s set) expr(e ir.Expr) {
	ir.WalkExpr(e, func(e ir.Expr) {
		if v, ok := e.(*ir.Var); ok {
			s[v.Name] = true
		}
	})
}

// reads adds the locals that a statement itself reads.
func (s set) reads(st ir.Stmt) {
	for _, e := range ir.Exprs(st) {
		s.expr(e)
	}
	if d, ok := st.(*ir.Dropped); ok {
		s.expr(d.Query.Where)
		s.expr(d.Limit)
		for _, e := range d.Number {
			s.expr(e)
		}
	}
}

// liveness finds which locals are read later, going backwards.
type liveness struct {
	weak   map[ir.Stmt]bool
	around []liveLoop
}

// liveLoop is what is live where a loop or block ends, and where the next
// round of a loop begins.
type liveLoop struct {
	label     string
	loop      bool
	out, next set
}

// maxLoops is the nesting of loops up to which their rounds are iterated to a
// fixed point; deeper ones count all that they read as live.
const maxLoops = 4

// list gives what is live before a list of statements. With change it also
// drops what is weak and dead.
func (lv *liveness) list(list []ir.Stmt, after set, change bool) ([]ir.Stmt, set) {
	live := after
	var kept []ir.Stmt // backwards
	for i := len(list) - 1; i >= 0; i-- {
		before, keep := lv.stmt(list[i], live, change)
		if keep {
			kept = append(kept, list[i])
		}
		live = before
	}
	if !change {
		return list, live
	}
	out := make([]ir.Stmt, 0, len(kept))
	for i := len(kept) - 1; i >= 0; i-- {
		out = append(out, kept[i])
	}
	return out, live
}

// stmt gives what is live before s, and whether s stays.
func (lv *liveness) stmt(s ir.Stmt, after set, change bool) (before set, keep bool) {
	weak := lv.weak[s]
	live := maps.Clone(after)
	switch s := s.(type) {
	case *ir.Assign:
		if weak && !after[s.Var] {
			return after, false
		}
		delete(live, s.Var)
	case *ir.Havoc:
		if weak && !after[s.Var] {
			return after, false
		}
		delete(live, s.Var)
	case *ir.Select:
		if weak && len(s.Aggs) > 0 && !anyIn(s.Into, after) {
			return after, false
		}
		if weak && change && !after[s.Found] {
			s.Found = ""
		}
		for _, n := range append([]string{s.Found}, s.Into...) {
			delete(live, n)
		}
	case *ir.Insert:
		if weak && change && !after[s.Done] {
			s.Done = ""
		}
		delete(live, s.Done)
	case *ir.If:
		yes, a := lv.list(s.Then, after, change)
		no, b := lv.list(s.Else, after, change)
		if change {
			s.Then, s.Else = yes, no
			if weak && len(yes) == 0 && len(no) == 0 {
				return after, false
			}
		}
		live = maps.Clone(a)
		live.add(b)
	case *ir.Block:
		lv.around = append(lv.around, liveLoop{label: s.Label, out: after})
		body, b := lv.list(s.Body, after, change)
		lv.around = lv.around[:len(lv.around)-1]
		if change {
			s.Body = body
		}
		live = maps.Clone(b)
	case *ir.While:
		live = lv.loop(s.Label, &s.Body, after, nil, s.Cond, change)
	case *ir.ForRange:
		live = lv.loop(s.Label, &s.Body, after, []string{s.Var}, nil, change)
	case *ir.Foreach:
		if weak && change && !after[s.Found] {
			s.Found = ""
		}
		live = lv.loop(s.Label, &s.Body, after, s.Into, nil, change)
	case *ir.Break:
		return lv.target(s.Label, false), true
	case *ir.Continue:
		return lv.target(s.Label, true), true
	case *ir.Return, *ir.Abort, *ir.Fail:
		return set{}, true
	case *ir.Send: // what it is sent with is no reason to compute anything
		return after, true
	case *ir.Emit, *ir.EmitRows, *ir.Update, *ir.Delete, *ir.Cascade, *ir.LockTable, *ir.LockRows, *ir.Dropped, *ir.Assume, *ir.Savepoint, *ir.RollbackTo,
		*ir.Unmodelled, *ir.CopyTable:
	default:
		panic(fmt.Sprintf("tidy: unknown statement %T", s))
	}
	live.reads(s)
	return live, true
}

// loop gives what is live before a loop that sets the locals in sets at the
// start of each round and tests cond before it.
func (lv *liveness) loop(label string, body *[]ir.Stmt, after set, sets []string, cond ir.Expr, change bool) set {
	head := maps.Clone(after)
	if c, ok := cond.(*ir.Const); ok && c.Value.IsTrue() {
		head = set{} // it only ends by a break
	}
	head.expr(cond)
	round := func(change bool) ([]ir.Stmt, set) {
		lv.around = append(lv.around, liveLoop{label, true, after, head})
		list, b := lv.list(*body, head, change)
		lv.around = lv.around[:len(lv.around)-1]
		return list, b
	}
	loops := 0
	for _, l := range lv.around {
		if l.loop {
			loops++
		}
	}
	if loops >= maxLoops {
		ir.Walk(*body, head.reads)
	} else {
		for {
			_, b := round(false)
			b = maps.Clone(b)
			for _, n := range sets {
				delete(b, n)
			}
			size := len(head)
			head.add(b)
			if len(head) == size {
				break
			}
		}
	}
	if change {
		*body, _ = round(true)
	}
	return maps.Clone(head)
}

func anyIn(names []string, s set) bool {
	for _, n := range names {
		if s[n] {
			return true
		}
	}
	return false
}

// target gives what is live where a break or continue goes.
func (lv *liveness) target(label string, next bool) set {
	for i := len(lv.around) - 1; i >= 0; i-- {
		l := lv.around[i]
		if label == "" && l.loop || label != "" && l.label == label {
			if next {
				return l.next
			}
			return l.out
		}
	}
	return set{}
}

// unlabel removes labels that no statement names, and blocks with them.
func unlabel(list []ir.Stmt) []ir.Stmt {
	named := map[string]bool{}
	ir.Walk(list, func(s ir.Stmt) {
		switch s := s.(type) {
		case *ir.Break:
			named[s.Label] = true
		case *ir.Continue:
			named[s.Label] = true
		}
	})
	var clean func(list []ir.Stmt) []ir.Stmt
	clean = func(list []ir.Stmt) []ir.Stmt {
		var out []ir.Stmt
		for _, s := range list {
			ir.EditChildren(s, clean)
			switch s := s.(type) {
			case *ir.Block:
				if !named[s.Label] {
					out = append(out, s.Body...)
					continue
				}
			case *ir.While:
				s.Label = onlyIf(named, s.Label)
			case *ir.ForRange:
				s.Label = onlyIf(named, s.Label)
			case *ir.Foreach:
				s.Label = onlyIf(named, s.Label)
			}
			out = append(out, s)
		}
		return out
	}
	return clean(list)
}

func onlyIf(named map[string]bool, label string) string {
	if named[label] {
		return label
	}
	return ""
}
