package schema

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
	"github.com/txrobust/robust/ir"
)

// Input is what an application is read from.
type Input struct {
	// Found is DDL that was found and not named, and is read before the files that were named.
	Found, Named []input.File
	// More, if not nil, reads the files that these include.
	More *infile.Reader
	// Txns are the functions that are templates, if they are chosen.
	Txns []string
	// MySQL says that the statements of a client program are in MySQL's dialect, and MySQLFiles
	// which files are.
	MySQL      bool
	MySQLFiles []string
	// SearchPath is that with which sessions begin, nil if the files say it.
	SearchPath []string
	// Ctx, if not nil, ends the reading.
	Ctx context.Context
	// Mended are foreign keys that are broken and mended before they are checked.
	Mended []lateKey
	// Program are the transactions of a client program, which IsProgram says that
	// there is.
	Program   []*client.Txn
	IsProgram bool
	// Aside are other transactions of it, which may create tables.
	Aside []*client.Txn
}

// NewSchema begins an application, of which ReadAll reads the declarations.
func NewSchema(in Input) (*Schema, error) {
	foreign := &mysql.Schema{}
	found, named := in.fromMySQL(foreign, in.Found), in.fromMySQL(foreign, in.Named)
	all := slices.Concat(found, named)
	if len(all) == 0 && !in.IsProgram {
		return nil, fmt.Errorf("no SQL file was given")
	}
	titled := named
	if len(titled) == 0 {
		titled = all
	}
	l := &Schema{
		FileSet:    &syntax.FileSet{Files: all, More: in.More, Ctx: in.Ctx},
		Unnamed:    len(found),
		Foreign:    foreign,
		Notes:      slices.Clone(foreign.Notes),
		Prog:       &ir.Program{Name: programName(titled)},
		extensions: map[string]bool{},
		Collations: map[string]bool{},
		In:         in,

		Declarations: newDeclarations(),

		Operators:  map[string][]declaredOperator{},
		CastsTo:    map[string]bool{},
		indexNames: map[string]bool{},
		Unread:     gaps{Files: map[string]bool{}, Words: map[string]ir.Pos{}},
	}
	l.FileSet.Note = l.Note
	return l, nil
}

// fromMySQL writes the files that are in MySQL's dialect in that of PostgreSQL.
func (in *Input) fromMySQL(s *mysql.Schema, files []input.File) []input.File {
	out := slices.Clone(files)
	for i, f := range out {
		if slices.Contains(in.MySQLFiles, f.Name) {
			out[i] = s.File(f)
		}
	}
	return out
}

// Reorder puts the columns of tables of MySQL in their order, as FIRST and AFTER say.
func (l *Schema) Reorder() {
	for _, t := range l.Order {
		if order := l.Foreign.Order[t.Name]; order != nil {
			slices.SortStableFunc(t.Columns, func(a, b *Column) int { return slices.Index(order, a.Name) - slices.Index(order, b.Name) })
		}
	}
}

// programName is the name of a program with these files.
func programName(files []input.File) string {
	if len(files) == 0 {
		return "client"
	}
	return input.ProgramName(files)
}

// Ended is the error of the context.
func (l *Schema) Ended() error {
	if l.In.Ctx == nil {
		return nil
	}
	return l.In.Ctx.Err()
}

