// Package guesses lists what the solver has to guess of transactions: the values and errors of functions and queries
// that the symbolic search does not compute itself.
package guesses

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

// Of lists the expressions of transactions with what the solver takes to be any function, and the
// statements that they are in: executions that it proposes may give them other values than the
// interpreter does, and other errors.
func Of(txns []*ir.Txn) (out []string) {
	seen := map[*ir.Txn]bool{}
	for _, t := range txns {
		if seen[t] {
			continue
		}
		seen[t] = true
		ir.Walk(t.Body, func(st ir.Stmt) {
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

// Unconfirmed says that proposals of the solver about transactions are given up, and what it had to guess, or where
// it looked.
func Unconfirmed(txns []*ir.Txn, guesses []string) string {
	if len(guesses) == 0 {
		var names []string
		for _, t := range txns {
			if name := fmt.Sprintf("%s at %s", t.Name, t.Pos); !slices.Contains(names, name) {
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
