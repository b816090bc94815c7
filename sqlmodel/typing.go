package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/tidy"
	"github.com/txrobust/robust/ir"
)

// maxTypings bounds how often a script is translated to find the types of its
// variables.
const maxTypings = 8

// scriptTemplate makes the transaction of a script or of a client program. Its parameters have the
// types of the places where they stand, which only the translation finds: it
// is done again until no type changes.
func (l *loader) scriptTemplate(fn *function) *ir.Txn {
	lookBack := false
	notes := l.notes
	types, open := fn.types()
	for i := 0; ; i++ {
		l.notes = slices.Clone(notes) // those of a translation that counts
		b := l.newBuilder(fn)
		b.lookBack = lookBack
		b.txn.Level, b.txn.Script = fn.level, true
		b.typings = map[string]*typing{}
		f := b.newFrame(fn)
		f.scope.label = "" // the name of the template qualifies nothing
		b.calls = []*function{fn}
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

// types gives what is known of the types of the variables, by name, and the
// variables that some path uses without a value.
func (f *function) types() (types map[string]typ, open map[int]bool) {
	if f.program != nil {
		return f.program.types, nil
	}
	return f.script.types, f.script.open
}

// typing is what is known of the type of a variable: those of the places where
// it stands, and of the values that it gets.
type typing struct{ uses, sets []typ }

// infer takes note that a parameter stands where a value of type t belongs.
func (b *builder) infer(e ir.Expr, t typ) {
	if b.isTyped(e) && t.name != nUnknown && t.name != nAny {
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
func (b *builder) isTyped(e ir.Expr) bool {
	v, ok := e.(*ir.Var)
	return ok && b.typings[v.Name] != nil
}

// setType takes note that a variable gets a value of type t, and gives the type
// that it has.
func (b *builder) setType(v *variable, t typ) typ {
	if t.name == nUnknown {
		t = tText
	}
	known := b.typings[v.local]
	known.sets = append(known.sets, t)
	if v.t.name == nUnknown {
		v.t = t
	}
	return v.t
}

// retyped gives the variables the types that were found, and reports whether
// there is something new.
func (b *builder) retyped(types map[string]typ) bool {
	changed := false
	for name, found := range b.typings {
		t, known := types[name]
		was := t
		switch {
		case len(found.sets) > 0:
			t = commonType(found.sets, true)
		case len(found.uses) > 0 && !known:
			t = commonType(found.uses, false)
		}
		if t.name != was.name || t.pgName() != was.pgName() {
			types[name] = t
			changed = true
		}
	}
	if changed {
		return true
	}
	for name := range b.typings { // nothing says what these are
		if _, known := types[name]; !known {
			types[name] = tText
			changed = true
		}
	}
	return changed
}

// commonType is the type of a variable for all of list: the widest of numbers,
// or else the first. A text that stands beside others gives way, unless texts
// are values of the variable.
func commonType(list []typ, texts bool) typ {
	out := list[0]
	for _, t := range list {
		switch {
		case out.name == nInt && t.numeric(), out.name == nNumeric && t.name == nFloat, out.name == nDate && t.name == nStamp,
			out.name == nText && !texts, t.name == nText && texts:
			out = t
		}
	}
	return out.plain()
}
