package load

import (
	"regexp"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// templateHole is what the tools of migrations replace by a value: {{.name}}, or ${NAME}.
var templateHole = regexp.MustCompile(`\{\{[^{}\r\n]*\}\}|\$\{[^{}\r\n]*\}`)

// roleHoles gives a statement with the name of a role in the place of each hole, if all holes stand
// where a role does, and it does not matter which role that is. The text has the same length.
func roleHoles(text *syntax.Text) (filled string, ok bool) {
	holes := 0
	names := map[string]bool{}
	filled = templateHole.ReplaceAllStringFunc(text.SQL, func(hole string) string {
		name := []byte(hole)
		for i, c := range name {
			if c < 'a' || c > 'z' {
				name[i] = '_'
			}
		}
		holes++
		names[string(name)] = true
		return string(name)
	})
	if holes == 0 {
		return "", false
	}
	stmts, err := pg.Parse(filled)
	if err != nil || len(stmts) != 1 || !anyRole(stmts[0]) {
		return "", false
	}
	pg.Walk(stmts[0], func(tree any) bool {
		if r, ok := tree.(*pg.RoleSpec); ok && names[r.Rolename] {
			holes--
		}
		return true
	})
	return filled, holes == 0
}

// anyRole reports whether a statement means the same to the transactions whichever role it names:
// it grants or takes back what they are taken to have, or says who owns something. To take the
// right to execute a function from PUBLIC is another thing.
func anyRole(s *pg.RawStmt) bool {
	switch s := pg.Inner(s.Stmt).(type) {
	case *pg.GrantStmt:
		return s.IsGrant || !onFunctions(s)
	case *pg.AlterDefaultPriv:
		return s.Action != nil && (s.Action.IsGrant || !onFunctions(s.Action))
	case *pg.GrantRoleStmt, *pg.AlterOwnerStmt:
		return true
	case *pg.AlterTableStmt:
		for _, n := range s.Cmds {
			if c, ok := pg.Inner(n).(*pg.AlterTableCmd); !ok || c.Subtype != pg.AlterChangeOwner {
				return false
			}
		}
		return true
	}
	return false
}

func onFunctions(s *pg.GrantStmt) bool {
	switch s.Objtype {
	case pg.ObjectFunction, pg.ObjectProcedure, pg.ObjectRoutine:
		return true
	}
	return false
}
