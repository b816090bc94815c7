package instrument

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/wellformed"
)

// reads is what one statement reads from written tables.
type reads struct {
	vars  []*shadow
	sites []*site
	joins []*join
	// conflict is what an INSERT with ON CONFLICT reads where a row is in the
	// way. Its params are columns of the new row.
	conflict *site
}

// site is a query over one table: its predicate may be evaluated later, on
// rows that other transactions write, since the values of the locals in it are
// noted in a table of its own, named after the transaction and the query's
// ordinal ("kept per predicate").
type site struct {
	shadow *shadow
	row    string
	where  ir.Expr
	// returned are the columns that come back, tested those in conditions.
	returned, tested []bool
	params           []string  // locals in where
	types            []ir.Type // of params
	// take: the query takes one row, the first in order. extremes are the
	// aggregates, if all are min or max. In both cases only rows that would
	// have come before matter, so that results are noted too.
	take     bool
	order    []ir.Order
	extremes []ir.Agg
	txn      *ir.Txn

	event, eventI *ir.Table // the notes, and their copy at the beginning of a helper
	orderTypes    []ir.Type
	notes         []note
	// definite: where is never NULL.
	definite bool
	// others are the other tables of a query over several. A later writer
	// takes their rows as they are then, not as they were: good enough for a
	// claim, but not used where the accesses decide (Options.Classic).
	others []ir.Source
	// excluded: params are columns of the row that an INSERT proposes.
	excluded bool
}

// late says that the results have to be known to note the read.
func (s *site) late() bool { return s.take || len(s.extremes) > 0 }

// join is a query over several tables, or with queries inside its condition,
// with regard to one table.
type join struct {
	shadow   *shadow
	row      string
	query    ir.Query
	returned []bool
	tested   []bool
	// site, if not nil, notes the query, for later writers.
	site *site
}

// collectReads finds the reads of a transaction.
func (rw *rewriter) collectReads(t *ir.Txn) {
	n := 0
	ir.Walk(t.Body, func(s ir.Stmt) {
		r := &reads{}
		add := func(q ir.Query, returned, tested []ir.Expr) {
			rw.addQuery(t, s, r, q, returned, tested, &n)
		}
		switch s := s.(type) {
		case *ir.Select:
			rw.addSelect(t, s, r, &n)
		case *ir.EmitRows:
			add(s.Query, s.Cols, orderExprs(s.Order))
		case *ir.Foreach:
			add(s.Query, s.Cols, orderExprs(s.Order))
		case *ir.Update:
			var es []ir.Expr
			for _, set := range s.Sets {
				es = append(es, set.Expr)
			}
			add(ir.Query{From: []ir.Source{{Table: s.Table, Row: s.Row}}, Where: s.Where}, es, nil)
		case *ir.Delete:
			add(ir.Query{From: []ir.Source{{Table: s.Table, Row: s.Row}}, Where: s.Where}, nil, nil)
		}
		if i, ok := s.(*ir.Insert); ok && i.Conflict != nil && rw.shadows[i.Table] != nil {
			r.conflict = rw.addConflict(t, i, &n)
		}
		// What stands in the condition of a query is evaluated only for rows
		// that are there.
		sure := len(sourcesOf(s)) == 0
		for _, e := range ir.Exprs(s) {
			rw.addExists(t, s, r, e, sure, &n)
		}
		if len(r.vars)+len(r.sites)+len(r.joins) > 0 || r.conflict != nil {
			rw.reads[s] = r
		}
	})
}

// sourcesOf gives the tables that the statement itself ranges over.
func sourcesOf(s ir.Stmt) []ir.Source {
	switch s := s.(type) {
	case *ir.Select:
		return s.Query.From
	case *ir.EmitRows:
		return s.Query.From
	case *ir.Foreach:
		return s.Query.From
	case *ir.Update:
		return []ir.Source{{Table: s.Table, Row: s.Row}}
	case *ir.Delete:
		return []ir.Source{{Table: s.Table, Row: s.Row}}
	}
	return nil
}

func orderExprs(os []ir.Order) []ir.Expr {
	var out []ir.Expr
	for _, o := range os {
		out = append(out, o.Expr)
	}
	return out
}