// Schema is what an application declares, while it is read.
type Schema struct {
	In Input
	*syntax.FileSet
	// Unnamed is the number of the first files, which were found and not named.
	Unnamed int
	Declarations
	Order []*Table
	Views []*View
	// Foreign is what PostgreSQL cannot say of the files in MySQL's dialect.
	Foreign *mysql.Schema
	// Runs reads what runs while the files are read.
	Runs Runner
	// RowOfView gives the type of the rows of a view, nil if its query is not modelled: names
	// are resolved before queries are translated.
	RowOfView func(*View) *UserType
	// Limited are ORDER BY and LIMIT of statements that write.
	Limited map[any]*pg.SelectStmt
	// Ddl is the search path that declarations are read with, standard the one with which
	// sessions begin; late says what the names in transactions mean, which are resolved when they
	// run.
	Ddl      sessionPath
	Standard syntax.PathSet
	Late     Resolver
	// roles are the search paths that ALTER ROLE and ALTER DATABASE give sessions.
	roles []rolePath
	// privileges are those of functions that are declared later.
	privileges []defaultPrivilege
	// SetsPath says that some function or transaction sets the search path.
	SetsPath bool
	Unread   gaps
	// CastsTo are the types to which a cast is declared, indexNames the names of indexes.
	CastsTo, indexNames map[string]bool
	Defers              bool // some SET CONSTRAINTS exists
	Sets                bool // some function changes settings of the session
	Gets                bool // some function looks at one (current_setting)
	// LocksTables says that some transaction may lock a whole table, so that even
	// queries may wait, and end in a deadlock.
	LocksTables bool
	// Effects are those of functions, once all is declared (tracer.known).
	Effects map[string]*Effect
	// Emptied are the tables that TRUNCATE may empty for older snapshots, too.
	Emptied map[string]bool
	// Operators are those that CREATE OPERATOR declares, by their names without schemas.
	Operators map[string][]declaredOperator
	// Collations are those that are not deterministic.
	Collations map[string]bool
	// extensions are those that CREATE EXTENSION makes.
	extensions map[string]bool
	// Postponed are statements about tables that were not declared yet.
	Postponed []func()
	Funcs     []*Function
	// Scripts are the transactions that clients send statement by statement.
	Scripts []*Function
	// Programs are the transactions of a client program.
	Programs []*Function
	Facts    []fact
	Notes    []ir.Note
	Prog     *ir.Program
	// InDo says that the statement stands in a DO block.
	InDo bool
}

// fact is a stated invariant.
type fact struct {
	Text *syntax.Text // with its prefix, the expression
	From []factSource
	Pos  ir.Pos
}

func (l *Schema) Fail(pos ir.Pos, format string, args ...any) { panic(ir.Errorf(pos, format, args...)) }

func (l *Schema) Note(pos ir.Pos, format string, args ...any) {
	n := ir.Note{Pos: pos, Text: fmt.Sprintf(format, args...)}
	if !slices.Contains(l.Notes, n) {
		l.Notes = append(l.Notes, n)
	}
}

// Postpone puts off a declaration until all files are read. The search path is the one that is set now.
func (l *Schema) Postpone(again func()) {
	ddl := l.Ddl
	l.Postponed = append(l.Postponed, func() {
		l.Ddl = ddl
		again()
	})
}

// Premise records what is taken for granted, where it matters first.
func (l *Schema) Premise(pos ir.Pos, text string) {
	if !slices.ContainsFunc(l.Prog.Premises, func(n ir.Note) bool { return n.Text == text }) {
		l.Prog.Premises = append(l.Prog.Premises, ir.Note{Pos: pos, Text: text})
	}
}

// TryStatement runs a statement. One that needs a table that a later file may
// declare gives an error, and can run again; other faults are final.
func (l *Schema) TryStatement(n *syntax.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*ir.Error)
			if !ok || !strings.HasPrefix(e.Msg, NoTable) {
				panic(r)
			}
			if _, creates := pg.Inner(n.Raw.Stmt).(*pg.CreateStmt); creates {
				panic(r)
			}
			err = e
		}
	}()
	l.Statement(n)
	return nil
}

// NoTable begins the message of a statement about an unknown table.
const NoTable = "there is no table "

// Statement handles a statement outside of functions and transactions, and keeps it.
func (l *Schema) Statement(n *syntax.Node) {
	l.apply(n)
	l.Declared(n)
}

