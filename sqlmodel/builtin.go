package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/sqlmodel/catalog"
)

// maxDomains bounds the domains of domains.
const maxDomains = 4096

// declaredTypes is the catalog's view of what a program declares.
type declaredTypes struct{ l *loader }

func (d declaredTypes) Type(name string) *catalog.Type {
	u := d.l.types[name]
	if u != nil && !u.enum && u.fields == nil {
		return d.base(u)
	}
	switch {
	case u != nil && u.enum:
		return &catalog.Type{Name: name, Kind: 'e', Category: 'E'}
	case u != nil, d.l.tables[name] != nil:
		return &catalog.Type{Name: name, Kind: 'c', Category: 'C'}
	}
	return nil
}

// base gives the type below a domain, nil for a domain of itself.
func (d declaredTypes) base(u *userType) *catalog.Type {
	for range maxDomains {
		name := u.base.pgName()
		switch u = d.l.types[name]; {
		case u == nil:
			return d.l.catalog().Type(name)
		case u.enum || u.fields != nil:
			return d.Type(name)
		}
	}
	return nil
}

func (d declaredTypes) Functions(string) []*catalog.Function { return nil }

// catalog is PostgreSQL's catalog together with the types of the program.
func (l *loader) catalog() *catalog.Catalog {
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
func (l *loader) builtin(name string) builtin {
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

// syntaxFunctions have the form of functions and are none: the parser knows them.
var syntaxFunctions = []string{"coalesce", "greatest", "least", "nullif", "row", "xmlexists", "current_date", "current_time",
	"current_timestamp", "localtime", "localtimestamp", "current_user", "current_role", "user", "current_catalog"}
