package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel/internal/system"
)

// resolver says what names mean at some place: for an object that was declared with names in it, at
// the moment of the declaration; for a transaction, when it runs.
type resolver struct {
	l *loader
	// paths are those by which the names are looked up, at the moment at.
	paths pathSet
	at    moment
	// run are the search paths that are set when the transaction is there, with which the functions run that it
	// calls.
	run pathSet
	// session is the session of psql, whose temporary tables are visible, or nil.
	session *session
	// temps are names that temporary tables may have here, which functions make.
	temps map[string]bool
}

// sees gives the resolver for the names in a text.
func (l *loader) sees(t *text) *resolver {
	if t != nil && t.names != nil {
		return t.names
	}
	return &l.late
}

// with gives the resolver where other search paths are set.
func (r resolver) with(p pathSet) *resolver {
	r.run = p
	if r.at == now { // else it looks by those of the declaration
		r.paths = p
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
	schema, name := splitName(raw)
	var out []*relation
	add := func(o *relation) bool {
		if o != nil && !slices.Contains(out, o) {
			out = append(out, o)
		}
		return o != nil
	}
	if schema != "" {
		if add(r.relationIn(schema, name)) || schema == systemSchema || schema == infoSchema {
			return out
		}
		if !add(r.l.catalog.aliases[raw]) {
			out = r.onlyRelation(schema, name)
		}
		return out
	}
	lost := false
	for _, p := range r.paths.all {
		found := false
		for _, s := range p.order() {
			if found = s == systemSchema && system.Relation(name) || add(r.relationIn(s, name)); found {
				break
			}
		}
		lost = lost || !found
	}
	if r.paths.any {
		for _, o := range r.l.catalog.relations[name] {
			if _, _, there := o.at(r.at); there && (o.of == nil || o.of == r.session) {
				add(o)
			}
		}
	}
	if len(out) == 0 && lost {
		if !add(r.l.catalog.aliases[raw]) {
			out = r.onlyRelation("", name)
		}
	}
	return out
}

// relationIn finds a relation in a schema at the resolver's moment, or else now: a file that is read later
// may declare it.
func (r *resolver) relationIn(schema, name string) *relation {
	c := &r.l.catalog
	if schema == tempSchema {
		return r.temporary(name)
	}
	o := c.relationIn(schema, name, r.at)
	if o != nil && o.gone == 0 || r.at == now {
		return o
	}
	if newer := c.relationIn(schema, name, now); newer != nil {
		return newer
	}
	return o
}

// temporary finds a temporary table of the session, or one that a function may have made in it.
func (r *resolver) temporary(name string) *relation {
	for _, o := range r.l.catalog.relations[name] {
		if o.called(tempSchema, name, r.at) && (o.of == nil && r.temps[name] || o.of != nil && o.of == r.session) {
			return o
		}
	}
	return nil
}

// onlyRelation finds the only relation of a name, which no search path leads to: whoever gives the statements
// a path with which they run means it.
func (r *resolver) onlyRelation(schema, name string) []*relation {
	var out []*relation
	for _, m := range []moment{r.at, now} {
		for _, o := range r.l.catalog.relations[name] {
			s, n, there := o.at(m)
			if there && n == name && s != tempSchema && !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
		if len(out) > 0 {
			break
		}
	}
	if len(out) != 1 || schema != "" && !out[0].bare {
		return nil
	}
	return out
}

// used is relation for a statement that is translated: it tells of a relation to which the search path does not
// lead.
func (r *resolver) used(raw string) *relation {
	o := r.relation(raw)
	if o == nil || r.at != now || len(o.names) == 0 {
		return o
	}
	schema, name := splitName(raw)
	switch {
	case schema != "" && r.relationIn(schema, name) == nil && r.l.catalog.aliases[raw] == nil:
		r.l.note(o.pos(), "%s is declared without a schema, and statements name it in the schema %s: it is taken to be there", o.own(), schema)
	case schema == "" && !r.paths.any && r.l.catalog.aliases[raw] == nil && !r.leadsTo(o):
		r.l.note(o.pos(), "%s is what statements mean by %s, the only one of its name, although the search path (%s) does not lead to it; say with -search-path which one clients have",
			o.full(), name, r.paths)
	}
	return o
}

// wasDropped reports whether there was something of a name before.
func (r *resolver) wasDropped(raw string) bool {
	schema, name := splitName(raw)
	return slices.ContainsFunc(r.l.catalog.relations[name], func(o *relation) bool {
		return o.gone > 0 && (schema == "" || o.schema() == schema)
	})
}

// tell tells of functions that a statement calls and to which the search path does not lead.
func (r *resolver) tell(raw string, fns []*function) {
	if schema, name := splitName(raw); schema == "" && r.at == now && !r.paths.any && len(fns) > 0 {
		f := fns[0]
		if !slices.ContainsFunc(r.paths.all, func(p searchPath) bool { return slices.Contains(p.order(), f.schema()) }) {
			r.l.note(f.pos, "%s is what statements mean by %s, the only one of its name, although the search path (%s) does not lead to it; say with -search-path which one clients have",
				f.full(), name, r.paths)
		}
	}
}

// leadsTo reports whether some search path has the schema of o.
func (r *resolver) leadsTo(o *relation) bool {
	return slices.ContainsFunc(r.paths.all, func(p searchPath) bool { return slices.Contains(p.order(), o.schema()) })
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
	schema, name := splitName(raw)
	if schema != "" {
		if out = r.functionsIn(schema, name); len(out) > 0 || schema == systemSchema {
			return out, true
		}
		return r.onlyFunctions(name, true), true
	}
	sure = !r.paths.any
	for i, p := range r.paths.all {
		found := r.visible(p, name)
		sure = sure && (i == 0 || slices.Equal(found, out))
		for _, f := range found {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	if r.paths.any {
		for _, f := range r.l.catalog.funcs[name] {
			if s, _, there := f.at(r.at); there && !slices.Contains(out, f) {
				out = append(out, r.functionsIn(s, name)...)
			}
		}
		out = distinct(out)
	}
	if len(out) == 0 {
		if _, known := builtins[name]; !known {
			return r.onlyFunctions(name, false), true
		}
	}
	return out, sure
}

// visible gives the functions of a name that a search path leads to.
func (r *resolver) visible(p searchPath, name string) []*function {
	var out []*function
	seen, builtIn := map[string]bool{}, false
	for _, s := range p.order() {
		switch s {
		case tempSchema: // no function is looked for there
			continue
		case systemSchema:
			builtIn = true
		}
		for _, f := range r.functionsIn(s, name) {
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

// functionsIn gives the functions of a name in a schema at the resolver's moment, or else now.
func (r *resolver) functionsIn(schema, name string) []*function {
	c := &r.l.catalog
	out := c.functionsIn(schema, name, r.at)
	if r.at != now && !slices.ContainsFunc(out, func(f *function) bool { return f.gone == 0 }) {
		return c.functionsIn(schema, name, now)
	}
	return out
}

// onlyFunctions gives the functions of a name where they are all in one schema, which no search path leads to; bare says
// that they must be declared without a schema.
func (r *resolver) onlyFunctions(name string, bare bool) []*function {
	var out []*function
	for _, f := range r.l.catalog.funcs[name] {
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
func (l *loader) lateFunctions(raw string) []*function {
	fns, _ := l.late.functions(raw)
	return fns
}

// typ finds the type that the program declares by a name, or nil.
func (r *resolver) typ(raw string) *userType {
	schema, name := splitName(raw)
	in := func(s string) *userType {
		c := &r.l.catalog
		if u := c.typeIn(s, name, r.at); u != nil || r.at == now {
			return u
		}
		return c.typeIn(s, name, now)
	}
	if schema != "" {
		return in(schema)
	}
	for _, p := range r.paths.all {
		for _, s := range p.order() {
			if s == systemSchema && system.Type(name) {
				return nil
			}
			if u := in(s); u != nil {
				return u
			}
		}
	}
	if system.Type(name) {
		return nil
	}
	var only *userType
	for _, u := range r.l.catalog.types[name] {
		if s, _, there := u.at(now); there && in(s) != nil {
			if only != nil {
				return nil
			}
			only = u
		}
	}
	return only
}
