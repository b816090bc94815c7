package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// declared keeps a statement that makes the schema, for a database that is to have
// the same one. What changes rows is left out, and so is what reaches beyond the
// database or says who may use it.
func (l *Schema) declared(n *syntax.Node) {
	optional := false
	switch pg.Inner(n.Raw.Stmt).(type) {
	case *pg.InsertStmt, *pg.CopyStmt, *pg.TruncateStmt, *pg.TransactionStmt, *pg.VariableShow, *pg.CheckPointStmt, *pg.DiscardStmt,
		*pg.ExplainStmt, *pg.NotifyStmt, *pg.ListenStmt, *pg.ConstraintsSet, *pg.ReindexStmt, *pg.ClusterStmt:
		return
	case *pg.GrantStmt, *pg.GrantRoleStmt, *pg.AlterDefaultPriv, *pg.AlterOwnerStmt, *pg.CreateRoleStmt, *pg.AlterRoleStmt, *pg.AlterRoleSetStmt,
		*pg.AlterDatabaseSet, *pg.CreateDatabase, *pg.DropDatabase, *pg.CreatePublication, *pg.SecLabelStmt, *pg.CommentStmt:
		return
	case *pg.CreateExtension, *pg.AlterExtensionStmt, *pg.SelectStmt, *pg.CallStmt, *pg.CreateStatsStmt, *pg.VacuumStmt, *pg.AlterObjectDepends:
		optional = true
	}
	if l.inDo {
		return
	}
	from, to := statementSpan(n.Text, n.Raw)
	l.prog.Schema = append(l.prog.Schema, ir.Declaration{Pos: n.Pos, Text: quote.Statement(n.Text.SQL[from:to]), Optional: optional})
}

// tablesFirst puts the declarations of files that declare tables before those of the
// others: functions may name tables.
func (l *Schema) tablesFirst() {
	declares := map[string]bool{}
	for _, t := range l.order {
		declares[t.pos.File] = true
	}
	var first, rest []ir.Declaration
	for _, d := range l.prog.Schema {
		if declares[d.Pos.File] {
			first = append(first, d)
		} else {
			rest = append(rest, d)
		}
	}
	l.prog.Schema = append(first, rest...)
}

// undeclaredSchemas tells of schemas that only the search path of Options names.
func (l *Schema) undeclaredSchemas() {
	if l.in.mysql || len(l.Files) == 0 {
		return
	}
	for _, s := range l.in.searchPath {
		if s != syntax.UserSchema && s != syntax.PublicSchema && s != syntax.SystemSchema && s != syntax.TempSchema && !l.declarations.schemas[s] {
			l.note(ir.Pos{File: l.Files[0].Name}, "no CREATE SCHEMA declares %s, which the search path that is given (-search-path) names: it is taken to be there", s)
		}
	}
}

// circularViews tells of views that read themselves.
func (l *Schema) circularViews() {
	for _, v := range l.views {
		seen := map[*view]bool{}
		var reads func(from *view) bool
		reads = func(from *view) bool {
			if from.refs == nil || seen[from] {
				return false
			}
			seen[from] = true
			in := from.refs.names
			if in == nil {
				in = &l.late
			}
			for name := range from.refs.tables {
				for _, o := range in.relations(name) {
					if o.view != nil && (o.view == v || reads(o.view)) {
						return true
					}
				}
			}
			return false
		}
		if reads(v) {
			l.note(v.pos, "view %s reads itself: PostgreSQL refuses each statement on it", v.name)
		}
	}
}

// pathsOfFiles adds to the declarations the search paths with which they are read: each file begins with the one of
// Options, in whose schemas it may declare things without making them.
func (l *Schema) pathsOfFiles() {
	path := syntax.SearchPath(l.in.searchPath)
	if l.in.searchPath == nil {
		path = syntax.DefaultPath
	}
	var out []ir.Declaration
	begun, changed := map[string]bool{}, l.in.searchPath != nil
	for _, d := range l.prog.Schema {
		if len(begun) == 0 && changed {
			for _, s := range path.Order() {
				if s != syntax.PublicSchema && s != syntax.SystemSchema && s != syntax.TempSchema && !l.declarations.schemas[s] {
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
	l.prog.Schema = out
}

// makesSchema makes a schema that may be there already.
func makesSchema(pos ir.Pos, name string) ir.Declaration {
	return ir.Declaration{Pos: pos, Text: "CREATE SCHEMA IF NOT EXISTS " + quote.Ident(name), Optional: true}
}

// declaredByProgram is declared for a statement of a client program.
func (l *Schema) declaredByProgram(s *sent, tree any) {
	if len(s.list) == 1 {
		l.declared(&syntax.Node{Pos: s.q.Pos, Text: s.text, Raw: &pg.RawStmt{Stmt: nodeOf(s, tree)}})
	}
}

// declaredByUse writes a table that is guessed from the statements on it.
func (l *Schema) declaredByUse(t *table) {
	var parts []string
	for _, c := range t.columns {
		parts = append(parts, quote.Ident(c.name)+" "+guessedType(c.t))
	}
	for _, u := range t.uniques {
		names := make([]string, len(u.columns))
		for i, name := range u.columns {
			names[i] = quote.Ident(name)
		}
		parts = append(parts, "UNIQUE ("+strings.Join(names, ", ")+")")
	}
	if schema := t.rel.schema(); schema != syntax.PublicSchema {
		l.prog.Schema = append(l.prog.Schema, makesSchema(t.pos, schema))
	}
	l.prog.Schema = append(l.prog.Schema, ir.Declaration{Pos: t.pos,
		Text: "CREATE TABLE " + quote.Name(t.rel.full()) + " (" + strings.Join(parts, ", ") + ")"})
}

// guessedType is a type of the database for a column whose type is guessed: the widest
// of its kind.
func guessedType(t typ) string {
	array := ""
	if t.name == nArray {
		t, array = t.element(), "[]"
	}
	switch t.name {
	case nInt:
		return "bigint" + array
	case nFloat:
		return "double precision" + array
	case nStamp:
		return "timestamptz" + array
	case nUnknown, nAny, nRecord, nVoid, "":
		return "text" + array
	}
	return quote.Name(t.name) + array
}
