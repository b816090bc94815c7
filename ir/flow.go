package ir

import (
	"maps"
	"slices"
)

// place is something that values flow through: a column, a local, or a field of the rows
// that a local holds. Places that may hold the same values are joined (union-find), and so
// are their fields. An array is the place of its elements.
type place struct {
	up     *place // nil for a root
	fields map[int]*place
	lumped bool   // its fields are not told apart
	source string // see Havoc.Source; "" if no such value gets there
	given  bool   // a client gives values that get there
}

func (p *place) root() *place {
	for p.up != nil {
		p = p.up
	}
	return p
}

func (p *place) join(q *place) {
	if p, q = p.root(), q.root(); p == q {
		return
	}
	mine := p.fields
	p.up, p.fields = q, nil
	q.given = q.given || p.given
	if q.source == "" {
		q.source = p.source
	}
	if p.lumped {
		q.lump()
	}
	for _, i := range slices.Sorted(maps.Keys(mine)) {
		mine[i].join(q.field(i))
	}
}

// field is field i of the rows at p.
func (p *place) field(i int) *place {
	p = p.root()
	if p.lumped {
		return p
	}
	if p.fields[i] == nil {
		if p.fields == nil {
			p.fields = map[int]*place{}
		}
		p.fields[i] = &place{}
	}
	return p.fields[i]
}

// lump joins all fields of p with p.
func (p *place) lump() {
	p = p.root()
	mine := p.fields
	p.fields, p.lumped = nil, true
	for _, i := range slices.Sorted(maps.Keys(mine)) {
		p.join(mine[i])
	}
}

// valueFlow knows the places of a program.
type valueFlow struct {
	locals  map[localOf]*place
	columns map[columnOf]*place
}

type localOf struct {
	txn  *Txn
	name string
}

type columnOf struct {
	table *Table
	index int
}

func newFlow(p *Program) *valueFlow {
	f := &valueFlow{map[localOf]*place{}, map[columnOf]*place{}}
	for _, t := range p.Txns {
		Walk(t.Body, func(s Stmt) { f.stmt(t, s) })
	}
	return f
}

func (f *valueFlow) local(t *Txn, name string) *place {
	k := localOf{t, name}
	if f.locals[k] == nil {
		f.locals[k] = &place{}
	}
	return f.locals[k]
}

func (f *valueFlow) column(t *Table, i int) *place {
	k := columnOf{t, i}
	if f.columns[k] == nil {
		f.columns[k] = &place{}
	}
	return f.columns[k]
}

// stmt joins what a statement assigns.
func (f *valueFlow) stmt(t *Txn, s Stmt) {
	sc := f.scope(t, s)
	into := func(to *place, e Expr) {
		for _, n := range sc.carried(e) {
			n.join(to)
		}
	}
	locals := func(names []string, cols []Expr) {
		for i, e := range cols {
			if i < len(names) && names[i] != "" {
				into(f.local(t, names[i]), e)
			}
		}
	}
	switch s := s.(type) {
	case *Assign:
		into(f.local(t, s.Var), s.Expr)
	case *Select:
		locals(s.Into, s.Cols)
		for i, a := range s.Aggs {
			if i < len(s.Into) && s.Into[i] != "" && a.carries() {
				into(f.local(t, s.Into[i]), a.Arg)
			}
		}
	case *Foreach:
		locals(s.Into, s.Cols)
	case *Insert:
		for i, c := range s.Cols {
			into(f.column(s.Table, c), s.Values[i])
		}
		if s.Conflict != nil {
			for _, set := range s.Conflict.Sets {
				into(f.column(s.Table, set.Col), set.Expr)
			}
		}
	case *Update:
		for _, set := range s.Sets {
			into(f.column(s.Table, set.Col), set.Expr)
		}
	}
}

// carries reports whether an aggregate may give one of its arguments.
func (a Agg) carries() bool { return a.Arg != nil && a.Fn != "count" && a.Fn != "sum" }

// flowScope is what the names of an expression stand for.
type flowScope struct {
	f      *valueFlow
	txn    *Txn
	rows   map[string]*Table              // row variables of tables
	cols   map[string]map[string][]*place // columns of those of relations
	params map[string][]*place            // of a derivation; nil outside of derivations
}

// scope gives that of the expressions of a statement.
func (f *valueFlow) scope(t *Txn, s Stmt) *flowScope {
	rows := map[string]*Table{}
	for _, src := range Reads(s) {
		rows[src.Row] = src.Table
	}
	switch s := s.(type) {
	case *Update:
		rows[s.Row] = s.Table
	case *Delete:
		rows[s.Row] = s.Table
	case *Insert:
		if s.Conflict != nil {
			rows[s.Conflict.Row], rows[Excluded] = s.Table, s.Table
		}
	}
	return &flowScope{f: f, txn: t, rows: rows}
}

// carried gives the places whose values may be the value of an expression, or close
// to it: a sum with something else is. What is true or false is close to no value.
func (sc *flowScope) carried(e Expr) []*place {
	switch e := e.(type) {
	case *Var:
		if sc.params != nil {
			return sc.params[e.Name]
		}
		return []*place{sc.f.local(sc.txn, e.Name)}
	case *Col:
		if cols := sc.cols[e.Row]; cols != nil {
			return cols[e.Col]
		}
		if table := sc.rows[e.Row]; table != nil {
			if c := table.Column(e.Col); c >= 0 {
				return []*place{sc.f.column(table, c)}
			}
		}
	case *Unary:
		if e.Op == Neg {
			return sc.carried(e.X)
		}
	case *Binary:
		if e.Op >= Add {
			return append(slices.Clone(sc.carried(e.X)), sc.carried(e.Y)...)
		}
	case *Cond:
		return append(slices.Clone(sc.carried(e.Then)), sc.carried(e.Else)...)
	case *Call:
		return sc.call(e)
	}
	return nil
}
