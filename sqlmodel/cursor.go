package sqlmodel

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// cursor is a query that a cursor variable is bound to. It gives the rows as they
// were when it was opened.
type cursor struct {
	query plpgsql.Span
	scope *scope // what its query sees
	// at is the row that the loop over the cursor is at, by table.
	at map[*ir.Table]*position
}

// position is the key of a row: the locals with each column, of which the first
// is the loop's own.
type position struct{ key [][]string }

// copy gives a scope as it is now.
func (s *scope) copy() *scope {
	out := *s
	out.vars = maps.Clone(s.vars)
	return &out
}

// boundCursor finds the cursor of a name.
func (b *builder) boundCursor(f *frame, name string) *cursor {
	v, _ := f.scope.find([]string{name})
	if v == nil || v.cursor == nil {
		b.unmodelled("a cursor that is not bound, or has parameters")
	}
	return v.cursor
}

// opened finds the cursor of a loop, which is FETCHed from if fetched names it.
func (b *builder) opened(f *frame, s *plpgsql.ForQuery, fetched string) *cursor {
	name := fetched
	if name == "" {
		name = strings.ToLower(strings.TrimSpace(s.Query.Text(f.text.SQL)))
	}
	c := b.boundCursor(f, name)
	if c.at != nil || moved(s.Body, name) || !onlyCursor(f.text, name) {
		b.unmodelled("a cursor that is used inside of its loop, or as a value")
	}
	if fetched != "" && leavesLoop(s.Body, s.Label, 0) {
		b.unmodelled("a cursor in a loop that may end before its last row")
	}
	return c
}

// moved reports whether statements may open, fetch from or close a cursor.
func moved(list []plpgsql.Stmt, name string) bool {
	found := false
	plpgsql.Walk(list, func(s plpgsql.Stmt) {
		c, ok := s.(*plpgsql.Cursor)
		found = found || ok && (c.Name == "" || c.Name == name)
	})
	return found
}

// onlyCursor reports whether a name stands in the text of a function only where
// cursors are named.
func onlyCursor(t *syntax.Text, name string) bool {
	toks, err := pg.Scan(t.SQL)
	if err != nil {
		return false
	}
	toks = schema.Without(toks, func(k pg.Token) bool { return k.Kind == pg.Comment })
	for i, k := range toks {
		if k.Kind != pg.Word || k.Text != name || i == 0 || i == len(toks)-1 {
			continue
		}
		declares := slices.Contains([]string{"cursor", "no", "scroll"}, toks[i+1].Text)
		if !declares && !slices.Contains([]string{"open", "fetch", "close", "in", "of", "from", "next"}, toks[i-1].Text) {
			return false
		}
	}
	return true
}

// leavesLoop reports whether statements in the body of a loop with this label
// may leave it, given the number of loops around them inside of it.
func leavesLoop(list []plpgsql.Stmt, label string, depth int) bool {
	for _, s := range list {
		inner := depth
		switch s := s.(type) {
		case *plpgsql.Return:
			return true
		case *plpgsql.Exit:
			if s.Label == "" && !s.Continue && depth == 0 || s.Label != "" && !(s.Continue && s.Label == label) {
				return true
			}
		case *plpgsql.Loop, *plpgsql.ForRange, *plpgsql.ForQuery, *plpgsql.Foreach:
			inner++
		}
		for _, c := range plpgsql.Children(s) {
			if leavesLoop(c, label, inner) {
				return true
			}
		}
	}
	return false
}

// fetchLoop recognizes OPEN c; LOOP FETCH c INTO v; EXIT WHEN NOT FOUND; …
// END LOOP; CLOSE c; at the beginning of a list. It gives the FOR loop over c
// that is the same but for what v and FOUND are afterwards.
func (b *builder) fetchLoop(f *frame, list []plpgsql.Stmt) (s *plpgsql.ForQuery, name string) {
	if len(list) < 3 {
		return nil, ""
	}
	open, ok1 := list[0].(*plpgsql.Cursor)
	loop, ok2 := list[1].(*plpgsql.Loop)
	last, ok3 := list[2].(*plpgsql.Cursor)
	if !ok1 || !ok2 || !ok3 || open.Verb != "open" || last.Verb != "close" || open.Name == "" || open.Name != last.Name ||
		!loop.Cond.Empty() || len(loop.Body) < 2 || f.rowcount != "" {
		return nil, ""
	}
	fetch, ok1 := loop.Body[0].(*plpgsql.Cursor)
	exit, ok2 := loop.Body[1].(*plpgsql.Exit)
	if !ok1 || !ok2 || fetch.Verb != "fetch" || fetch.Name != open.Name || fetch.Into == nil || exit.Continue ||
		exit.Label != "" && exit.Label != loop.Label ||
		!slices.Equal(strings.Fields(strings.ToLower(exit.When.Text(f.text.SQL))), []string{"not", "found"}) {
		return nil, ""
	}
	return &plpgsql.ForQuery{At: open.At, Label: loop.Label, Targets: fetch.Into.Targets, Kind: plpgsql.OfCursor, Body: loop.Body[2:]}, open.Name
}

