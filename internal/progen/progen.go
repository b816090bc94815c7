// Package progen generates random finite programs, for tests that compare the
// analyses with the interpreter: rows of several columns, equal values, NULLs,
// branches, loops, locks, insertions, deletions, predicates, parameters, unique
// and foreign keys, exclusions, and mutants of programs with known anomalies.
package progen

import (
	"fmt"
	"math/rand"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/wellformed"
)

// Options direct the generator.
type Options struct {
	// Vars makes programs over shared variables only, with processes.
	Vars bool
	// Loops, Locks, Keys (unique and foreign) and Nulls switch these on.
	Loops, Locks, Keys, Nulls bool
	// Actions adds foreign keys that act on the children of deleted rows.
	Actions bool
	// Exclusions adds conditions that no two rows may satisfy.
	Exclusions bool
	// Moves makes rows get other keys; with Actions some foreign keys act on
	// their children.
	Moves bool
	// Derived adds derivations, which the solver does not know the meaning of,
	// and exclusions by a condition of that kind.
	Derived bool
	// Txns and Stmts bound the templates and the statements of each.
	Txns, Stmts int
}

// All switches everything on.
var All = Options{Loops: true, Locks: true, Keys: true, Exclusions: true, Actions: true, Moves: true, Nulls: true, Txns: 3, Stmts: 4}

type gen struct {
	r    *rand.Rand
	o    Options
	p    *ir.Program
	txn  *ir.Txn
	ints []string // locals and parameters of type int
	n    int
	deep int
}

// Program makes a random program. Equal states of r give equal programs.
func Program(r *rand.Rand, o Options) *ir.Program {
	g := &gen{r: r, o: o, p: &ir.Program{Name: "random", Domain: &ir.Range{Lo: 0, Hi: 2}}}
	if o.Vars {
		g.vars()
	} else {
		g.tables()
		n := 1 + r.Intn(o.Txns)
		for i := 0; i < n; i++ {
			g.p.Txns = append(g.p.Txns, g.template(fmt.Sprintf("t%d", i)))
		}
	}
	return wellformed.MustCheck("progen", g.p)
}

func (g *gen) chance(percent int) bool { return g.r.Intn(100) < percent }

func (g *gen) value() ir.Expr { return ir.C(ir.Int(int64(g.r.Intn(3)))) }

func (g *gen) vars() {
	for _, n := range []string{"x", "y", "z"}[:2+g.r.Intn(2)] {
		g.p.Tables = append(g.p.Tables, ir.NewVar(ir.Pos{}, n, ir.IntType, ir.Int(int64(g.r.Intn(2)))))
	}
	left := 2 + g.r.Intn(3) // transactions in all
	for i := 0; left > 0; i++ {
		proc := &ir.Process{Name: fmt.Sprintf("p%d", i), Copies: 1}
		for k := 0; k == 0 || left > 0 && g.chance(25); k++ {
			t := g.template(fmt.Sprintf("t%d_%d", i, k))
			for j := range t.Locals {
				t.Locals[j].Kept = true
				t.Locals[j].Name = t.Locals[j].Name + ""
			}
			proc.Txns = append(proc.Txns, t)
			g.p.Txns = append(g.p.Txns, t)
			left--
		}
		g.p.Processes = append(g.p.Processes, proc)
	}
}

