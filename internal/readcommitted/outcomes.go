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
