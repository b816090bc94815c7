package expr

import "github.com/txrobust/robust/internal/ir"

// Maybe runs f for something that may not be evaluated.
func (x *Spot) Maybe(f func()) { x.under(nil, f) }

// when runs f for something that is evaluated where a condition is true.
func (x *Spot) when(cond ir.Expr, f func()) {
	if !x.Conditional || x.Guard != nil {
		cond = ir.AndE(x.Guard, cond)
	} else {
		cond = nil // it is not known whether the condition is evaluated
	}
	x.under(cond, f)
}

func (x *Spot) under(guard ir.Expr, f func()) {
	conditional, outer, sure := x.Conditional, x.Guard, x.Sure
	x.Conditional, x.Guard, x.Sure = true, guard, nil
	f()
	x.Conditional, x.Guard, x.Sure = conditional, outer, sure
}
