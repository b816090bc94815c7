package ddl

import (
	"strings"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// Declared keeps a statement that makes the schema, for a database that is to have
// the same one. What changes rows is left out, and so is what reaches beyond the
// database or says who may use it.
func (l *Definer) Declared(n *syntax.Node) {
	optional := false
	switch s := pg.Inner(n.Raw.Stmt).(type) {
	case *pg.InsertStmt, *pg.CopyStmt, *pg.TruncateStmt, *pg.TransactionStmt, *pg.VariableShow, *pg.CheckPointStmt, *pg.DiscardStmt,
		*pg.ExplainStmt, *pg.NotifyStmt, *pg.ListenStmt, *pg.ConstraintsSet, *pg.ReindexStmt, *pg.ClusterStmt:
		return
	case *pg.GrantStmt, *pg.GrantRoleStmt, *pg.AlterDefaultPriv, *pg.AlterOwnerStmt, *pg.CreateRoleStmt, *pg.AlterRoleStmt, *pg.AlterRoleSetStmt,
		*pg.AlterDatabaseSet, *pg.CreateDatabase, *pg.DropDatabase, *pg.CreatePublication, *pg.SecLabelStmt, *pg.CommentStmt,
		*pg.CreatePolicyStmt, *pg.AlterPolicyStmt: // those who own the tables replay
		return
	case *pg.CreateExtension, *pg.AlterExtensionStmt, *pg.SelectStmt, *pg.CallStmt, *pg.CreateStatsStmt, *pg.VacuumStmt, *pg.AlterObjectDepends:
		optional = true
	case *pg.DropStmt:
		if s.RemoveType == pg.ObjectPolicy {
			return
		}
	case *pg.RenameStmt:
		if s.RenameType == pg.ObjectPolicy {
			return
		}
	}
	if l.InDo {
		return
	}
	from, to := syntax.StatementSpan(n.Text, n.Raw)
	l.Prog.Schema = append(l.Prog.Schema, ir.Declaration{Pos: n.Pos, Text: quote.Statement(n.Text.SQL[from:to]), Optional: optional})
}

// TablesFirst puts the declarations of files that declare tables before those of the
// others: functions may name tables.
func (l *Definer) TablesFirst() {
	declares := map[string]bool{}
	for _, t := range l.Order {
		declares[t.Pos.File] = true
	}
	var first, rest []ir.Declaration
	for _, d := range l.Prog.Schema {
		if declares[d.Pos.File] {
			first = append(first, d)
		} else {
			rest = append(rest, d)
		}
	}
	l.Prog.Schema = append(first, rest...)
}

// UndeclaredSchemas tells of schemas that only the search path of Options names.
func (l *Definer) UndeclaredSchemas() {
	if l.In.MySQL || len(l.Files) == 0 {
		return
	}
	for _, s := range l.In.SearchPath {
		if s != syntax.UserSchema && s != syntax.PublicSchema && s != syntax.SystemSchema && s != syntax.TempSchema && !l.Declarations.Schemas[s] {
			l.Note(ir.Pos{File: l.Files[0].Name}, "no CREATE SCHEMA declares %s, which the search path that is given (-search-path) names: it is taken to be there", s)
		}
	}
}

// CircularViews tells of views that read themselves.
func (l *Definer) CircularViews() {
	for _, v := range l.Views {
		seen := map[*schema.View]bool{}
		var reads func(from *schema.View) bool
		reads = func(from *schema.View) bool {
			if from.Refs == nil || seen[from] {
				return false
			}
			seen[from] = true
			in := from.Refs.Names
			if in == nil {
				in = &l.Late
			}
			for name := range from.Refs.Tables {
				for _, o := range in.Relations(name) {
					if o.View != nil && (o.View == v || reads(o.View)) {
						return true
					}
				}
			}
			return false
		}
		if reads(v) {
			l.Note(v.Pos, "view %s reads itself: PostgreSQL refuses each statement on it", v.Name)
		}
	}
}

// PathsOfFiles adds to the declarations the search paths with which they are read: each file begins with the one of
// Options, in whose schemas it may declare things without making them.
func (l *Definer) PathsOfFiles() {
	path := syntax.SearchPath(l.In.SearchPath)
	if l.In.SearchPath == nil {
		path = syntax.DefaultPath
	}
	var out []ir.Declaration
	begun, changed := map[string]bool{}, l.In.SearchPath != nil
	for _, d := range l.Prog.Schema {
		if len(begun) == 0 && changed {
			for _, s := range path.Order() {
				if s != syntax.PublicSchema && s != syntax.SystemSchema && s != syntax.TempSchema && !l.Declarations.Schemas[s] {
					out = append(out, makesSchema(d.Pos, s))
				}
			}
		}
		if l.Has(d.Pos.File) && !begun[d.Pos.File] {
			begun[d.Pos.File] = true
			if changed {
				out = append(out, ir.Declaration{Pos: d.Pos, Text: "SET search_path = " + path.SQLText()})
			}
		}
		changed = changed || strings.Contains(strings.ToLower(d.Text), "search_path")
		out = append(out, d)
	}
	l.Prog.Schema = out
}

// makesSchema makes a schema that may be there already.
func makesSchema(pos ir.Pos, name string) ir.Declaration {
	return ir.Declaration{Pos: pos, Text: "CREATE SCHEMA IF NOT EXISTS " + quote.Ident(name), Optional: true}
}

// DeclaredByProgram is declared for a statement of a client program.
func (l *Definer) DeclaredByProgram(s *schema.Sent, tree any) {
	if len(s.List) == 1 {
		l.Declared(&syntax.Node{Pos: s.Q.Pos, Text: s.Text, Raw: &pg.RawStmt{Stmt: schema.NodeOf(s, tree)}})
	}
}

// DeclaredByUse writes a table that is guessed from the statements on it.
func (l *Definer) DeclaredByUse(t *schema.Table) {
	var parts []string
	for _, c := range t.Columns {
		parts = append(parts, quote.Ident(c.Name)+" "+guessedType(c.T))
	}
	for _, u := range t.Uniques {
		names := make([]string, len(u.Columns))
		for i, name := range u.Columns {
			names[i] = quote.Ident(name)
		}
		parts = append(parts, "UNIQUE ("+strings.Join(names, ", ")+")")
	}
	if schema := t.Rel.Schema(); schema != syntax.PublicSchema {
		l.Prog.Schema = append(l.Prog.Schema, makesSchema(t.Pos, schema))
	}
	l.Prog.Schema = append(l.Prog.Schema, ir.Declaration{Pos: t.Pos,
		Text: "CREATE TABLE " + quote.Name(t.Rel.Full()) + " (" + strings.Join(parts, ", ") + ")"})
}

// guessedType is a type of the database for a column whose type is guessed: the widest
// of its kind.
func guessedType(t schema.Type) string {
	array := ""
	if t.Name == schema.NArray {
		t, array = t.Element(), "[]"
	}
	switch t.Name {
	case schema.NInt:
		return "bigint" + array
	case schema.NFloat:
		return "double precision" + array
	case schema.NStamp:
		return "timestamptz" + array
	case schema.NUnknown, schema.NAny, schema.NRecord, schema.NVoid, "":
		return "text" + array
	}
	return quote.Name(t.Name) + array
}
