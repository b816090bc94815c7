package schema

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// publicRole stands for all roles.
const publicRole = ""

// grant is GRANT or REVOKE: only who may execute functions matters.
func (l *Schema) grant(s *pg.GrantStmt, t *syntax.Text, pos ir.Pos) {
	if !executes(s) {
		return
	}
	switch s.Objtype {
	case pg.ObjectFunction, pg.ObjectProcedure, pg.ObjectRoutine:
	default:
		return
	}
	var funcs []*Function
	for _, n := range s.Objects {
		switch obj := pg.Inner(n).(type) {
		case *pg.ObjectWithArgs:
			funcs = append(funcs, l.functionsOf(obj, t)...)
		case *pg.String: // ALL FUNCTIONS IN SCHEMA
			for _, f := range l.Funcs {
				if f.Schema() == obj.Sval && (s.Objtype == pg.ObjectRoutine || f.Procedure == (s.Objtype == pg.ObjectProcedure)) {
					funcs = append(funcs, f)
				}
			}
		}
	}
	for _, f := range funcs {
		f.may = f.may.change(s)
		f.RevokedAt = pos
	}
}

// defaultPrivileges is ALTER DEFAULT PRIVILEGES, which is about functions that are declared later. In a schema it can only add
// to what is granted everywhere.
func (l *Schema) defaultPrivileges(s *pg.AlterDefaultPriv, pos ir.Pos) {
	a := s.Action
	if a == nil || !executes(a) || a.Objtype != pg.ObjectFunction && a.Objtype != pg.ObjectRoutine {
		return
	}
	var schemas []string
	for _, n := range s.Options {
		d := pg.Inner(n).(*pg.DefElem)
		list, ok := pg.Inner(d.Arg).(*pg.List)
		switch {
		case !ok:
		case d.Defname == "schemas":
			schemas = syntax.Names(list.Items)
		case d.Defname == "roles" && !a.IsGrant:
			l.Note(pos, "this REVOKE is left out: nothing says that the role whose new functions it is about makes the functions here")
			return
		}
	}
	if len(schemas) > 0 && !a.IsGrant && slices.Contains(grantees(a), publicRole) {
		l.Note(pos, "this REVOKE does nothing: EXECUTE of new functions can be taken from PUBLIC for all schemas only")
		return
	}
	l.privileges = append(l.privileges, defaultPrivilege{a, schemas, pos})
}

// defaultPrivilege is an ALTER DEFAULT PRIVILEGES; no schemas are all.
type defaultPrivilege struct {
	grant   *pg.GrantStmt
	schemas []string
	pos     ir.Pos
}

// mayExecute gives the roles that may execute a function declared now in a schema, and where that was said.
func (l *Schema) mayExecute(schema string) (may roles, at ir.Pos) {
	may = roles{publicRole}
	for _, p := range l.privileges {
		if p.schemas == nil || slices.Contains(p.schemas, schema) {
			may, at = may.change(p.grant), p.pos
		}
	}
	return may, at
}

// executes reports whether a GRANT or REVOKE is about EXECUTE.
func executes(s *pg.GrantStmt) bool {
	if s.GrantOption && !s.IsGrant { // REVOKE GRANT OPTION FOR
		return false
	}
	return len(s.Privileges) == 0 || slices.ContainsFunc(s.Privileges, func(n *pg.Node) bool {
		p, ok := pg.Inner(n).(*pg.AccessPriv)
		return ok && p.PrivName == "execute"
	})
}

func grantees(s *pg.GrantStmt) []string {
	var out []string
	for _, n := range s.Grantees {
		if r, ok := pg.Inner(n).(*pg.RoleSpec); ok {
			name := r.Rolename
			if r.Roletype == pg.RolePublic {
				name = publicRole
			} else if name == "" {
				name = "\x00" + r.Roletype.String() // CURRENT_USER and the like
			}
			out = append(out, name)
		}
	}
	return out
}

// roles are those that may do something.
type roles []string

// change applies a GRANT or REVOKE.
func (r roles) change(s *pg.GrantStmt) roles {
	out := slices.Clone(r)
	for _, name := range grantees(s) {
		out = slices.DeleteFunc(out, func(o string) bool { return o == name })
		if s.IsGrant {
			out = append(out, name)
		}
	}
	return out
}

// Revoked reports whether nobody but its owner may execute a function.
func (f *Function) Revoked() bool { return len(f.may) == 0 && f.Script == nil && f.Program == nil }
