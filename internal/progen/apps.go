package progen

import (
	"fmt"
	"math/rand"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/wellformed"
)

// Application makes a program that is like a large application: tables with
// keys, half of them with a journal that refers to them, and templates that each
// touch a few rows by key. It is robust: whoever reads what others write either
// writes the row that it read, or writes nothing, or adds a row of its own to a
// journal whose rows are read one at a time. Equal states of r give equal
// programs.
func Application(r *rand.Rand, templates, tables int) *ir.Program {
	a := &application{r: r, p: &ir.Program{Name: fmt.Sprintf("application-%d-%d", templates, tables)}}
	for i := range max(1, tables/2) {
		a.add(i, i < tables-tables/2 || tables == 1, tables > 1)
	}
	kinds := []func(name string, i int) *ir.Txn{a.change, a.show, a.move, a.log, a.entry, a.open, a.audit}
	for i := range templates {
		// Every table gets every kind in turn.
		k := i / len(a.bases) % len(kinds)
		a.p.Txns = append(a.p.Txns, kinds[k](fmt.Sprintf("t%d", i), i%len(a.bases)))
	}
	return wellformed.MustCheck("progen", a.p)
}

type application struct {
	r               *rand.Rand
	p               *ir.Program
	bases, journals []*ir.Table
}

func (a *application) add(i int, base, journal bool) {
	integer := func(name string) ir.Column { return ir.Column{Name: name, Type: ir.IntType, NotNull: true} }
	t := &ir.Table{Name: fmt.Sprintf("base%d", i), Columns: []ir.Column{integer("id"), integer("v"), integer("w"), integer("kind")}, Key: []int{0}}
	a.p.Tables = append(a.p.Tables, t)
	a.bases = append(a.bases, t)
	j := t
	if journal {
		j = &ir.Table{Name: fmt.Sprintf("journal%d", i), Columns: []ir.Column{integer("id"), integer("of"), integer("v")}, Key: []int{0},
			ForeignKeys: []ir.ForeignKey{{Name: fmt.Sprintf("of%d", i), Columns: []int{1}, Ref: t, RefColumns: []int{0}}}}
		a.p.Tables = append(a.p.Tables, j)
	}
	a.journals = append(a.journals, j)
}

func txn(name string, locals []string, params []ir.Param, body ...ir.Stmt) *ir.Txn {
	t := &ir.Txn{Name: name, Params: params, Body: body}
	for _, l := range locals {
		t.Locals = append(t.Locals, ir.Local{Name: l, Type: ir.IntType})
	}
	return t
}

func param(name string) ir.Param { return ir.Param{Name: name, Type: ir.IntType, NotNull: true} }

func field(c string) ir.Expr { return &ir.Col{Row: "r", Col: c} }

func is(c, param string) ir.Expr { return ir.Op(ir.Eq, field(c), &ir.Var{Name: param}) }

func from(t *ir.Table, where ir.Expr) ir.Query {
	return ir.Query{From: []ir.Source{{Table: t, Row: "r"}}, Where: where}
}

// value is the column of a base table that a template is about.
func (a *application) value() int { return 1 + a.r.Intn(2) }

// change adds to a column of a row.
func (a *application) change(name string, i int) *ir.Txn {
	t, c := a.bases[i], a.value()
	return txn(name, nil, []ir.Param{param("id"), param("by")},
		&ir.Update{Table: t, Row: "r", Sets: []ir.Set{{Col: c, Expr: ir.Op(ir.Add, field(t.Columns[c].Name), &ir.Var{Name: "by"})}}, Where: is("id", "id")})
}

// show reads a row.
func (a *application) show(name string, i int) *ir.Txn {
	t := a.bases[i]
	return txn(name, nil, []ir.Param{param("id")}, &ir.EmitRows{Cols: []ir.Expr{field("v"), field("kind")}, Query: from(t, is("id", "id"))})
}

// move takes something from a row, if there is enough, and adds it to another.
func (a *application) move(name string, i int) *ir.Txn {
	t, c := a.bases[i], a.value()
	col := t.Columns[c].Name
	get := func(into, id string) []ir.Stmt {
		return []ir.Stmt{
			&ir.Select{Into: []string{into}, Cols: []ir.Expr{field(col)}, Query: from(t, is("id", id))},
			&ir.Assume{Cond: ir.NotE(&ir.Unary{Op: ir.IsNull, X: &ir.Var{Name: into}})}}
	}
	add := func(id string, op ir.BinaryOp) ir.Stmt {
		return &ir.Update{Table: t, Row: "r", Sets: []ir.Set{{Col: c, Expr: ir.Op(op, field(col), ir.C(ir.Int(1)))}}, Where: is("id", id)}
	}
	body := append(get("x", "a"), get("y", "b")...)
	body = append(body, &ir.Assume{Cond: ir.Op(ir.Gt, &ir.Var{Name: "x"}, ir.C(ir.Int(0)))}, add("a", ir.Sub), add("b", ir.Add))
	return txn(name, []string{"x", "y"}, []ir.Param{param("a"), param("b")}, body...)
}

// log copies what a row says to the journal.
func (a *application) log(name string, i int) *ir.Txn {
	t, j := a.bases[i], a.journals[i]
	if j == t {
		return a.change(name, i)
	}
	fresh := ir.Param{Name: "entry", Type: ir.IntType, NotNull: true, Fresh: true}
	return txn(name, []string{"x"}, []ir.Param{fresh, param("id")},
		&ir.Select{Into: []string{"x"}, Cols: []ir.Expr{field("v")}, Query: from(t, is("id", "id"))},
		&ir.Assume{Cond: ir.NotE(&ir.Unary{Op: ir.IsNull, X: &ir.Var{Name: "x"}})},
		&ir.Insert{Table: j, Cols: []int{0, 1, 2}, Values: []ir.Expr{&ir.Var{Name: "entry"}, &ir.Var{Name: "id"}, &ir.Var{Name: "x"}}})
}

// entry reads a row of the journal.
func (a *application) entry(name string, i int) *ir.Txn {
	return txn(name, nil, []ir.Param{param("id")}, &ir.EmitRows{Cols: []ir.Expr{field("v")}, Query: from(a.journals[i], is("id", "id"))})
}

// open adds a row.
func (a *application) open(name string, i int) *ir.Txn {
	zero := ir.C(ir.Int(0))
	fresh := ir.Param{Name: "id", Type: ir.IntType, NotNull: true, Fresh: true}
	return txn(name, nil, []ir.Param{fresh, param("kind")},
		&ir.Insert{Table: a.bases[i], Cols: []int{0, 1, 2, 3}, Values: []ir.Expr{&ir.Var{Name: "id"}, zero, zero, &ir.Var{Name: "kind"}}})
}

// audit reads rows of two tables.
func (a *application) audit(name string, i int) *ir.Txn {
	other := a.bases[a.r.Intn(len(a.bases))]
	return txn(name, nil, []ir.Param{param("a"), param("b")},
		&ir.EmitRows{Cols: []ir.Expr{field("v")}, Query: from(a.bases[i], is("id", "a"))},
		&ir.EmitRows{Cols: []ir.Expr{field("w")}, Query: from(other, is("id", "b"))})
}
