package program

import (
	"cmp"

	"github.com/txrobust/robust/ir"
)

// ComparePos orders places by file, line and column.
func ComparePos(a, b ir.Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}
