package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// DomainCheck is a CHECK of a domain.
type DomainCheck struct {
	Name string
	Expr SQLExpr
	// Unproven says that columns may have values that break it (NOT VALID).
	Unproven bool
}

// refs gives what the check names.
func (c *DomainCheck) refs(l *Schema) *Refs { return l.DeclaredRefs(c.Expr.Node, c.Expr.Text) }

// Looks gives what a check names, and reports whether that looks at tables.
func (l *Schema) Looks(c *DomainCheck) (*Refs, bool) {
	r := c.refs(l)
	return r, l.LooksAround(r)
}

// AddCheck adds a CHECK. PostgreSQL gives names to those without.
func (u *UserType) AddCheck(k *pg.Constraint, domain string, t *syntax.Text) {
	name := k.Conname
	for i := 0; name == ""; i++ {
		candidate := domain + "_check"
		if i > 0 {
			candidate = fmt.Sprint(candidate, i)
		}
		if !slices.ContainsFunc(u.Refuses, func(c *DomainCheck) bool { return c.Name == candidate }) {
			name = candidate
		}
	}
	u.Refuses = append(u.Refuses, &DomainCheck{name, SQLExpr{k.RawExpr, t}, k.SkipValidation})
}

// NotNull reports whether the domain, or one below it, refuses NULL.
func (u *UserType) NotNull() bool { return u != nil && (u.Strict || u.Below.NotNull()) }

// Checks gives those of the domain and of the ones below it.
func (u *UserType) Checks() []*DomainCheck {
	if u == nil {
		return nil
	}
	return slices.Concat(u.Below.Checks(), u.Refuses)
}

// DomainOf gives the type that a program declares under a name, nil if it is an array of it
// or none.
func (l *Schema) DomainOf(n *pg.TypeName, t *syntax.Text) *UserType {
	if n == nil || len(n.ArrayBounds) > 0 || n.Setof {
		return nil
	}
	if parts := syntax.Names(n.Names); n.PctType {
		last := len(parts) - 1
		if tab := l.Sees(t).Table(syntax.Qualified(parts[:last])); tab != nil {
			if c := tab.Column(parts[last]); c != nil {
				return c.Domain
			}
		}
		return nil
	}
	return l.Sees(t).Typ(syntax.Qualified(syntax.Names(n.Names)))
}

// domainsIn gives the domains that a type is, or has in its fields or elements. The type may be that of
// a column, by the name of its table and its own.
func (l *Schema) domainsIn(in *Resolver, name string) []*UserType {
	switch u := in.Typ(name); {
	case u != nil && u.Fields != nil:
		return within(u.Fields)
	case u != nil && !u.Enum:
		return []*UserType{u}
	case u != nil:
		return nil
	}
	if t := in.Table(name); t != nil {
		return within(l.FieldsOf(t.Name))
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		if t := in.Table(name[:i]); t != nil && t.Column(name[i+1:]) != nil {
			return t.Column(name[i+1:]).Within
		}
	}
	return nil
}

// DomainsOf gives the same of a type in a text.
func (l *Schema) DomainsOf(n *pg.TypeName, t *syntax.Text) []*UserType {
	if n == nil {
		return nil
	}
	return l.domainsIn(l.Sees(t), syntax.Qualified(syntax.Names(n.Names)))
}

// within gives the domains in the types of fields.
func within(fields []FieldDef) []*UserType {
	var out []*UserType
	for _, f := range fields {
		out = append(out, f.Within...)
	}
	return out
}

// RefusesNull is what the NOT NULL of a domain refuses. It is not checked where a value has the
// type of the domain already, which is not known here, and may be NULL all the same.
func (u *UserType) RefusesNull() string {
	if u.NotNull() {
		return u.Refusal()
	}
	return ""
}

// Demanding reports whether a domain, which may be nil, refuses values.
func (u *UserType) Demanding() bool { return u.NotNull() || len(u.Checks()) > 0 }

// Refusal names what a domain may refuse values with.
func (u *UserType) Refusal() string { return "the check of the domain " + u.Names[len(u.Names)-1].Name }
