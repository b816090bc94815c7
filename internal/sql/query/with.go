package query

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// with brings the queries of WITH into scope. Those that write or skip rows have
// been brought there by WithWrites.
func (x *Place) with(w *pg.WithClause) {
	for i, n := range w.Ctes {
		c := pg.Inner(n).(*pg.CommonTableExpr)
		recurs := x.recurs(w, i)
		sel, ok := pg.Inner(c.Ctequery).(*pg.SelectStmt)
		if !ok {
			if x.Ctes.find(c.Ctename) != nil {
				continue
			}
			x.Unmodelled("a WITH query that writes, in this place")
		}
		x.tryLocks(sel)
		if x.Ctes.holds(c.Ctename, sel) {
			continue
		}
		scope, levels := x.Ctes, x.Levels
		cols := syntax.Names(c.Aliascolnames)
		if why := syntax.OddRecursion(c, sel); recurs && why != "" {
			x.Unmodelled("WITH RECURSIVE %s", why)
		}
		var kept picked
		if x.Draft != nil && x.Deriver == nil && syntax.IsLimited(sel) && x.writes && syntax.IsFlat(sel, true) && x.Form(sel, syntax.Use{Limited: true, Nested: true}).Why == "" {
			kept = x.Copy().chosenFrom(sel, x.Pos(x.At(c.Ctequery)))
		}
		var once *Derived // its rows, the same each time that they are named
		if x.Draft != nil && x.Deriver == nil && syntax.IsLimited(sel) && kept == nil {
			y := x.Copy()
			x.Draft.Attempt(func() {
				d := y.Whole(sel, FetchedSome)
				if !leavesOpen(d.Rel) || !d.alone() {
					x.Unmodelled("nothing is left open")
				}
				local := RowsLocal(x.Draft, d, ir.WantRows, x.Pos(x.At(c.Ctequery))).(*ir.Var)
				once = &Derived{Rel: &ir.Given{Param: local.Name, Cols: ir.Columns(d.Rel)}, Cols: d.Cols, Single: d.Single, nonEmpty: d.nonEmpty}
			})
		}
		x.Ctes = &ctes{name: c.Ctename, up: scope, query: sel, cols: cols, levels: levels, picked: kept, once: once != nil, make: func(at *Place) *Derived {
			switch {
			case kept != nil:
				at.Unmodelled("a WITH query whose rows LIMIT leaves open, in this place")
			case once != nil:
				d := *once
				d.Cols = append([]expr.Column{}, d.Cols...)
				rename(&d, cols)
				return &d
			}
			y := at.Copy()
			y.Ctes, y.Levels, y.Depth = scope, levels, at.Depth
			y.held, y.pushed = true, ir.NoLock
			if recurs {
				y.Fetched = FetchedSome
				base := y.settled(sel.Larg)
				z, again := y.again(c, base)
				return z.recursion(c, sel, again, base, z.settled(sel.Rarg))
			}
			d := y.settled(sel)
			rename(d, cols)
			return d
		}}
	}
}

// recurs reports whether a query of WITH names itself. One that names a later one is not modelled, nor is one that writes.
func (x *Place) recurs(w *pg.WithClause, i int) bool {
	if !w.Recursive {
		return false
	}
	c := pg.Inner(w.Ctes[i]).(*pg.CommonTableExpr)
	for _, n := range w.Ctes[i+1:] {
		if syntax.NamesTable(c, pg.Inner(n).(*pg.CommonTableExpr).Ctename) > 0 {
			x.Unmodelled("WITH RECURSIVE of queries that name later ones")
		}
	}
	itself := syntax.NamesTable(c, c.Ctename) > 0
	if _, reads := pg.Inner(c.Ctequery).(*pg.SelectStmt); itself && !reads {
		x.Unmodelled("WITH RECURSIVE that writes")
	}
	return itself
}

