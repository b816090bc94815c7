package interp

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/arith"
	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
)

// eval computes an expression in a frame.
type eval func(f *frame) ir.Value

// stop is the panic that ends a run which cannot go on.
type stop struct {
	reason    string
	unordered bool // as in Run
}

// scope says, at compile time, where names are found at run time.
type scope struct {
	c      *compiler
	locals map[string]int
	rows   []rowVar
	rest   []ir.Stmt // after the statement, in its list
}

type rowVar struct {
	name  string
	table *ir.Table
	slot  int
}

// open adds the row variables of a query; slots count from the outermost.
func (s *scope) open(from []ir.Source) *scope {
	in := &scope{c: s.c, locals: s.locals, rows: append([]rowVar(nil), s.rows...)}
	for _, src := range from {
		in.rows = append(in.rows, rowVar{src.Row, src.Table, len(in.rows)})
	}
	if len(in.rows) > s.c.slots {
		s.c.slots = len(in.rows)
	}
	return in
}

func (s *scope) expr(e ir.Expr) eval {
	switch e := e.(type) {
	case *ir.Const:
		v := e.Value
		return func(*frame) ir.Value { return v }
	case *ir.Var:
		i, ok := s.locals[e.Name]
		if !ok {
			panic("interp: local " + e.Name + " is not declared")
		}
		return func(f *frame) ir.Value { return f.locals[i] }
	case *ir.Col:
		for i := len(s.rows) - 1; i >= 0; i-- {
			if r := s.rows[i]; r.name == e.Row {
				c := r.table.Column(e.Col)
				return func(f *frame) ir.Value { return f.rows[r.slot][c] }
			}
		}
		panic("interp: row variable " + e.Row + " is not in scope")
	case *ir.Unary:
		x := s.expr(e.X)
		switch e.Op {
		case ir.Neg:
			return func(f *frame) ir.Value {
				v, why := arith.Compute(ir.Sub, ir.Int(0), x(f))
				if why != "" {
					return f.fails(why)
				}
				return v
			}
		case ir.Not:
			return func(f *frame) ir.Value {
				v := x(f)
				if v.IsNull() {
					return v
				}
				return ir.Bool(!v.IsTrue())
			}
		case ir.IsNull:
			return func(f *frame) ir.Value { return ir.Bool(x(f).IsNull()) }
		}
	case *ir.Binary:
		return s.binary(e)
	case *ir.Cond:
		c, a, b := s.expr(e.If), s.expr(e.Then), s.expr(e.Else)
		return func(f *frame) ir.Value {
			if c(f).IsTrue() {
				return a(f)
			}
			return b(f)
		}
	case *ir.Call:
		if e.Def != nil {
			return s.derived(e)
		}
		args := make([]eval, len(e.Args))
		for i, a := range e.Args {
			args[i] = s.expr(a)
		}
		return func(f *frame) ir.Value {
			vals := make([]ir.Value, len(args))
			for i, a := range args {
				vals[i] = a(f)
			}
			return f.apply(e, vals)
		}
	case *ir.Exists:
		q := s.query(&e.Query)
		return func(f *frame) ir.Value {
			found := false
			q.each(f, func() bool { found = true; return false })
			f.read(readNote{q: q, found: found})
			return ir.Bool(found)
		}
	}
	panic(fmt.Sprintf("interp: unknown expression %T", e))
}

func (s *scope) binary(e *ir.Binary) eval {
	x, y := s.expr(e.X), s.expr(e.Y)
	switch op := e.Op; op {
	case ir.And:
		return func(f *frame) ir.Value {
			a := x(f)
			if !a.IsNull() && !a.IsTrue() {
				return a
			}
			b := y(f)
			if !b.IsNull() && !b.IsTrue() || a.IsTrue() {
				return b
			}
			return ir.Null
		}
	case ir.Or:
		return func(f *frame) ir.Value {
			a := x(f)
			if a.IsTrue() {
				return a
			}
			b := y(f)
			if b.IsTrue() || !a.IsNull() {
				return b
			}
			return ir.Null
		}
	case ir.Is:
		return func(f *frame) ir.Value {
			a, b := x(f), y(f)
			if a.IsNull() || b.IsNull() {
				return ir.Bool(a.IsNull() && b.IsNull())
			}
			return ir.Bool(ir.Compare(a, b) == 0)
		}
	case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge:
		return func(f *frame) ir.Value {
			a, b := x(f), y(f)
			if a.IsNull() || b.IsNull() {
				return ir.Null
			}
			return ir.Bool(arith.Compare(op, ir.Compare(a, b)))
		}
	default:
		in := e.Within
		return func(f *frame) ir.Value {
			a, b := x(f), y(f)
			v, why := arith.Compute(op, a, b)
			if in != nil && !v.IsNull() && !in.Has(v.I) && in.Has(a.I) && in.Has(b.I) { // other operands come of FRESH values
				why = "integer out of range"
			}
			if why != "" {
				return f.fails(why)
			}
			f.derive(v, a, b)
			return v
		}
	}
}

