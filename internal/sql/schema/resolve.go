package schema

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/system"
)

// Resolver says what names mean at some place: for an object that was declared with names in it, at
// the moment of the declaration; for a transaction, when it runs.
type Resolver struct {
	l *Schema
	// Paths are those by which the names are looked up, at the moment at.
	Paths syntax.PathSet
	At    moment
	// Run are the search paths that are set when the transaction is there, with which the functions run that it
	// calls.
	Run syntax.PathSet
	// session is the session of psql, whose temporary tables are visible, or nil.
	session *syntax.Session
	// temps are names that temporary tables may have here, which functions make.
	temps map[string]bool
}

// Sees gives the resolver for the names in a text.
func (l *Schema) Sees(t *syntax.Text) *Resolver {
	if t != nil && t.Scope != nil {
		return DeclaredNames(t)
	}
	return &l.Late
}

// DeclaredNames says what the names in a declaration mean, nil if t is none.
func DeclaredNames(t *syntax.Text) *Resolver {
	names, _ := t.Scope.(*Resolver)
	return names
}

// With gives the resolver where other search paths are set.
func (r Resolver) With(p syntax.PathSet) *Resolver {
	r.Run = p
	if r.At == Now { // else it looks by those of the declaration
		r.Paths = r.l.perUser(p)
	}
	return &r
}

// Relation finds what a name means in FROM: nil if nothing of the name is declared, or it means a table of the
// system. What depends on the search path where that is not known is a view that may be any of
// them.
func (r *Resolver) Relation(raw string) *Relation {
	all := r.Relations(raw)
	switch {
	case len(all) == 0:
		return nil
	case len(all) == 1:
		return all[0]
	}
	var shown []string
	for _, o := range all {
		shown = append(shown, o.Full())
	}
	slices.Sort(shown)
	v := &View{What: "a name that may mean any of " + strings.Join(shown, ", ") + " (search_path)", Of: all}
	v.Rel = &Relation{View: v}
	return v.Rel
}

// Table is the relation of a name where it is a table.
func (r *Resolver) Table(raw string) *Table {
	if o := r.Relation(raw); o != nil {
		return o.Table
	}
	return nil
}

// Relations gives all that a name may mean.
func (r *Resolver) Relations(raw string) []*Relation {
	out, ok := r.relationsAt(raw, r.At)
	if !ok && r.At < Now { // a file that is read later may declare it
		if later, found := r.relationsAt(raw, Now); found {
			return later
		}
	}
	if len(out) > 0 {
		return out
	}
	if o := r.l.Declarations.Aliases[raw]; o != nil {
		return []*Relation{o}
	}
	schema, name := syntax.SplitName(raw)
	if schema == syntax.SystemSchema || schema == syntax.InfoSchema || schema == "" && system.Relation(name) {
		return nil
	}
	return r.onlyRelation(schema, name)
}

// relationsAt gives what a name may mean at a moment. ok is false where there is nothing, or it was dropped later.
func (r *Resolver) relationsAt(raw string, m moment) (out []*Relation, ok bool) {
	schema, name := syntax.SplitName(raw)
	add := func(o *Relation) bool {
		if o != nil && !slices.Contains(out, o) {
			out, ok = append(out, o), ok || o.Gone == 0
		}
		return o != nil
	}
	if schema != "" {
		add(r.relationIn(schema, name, m))
		return out, ok
	}
	for _, p := range r.Paths.All {
		for _, s := range p.Order() {
			if s == syntax.SystemSchema && system.Relation(name) || add(r.relationIn(s, name, m)) {
				break
			}
		}
	}
	if r.Paths.Any {
		for _, o := range r.l.Declarations.Relations.named(name, m) {
			if o.Of == nil || o.Of == r.session {
				add(o)
			}
		}
	}
	return out, ok
}

