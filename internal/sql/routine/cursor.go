package routine

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// opened finds the cursor of a loop, which is FETCHed from if fetched names it.
func (b *Builder) opened(f *expr.Frame, s *plpgsql.ForQuery, fetched string) *expr.Cursor {
	name := fetched
	if name == "" {
		name = strings.ToLower(strings.TrimSpace(s.Query.Text(f.Text.SQL)))
	}
	c := b.BoundCursor(f, name)
	if c.At != nil || moved(s.Body, name) || !onlyCursor(f.Text, name) {
		b.Unmodelled("a cursor that is used inside of its loop, or as a value")
	}
	if fetched != "" && leavesLoop(s.Body, s.Label, 0) {
		b.Unmodelled("a cursor in a loop that may end before its last row")
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
func (b *Builder) fetchLoop(f *expr.Frame, list []plpgsql.Stmt) (s *plpgsql.ForQuery, name string) {
	if len(list) < 3 {
		return nil, ""
	}
	open, ok1 := list[0].(*plpgsql.Cursor)
	loop, ok2 := list[1].(*plpgsql.Loop)
	last, ok3 := list[2].(*plpgsql.Cursor)
	if !ok1 || !ok2 || !ok3 || open.Verb != "open" || last.Verb != "close" || open.Name == "" || open.Name != last.Name ||
		!loop.Cond.Empty() || len(loop.Body) < 2 || f.Rowcount != "" {
		return nil, ""
	}
	fetch, ok1 := loop.Body[0].(*plpgsql.Cursor)
	exit, ok2 := loop.Body[1].(*plpgsql.Exit)
	if !ok1 || !ok2 || fetch.Verb != "fetch" || fetch.Name != open.Name || fetch.Into == nil || exit.Continue ||
		exit.Label != "" && exit.Label != loop.Label ||
		!slices.Equal(strings.Fields(strings.ToLower(exit.When.Text(f.Text.SQL))), []string{"not", "found"}) {
		return nil, ""
	}
	return &plpgsql.ForQuery{At: open.At, Label: loop.Label, Targets: fetch.Into.Targets, Kind: plpgsql.OfCursor, Body: loop.Body[2:]}, open.Name
}

// keysInto makes the loop over a cursor keep the keys of its rows: WHERE CURRENT
// OF needs them. Without a lock, it needs a plan that is no more than a scan.
func (b *Builder) keysInto(c *expr.Cursor, q *query.Query, list []expr.Dest) []expr.Dest {
	c.At = map[*ir.Table]*expr.Position{}
	if len(q.Aggs) > 0 || len(q.Loops) > 0 {
		return list
	}
	given := len(list)
	scan := len(q.From) == 1 && len(q.Order) == 0 && !ir.HasExists(q.Where)
	for _, src := range q.From {
		if _, several := c.At[src.Table]; several || src.Table.Rowid || !scan && q.Locks.Of(src.Row) == ir.NoLock {
			c.At[src.Table] = nil
			continue
		}
		p := &expr.Position{}
		t := b.App.TableOfIR(src.Table)
		for _, k := range src.Table.Key {
			col := t.Column(src.Table.Columns[k].Name)
			local := b.FieldLocal("current", col.Name, col.T)
			names := []string{local}
			e := &ir.Col{Row: src.Row, Col: col.Name}
			for i, d := range list[:given] {
				if have, ok := q.Targets[i].Expr.(*ir.Col); ok && *have == *e && d.Local != "" {
					names = append(names, d.Local)
				}
			}
			p.Key = append(p.Key, names)
			q.Targets = append(q.Targets, expr.Column{Name: col.Name, Expr: e, Type: col.T, NotNull: true})
			list = append(list, expr.Dest{Local: local, T: col.T})
		}
		c.At[src.Table] = p
	}
	return list
}
