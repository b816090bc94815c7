package ddl

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// grant is GRANT or REVOKE: only who may execute functions matters.
func (l *Definer) grant(s *pg.GrantStmt, t *syntax.Text, pos ir.Pos) {
	if !executes(s) {
		return
	}
	switch s.Objtype {
	case pg.ObjectFunction, pg.ObjectProcedure, pg.ObjectRoutine:
	default:
		return
	}
	var funcs []*schema.Function
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
		f.May = f.May.Change(s)
		f.RevokedAt = pos
	}
}

// defaultPrivileges is ALTER DEFAULT PRIVILEGES, which is about functions that are declared later. In a schema it can only add
// to what is granted everywhere.
func (l *Definer) defaultPrivileges(s *pg.AlterDefaultPriv, pos ir.Pos) {
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
	if len(schemas) > 0 && !a.IsGrant && slices.Contains(schema.Grantees(a), schema.PublicRole) {
		l.Note(pos, "this REVOKE does nothing: EXECUTE of new functions can be taken from PUBLIC for all schemas only")
		return
	}
	l.Privileges = append(l.Privileges, schema.DefaultPrivilege{Grant: a, Schemas: schemas, Pos: pos})
}

// mayExecute gives the roles that may execute a function declared now in a schema, and where that was said.
func (l *Definer) mayExecute(schemaName string) (may schema.Roles, at ir.Pos) {
	may = schema.Roles{schema.PublicRole}
	for _, p := range l.Privileges {
		if p.Schemas == nil || slices.Contains(p.Schemas, schemaName) {
			may, at = may.Change(p.Grant), p.Pos
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

// rolesOf takes over the roles that a statement names.
func (l *Definer) rolesOf(root pg.Message) {
	switch s := root.(type) {
	case *pg.CreateRoleStmt:
		l.Declarations.Users[s.Role] = true
	case *pg.GrantStmt, *pg.GrantRoleStmt, *pg.AlterOwnerStmt, *pg.AlterRoleSetStmt, *pg.CreateSchemaStmt, *pg.CreatePolicyStmt:
		pg.Walk(root, func(x any) bool {
			if r, ok := x.(*pg.RoleSpec); ok && r.Rolename != "" {
				l.Declarations.Users[r.Rolename] = true
			}
			return true
		})
	}
}

// SetPath is SET outside of functions, or a SELECT that may call set_config.
func (l *Definer) SetPath(tree any) {
	switch s := tree.(type) {
	case *pg.VariableSetStmt:
		if c, ok := syntax.PathSetting(s, l.Standard, l.Path.Now()); ok {
			l.Path.Set(c)
		}
	case *pg.DiscardStmt:
		l.Path.Set(syntax.PathChange{To: l.Standard})
	case *pg.SelectStmt:
		if call := syntax.SoleCall(s); call != nil && syntax.PlainName(syntax.Qualified(syntax.Names(call.Funcname))) == "set_config" {
			if c, ok := syntax.ConfigSetting(call); ok {
				l.Path.Set(c)
			}
		}
	}
}

// checksOf notes a SET for a whole session after which it has no checks.
func (l *Definer) checksOf(pos ir.Pos, s *pg.VariableSetStmt) {
	if syntax.DropsChecks(s) {
		l.Note(pos, "%s: that no transaction of another session runs with it is taken for granted; set it in the transaction or function that needs it", syntax.ChecksDropped)
	}
}

// session is SET or DISCARD outside of functions.
func (l *Definer) session(pos ir.Pos, tree any) {
	if s, ok := tree.(*pg.VariableSetStmt); ok {
		l.checksOf(pos, s)
	}
	l.SetPath(tree)
}

// roleSetting is ALTER ROLE or DATABASE … SET.
func (l *Definer) roleSetting(pos ir.Pos, s *pg.VariableSetStmt, role, database string) {
	l.checksOf(pos, s)
	c, ok := syntax.PathSetting(s, syntax.OnePath(syntax.DefaultPath), l.Path.Now())
	if !ok {
		return
	}
	l.Roles = slices.DeleteFunc(l.Roles, func(r schema.RolePath) bool { return r.Role == role && r.Database == database })
	if s.Kind != pg.SetReset && s.Kind != pg.SetResetAll && s.Kind != pg.SetDefault {
		l.Roles = append(l.Roles, schema.RolePath{Pos: pos, Role: role, Database: database, Path: c.To})
	}
}

// createSchema is CREATE SCHEMA, with what it declares in the schema.
func (l *Definer) createSchema(s *pg.CreateSchemaStmt, n *syntax.Node, t *syntax.Text) {
	name := s.Schemaname
	if name == "" {
		name = s.Authrole.GetRolename()
	}
	if l.Declarations.Schemas[name] && s.IfNotExists {
		return
	}
	l.Declarations.Schemas[name] = true
	if len(s.SchemaElts) == 0 {
		return
	}
	outer := l.Path
	l.Path.Paths, l.Path.Local = syntax.OnePath(append(syntax.SearchPath{name}, l.FirstPath()...)), nil
	for _, elt := range s.SchemaElts {
		l.Statement(&syntax.Node{Pos: n.Pos, Src: n.Src, At: n.At, Text: n.Text, First: n.First, Raw: &pg.RawStmt{Stmt: elt}})
	}
	l.Path = outer
}

// createExtension notes an extension, and the schema of its functions.
func (l *Definer) createExtension(s *pg.CreateExtension) {
	l.Extensions[s.Extname] = true
	for _, n := range s.Options {
		if d := pg.Inner(n).(*pg.DefElem); d.Defname == "schema" {
			l.Declarations.ExtensionSchemas[d.GetArg().GetString_().GetSval()] = true
		}
	}
}

// placeOf gives the schema and the name that a new table, view or sequence gets.
func (l *Definer) placeOf(r *pg.RangeVar, t *syntax.Text) (schema, name string) {
	if r.Relpersistence == "t" {
		return syntax.TempSchema, r.Relname
	}
	return l.schemaFor(syntax.NonEmpty(r.Schemaname), t, t.Pos(int(r.Location))), r.Relname
}

// schemaFor gives the schema in which something is created: the one that its name says, or the first one of the search
// path that exists. A schema that no file creates is taken to be there.
func (l *Definer) schemaFor(said []string, t *syntax.Text, pos ir.Pos) string {
	if len(said) > 0 {
		return said[len(said)-1]
	}
	paths := l.Sees(t).Paths
	for _, p := range paths.All {
		if s := l.NewIn(p); s != "" {
			return s
		}
	}
	if paths.Any {
		return syntax.PublicSchema
	}
	l.Fail(pos, "no schema of the search path (%s) can take this: write its schema before the name", paths)
	return ""
}

// bare reports whether the schema of a table is not said: neither by its name nor by the search path.
func (l *Definer) bare(r *pg.RangeVar) bool {
	return r.Schemaname == "" && slices.Equal(l.FirstPath(), syntax.DefaultPath) && l.In.SearchPath == nil
}

// unsaid is bare for an object whose name has no schema.
func (l *Definer) unsaid(t *syntax.Text) bool { return l.bare(&pg.RangeVar{}) }

// createRelation declares what stands in the place of a table.
func (l *Definer) createRelation(v *schema.View, r *pg.RangeVar, t *syntax.Text) {
	schema, name := l.placeOf(r, t)
	l.AddView(v, schema, name)
	if v.Rel == nil {
		return // a table has the name
	}
	if schema == syntax.TempSchema {
		v.Rel.Of = l.Path.Session
	}
	v.Rel.Bare = l.bare(r)
}

// createType declares a type.
func (l *Definer) createType(u *schema.UserType, name []string, t *syntax.Text) {
	schema := l.schemaFor(name[:len(name)-1], t, u.Pos)
	own := name[len(name)-1]
	l.Declarations.Types.Name(u, schema, own, l.Clock)
	u.Key = l.Declarations.TypeKey(&u.Named)
	l.Declarations.TypesByKey[u.Key] = u
}

// tableNamed gives the table that a declaration names, or nil.
func (l *Definer) tableNamed(r *pg.RangeVar, t *syntax.Text) *schema.Table {
	return l.Sees(t).Table(syntax.RangeName(r))
}