// RelationIn finds a relation in a schema at a moment.
func (r *Resolver) relationIn(schema, name string, m moment) *Relation {
	if schema != syntax.TempSchema {
		return r.l.Declarations.RelationIn(schema, name, m)
	}
	return first(Without(r.l.Declarations.Relations.in(schema, name, m), func(o *Relation) bool {
		return o.Of != r.session && o.Of != nil || o.Of == nil && !r.temps[name] // of the session, or one that a function may have made in it
	}))
}

// onlyRelation finds the only relation of a name, which no search path leads to: whoever gives the statements
// a path with which they run means it.
func (r *Resolver) onlyRelation(schema, name string) []*Relation {
	for _, m := range []moment{r.At, Now} {
		switch out := r.l.Declarations.lasting(name, m); {
		case len(out) == 1 && (schema == "" || out[0].Bare):
			return out
		case len(out) > 0:
			return nil
		}
	}
	return nil
}

// Used is relation for a statement that is translated: it tells of a relation to which the search path does not
// lead.
func (r *Resolver) Used(raw string) *Relation {
	o := r.Relation(raw)
	if o == nil || r.At != Now || len(o.Names) == 0 {
		return o
	}
	schema, name := syntax.SplitName(raw)
	switch {
	case schema != "" && r.relationIn(schema, name, Now) == nil && r.l.Declarations.Aliases[raw] == nil:
		r.l.Note(o.Pos(), "%s is declared without a schema, and statements name it in the schema %s: it is taken to be there", o.Own(), schema)
	case schema == "" && !r.Paths.Any && r.l.Declarations.Aliases[raw] == nil && !r.LeadsTo(o.Schema()):
		r.l.Note(o.Pos(), offPath, o.Full(), r.Paths)
	case schema == "":
		otherUsers(r, o, o.Pos(), r.l.Declarations.Relations)
	}
	return o
}

// WasDropped reports whether there was something of a name before.
func (r *Resolver) WasDropped(raw string) bool {
	schema, name := syntax.SplitName(raw)
	return slices.ContainsFunc(r.l.Declarations.Relations[name], func(o *Relation) bool {
		return o.Gone > 0 && (schema == "" || o.Schema() == schema)
	})
}

// Tell tells of functions that a statement calls and to which the search path does not lead.
func (r *Resolver) Tell(raw string, fns []*Function) {
	if schema, _ := syntax.SplitName(raw); schema != "" || r.At != Now || r.Paths.Any || len(fns) == 0 {
		return
	}
	f := fns[0]
	if !r.LeadsTo(f.Schema()) {
		r.l.Note(f.Pos, offPath, f.Full(), r.Paths)
		return
	}
	otherUsers(r, f, f.Pos, r.l.Declarations.Funcs)
}

// offPath is the note about something that statements name without its schema, with its name and the search path.
const offPath = "statements name %s without its schema, which is not in the search path (%s): that clients have a path with it is taken for granted; say so with -search-path"

// LeadsTo reports whether all search paths have a schema.
func (r *Resolver) LeadsTo(schema string) bool {
	return !slices.ContainsFunc(r.Paths.All, func(p syntax.SearchPath) bool { return !slices.Contains(p.Order(), schema) })
}

// Pos is where the relation is declared.
func (o *Relation) Pos() ir.Pos {
	if o.Table != nil {
		return o.Table.Pos
	}
	return o.View.Pos
}

// Functions gives the functions that a name may mean, of which the arguments choose one: those of the
// schemas of the path, without those that others of the same signature hide. sure is false where they depend
// on a search path that is not known.
func (r *Resolver) Functions(raw string) (out []*Function, sure bool) {
	out, sure = r.functionsAt(raw, r.At)
	if r.At < Now && !slices.ContainsFunc(out, func(f *Function) bool { return f.Gone == 0 }) {
		out, sure = r.functionsAt(raw, Now)
	}
	if len(out) > 0 {
		return out, sure
	}
	schema, name := syntax.SplitName(raw)
	if schema == syntax.SystemSchema || schema == "" && r.l.Builtin(name).Known {
		return nil, true
	}
	return r.onlyFunctions(name, schema != ""), true
}

