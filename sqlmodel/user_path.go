package sqlmodel

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// "$user" in a search path is the schema that is called like the role of the client. Where the files name a role and have
// a schema of its name, a path with "$user" is two: that of this role, and that of other roles. All other schemas are taken to
// be called like no role, which is told where it matters.

// rolesOf takes over the roles that a statement names.
func (l *Schema) rolesOf(root pg.Message) {
	switch s := root.(type) {
	case *pg.CreateRoleStmt:
		l.declarations.users[s.Role] = true
	case *pg.GrantStmt, *pg.GrantRoleStmt, *pg.AlterOwnerStmt, *pg.AlterRoleSetStmt, *pg.CreateSchemaStmt, *pg.CreatePolicyStmt:
		pg.Walk(root, func(x any) bool {
			if r, ok := x.(*pg.RoleSpec); ok && r.Rolename != "" {
				l.declarations.users[r.Rolename] = true
			}
			return true
		})
	}
}

// perUser gives the paths with what "$user" may stand for.
func (l *Schema) perUser(s syntax.PathSet) syntax.PathSet {
	out := syntax.PathSet{Any: s.Any}
	for _, p := range s.All {
		out = out.Or(syntax.OnePath(p))
		i := slices.Index(p, syntax.UserSchema)
		if i < 0 {
			continue
		}
		for _, user := range slices.Sorted(maps.Keys(l.declarations.users)) {
			if l.declarations.hasSchema(user) {
				own := slices.Clone(p)
				own[i] = user
				out = out.Or(syntax.OnePath(own))
			}
		}
	}
	return out
}

// otherUsers tells that a name without a schema would mean something else to a client whose role is called like another schema:
// one of has, to which the path leads only then. The name means something in the schema means.
func (r *resolver) otherUsers(means *named, pos ir.Pos, has []*named) {
	for _, p := range r.paths.All {
		i := slices.Index(p, syntax.UserSchema)
		if at := slices.Index(p, means.schema()); i < 0 || at >= 0 && at < i || at < 0 && slices.Contains(p.Order(), means.schema()) {
			continue
		}
		var others []string
		for _, o := range has {
			if s, n, there := o.at(now); there && n == means.own() && s != means.schema() && s != syntax.TempSchema && !slices.Contains(p, s) && !r.l.declarations.users[s] {
				others = append(others, s)
			}
		}
		if len(others) > 0 {
			slices.Sort(others)
			r.l.note(pos, "%s is %s here: that no client has a role called %s, whose search path (%s) begins with a schema of that name, is taken for granted; say so with -search-path",
				means.own(), syntax.Qualified([]string{means.schema(), means.own()}), strings.Join(slices.Compact(others), " or "), p)
			return
		}
	}
}

// hasSchema reports whether the files create a schema, or something in it.
func (c *declarations) hasSchema(name string) bool {
	if c.schemas[name] {
		return true
	}
	for _, list := range c.relations {
		if slices.ContainsFunc(list, func(o *relation) bool { return len(o.names) > 0 && o.schema() == name }) {
			return true
		}
	}
	for _, list := range c.funcs {
		if slices.ContainsFunc(list, func(f *function) bool { return f.schema() == name }) {
			return true
		}
	}
	return false
}

// relationsNamed gives the names of the relations that were called so.
func (c *declarations) relationsNamed(name string) (out []*named) {
	for _, o := range c.relations[name] {
		out = append(out, &o.named)
	}
	return out
}
