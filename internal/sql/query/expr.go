package query

import "github.com/txrobust/robust/ir"

// aggCall is an aggregate with the local that will hold its result.
type aggCall struct {
	Agg   ir.Agg
	Local string
}
