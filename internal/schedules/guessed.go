package schedules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
)

// maxNamed bounds how many expressions a reason names.
const maxNamed = 4

// computed are the functions of the IR that the symbolic search computes itself.
var computed = []string{"elem", "len", "octets of"}

// totals are the aggregates that it computes.
var totals = []string{"count", "sum", "min", "max"}

// guessed lists the expressions of calls with what the solver takes to be any function, and the
// statements that they are in: executions that it proposes may give them other values than the
// interpreter does, and other errors.
func guessed(calls []*Call) (out []string) {
	seen := map[*ir.Txn]bool{}
	for _, c := range calls {
		if seen[c.Txn] {
			continue
		}
		seen[c.Txn] = true
		ir.Walk(c.Txn.Body, func(st ir.Stmt) {
			var names []string
			for _, e := range ir.Exprs(st) {
				ir.WalkExpr(e, func(e ir.Expr) {
					if name := guess(e); name != "" {
						names = append(names, name)
					}
				})
			}
			if q, ok := st.(*ir.Select); ok {
				for _, a := range q.Aggs {
					if a.Fn != irnames.RowsAgg && !slices.Contains(totals, a.Fn) {
						names = append(names, a.Fn)
					}
				}
			}
			slices.Sort(names)
			for _, name := range slices.Compact(names) {
				if what := fmt.Sprintf("%s at %s", name, st.Position()); !slices.Contains(out, what) {
					out = append(out, what)
				}
			}
		})
	}
	return out
}

// guess names what an expression itself guesses, or is empty.
func guess(e ir.Expr) string {
	c, is := e.(*ir.Call)
	switch {
	case !is || c.Name == irnames.RowFn || slices.Contains(computed, c.Name):
		return ""
	case c.Def != nil || c.Name == irnames.SucceedsFn:
		return "a query"
	}
	if f := c.Function(); f != nil && f.Canonical {
		return ""
	}
	return strings.TrimPrefix(c.Name, irnames.Symmetric)
}

// unconfirmed says that proposals of the solver are given up, and what it had to guess, or where
// it looked.
func unconfirmed(calls []*Call, guesses []string) string {
	if len(guesses) == 0 {
		var names []string
		for _, c := range calls {
			if name := fmt.Sprintf("%s at %s", c.Txn.Name, c.Txn.Pos); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		return "the interpreter does not confirm the executions of " + listed(names) + " that the solver proposes"
	}
	return "the solver has to guess the values and errors of " + listed(guesses) + ", and the interpreter does not confirm the executions that it proposes"
}

// listed joins some of a list.
func listed(list []string) string {
	if rest := len(list) - maxNamed; rest > 0 {
		return strings.Join(list[:maxNamed], ", ") + fmt.Sprintf(" and %d others", rest)
	}
	return strings.Join(list, ", ")
}