func (g *gen) tables() {
	n := 1 + g.r.Intn(2)
	for i := 0; i < n; i++ {
		t := &ir.Table{Name: fmt.Sprintf("t%d", i)}
		t.Columns = append(t.Columns, ir.Column{Name: "k", Type: ir.IntType, NotNull: true})
		t.Key = []int{0}
		if g.chance(20) {
			t.Columns = append(t.Columns, ir.Column{Name: "l", Type: ir.IntType, NotNull: true})
			t.Key = []int{0, 1}
		}
		for c := 0; c < 1+g.r.Intn(2); c++ {
			t.Columns = append(t.Columns, ir.Column{Name: fmt.Sprintf("c%d", c), Type: ir.IntType, NotNull: !g.o.Nulls || g.chance(70)})
		}
		if g.o.Keys && g.chance(25) {
			t.Uniques = append(t.Uniques, ir.Unique{Name: t.Name + "_u", Columns: []int{len(t.Columns) - 1}})
		}
		if g.o.Exclusions && g.chance(40) {
			t.Exclusions = append(t.Exclusions, g.exclusion(t))
		}
		if g.o.Keys && g.chance(20) {
			// Rows satisfies conditions of this form.
			t.Checks = append(t.Checks, ir.TableCheck{Name: t.Name + "_c", Expr: ir.Op([]ir.BinaryOp{ir.Le, ir.Ne}[g.r.Intn(2)],
				&ir.Col{Row: t.Name, Col: t.Columns[len(t.Columns)-1].Name}, &ir.Col{Row: t.Name, Col: t.Columns[g.r.Intn(len(t.Columns)-1)].Name})})
		}
		if g.o.Keys && i > 0 && g.chance(50) && len(g.p.Tables[0].Key) == 1 {
			t.ForeignKeys = append(t.ForeignKeys, ir.ForeignKey{Name: t.Name + "_f", Columns: []int{len(t.Columns) - 1},
				Ref: g.p.Tables[0], RefColumns: []int{0}})
			if fk := &t.ForeignKeys[0]; g.o.Actions && g.chance(70) {
				fk.OnDelete = ir.CascadeDelete
				if !t.Columns[fk.Columns[0]].NotNull && g.chance(60) {
					fk.OnDelete = ir.SetNull
				}
				if g.o.Moves && g.chance(50) {
					fk.OnUpdate = []ir.Action{ir.CascadeUpdate, ir.SetDefault}[g.r.Intn(2)]
				}
				if g.chance(15) {
					fk.OnDelete = ir.SetDefault
				}
			}
		}
		g.p.Tables = append(g.p.Tables, t)
	}
}

// exclusion makes a random one: two columns that overlap as intervals, values
// that are equal (NULLs too) or different, or a condition that the solver does not
// know the meaning of; of all rows or of those that another condition picks.
func (g *gen) exclusion(t *ir.Table) ir.Exclusion {
	x := ir.Exclusion{Name: t.Name + "_x", Rows: [2]string{"a", "b"}}
	col := func(row string, c int) ir.Expr { return &ir.Col{Row: row, Col: t.Columns[c].Name} }
	some := func() int { return g.r.Intn(len(t.Columns)) }
	last := len(t.Columns) - 1
	kinds := 4
	if g.o.Derived {
		kinds = 5
	}
	switch c := some(); g.r.Intn(kinds) {
	case 0: // from c to last
		x.Expr = ir.AndE(ir.Op(ir.Le, col("a", c), col("b", last)), ir.Op(ir.Le, col("b", c), col("a", last)))
	case 1:
		x.Expr = ir.Op(ir.Is, col("a", last), col("b", last))
	case 2:
		x.Expr = ir.Op(ir.Ne, col("a", last), col("b", last))
	case 4:
		x.Expr = &ir.Call{Name: irnames.Symmetric + "overlap", Args: []ir.Expr{col("a", last), col("b", last)}, Type: ir.BoolType}
	default:
		x.Expr = ir.AndE(ir.Op(ir.Eq, col("a", last), col("b", last)), ir.Op(ir.Eq, col("a", c), col("b", c)))
	}
	if g.chance(40) {
		c, v := some(), g.value()
		x.Expr = ir.AndE(x.Expr, ir.Op(ir.Ne, col("a", c), v), ir.Op(ir.Ne, col("b", c), v))
	}
	return x
}

func (g *gen) template(name string) *ir.Txn {
	g.txn = &ir.Txn{Name: name}
	g.ints = nil
	if !g.o.Vars {
		for i := 0; i < g.r.Intn(3); i++ {
			q := ir.Param{Name: fmt.Sprintf("p%d", i), Type: ir.IntType, NotNull: !g.o.Nulls || g.chance(80)}
			g.txn.Params = append(g.txn.Params, q)
			g.ints = append(g.ints, q.Name)
		}
	}
	if g.o.Locks && g.chance(6) {
		g.txn.Body = append(g.txn.Body, g.lockTable())
	}
	g.txn.Body = append(g.txn.Body, g.stmts(1+g.r.Intn(g.o.Stmts))...)
	if !g.o.Vars && len(g.ints) > len(g.txn.Params) && g.chance(60) {
		g.txn.Body = append(g.txn.Body, &ir.Emit{Exprs: []ir.Expr{ir.V(g.ints[len(g.ints)-1])}})
	}
	return g.txn
}

func (g *gen) table() *ir.Table { return g.p.Tables[g.r.Intn(len(g.p.Tables))] }

func (g *gen) local(t ir.Type) string {
	g.n++
	name := g.txn.AddLocal(fmt.Sprintf("v%d", g.n), t)
	return name
}