func (l *Schema) apply(n *syntax.Node) {
	t, pos := l.Declaring(n.Text), n.Pos
	switch s := pg.Inner(n.Raw.Stmt).(type) {
	case *pg.CreateStmt, *pg.AlterTableStmt, *pg.IndexStmt, *pg.CreatePolicyStmt, *pg.CreateDomainStmt, *pg.ViewStmt, *pg.CreateTableAsStmt,
		*pg.RuleStmt, *pg.CreateTrigStmt, *pg.DefineStmt:
		l.callsOf(s.(pg.Message), t, pos)
	case pg.Message:
		l.rolesOf(s)
	}
	switch s := pg.Inner(n.Raw.Stmt).(type) {
	case *pg.CreateStmt:
		l.CreateTable(s, t)
	case *pg.AlterTableStmt:
		l.alterTable(s, t)
	case *pg.IndexStmt:
		l.Index(s, t)
	case *pg.DropStmt:
		l.drop(s, t)
	case *pg.RenameStmt:
		l.rename(s, t)
	case *pg.CreateFunctionStmt:
		l.createFunction(s, t, n.First)
	case *pg.CreateTrigStmt:
		l.createTrigger(s, t, pos)
	case *pg.CompositeTypeStmt:
		l.createComposite(s, t, pos)
	case *pg.CreateEnumStmt:
		l.createEnum(s, t, pos)
	case *pg.CreateDomainStmt:
		l.createDomain(s, t, pos)
	case *pg.AlterDomainStmt:
		l.alterDomain(s, t, pos)
	case *pg.ViewStmt:
		l.createView(s, t, pos)
	case *pg.CreateTableAsStmt:
		v := &View{Pos: pos, What: "a table made by a query", Refs: l.DeclaredRefs(s.Query, t), Rows: true}
		l.createRelation(v, s.Into.Rel, t)
		l.Note(pos, "%s is made by a query: statements on it are not modelled", v.Name)
	case *pg.CreateSeqStmt:
		l.createRelation(&View{Pos: pos, What: sequenceView}, s.Sequence, t)
	case *pg.CreateForeignTable:
		l.createRelation(&View{Pos: pos, What: "a foreign table", Rows: true}, s.BaseStmt.Relation, t)
	case *pg.CreatePolicyStmt:
		if tab := l.tableNamed(s.Table, t); tab != nil {
			tab.Policies = append(tab.Policies, policy{s.PolicyName, l.DeclaredRefs(s, t)})
		}
	case *pg.RuleStmt:
		l.createRule(s, t, pos)
	case *pg.InsertStmt:
		l.initialRows(s, t, pos)
	case *pg.TransactionStmt:
		// The end of a transaction that only makes the schema.
	case *pg.UpdateStmt, *pg.DeleteStmt, *pg.MergeStmt:
		l.Fail(pos, "a statement that changes rows outside of a transaction is not analysed; write BEGIN … COMMIT around it, or a comment -- name: … before it")
	case *pg.SelectStmt:
		l.SetPath(s)
		l.topSelect(s, pos)
	case *pg.DoStmt:
		l.Runs.RunBlock(s, n)
	case *pg.CallStmt:
		l.Note(pos, "a CALL outside of a function runs once, when the schema is made: it is left out")
		l.Runs.RunCalls(l.RefsIn(s), pos)
	case *pg.CopyStmt:
		l.Note(pos, "COPY is not read: its rows are no initial rows")
	case *pg.TruncateStmt:
		for _, n := range s.Relations {
			if tab := l.tableNamed(pg.Inner(n).(*pg.RangeVar), t); tab != nil {
				tab.Inserts = nil
			}
		}
	case *pg.LockStmt:
		l.Fail(pos, "LOCK TABLE outside of a transaction is not analysed; write BEGIN … COMMIT around the transaction")
	case *pg.AlterEnumStmt:
		l.alterEnum(s, t)
	case *pg.AlterFunctionStmt:
		l.alterFunction(s, t)
	case *pg.DefineStmt:
		if s.Kind == pg.ObjectCollation {
			l.createCollation(s)
			break
		}
		l.createOperator(s, t)
		l.Note(pos, "an operator, aggregate, type or the like that is declared here is not modelled")
	case *pg.CreateCastStmt:
		l.Note(pos, "a cast that is declared here is not modelled: it is taken to read no tables")
		if s.Func != nil {
			l.CastsTo[syntax.Qualified(syntax.Names(s.Targettype.Names))] = true
		}
	case *pg.AlterObjectSchema:
		l.setSchema(s, t)
	case *pg.CreateSchemaStmt:
		l.createSchema(s, n, t)
	case *pg.CreateExtension:
		l.createExtension(s)
	case *pg.AlterRoleSetStmt:
		l.roleSetting(pos, s.Setstmt, s.Role.GetRolename(), s.Database)
	case *pg.AlterDatabaseSet:
		l.roleSetting(pos, s.Setstmt, "", s.Dbname)
	case *pg.CreateEventTrigStmt:
		l.Note(pos, "an event trigger is left out: it does not run in transactions that only change rows")
	case *pg.VariableSetStmt, *pg.DiscardStmt:
		l.SetPath(s)
	case *pg.GrantStmt:
		l.grant(s, t, pos)
	case *pg.AlterDefaultPriv:
		l.defaultPrivileges(s, pos)
	case *pg.VariableShow, *pg.CommentStmt, *pg.GrantRoleStmt, *pg.AlterExtensionStmt, *pg.AlterOwnerStmt, *pg.CreateRoleStmt,
		*pg.AlterRoleStmt, *pg.CreateStatsStmt, *pg.VacuumStmt,
		*pg.CreateDatabase, *pg.DropDatabase, *pg.CheckPointStmt,
		*pg.AlterSeqStmt, *pg.ReindexStmt, *pg.ClusterStmt, *pg.CreatePublication, *pg.SecLabelStmt,
		*pg.AlterObjectDepends, *pg.ExplainStmt, *pg.NotifyStmt, *pg.ListenStmt, *pg.ConstraintsSet:
		// They change no value and no constraint.
	default:
		l.Note(pos, "this statement is left out")
	}
}

