package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// What a part of a statement sees of the rows that the statement itself writes:
//
//   - subqueries, conditions and everything else that stands in the statement see none of them;
//   - a STABLE or IMMUTABLE function sees what the statement sees that calls it, in its own statements, too, and may not write;
//   - each statement of a VOLATILE function sees all that was written so far, by the statement around it, too.
//
// So a STABLE function that is called from a VOLATILE one sees what the statement sees in which that calls it.

// SightOf gives what trees of one statement look at.
func (b *Writer) sightOf(roots ...pg.Message) schema.Sight { return b.App.SightOf(b.RefsOf(roots...)) }

// hidden is why a part of a statement is not modelled that looks at what the statement writes.
const hidden = "which looks at rows that its statement writes"

// looksAhead ends the translation of a statement that writes t where parts of it, other than RETURNING, would see other rows than the
// statements of the IR do that stand for it. several says that it may write several rows.
func (b *Writer) looksAhead(t *schema.Table, do schema.Access, events int32, several bool, parts ...pg.Message) {
	s, w := b.sightOf(parts...), b.App.ChangedBy(t, do)
	switch {
	case s.Now.All && w.All:
		return // nothing is known of either
	case s.Undeclared != "":
		b.Unmodelled(query.UndeclaredFunction, s.Undeclared)
	}
	if several && s.Now.Meets(w.Tables) {
		b.Unmodelled("a VOLATILE function %s", hidden)
	}
	first := b.App.Tracer() // triggers that run before the statement looks at anything
	for _, g := range t.Triggers {
		if g.Before && !g.Row && g.Events&events != 0 {
			first.Add(g.Refs())
		}
	}
	if first.Writes && (s.Before.Meets(first.Tables) || s.Now.Meets(first.Tables) || first.All || first.Tables[t.Name] && events != schema.OnInsert) {
		b.Unmodelled("a trigger BEFORE … FOR EACH STATEMENT that writes what the statement looks at")
	}
}

// partsOf lists parts of a statement that there are: trees and lists of them.
func partsOf(with *pg.WithClause, where *pg.Node, lists ...[]*pg.Node) []pg.Message {
	var out []pg.Message
	if with != nil {
		out = append(out, with)
	}
	if where != nil {
		out = append(out, where)
	}
	for _, list := range lists {
		for _, n := range list {
			out = append(out, n)
		}
	}
	return out
}

// returnsAhead ends the translation of an UPDATE or DELETE of t whose RETURNING calls functions that see its rows written: it is
// computed before.
func (b *Writer) returnsAhead(t *schema.Table, do schema.Access, ret *pg.ReturningClause) {
	if ret == nil {
		return
	}
	w := b.App.ChangedBy(t, do)
	s := b.sightOf(ret)
	if s.Now.Meets(w.Tables) {
		b.Unmodelled("a VOLATILE function in RETURNING, %s", hidden)
	}
	if s.Before.Meets(w.Tables) && b.fires(t, schema.OnUpdate|schema.OnDelete, nil) {
		b.Unmodelled("a subquery in RETURNING, %s, of a table with row triggers", hidden)
	}
}

// refuses writes the error of a command that a function which is not VOLATILE may not run, and reports whether it is one.
func (b *builder) refuses(f *query.Frame, tree any, pos ir.Pos) bool {
	if f.Func == nil || !f.Func.Stable || f.Func.Script != nil || f.Func.Program != nil || readsOnly(tree) {
		return false
	}
	b.Fails(pos, "0A000")
	return true
}

// readsOnly reports whether a command neither writes nor locks rows.
func readsOnly(tree any) bool {
	s, ok := tree.(*pg.SelectStmt)
	if !ok {
		return false
	}
	reads := true
	pg.Walk(s, func(tree any) bool {
		switch tree := tree.(type) {
		case *pg.LockingClause, *pg.InsertStmt, *pg.UpdateStmt, *pg.DeleteStmt, *pg.MergeStmt:
			reads = false
		case *pg.SelectStmt:
			reads = reads && tree.IntoClause == nil
		}
		return reads
	})
	return reads
}
