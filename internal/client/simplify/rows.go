package simplify

import (
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// collectRows makes a query of each loop that only collects the rows of one: what
// comes of them is their number and, if the program has to do with the rows
// themselves, all of them.
func collectRows(t *client.Txn, newName func(base string) string) (some bool) {
	uses := map[string]int{}
	client.EachExpr(t.Body, func(e *client.Expr) { client.EachVar(*e, func(name string) { uses[name]++ }) })
	t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
		var out []client.Stmt
		for _, s := range list {
			f, ok := s.(*client.ForRows)
			if !ok {
				out = append(out, s)
				continue
			}
			body, end, own := endAtNull(f)
			after, ok := collects(body)
			if !ok {
				out = append(out, s)
				continue
			}
			some = true
			c := &collection{txn: t, newName: newName, loop: f, partly: own}
			c.keepColumns(uses, end)
			out = append(append(append(out, f.Query), end...), c.effects(after)...)
		}
		return out
	})
	return some
}

// endAtNull splits the body of a loop: what it does where a NULL does not fit, if
// that ends the round, and the rest. own says that the loop goes on, or what is
// behind it, and not somewhere else.
func endAtNull(f *client.ForRows) (rest, end []client.Stmt, own bool) {
	if len(f.Body) != 1 || f.Query.Null == "" {
		return f.Body, nil, false
	}
	c, ok := f.Body[0].(*client.If)
	if ok && len(c.Else) == 0 && client.ExprString(c.Cond) == client.ExprString(client.Not(client.V(f.Query.Null))) {
		return c.Then, nil, true // the next row comes where a NULL does not fit
	}
	if !ok || !endsInJump(c.Then) {
		return f.Body, nil, false
	}
	if v, isVar := c.Cond.(*client.VarExpr); !isVar || v.Name != f.Query.Null {
		return f.Body, nil, false
	}
	own = leaves(c.Then, f.Label) || continues(c.Then, f.Label)
	if own && len(c.Then) == 1 {
		return c.Else, nil, true
	}
	if own {
		return f.Body, nil, false
	}
	return c.Else, []client.Stmt{&client.If{At: c.At, Cond: c.Cond, Then: c.Then}}, false
}

// collection makes a query of a loop. partly says that it may leave rows out.
type collection struct {
	txn     *client.Txn
	newName func(base string) string
	loop    *client.ForRows
	partly  bool
	// left are the variables that have the values of the last row.
	left []string
}

// keepColumns leaves the query those of its columns that a NULL may not fit, in
// variables of their own, if something happens then.
func (c *collection) keepColumns(uses map[string]int, end []client.Stmt) {
	q := c.loop.Query
	inside := map[string]int{}
	client.EachExpr(c.loop.Body, func(e *client.Expr) { client.EachVar(*e, func(name string) { inside[name]++ }) })
	fits := map[string]bool{}
	kind := map[string]client.Kind{}
	for _, v := range c.txn.Vars {
		fits[v.Name], kind[v.Name] = v.Nullable || v.Kind == client.Any, v.Kind
	}
	q.Every = len(end) > 0
	client.EachColumn(q, func(v *string) {
		if *v == "" {
			return
		}
		if uses[*v] > inside[*v] && !slices.Contains(c.left, *v) {
			c.left = append(c.left, *v)
		}
		if name := *v; q.Every && !fits[name] {
			*v = c.newName(name)
			c.txn.Vars = append(c.txn.Vars, client.Var{Name: *v, Kind: kind[name]})
		} else {
			*v = ""
		}
	})
	q.ByName = slices.DeleteFunc(q.ByName, func(a client.Arg) bool { return a.Expr.(*client.VarExpr).Name == "" })
	if !q.Every {
		q.Into, q.ByName, q.Null = nil, nil, ""
	}
}

// effects are what the loop does to variables.
func (c *collection) effects(after []collected) (out []client.Stmt) {
	q, at := c.loop.Query, c.loop.At
	for _, v := range c.left {
		q.Returned = true
		out = append(out, &client.Emit{At: at, Exprs: []client.Expr{client.V(v)}}, &client.Havoc{At: at, Var: v})
	}
	for _, a := range after {
		if a.step == 0 || c.partly {
			q.Returned = true
			from := []client.Expr{client.V(a.v)}
			client.EachVar(a.e, func(name string) {
				if name != a.v {
					from = append(from, client.V(name))
				}
			})
			out = append(out, &client.Emit{At: at, Exprs: from}, &client.Havoc{At: at, Var: a.v})
			continue
		}
		if q.Count == "" {
			q.Count = c.newName("rows")
			c.txn.Vars = append(c.txn.Vars, client.Var{Name: q.Count, Kind: client.Int})
		}
		n := client.Expr(client.V(q.Count))
		if a.step != 1 {
			n = &client.Op{Op: "*", Args: []client.Expr{n, client.C(ir.Int(a.step))}}
		}
		out = append(out, &client.Assign{At: at, Var: a.v, Expr: &client.Op{Op: "+", Args: []client.Expr{client.V(a.v), n}}})
	}
	return out
}

// collected is a variable that each round changes: by step, or (0) in another
// way.
type collected struct {
	v    string
	step int64
	e    client.Expr
}

// collects reports whether statements only collect values, and gives the
// variables that they change.
func collects(list []client.Stmt) (out []collected, ok bool) {
	for _, s := range list {
		a, ok := s.(*client.Assign)
		if !ok {
			return nil, false
		}
		c := collected{v: a.Var, e: a.Expr}
		if o, isOp := a.Expr.(*client.Op); isOp && o.Op == "+" {
			x, isVar := o.Args[0].(*client.VarExpr)
			k, isConst := o.Args[1].(*client.Const)
			if isVar && isConst && x.Name == a.Var && k.Value.Kind == ir.KindInt {
				c.step = k.Value.I
			}
		}
		out = append(out, c)
	}
	return out, true
}