// createView records a view, which is expanded where it is read.
func (l *Schema) createView(s *pg.ViewStmt, t *syntax.Text, pos ir.Pos) {
	v := &View{Pos: pos, What: "a write of a view", Refs: l.DeclaredRefs(s.Query, t), Text: t, Cols: syntax.Names(s.Aliases)}
	v.Query, _ = pg.Inner(s.Query).(*pg.SelectStmt)
	l.createRelation(v, s.View, t)
}

// topSelect is a SELECT outside of functions, such as pg_dump's set_config.
func (l *Schema) topSelect(s *pg.SelectStmt, pos ir.Pos) {
	if l.Matters(l.RefsIn(s)) {
		l.Note(pos, "a SELECT outside of a transaction is left out; write a comment -- name: … before it if it is one")
		l.Runs.RunCalls(l.RefsIn(s), pos)
	}
}

// Matters reports whether a query depends on more than itself: on tables, or on
// functions that are not built in.
func (l *Schema) Matters(r *Refs) bool {
	matters := len(r.Tables) > 0
	for name := range l.Calls(r) {
		matters = matters || !l.Builtin(name).Known || len(l.LateFunctions(name)) > 0
	}
	return matters
}

func (l *Schema) createComposite(s *pg.CompositeTypeStmt, t *syntax.Text, pos ir.Pos) {
	u := &UserType{Pos: pos, Fields: []FieldDef{}}
	for _, n := range s.Coldeflist {
		d := pg.Inner(n).(*pg.ColumnDef)
		u.Fields = append(u.Fields, FieldDef{d.Colname, l.TypeOf(d.TypeName, t), l.DomainOf(d.TypeName, t), l.DomainsOf(d.TypeName, t)})
	}
	l.createType(u, append(syntax.NonEmpty(s.Typevar.Schemaname), s.Typevar.Relname), t)
}

