package draws

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// place is something that values flow through: a column, a local, or a field of the rows
// that a local holds. Places that may hold the same values are joined (union-find), and so
// are their fields. An array is the place of its elements. What a function gives has a place
// of its own, since the arguments of a function do not flow into each other.
type place struct {
	up     *place   // nil for a root
	of     []*place // what its values are computed of
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
	p.of, q.of = nil, append(q.of, p.of...)
	q.given = q.given || p.given
	if q.source == "" {
		q.source = p.source
	}
	if p.lumped {
		q.lump()
	}
	for _, i := range slices.Sorted(maps.Keys(mine)) {
		q.root().adopt(i, mine[i])
	}
}

// adopt joins f with field i of p. It makes no place, so that what ends in itself ends.
func (p *place) adopt(i int, f *place) {
	switch {
	case p.lumped:
		f.join(p)
	case p.fields[i] != nil:
		f.join(p.fields[i])
	default:
		if p.fields == nil {
			p.fields = map[int]*place{}
		}
		p.fields[i] = f
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

// computed gives the place of what is computed of others, none if there are none.
func computed(of []*place) []*place {
	if len(of) < 2 {
		return of
	}
	for _, n := range of {
		n.lump()
	}
	return []*place{{lumped: true, of: of}}
}

// origins gives the roots of a place and of all that it is computed of.
func (p *place) origins() map[*place]bool {
	seen := map[*place]bool{}
	var add func(*place)
	add = func(p *place) {
		if p = p.root(); seen[p] {
			return
		}
		seen[p] = true
		for _, n := range p.of {
			add(n)
		}
	}
	add(p)
	return seen
}

// flow knows the places of a program.
type flow struct {
	locals  map[localOf]*place
	columns map[columnOf]*place
}

type localOf struct {
	txn  *ir.Txn
	name string
}

type columnOf struct {
	table *ir.Table
	index int
}

func newFlow(p *ir.Program) *flow {
	f := &flow{map[localOf]*place{}, map[columnOf]*place{}}
	for _, t := range p.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) { f.stmt(t, s) })
	}
	return f
}

func (f *flow) local(t *ir.Txn, name string) *place {
	k := localOf{t, name}
	if f.locals[k] == nil {
		f.locals[k] = &place{}
	}
	return f.locals[k]
}

func (f *flow) column(t *ir.Table, i int) *place {
	k := columnOf{t, i}
	if f.columns[k] == nil {
		f.columns[k] = &place{}
	}
	return f.columns[k]
}

// stmt joins what a statement assigns.
func (f *flow) stmt(t *ir.Txn, s ir.Stmt) {
	sc := f.scope(t, s)
	into := func(to *place, e ir.Expr) {
		for _, n := range sc.carried(e) {
			n.join(to)
		}
	}
	locals := func(names []string, cols []ir.Expr) {
		for i, e := range cols {
			if i < len(names) && names[i] != "" {
				into(f.local(t, names[i]), e)
			}
		}
	}
	switch s := s.(type) {
	case *ir.Assign:
		into(f.local(t, s.Var), s.Expr)
	case *ir.Select:
		locals(s.Into, s.Cols)
		for i, a := range s.Aggs {
			if i < len(s.Into) && s.Into[i] != "" && carries(a) {
				into(f.local(t, s.Into[i]), a.Arg)
			}
		}
	case *ir.Foreach:
		locals(s.Into, s.Cols)
	case *ir.Insert:
		for i, c := range s.Cols {
			into(f.column(s.Table, c), s.Values[i])
		}
		if s.Conflict != nil {
			for _, set := range s.Conflict.Sets {
				into(f.column(s.Table, set.Col), set.Expr)
			}
		}
	case *ir.Update:
		for _, set := range s.Sets {
			into(f.column(s.Table, set.Col), set.Expr)
		}
	}
}

// carries reports whether an aggregate may give one of its arguments.
func carries(a ir.Agg) bool { return a.Arg != nil && a.Fn != "count" && a.Fn != "sum" }

// scope is what the names of an expression stand for.
type scope struct {
	f      *flow
	txn    *ir.Txn
	rows   map[string]*ir.Table           // row variables of tables
	cols   map[string]map[string][]*place // columns of those of relations
	params map[string][]*place            // of a derivation; nil outside of derivations
}

// scope gives that of the expressions of a statement.
func (f *flow) scope(t *ir.Txn, s ir.Stmt) *scope {
	rows := map[string]*ir.Table{}
	for _, src := range ir.Reads(s) {
		rows[src.Row] = src.Table
	}
	switch s := s.(type) {
	case *ir.Update:
		rows[s.Row] = s.Table
	case *ir.Delete:
		rows[s.Row] = s.Table
	case *ir.Insert:
		if s.Conflict != nil {
			rows[s.Conflict.Row], rows[ir.Excluded] = s.Table, s.Table
		}
	}
	return &scope{f: f, txn: t, rows: rows}
}

// carried gives the places whose values may be the value of an expression, or close
// to it: a sum with something else is. What is true or false is close to no value.
func (sc *scope) carried(e ir.Expr) []*place {
	switch e := e.(type) {
	case *ir.Var:
		if sc.params != nil {
			return sc.params[e.Name]
		}
		return []*place{sc.f.local(sc.txn, e.Name)}
	case *ir.Col:
		if cols := sc.cols[e.Row]; cols != nil {
			return cols[e.Col]
		}
		if table := sc.rows[e.Row]; table != nil {
			if c := table.Column(e.Col); c >= 0 {
				return []*place{sc.f.column(table, c)}
			}
		}
	case *ir.Unary:
		if e.Op == ir.Neg {
			return sc.carried(e.X)
		}
	case *ir.Binary:
		if e.Op >= ir.Add {
			return computed(append(slices.Clone(sc.carried(e.X)), sc.carried(e.Y)...))
		}
	case *ir.Cond:
		return append(slices.Clone(sc.carried(e.Then)), sc.carried(e.Else)...)
	case *ir.Call:
		return sc.call(e)
	}
	return nil
}
