package schema

import (
	"maps"
	"slices"
)

// Sight is what SQL looks at: now is what it looks at as it is when that part is run, before as it was before
// the statement. undeclared is a function that it calls itself and of which nothing is known, or "".
type Sight struct {
	Before, Now *Effect
	Undeclared  string
}

// SightOf says what functions that root calls look at while it runs.
func (l *Schema) SightOf(root *Refs) Sight {
	at, current := l.Tracer(), l.Tracer()
	seen, undeclared := map[*Function]bool{}, ""
	var split func(r *Refs, in *Resolver)
	split = func(r *Refs, in *Resolver) {
		own := *r
		own.Calls, own.attributes, own.Names = nil, nil, in
		at.Add(&own)
		for _, name := range slices.Sorted(maps.Keys(l.Calls(r))) {
			fns, sure := in.Functions(name)
			if len(fns) == 0 || !sure {
				at.builtin(name)
				current.builtin(name)
				if r == root && len(fns) == 0 && !l.Builtin(name).Known {
					undeclared = name
				}
			}
			for _, f := range fns {
				switch {
				case seen[f]:
				case f.Stable && f.HasBody():
					seen[f] = true
					split(f.Refs, l.InsideOf(f, in.Run))
				default:
					seen[f] = true
					current.call([]*Function{f})
				}
			}
		}
	}
	in := root.Names
	if in == nil {
		in = &l.Late
	}
	split(root, in)
	return Sight{at.Effect, current.Effect, undeclared}
}

// Snapshots numbers the snapshots of queries within their commands (ir.At.Snap).
type Snapshots struct {
	// Snapshot is that of the query that is being translated, Taken is the last one.
	Snapshot, Taken int
	// Entry is the number of the run of a function that the query is in, Entered is the last one.
	Entry, Entered int
	// Looked says that an expression of the statement has looked at tables.
	Looked bool
}

// Mixed is the number where there may be several.
const Mixed = -1

// Mix notes that what is translated from here on has no snapshot of its own, if f, of the effect e, is
// VOLATILE and looks at tables: it becomes a part of a query that calls it, or runs for each row of one.
func (s *Snapshots) Mix(f *Function, e *Effect) {
	if !f.Stable && e.Looks() {
		s.Snapshot = Mixed
	}
}

// Looks reports whether an effect has tables, or is not known.
func (e *Effect) Looks() bool { return e.All || len(e.Tables) > 0 }

// Meets reports whether an effect has one of some tables.
func (e *Effect) Meets(tables map[string]bool) bool {
	if e.All {
		return true
	}
	for name := range tables {
		if e.Tables[name] {
			return true
		}
	}
	return false
}

// ChangedBy gives the tables that a write of t may change, with those that its triggers look at.
func (l *Schema) ChangedBy(t *Table, do Access) *Effect {
	tr := l.Tracer()
	tr.Write(t, do)
	tr.Tables[t.Name] = true
	return tr.Effect
}

// Pretends reports whether a function is not VOLATILE and calls, or so do others of that kind which it calls, a function that
// writes: what it reads afterwards is not what its own statements in the IR see.
func (l *Schema) Pretends(f *Function, seen map[*Function]bool) bool {
	if !f.Stable || seen[f] {
		return false
	}
	seen[f] = true
	for _, g := range l.Callees(f) {
		e := l.EffectOfCall([]*Function{g})
		switch {
		case g.Stable && l.Pretends(g, seen), !g.Stable && (e.Writes || e.All):
			return true
		}
	}
	return false
}
