package schema

import "github.com/txrobust/robust/ir"

var Comparisons = map[string]ir.BinaryOp{"=": ir.Eq, "<>": ir.Ne, "!=": ir.Ne, "<": ir.Lt, "<=": ir.Le, ">": ir.Gt, ">=": ir.Ge, "is": ir.Is}
