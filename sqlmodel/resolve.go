package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/system"
	"github.com/txrobust/robust/ir"
)

// resolver says what names mean at some place: for an object that was declared with names in it, at
// the moment of the declaration; for a transaction, when it runs.
type resolver struct {
	l *Schema
	// paths are those by which the names are looked up, at the moment at.
	paths syntax.PathSet
	at    moment
	// run are the search paths that are set when the transaction is there, with which the functions run that it
	// calls.
	run syntax.PathSet
	// session is the session of psql, whose temporary tables are visible, or nil.
	session *syntax.Session
	// temps are names that temporary tables may have here, which functions make.
	temps map[string]bool
}

// sees gives the resolver for the names in a text.
func (l *Schema) sees(t *syntax.Text) *resolver {
	if t != nil && t.Scope != nil {
		return declaredNames(t)
	}
	return &l.late
}

// declaredNames says what the names in a declaration mean, nil if t is none.
func declaredNames(t *syntax.Text) *resolver {
	names, _ := t.Scope.(*resolver)
	return names
}

// with gives the resolver where other search paths are set.
func (r resolver) with(p syntax.PathSet) *resolver {
	r.run = p
	if r.at == now { // else it looks by those of the declaration
		r.paths = r.l.perUser(p)
	}
	return &r
}

// relation finds what a name means in FROM: nil if nothing of the name is declared, or it means a table of the
// system. What depends on the search path where that is not known is a view that may be any of
// them.
func (r *resolver) relation(raw string) *relation {
	all := r.relations(raw)
	switch {
	case len(all) == 0:
		return nil
	case len(all) == 1:
		return all[0]
	}
	var shown []string
	for _, o := range all {
		shown = append(shown, o.full())
	}
	slices.Sort(shown)
	v := &view{what: "a name that may mean any of " + strings.Join(shown, ", ") + " (search_path)", of: all}
	v.rel = &relation{view: v}
	return v.rel
}

// table is the relation of a name where it is a table.
func (r *resolver) table(raw string) *table {
	if o := r.relation(raw); o != nil {
		return o.table
	}
	return nil
}

// relations gives all that a name may mean.
func (r *resolver) relations(raw string) []*relation {
	out, ok := r.relationsAt(raw, r.at)
	if !ok && r.at < now { // a file that is read later may declare it
		if later, found := r.relationsAt(raw, now); found {
			return later
		}
	}
	if len(out) > 0 {
		return out
	}
	if o := r.l.declarations.aliases[raw]; o != nil {
		return []*relation{o}
	}
	schema, name := syntax.SplitName(raw)
	if schema == syntax.SystemSchema || schema == syntax.InfoSchema || schema == "" && system.Relation(name) {
		return nil
	}
	return r.onlyRelation(schema, name)
}

// relationsAt gives what a name may mean at a moment. ok is false where there is nothing, or it was dropped later.
func (r *resolver) relationsAt(raw string, m moment) (out []*relation, ok bool) {
	schema, name := syntax.SplitName(raw)
	add := func(o *relation) bool {
		if o != nil && !slices.Contains(out, o) {
			out, ok = append(out, o), ok || o.gone == 0
		}
		return o != nil
	}
	if schema != "" {
		add(r.relationIn(schema, name, m))
		return out, ok
	}
	for _, p := range r.paths.All {
		for _, s := range p.Order() {
			if s == syntax.SystemSchema && system.Relation(name) || add(r.relationIn(s, name, m)) {
				break
			}
		}
	}
	if r.paths.Any {
		for _, o := range r.l.declarations.relations[name] {
			if _, n, there := o.at(m); there && n == name && (o.of == nil || o.of == r.session) {
				add(o)
			}
		}
	}
	return out, ok
}