// addSelect adds the read of a SELECT into locals. Where values count, what
// goes into a local that nothing uses is not observed.
func (rw *rewriter) addSelect(t *ir.Txn, s *ir.Select, r *reads, n *int) {
	used := func(name string) bool { return rw.opt.Classic || name != "" && rw.used(t, name) }
	observed := used(s.Found)
	var cols []ir.Expr
	for i, e := range s.Cols {
		if used(s.Into[i]) {
			cols = append(cols, e)
			observed = true
		}
	}
	for i, a := range s.Aggs {
		if used(s.Into[i]) {
			observed = true
			if a.Arg != nil {
				cols = append(cols, a.Arg)
			}
		}
	}
	if !observed {
		return
	}
	at := len(r.sites)
	rw.addQuery(t, s, r, s.Query, cols, orderExprs(s.Order), n)
	if len(r.sites) == at {
		return
	}
	site := r.sites[at]
	switch {
	case len(s.Aggs) > 0:
		for _, a := range s.Aggs {
			if a.Fn != "min" && a.Fn != "max" {
				return
			}
		}
		site.extremes = s.Aggs
	case !pinned(site.shadow.table, site.row, site.where):
		site.take, site.order = true, s.Order
		for _, o := range s.Order {
			typ, err := wellformed.TypeOf(o.Expr, t, s.Query.From...)
			if err != nil {
				panic("instrument: " + err.Error())
			}
			site.orderTypes = append(site.orderTypes, typ)
		}
	}
}

// used reports whether a local's value goes anywhere.
func (rw *rewriter) used(t *ir.Txn, name string) bool {
	for _, l := range t.Locals {
		if l.Name == name && l.Kept {
			return true
		}
	}
	found := false
	ir.Walk(t.Body, func(s ir.Stmt) {
		for _, e := range ir.Exprs(s) {
			ir.WalkExpr(e, func(e ir.Expr) {
				if v, ok := e.(*ir.Var); ok && v.Name == name {
					found = true
				}
			})
		}
	})
	return found
}

// pinned reports whether a condition fixes the whole key, so that at most one
// row matches.
func pinned(t *ir.Table, row string, where ir.Expr) bool {
	fixed := map[string]bool{}
	for _, c := range ir.Conjuncts(where) {
		b, ok := c.(*ir.Binary)
		if !ok || b.Op != ir.Eq {
			continue
		}
		for _, side := range [][2]ir.Expr{{b.X, b.Y}, {b.Y, b.X}} {
			k, ok := side[0].(*ir.Col)
			if ok && k.Row == row && !mentions(side[1], row) {
				fixed[k.Col] = true
			}
		}
	}
	for _, k := range t.Key {
		if !fixed[t.Columns[k].Name] {
			return false
		}
	}
	return true
}

func mentions(e ir.Expr, row string) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) {
		if c, ok := e.(*ir.Col); ok && c.Row == row {
			found = true
		}
	})
	return found
}

// addQuery adds the reads of a query of statement s.
func (rw *rewriter) addQuery(t *ir.Txn, s ir.Stmt, r *reads, q ir.Query, returned, tested []ir.Expr, n *int) {
	marks := func(src ir.Source, es ...ir.Expr) []bool {
		out := make([]bool, len(src.Table.Columns))
		for _, e := range es {
			ir.WalkExpr(e, func(e ir.Expr) {
				if c, ok := e.(*ir.Col); ok && c.Row == src.Row {
					if i := src.Table.Column(c.Col); i >= 0 {
						out[i] = true
					}
				}
			})
		}
		return out
	}
	*n++
	for _, source := range q.From {
		sh := rw.shadows[source.Table]
		if sh == nil {
			continue
		}
		ret, test := marks(source, returned...), marks(source, append([]ir.Expr{q.Where}, tested...)...)
		switch {
		case source.Table.Var:
			if anySet(ret) || anySet(test) || len(q.From) > 1 {
				r.vars = appendNew(r.vars, sh)
			}
		case len(q.From) == 1 && !ir.HasExists(q.Where):
			x := &site{shadow: sh, row: source.Row, where: q.Where, returned: ret, tested: test, params: locals(q.Where)}
			for _, name := range x.params {
				typ, _ := t.LocalType(name)
				x.types = append(x.types, typ)
			}
			x.definite = definite(x.where, t, source)
			rw.addSite(t, x, s.Position(), *n)
			r.sites = append(r.sites, x)
		default:
			j := &join{shadow: sh, row: source.Row, query: q, returned: ret, tested: test}
			if !rw.opt.Classic && !ir.HasExists(q.Where) {
				j.site = rw.joinSite(t, j, s.Position(), *n)
			}
			r.joins = append(r.joins, j)
		}
	}
}

