package witness

import "github.com/txrobust/robust/internal/ir"

// queries gives the queries of a statement: its own and those of EXISTS.
func queries(s ir.Stmt) []ir.Query {
	var out []ir.Query
	switch s := s.(type) {
	case *ir.Select:
		out = append(out, s.Query)
	case *ir.EmitRows:
		out = append(out, s.Query)
	case *ir.Foreach:
		out = append(out, s.Query)
	case *ir.LockRows:
		out = append(out, s.Query)
	}
	for _, e := range ir.Exprs(s) {
		ir.WalkExpr(e, func(e ir.Expr) {
			if x, ok := e.(*ir.Exists); ok {
				out = append(out, x.Query)
			}
		})
	}
	return out
}
