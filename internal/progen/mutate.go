package progen

import (
	"fmt"
	"math/rand"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir/irtext"
)

// Mutant makes a copy of p with one random change: of a statement, a constant,
// a column, an operator, a lock, a constraint or a transaction. It is p itself,
// copied, when no change that it tries makes sense.
func Mutant(r *rand.Rand, p *ir.Program) *ir.Program {
	for tries := 0; tries < 20; tries++ {
		m := &mutator{r: r, p: Copy(p)}
		if m.change() && wellformed.Check(m.p) == nil {
			if q, err := irtext.Parse("mutant", m.p.String()); err == nil {
				return q
			}
		}
	}
	return Copy(p)
}

// Copy makes a program that shares nothing with p, by printing and parsing.
func Copy(p *ir.Program) *ir.Program {
	q, err := irtext.Parse("copy", p.String())
	if err != nil {
		panic(fmt.Sprintf("progen: a program does not parse back: %v\n%s", err, p))
	}
	return q
}

// Lists gives every statement list of the program, outer ones first.
func Lists(p *ir.Program) []*[]ir.Stmt {
	var out []*[]ir.Stmt
	var add func(*[]ir.Stmt)
	add = func(list *[]ir.Stmt) {
		out = append(out, list)
		for _, s := range *list {
			switch s := s.(type) {
			case *ir.If:
				add(&s.Then)
				add(&s.Else)
			case *ir.Block:
				add(&s.Body)
			case *ir.While:
				add(&s.Body)
			case *ir.ForRange:
				add(&s.Body)
			case *ir.Foreach:
				add(&s.Body)
			}
		}
	}
	for _, t := range p.Txns {
		add(&t.Body)
	}
	return out
}

type mutator struct {
	r *rand.Rand
	p *ir.Program
}

func (m *mutator) chance(percent int) bool { return m.r.Intn(100) < percent }

// change makes one change in place, or reports that it found none.
func (m *mutator) change() bool {
	lists := Lists(m.p)
	list := lists[m.r.Intn(len(lists))]
	if len(*list) == 0 {
		return false
	}
	at := m.r.Intn(len(*list))
	s := (*list)[at]
	switch k := m.r.Intn(100); {
	case k < 12:
		*list = append((*list)[:at:at], (*list)[at+1:]...)
	case k < 20 && at > 0:
		(*list)[at], (*list)[at-1] = (*list)[at-1], s
	case k < 50:
		return m.expr(s)
	case k < 62:
		return m.lock(s)
	case k < 70:
		return m.set(s)
	case k < 73: // run it for nothing
		name := fmt.Sprintf("m%d", m.r.Intn(1000))
		*list = append((*list)[:at:at], append([]ir.Stmt{&ir.Savepoint{Name: name}, s, &ir.RollbackTo{Name: name}}, (*list)[at+1:]...)...)
	case k < 90:
		*list = append((*list)[:at:at], append([]ir.Stmt{m.access()}, (*list)[at:]...)...)
	case k < 94:
		t := m.table()
		(*list)[at] = &ir.If{Cond: &ir.Exists{Query: ir.Query{From: []ir.Source{{Table: t, Row: "z"}}, Where: m.where(t, "z")}}, Then: []ir.Stmt{s}}
	case k < 97:
		t := m.table()
		switch {
		case len(t.Uniques) > 0 && m.chance(50):
			t.Uniques = nil
		case len(t.Exclusions) > 0 && m.chance(50):
			t.Exclusions = nil
		case len(t.ForeignKeys) > 0:
			t.ForeignKeys = nil
			for _, l := range Lists(m.p) {
				*l = slices.DeleteFunc(*l, func(s ir.Stmt) bool { c, ok := s.(*ir.Cascade); return ok && c.Table == t })
			}
		default:
			return false
		}
	default:
		return m.drop()
	}
	return true
}

// drop removes a transaction.
func (m *mutator) drop() bool {
	if len(m.p.Txns) < 3 {
		return false
	}
	i := m.r.Intn(len(m.p.Txns))
	gone := m.p.Txns[i]
	m.p.Txns = append(m.p.Txns[:i:i], m.p.Txns[i+1:]...)
	var procs []*ir.Process
	for _, pr := range m.p.Processes {
		var left []*ir.Txn
		for _, t := range pr.Txns {
			if t != gone {
				left = append(left, t)
			}
		}
		if pr.Txns = left; len(left) > 0 {
			procs = append(procs, pr)
		}
	}
	m.p.Processes = procs
	return true
}

