package scalars

import (
	"errors"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// constants gives the values of arguments, if all are constants.
func constants(args []ir.Expr) ([]ir.Value, bool) {
	values := make([]ir.Value, len(args))
	for i, a := range args {
		c, is := a.(*ir.Const)
		if !is {
			return nil, false
		}
		values[i] = c.Value
	}
	return values, true
}

// Computed computes a call of constants.
func Computed(c *ir.Call) ir.Expr {
	if v, err := Evaluated(c.Fn, c.Type, c.Args...); err == nil && !c.Fn.Settings {
		return ir.C(v)
	}
	return c
}

// Evaluated gives the value of a function for constants, ir.ErrNotKnown where they are none.
func Evaluated(f *ir.Function, t ir.Type, args ...ir.Expr) (ir.Value, error) {
	values, constant := constants(args)
	switch {
	case !constant || f.Eval == nil:
		return ir.Null, ir.ErrNotKnown
	case f.Strict && slices.ContainsFunc(values, ir.Value.IsNull):
		return ir.Null, nil
	}
	return f.Eval(values, t)
}

// FailsOnConstants reports whether a call of a function is known to fail, whatever the rows are.
func FailsOnConstants(fn *ir.Function, result ir.Type, args []ir.Expr) bool {
	if fn == nil {
		return false
	}
	_, err := Evaluated(fn, result, args...)
	return err != nil && !errors.Is(err, ir.ErrNotKnown)
}
