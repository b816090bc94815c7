package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// All parts of a statement with WITH queries that write see the tables as they were before it, and each is run once, in an order
// that PostgreSQL does not tell. Here the WITH queries come first. So whatever else looks at what they write is read before
// them; where two parts write one table, they must not meet, or one of them wins.

// parts is what the WITH queries of a statement write that the statement itself looks at.
type parts struct {
	// start is where the statements of the WITH queries begin in builder.out, and end where they end.
	start, end int
	// wrote are the tables that they may change, as far as the statement behind them looks at them.
	wrote map[string]bool
	// rivals are the tables that the statement behind them updates, too.
	rivals []*schema.Table
}

// writesApart finds out what the other parts of the statement root have to do with what the WITH query cte does by writing t, and
// ends the translation where that is not modelled.
func (x *ex) writesApart(t *schema.Table, cte *pg.Node, w *pg.WithClause, root pg.Message) {
	l := x.l
	caused := l.Tracer()
	caused.Write(t, schema.ChangesRows)
	caused.Tables[t.Name] = true
	for _, f := range t.Foreign { // a parent that comes later would be missed
		if p := f.Parent(); p != nil {
			caused.Tables[p.Name] = true
		}
	}
	others, rest := l.Tracer(), l.Tracer() // other WITH queries, and the statement itself
	for _, n := range w.Ctes {
		if n != cte {
			others.Add(x.refsHere(n))
			x.addTarget(others, pg.Inner(pg.Inner(n).(*pg.CommonTableExpr).Ctequery))
		}
	}
	own, target := x.restOf(root)
	rest.Add(own)
	if caused.All || others.All || rest.All {
		x.unmodelled("a WITH query that writes, beside something that may touch anything")
	}
	p := x.parts
	if x.l.SightOf(own).Now.Meets(caused.Tables) {
		x.unmodelled("a VOLATILE function that looks at what a WITH query writes")
	}
	for _, name := range load.SortedNames(caused.Tables) {
		if others.Tables[name] {
			x.unmodelled("a WITH query that writes, in a statement that uses %s otherwise", name)
		}
		if rest.Tables[name] {
			p.wrote[name] = true
		}
	}
	if target == nil {
		return
	}
	tr := l.Tracer()
	tr.Write(target, schema.ChangesRows)
	for _, name := range load.SortedNames(caused.Tables) {
		if tr.Tables[name] && name != target.Name {
			x.unmodelled("a WITH query that writes, in a statement that changes %s, too", name)
		}
	}
	if caused.Tables[target.Name] {
		if target != t {
			x.unmodelled("a WITH query that changes %s, which its statement writes", target.Name)
		}
		x.rival(t, pg.Inner(pg.Inner(cte).(*pg.CommonTableExpr).Ctequery), root)
	}
}

// refsHere gives what a tree names, in the text that is translated.
func (x *ex) refsHere(root pg.Message) *schema.Refs {
	r := x.l.RefsIn(root)
	if x.text != nil {
		r.Names = schema.DeclaredNames(x.text)
	}
	return r
}

// addTarget adds what writing the target of a statement causes.
func (x *ex) addTarget(tr *schema.Tracer, tree any) {
	if r := syntax.TargetOf(tree); r != nil {
		if t := x.l.Sees(x.text).Table(syntax.RangeName(r)); t != nil {
			tr.Write(t, schema.ChangesRows)
			tr.Tables[t.Name] = true
		}
	}
}

// restOf gives what a statement names outside of its WITH queries and apart from the table that it writes, which is target.
func (x *ex) restOf(root pg.Message) (r *schema.Refs, target *schema.Table) {
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
	if x.text != nil {
		r.Names = schema.DeclaredNames(x.text)
	}
	if tr != nil {
		target = x.l.Sees(x.text).Table(syntax.RangeName(tr))
	}
	return r, target
}

