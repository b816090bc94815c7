package symbolic

import "github.com/txrobust/robust/internal/ir"

// mayBeNull reports whether a column of t that is not declared NOT NULL may be NULL: of
// a shared variable only if some transaction may write that.
func (w *World) mayBeNull(t *ir.Table) bool { return !t.Var || w.code.Nullable[t] }