// relationIn finds a relation in a schema at a moment.
func (r *resolver) relationIn(schema, name string, m moment) *relation {
	if schema != syntax.TempSchema {
		return r.l.declarations.relationIn(schema, name, m)
	}
	for _, o := range r.l.declarations.relations[name] { // of the session, or one that a function may have made in it
		if o.called(syntax.TempSchema, name, m) && (o.of == nil && r.temps[name] || o.of != nil && o.of == r.session) {
			return o
		}
	}
	return nil
}

// onlyRelation finds the only relation of a name, which no search path leads to: whoever gives the statements
// a path with which they run means it.
func (r *resolver) onlyRelation(schema, name string) []*relation {
	for _, m := range []moment{r.at, now} {
		var out []*relation
		for _, o := range r.l.declarations.relations[name] {
			if s, n, there := o.at(m); there && n == name && s != syntax.TempSchema {
				out = append(out, o)
			}
		}
		switch {
		case len(out) == 1 && (schema == "" || out[0].bare):
			return out
		case len(out) > 0:
			return nil
		}
	}
	return nil
}

// used is relation for a statement that is translated: it tells of a relation to which the search path does not
// lead.
func (r *resolver) used(raw string) *relation {
	o := r.relation(raw)
	if o == nil || r.at != now || len(o.names) == 0 {
		return o
	}
	schema, name := syntax.SplitName(raw)
	switch {
	case schema != "" && r.relationIn(schema, name, now) == nil && r.l.declarations.aliases[raw] == nil:
		r.l.note(o.pos(), "%s is declared without a schema, and statements name it in the schema %s: it is taken to be there", o.own(), schema)
	case schema == "" && !r.paths.Any && r.l.declarations.aliases[raw] == nil && !r.leadsTo(o.schema()):
		r.l.note(o.pos(), offPath, o.full(), r.paths)
	case schema == "":
		r.otherUsers(&o.named, o.pos(), r.l.declarations.relationsNamed(name))
	}
	return o
}

// wasDropped reports whether there was something of a name before.
func (r *resolver) wasDropped(raw string) bool {
	schema, name := syntax.SplitName(raw)
	return slices.ContainsFunc(r.l.declarations.relations[name], func(o *relation) bool {
		return o.gone > 0 && (schema == "" || o.schema() == schema)
	})
}

// tell tells of functions that a statement calls and to which the search path does not lead.
func (r *resolver) tell(raw string, fns []*function) {
	schema, name := syntax.SplitName(raw)
	if schema != "" || r.at != now || r.paths.Any || len(fns) == 0 {
		return
	}
	f := fns[0]
	if !r.leadsTo(f.schema()) {
		r.l.note(f.pos, offPath, f.full(), r.paths)
		return
	}
	var all []*named
	for _, g := range r.l.declarations.funcs[name] {
		all = append(all, &g.named)
	}
	r.otherUsers(&f.named, f.pos, all)
}

// offPath is the note about something that statements name without its schema, with its name and the search path.
const offPath = "statements name %s without its schema, which is not in the search path (%s): that clients have a path with it is taken for granted; say so with -search-path"

// leadsTo reports whether all search paths have a schema.
func (r *resolver) leadsTo(schema string) bool {
	return !slices.ContainsFunc(r.paths.All, func(p syntax.SearchPath) bool { return !slices.Contains(p.Order(), schema) })
}

// pos is where the relation is declared.
func (o *relation) pos() ir.Pos {
	if o.table != nil {
		return o.table.pos
	}
	return o.view.pos
}

// functions gives the functions that a name may mean, of which the arguments choose one: those of the
// schemas of the path, without those that others of the same signature hide. sure is false where they depend
// on a search path that is not known.
func (r *resolver) functions(raw string) (out []*function, sure bool) {
	out, sure = r.functionsAt(raw, r.at)
	if r.at < now && !slices.ContainsFunc(out, func(f *function) bool { return f.gone == 0 }) {
		out, sure = r.functionsAt(raw, now)
	}
	if len(out) > 0 {
		return out, sure
	}
	schema, name := syntax.SplitName(raw)
	if schema == syntax.SystemSchema || schema == "" && r.l.builtin(name).known {
		return nil, true
	}
	return r.onlyFunctions(name, schema != ""), true
}