// joinSite makes the notes of a query over several tables for one of them. Row
// variables get new names, since the condition is evaluated inside of others.
func (rw *rewriter) joinSite(t *ir.Txn, j *join, pos ir.Pos, n int) *site {
	x := &site{shadow: j.shadow, where: j.query.Where, returned: j.returned, tested: j.tested, params: locals(j.query.Where)}
	for _, name := range x.params {
		typ, _ := t.LocalType(name)
		x.types = append(x.types, typ)
	}
	for _, source := range j.query.From {
		row := rw.name(source.Row + ".row")
		x.where = substitute(x.where, source.Row, func(c string) ir.Expr { return &ir.Col{Row: row, Col: c} })
		if source.Row == j.row {
			x.row = row
		} else {
			x.others = append(x.others, src(rw.base[source.Table], row))
		}
	}
	rw.addSite(t, x, pos, n)
	return x
}

func (rw *rewriter) addSite(t *ir.Txn, x *site, pos ir.Pos, n int) {
	x.txn = t
	x.event = &ir.Table{Pos: pos, Name: rw.name(t.Name + "." + itoa(n) + ".event")}
	x.eventI = &ir.Table{Pos: pos, Name: rw.name(t.Name + "." + itoa(n) + ".eventI")}
	rw.sites = append(rw.sites, x)
}

// addConflict is the read of the row that ON CONFLICT finds: all of it.
func (rw *rewriter) addConflict(t *ir.Txn, i *ir.Insert, n *int) *site {
	*n++
	x := &site{shadow: rw.shadows[i.Table], row: i.Conflict.Row, excluded: true}
	x.where = clash(i.Table, i.Conflict, ir.V)
	x.params = locals(x.where)
	for _, name := range x.params {
		x.types = append(x.types, i.Table.Columns[i.Table.Column(name)].Type)
	}
	for range i.Table.Columns {
		x.returned, x.tested = append(x.returned, true), append(x.tested, true)
	}
	rw.addSite(t, x, i.Pos, *n)
	return x
}

func anySet(bs []bool) bool {
	for _, b := range bs {
		if b {
			return true
		}
	}
	return false
}

func appendNew(list []*shadow, s *shadow) []*shadow {
	for _, x := range list {
		if x == s {
			return list
		}
	}
	return append(list, s)
}

// addExists adds the queries inside an expression. sure says that e is
// evaluated whenever the statement is. Shared variables count wherever they
// stand; rows only in a query that does not depend on rows outside of it.
func (rw *rewriter) addExists(t *ir.Txn, s ir.Stmt, r *reads, e ir.Expr, sure bool, n *int) {
	switch e := e.(type) {
	case *ir.Unary:
		rw.addExists(t, s, r, e.X, sure, n)
	case *ir.Binary:
		rw.addExists(t, s, r, e.X, sure, n)
		rw.addExists(t, s, r, e.Y, sure && e.Op != ir.And && e.Op != ir.Or, n)
	case *ir.Cond:
		rw.addExists(t, s, r, e.If, sure, n)
		rw.addExists(t, s, r, e.Then, false, n)
		rw.addExists(t, s, r, e.Else, false, n)
	case *ir.Call:
		for _, a := range e.Args {
			rw.addExists(t, s, r, a, sure, n)
		}
	case *ir.Exists:
		for _, source := range e.Query.From {
			if sh := rw.shadows[source.Table]; sh != nil && source.Table.Var {
				r.vars = appendNew(r.vars, sh)
			}
		}
		if sure && closed(e.Query) {
			vars := r.vars
			rw.addQuery(t, s, r, e.Query, nil, nil, n)
			r.vars = vars
			return
		}
		rw.addExists(t, s, r, e.Query.Where, false, n)
	}
}

// closed reports whether a query mentions no row from outside of it.
func closed(q ir.Query) bool {
	ok := true
	inside := map[string]bool{}
	for _, s := range q.From {
		inside[s.Row] = true
	}
	ir.WalkExpr(q.Where, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Exists:
			for _, s := range e.Query.From {
				inside[s.Row] = true
			}
		case *ir.Col:
			ok = ok && inside[e.Row]
		}
	})
	return ok
}

