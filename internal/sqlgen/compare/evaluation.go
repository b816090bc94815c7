package compare

import (
	"strings"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sqlgen"
)

// A server orders conditions by their cost, computes what is constant when it plans,
// and stops where it has what it needs. So it may leave out an evaluation that fails,
// and may make one that no row needs. Which it does, the model does not say.

// undecided reports whether server and model differ by such an error: the server commits
// with what a run gives that leaves the error out, or where the model cannot follow such a
// run, or the server reports an error that an expression of a query may make.
func (a *app) undecided(t *sqlgen.Txn, in *interp.Instance, s served) bool {
	if s.err != nil {
		return evaluation(s.err) && (mayFail(in.Txn) || constantFails(in.Txn))
	}
	for run := range a.lenient().EachRun(in, a.state, nil, true) {
		if run.Undecided() != "" { // the server may have gone there
			return true
		}
		if run.Blocked != "" {
			continue
		}
		if after, why := a.model.machine.Commit(run, a.state, nil); why == "" && a.same(t, run, after, s) {
			return true
		}
	}
	return false
}

// constantFails reports whether a transaction computes something of constants alone that
// fails: the server may do that when it plans.
func constantFails(t *ir.Txn) bool {
	found := false
	ir.WalkExprs(t.Body, func(e ir.Expr) {
		c, ok := e.(*ir.Call)
		if !ok {
			return
		}
		var args []ir.Value
		for _, a := range c.Args {
			if k, ok := a.(*ir.Const); ok {
				args = append(args, k.Value)
			}
		}
		if len(args) == len(c.Args) {
			_, _, err := c.Apply(args)
			found = found || err != nil
		}
	})
	return found
}

// planned tells the classes of errors of the server apart.
func planned(t *ir.Txn) string {
	if constantFails(t) {
		return " (of constants)"
	}
	return ""
}

// lenient is the machine of the model, which leaves out errors of evaluation.
func (a *app) lenient() *interp.Machine {
	m := *a.model.machine
	m.Lenient = true
	return &m
}

// evaluation reports whether an error of the server is one of computing a value.
func evaluation(err error) bool {
	k := code(err)
	if k == errorWords[resultRange] || k == errorWords[byZero] {
		return true
	}
	return strings.HasPrefix(k, "22") || k == "21000"
}

// mayFail reports whether a query of a transaction computes what may fail. What other
// statements compute is computed in any case.
func mayFail(t *ir.Txn) bool {
	found := false
	ir.Walk(t.Body, func(s ir.Stmt) {
		switch s.(type) {
		case *ir.Assign, *ir.If, *ir.Emit, *ir.Assume:
			for _, e := range ir.Exprs(s) {
				ir.WalkExpr(e, func(e ir.Expr) {
					c, ok := e.(*ir.Call)
					found = found || ok && c.Def != nil
				})
			}
			return
		}
		for _, e := range ir.Exprs(s) {
			ir.WalkExpr(e, func(e ir.Expr) { found = found || fails(e) })
		}
	})
	return found
}

// fails reports whether an operation may fail. So may functions of which the model knows
// nothing.
func fails(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Binary:
		return e.Op == ir.Div || e.Op == ir.Mod || e.Within != nil
	case *ir.Call:
		return e.Def != nil || e.Fn != nil || e.Name == irnames.SucceedsFn
	}
	return false
}