func (r *Resolver) functionsAt(raw string, m moment) (out []*Function, sure bool) {
	schema, name := syntax.SplitName(raw)
	if schema != "" {
		return r.l.Declarations.FunctionsIn(schema, name, m), true
	}
	sure = !r.Paths.Any
	for i, p := range r.Paths.All {
		found := r.visible(p, name, m)
		sure = sure && (i == 0 || slices.Equal(found, out))
		out = Distinct(append(out, found...))
	}
	if r.Paths.Any {
		for _, f := range r.l.Declarations.Funcs.named(name, m) {
			s, _, _ := f.at(m)
			out = Distinct(append(out, r.l.Declarations.FunctionsIn(s, name, m)...))
		}
	}
	return out, sure
}

// visible gives the functions of a name that a search path leads to.
func (r *Resolver) visible(p syntax.SearchPath, name string, m moment) []*Function {
	var out []*Function
	seen, builtIn := map[string]bool{}, false
	for _, s := range p.Order() {
		switch s {
		case syntax.TempSchema: // no function is looked for there
			continue
		case syntax.SystemSchema:
			builtIn = true
		}
		for _, f := range r.l.Declarations.FunctionsIn(s, name, m) {
			types := r.l.SignatureTypes(f)
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
func (r *Resolver) onlyFunctions(name string, bare bool) []*Function {
	var out []*Function
	for _, f := range r.l.Declarations.Funcs.named(name, Now) {
		if !bare || f.Bare {
			if len(out) > 0 && out[0].Schema() != f.Schema() {
				return nil
			}
			out = append(out, f)
		}
	}
	return out
}

// LateFunctions gives the functions that a name may mean where the transaction is.
func (l *Schema) LateFunctions(raw string) []*Function {
	fns, _ := l.Late.Functions(raw)
	return fns
}

// Typ finds the type that the program declares by a name, or nil.
func (r *Resolver) Typ(raw string) *UserType {
	return first(r.types(raw))
}

// types gives all types that the program declares and that a name may mean.
func (r *Resolver) types(raw string) []*UserType {
	schema, name := syntax.SplitName(raw)
	for _, m := range Distinct([]moment{r.At, Now}) {
		var out []*UserType
		if all := r.l.Declarations.Types.in(schema, name, m); schema != "" && len(all) > 0 {
			return all[:1]
		}
		for _, p := range r.Paths.All {
			if u := r.visibleType(p, name, m); schema == "" && u != nil {
				out = append(out, u)
			}
		}
		if schema == "" && r.Paths.Any {
			out = append(out, r.l.Declarations.Types.named(name, m)...)
		}
		if len(out) > 0 {
			return Distinct(out)
		}
	}
	if schema != "" || system.Type(name) {
		return nil
	}
	if all := r.l.Declarations.Types.named(name, Now); len(all) == 1 {
		return all
	}
	return nil
}

// visibleType finds the type of a name that a search path leads to.
func (r *Resolver) visibleType(p syntax.SearchPath, name string, m moment) *UserType {
	for _, s := range p.Order() {
		if s == syntax.SystemSchema && system.Type(name) {
			return nil
		}
		if all := r.l.Declarations.Types.in(s, name, m); len(all) > 0 {
			return all[0]
		}
	}
	return nil
}

// OfName gives the relations of which the name without a schema is raw.
func (l *Schema) OfName(raw string) []*Relation {
	schema, name := syntax.SplitName(raw)
	if schema != "" {
		return nil
	}
	return l.Declarations.lasting(name, Now)
}

// lasting gives the relations of a name that are not temporary.
func (c *Declarations) lasting(name string, m moment) []*Relation {
	return Without(c.Relations.named(name, m), func(o *Relation) bool {
		s, _, _ := o.at(m)
		return s == syntax.TempSchema
	})
}