// keysInto makes the loop over a cursor keep the keys of its rows: WHERE CURRENT
// OF needs them. Without a lock, it needs a plan that is no more than a scan.
func (b *builder) keysInto(c *cursor, q *query, list []dest) []dest {
	c.at = map[*ir.Table]*position{}
	if len(q.aggs) > 0 || len(q.loops) > 0 {
		return list
	}
	given := len(list)
	scan := len(q.from) == 1 && len(q.order) == 0 && !ir.HasExists(q.where)
	for _, src := range q.from {
		if _, several := c.at[src.Table]; several || src.Table.Rowid || !scan && q.locks.Of(src.Row) == ir.NoLock {
			c.at[src.Table] = nil
			continue
		}
		p := &position{}
		t := b.l.TableFor(src.Table)
		for _, k := range src.Table.Key {
			col := t.Column(src.Table.Columns[k].Name)
			local := b.fieldLocal("current", col.Name, col.T)
			names := []string{local}
			e := &ir.Col{Row: src.Row, Col: col.Name}
			for i, d := range list[:given] {
				if have, ok := q.targets[i].e.(*ir.Col); ok && *have == *e && d.local != "" {
					names = append(names, d.local)
				}
			}
			p.key = append(p.key, names)
			q.targets = append(q.targets, colDef{name: col.Name, e: e, t: col.T, nn: true})
			list = append(list, dest{local, col.T})
		}
		c.at[src.Table] = p
	}
	return list
}

// currentOf translates WHERE CURRENT OF for a write of row; ok is false where n
// is something else.
func (b *builder) currentOf(f *frame, row *rowSource, n *pg.Node) (where ir.Expr, ok bool) {
	e, ok := pg.Inner(n).(*pg.CurrentOfExpr)
	if !ok {
		return nil, false
	}
	c := b.boundCursor(f, e.CursorName)
	p := c.at[row.table.IR]
	if p == nil {
		b.unmodelled("WHERE CURRENT OF outside of a simple loop over the cursor")
	}
	for i, k := range row.table.IR.Key {
		where = ir.AndE(where, ir.Op(ir.Eq, &ir.Col{Row: row.row, Col: row.table.IR.Columns[k].Name}, ir.V(p.key[i][0])))
	}
	return where, true
}

// staysAway reports whether the body of a loop over a cursor writes no row that
// the cursor locks, other than the one that it is at: the cursor passes over
// rows that have been changed before it comes to them.
func (c *cursor) staysAway(q *query, body []ir.Stmt) bool {
	ok := true
	changed := map[string]bool{}
	ir.Walk(body, func(s ir.Stmt) {
		for _, name := range ir.Assigned(s) {
			changed[name] = true
		}
	})
	for _, src := range q.from {
		if q.locks.Of(src.Row) == ir.NoLock {
			continue
		}
		p := c.at[src.Table]
		if len(q.from) > 1 { // the row may come again
			p = nil
		}
		ir.Walk(body, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.Unmodelled:
				ok = ok && (s.ReadOnly || s.Tables != nil && !slices.Contains(s.Tables, src.Table))
			case *ir.Update:
				ok = ok && (s.Table != src.Table || p.is(s.Table, s.Row, s.Where, changed))
			case *ir.Delete:
				ok = ok && (s.Table != src.Table || p.is(s.Table, s.Row, s.Where, changed))
			case *ir.Insert:
				ok = ok && (s.Table != src.Table || s.Conflict == nil || len(s.Conflict.Sets) == 0)
			}
		})
	}
	return ok
}

// is reports whether a condition fixes the row at p; changed are locals that
// have other values by then.
func (p *position) is(t *ir.Table, row string, where ir.Expr, changed map[string]bool) bool {
	if p == nil {
		return false
	}
	conds := ir.Conjuncts(where)
	for i, k := range t.Key {
		fixed := func(c ir.Expr) bool {
			eq, ok := c.(*ir.Binary)
			if !ok || eq.Op != ir.Eq {
				return false
			}
			col, ok1 := eq.X.(*ir.Col)
			v, ok2 := eq.Y.(*ir.Var)
			return ok1 && ok2 && col.Row == row && col.Col == t.Columns[k].Name && slices.Contains(p.key[i], v.Name) && !changed[v.Name]
		}
		if !slices.ContainsFunc(conds, fixed) {
			return false
		}
	}
	return true
}
