package readcommitted

import (
	"slices"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
)

// outcome is what a path has shown and written so far.
type outcome struct {
	// shown are the values of each Emit; mixed says that it is not known which.
	shown [][]ir.Expr
	mixed bool
	// writing are the sightings by which it may have written; nil is a write that has none.
	writing []*sighting
}

// ending is what a branch shows that does no more before it ends the transaction, and what was shown before.
type ending struct {
	before int
	shows  [][]ir.Expr
}

// shows notes what an Emit gives.
func (o *outcome) shows(exprs []ir.Expr) { o.shown = append(slices.Clip(o.shown), exprs) }

// mayWrite notes a statement that writes what a sighting has found.
func (o *outcome) mayWrite(by *sighting) { o.writing = append(slices.Clip(o.writing), by) }

// forgets is told that a sighting is not followed any more.
func (o *outcome) forgets(n *sighting, p *prospect) {
	i := slices.Index(o.writing, n)
	if i < 0 {
		return
	}
	if o.writing = slices.Clone(o.writing); p.present == nil {
		o.writing = slices.Delete(o.writing, i, i+1)
	} else {
		o.writing[i] = nil
	}
}

// repeats is told that statements run any number of times.
func (o *outcome) repeats(body []ir.Stmt) {
	ir.Walk(body, func(s ir.Stmt) {
		_, emits := s.(*ir.Emit)
		_, rows := s.(*ir.EmitRows)
		o.mixed = o.mixed || emits || rows
		if ir.Written(s) != nil {
			o.mayWrite(nil)
		}
	})
}

// joined is the outcome where two paths meet.
func (o outcome) joined(x outcome) outcome {
	o.mixed = o.mixed || x.mixed || !slices.EqualFunc(o.shown, x.shown, sameTexts)
	o.writing = slices.Concat(o.writing, x.writing)
	return o
}

func sameTexts(x, y []ir.Expr) bool {
	return slices.EqualFunc(x, y, func(a, b ir.Expr) bool { return text(a) == text(b) })
}

// ending is that of a branch that only shows values and ends the transaction, or nil.
func (st *state) ending(body []ir.Stmt) *ending {
	out := &ending{before: len(st.shown)}
	for _, s := range body {
		switch s := s.(type) {
		case *ir.Return:
			return out
		case *ir.Emit:
			var exprs []ir.Expr
			for _, e := range s.Exprs {
				if ir.HasExists(e) || failure.MayFail(e) {
					return nil
				}
				exprs = append(exprs, st.value(e))
			}
			out.shows = append(out.shows, exprs)
		default:
			return nil
		}
	}
	return nil
}

// void reports whether it does not matter what a read gave: this path writes nothing, and each condition that depends on the read
// is one of which the other branch has the same outcome.
func (a *flow) void(st *state, n *sighting) bool {
	if n.values == nil || a.plain != nil || st.mixed || st.usesAnyOf(n) || !a.wroteNothing(st, n) {
		return false
	}
	return !slices.ContainsFunc(st.guards, func(g passed) bool {
		return n.decides(g.cond) && (g.other == nil || failure.MayFail(g.cond) || !a.endsAlike(st, n, g.other))
	})
}

// wroteNothing reports whether a path has written nothing. An insertion of the row that a read has not found does not count: where it
// took place, the row was not there until then.
func (a *flow) wroteNothing(st *state, n *sighting) bool {
	return !slices.ContainsFunc(st.writing, func(w *sighting) bool {
		if w == nil {
			return true
		}
		_, inserts := w.stmt.(*ir.Insert)
		if p := st.sightings[n]; inserts && p != nil && p.present == nil && len(n.key) > 0 && w.table == n.table && !a.frees(n.table) &&
			!slices.ContainsFunc(n.key, func(c int) bool { return !w.equals.shares(n.equals, c) }) {
			return false
		}
		p := st.sightings[w]
		return p == nil || p.present != nil
	})
}

// endsAlike reports whether a path has shown what it would have if a condition had sent it to an ending.
func (a *flow) endsAlike(st *state, n *sighting, e *ending) bool {
	return slices.EqualFunc(st.shown[e.before:], e.shows, func(mine, other []ir.Expr) bool {
		return slices.EqualFunc(mine, other, func(x, y ir.Expr) bool {
			return !n.decides(y) && text(x) == text(y) || a.given(st, n, x, y)
		})
	})
}

// given reports whether a value is that of a column which a read gives, whenever it is read again: the row is there to stay, and
// so is the value.
func (a *flow) given(st *state, n *sighting, is, read ir.Expr) bool {
	v, ok := read.(*ir.Var)
	if !ok {
		return false
	}
	c, mine := n.values[v.Name]
	if t := n.table; !mine || c < 0 || a.code.Deleted[t] || a.code.Updated[t][c] || a.moves(n) || !st.isLasting(t, n.equals) {
		return false
	}
	return slices.ContainsFunc(st.known, func(k lasting) bool {
		return k.table == n.table && !slices.ContainsFunc(n.key, func(c int) bool { return !k.equals.shares(n.equals, c) }) &&
			slices.ContainsFunc(k.equals[c], func(e ir.Expr) bool { return text(e) == text(is) })
	})
}