// rival ends the translation where a WITH query and its statement write t so that it counts which of them comes first. Two updates of one row
// each may, of which one wins.
func (x *ex) rival(t *schema.Table, part any, root pg.Message) {
	refuse := func() {
		x.unmodelled("a WITH query that writes, in a statement that writes %s, too", t.Name)
	}
	if len(t.Triggers) > 0 || t.SelfKey() != nil || len(t.Unseen) > 0 || x.parts.wrote[t.Name] {
		refuse()
	}
	for _, c := range x.l.KeysTo(t) {
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
				if x.l.Decides(t, pg.Inner(n).(*pg.ResTarget).Name) {
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
		if s.ReturningClause != nil || len(s.FromClause) > 0 || x.f.found != "" || x.f.rowcount != "" || syntax.MentionsCte(root, part) {
			refuse()
		}
		x.parts.rivals = append(x.parts.rivals, t)
	default:
		refuse()
	}
}

// afterParts translates the statement behind WITH queries that write, by f: what it reads of what they write is read before them.
func (b *builder) afterParts(p *parts, f func()) {
	if p == nil || len(p.wrote) == 0 && len(p.rivals) == 0 {
		f()
		return
	}
	list := b.collect(f)
	before, with := b.out[:p.start:p.start], slices.Clone(b.out[p.start:p.end])
	between := slices.Clone(b.out[p.end:])
	early, late := b.readEarly(p, with, append(between, list...))
	if len(p.rivals) > 0 {
		with, late = b.contend(p.rivals, with, late)
	}
	b.out = slices.Concat(before, early, with, late)
}

// readEarly gives the statements of list that read what the statements with write, which can come before these, and the others.
func (b *builder) readEarly(p *parts, with, list []ir.Stmt) (early, late []ir.Stmt) {
	held := map[string]bool{} // locals that the statements set or look at before which the reads come
	hold := func(s ir.Stmt) {
		ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) {
			for _, v := range ir.Assigned(s) {
				held[v] = true
			}
		})
	}
	looks := func(s ir.Stmt, at map[string]bool) bool { return uses([]ir.Stmt{s}, at) }
	reads := func(s ir.Stmt) bool {
		found := false
		ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) {
			for _, src := range ir.Reads(s) {
				found = found || p.wrote[src.Table.Name]
			}
			u, ok := s.(*ir.Unmodelled)
			found = found || ok && (u.Tables == nil || slices.ContainsFunc(u.Tables, func(t *ir.Table) bool { return p.wrote[t.Name] }))
		})
		return found
	}
	for _, s := range with {
		hold(s)
	}
	for _, s := range list {
		if !reads(s) {
			late = append(late, s)
			hold(s)
			continue
		}
		sel, ok := s.(*ir.Select)
		if !ok || len(sel.Locks) > 0 || looks(s, held) {
			b.unmodelled("a WITH query that writes what its statement reads")
		}
		sets := map[string]bool{}
		for _, v := range ir.Assigned(s) {
			sets[v] = true
		}
		for _, w := range append(slices.Clone(with), late...) {
			if looks(w, sets) || slices.ContainsFunc(ir.Assigned(w), func(v string) bool { return sets[v] }) {
				b.unmodelled("a WITH query that writes what its statement reads")
			}
		}
		early = append(early, s)
	}
	return early, late
}

// contend lets one of two updates of the same row win: that of a WITH query, and that of its statement.
func (b *builder) contend(rivals []*schema.Table, with, late []ir.Stmt) (first, then []ir.Stmt) {
	first, then = slices.Clone(with), slices.Clone(late)
	for _, t := range rivals {
		update := func(list []ir.Stmt) int {
			at := -1
			for i, s := range list {
				if ir.Written(s) == t.IR {
					if _, ok := s.(*ir.Update); !ok || at >= 0 {
						b.unmodelled("a WITH query that writes, in a statement that writes %s, too", t.Name)
					}
					at = i
				}
			}
			if at < 0 || slices.ContainsFunc(list, func(s ir.Stmt) bool { return len(ir.Children(s)) > 0 }) {
				b.unmodelled("a WITH query that writes, in a statement that writes %s, too", t.Name)
			}
			return at
		}
		i, k := update(first), update(then)
		one, two := first[i].(*ir.Update), then[k].(*ir.Update)
		same, ok := sameKey(one, two)
		if !ok {
			b.unmodelled("a WITH query that updates rows of %s which its statement may update, too", t.Name)
		}
		if value, known := constantTruth(same); known && !value {
			continue // they are different rows
		}
		first = slices.Delete(first, i, i+1)
		then = slices.Replace(then, k, k+1, b.collect(func() {
			pos := one.Pos
			hits := func(u *ir.Update) ir.Expr {
				return &ir.Exists{Query: ir.Query{From: []ir.Source{{Table: u.Table, Row: u.Row}}, Where: u.Where}}
			}
			both, wins := b.local("contend", schema.TBool), b.choice(pos)
			b.emit(&ir.Assign{At: at(pos), Var: both, Expr: ir.AndE(same, hits(one), hits(two))})
			b.emit(&ir.If{At: at(pos), Cond: ir.NotE(ir.AndE(ir.V(both), ir.NotE(wins))), Then: []ir.Stmt{one}})
			b.emit(&ir.If{At: at(pos), Cond: ir.NotE(ir.AndE(ir.V(both), wins)), Then: []ir.Stmt{two}})
		})...)
	}
	return first, then
}

// sameKey is the condition under which two updates are of the same row; ok is false where one of them may update several.
func sameKey(a, b *ir.Update) (cond ir.Expr, ok bool) {
	value := func(u *ir.Update, column string) ir.Expr {
		for _, c := range ir.Conjuncts(u.Where) {
			eq, is := c.(*ir.Binary)
			if !is || eq.Op != ir.Eq {
				continue
			}
			for _, side := range [][2]ir.Expr{{eq.X, eq.Y}, {eq.Y, eq.X}} {
				col, is := side[0].(*ir.Col)
				if is && col.Row == u.Row && col.Col == column && rowFree(side[1], map[string]bool{}) {
					return side[1]
				}
			}
		}
		return nil
	}
	for _, k := range a.Table.Key {
		x, y := value(a, a.Table.Columns[k].Name), value(b, a.Table.Columns[k].Name)
		if x == nil || y == nil {
			return nil, false
		}
		cond = ir.AndE(cond, ir.Op(ir.Eq, x, y))
	}
	return cond, true
}
