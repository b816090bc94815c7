package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// gset puts the columns of the row of a statement into variables. Where there is
// not exactly one row, psql leaves the variables as they are; pgbench, and psql
// with ON_ERROR_STOP, end the script.
func (c *psql) gset(n *syntax.Node, tree any) {
	b, f := c.b, c.f
	strict := c.s.S.Pgbench || n.Cmd.Strict
	if n.Cmd.Name == "aset" {
		b.unmodelled("\\aset")
	}
	var list []int     // the variables
	var fresh []string // where their values are until it is clear that there is one row
	// single says that there is one row at most, direct that the values may go to
	// the variables at once.
	single, direct := true, false
	gives := false
	var into []dest
	held := map[int]string{} // by variable: where its value is meanwhile
	dests := func(targets []colDef) (out, rest []dest) {
		defer func() { into = out }()
		list, fresh, gives = nil, nil, true
		keep := false // some variable has a value that may have to stay
		for _, col := range targets {
			k := c.number(n.Cmd.Target + col.name)
			keep = keep || c.vars[k] != nil && (c.roles[k] != queried || c.sure[k] || c.stored[k])
		}
		direct = strict || single && !keep
		for _, col := range targets {
			k := c.number(n.Cmd.Target + col.name)
			if c.vars[k] == nil {
				out = append(out, dest{})
				continue
			}
			t := b.setType(c.vars[k], col.t)
			local := c.vars[k].local
			if !direct {
				if held[k] == "" {
					held[k] = b.local(c.vars[k].name, t)
				}
				local = held[k]
			}
			list, fresh = append(list, k), append(fresh, local)
			out = append(out, dest{local, t})
		}
		return lastOnes(out, nil), nil
	}
	f.found, f.rowcount = b.local("was_found", schema.TBool), ""
	defer func() {
		c.sent.Into, c.sent.Found, c.sent.Count = locals(into), f.found, f.rowcount
		f.found, f.rowcount = "", ""
	}()
	to := sink{kind: intoLocals, dests: dests, strict: strict, whole: true}
	one := ir.Expr(ir.V(f.found))
	s, isSelect := tree.(*pg.SelectStmt)
	if isSelect && len(s.ValuesLists) > 1 {
		b.unmodelled("\\gset of several rows of VALUES")
	}
	if isSelect && len(s.ValuesLists) == 0 {
		b.apart(s, nil)
		x := b.ex(f, n.Text)
		q := x.locking(s, false)
		b.skipRows(q, n.Pos, false)
		single = len(q.aggs) > 0 || len(q.from) == 0 || q.atMost == 1 || b.singleRow(q.ir())
		if !single && !strict {
			if q.limit != nil {
				b.unmodelled("\\gset of a query with LIMIT")
			}
			rows := b.local("row_count", schema.TInt)
			b.emit(&ir.Select{At: at(n.Pos), Into: []string{rows}, Aggs: []ir.Agg{{Fn: "count", Type: ir.IntType}}, Query: q.ir()})
			one = ir.Op(ir.Eq, ir.V(rows), ir.C(ir.Int(1)))
		}
		b.selectInto(f, x, q, n.Pos, to)
	} else {
		body := b.collect(func() { b.command(f, n.Text, tree, n.Pos, to) })
		if single = oneRowWritten(body); !single {
			f.rowcount = b.local("row_count", schema.TInt)
			body = b.collect(func() { b.command(f, n.Text, tree, n.Pos, to) })
			one = ir.Op(ir.Eq, ir.V(f.rowcount), ir.C(ir.Int(1)))
		}
		b.out = append(b.out, body...)
		if !single && strict {
			b.emit(&ir.Assume{At: at(n.Pos), Cond: one})
		}
	}
	if !gives {
		b.unmodelled("\\%s of this statement", n.Cmd.Name)
	}
	if !direct && len(list) > 0 {
		b.emit(&ir.If{At: at(n.Pos), Cond: one, Then: b.collect(func() {
			for i, k := range list {
				b.assign(n.Pos, c.vars[k].local, ir.V(fresh[i]))
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
			one = one && fixesKey(s.Table, s.Row, s.Where, nil)
		case *ir.Delete:
			one = one && fixesKey(s.Table, s.Row, s.Where, nil)
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
			c.b.havoc(n.Pos, c.vars[k].local)
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