// intExpr is an expression over locals, constants and, if row is given, its
// columns.
func (g *gen) intExpr(t *ir.Table, row string) ir.Expr {
	pick := func() ir.Expr {
		switch {
		case len(g.ints) > 0 && g.chance(55):
			return ir.V(g.ints[g.r.Intn(len(g.ints))])
		case t != nil && g.chance(50):
			return &ir.Col{Row: row, Col: t.Columns[g.r.Intn(len(t.Columns))].Name}
		}
		return g.value()
	}
	if g.chance(25) {
		return ir.Op([]ir.BinaryOp{ir.Add, ir.Sub}[g.r.Intn(2)], pick(), pick())
	}
	return pick()
}

func (g *gen) cond() ir.Expr {
	op := []ir.BinaryOp{ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt}[g.r.Intn(5)]
	return ir.Op(op, g.intExpr(nil, ""), g.intExpr(nil, ""))
}

// where is a condition on a row: the whole key, or a predicate.
func (g *gen) where(t *ir.Table, row string, key bool) ir.Expr {
	if t.Var {
		return nil
	}
	if key {
		var out ir.Expr
		for _, k := range t.Key {
			out = ir.AndE(out, ir.Op(ir.Eq, &ir.Col{Row: row, Col: t.Columns[k].Name}, g.intExpr(nil, "")))
		}
		return out
	}
	if g.chance(15) {
		return nil
	}
	op := []ir.BinaryOp{ir.Eq, ir.Ne, ir.Lt, ir.Le}[g.r.Intn(4)]
	col := t.Columns[g.r.Intn(len(t.Columns))]
	out := ir.Op(op, &ir.Col{Row: row, Col: col.Name}, g.intExpr(nil, ""))
	if g.chance(10) && len(g.p.Tables) > 1 {
		u := g.table()
		if !u.Var {
			out = ir.AndE(out, &ir.Exists{Query: ir.Query{From: []ir.Source{{Table: u, Row: "e"}},
				Where: ir.Op(ir.Eq, &ir.Col{Row: "e", Col: u.Columns[len(u.Columns)-1].Name}, &ir.Col{Row: row, Col: "k"})}})
			if g.chance(50) {
				b := out.(*ir.Binary)
				b.Y = ir.NotE(b.Y)
			}
		}
	}
	return out
}

func (g *gen) stmts(n int) []ir.Stmt {
	g.deep++
	defer func() { g.deep-- }()
	var out []ir.Stmt
	for i := 0; i < n; i++ {
		out = append(out, g.stmt()...)
	}
	return out
}

func (g *gen) valueCol(t *ir.Table) int {
	if t.Var {
		return 0
	}
	return len(t.Key) + g.r.Intn(len(t.Columns)-len(t.Key))
}

func (g *gen) sets(t *ir.Table, row string) []ir.Set {
	c := g.valueCol(t)
	out := []ir.Set{{Col: c, Expr: g.intExpr(t, row)}}
	if d := g.valueCol(t); d != c && g.chance(30) {
		out = append(out, ir.Set{Col: d, Expr: g.intExpr(t, row)})
	}
	return out
}

