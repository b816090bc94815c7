package simplify

import (
	"github.com/txrobust/robust/client"
	"github.com/txrobust/robust/ir"
)

// collectRows makes a query of each loop that only collects the rows of one: what
// comes of them is their number and, if the program has to do with the rows
// themselves, all of them.
func collectRows(t *client.Txn, newName func(base string) string) (some bool) {
	t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
		var out []client.Stmt
		for _, s := range list {
			f, ok := s.(*client.ForRows)
			if !ok {
				out = append(out, s)
				continue
			}
			body := f.Body
			if len(body) == 1 && f.Query.Null != "" { // the error of Scan ends the loop
				c, isIf := body[0].(*client.If)
				v, isNull := any(nil), false
				if isIf {
					v, isNull = c.Cond.(*client.VarExpr)
				}
				if isNull && v.(*client.VarExpr).Name == f.Query.Null && endsInJump(c.Then) {
					body = c.Else
				}
			}
			after, ok := collects(body)
			if !ok {
				out = append(out, s)
				continue
			}
			some = true
			q := f.Query
			q.Into, q.ByName, q.Null = nil, nil, ""
			for _, a := range after {
				if a.step == 0 {
					q.Returned = true
					continue
				}
				if q.Count == "" {
					q.Count = newName("rows")
					t.Vars = append(t.Vars, client.Var{Name: q.Count, Kind: client.Int})
				}
			}
			out = append(out, q)
			for _, a := range after {
				if a.step == 0 {
					out = append(out, &client.Havoc{At: f.At, Var: a.v})
					continue
				}
				n := client.Expr(client.V(q.Count))
				if a.step != 1 {
					n = &client.Op{Op: "*", Args: []client.Expr{n, client.C(ir.Int(a.step))}}
				}
				out = append(out, &client.Assign{At: f.At, Var: a.v, Expr: &client.Op{Op: "+", Args: []client.Expr{client.V(a.v), n}}})
			}
		}
		return out
	})
	return some
}

// collected is a variable that each round changes: by step, or (0) in another
// way.
type collected struct {
	v    string
	step int64
}

// collects reports whether statements only collect values, and gives the
// variables that they change.
func collects(list []client.Stmt) (out []collected, ok bool) {
	for _, s := range list {
		a, ok := s.(*client.Assign)
		if !ok {
			return nil, false
		}
		c := collected{v: a.Var}
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
