package sqlmodel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// domainCheck is a CHECK of a domain.
type domainCheck struct {
	name string
	expr sqlExpr
	// unproven says that columns may have values that break it (NOT VALID).
	unproven bool
}

// refs gives what the check names.
func (c *domainCheck) refs(l *Schema) *refs { return l.declaredRefs(c.expr.node, c.expr.text) }

// looks gives what a check names, and reports whether that looks at tables.
func (l *Schema) looks(c *domainCheck) (*refs, bool) {
	r := c.refs(l)
	return r, l.looksAround(r)
}

func (l *Schema) createDomain(s *pg.CreateDomainStmt, t *syntax.Text, pos ir.Pos) {
	u := &userType{pos: pos, base: l.typeOf(s.TypeName, t), below: l.domainOf(s.TypeName, t)}
	if u.below != nil {
		u.def = u.below.def
	}
	for _, n := range s.Constraints {
		switch k := pg.Inner(n).(*pg.Constraint); k.Contype {
		case pg.ConstrNotNull:
			u.strict = true
		case pg.ConstrCheck:
			u.addCheck(k, syntax.LastPart(syntax.Qualified(syntax.Names(s.Domainname))), t)
		case pg.ConstrDefault:
			u.def = &sqlExpr{k.RawExpr, t}
		}
	}
	l.createType(u, syntax.Names(s.Domainname), t)
}

// addCheck adds a CHECK. PostgreSQL gives names to those without.
func (u *userType) addCheck(k *pg.Constraint, domain string, t *syntax.Text) {
	name := k.Conname
	for i := 0; name == ""; i++ {
		candidate := domain + "_check"
		if i > 0 {
			candidate = fmt.Sprint(candidate, i)
		}
		if !slices.ContainsFunc(u.refuses, func(c *domainCheck) bool { return c.name == candidate }) {
			name = candidate
		}
	}
	u.refuses = append(u.refuses, &domainCheck{name, sqlExpr{k.RawExpr, t}, k.SkipValidation})
}

// The kinds of ALTER DOMAIN, as the parser names them.
const (
	domainDefault   = "T"
	domainNull      = "N"
	domainNotNull   = "O"
	domainAddCheck  = "C"
	domainDropCheck = "X"
	domainValidate  = "V"
)

func (l *Schema) alterDomain(s *pg.AlterDomainStmt, t *syntax.Text, pos ir.Pos) {
	u := l.sees(t).typ(syntax.Qualified(syntax.Names(s.TypeName)))
	if u == nil || u.enum || u.fields != nil {
		l.fail(pos, "there is no domain %s", syntax.Qualified(syntax.Names(s.TypeName)))
	}
	switch s.Subtype {
	case domainDefault:
		old := u.def
		if u.def = nil; s.Def != nil {
			u.def = &sqlExpr{s.Def, t}
		}
		for _, tab := range l.order {
			for _, c := range tab.columns {
				if c.domain == u && c.def == old {
					c.def = u.def
				}
			}
		}
	case domainNull, domainNotNull:
		u.strict = s.Subtype == domainNotNull
	case domainAddCheck:
		u.addCheck(pg.Inner(s.Def).(*pg.Constraint), u.own(), t)
	case domainDropCheck, domainValidate:
		i := slices.IndexFunc(u.refuses, func(c *domainCheck) bool { return c.name == s.Name })
		switch {
		case i < 0 && !s.MissingOk:
			l.fail(pos, "the domain %s has no constraint %s", u.own(), s.Name)
		case i < 0:
		case s.Subtype == domainValidate:
			u.refuses[i].unproven = false
		default:
			u.refuses = slices.Delete(u.refuses, i, i+1)
		}
	}
}

// notNull reports whether the domain, or one below it, refuses NULL.
func (u *userType) notNull() bool { return u != nil && (u.strict || u.below.notNull()) }

// checks gives those of the domain and of the ones below it.
func (u *userType) checks() []*domainCheck {
	if u == nil {
		return nil
	}
	return slices.Concat(u.below.checks(), u.refuses)
}

// domainOf gives the type that a program declares under a name, nil if it is an array of it
// or none.
func (l *Schema) domainOf(n *pg.TypeName, t *syntax.Text) *userType {
	if n == nil || len(n.ArrayBounds) > 0 || n.Setof {
		return nil
	}
	if parts := syntax.Names(n.Names); n.PctType {
		last := len(parts) - 1
		if tab := l.sees(t).table(syntax.Qualified(parts[:last])); tab != nil {
			if c := tab.column(parts[last]); c != nil {
				return c.domain
			}
		}
		return nil
	}
	return l.sees(t).typ(syntax.Qualified(syntax.Names(n.Names)))
}

// domainsIn gives the domains that a type is, or has in its fields or elements. The type may be that of
// a column, by the name of its table and its own.
func (l *Schema) domainsIn(in *resolver, name string) []*userType {
	switch u := in.typ(name); {
	case u != nil && u.fields != nil:
		return within(u.fields)
	case u != nil && !u.enum:
		return []*userType{u}
	case u != nil:
		return nil
	}
	if t := in.table(name); t != nil {
		return within(l.fieldsOf(t.name))
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		if t := in.table(name[:i]); t != nil && t.column(name[i+1:]) != nil {
			return t.column(name[i+1:]).within
		}
	}
	return nil
}

// domainsOf gives the same of a type in a text.
func (l *Schema) domainsOf(n *pg.TypeName, t *syntax.Text) []*userType {
	if n == nil {
		return nil
	}
	return l.domainsIn(l.sees(t), syntax.Qualified(syntax.Names(n.Names)))
}

// within gives the domains in the types of fields.
func within(fields []fieldDef) []*userType {
	var out []*userType
	for _, f := range fields {
		out = append(out, f.within...)
	}
	return out
}

// typeNamed gives the declared type that a list of names is about, or nil.
func (l *Schema) typeNamed(n *pg.Node, t *syntax.Text) *userType {
	list, ok := pg.Inner(n).(*pg.List)
	if !ok {
		return nil
	}
	return l.sees(t).typ(syntax.Qualified(syntax.Names(list.Items)))
}
