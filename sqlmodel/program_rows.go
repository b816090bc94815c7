package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/proc"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// forRows is a loop over the rows of a statement.
func (p *caller) forRows(s *client.ForRows) {
	b := p.b
	if b.TypesOnly {
		p.types(s.Query)
		b.Loop(p.f, &expr.LoopLabel{Name: s.Label, Loop: true}, s.Pos, nil, func() { p.stmts(s.Body) })
		return
	}
	q := p.body.Sent[s.Query]
	snapped := b.Path.Snapped
	why, r := q.Why, q.Refs
	if why == "" {
		var ok bool
		if why, ok = p.attempt(func() { p.loop(s, q) }); ok {
			return
		}
		if shown, ok := p.attempt(func() { p.shown(q) }); ok {
			p.anyRounds(s)
			return
		} else if s.Query.Returned {
			why = shown
		}
	}
	b.Path.Snapped = true
	if !snapped && q.Why == "" {
		b.snapshotHere()
	}
	b.Cur = s.Pos
	p.lost(q, r, why, false)
	p.anyRounds(s)
}

// shown translates a statement over whose rows the program goes in a way that is not known: it
// depends on the rows, all of which are shown.
func (p *caller) shown(q *schema.Sent) {
	if len(q.List) != 1 {
		p.b.Unmodelled("a loop over several statements, or over none")
	}
	st := q.List[0]
	if !gives(st.Tree) {
		p.b.Unmodelled("a loop over %s", syntax.CommandName(st.Tree))
	}
	if st.Why != "" {
		p.b.Unmodelled("%s", st.Why)
	}
	p.send(q)
	p.b.snapshot(st.Tree)
	p.showAll(q, st, nil)
}

// anyRounds is a loop of any number of rounds, with any row in each.
func (p *caller) anyRounds(s *client.ForRows) {
	b := p.b
	l := &expr.LoopLabel{Name: s.Label, Loop: true}
	more := b.Local("more", schema.TBool)
	b.Loop(p.f, l, s.Pos, nil, func() {
		b.Emit(&ir.Havoc{At: expr.At(s.Pos), Var: more, NotNull: true})
		b.Emit(&ir.If{At: expr.At(s.Pos), Cond: ir.NotE(ir.V(more)), Then: []ir.Stmt{&ir.Break{At: expr.At(s.Pos)}}})
		p.forget(s.Query)
		p.stmts(s.Body)
	})
}

// loop translates a loop whose statement can be modelled.
func (p *caller) loop(s *client.ForRows, q *schema.Sent) {
	b := p.b
	pos := s.Pos
	for _, st := range q.List {
		if _, ok := st.Tree.(*pg.TransactionStmt); ok || len(q.List) > 1 {
			b.Unmodelled("a loop over several statements")
		}
	}
	if q.AnyColumns {
		b.Unmodelled("a loop over rows of columns that are not known")
	}
	if len(q.List) == 0 {
		b.Unmodelled("a loop over an empty statement")
	}
	st := q.List[0]
	p.send(q)
	b.snapshot(st.Tree)
	g := p.frame(q)
	x := b.Ex(g, q.Text)
	o := &rowTaker{p: p, q: s.Query, pos: pos, direct: true, temps: map[int]expr.Dest{}}
	rows := p.rows(x, g, st, q)
	p.refuseStar(st, s.Query)
	if st.Why != "" {
		b.Unmodelled("%s", st.Why)
	}
	if s.Query.Returned {
		b.Unmodelled("a loop over rows at which the program looks in other ways") // shown does
	}
	single := proc.OneRow(rows)
	list, _ := o.dests(rows.Targets)
	keep := single // the variables may have to stay as they are
	keep = keep || !o.fits()
	for i, d := range list {
		if d.Local == "" {
			continue
		}
		t := &o.targets[o.index(i, list)]
		if t.from.Local == t.v.Local && (keep || proc.Mentions(rows, d.Local)) {
			list[i] = o.temp(i, t.v.Variable.Name, rows.Targets[i].Type)
			t.from = list[i]
		}
	}
	o.direct = false
	p.sent.Into, p.sent.Each = locals(list), !single
	l := &expr.LoopLabel{Name: s.Label, Loop: true}
	round := func() []ir.Stmt {
		first := b.Collect(o.store)
		return append(first, b.Round(p.f, l, func() { p.stmts(s.Body) })...)
	}
	b.Over(g, x, rows, round, l, "", pos, list)
}

// fits reports whether no column has a NULL that does not fit its variable.
func (o *rowTaker) fits() bool {
	return !slices.ContainsFunc(o.targets, func(t taken) bool { return !t.nn && !t.v.nullable() })
}

// index gives the target of column i, given the locals of all columns.
func (o *rowTaker) index(i int, list []expr.Dest) int {
	n := 0
	for _, d := range list[:i] {
		if d.Local != "" {
			n++
		}
	}
	return n
}

// rows translates a statement whose rows are gone through one by one.
func (p *caller) rows(x *query.Place, g *expr.Frame, st schema.SentStmt, s *schema.Sent) *query.Query {
	b, pos := p.b, s.Q.Pos
	if sel, ok := st.Tree.(*pg.SelectStmt); ok {
		b.Apart(sel, nil)
		x.WithWrites(sel.WithClause, sel)
		if x.Parts != nil && len(x.Parts.Wrote) > 0 {
			b.Unmodelled("a loop over rows of what a WITH query writes")
		}
		q := x.AsLoop(sel, ir.WantList, pos, true)
		q.Fetch = proc.FetchWhole
		query.SkipRows(b.Draft, q, pos, false)
		return q
	}
	if !gives(st.Tree) {
		b.Unmodelled("a loop over %s", syntax.CommandName(st.Tree))
	}
	to := expr.Sink{Kind: expr.IntoRows, Rows: &expr.RowSink{Local: b.IRLocal("rows", ir.ArrayType(ir.KindOpaque))}}
	p.command(g, st, s, to)
	if to.Rows.Cols == nil {
		b.Unmodelled("a loop over the rows of this statement")
	}
	loop := query.SetLoop{Array: ir.V(to.Rows.Local), Elem: b.IRLocal("element", ir.OpaqueType)}
	q := &query.Query{Place: x.Inner(), AtMost: -1, Loops: []query.SetLoop{loop}}
	for i, c := range to.Rows.Cols {
		c.Expr = &ir.Call{Name: irnames.FieldFn(i), Args: []ir.Expr{ir.V(loop.Elem)}, Type: expr.LocalType(c.Type)}
		q.Targets = append(q.Targets, c)
	}
	return q
}
