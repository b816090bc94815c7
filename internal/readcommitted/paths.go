package readcommitted

import (
	"fmt"
	"maps"
	"slices"

	"github.com/txrobust/robust/ir"
)

// forget drops what is known of locals that change.
func forget(changed []string, st *state) {
	for _, name := range changed {
		maps.DeleteFunc(st.held, func(_ rowKey, locals map[string]bool) bool { return locals[name] })
		for x, f := range st.open {
			delete(f, name)
			x.stale = x.stale || x.locals[name]
		}
	}
}

// assign is what is known of the locals that a statement sets.
func (a *atomicity) assign(s ir.Stmt, st *state) {
	known := map[*sighting]facts{}
	if set, ok := s.(*ir.Assign); ok {
		for x, f := range st.open {
			if v, is := valueOf(set.Expr, f); is {
				known[x] = facts{set.Var: v}
			}
		}
	}
	forget(ir.Assigned(s), st)
	for x, f := range known {
		maps.Copy(st.open[x], f)
	}
	if a.met != nil {
		maps.Copy(st.open[a.met], a.told)
	}
}

// where is the state in which a condition is true, or is not. Sightings for which that
// cannot be without the row are over: the row is there, and locked.
func where(cond ir.Expr, is bool, st *state) *state {
	st = st.clone()
	for x, f := range st.open {
		v, known := valueOf(cond, f)
		if !known || (v == ir.Bool(true)) == is {
			continue
		}
		delete(st.open, x)
		st.acted = true
		if !x.stale {
			st.held[x.key] = x.locals
		}
	}
	return st
}

// valueOf computes an expression of locals of which some are known.
func valueOf(e ir.Expr, known facts) (ir.Value, bool) {
	switch e := e.(type) {
	case *ir.Const:
		return e.Value, true
	case *ir.Var:
		v, ok := known[e.Name]
		return v, ok
	case *ir.Unary:
		v, ok := valueOf(e.X, known)
		switch {
		case !ok || e.Op == ir.Neg:
			return ir.Null, false
		case e.Op == ir.IsNull:
			return ir.Bool(v == ir.Null), true
		case v == ir.Null:
			return ir.Null, true
		}
		return ir.Bool(v != ir.Bool(true)), true
	case *ir.Binary:
		return binary(e, known)
	case *ir.Col, *ir.Cond, *ir.Call, *ir.Exists:
		return ir.Null, false
	}
	panic(fmt.Sprintf("readcommitted: unknown expression %T", e))
}

func binary(e *ir.Binary, known facts) (ir.Value, bool) {
	x, hasX := valueOf(e.X, known)
	y, hasY := valueOf(e.Y, known)
	if e.Op == ir.Or || e.Op == ir.And {
		decides := ir.Bool(e.Op == ir.Or)
		switch {
		case hasX && x == decides || hasY && y == decides:
			return decides, true
		case !hasX || !hasY:
			return ir.Null, false
		case x == ir.Null || y == ir.Null:
			return ir.Null, true
		}
		return ir.Bool(e.Op == ir.And), true
	}
	switch {
	case e.Op == ir.Is || e.Op > ir.Ge:
		return ir.Null, false
	case hasX && x == ir.Null || hasY && y == ir.Null:
		return ir.Null, true
	case !hasX || !hasY || x.Kind != ir.KindInt || y.Kind != ir.KindInt:
		return ir.Null, false
	}
	switch e.Op {
	case ir.Eq:
		return ir.Bool(x.I == y.I), true
	case ir.Ne:
		return ir.Bool(x.I != y.I), true
	case ir.Lt:
		return ir.Bool(x.I < y.I), true
	case ir.Le:
		return ir.Bool(x.I <= y.I), true
	case ir.Gt:
		return ir.Bool(x.I > y.I), true
	}
	return ir.Bool(x.I >= y.I), true
}

// block goes through the body of a block.
func (a *atomicity) block(label string, body []ir.Stmt, st *state) *state {
	b := &around{label: label}
	a.around = append(a.around, b)
	out := a.list(body, st)
	a.around = a.around[:len(a.around)-1]
	for _, left := range b.left {
		out = joined(out, left)
	}
	return out
}

// loop goes through one round of a loop that stands for all: a sighting is not carried
// from one into the next.
func (a *atomicity) loop(s ir.Stmt, st *state) *state {
	if locks, _ := ir.LocksOf(s); len(locks) > 0 {
		a.fail(s.Position(), "it locks rows in a loop")
		return nil
	}
	a.queries(s, ir.Reads(s))
	body := ir.Children(s)[0]
	changed := ir.Assigned(s)
	ir.Walk(body, func(s ir.Stmt) {
		changed = append(changed, ir.Assigned(s)...)
		st.acted = st.acted || len(ir.Reads(s)) > 0 || ir.Written(s) != nil
	})
	forget(changed, st)
	l := &around{label: labelOf(s), loop: true}
	a.around = append(a.around, l)
	end := a.list(body, st.clone())
	a.around = a.around[:len(a.around)-1]
	for _, r := range l.rounds {
		end = joined(end, r)
	}
	if end != nil {
		for x := range end.open {
			if _, before := st.open[x]; !before {
				a.fail(x.pos, "in a loop, it %s, and goes on where that is not there", x.what)
			}
		}
	}
	out := joined(st, end)
	for _, left := range l.left {
		out = joined(out, left)
	}
	return out
}

func labelOf(s ir.Stmt) string {
	switch s := s.(type) {
	case *ir.While:
		return s.Label
	case *ir.ForRange:
		return s.Label
	case *ir.Foreach:
		return s.Label
	default:
		panic(fmt.Sprintf("readcommitted: %T is no loop", s))
	}
}

// jump leaves a loop or block, or begins its next round.
func (a *atomicity) jump(s ir.Stmt, st *state) {
	label := ""
	if b, ok := s.(*ir.Break); ok {
		label = b.Label
	}
	c, next := s.(*ir.Continue)
	if next {
		label = c.Label
	}
	for _, to := range slices.Backward(a.around) {
		if label == "" && !to.loop || label != "" && to.label != label {
			continue
		}
		if next {
			to.rounds = append(to.rounds, st)
		} else {
			to.left = append(to.left, st)
		}
		return
	}
	a.fail(s.Position(), "it leaves what it is not in")
}
