package schema

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
)

// PublicRole stands for all roles.
const PublicRole = ""

// DefaultPrivilege is an ALTER DEFAULT PRIVILEGES; no schemas are all.
type DefaultPrivilege struct {
	Grant   *pg.GrantStmt
	Schemas []string
	Pos     ir.Pos
}

// Grantees gives the roles that a GRANT or REVOKE names.
func Grantees(s *pg.GrantStmt) []string {
	var out []string
	for _, n := range s.Grantees {
		if r, ok := pg.Inner(n).(*pg.RoleSpec); ok {
			name := r.Rolename
			if r.Roletype == pg.RolePublic {
				name = PublicRole
			} else if name == "" {
				name = "\x00" + r.Roletype.String() // CURRENT_USER and the like
			}
			out = append(out, name)
		}
	}
	return out
}

// Roles are those that may do something.
type Roles []string

// Change applies a GRANT or REVOKE.
func (r Roles) Change(s *pg.GrantStmt) Roles {
	out := slices.Clone(r)
	for _, name := range Grantees(s) {
		out = slices.DeleteFunc(out, func(o string) bool { return o == name })
		if s.IsGrant {
			out = append(out, name)
		}
	}
	return out
}

// Revoked reports whether nobody but its owner may execute a function.
func (f *Function) Revoked() bool { return len(f.May) == 0 && f.Script == nil && f.Program == nil }