func (r *resolver) functionsAt(raw string, m moment) (out []*function, sure bool) {
	schema, name := syntax.SplitName(raw)
	if schema != "" {
		return r.l.declarations.functionsIn(schema, name, m), true
	}
	sure = !r.paths.Any
	for i, p := range r.paths.All {
		found := r.visible(p, name, m)
		sure = sure && (i == 0 || slices.Equal(found, out))
		out = distinct(append(out, found...))
	}
	if r.paths.Any {
		for _, f := range r.l.declarations.funcs[name] {
			if s, n, there := f.at(m); there && n == name {
				out = distinct(append(out, r.l.declarations.functionsIn(s, name, m)...))
			}
		}
	}
	return out, sure
}

// visible gives the functions of a name that a search path leads to.
func (r *resolver) visible(p syntax.SearchPath, name string, m moment) []*function {
	var out []*function
	seen, builtIn := map[string]bool{}, false
	for _, s := range p.Order() {
		switch s {
		case syntax.TempSchema: // no function is looked for there
			continue
		case syntax.SystemSchema:
			builtIn = true
		}
		for _, f := range r.l.declarations.functionsIn(s, name, m) {
			types := r.l.signatureTypes(f)
			key := strings.Join(types, ",")
			if !seen[key] && !(builtIn && system.Function(name, types)) {
				out = append(out, f)
			}
			seen[key] = true
		}
	}
	return out
}

// onlyFunctions gives the functions of a name where they are all in one schema, which no search path leads to; bare says
// that they must be declared without a schema.
func (r *resolver) onlyFunctions(name string, bare bool) []*function {
	var out []*function
	for _, f := range r.l.declarations.funcs[name] {
		if s, n, there := f.at(now); there && n == name && (!bare || f.bare) {
			if len(out) > 0 && out[0].schema() != s {
				return nil
			}
			out = append(out, f)
		}
	}
	return out
}

// lateFunctions gives the functions that a name may mean where the transaction is.
func (l *Schema) lateFunctions(raw string) []*function {
	fns, _ := l.late.functions(raw)
	return fns
}

// typ finds the type that the program declares by a name, or nil.
func (r *resolver) typ(raw string) *userType {
	if all := r.types(raw); len(all) > 0 {
		return all[0]
	}
	return nil
}

// types gives all types that the program declares and that a name may mean.
func (r *resolver) types(raw string) []*userType {
	schema, name := syntax.SplitName(raw)
	for _, m := range distinct([]moment{r.at, now}) {
		var out []*userType
		if u := r.l.declarations.typeIn(schema, name, m); schema != "" && u != nil {
			return []*userType{u}
		}
		for _, p := range r.paths.All {
			if u := r.visibleType(p, name, m); schema == "" && u != nil {
				out = append(out, u)
			}
		}
		for _, u := range r.l.declarations.types[name] {
			if _, n, there := u.at(m); schema == "" && r.paths.Any && there && n == name {
				out = append(out, u)
			}
		}
		if len(out) > 0 {
			return distinct(out)
		}
	}
	if schema != "" || system.Type(name) {
		return nil
	}
	if all := r.ofTypeName(name); len(all) == 1 {
		return all
	}
	return nil
}

// visibleType finds the type of a name that a search path leads to.
func (r *resolver) visibleType(p syntax.SearchPath, name string, m moment) *userType {
	for _, s := range p.Order() {
		if s == syntax.SystemSchema && system.Type(name) {
			return nil
		}
		if u := r.l.declarations.typeIn(s, name, m); u != nil {
			return u
		}
	}
	return nil
}

// ofTypeName gives the types of a name in all schemas.
func (r *resolver) ofTypeName(name string) []*userType {
	var out []*userType
	for _, u := range r.l.declarations.types[name] {
		if _, n, there := u.at(now); there && n == name {
			out = append(out, u)
		}
	}
	return out
}
