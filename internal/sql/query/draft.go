package query

import "github.com/txrobust/robust/internal/sql/pg"

// learnTypes finds the types of the parameters in a WITH query, which nobody may name.
func (x *Place) learnTypes(s *pg.SelectStmt) {
	if x.Draft == nil || len(x.Draft.Typings) == 0 {
		return
	}
	fallible := x.Draft.Fallible
	y := x.Copy()
	x.Draft.Attempt(func() {
		x.Draft.Collect(func() { y.Either(func() { y.Locking(s, false) }, func() { y.derivation(s) }) })
	})
	x.Draft.Fallible = fallible
}