// expr changes one constant, column or comparison of a statement.
func (m *mutator) expr(s ir.Stmt) bool {
	var nodes []ir.Expr
	for _, e := range ir.Exprs(s) {
		ir.WalkExpr(e, func(e ir.Expr) {
			switch e := e.(type) {
			case *ir.Const:
				if e.Value.Kind == ir.KindInt {
					nodes = append(nodes, e)
				}
			case *ir.Col, *ir.Binary:
				nodes = append(nodes, e)
			}
		})
	}
	if len(nodes) == 0 {
		return false
	}
	switch e := nodes[m.r.Intn(len(nodes))].(type) {
	case *ir.Const:
		e.Value = ir.Int(int64(m.r.Intn(3)))
	case *ir.Col:
		t := m.table()
		e.Col = t.Columns[m.r.Intn(len(t.Columns))].Name
	case *ir.Binary:
		if e.Op < ir.Eq || e.Op > ir.Ge {
			return false
		}
		e.Op = []ir.BinaryOp{ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge}[m.r.Intn(6)]
	}
	return true
}

func (m *mutator) lock(s ir.Stmt) bool {
	var locks *ir.Locks
	switch s := s.(type) {
	case *ir.Select:
		if len(s.Aggs) > 0 {
			return false
		}
		locks = &s.Locks
	case *ir.LockRows:
		locks = &s.Locks
	default:
		return false
	}
	*locks = nil
	if mode := ir.LockMode(m.r.Intn(5)); mode != ir.NoLock {
		*locks = ir.Locks{{Mode: mode}}
	}
	return true
}

// set changes what an update sets.
func (m *mutator) set(s ir.Stmt) bool {
	u, ok := s.(*ir.Update)
	if !ok {
		return false
	}
	set := &u.Sets[m.r.Intn(len(u.Sets))]
	switch c := m.r.Intn(len(u.Table.Columns)); {
	case m.chance(40) && !u.Table.IsKey(c):
		set.Col = c
	case m.chance(50):
		set.Expr = &ir.Col{Row: u.Row, Col: u.Table.Columns[set.Col].Name} // the old value
	default:
		set.Expr = m.value()
	}
	return true
}

func (m *mutator) value() ir.Expr { return ir.C(ir.Int(int64(m.r.Intn(3)))) }

func (m *mutator) table() *ir.Table { return m.p.Tables[m.r.Intn(len(m.p.Tables))] }

// where is a condition on the first column of the key, on any column, or none.
func (m *mutator) where(t *ir.Table, row string) ir.Expr {
	if t.Var || m.chance(15) {
		return nil
	}
	c := t.Columns[0].Name
	if m.chance(25) {
		c = t.Columns[m.r.Intn(len(t.Columns))].Name
	}
	return ir.Op(ir.Eq, &ir.Col{Row: row, Col: c}, m.value())
}

// access is a statement on some table that uses no local.
func (m *mutator) access() ir.Stmt {
	t := m.table()
	q := ir.Query{From: []ir.Source{{Table: t, Row: "n"}}, Where: m.where(t, "n")}
	c := m.r.Intn(len(t.Columns))
	switch k := m.r.Intn(10); {
	case k < 3:
		return &ir.EmitRows{Query: q, Cols: []ir.Expr{&ir.Col{Row: "n", Col: t.Columns[c].Name}}}
	case k < 4:
		return &ir.Assume{Cond: &ir.Exists{Query: q}}
	case k < 8 && !t.IsKey(c):
		set := ir.Set{Col: c, Expr: m.value()}
		if m.chance(30) {
			set.Expr = &ir.Col{Row: "n", Col: t.Columns[c].Name}
		}
		return &ir.Update{Table: t, Row: "n", Where: q.Where, Sets: []ir.Set{set}}
	case k < 9 && !t.Var:
		return &ir.Delete{Table: t, Row: "n", Where: q.Where}
	case !t.Var:
		s := &ir.Insert{Table: t}
		for c := range t.Columns {
			s.Cols = append(s.Cols, c)
			s.Values = append(s.Values, m.value())
		}
		return s
	}
	return &ir.EmitRows{Query: q, Cols: []ir.Expr{&ir.Col{Row: "n", Col: t.Columns[c].Name}}}
}