// again gives the translator for the second part of a query of WITH RECURSIVE, in which its name stands for the rows of the round before.
func (x *Place) again(c *pg.CommonTableExpr, base *Derived) (*Place, *ir.SetOp) {
	rename(base, syntax.Names(c.Aliascolnames))
	for i := range base.Cols {
		base.Cols[i].NotNull = false // of the rows of the first round, and not of the others
	}
	r := &ir.SetOp{L: base.Rel, Again: x.RowName("rows of " + c.Ctename)} // with a blank: no parameter is called so
	x.Deriver.Rows[r.Again] = true
	y := x.Copy()
	y.Ctes = &ctes{name: c.Ctename, up: x.Ctes, make: func(*Place) *Derived {
		return &Derived{Rel: &ir.Given{Param: r.Again, Cols: ir.Columns(base.Rel)}, Cols: slices.Clone(base.Cols)}
	}}
	return y, r
}

// recursion gives the rows of a query of WITH RECURSIVE. The columns of its rounds have the types of those of its first part.
func (x *Place) recursion(c *pg.CommonTableExpr, s *pg.SelectStmt, r *ir.SetOp, base, step *Derived) *Derived {
	if len(base.Cols) != len(step.Cols) {
		x.Fail(int32(max(pg.Start(s.Rarg), 0)), "both parts of the recursive query %s need the same number of columns, but there are %d and %d", c.Ctename, len(base.Cols), len(step.Cols))
	}
	for i, col := range base.Cols {
		if t := x.commonColumn(col.Type, step.Cols[i].Type, "UNION"); !t.Same(col.Type) {
			x.Unmodelled("WITH RECURSIVE whose column %s has another type in its second part", col.Name)
		}
		if !s.All {
			x.ByIdentityOnly(col.Type, "UNION")
		}
	}
	x.retype(step, slices.Clone(base.Cols))
	r.All, r.R = s.All, step.Rel
	return &Derived{Rel: r, Cols: base.Cols, nonEmpty: base.nonEmpty}
}

// take gives a sink that takes the only row of RETURNING into locals.
func (c *ctes) take(x *Place) expr.Sink {
	b := x.Draft
	c.found = b.Local("was_found", schema.TBool)
	return expr.Sink{Kind: expr.IntoLocals, Only: true, Dests: func(cols []expr.Column) (list, rest []expr.Dest) {
		if c.row == nil {
			for _, col := range cols {
				v := x.DefaultType(col.Val())
				c.row = append(c.row, expr.Column{Name: col.Name, Expr: ir.V(b.Local(col.Name, v.Type)), Type: v.Type})
			}
		}
		for _, col := range c.row {
			list = append(list, expr.Dest{Local: col.Expr.(*ir.Var).Name, T: col.Type})
		}
		return list, nil
	}}
}

