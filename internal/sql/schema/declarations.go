package schema

import (
	"math"
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// A moment is a point in the sequence of the declarations: the number of the statement.
type moment int

// Now is after all declarations: the moment at which transactions run.
const Now = moment(math.MaxInt)

// Named is an object with a schema and a name, which DDL may change. Whatever was resolved
// when it was created, such as the query of a view, means the object for ever.
type Named struct {
	Names []Calling // oldest first
	Gone  moment    // when it was dropped; 0 if it was not
}

// Calling is what an object is called from some moment on.
type Calling struct {
	Since        moment
	Schema, Name string
}

// at gives the schema and the name at a moment; there is false where the object does not exist then.
func (o *Named) at(m moment) (schema, name string, there bool) {
	if o.Gone > 0 && m >= o.Gone {
		return "", "", false
	}
	for _, c := range slices.Backward(o.Names) {
		if c.Since <= m {
			return c.Schema, c.Name, true
		}
	}
	return "", "", false
}

// Called reports whether the object has a schema and a name at a moment.
func (o *Named) Called(schema, name string, m moment) bool {
	s, n, there := o.at(m)
	return there && s == schema && n == name
}

// Schema is where the object is, or was last.
func (o *Named) Schema() string { return o.Names[len(o.Names)-1].Schema }

// Own is the name of the object without its schema.
func (o *Named) Own() string { return o.Names[len(o.Names)-1].Name }

// Full is the name of the object with its schema, public left out.
func (o *Named) Full() string { return syntax.FullName(o.Schema(), o.Own()) }

// Relation is what can stand in FROM: a table, or something in the place of one.
type Relation struct {
	Named
	// Exactly one of these is set.
	Table *Table
	View  *View
	// Bare says that the declaration gives no schema, and nothing else said one.
	Bare bool
	// Of is the session of psql that a temporary table belongs to, or nil.
	Of *syntax.Session
}

// Declarations are all that the files declare, by own names of any time.
type Declarations struct {
	Clock     moment
	Relations directory[*Relation]
	Types     directory[*UserType]
	Funcs     directory[*Function]
	// TypesByKey are the types, and rowTypes the tables, by the names that Type has for them.
	TypesByKey map[string]*UserType
	rowTypes   map[string]*Table
	// Schemas are those that CREATE SCHEMA makes (true) and DROP SCHEMA drops (false).
	Schemas map[string]bool
	// Users are the roles that the files name.
	Users map[string]bool
	// ExtensionSchemas are the schemas that CREATE EXTENSION … SCHEMA names.
	ExtensionSchemas map[string]bool
	// createdSchemas are those for which some file has a CREATE SCHEMA, nil until they were looked for.
	createdSchemas map[string]bool
	// temporary says that some function or transaction makes temporary tables.
	temporary bool
	// Aliases are relations that statements of a client program mean by other names.
	Aliases map[string]*Relation
}

func newDeclarations() Declarations {
	return Declarations{Clock: 1, Users: map[string]bool{}, Relations: directory[*Relation]{}, Types: directory[*UserType]{}, Funcs: directory[*Function]{},
		TypesByKey: map[string]*UserType{}, rowTypes: map[string]*Table{},
		Schemas: map[string]bool{}, ExtensionSchemas: map[string]bool{}, Aliases: map[string]*Relation{}}
}

// RelationIn finds a relation in a schema.
func (c *Declarations) RelationIn(schema, name string, m moment) *Relation {
	return first(Without(c.Relations.in(schema, name, m), func(r *Relation) bool { return r.Of != nil }))
}

// FunctionsIn gives the functions of a name in a schema, in the order of their declarations.
func (c *Declarations) FunctionsIn(schema, name string, m moment) []*Function {
	var out []*Function
	for _, f := range c.Funcs.in(schema, name, m) {
		for f.Newer != nil {
			f = f.Newer
		}
		out = append(out, f)
	}
	return Distinct(out)
}

// AddTable declares a table, whose provisional name is the full one.
func (l *Schema) AddTable(t *Table, schema, name string) {
	t.Rel = &Relation{Table: t}
	l.Declarations.Relations.Name(t.Rel, schema, name, l.Clock)
	t.Rel.Show()
	t.RowType = l.Declarations.TypeKey(&t.Rel.Named)
	l.Declarations.rowTypes[t.RowType] = t
	l.Order = append(l.Order, t)
}

// TypeKey makes a name for a type or the rows of a table, which no other ever has.
func (c *Declarations) TypeKey(o *Named) string {
	base := o.Full()
	if (&catalog.Catalog{Scope: catalog.None{}}).Type(base) != nil {
		base = syntax.Qualified([]string{o.Schema(), o.Own()})
	}
	key := base
	for n := 2; c.TypesByKey[key] != nil || c.rowTypes[key] != nil; n++ {
		key = base + "#" + strconv.Itoa(n)
	}
	return key
}

// Show names what the relation is with its full name, until shorten.
func (o *Relation) Show() {
	if o.Table != nil {
		o.Table.Name = o.Full()
	} else {
		o.View.Name = o.Full()
	}
}

// AddView declares what stands in the place of a table, in the place of one of the same name.
func (l *Schema) AddView(v *View, schema, name string) {
	if old := l.Declarations.RelationIn(schema, name, l.Clock); old != nil {
		if old.Table != nil {
			return // the table counts, which more is known of
		}
		l.Views = Without(l.Views, func(o *View) bool { return o == old.View })
		old.View, v.Rel, v.Name = v, old, old.Full()
		l.Views = append(l.Views, v)
		return
	}
	v.Rel = &Relation{View: v}
	l.Declarations.Relations.Name(v.Rel, schema, name, l.Clock)
	v.Rel.Show()
	l.Views = append(l.Views, v)
}

// SystemName is a name without the schemas in which the functions and types of PostgreSQL and of its
// extensions are.
func (l *Schema) SystemName(name string) string {
	if schema, own := syntax.SplitName(name); l.Declarations.ExtensionSchemas[schema] {
		return own
	}
	return syntax.PlainName(name)
}

// Distinct gives the elements of a list, each once.
func Distinct[T comparable](list []T) []T {
	var out []T
	for _, x := range list {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
