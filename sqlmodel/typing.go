package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/query"
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
		b.LookBack = lookBack
		b.Txn.Level, b.Txn.Script = fn.Level, true
		b.Typings = map[string]*query.Typing{}
		f := b.newFrame(fn)
		f.Scope.Label = "" // the name of the template qualifies nothing
		b.Calls = []*schema.Function{fn}
		known := len(open)
		b.bounded(f)
		if (b.retyped(types) || len(open) > known) && i < maxTypings {
			continue
		}
		b.Txn.Body = append(b.Pre, b.Out...)
		if !lookBack && looksBack(b.Txn.Body) {
			lookBack = true
			continue
		}
		b.snapshots()
		tidy.Txn(b.Txn, b.Weak, b.Fields)
		b.stale()
		return b.Txn
	}
}

// setType takes note that a variable gets a value of type t, and gives the type
// that it has.
func (b *builder) setType(v *query.Variable, t schema.Type) schema.Type {
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
func (b *builder) retyped(types map[string]schema.Type) bool {
	changed := false
	for name, found := range b.Typings {
		t, known := types[name]
		was := t
		switch {
		case len(found.Sets) > 0:
			t = schema.CommonType(found.Sets, true)
		case len(found.Uses) > 0 && !known:
			t = schema.CommonType(found.Uses, false)
		}
		if t.Name != was.Name || t.PgName() != was.PgName() {
			types[name] = t
			changed = true
		}
	}
	if changed {
		return true
	}
	for name := range b.Typings { // nothing says what these are
		if _, known := types[name]; !known {
			types[name] = schema.TText
			changed = true
		}
	}
	return changed
}