// WithWrites runs the queries of WITH that write, and chooses the rows of those
// that skip some, before the statement root that they stand in. All parts of such a statement see the rows as they were
// before it, so that no part may have to do with a table that another one
// writes.
func (x *Place) WithWrites(w *pg.WithClause, root pg.Message) {
	if w == nil {
		return
	}
	_, reads := root.(*pg.SelectStmt)
	x.writes = !reads
	p := &Parts{Start: len(x.Draft.Out), Wrote: map[string]bool{}}
	defer func() { p.End = len(x.Draft.Out) }()
	for i, n := range w.Ctes {
		c := pg.Inner(n).(*pg.CommonTableExpr)
		x.recurs(w, i)
		var target *pg.RangeVar
		var returning *pg.ReturningClause
		switch s := pg.Inner(c.Ctequery).(type) {
		case *pg.InsertStmt:
			target, returning = s.Relation, s.ReturningClause
		case *pg.UpdateStmt:
			target, returning = s.Relation, s.ReturningClause
		case *pg.DeleteStmt:
			target, returning = s.Relation, s.ReturningClause
		case *pg.SelectStmt:
			if syntax.SkipsLocked(s) {
				y := x.Copy()
				q := y.Locking(s, false) // where it is named, flat sees to its locks
				if q.AtMost == 0 {
					x.Unmodelled("LIMIT 0 with SKIP LOCKED in WITH")
				}
				picked := pick(x.Draft, q, x.Pos(x.At(c.Ctequery)), false)
				x.with(&pg.WithClause{Ctes: []*pg.Node{n}, Recursive: w.Recursive})
				x.Ctes.picked = picked
				continue
			}
			x.with(&pg.WithClause{Ctes: []*pg.Node{n}, Recursive: w.Recursive})
			continue
		default:
			x.Unmodelled("a WITH query of this kind")
		}
		if len(x.Draft.Catches) > 0 {
			x.Unmodelled("a WITH query that writes, in a block with EXCEPTION")
		}
		x.Parts = p
		x.writesApart(x.TableOf(target), n, w, root)
		to, one := expr.Sink{}, &ctes{name: c.Ctename, up: x.Ctes}
		switch {
		case returning != nil && x.OneRow:
			to = one.take(x)
		case returning != nil:
			to.Kind = expr.IntoRows
			to.Rows = &expr.RowSink{Local: x.Draft.IRLocal(c.Ctename, ir.ArrayType(ir.KindOpaque))}
		}
		g := *x.Frame
		g.Found, g.Rowcount, g.Ctes = one.found, "", x.Ctes
		x.Draft.Runs.Command(&g, x.Text, pg.Inner(c.Ctequery), x.Pos(x.At(c.Ctequery)), to)
		rows, cols := to.Rows, syntax.Names(c.Aliascolnames)
		if one.found != "" {
			for i := range min(len(cols), len(one.row)) {
				one.row[i].Name = cols[i]
			}
			one.make = func(at *Place) *Derived {
				at.Unmodelled("the row of a WITH query that writes, in this place")
				return nil
			}
			x.Ctes = one
			continue
		}
		x.Ctes = &ctes{name: c.Ctename, up: x.Ctes, make: func(at *Place) *Derived {
			if rows == nil {
				at.Unmodelled("a reference to a WITH query without RETURNING")
			}
			d := &Derived{Rel: &ir.Given{Param: rows.Local, Cols: rows.Shape()}, Cols: append([]expr.Column{}, rows.Cols...)}
			rename(d, cols)
			return d
		}}
	}
}

// Parts is what the WITH queries of a statement write that the statement itself looks at.
type Parts struct {
	// Start is where the statements of the WITH queries begin in Draft.Out, and end where they end.
	Start, End int
	// Wrote are the tables that they may change, as far as the statement behind them looks at them.
	Wrote map[string]bool
	// Rivals are the tables that the statement behind them updates, too.
	Rivals []*schema.Table
}

// writesApart finds out what the other parts of the statement root have to do with what the WITH query cte does by writing t, and
// ends the translation where that is not modelled.
func (x *Place) writesApart(t *schema.Table, cte *pg.Node, w *pg.WithClause, root pg.Message) {
	l := x.App
	caused := l.Tracer()
	caused.Write(t, schema.ChangesRows)
	caused.Tables[t.Name] = true
	others, rest, tr := l.Tracer(), l.Tracer(), l.Tracer() // other WITH queries, and the statement itself, with what it writes
	private := syntax.PrivateTo(w, root, cte)
	for _, n := range w.Ctes {
		if r := x.refsHere(n); n != cte && !(private[n] && load.BuiltinOnly(l.Calls(r), l.Sees(x.Text))) {
			others.Add(r)
			x.addTarget(others, pg.Inner(pg.Inner(n).(*pg.CommonTableExpr).Ctequery))
		}
	}
	own, target := x.restOf(root)
	rest.Add(own)
	if target != nil {
		tr.Write(target, schema.ChangesRows)
	}
	for _, f := range t.Foreign { // a parent that comes later would be missed
		if p := f.Parent(); max(others.Wrote[p], tr.Wrote[p]) > 0 {
			caused.Tables[p.Name] = true
		}
	}
	if caused.All || others.All || rest.All {
		x.Unmodelled("a WITH query that writes, beside something that may touch anything")
	}
	p := x.Parts
	if x.App.SightOf(own).Now.Meets(caused.Tables) {
		x.Unmodelled("a VOLATILE function that looks at what a WITH query writes")
	}
	for _, name := range load.SortedNames(caused.Tables) {
		if others.Tables[name] {
			x.Unmodelled("a WITH query that writes, in a statement that uses %s otherwise", name)
		}
		if rest.Tables[name] {
			p.Wrote[name] = true
		}
	}
	if target == nil {
		return
	}
	for _, name := range load.SortedNames(caused.Tables) {
		if tr.Tables[name] && name != target.Name {
			x.Unmodelled("a WITH query that writes, in a statement that changes %s, too", name)
		}
	}
	if caused.Tables[target.Name] {
		if target != t {
			x.Unmodelled("a WITH query that changes %s, which its statement writes", target.Name)
		}
		x.rival(t, pg.Inner(pg.Inner(cte).(*pg.CommonTableExpr).Ctequery), root)
	}
}

