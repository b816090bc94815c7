package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/tidy"
	"github.com/txrobust/robust/ir"
)

// maxTypings bounds how often a script is translated to find the types of its
// variables.
const maxTypings = 8

// scriptTemplate makes the transaction of a script or of a client program. Its parameters have the
// types of the places where they stand, which only the translation finds: it
// is done again until no type changes.
func (l *loader) scriptTemplate(fn *schema.Function) *ir.Txn {
	lookBack := false
	notes := l.Notes
	types, open := fn.Types()
	for i := 0; ; i++ {
		l.Notes = slices.Clone(notes) // those of a translation that counts
		b := l.newBuilder(fn)
		b.lookBack = lookBack
		b.txn.Level, b.txn.Script = fn.Level, true
		b.typings = map[string]*typing{}
		f := b.newFrame(fn)
		f.scope.label = "" // the name of the template qualifies nothing
		b.calls = []*schema.Function{fn}
		known := len(open)
		b.bounded(f)
		if (b.retyped(types) || len(open) > known) && i < maxTypings {
			continue
		}
		b.txn.Body = append(b.pre, b.out...)
		if !lookBack && looksBack(b.txn.Body) {
			lookBack = true
			continue
		}
		b.snapshots()
		tidy.Txn(b.txn, b.weak, b.fields)
		b.stale()
		return b.txn
	}
}

// typing is what is known of the type of a variable: those of the places where
// it stands, and of the values that it gets.
type typing struct{ uses, sets []schema.Type }

// infer takes note that a parameter stands where a value of type t belongs.
func (b *Draft) infer(e ir.Expr, t schema.Type) {
	if b.isTyped(e) && t.Name != schema.NUnknown && t.Name != schema.NAny {
		known := b.typings[e.(*ir.Var).Name]
		known.uses = append(known.uses, t)
	}
}

// learnTypes finds the types of the parameters in a WITH query, which nobody may name.
func (x *ex) learnTypes(s *pg.SelectStmt) {
	if x.b == nil || len(x.b.typings) == 0 {
		return
	}
	fallible := x.b.fallible
	y := *x
	x.b.attempt(func() {
		x.b.collect(func() { y.either(func() { y.locking(s, false) }, func() { y.derivation(s) }) })
	})
	x.b.fallible = fallible
}

// isTyped reports whether e is a variable whose type is to be found.
func (b *Draft) isTyped(e ir.Expr) bool {
	v, ok := e.(*ir.Var)
	return ok && b.typings[v.Name] != nil
}

// setType takes note that a variable gets a value of type t, and gives the type
// that it has.
func (b *builder) setType(v *variable, t schema.Type) schema.Type {
	if t.Name == schema.NUnknown {
		t = schema.TText
	}
	known := b.typings[v.local]
	known.sets = append(known.sets, t)
	if v.t.Name == schema.NUnknown {
		v.t = t
	}
	return v.t
}

// retyped gives the variables the types that were found, and reports whether
// there is something new.
func (b *builder) retyped(types map[string]schema.Type) bool {
	changed := false
	for name, found := range b.typings {
		t, known := types[name]
		was := t
		switch {
		case len(found.sets) > 0:
			t = schema.CommonType(found.sets, true)
		case len(found.uses) > 0 && !known:
			t = schema.CommonType(found.uses, false)
		}
		if t.Name != was.Name || t.PgName() != was.PgName() {
			types[name] = t
			changed = true
		}
	}
	if changed {
		return true
	}
	for name := range b.typings { // nothing says what these are
		if _, known := types[name]; !known {
			types[name] = schema.TText
			changed = true
		}
	}
	return changed
}
