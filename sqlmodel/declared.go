package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel/internal/pg"
)

// declared keeps a statement that makes the schema, for a database that is to have
// the same one. What changes rows is left out, and so is what reaches beyond the
// database or says who may use it.
func (l *loader) declared(n *node) {
	optional := false
	switch pg.Inner(n.raw.Stmt).(type) {
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
	from, to := statementSpan(n.text, n.raw)
	l.prog.Schema = append(l.prog.Schema, ir.Declaration{Pos: n.pos, Text: quote.Statement(n.text.s[from:to]), Optional: optional})
}

// tablesFirst puts the declarations of files that declare tables before those of the
// others: functions may name tables.
func (l *loader) tablesFirst() {
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

// declaredByProgram is declared for a statement of a client program.
func (l *loader) declaredByProgram(s *sent, tree any) {
	if len(s.list) == 1 {
		l.declared(&node{pos: s.q.Pos, text: s.text, raw: &pg.RawStmt{Stmt: nodeOf(s, tree)}})
	}
}

// declaredByUse writes a table that is guessed from the statements on it.
func (l *loader) declaredByUse(t *table) {
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
	schema, name, qualified := strings.Cut(t.name, ".")
	if qualified && name != "" {
		l.prog.Schema = append(l.prog.Schema, ir.Declaration{Pos: t.pos, Text: "CREATE SCHEMA IF NOT EXISTS " + quote.Ident(schema), Optional: true})
	}
	l.prog.Schema = append(l.prog.Schema, ir.Declaration{Pos: t.pos,
		Text: "CREATE TABLE " + quote.Name(t.name) + " (" + strings.Join(parts, ", ") + ")"})
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
