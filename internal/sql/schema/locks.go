package schema

import (
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/ir"
)

// Volatile reports whether an expression calls a function that may give another value
// each time.
func (l *Schema) Volatile(e ir.Expr) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) {
		c, ok := e.(*ir.Call)
		found = found || ok && l.Builtin(c.Name).Effect >= catalog.AnyValue
	})
	return found
}
