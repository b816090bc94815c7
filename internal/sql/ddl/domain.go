package ddl

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

func (l *Definer) createDomain(s *pg.CreateDomainStmt, t *syntax.Text, pos ir.Pos) {
	u := &schema.UserType{Pos: pos, Base: l.TypeOf(s.TypeName, t), Below: l.DomainOf(s.TypeName, t)}
	if u.Below != nil {
		u.Def = u.Below.Def
	}
	for _, n := range s.Constraints {
		switch k := pg.Inner(n).(*pg.Constraint); k.Contype {
		case pg.ConstrNotNull:
			u.Strict = true
		case pg.ConstrCheck:
			u.AddCheck(k, syntax.LastPart(syntax.Qualified(syntax.Names(s.Domainname))), t)
		case pg.ConstrDefault:
			u.Def = &schema.SQLExpr{Node: k.RawExpr, Text: t}
		}
	}
	l.createType(u, syntax.Names(s.Domainname), t)
}

const (
	domainDefault   = "T"
	domainNull      = "N"
	domainNotNull   = "O"
	domainAddCheck  = "C"
	domainDropCheck = "X"
	domainValidate  = "V"
)

func (l *Definer) alterDomain(s *pg.AlterDomainStmt, t *syntax.Text, pos ir.Pos) {
	u := l.Sees(t).Typ(syntax.Qualified(syntax.Names(s.TypeName)))
	if u == nil || u.Enum || u.Fields != nil {
		l.Fail(pos, "there is no domain %s", syntax.Qualified(syntax.Names(s.TypeName)))
	}
	switch s.Subtype {
	case domainDefault:
		old := u.Def
		if u.Def = nil; s.Def != nil {
			u.Def = &schema.SQLExpr{Node: s.Def, Text: t}
		}
		for _, tab := range l.Order {
			for _, c := range tab.Columns {
				if c.Domain == u && c.Def == old {
					c.Def = u.Def
				}
			}
		}
	case domainNull, domainNotNull:
		u.Strict = s.Subtype == domainNotNull
	case domainAddCheck:
		u.AddCheck(pg.Inner(s.Def).(*pg.Constraint), u.Own(), t)
	case domainDropCheck, domainValidate:
		i := slices.IndexFunc(u.Refuses, func(c *schema.DomainCheck) bool { return c.Name == s.Name })
		switch {
		case i < 0 && !s.MissingOk:
			l.Fail(pos, "the domain %s has no constraint %s", u.Own(), s.Name)
		case i < 0:
		case s.Subtype == domainValidate:
			u.Refuses[i].Unproven = false
		default:
			u.Refuses = slices.Delete(u.Refuses, i, i+1)
		}
	}
}

// typeNamed gives the declared type that a list of names is about, or nil.
func (l *Definer) typeNamed(n *pg.Node, t *syntax.Text) *schema.UserType {
	list, ok := pg.Inner(n).(*pg.List)
	if !ok {
		return nil
	}
	return l.Sees(t).Typ(syntax.Qualified(syntax.Names(list.Items)))
}
