package sqlmodel

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/ir"
)

// What a part of a statement sees of the rows that the statement itself writes:
//
//   - subqueries, conditions and everything else that stands in the statement see none of them;
//   - a STABLE or IMMUTABLE function sees what the statement sees that calls it, in its own statements, too, and may not write;
//   - each statement of a VOLATILE function sees all that was written so far, by the statement around it, too.
//
// So a STABLE function that is called from a VOLATILE one sees what the statement sees in which that calls it.

// sight is what SQL looks at: now is what it looks at as it is when that part is run, before as it was before
// the statement. undeclared is a function that it calls itself and of which nothing is known, or "".
type sight struct {
	before, now *effect
	undeclared  string
}

// sightOf gives what trees of one statement look at.
func (b *builder) sightOf(roots ...pg.Message) sight { return b.l.sightOf(b.refsOf(roots...)) }

func (l *Schema) sightOf(root *refs) sight {
	at, current := l.tracer(), l.tracer()
	seen, undeclared := map[*function]bool{}, ""
	var split func(r *refs, in *resolver)
	split = func(r *refs, in *resolver) {
		own := *r
		own.calls, own.attributes, own.names = nil, nil, in
		at.add(&own)
		for _, name := range slices.Sorted(maps.Keys(l.calls(r))) {
			fns, sure := in.functions(name)
			if len(fns) == 0 || !sure {
				at.builtin(name)
				current.builtin(name)
				if r == root && len(fns) == 0 && !l.builtin(name).known {
					undeclared = name
				}
			}
			for _, f := range fns {
				switch {
				case seen[f]:
				case f.stable && f.hasBody():
					seen[f] = true
					split(f.refs, l.insideOf(f, in.run))
				default:
					seen[f] = true
					current.call([]*function{f})
				}
			}
		}
	}
	in := root.names
	if in == nil {
		in = &l.late
	}
	split(root, in)
	return sight{at.effect, current.effect, undeclared}
}

// meets reports whether an effect has one of some tables.
func (e *effect) meets(tables map[string]bool) bool {
	if e.all {
		return true
	}
	for name := range tables {
		if e.tables[name] {
			return true
		}
	}
	return false
}

// changedBy gives the tables that a write of t may change, with those that its triggers look at.
func (l *Schema) changedBy(t *table, do access) *effect {
	tr := l.tracer()
	tr.write(t, do)
	tr.tables[t.name] = true
	return tr.effect
}

// hidden is why a part of a statement is not modelled that looks at what the statement writes.
const hidden = "which looks at rows that its statement writes"

// looksAhead ends the translation of a statement that writes t where parts of it, other than RETURNING, would see other rows than the
// statements of the IR do that stand for it. several says that it may write several rows.
func (b *builder) looksAhead(t *table, do access, events int32, several bool, parts ...pg.Message) {
	s, w := b.sightOf(parts...), b.l.changedBy(t, do)
	switch {
	case s.now.all && w.all:
		return // nothing is known of either
	case s.undeclared != "":
		b.unmodelled(undeclaredFunction, s.undeclared)
	}
	if several && s.now.meets(w.tables) {
		b.unmodelled("a VOLATILE function %s", hidden)
	}
	first := b.l.tracer() // triggers that run before the statement looks at anything
	for _, g := range t.triggers {
		if g.before && !g.row && g.events&events != 0 {
			first.add(g.refs())
		}
	}
	if first.writes && (s.before.meets(first.tables) || s.now.meets(first.tables) || first.all || first.tables[t.name] && events != onInsert) {
		b.unmodelled("a trigger BEFORE … FOR EACH STATEMENT that writes what the statement looks at")
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
func (b *builder) returnsAhead(t *table, do access, ret *pg.ReturningClause) {
	if ret == nil {
		return
	}
	w := b.l.changedBy(t, do)
	s := b.sightOf(ret)
	if s.now.meets(w.tables) {
		b.unmodelled("a VOLATILE function in RETURNING, %s", hidden)
	}
	if s.before.meets(w.tables) && b.fires(t, onUpdate|onDelete, nil) {
		b.unmodelled("a subquery in RETURNING, %s, of a table with row triggers", hidden)
	}
}

// refuses writes the error of a command that a function which is not VOLATILE may not run, and reports whether it is one.
func (b *builder) refuses(f *frame, tree any, pos ir.Pos) bool {
	if f.fn == nil || !f.fn.stable || f.fn.script != nil || f.fn.program != nil || readsOnly(tree) {
		return false
	}
	b.fails(pos, "0A000")
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

// pretends reports whether a function is not VOLATILE and calls, or so do others of that kind which it calls, a function that
// writes: what it reads afterwards is not what its own statements in the IR see.
func (l *Schema) pretends(f *function, seen map[*function]bool) bool {
	if !f.stable || seen[f] {
		return false
	}
	seen[f] = true
	for _, g := range l.callees(f) {
		e := l.effectOfCall([]*function{g})
		switch {
		case g.stable && l.pretends(g, seen), !g.stable && (e.writes || e.all):
			return true
		}
	}
	return false
}

// checkVolatility ends the translation of a call of a function whose declaration does not fit what it does.
func (b *builder) checkVolatility(f *function) {
	if f.immutable {
		if e := b.l.effectOfCall([]*function{f}); e.all || len(e.tables) > 0 {
			b.unmodelled("%s, which is IMMUTABLE and looks at tables: the server may keep what it gave before", f.name)
		}
	}
	if b.l.pretends(f, map[*function]bool{}) {
		b.unmodelled("%s, which is not VOLATILE and calls a function that writes", f.name)
	}
}
