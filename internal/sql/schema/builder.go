package schema

import (
	"strconv"

	"github.com/txrobust/robust/ir"
)

// Unmodelled stops the translation of a statement that cannot be modelled.
type Unmodelled struct{ Reason string }

func At(pos ir.Pos) ir.At { return ir.At{Pos: pos} }

func Itoa(i int) string { return strconv.Itoa(i) }
