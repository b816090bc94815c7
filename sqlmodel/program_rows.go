package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// forRows is a loop over the rows of a statement.
func (p *caller) forRows(s *client.ForRows) {
	b := p.b
	q := p.body.Sent[s.Query]
	snapped := p.snapped
	why, r := q.Why, q.Refs
	if why == "" {
		var ok bool
		if why, ok = p.attempt(func() { p.loop(s, q) }); ok {
			return
		}
	}
	p.snapped = true
	if !snapped && q.Why == "" {
		b.snapshotHere()
	}
	b.cur = s.Pos
	p.lost(q, r, why)
	// Any number of rounds, with any row in each.
	l := &loopLabel{name: s.Label, loop: true}
	more := b.local("more", schema.TBool)
	w := &ir.While{At: at(s.Pos), Cond: ir.C(ir.Bool(true))}
	w.Body = b.collect(func() {
		b.emit(&ir.Havoc{At: at(s.Pos), Var: more, NotNull: true})
		b.emit(&ir.If{At: at(s.Pos), Cond: ir.NotE(ir.V(more)), Then: []ir.Stmt{&ir.Break{At: at(s.Pos)}}})
		p.forget(s.Query)
	})
	w.Body = append(w.Body, p.round(l, s.Body)...)
	p.snapped = true
	w.Label = l.label
	b.emit(w)
}

// loop translates a loop whose statement can be modelled.
func (p *caller) loop(s *client.ForRows, q *schema.Sent) {
	b := p.b
	pos := s.Pos
	for _, st := range q.List {
		if _, ok := st.Tree.(*pg.TransactionStmt); ok || len(q.List) > 1 {
			b.unmodelled("a loop over several statements")
		}
	}
	if q.AnyColumns {
		b.unmodelled("a loop over rows of columns that are not known")
	}
	if len(q.List) == 0 {
		b.unmodelled("a loop over an empty statement")
	}
	st := q.List[0]
	p.send(q)
	p.snapshot(st.Tree)
	g := p.frame(q)
	x := b.ex(g, q.Text)
	o := &rowTaker{p: p, q: s.Query, pos: pos, direct: true, temps: map[int]dest{}}
	rows := p.rows(x, g, st, q)
	p.refuseStar(st, s.Query)
	if st.Why != "" {
		b.unmodelled("%s", st.Why)
	}
	if s.Query.Returned {
		b.unmodelled("a loop over rows at which the program looks in other ways")
	}
	single := len(rows.loops) == 0 && (rows.atMost == 1 || len(rows.aggs) > 0 || len(rows.from) == 0)
	list, _ := o.dests(rows.targets)
	keep := single // the variables may have to stay as they are
	keep = keep || !o.fits()
	for i, d := range list {
		if d.local == "" {
			continue
		}
		t := &o.targets[o.index(i, list)]
		if t.from.local == t.v.local && (keep || mentions(rows, d.local)) {
			list[i] = o.temp(i, t.v.name, rows.targets[i].t)
			t.from = list[i]
		}
	}
	o.direct = false
	p.sent.Into, p.sent.Each = locals(list), !single
	l := &loopLabel{name: s.Label, loop: true}
	round := func() []ir.Stmt {
		first := b.collect(o.store)
		return append(first, p.round(l, s.Body)...)
	}
	snapped := p.snapped
	switch {
	case rows.atMost == 0:
	case single:
		b.oneRound(g, x, rows, round, l, "", pos, list)
	case len(rows.loops) > 0:
		b.overSets(x, rows, round, l, "", pos, list)
	default:
		b.overRows(x, rows, round, l, "", pos, list)
	}
	p.snapped = snapped
}

// fits reports whether no column has a NULL that does not fit its variable.
func (o *rowTaker) fits() bool {
	return !slices.ContainsFunc(o.targets, func(t taken) bool { return !t.nn && !t.v.nullable() })
}

// index gives the target of column i, given the locals of all columns.
func (o *rowTaker) index(i int, list []dest) int {
	n := 0
	for _, d := range list[:i] {
		if d.local != "" {
			n++
		}
	}
	return n
}

// rows translates a statement whose rows are gone through one by one.
func (p *caller) rows(x *ex, g *frame, st schema.SentStmt, s *schema.Sent) *query {
	b, pos := p.b, s.Q.Pos
	if sel, ok := st.Tree.(*pg.SelectStmt); ok {
		b.apart(sel, nil)
		x.withWrites(sel.WithClause, sel)
		if x.parts != nil && len(x.parts.wrote) > 0 {
			b.unmodelled("a loop over rows of what a WITH query writes")
		}
		q := x.asLoop(sel, ir.WantList, pos, true)
		q.fetch = fetchWhole
		b.skipRows(q, pos, false)
		return q
	}
	if !gives(st.Tree) {
		b.unmodelled("a loop over %s", syntax.CommandName(st.Tree))
	}
	to := sink{kind: intoRows, rows: &rowSink{local: b.irLocal("rows", ir.ArrayType(ir.KindOpaque))}}
	p.command(g, st, s, to)
	if to.rows.cols == nil {
		b.unmodelled("a loop over the rows of this statement")
	}
	loop := setLoop{array: ir.V(to.rows.local), elem: b.irLocal("element", ir.OpaqueType)}
	q := &query{in: x.inner(), atMost: -1, loops: []setLoop{loop}}
	for i, c := range to.rows.cols {
		c.e = &ir.Call{Name: ir.FieldFn(i), Args: []ir.Expr{ir.V(loop.elem)}, Type: localType(c.t)}
		q.targets = append(q.targets, c)
	}
	return q
}