// RowValue gives a function that computes an expression over a row of t, whose
// row variable is the table's name; ok is false where that ends in an error.
func (m *Machine) RowValue(t *ir.Table, e ir.Expr) func(row []ir.Value) (v ir.Value, ok bool) {
	c := &compiler{m: m, txn: &ir.Txn{}}
	s := (&scope{c: c, locals: map[string]int{}}).open([]ir.Source{{Table: t, Row: t.Name}})
	eval := s.expr(e)
	return func(row []ir.Value) (v ir.Value, ok bool) {
		defer func() {
			if r := recover(); r != nil {
				if _, is := r.(stop); !is {
					panic(r)
				}
				v, ok = ir.Null, false
			}
		}()
		f := &frame{m: m, rows: make([][]ir.Value, c.slots), run: &Run{}}
		f.rows[0] = row
		return eval(f), true
	}
}

// query is a compiled ir.Query.
type query struct {
	src   *ir.Query
	from  []source
	conds [][]eval // conds[i]: to be tested when source i is bound
	own   bool     // without the rows that are gone (ir.Select.Written)
	// unordered says that the server may compute the conditions in another order, and
	// constants are their parts that are about no row, which it may compute before.
	unordered bool
	constants []eval
}

type source struct {
	table int
	slot  int
}

func (s *scope) query(q *ir.Query) *query {
	in := s.open(q.From)
	out := &query{src: q, conds: make([][]eval, len(q.From))}
	level := map[string]int{}
	for i, src := range q.From {
		out.from = append(out.from, source{s.c.tableIndex(src.Table), len(s.rows) + i})
		level[src.Row] = i
	}
	cheap, others := failure.ByCost(q.Where)
	out.unordered = len(others) > 1
	for _, cond := range slices.Concat(cheap, others) {
		out.constants = append(out.constants, s.constants(cond)...)
		at := 0
		ir.WalkExpr(cond, func(e ir.Expr) {
			if c, ok := e.(*ir.Col); ok {
				if l, ok := level[c.Row]; ok && l > at {
					at = l
				}
			}
		})
		out.conds[at] = append(out.conds[at], in.expr(cond))
	}
	return out
}

// each calls yield with every matching combination of rows bound in the
// frame, until it returns false.
func (q *query) each(f *frame, yield func() bool) {
	q.planned(f)
	q.level(f, 0, func(i int) []row { return f.db.Tabs[q.from[i].table].Rows }, yield)
}

// level binds source i and those after it; rows gives the rows of a source.
func (q *query) level(f *frame, i int, rows func(i int) []row, yield func() bool) bool {
	if i == len(q.from) {
		return yield()
	}
	for _, r := range rows(i) {
		if q.own && f.gone[&r.Vals[0]] {
			continue
		}
		f.rows[q.from[i].slot] = r.Vals
		if !q.holds(f, i) {
			continue
		}
		if !q.level(f, i+1, rows, yield) {
			return false
		}
	}
	return true
}

// holds reports whether the conditions are true of source i and those before it.
func (q *query) holds(f *frame, i int) bool {
	before := f.unordered
	f.unordered = before || q.unordered
	for _, c := range q.conds[i] {
		if !c(f).IsTrue() {
			f.unordered = before
			return false
		}
	}
	f.unordered = before
	return true
}

// planned computes what a server may compute before it looks at rows.
func (q *query) planned(f *frame) {
	if f.m.Lenient || len(q.constants) == 0 {
		return
	}
	before := f.unordered
	f.unordered = true
	for _, c := range q.constants {
		c(f)
	}
	f.unordered = before
}

// constants gives the largest parts of an expression that are about no row and may end in
// an error.
func (s *scope) constants(e ir.Expr) []eval {
	if failure.RowFree(e) {
		if !failure.MayFail(e) {
			return nil
		}
		return []eval{s.expr(e)}
	}
	var out []eval
	for _, part := range failure.Operands(e) {
		out = append(out, s.constants(part)...)
	}
	return out
}
