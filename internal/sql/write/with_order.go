package write

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// withParts translates a statement with WITH queries that write: their rows are kept as a
// whole, or else in locals, where each gives one row at most.
func (b *Writer) withParts(f *expr.Frame, t *syntax.Text, w *pg.WithClause, root pg.Message, own func(x *query.Place)) {
	try := func(one bool) {
		x := b.Ex(f, t)
		x.OneRow = one
		x.WithWrites(w, root)
		b.AfterParts(x.Parts, func() { own(x) })
	}
	if !syntax.WithWrites(w) {
		try(false)
		return
	}
	why, ok := b.Attempt(func() { try(false) })
	if ok {
		return
	}
	if _, ok = b.Attempt(func() { try(true) }); !ok {
		b.Unmodelled("%s", why)
	}
}

// AfterParts translates the statement behind WITH queries that write, by f: what it reads of what they write is read before them.
func (b *Writer) AfterParts(p *query.Parts, f func()) {
	if p == nil || len(p.Wrote) == 0 && len(p.Rivals) == 0 {
		f()
		return
	}
	list := b.Collect(f)
	before, with := b.Out[:p.Start:p.Start], slices.Clone(b.Out[p.Start:p.End])
	between := slices.Clone(b.Out[p.End:])
	early, late := b.readEarly(p, with, append(between, list...))
	if len(p.Rivals) > 0 {
		with, late = b.contend(p.Rivals, with, late)
	}
	b.Out = slices.Concat(before, early, with, late)
}

// readEarly gives the statements of list that read what the statements with write, which can come before these, and the others.
func (b *Writer) readEarly(p *query.Parts, with, list []ir.Stmt) (early, late []ir.Stmt) {
	held := map[string]bool{} // locals that the statements set or look at before which the reads come
	hold := func(s ir.Stmt) {
		ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) {
			for _, v := range ir.Assigned(s) {
				held[v] = true
			}
		})
	}
	looks := func(s ir.Stmt, at map[string]bool) bool { return Uses([]ir.Stmt{s}, at) }
	reads := func(s ir.Stmt) bool {
		found := false
		ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) {
			for _, src := range ir.Reads(s) {
				found = found || p.Wrote[src.Table.Name]
			}
			u, ok := s.(*ir.Unmodelled)
			found = found || ok && (u.Tables == nil || slices.ContainsFunc(u.Tables, func(t *ir.Table) bool { return p.Wrote[t.Name] }))
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
			b.Unmodelled("a WITH query that writes what its statement reads")
		}
		sets := map[string]bool{}
		for _, v := range ir.Assigned(s) {
			sets[v] = true
		}
		for _, w := range append(slices.Clone(with), late...) {
			if looks(w, sets) || slices.ContainsFunc(ir.Assigned(w), func(v string) bool { return sets[v] }) {
				b.Unmodelled("a WITH query that writes what its statement reads")
			}
		}
		early = append(early, s)
	}
	return early, late
}

// contend lets one of two updates of the same row win: that of a WITH query, and that of its statement.
func (b *Writer) contend(rivals []*schema.Table, with, late []ir.Stmt) (first, then []ir.Stmt) {
	first, then = slices.Clone(with), slices.Clone(late)
	for _, t := range rivals {
		update := func(list []ir.Stmt) int {
			at := -1
			for i, s := range list {
				if ir.Written(s) == t.IR {
					if _, ok := s.(*ir.Update); !ok || at >= 0 {
						b.Unmodelled("a WITH query that writes, in a statement that writes %s, too", t.Name)
					}
					at = i
				}
			}
			if at < 0 || slices.ContainsFunc(list, func(s ir.Stmt) bool { return len(ir.Children(s)) > 0 }) {
				b.Unmodelled("a WITH query that writes, in a statement that writes %s, too", t.Name)
			}
			return at
		}
		i, k := update(first), update(then)
		one, two := first[i].(*ir.Update), then[k].(*ir.Update)
		same, ok := sameKey(one, two)
		if !ok {
			b.Unmodelled("a WITH query that updates rows of %s which its statement may update, too", t.Name)
		}
		if value, known := ConstantTruth(same); known && !value {
			continue // they are different rows
		}
		first = slices.Delete(first, i, i+1)
		then = slices.Replace(then, k, k+1, b.Collect(func() {
			pos := one.Pos
			hits := func(u *ir.Update) ir.Expr {
				return &ir.Exists{Query: ir.Query{From: []ir.Source{{Table: u.Table, Row: u.Row}}, Where: u.Where}}
			}
			both, wins := b.Local("contend", schema.TBool), b.Choice(pos)
			b.Emit(&ir.Assign{At: expr.At(pos), Var: both, Expr: ir.AndE(same, hits(one), hits(two))})
			b.Emit(&ir.If{At: expr.At(pos), Cond: ir.NotE(ir.AndE(ir.V(both), ir.NotE(wins))), Then: []ir.Stmt{one}})
			b.Emit(&ir.If{At: expr.At(pos), Cond: ir.NotE(ir.AndE(ir.V(both), wins)), Then: []ir.Stmt{two}})
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
				if is && col.Row == u.Row && col.Col == column && expr.RowFree(side[1], map[string]bool{}) {
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
