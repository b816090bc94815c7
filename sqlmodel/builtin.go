package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// declaredTypes is the catalog's view of what a program declares.
type declaredTypes struct{ l *Schema }

func (d declaredTypes) Type(name string) *catalog.Type {
	u := d.l.typesByKey[name]
	switch {
	case u != nil && u.enum:
		return &catalog.Type{Name: name, Kind: 'e', Category: 'E'}
	case u != nil && u.fields == nil:
		base := u.base.pgName()
		if b := d.l.typesByKey[base]; b != nil && b.fields == nil && !b.enum {
			return nil // a name that was no type when the domain was declared
		}
		return d.l.catalog().Type(base)
	case u != nil, d.l.rowTypes[name] != nil:
		return &catalog.Type{Name: name, Kind: 'c', Category: 'C'}
	}
	return nil
}

func (d declaredTypes) Functions(string) []*catalog.Function { return nil }

// catalog is PostgreSQL's catalog together with the types of the program.
func (l *Schema) catalog() *catalog.Catalog {
	if l.types == nil {
		return &catalog.Catalog{Scope: catalog.None{}}
	}
	return &catalog.Catalog{Scope: declaredTypes{l}, Extensions: l.extensions}
}

// builtin is what is known of all functions of the system with one name.
type builtin struct {
	known bool
	// effect is the worst effect of one of them.
	effect catalog.Effect
	// aggregate and window: they can only be called as such. set: some return sets.
	aggregate, window, set bool
}

// unsafe reports whether a call may write tables, or read any.
func (b builtin) unsafe() bool { return !b.known || b.effect >= catalog.ReadsAny }

// builtin says what a name means that the program does not declare.
func (l *Schema) builtin(name string) builtin {
	name = l.systemName(name)
	var b builtin
	for _, f := range l.catalog().All(name) {
		if f.Program != nil {
			continue
		}
		b.known = true
		b.effect = max(b.effect, catalog.EffectOf(f))
		b.aggregate = b.aggregate || f.Kind == 'a'
		b.window = b.window || f.Kind == 'w'
		b.set = b.set || f.Set
	}
	switch {
	case slices.Contains(syntaxFunctions, name), name == keyFunc:
		b.known = true
	case name == holeFunc:
		b.known, b.effect = true, catalog.AnyValue
	}
	return b
}

// beside gives the functions of the system that a call by a name may mean beside those of the program, which
// hide others of the same signature.
func (l *Schema) beside(name string, declared []*catalog.Function) []*catalog.Function {
	if b := l.builtin(name); !b.known || b.aggregate || b.window {
		return nil
	}
	schema, _ := syntax.SplitName(name)
	var out []*catalog.Function
	for _, f := range l.catalog().All(l.systemName(name)) {
		hidden := slices.ContainsFunc(declared, func(d *catalog.Function) bool { return slices.Equal(d.Args, f.Args) })
		if !hidden && (schema == "" || f.Extension != "") { // nothing else of the system is in other schemas
			out = append(out, f)
		}
	}
	return out
}

// syntaxFunctions have the form of functions and are none: the parser knows them.
var syntaxFunctions = []string{"coalesce", "greatest", "least", "nullif", "row", "xmlexists", "current_date", "current_time",
	"current_timestamp", "localtime", "localtimestamp", "current_user", "current_role", "user", "current_catalog"}
