package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/ir"
)

// An expression that may fail decides whether a transaction commits, also where nobody looks at
// its value. So what may fail of the expressions of a command must be in the statements that
// the command becomes.

// failing names what an expression itself may fail with, "" if it does not.
func failing(e ir.Expr) string {
	if ir.Failure(e) == nil {
		return ""
	}
	switch e := e.(type) {
	case *ir.Call:
		return e.Name
	case *ir.Binary:
		return e.Op.String()
	}
	return ""
}

// keepingFailures translates a command by f, and marks what may fail of it and is left out.
func (b *builder) keepingFailures(f func()) {
	outer, mark := b.fallible, len(b.out)
	b.fallible = nil
	f()
	if len(b.fallible) > 0 {
		b.markLost(b.out[mark:])
	}
	b.fallible = outer
}

// markLost marks what may fail of a command, and is in none of the statements that it became.
func (b *builder) markLost(list []ir.Stmt) {
	kept := map[string]bool{}
	see := func(e ir.Expr) { kept[failing(e)] = true }
	ir.WalkExprs(list, func(e ir.Expr) {
		see(e)
		if c, is := e.(*ir.Call); is && c.Def != nil {
			ir.WalkRel(c.Def.Rel, see)
		}
	})
	slices.Sort(b.fallible)
	for _, name := range slices.Compact(b.fallible) {
		if !kept[name] {
			b.mayDepend(b.cur, "an error of "+name+", of which the value is not used")
		}
	}
}