// note is a value that a site notes. A key cannot be NULL, and all columns of
// the notes are their key: NULL is a default value and a flag.
type note struct {
	col, null int // null is -1 where the value is never NULL
	typ       ir.Type
}

// declareSite makes the table of a site's notes: the locals in the condition,
// and for a query that takes the first row, whether there was one, its key and
// its place in the order; for MIN and MAX the results.
func (rw *rewriter) declareSite(s *site, t *ir.Txn) {
	column := func(name string, typ ir.Type) int {
		for s.event.Column(name) >= 0 {
			name += "'"
		}
		s.event.Columns = append(s.event.Columns, ir.Column{Name: name, Type: typ, NotNull: true})
		return len(s.event.Columns) - 1
	}
	add := func(name string, typ ir.Type, nullable bool) {
		n := note{column(name, typ), -1, typ}
		if nullable {
			n.null = column(name+".null", ir.BoolType)
		}
		s.notes = append(s.notes, n)
	}
	for i, name := range s.params {
		never := neverNull(t, name)
		if s.excluded {
			never = s.shadow.table.Columns[s.shadow.table.Column(name)].NotNull
		}
		add(name, s.types[i], !never)
	}
	if s.take {
		add("found", ir.BoolType, false)
		for _, k := range s.shadow.base.Key {
			add("first."+s.shadow.base.Columns[k].Name, s.shadow.base.Columns[k].Type, true)
		}
		for i, t := range s.orderTypes {
			add("order."+itoa(i+1), t, true)
		}
	}
	for i, a := range s.extremes {
		add(a.Fn+"."+itoa(i+1), a.Type, true)
	}
	if len(s.notes) == 0 {
		column("done", ir.BoolType)
	}
	for i := range s.event.Columns {
		s.event.Key = append(s.event.Key, i)
	}
	s.eventI.Columns, s.eventI.Key = s.event.Columns, s.event.Key
	rw.out.Tables = append(rw.out.Tables, s.event, s.eventI)
}

// neverNull reports whether a local is a parameter that is never NULL.
func neverNull(t *ir.Txn, name string) bool {
	for _, q := range t.Params {
		if q.Name == name {
			return q.NotNull && !assigns(t, name)
		}
	}
	return false
}

// definite reports whether an expression over the row is never NULL, as far as
// that is easy to see.
func definite(e ir.Expr, t *ir.Txn, source ir.Source) bool {
	switch e := e.(type) {
	case *ir.Const:
		return !e.Value.IsNull()
	case *ir.Var:
		return neverNull(t, e.Name)
	case *ir.Col:
		c := source.Table.Column(e.Col)
		return e.Row == source.Row && c >= 0 && source.Table.Columns[c].NotNull
	case *ir.Unary:
		return e.Op == ir.IsNull || definite(e.X, t, source)
	case *ir.Binary:
		return e.Op == ir.Is || definite(e.X, t, source) && definite(e.Y, t, source)
	}
	return false
}

// assigns reports whether a transaction sets a local.
func assigns(t *ir.Txn, name string) bool {
	found := false
	ir.Walk(t.Body, func(s ir.Stmt) { found = found || slices.Contains(ir.Assigned(s), name) })
	return found
}

// encode gives the columns of the notes for values.
func (rw *rewriter) encode(s *site, vals []ir.Expr) []ir.Expr {
	if len(s.notes) == 0 {
		return []ir.Expr{boolean(true)}
	}
	var out []ir.Expr
	for i, n := range s.notes {
		if n.null < 0 {
			out = append(out, vals[i])
			continue
		}
		zero := n.typ.Zero()
		if d := rw.in.Domain; d != nil && n.typ.Kind == ir.KindInt {
			zero = ir.Int(d.Lo)
		}
		out = append(out, &ir.Cond{If: isNull(vals[i]), Then: ir.C(zero), Else: vals[i]}, isNull(vals[i]))
	}
	return out
}

// decode is the inverse, from a row of the notes.
func (s *site) decode(row string) []ir.Expr {
	var out []ir.Expr
	for _, n := range s.notes {
		v := col(row, s.event, n.col)
		if n.null >= 0 {
			v = &ir.Cond{If: col(row, s.event, n.null), Then: ir.C(ir.Null), Else: v}
		}
		out = append(out, v)
	}
	return out
}
