package sqlmodel

import (
	"math"
	"slices"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// A moment is a point in the sequence of the declarations: the number of the statement.
type moment int

// now is after all declarations: the moment at which transactions run.
const now = moment(math.MaxInt)

// named is an object with a schema and a name, which DDL may change. Whatever was resolved
// when it was created, such as the query of a view, means the object for ever.
type named struct {
	names []calling // oldest first
	gone  moment    // when it was dropped; 0 if it was not
}

// calling is what an object is called from some moment on.
type calling struct {
	since        moment
	schema, name string
}

// at gives the schema and the name at a moment; there is false where the object does not exist then.
func (o *named) at(m moment) (schema, name string, there bool) {
	if o.gone > 0 && m >= o.gone {
		return "", "", false
	}
	for _, c := range slices.Backward(o.names) {
		if c.since <= m {
			return c.schema, c.name, true
		}
	}
	return "", "", false
}

// called reports whether the object has a schema and a name at a moment.
func (o *named) called(schema, name string, m moment) bool {
	s, n, there := o.at(m)
	return there && s == schema && n == name
}

// schema is where the object is, or was last.
func (o *named) schema() string { return o.names[len(o.names)-1].schema }

// own is the name of the object without its schema.
func (o *named) own() string { return o.names[len(o.names)-1].name }

// full is the name of the object with its schema, public left out.
func (o *named) full() string { return syntax.FullName(o.schema(), o.own()) }

// relation is what can stand in FROM: a table, or something in the place of one.
type relation struct {
	named
	// Exactly one of these is set.
	table *table
	view  *view
	// bare says that the declaration gives no schema, and nothing else said one.
	bare bool
	// of is the session of psql that a temporary table belongs to, or nil.
	of *syntax.Session
}

// declarations are all that the files declare, by own names of any time.
type declarations struct {
	clock     moment
	relations map[string][]*relation
	types     map[string][]*userType
	funcs     map[string][]*function
	// typesByKey are the types, and rowTypes the tables, by the names that typ has for them.
	typesByKey map[string]*userType
	rowTypes   map[string]*table
	// schemas are those that CREATE SCHEMA makes (true) and DROP SCHEMA drops (false).
	schemas map[string]bool
	// users are the roles that the files name.
	users map[string]bool
	// extensionSchemas are the schemas that CREATE EXTENSION … SCHEMA names.
	extensionSchemas map[string]bool
	// createdSchemas are those for which some file has a CREATE SCHEMA, nil until they were looked for.
	createdSchemas map[string]bool
	// temporary says that some function or transaction makes temporary tables.
	temporary bool
	// aliases are relations that statements of a client program mean by other names.
	aliases map[string]*relation
}

func newDeclarations() declarations {
	return declarations{clock: 1, users: map[string]bool{}, relations: map[string][]*relation{}, types: map[string][]*userType{}, funcs: map[string][]*function{},
		typesByKey: map[string]*userType{}, rowTypes: map[string]*table{},
		schemas: map[string]bool{}, extensionSchemas: map[string]bool{}, aliases: map[string]*relation{}}
}

// name gives o a schema and a name from now on.
func (c *declarations) name(o *named, schema, name string) {
	o.names = append(o.names, calling{c.clock, schema, name})
}

// addRelation declares r.
func (c *declarations) addRelation(r *relation, schema, name string) {
	c.name(&r.named, schema, name)
	c.relations[name] = append(c.relations[name], r)
}

// renameRelation gives r another name, or another schema.
func (c *declarations) renameRelation(r *relation, schema, name string) {
	c.name(&r.named, schema, name)
	if !slices.Contains(c.relations[name], r) {
		c.relations[name] = append(c.relations[name], r)
	}
}

// relationIn finds a relation in a schema.
func (c *declarations) relationIn(schema, name string, m moment) *relation {
	for _, r := range c.relations[name] {
		if r.of == nil && r.called(schema, name, m) {
			return r
		}
	}
	return nil
}

// typeIn finds a type in a schema.
func (c *declarations) typeIn(schema, name string, m moment) *userType {
	for _, u := range c.types[name] {
		if u.called(schema, name, m) {
			return u
		}
	}
	return nil
}

// functionsIn gives the functions of a name in a schema, in the order of their declarations.
func (c *declarations) functionsIn(schema, name string, m moment) []*function {
	var out []*function
	for _, f := range c.funcs[name] {
		if f.called(schema, name, m) {
			for f.newer != nil {
				f = f.newer
			}
			out = append(out, f)
		}
	}
	return distinct(out)
}

// addTable declares a table, whose provisional name is the full one.
func (l *Schema) addTable(t *table, schema, name string) {
	t.rel = &relation{table: t}
	l.declarations.addRelation(t.rel, schema, name)
	t.rel.show()
	t.rowType = l.declarations.typeKey(&t.rel.named)
	l.declarations.rowTypes[t.rowType] = t
	l.order = append(l.order, t)
}

// typeKey makes a name for a type or the rows of a table, which no other ever has.
func (c *declarations) typeKey(o *named) string {
	base := o.full()
	if (&catalog.Catalog{Scope: catalog.None{}}).Type(base) != nil {
		base = syntax.Qualified([]string{o.schema(), o.own()})
	}
	key := base
	for n := 2; c.typesByKey[key] != nil || c.rowTypes[key] != nil; n++ {
		key = base + "#" + itoa(n)
	}
	return key
}

// show names what the relation is with its full name, until shorten.
func (o *relation) show() {
	if o.table != nil {
		o.table.name = o.full()
	} else {
		o.view.name = o.full()
	}
}

// addView declares what stands in the place of a table, in the place of one of the same name.
func (l *Schema) addView(v *view, schema, name string) {
	if old := l.declarations.relationIn(schema, name, l.clock); old != nil {
		if old.table != nil {
			return // the table counts, which more is known of
		}
		l.views = without(l.views, func(o *view) bool { return o == old.view })
		old.view, v.rel, v.name = v, old, old.full()
		l.views = append(l.views, v)
		return
	}
	v.rel = &relation{view: v}
	l.declarations.addRelation(v.rel, schema, name)
	v.rel.show()
	l.views = append(l.views, v)
}

// systemName is a name without the schemas in which the functions and types of PostgreSQL and of its
// extensions are.
func (l *Schema) systemName(name string) string {
	if schema, own := syntax.SplitName(name); l.declarations.extensionSchemas[schema] {
		return own
	}
	return syntax.PlainName(name)
}

// distinct gives the elements of a list, each once.
func distinct[T comparable](list []T) []T {
	var out []T
	for _, x := range list {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
