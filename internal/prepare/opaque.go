package prepare

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
)

// Opaque lists the functions without a known meaning that templates may apply.
func Opaque(templates []*ir.Txn) []string {
	names := map[string]bool{}
	for _, t := range templates {
		ir.Walk(t.Body, func(st ir.Stmt) {
			for _, e := range ir.Exprs(st) {
				ir.WalkExpr(e, func(e ir.Expr) {
					if call, ok := e.(*ir.Call); ok && !call.Known() {
						names[strings.TrimPrefix(call.Name, irnames.Symmetric)] = true
					}
				})
			}
		})
	}
	return slices.Sorted(maps.Keys(names))
}
