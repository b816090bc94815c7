package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// A part of a statement that is not known, where it belongs to the condition on the
// rows, is a function of the rows, of which nothing else is known. That holds as long
// as it names no tables and no functions with effects, which is taken for granted of
// each hole. A part that may limit or order the rows is something else: which rows
// remain depends on all of them.

// isHoleCall reports whether an expression stands for a part that is not known.
func isHoleCall(n *pg.Node) bool {
	c, ok := pg.Inner(n).(*pg.FuncCall)
	return ok && strings.Join(syntax.Names(c.Funcname), ".") == schema.HoleFunc
}
