package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// The variables of a script, and some of a client program, have no types. They get those of the places where they stand, and of
// the values that they get, before the transaction is translated: its statements are bound, which reads and writes
// nothing, until no type changes.

// maxTypings bounds how often the statements of a transaction are bound.
const maxTypings = 8

// typesOf finds the types of the variables of fn, by what names each. settled is false where they depend on each other,
// so that most rounds do not end with the types that they began with.
func (l *loader) typesOf(fn *schema.Function, most int) (types map[any]schema.Type, settled bool) {
	defer func(notes, premises []ir.Note) { l.Notes, l.Prog.Premises = notes, premises }(slices.Clone(l.Notes), slices.Clone(l.Prog.Premises))
	types = map[any]schema.Type{}
	for range most + 1 {
		b, f := l.scriptBuilder(fn, types)
		b.TypesOnly = true
		open := 0
		if fn.Script != nil {
			open = len(fn.Script.Open)
		}
		b.bounded(f)
		if !b.retyped() && (fn.Script == nil || len(fn.Script.Open) == open) {
			return types, true
		}
	}
	return types, false
}

// findType gives a variable the type that was found for it, and asks for it. of names the variable.
func (b *builder) findType(v *expr.Variable, of any) ir.Type {
	b.Typings[v.Local] = &expr.Typing{Of: of}
	t, known := b.types[of]
	if !known && b.TypesOnly {
		return ir.NullType
	}
	if !known { // nothing says what it is
		t = schema.TText
	}
	v.Type = t
	return expr.LocalType(t)
}

// setType takes note that a variable gets a value of type t, and gives the type
// that it has.
func (b *builder) setType(v *expr.Variable, t schema.Type) schema.Type {
	if t.Name == schema.NUnknown {
		t = schema.TText
	}
	known := b.Typings[v.Local]
	known.Sets = append(known.Sets, t)
	if v.Type.Name == schema.NUnknown {
		v.Type = t
	}
	return v.Type
}

// retyped gives the variables the types that were found, and reports whether
// there is something new.
func (b *builder) retyped() bool {
	changed := false
	for _, found := range b.Typings {
		t, known := b.types[found.Of]
		was := t
		switch {
		case len(found.Sets) > 0:
			t = load.CommonType(found.Sets, true)
		case len(found.Uses) > 0 && !known:
			t = load.CommonType(found.Uses, false)
		}
		if t.Name != was.Name || t.PgName() != was.PgName() {
			b.types[found.Of] = t
			changed = true
		}
	}
	if changed {
		return true
	}
	for _, found := range b.Typings { // nothing says what these are
		if _, known := b.types[found.Of]; !known {
			b.types[found.Of] = schema.TText
			changed = true
		}
	}
	return changed
}

// bound binds a statement of f. A fault in it is left to the translation.
func (b *builder) bound(f *expr.Frame, bind func()) {
	b.AttemptIn(f, func() {
		if load.FaultIn(bind) != nil {
			b.Unmodelled("a fault")
		}
	})
}

// types binds a statement of a script.
func (c *psql) types(n *syntax.Node, tree any) {
	b := c.b
	if n.Cmd == nil || n.Cmd.Name != "gset" && n.Cmd.Name != "aset" {
		b.bound(c.f, func() { b.Command(c.f, n.Text, tree, n.Pos, expr.Sink{}) })
		return
	}
	set := c.resultNames(n)
	b.bound(c.f, func() {
		b.Command(c.f, n.Text, tree, n.Pos, expr.Sink{Dests: func(cols []expr.Column) (list, rest []expr.Dest) {
			for _, col := range cols {
				if k := c.number(n.Cmd.Target + col.Name); c.vars[k] != nil {
					b.setType(c.vars[k], col.Type)
					set = append(set, col.Name)
				}
			}
			return nil, nil
		}})
	})
	for _, name := range set {
		if k := c.number(n.Cmd.Target + name); c.vars[k] != nil {
			c.changed(k, true)
		}
	}
}

// types binds a text of a client program.
func (p *caller) types(q *client.Query) {
	s := p.body.Sent[q]
	if s.Why != "" {
		return
	}
	for i, st := range s.List {
		if _, is := st.Tree.(*pg.TransactionStmt); is || st.Why != "" {
			continue
		}
		to := expr.Sink{}
		if i == len(s.List)-1 && !s.AnyColumns {
			o := &rowTaker{p: p, q: q, pos: q.Pos, temps: map[int]expr.Dest{}}
			to.Dests = o.dests
		}
		p.sent = &ir.Send{}
		p.b.bound(p.f, func() { p.command(p.frame(s), st, s, to) })
	}
	for name, t := range map[string]schema.Type{q.Found: schema.TBool, q.Null: schema.TBool, q.Count: schema.TInt} {
		if v := p.vars[name]; v != nil && v.open {
			p.b.setType(v.Variable, t)
		}
	}
}