func (g *gen) stmt() []ir.Stmt {
	t := g.table()
	row := t.Name
	if g.o.Derived && !t.Var && g.chance(12) {
		return g.derived(t)
	}
	if g.o.Locks && !t.Var && g.chance(7) {
		return []ir.Stmt{g.lockRows(t)}
	}
	src := []ir.Source{{Table: t, Row: row}}
	switch k := g.r.Intn(100); {
	case k < 30: // read into locals
		s := &ir.Select{Query: ir.Query{From: src, Where: g.where(t, row, g.chance(60))}}
		c := t.Columns[g.r.Intn(len(t.Columns))]
		v := g.local(ir.IntType)
		s.Into, s.Cols = []string{v}, []ir.Expr{&ir.Col{Row: row, Col: c.Name}}
		if !t.Var && g.chance(25) {
			s.Order = g.byKey(t, row)
		}
		if g.o.Locks && !t.Var && g.chance(20) {
			s.Locks = g.locks()
		}
		out := []ir.Stmt{s}
		if !t.Var && g.chance(40) {
			s.Found = g.local(ir.BoolType)
			if g.chance(50) {
				out = append(out, &ir.Assume{Cond: ir.V(s.Found)})
			} else if g.chance(50) {
				out = append(out, &ir.If{Cond: ir.V(s.Found), Then: g.nested(), Else: g.maybe()})
			}
		}
		g.ints = append(g.ints, v)
		return out
	case k < 36 && !t.Var:
		fn := []string{"count", "sum", "min", "max"}[g.r.Intn(4)]
		a := ir.Agg{Fn: fn, Arg: &ir.Col{Row: row, Col: t.Columns[g.r.Intn(len(t.Columns))].Name}, Type: ir.IntType, Distinct: g.chance(15)}
		if fn == "count" && g.chance(50) {
			a.Arg, a.Distinct = nil, false
		}
		v := g.local(ir.IntType)
		s := &ir.Select{Into: []string{v}, Aggs: []ir.Agg{a}, Query: ir.Query{From: src, Where: g.where(t, row, false)}}
		g.ints = append(g.ints, v)
		return []ir.Stmt{s}
	case k < 40 && !t.Var:
		v := g.local(ir.BoolType)
		return []ir.Stmt{
			&ir.Assign{Var: v, Expr: &ir.Exists{Query: ir.Query{From: src, Where: g.where(t, row, false)}}},
			&ir.If{Cond: ir.V(v), Then: g.nested(), Else: g.maybe()},
		}
	case k < 45 && !t.Var:
		s := &ir.EmitRows{Query: ir.Query{From: src, Where: g.where(t, row, false)},
			Cols: []ir.Expr{&ir.Col{Row: row, Col: t.Columns[g.r.Intn(len(t.Columns))].Name}}}
		if g.chance(50) {
			s.Cols = append(s.Cols, &ir.Col{Row: row, Col: "k"})
		}
		return []ir.Stmt{s}
	case k < 65:
		return []ir.Stmt{&ir.Update{Table: t, Row: row, Where: g.where(t, row, g.chance(65)), Sets: g.sets(t, row)}}
	case k < 76 && !t.Var:
		return []ir.Stmt{g.insert(t)}
	case k < 79 && !t.Var && g.o.Moves:
		return g.move(t, row)
	case k < 83 && !t.Var:
		out := []ir.Stmt{&ir.Delete{Table: t, Row: row, Where: g.where(t, row, g.chance(60))}}
		for _, child := range g.p.Tables {
			for i, fk := range child.ForeignKeys {
				if fk.Ref == t && fk.OnDelete != ir.NoAction {
					s := &ir.Cascade{Table: child, Key: i}
					if fk.OnDelete == ir.SetDefault {
						s.Values = []ir.Expr{ir.C(ir.Int(0))}
					}
					out = append(out, s)
				}
			}
		}
		return out
	case k < 90 && g.deep < 3:
		return []ir.Stmt{&ir.If{Cond: g.cond(), Then: g.nested(), Else: g.maybe()}}
	case k < 92:
		return []ir.Stmt{&ir.Assume{Cond: g.cond()}}
	case k < 93:
		v := g.local(ir.IntType)
		g.ints = append(g.ints, v)
		return []ir.Stmt{&ir.Havoc{Var: v, NotNull: true}}
	case k < 97 && g.o.Loops && g.deep < 2:
		return g.loop(t, row, src)
	case k < 99 && g.deep < 2:
		g.n++
		name := fmt.Sprintf("s%d", g.n)
		out := append([]ir.Stmt{&ir.Savepoint{Name: name}}, g.nested()...)
		if g.chance(60) {
			return append(out, &ir.If{Cond: g.cond(), Then: []ir.Stmt{&ir.RollbackTo{Name: name}}})
		}
		return append(out, &ir.RollbackTo{Name: name})
	}
	return []ir.Stmt{&ir.Update{Table: t, Row: row, Where: g.where(t, row, true), Sets: g.sets(t, row)}}
}

// move gives a row another value in one column of its key, and now and then in
// the last column, too.
func (g *gen) move(t *ir.Table, row string) []ir.Stmt {
	found := g.local(ir.BoolType)
	sel := &ir.Select{Found: found, Query: ir.Query{From: []ir.Source{{Table: t, Row: row}}}}
	in := &ir.Insert{Table: t, Moved: []int{t.Key[g.r.Intn(len(t.Key))]}}
	if last := len(t.Columns) - 1; g.chance(30) && !t.IsKey(last) {
		in.Moved = append(in.Moved, last)
	}
	del := &ir.Delete{Table: t, Row: row, Moved: true}
	for _, k := range t.Key {
		is := ir.Op(ir.Eq, &ir.Col{Row: row, Col: t.Columns[k].Name}, g.value())
		sel.Query.Where, del.Where = ir.AndE(sel.Query.Where, is), ir.AndE(del.Where, is)
	}
	var key ir.Expr
	for c := range t.Columns {
		v := g.local(ir.IntType)
		sel.Into, sel.Cols = append(sel.Into, v), append(sel.Cols, &ir.Col{Row: row, Col: t.Columns[c].Name})
		in.Cols, in.Values = append(in.Cols, c), append(in.Values, ir.Expr(ir.V(v)))
		for _, m := range in.Moved {
			if m == c {
				in.Values[c] = g.value()
			}
		}
		if c == t.Key[0] {
			key = in.Values[c]
		}
	}
	then := []ir.Stmt{del, in}
	for _, child := range g.p.Tables {
		for i := range child.ForeignKeys {
			fk := &child.ForeignKeys[i]
			if fk.Ref != t {
				continue
			}
			switch fk.OnMove(in.Moved) {
			case ir.CascadeUpdate:
				then = append(then, &ir.Cascade{Table: child, Key: i, Values: []ir.Expr{key}})
			case ir.SetDefault:
				then = append(then, &ir.Cascade{Table: child, Key: i, Values: []ir.Expr{ir.C(ir.Int(0))}})
			}
		}
	}
	return []ir.Stmt{sel, &ir.If{Cond: ir.V(found), Then: then}}
}