func (l *Schema) createEnum(s *pg.CreateEnumStmt, t *syntax.Text, pos ir.Pos) {
	u := &UserType{Pos: pos, enum: true}
	l.createType(u, syntax.Names(s.TypeName), t)
	u.Base = TypeOfValues(&value.Type{Name: u.Key, Labels: append([]string{}, syntax.Names(s.Vals)...), Shown: typeIdentifier(u)})
}

// declaredOperator is an operator that CREATE OPERATOR declares, with its function.
type declaredOperator struct {
	fn    string
	names *Resolver
}

// createOperator records CREATE OPERATOR: what it calls may do anything.
func (l *Schema) createOperator(s *pg.DefineStmt, t *syntax.Text) {
	if s.Kind != pg.ObjectOperator {
		return
	}
	fn := ""
	for _, n := range s.Definition {
		d := pg.Inner(n).(*pg.DefElem)
		if t, ok := pg.Inner(d.Arg).(*pg.TypeName); ok && (d.Defname == "function" || d.Defname == "procedure") {
			fn = syntax.Qualified(syntax.Names(t.Names))
		}
	}
	name := syntax.OperatorName(s.Defnames)
	l.Operators[name] = append(l.Operators[name], declaredOperator{fn, DeclaredNames(t)})
}

// alterEnum adds or renames a label.
func (l *Schema) alterEnum(s *pg.AlterEnumStmt, t *syntax.Text) {
	u := l.Sees(t).Typ(syntax.Qualified(syntax.Names(s.TypeName)))
	if u == nil || !u.enum {
		return
	}
	labels := u.Base.Sql.Labels
	switch at := slices.Index(labels, s.NewValNeighbor); {
	case s.OldVal != "":
		if i := slices.Index(labels, s.OldVal); i >= 0 {
			labels[i] = s.NewVal
		}
	case slices.Contains(labels, s.NewVal):
	case at < 0:
		labels = append(labels, s.NewVal)
	case s.NewValIsAfter:
		labels = slices.Insert(labels, at+1, s.NewVal)
	default:
		labels = slices.Insert(labels, at, s.NewVal)
	}
	u.Base.Sql.Labels = labels // columns of the type share it
}

// typeIdentifier writes the name of a type in SQL.
func typeIdentifier(u *UserType) string {
	parts := []string{u.Schema(), u.Own()}
	if u.Schema() == syntax.PublicSchema {
		parts = parts[1:]
	}
	for i, p := range parts {
		parts[i] = `"` + strings.ReplaceAll(p, `"`, `""`) + `"`
	}
	return strings.Join(parts, ".")
}

func (l *Schema) createRule(s *pg.RuleStmt, t *syntax.Text, pos ir.Pos) {
	if tab := l.tableNamed(s.Relation, t); tab != nil {
		tab.Odd = "a rule (CREATE RULE)"
		for _, a := range s.Actions {
			tab.oddRefs = append(tab.oddRefs, l.DeclaredRefs(a, t))
		}
		l.Note(pos, "rule %s is not modelled: nor is any statement on %s", s.Rulename, tab.Name)
	}
}

// Runner reads what runs once, while the files are read, for what it does to the schema.
type Runner interface {
	// RunBlock reads a DO block.
	RunBlock(s *pg.DoStmt, n *syntax.Node)
	// RunCalls reads the functions that a statement calls.
	RunCalls(r *Refs, pos ir.Pos)
}

// Mentions reports whether some file has the word in it.
func (l *Schema) Mentions(word string) bool {
	return slices.ContainsFunc(l.Files, func(f input.File) bool { return strings.Contains(strings.ToLower(f.Text), word) })
}

// Unmodelled stops the translation of a statement that cannot be modelled.
type Unmodelled struct{ Reason string }
