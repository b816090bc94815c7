package sqlmodel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// Every function that a client can call is a transaction, also if another function calls it. None are: the functions of
// triggers, those that nobody but their owner may execute, and what a comment says to be a helper. A function that others call
// and that looks at no table is left out as well: as a transaction of its own it has nothing to do with any other.

// entries gives the functions that are templates, in order.
func (l *Schema) entries() ([]*function, error) {
	if l.in.isProgram {
		return l.programs, nil
	}
	callers := l.callers()
	if len(l.in.txns) > 0 {
		out, err := l.chosen()
		for _, f := range out {
			f.calledBy = callers[f]
		}
		return out, err
	}
	var out []*function
	for _, f := range l.funcs {
		switch {
		case !f.hasBody() || f.isTrigger() || f.helper:
			continue
		case f.revoked():
			l.note(f.pos, "%s is no transaction of its own, since EXECUTE is revoked (%s): what it does counts only in what calls it; name it with -txn if clients call it", f.name, f.revokedAt)
			continue
		case len(callers[f]) > 0 && l.idle(f):
			continue
		}
		f.calledBy = callers[f]
		out = append(out, f)
	}
	return append(out, l.scripts...), nil
}

// callers gives for each function what calls it: functions and scripts, sorted by name, and declarations of the schema.
func (l *Schema) callers() map[*function][]string {
	out := map[*function][]string{}
	for _, f := range slices.Concat(l.funcs, l.scripts) {
		for _, g := range l.callees(f) {
			if g != f && !slices.Contains(out[g], f.name) {
				out[g] = append(out[g], f.name)
			}
		}
	}
	for _, names := range out {
		slices.Sort(names)
	}
	for _, f := range l.funcs {
		if f.declared.Line > 0 {
			out[f] = append(out[f], fmt.Sprintf("the schema (%s)", f.declared))
		}
	}
	return out
}

// callsOf notes the functions that a declaration calls: a default, CHECK, view, policy or the like.
func (l *Schema) callsOf(s pg.Message, t *syntax.Text, pos ir.Pos) {
	r := l.refsIn(s)
	if d, ok := s.(*pg.DefineStmt); ok { // an operator or aggregate
		for _, n := range d.Definition {
			if t, ok := pg.Inner(pg.Inner(n).(*pg.DefElem).Arg).(*pg.TypeName); ok {
				r.calls[syntax.Qualified(syntax.Names(t.Names))] = true
			}
		}
	}
	for name := range l.calls(r) {
		fns, _ := declaredNames(t).functions(name)
		for _, f := range fns {
			if f.declared.Line == 0 {
				f.declared = pos
			}
		}
	}
}

// idle reports whether a function has nothing to do with tables, whatever it calls.
func (l *Schema) idle(f *function) bool {
	late := l.late
	defer func() { l.late = late }()
	e := l.effectOfCall([]*function{f})
	return !e.all && !e.writes && len(e.tables) == 0
}

// chosen gives the functions of Options.Txns.
func (l *Schema) chosen() ([]*function, error) {
	want := map[string]bool{}
	for _, n := range l.in.txns {
		want[n] = true
	}
	var out []*function
	seen := map[string]bool{}
	var all []string
	for _, f := range slices.Concat(l.funcs, l.scripts) {
		if !f.hasBody() || f.isTrigger() {
			continue
		}
		all = append(all, f.name)
		for _, name := range f.callings() {
			if want[name] {
				seen[name] = true
				if len(out) == 0 || out[len(out)-1] != f {
					out = append(out, f)
				}
			}
		}
	}
	slices.Sort(all)
	for _, n := range l.in.txns {
		if !seen[n] {
			if len(all) == 0 {
				return nil, fmt.Errorf("there is no transaction %s: the files have none", n)
			}
			return nil, fmt.Errorf("there is no transaction %s; there are: %s", n, strings.Join(all, ", "))
		}
	}
	return out, nil
}

// callings gives the names by which -txn may mean f.
func (f *function) callings() []string {
	if len(f.names) == 0 { // of a script
		return []string{f.name}
	}
	return []string{f.name, f.signature(), f.own(), syntax.Qualified([]string{f.schema(), f.own()})}
}

// templateName is the name of f, with its types where it is overloaded.
func (l *Schema) templateName(f *function) string {
	if f.script != nil || f.program != nil {
		return f.name
	}
	for _, g := range l.funcs {
		if g != f && g.name == f.name && g.hasBody() {
			return f.signature()
		}
	}
	return f.name
}
