package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// Entries gives the functions that are templates, in order.
func (l *Schema) Entries() ([]*Function, error) {
	if l.In.IsProgram {
		return l.programs, nil
	}
	callers := l.callers()
	if len(l.In.Txns) > 0 {
		out, err := l.chosen()
		for _, f := range out {
			f.CalledBy = callers[f]
		}
		return out, err
	}
	var out []*Function
	for _, f := range l.Funcs {
		switch {
		case !f.HasBody() || f.IsTrigger() || f.helper:
			continue
		case f.revoked():
			l.Note(f.Pos, "%s is no transaction of its own, since EXECUTE is revoked (%s): what it does counts only in what calls it; name it with -txn if clients call it", f.Name, f.revokedAt)
			continue
		case len(callers[f]) > 0 && l.idle(f):
			continue
		}
		f.CalledBy = callers[f]
		out = append(out, f)
	}
	return append(out, l.scripts...), nil
}

// callers gives for each function what calls it: functions and scripts, sorted by name, and declarations of the schema.
func (l *Schema) callers() map[*Function][]string {
	out := map[*Function][]string{}
	for _, f := range slices.Concat(l.Funcs, l.scripts) {
		for _, g := range l.callees(f) {
			if g != f && !slices.Contains(out[g], f.Name) {
				out[g] = append(out[g], f.Name)
			}
		}
	}
	for _, names := range out {
		slices.Sort(names)
	}
	for _, f := range l.Funcs {
		if f.declared.Line > 0 {
			out[f] = append(out[f], fmt.Sprintf("the schema (%s)", f.declared))
		}
	}
	return out
}

// callsOf notes the functions that a declaration calls: a default, CHECK, view, policy or the like.
func (l *Schema) callsOf(s pg.Message, t *syntax.Text, pos ir.Pos) {
	r := l.RefsIn(s)
	if d, ok := s.(*pg.DefineStmt); ok { // an operator or aggregate
		for _, n := range d.Definition {
			if t, ok := pg.Inner(pg.Inner(n).(*pg.DefElem).Arg).(*pg.TypeName); ok {
				r.Calls[syntax.Qualified(syntax.Names(t.Names))] = true
			}
		}
	}
	for name := range l.Calls(r) {
		fns, _ := DeclaredNames(t).Functions(name)
		for _, f := range fns {
			if f.declared.Line == 0 {
				f.declared = pos
			}
		}
	}
}

// idle reports whether a function has nothing to do with tables, whatever it calls.
func (l *Schema) idle(f *Function) bool {
	late := l.Late
	defer func() { l.Late = late }()
	e := l.EffectOfCall([]*Function{f})
	return !e.All && !e.Writes && len(e.Tables) == 0
}

// chosen gives the functions of Options.Txns.
func (l *Schema) chosen() ([]*Function, error) {
	want := map[string]bool{}
	for _, n := range l.In.Txns {
		want[n] = true
	}
	var out []*Function
	seen := map[string]bool{}
	var all []string
	for _, f := range slices.Concat(l.Funcs, l.scripts) {
		if !f.HasBody() || f.IsTrigger() {
			continue
		}
		all = append(all, f.Name)
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
	for _, n := range l.In.Txns {
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
func (f *Function) callings() []string {
	if len(f.names) == 0 { // of a script
		return []string{f.Name}
	}
	return []string{f.Name, f.Signature(), f.Own(), syntax.Qualified([]string{f.Schema(), f.Own()})}
}

// TemplateName is the name of f, with its types where it is overloaded.
func (l *Schema) TemplateName(f *Function) string {
	if f.Script != nil || f.Program != nil {
		return f.Name
	}
	for _, g := range l.Funcs {
		if g != f && g.Name == f.Name && g.HasBody() {
			return f.Signature()
		}
	}
	return f.Name
}
