package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/proc"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// gset puts the columns of the row of a statement into variables. Where there is
// not exactly one row, psql leaves the variables as they are; pgbench, and psql
// with ON_ERROR_STOP, end the script.
func (c *psql) gset(n *syntax.Node, tree any) {
	b, f := c.b, c.f
	strict := c.s.S.Pgbench || n.Cmd.Strict
	if n.Cmd.Name == "aset" {
		b.Unmodelled("\\aset")
	}
	var list []int     // the variables
	var fresh []string // where their values are until it is clear that there is one row
	// single says that there is one row at most, direct that the values may go to
	// the variables at once.
	single, direct := true, false
	gives := false
	var into []expr.Dest
	held := map[int]string{} // by variable: where its value is meanwhile
	dests := func(targets []expr.Column) (out, rest []expr.Dest) {
		defer func() { into = out }()
		list, fresh, gives = nil, nil, true
		keep := false // some variable has a value that may have to stay
		for _, col := range targets {
			k := c.number(n.Cmd.Target + col.Name)
			keep = keep || c.vars[k] != nil && (c.roles[k] != queried || c.b.Path.Sure[k] || c.stored[k])
		}
		direct = strict || single && !keep
		for _, col := range targets {
			k := c.number(n.Cmd.Target + col.Name)
			if c.vars[k] == nil {
				out = append(out, expr.Dest{})
				continue
			}
			t := b.setType(c.vars[k], col.Type)
			local := c.vars[k].Local
			if !direct {
				if held[k] == "" {
					held[k] = b.Local(c.vars[k].Name, t)
				}
				local = held[k]
			}
			list, fresh = append(list, k), append(fresh, local)
			out = append(out, expr.Dest{Local: local, T: t})
		}
		return proc.LastOnes(out, nil), nil
	}
	f.Found, f.Rowcount = b.Local("was_found", schema.TBool), ""
	defer func() {
		c.sent.Into, c.sent.Found, c.sent.Count = locals(into), f.Found, f.Rowcount
		f.Found, f.Rowcount = "", ""
	}()
	to := expr.Sink{Kind: expr.IntoLocals, Dests: dests, Strict: strict, Whole: true}
	one := ir.Expr(ir.V(f.Found))
	s, isSelect := tree.(*pg.SelectStmt)
	if isSelect && len(s.ValuesLists) > 1 {
		b.Unmodelled("\\gset of several rows of VALUES")
	}
	if isSelect && len(s.ValuesLists) == 0 {
		b.Apart(s, nil)
		x := b.Ex(f, n.Text)
		q := x.Locking(s, false)
		query.SkipRows(b.Draft, q, n.Pos, false)
		single = len(q.Aggs) > 0 || len(q.From) == 0 || q.AtMost == 1 || b.SingleRow(q.IR())
		if !single && !strict {
			if q.Limit != nil {
				b.Unmodelled("\\gset of a query with LIMIT")
			}
			rows := b.Local("row_count", schema.TInt)
			b.Emit(&ir.Select{At: expr.At(n.Pos), Into: []string{rows}, Aggs: []ir.Agg{{Fn: "count", Type: ir.IntType}}, Query: q.IR()})
			one = ir.Op(ir.Eq, ir.V(rows), ir.C(ir.Int(1)))
		}
		b.SelectInto(f, x, q, n.Pos, to)
	} else {
		body := b.Collect(func() { b.Command(f, n.Text, tree, n.Pos, to) })
		if single = oneRowWritten(body); !single {
			f.Rowcount = b.Local("row_count", schema.TInt)
			body = b.Collect(func() { b.Command(f, n.Text, tree, n.Pos, to) })
			one = ir.Op(ir.Eq, ir.V(f.Rowcount), ir.C(ir.Int(1)))
		}
		b.Out = append(b.Out, body...)
		if !single && strict {
			b.Emit(&ir.Assume{At: expr.At(n.Pos), Cond: one})
		}
	}
	if !gives {
		b.Unmodelled("\\%s of this statement", n.Cmd.Name)
	}
	if !direct && len(list) > 0 {
		b.Emit(&ir.If{At: expr.At(n.Pos), Cond: one, Then: b.Collect(func() {
			for i, k := range list {
				b.Assign(n.Pos, c.vars[k].Local, ir.V(fresh[i]))
			}
		})})
	}
	for _, k := range list {
		c.changed(k, true)
	}
}

// oneRowWritten reports whether the statements insert one row, or change
// rows by a whole key.
func oneRowWritten(list []ir.Stmt) bool {
	one := true
	ir.Walk(list, func(s ir.Stmt) {
		switch s := s.(type) {
		case *ir.Update:
			one = one && expr.FixesKey(s.Table, s.Row, s.Where, nil)
		case *ir.Delete:
			one = one && expr.FixesKey(s.Table, s.Row, s.Where, nil)
		case *ir.Foreach, *ir.While:
			one = false
		}
	})
	return one
}

// lose stands for what \gset does with the row of a statement that is not
// modelled.
func (c *psql) lose(n *syntax.Node) {
	for _, col := range c.resultNames(n) {
		if k := c.number(n.Cmd.Target + col); c.vars[k] != nil {
			c.b.Havoc(n.Pos, c.vars[k].Local)
			c.changed(k, true)
		}
	}
}

// ResultNames gives the names of the columns that \gset makes variables.
func (c *psql) resultNames(n *syntax.Node) []string {
	if list, ok := syntax.ResultNames(n.Raw); ok {
		return list
	}
	var out []string
	for _, v := range c.s.S.Vars { // any of them, then
		if name, ok := strings.CutPrefix(v, n.Cmd.Target); ok {
			out = append(out, name)
		}
	}
	return out
}
