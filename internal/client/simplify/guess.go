package simplify

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
)

// guesses puts a Guess before each statement that is sent with values which are not followed, and before each
// branch that they decide: a finding that comes there is suspected only. What is shown of such values tells
// no order of transactions from another one.
func guesses(t *client.Txn) {
	lost := map[string]string{}
	client.Walk(t.Body, func(s client.Stmt) {
		if h, ok := s.(*client.Havoc); ok && h.Lost != "" {
			lost[h.Var] = h.Lost
		}
	})
	if len(lost) == 0 {
		return
	}
	of := func(list ...client.Expr) (what string) {
		for _, e := range list {
			eachValue(e, func(name string) {
				if what == "" {
					what = lost[name]
				}
			})
		}
		return what
	}
	for more := true; more; {
		more = false
		client.Walk(t.Body, func(s client.Stmt) {
			a, ok := s.(*client.Assign)
			if !ok || lost[a.Var] != "" {
				return
			}
			if what := of(a.Expr); what != "" {
				lost[a.Var], more = what, true
			}
		})
	}
	t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
		var out []client.Stmt
		for _, s := range list {
			what, at := "", client.At{}
			if q := client.QueryOf(s); q != nil {
				what, at = of(q.Args...), q.At
				for _, a := range q.Named {
					if what == "" {
						what = of(a.Expr)
					}
				}
			} else if c, ok := s.(*client.If); ok {
				what, at = of(c.Cond), c.At
			}
			if what != "" && !slices.ContainsFunc(out, func(s client.Stmt) bool { g, ok := s.(*client.Guess); return ok && strings.HasSuffix(g.What, what) }) {
				out = append(out, &client.Guess{At: at, What: "a value that is not followed: " + what})
			}
			out = append(out, s)
		}
		return out
	})
}

// eachValue calls f for the variables on whose values an expression depends: of a list whose length is taken, only the rounds
// of a loop do, and what is done in them depends on elements, mostly.
func eachValue(e client.Expr, f func(name string)) {
	switch e := e.(type) {
	case *client.VarExpr:
		f(e.Name)
	case *client.Op:
		for _, a := range e.Args {
			eachValue(a, f)
		}
	case *client.Call:
		if e.Name == "len" {
			return
		}
		for _, a := range e.Args {
			eachValue(a, f)
		}
	default: // a constant
	}
}
