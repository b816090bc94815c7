package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/ir"
)

// An expression that may fail decides whether a transaction commits, also where nobody looks at
// its value. So what may fail of the expressions of a command must be in the statements that
// the command becomes.

// keepingFailures translates a command by f, and marks what may fail of it and is left out.
func (b *Routine) keepingFailures(f func()) {
	outer, mark := b.Fallible, len(b.Out)
	b.Fallible = nil
	f()
	if len(b.Fallible) > 0 {
		b.markLost(b.Out[mark:])
	}
	b.Fallible = outer
}

// markLost marks what may fail of a command, and is in none of the statements that it became.
func (b *Routine) markLost(list []ir.Stmt) {
	kept := map[string]bool{}
	see := func(e ir.Expr) { kept[query.Failing(e)] = true }
	ir.WalkExprs(list, func(e ir.Expr) {
		see(e)
		if c, is := e.(*ir.Call); is && c.Def != nil {
			ir.WalkRel(c.Def.Rel, see)
		}
	})
	slices.Sort(b.Fallible)
	for _, name := range slices.Compact(b.Fallible) {
		if !kept[name] {
			b.MayDepend(b.Cur, "an error of "+name+", of which the value is not used")
		}
	}
}
