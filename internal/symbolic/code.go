package symbolic

import (
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
)

// draw records a FRESH value of the instance; it belongs to a class. A place
// that runs again draws the same value.
func (in *Instance) draw(v Val, class any, source string) {
	for _, f := range in.fresh {
		if f.val.T == v.T {
			return
		}
	}
	in.fresh = append(in.fresh, freshValue{v, class, source})
}

// Unused says that the instance does not run before the base state, so that
// its FRESH values do not occur there in any column of their class.
func (w *World) Unused(base *State, in *Instance) {
	w.unused = append(w.unused, unused{base: base, inst: in})
}

// freshFacts asserts that FRESH values are different from each other and from
// what base states hold, unless they come from different sequences.
func (w *World) freshFacts() {
	defer w.about(w.Topic)
	w.about(TopicFresh)
	var all []freshValue
	for _, in := range w.instances {
		for _, f := range in.fresh {
			for _, g := range all {
				apart := f.source == g.source || f.source == "" || g.source == ""
				if apart && f.val.T.Sort() == g.val.T.Sort() {
					w.Define(w.B.Not(w.B.Eq(f.val.T, g.val.T)))
				}
			}
			all = append(all, f)
		}
	}
	for i := range w.unused {
		u := &w.unused[i]
		for ; u.done < len(u.inst.fresh); u.done++ {
			w.neverHeld(u.base, u.inst.fresh[u.done])
		}
	}
}

func (w *World) neverHeld(s *State, f freshValue) {
	if len(w.code.Sources[f.class]) > 1 {
		return // another sequence may have given the value
	}
	for i, t := range w.Program.Tables {
		for c := range t.Columns {
			if w.code.Classes.Find(prepare.Column{Table: t, Col: c}) != f.class || sortOf(t.Columns[c].Type) != f.val.T.Sort() {
				continue
			}
			w.always([]domain{tableDomain(i)}, func(tuple []Key) *smt.Term {
				return w.B.Or(w.B.Not(s.Alive(i, tuple[0])), w.B.Not(w.same(s.Col(i, c, tuple[0]), f.val)))
			})
		}
	}
}
