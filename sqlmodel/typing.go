package sqlmodel

import (
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel/internal/tidy"
)

// maxTypings bounds how often a script is translated to find the types of its
// variables.
const maxTypings = 6

// scriptTemplate makes the transaction of a script. Its parameters have the
// types of the places where they stand, which only the translation finds: it
// is done again until no type changes.
func (l *loader) scriptTemplate(fn *function) *ir.Txn {
	for i := 0; ; i++ {
		b := l.newBuilder(fn)
		b.txn.Level, b.txn.Script = fn.level, true
		b.typings = map[string]*typing{}
		f := b.newFrame(fn)
		f.scope.label = "" // the name of the template qualifies nothing
		b.calls = []*function{fn}
		known := len(fn.script.open)
		b.bounded(f)
		if (b.retyped(fn.script) || len(fn.script.open) > known) && i < maxTypings {
			continue
		}
		b.txn.Body = append(b.pre, b.out...)
		b.snapshots()
		tidy.Txn(b.txn, b.weak, b.fields)
		return b.txn
	}
}

// typing is what is known of the type of a variable: those of the places where
// it stands, and of the values that it gets.
type typing struct{ uses, sets []typ }

// infer takes note that a parameter stands where a value of type t belongs.
func (b *builder) infer(e ir.Expr, t typ) {
	if v, ok := e.(*ir.Var); ok && b.typings[v.Name] != nil && t.name != nUnknown && t.name != nAny {
		b.typings[v.Name].uses = append(b.typings[v.Name].uses, t)
	}
}

// retyped gives the variables the types that were found, and reports whether
// there is something new.
func (b *builder) retyped(s *script) bool {
	changed := false
	for name, found := range b.typings {
		t, known := s.types[name]
		was := t.name
		switch {
		case len(found.sets) > 0:
			t = commonType(found.sets, true)
		case len(found.uses) > 0 && !known:
			t = commonType(found.uses, false)
		case !known:
			t = tText
		}
		if t.name != was {
			s.types[name] = t
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
	out.size, out.precision = 0, ""
	return out
}