func (g *gen) nested() []ir.Stmt {
	// Locals that a branch sets stay in scope: unset ones are NULL.
	return g.stmts(1 + g.r.Intn(2))
}

func (g *gen) maybe() []ir.Stmt {
	if g.chance(60) {
		return nil
	}
	return g.nested()
}

func (g *gen) insert(t *ir.Table) *ir.Insert {
	s := &ir.Insert{Table: t}
	for c := range t.Columns {
		s.Cols = append(s.Cols, c)
		s.Values = append(s.Values, g.intExpr(nil, ""))
	}
	if g.chance(30) {
		s.Conflict = &ir.Conflict{Row: "old"}
		if g.chance(60) {
			s.Conflict.Target = t.Key
		}
		if g.chance(50) {
			s.Conflict.Target = t.Key
			s.Conflict.Sets = g.sets(t, "old")
			if g.chance(30) {
				s.Conflict.Lock = ir.ForUpdate
			}
			if g.chance(30) {
				s.Conflict.Where = ir.Op(ir.Lt, &ir.Col{Row: "old", Col: t.Columns[len(t.Columns)-1].Name}, g.value())
			}
		}
		if g.chance(40) {
			s.Done = g.local(ir.BoolType)
		}
	}
	return s
}

func (g *gen) loop(t *ir.Table, row string, src []ir.Source) []ir.Stmt {
	v := g.local(ir.IntType)
	switch k := g.r.Intn(5); {
	case k == 4 && !t.Var: // the rounds may touch different rows
		own := ir.Op(ir.Eq, &ir.Col{Row: row, Col: "k"}, ir.V(v))
		return []ir.Stmt{&ir.ForRange{Var: v, From: ir.C(ir.Int(0)), To: ir.C(ir.Int(2)), Body: append(
			[]ir.Stmt{&ir.Update{Table: t, Row: row, Where: own, Sets: g.sets(t, row)}}, g.maybe()...)}}
	case k == 0:
		g.ints = append(g.ints, v)
		return []ir.Stmt{&ir.ForRange{Var: v, From: ir.C(ir.Int(1)), To: ir.C(ir.Int(2)), Body: g.nested()}}
	case k == 1:
		to := g.intExpr(nil, "")
		g.ints = append(g.ints, v)
		return []ir.Stmt{&ir.If{Cond: &ir.Unary{Op: ir.Not, X: &ir.Unary{Op: ir.IsNull, X: to}},
			Then: []ir.Stmt{&ir.ForRange{Var: v, From: ir.C(ir.Int(1)), To: to, Body: g.nested()}}}}
	case k == 2 && !t.Var:
		s := &ir.Foreach{Into: []string{v}, Cols: []ir.Expr{&ir.Col{Row: row, Col: t.Columns[g.r.Intn(len(t.Columns))].Name}},
			Query: ir.Query{From: src, Where: g.where(t, row, false)}, Order: g.byKey(t, row)}
		if g.o.Locks && g.chance(30) {
			s.Locks, s.Ahead = g.locks(), g.chance(50)
		}
		g.ints = append(g.ints, v)
		s.Body = g.nested()
		return []ir.Stmt{s}
	}
	g.ints = append(g.ints, v)
	body := append(g.nested(), &ir.Assign{Var: v, Expr: ir.Op(ir.Add, ir.V(v), ir.C(ir.Int(1)))})
	if g.chance(30) {
		body = append(body, &ir.If{Cond: g.cond(), Then: []ir.Stmt{&ir.Break{}}})
	}
	return []ir.Stmt{
		&ir.Assign{Var: v, Expr: ir.C(ir.Int(0))},
		&ir.While{Cond: ir.Op(ir.Lt, ir.V(v), ir.C(ir.Int(2))), Body: body},
	}
}
