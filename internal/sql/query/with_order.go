package query

import (
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Parts is what the WITH queries of a statement write that the statement itself looks at.
type Parts struct {
	// Start is where the statements of the WITH queries begin in builder.out, and end where they end.
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
	tr := l.Tracer()
	tr.Write(target, schema.ChangesRows)
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
