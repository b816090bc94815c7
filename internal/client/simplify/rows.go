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
			after, ok := collects(body, func(v string) bool { return uses[v] == insideOf(f)[v] })
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
	if c, ok := stopsAtNull(f); ok {
		return f.Body[1:], []client.Stmt{c}, true
	}
	if len(f.Body) == 0 || f.Query.Null == "" {
		return f.Body, nil, false
	}
	c, ok := f.Body[0].(*client.If)
	if ok && len(c.Else) == 0 && endsInJump(c.Then) {
		c = &client.If{At: c.At, Cond: c.Cond, Then: c.Then, Else: f.Body[1:]}
	} else if len(f.Body) > 1 {
		return f.Body, nil, false
	}
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

// stopsAtNull gives what a loop does that ends where a NULL does not fit: it only sets variables to constants, such as that of an error.
func stopsAtNull(f *client.ForRows) (*client.If, bool) {
	if len(f.Body) < 2 || f.Query.Null == "" {
		return nil, false
	}
	c, ok := f.Body[0].(*client.If)
	if !ok || len(c.Else) > 0 || len(c.Then) == 0 {
		return nil, false
	}
	v, isVar := c.Cond.(*client.VarExpr)
	n := len(c.Then) - 1
	b, leaves := c.Then[n].(*client.Break)
	if !isVar || v.Name != f.Query.Null || !leaves || b.Label != f.Label {
		return nil, false
	}
	for _, s := range c.Then[:n] {
		a, ok := s.(*client.Assign)
		if !ok || insideOf(f)[a.Var] > 0 {
			return nil, false
		}
		if _, isConst := a.Expr.(*client.Const); !isConst {
			return nil, false
		}
	}
	return &client.If{At: c.At, Cond: c.Cond, Then: c.Then[:n]}, true
}

// insideOf counts how often a loop uses each variable.
func insideOf(f *client.ForRows) map[string]int {
	inside := map[string]int{}
	client.EachExpr(f.Body, func(e *client.Expr) { client.EachVar(*e, func(name string) { inside[name]++ }) })
	return inside
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
	inside := insideOf(c.loop)
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
			out = append(out, &client.Emit{At: at, Exprs: from}, &client.Havoc{At: at, Var: a.v, Lost: lostList(a.e)})
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

// lostList says what a list is whose elements come from rows; "" for other values.
func lostList(e client.Expr) string {
	if c, ok := e.(*client.Call); ok && c.Name == "append" {
		return "an element of a list"
	}
	return ""
}

// zeroForNull gives the variable that an If sets to a column, or to the zero value where that is NULL, as libraries do.
func zeroForNull(s client.Stmt) (string, bool) {
	c, ok := s.(*client.If)
	if !ok || len(c.Then) != 1 || len(c.Else) != 1 {
		return "", false
	}
	o, isOp := c.Cond.(*client.Op)
	a, sets := c.Then[0].(*client.Assign)
	b, also := c.Else[0].(*client.Assign)
	if !isOp || o.Op != "null" || !sets || !also || a.Var != b.Var {
		return "", false
	}
	_, isConst := a.Expr.(*client.Const)
	v, isVar := b.Expr.(*client.VarExpr)
	w, column := o.Args[0].(*client.VarExpr)
	return a.Var, isConst && isVar && column && v.Name == w.Name
}

// collected is a variable that each round changes: by step, or (0) in another
// way.
type collected struct {
	v    string
	step int64
	e    client.Expr
}

// collects reports whether statements only collect values, and gives the
// variables that they change. within reports whether nothing but the loop uses a variable: what such a one
// is, under a condition, is a part of what is collected.
func collects(list []client.Stmt, within func(v string) bool) (out []collected, ok bool) {
	for _, s := range list {
		if v, ok := zeroForNull(s); ok {
			if !within(v) {
				out = append(out, collected{v: v, e: client.V(v)})
			}
			continue
		}
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