// refsHere gives what a tree names, in the text that is translated.
func (x *Place) refsHere(root pg.Message) *schema.Refs {
	r := x.App.RefsIn(root)
	if x.Text != nil {
		r.Names = schema.DeclaredNames(x.Text)
	}
	return r
}

// AddTarget adds what writing the target of a statement causes.
func (x *Place) addTarget(tr *schema.Tracer, tree any) {
	if r := syntax.TargetOf(tree); r != nil {
		if t := x.App.Sees(x.Text).Table(syntax.RangeName(r)); t != nil {
			tr.Write(t, schema.ChangesRows)
			tr.Tables[t.Name] = true
		}
	}
}

// restOf gives what a statement names outside of its WITH queries and apart from the table that it writes, which is target.
func (x *Place) restOf(root pg.Message) (r *schema.Refs, target *schema.Table) {
	tr := syntax.TargetOf(root)
	r = schema.NewRefs()
	local := map[string]bool{}
	pg.Walk(root, func(tree any) bool {
		switch tree := tree.(type) {
		case *pg.WithClause:
			if tree == syntax.WithOf(root) {
				for _, n := range tree.Ctes {
					local[pg.Inner(n).(*pg.CommonTableExpr).Ctename] = true
				}
				return false
			}
		case *pg.RangeVar:
			if tree != tr && (tree.Schemaname != "" || !local[tree.Relname]) {
				r.Tables[syntax.RangeName(tree)] = true
			}
		case *pg.FuncCall:
			r.Calls[syntax.Qualified(syntax.Names(tree.Funcname))] = true
		}
		return true
	})
	for name := range local { // a name of a WITH query that the walk met before
		delete(r.Tables, name)
	}
	if x.Text != nil {
		r.Names = schema.DeclaredNames(x.Text)
	}
	if tr != nil {
		target = x.App.Sees(x.Text).Table(syntax.RangeName(tr))
	}
	return r, target
}

// rival ends the translation where a WITH query and its statement write t so that it counts which of them comes first. Two updates of one row
// each may, of which one wins.
func (x *Place) rival(t *schema.Table, part any, root pg.Message) {
	refuse := func() {
		x.Unmodelled("a WITH query that writes, in a statement that writes %s, too", t.Name)
	}
	if len(t.Triggers) > 0 || t.SelfKey() != nil || len(t.Unseen) > 0 || x.Parts.Wrote[t.Name] {
		refuse()
	}
	for _, c := range x.App.KeysTo(t) {
		if c.OnDelete.Changes() || c.OnUpdate.Changes() {
			refuse()
		}
	}
	kind := func(tree any) string {
		switch s := tree.(type) {
		case *pg.InsertStmt:
			if s.OnConflictClause == nil {
				return "insert"
			}
		case *pg.UpdateStmt:
			for _, n := range s.TargetList {
				if x.App.Decides(t, pg.Inner(n).(*pg.ResTarget).Name) {
					return ""
				}
			}
			return "update"
		}
		return ""
	}
	switch kind(part) + " " + kind(root) {
	case "insert insert", "update insert", "insert update":
		// New rows are none of those that are updated, and no key changes.
		if i, is := root.(*pg.UpdateStmt); is && i.ReturningClause != nil {
			refuse()
		}
	case "update update":
		s := root.(*pg.UpdateStmt)
		if s.ReturningClause != nil || len(s.FromClause) > 0 || x.Frame.Found != "" || x.Frame.Rowcount != "" || syntax.MentionsCte(root, part) {
			refuse()
		}
		x.Parts.Rivals = append(x.Parts.Rivals, t)
	default:
		refuse()
	}
}
