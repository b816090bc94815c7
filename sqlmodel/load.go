package sqlmodel

import (
	"context"
	"fmt"
	"maps"
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

// File is an input file: Name appears in positions.
type File = input.File

// Options are what a caller may choose.
type Options struct {
	// Txns restricts the templates to these functions. They are templates
	// even if other functions call them.
	Txns []string
	// Schema is DDL that was found and not named, such as that of package
	// internal/schemafind. It is read before the files. What of it cannot be read
	// gives a note, and no statement on a table that it names is modelled; a table
	// that nobody declares is one of which nothing is known. Its functions are no
	// templates unless Txns names them, and its rows are no initial rows.
	Schema []File
	// MySQL says that the statements of a client program are in MySQL's dialect, and
	// MySQLFiles which of the files are. They are read as PostgreSQL would run them
	// (mysql.Postgres, mysql.Schema).
	MySQL      bool
	MySQLFiles []string
	// SearchPath is the search path with which sessions begin: schemas in the order in which names without one are
	// looked for. Nil is "$user", public, or what ALTER DATABASE or ALTER ROLE … SET in the files says. In the dialect of
	// MySQL its first schema is the database of the sessions.
	SearchPath []string
	// Before are files that Load reads before those of its paths.
	Before []File
	// Files reads the files of Load and those that these include; nil allows what
	// is in the directories of the paths. Without it, Parse takes no file from the
	// disk.
	Files *infile.Reader
}

// Load reads SQL files and directories (all *.sql in them, by name) as one
// application. Faults of the input are *ir.Error; a file that cannot be read
// is another error that names it.
func Load(ctx context.Context, paths []string, opt Options) (*ir.Program, error) {
	var err error
	if opt.Files, err = input.Reader(opt.Files, paths); err != nil {
		return nil, err
	}
	files, err := input.Read(ctx, opt.Files, paths, syntax.MaxFile, syntax.Smaller)
	if err != nil {
		return nil, err
	}
	in := opt.input(slices.Concat(opt.Before, files))
	in.ctx = ctx
	return parse(in)
}

// Parse reads the files, in order, as one application.
func Parse(files []File, opt Options) (*ir.Program, error) { return parse(opt.input(files)) }

// input is what the application of some files is read from.
func (o Options) input(files []File) Input {
	return Input{named: files, found: o.Schema, more: o.Files, txns: o.Txns, mysql: o.MySQL, mysqlFiles: o.MySQLFiles, searchPath: o.SearchPath}
}

func parse(in Input) (prog *ir.Program, err error) {
	defer input.Catch(&err)
	for {
		l, err := read(in)
		if err != nil {
			return nil, err
		}
		if err := l.translate(); err != nil {
			return nil, err
		}
		mended := l.mended()
		if len(mended) == 0 {
			return l.prog, l.finish()
		}
		in.mended = append(in.mended, mended...)
	}
}

// translate makes the transactions.
func (l *loader) translate() error {
	l.effects = map[string]*effect{} // all is declared
	entries, err := l.entries()
	if err != nil {
		return err
	}
	if len(entries) == 0 && !l.in.isProgram {
		return ir.Errorf(ir.Pos{File: l.Files[0].Name},
			"there is no transaction here; write each one as CREATE FUNCTION … LANGUAGE plpgsql or sql, or as BEGIN … COMMIT")
	}
	for _, fn := range entries {
		if err := l.ended(); err != nil {
			return err
		}
		txn := l.template(fn)
		if other := l.prog.Txn(txn.Name); other != nil {
			return ir.Errorf(fn.pos, "there is another transaction %s at %s; give one a name with a comment -- name: …", txn.Name, other.Pos)
		}
		if fn.program != nil {
			l.hold(txn, fn.program.txn.Mutexes)
		}
		l.prog.Txns = append(l.prog.Txns, txn)
	}
	return nil
}

// finish completes the program.
func (l *Schema) finish() error {
	l.somewhere()
	files := slices.Clone(l.Files)
	for _, name := range sortedNames(l.programFiles()) {
		files = append(files, File{Name: name})
	}
	l.undeclaredSchemas()
	l.circularViews()
	input.SortNotes(l.notes, files)
	l.prog.Notes = l.notes
	if p := l.standard.All; len(p) > 0 {
		l.prog.SearchPath = p[0]
	}
	l.tablesFirst()
	if !l.in.mysql {
		l.pathsOfFiles()
	}
	if err := ir.Check(l.prog); err != nil {
		return fmt.Errorf("internal error: the translation of the SQL is inconsistent: %w", err)
	}
	return nil
}

// somewhere declares a table where there is none, but some statement may touch
// any: two of them may touch the same.
func (l *Schema) somewhere() {
	any := false
	for _, txn := range l.prog.Txns {
		ir.Walk(txn.Body, func(s ir.Stmt) {
			u, ok := s.(*ir.Unmodelled)
			any = any || ok && u.Tables == nil
		})
	}
	if any && len(l.prog.Tables) == 0 {
		l.prog.Tables = []*ir.Table{{Name: "unknown", Rowid: true, Key: []int{0}, Columns: []ir.Column{{Name: "rowid", Type: ir.IntType, NotNull: true}}}}
	}
}

// read reads the files up to the tables and the declarations of functions.
func read(in Input) (l *loader, err error) {
	defer input.Catch(&err)
	schema, err := newSchema(in)
	if err != nil {
		return nil, err
	}
	l = &loader{Schema: schema}
	l.rowOfView = l.typeOfRows
	if err := l.readAll(); err != nil {
		return nil, err
	}
	l.finishTables()
	l.findEmptied()
	l.invariants()
	return l, nil
}

// Input is what an application is read from.
type Input struct {
	// found is DDL that was found and not named, and is read before the files that were named.
	found, named []File
	// more, if not nil, reads the files that these include.
	more *infile.Reader
	// txns are the functions that are templates, if they are chosen.
	txns []string
	// mysql says that the statements of a client program are in MySQL's dialect, and mysqlFiles
	// which files are.
	mysql      bool
	mysqlFiles []string
	// searchPath is that with which sessions begin, nil if the files say it.
	searchPath []string
	// ctx, if not nil, ends the reading.
	ctx context.Context
	// mended are foreign keys that are broken and mended before they are checked.
	mended []lateKey
	// program are the transactions of a client program, which isProgram says that
	// there is.
	program   []*client.Txn
	isProgram bool
	// aside are other transactions of it, which may create tables.
	aside []*client.Txn
}

// newSchema begins an application, of which readAll reads the declarations.
func newSchema(in Input) (*Schema, error) {
	foreign := &mysql.Schema{}
	found, named := in.fromMySQL(foreign, in.found), in.fromMySQL(foreign, in.named)
	all := slices.Concat(found, named)
	if len(all) == 0 && !in.isProgram {
		return nil, fmt.Errorf("no SQL file was given")
	}
	titled := named
	if len(titled) == 0 {
		titled = all
	}
	l := &Schema{
		FileSet:    &syntax.FileSet{Files: all, More: in.more, Ctx: in.ctx},
		unnamed:    len(found),
		foreign:    foreign,
		notes:      slices.Clone(foreign.Notes),
		prog:       &ir.Program{Name: programName(titled)},
		extensions: map[string]bool{},
		collations: map[string]bool{},
		in:         in,

		declarations: newDeclarations(),

		operators:  map[string][]declaredOperator{},
		castsTo:    map[string]bool{},
		indexNames: map[string]bool{},
		unread:     gaps{files: map[string]bool{}, words: map[string]ir.Pos{}},
	}
	l.FileSet.Note = l.note
	return l, nil
}

// readAll reads what the files, and the statements of a client program, declare.
func (l *Schema) readAll() error {
	l.startPaths()
	inside := l.Included()
	for i, f := range l.Files {
		if err := l.ended(); err != nil {
			return err
		}
		switch {
		case i < l.unnamed:
			l.unread.files[f.Name] = true
			if !inside[f.Name] {
				l.found(f)
			}
		case !inside[f.Name] || len(inside) == len(l.Files): // all of them only where they include each other
			l.file(f)
		}
	}
	for _, again := range l.postponed {
		again()
	}
	l.settlePaths()
	l.reorder()
	l.obscureNamed()
	if l.in.isProgram {
		l.scripts = nil // what the files do by themselves
		l.readProgram()
		l.programSchema()
		l.guess()
		if err := l.ended(); err != nil {
			return err
		}
	}
	for _, f := range slices.Concat(l.funcs, l.scripts, l.programs) {
		l.setsPath = l.setsPath || !f.refs.paths.Empty()
		l.makes(f)
		if !l.in.isProgram {
			l.unknownTables(l.insideOf(f, l.standard), f.refs, f.pos)
		}
		l.defers, l.sets, l.gets = l.defers || f.refs.defers, l.sets || f.refs.sets, l.gets || f.refs.gets
		l.locksTables = l.locksTables || f.refs.locksTables || f.refs.dynamic
	}
	return nil
}

// fromMySQL writes the files that are in MySQL's dialect in that of PostgreSQL.
func (in *Input) fromMySQL(s *mysql.Schema, files []File) []File {
	out := slices.Clone(files)
	for i, f := range out {
		if slices.Contains(in.mysqlFiles, f.Name) {
			out[i] = s.File(f)
		}
	}
	return out
}

// reorder puts the columns of tables of MySQL in their order, as FIRST and AFTER say.
func (l *Schema) reorder() {
	for _, t := range l.order {
		if order := l.foreign.Order[t.name]; order != nil {
			slices.SortStableFunc(t.columns, func(a, b *column) int { return slices.Index(order, a.name) - slices.Index(order, b.name) })
		}
	}
}

// programName is the name of a program with these files.
func programName(files []File) string {
	if len(files) == 0 {
		return "client"
	}
	return input.ProgramName(files)
}

// ended is the error of the context.
func (l *Schema) ended() error {
	if l.in.ctx == nil {
		return nil
	}
	return l.in.ctx.Err()
}

// loader translates what an application declares.
type loader struct {
	*Schema
	// ranges are the calls that make a range of two ends.
	ranges map[ir.Expr]madeRange
}

// Schema is what an application declares, while it is read.
type Schema struct {
	in Input
	*syntax.FileSet
	// unnamed is the number of the first files, which were found and not named.
	unnamed int
	declarations
	order []*table
	views []*view
	// foreign is what PostgreSQL cannot say of the files in MySQL's dialect.
	foreign *mysql.Schema
	// rowOfView gives the type of the rows of a view, nil if its query is not modelled: names
	// are resolved before queries are translated.
	rowOfView func(*view) *userType
	// limited are ORDER BY and LIMIT of statements that write.
	limited map[any]*pg.SelectStmt
	// ddl is the search path that declarations are read with, standard the one with which
	// sessions begin; late says what the names in transactions mean, which are resolved when they
	// run.
	ddl      sessionPath
	standard syntax.PathSet
	late     resolver
	// roles are the search paths that ALTER ROLE and ALTER DATABASE give sessions.
	roles []rolePath
	// privileges are those of functions that are declared later.
	privileges []defaultPrivilege
	// setsPath says that some function or transaction sets the search path.
	setsPath bool
	unread   gaps
	// castsTo are the types to which a cast is declared, indexNames the names of indexes.
	castsTo, indexNames map[string]bool
	defers              bool // some SET CONSTRAINTS exists
	sets                bool // some function changes settings of the session
	gets                bool // some function looks at one (current_setting)
	// locksTables says that some transaction may lock a whole table, so that even
	// queries may wait, and end in a deadlock.
	locksTables bool
	// effects are those of functions, once all is declared (tracer.known).
	effects map[string]*effect
	// emptied are the tables that TRUNCATE may empty for older snapshots, too.
	emptied map[string]bool
	// operators are those that CREATE OPERATOR declares, by their names without schemas.
	operators map[string][]declaredOperator
	// collations are those that are not deterministic.
	collations map[string]bool
	// extensions are those that CREATE EXTENSION makes.
	extensions map[string]bool
	// postponed are statements about tables that were not declared yet.
	postponed []func()
	funcs     []*function
	// scripts are the transactions that clients send statement by statement.
	scripts []*function
	// programs are the transactions of a client program.
	programs []*function
	facts    []fact
	notes    []ir.Note
	prog     *ir.Program
	// inDo says that the statement stands in a DO block.
	inDo bool
}

// fact is a stated invariant.
type fact struct {
	text *syntax.Text // with its prefix, the expression
	from []factSource
	pos  ir.Pos
}

func (l *Schema) fail(pos ir.Pos, format string, args ...any) { panic(ir.Errorf(pos, format, args...)) }

func (l *Schema) note(pos ir.Pos, format string, args ...any) {
	n := ir.Note{Pos: pos, Text: fmt.Sprintf(format, args...)}
	if !slices.Contains(l.notes, n) {
		l.notes = append(l.notes, n)
	}
}

// postpone puts off a declaration until all files are read. The search path is the one that is set now.
func (l *Schema) postpone(again func()) {
	ddl := l.ddl
	l.postponed = append(l.postponed, func() {
		l.ddl = ddl
		again()
	})
}

// premise records what is taken for granted, where it matters first.
func (l *Schema) premise(pos ir.Pos, text string) {
	if !slices.ContainsFunc(l.prog.Premises, func(n ir.Note) bool { return n.Text == text }) {
		l.prog.Premises = append(l.prog.Premises, ir.Note{Pos: pos, Text: text})
	}
}

// What a translation may take for granted.
const (
	oneTimeZone    = "all sessions have the time zone UTC"
	canonicalUUIDs = "the program gives UUIDs as the database prints them, in lower case with hyphens"
	equalDigits    = "numbers that are equal have equal texts: digits after the last one that is not 0 do not count"
)

// file reads a file, and those that it includes.
func (l *Schema) file(f File) {
	s := syntax.NewSession(l.FileSet)
	l.ddl = l.newSessionPath(s)
	u := &unitReader{l: l, s: s, file: f.Name}
	u.whole(s.Read(f))
	for _, src := range s.Srcs {
		l.comments(src)
	}
}

// tryStatement runs a statement. One that needs a table that a later file may
// declare gives an error, and can run again; other faults are final.
func (l *Schema) tryStatement(n *syntax.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*ir.Error)
			if !ok || !strings.HasPrefix(e.Msg, noTable) {
				panic(r)
			}
			if _, creates := pg.Inner(n.Raw.Stmt).(*pg.CreateStmt); creates {
				panic(r)
			}
			err = e
		}
	}()
	l.statement(n)
	return nil
}

// noTable begins the message of a statement about an unknown table.
const noTable = "there is no table "

// statement handles a statement outside of functions and transactions, and keeps it.
func (l *Schema) statement(n *syntax.Node) {
	l.apply(n)
	l.declared(n)
}

func (l *Schema) apply(n *syntax.Node) {
	t, pos := l.declaring(n.Text), n.Pos
	switch s := pg.Inner(n.Raw.Stmt).(type) {
	case *pg.CreateStmt, *pg.AlterTableStmt, *pg.IndexStmt, *pg.CreatePolicyStmt, *pg.CreateDomainStmt, *pg.ViewStmt, *pg.CreateTableAsStmt,
		*pg.RuleStmt, *pg.CreateTrigStmt, *pg.DefineStmt:
		l.callsOf(s.(pg.Message), t, pos)
	case pg.Message:
		l.rolesOf(s)
	}
	switch s := pg.Inner(n.Raw.Stmt).(type) {
	case *pg.CreateStmt:
		l.createTable(s, t)
	case *pg.AlterTableStmt:
		l.alterTable(s, t)
	case *pg.IndexStmt:
		l.index(s, t)
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
		v := &view{pos: pos, what: "a table made by a query", refs: l.declaredRefs(s.Query, t), rows: true}
		l.createRelation(v, s.Into.Rel, t)
		l.note(pos, "%s is made by a query: statements on it are not modelled", v.name)
	case *pg.CreateSeqStmt:
		l.createRelation(&view{pos: pos, what: sequenceView}, s.Sequence, t)
	case *pg.CreateForeignTable:
		l.createRelation(&view{pos: pos, what: "a foreign table", rows: true}, s.BaseStmt.Relation, t)
	case *pg.CreatePolicyStmt:
		if tab := l.tableNamed(s.Table, t); tab != nil {
			tab.policies = append(tab.policies, policy{s.PolicyName, l.declaredRefs(s, t)})
		}
	case *pg.RuleStmt:
		l.createRule(s, t, pos)
	case *pg.InsertStmt:
		l.initialRows(s, t, pos)
	case *pg.TransactionStmt:
		// The end of a transaction that only makes the schema.
	case *pg.UpdateStmt, *pg.DeleteStmt, *pg.MergeStmt:
		l.fail(pos, "a statement that changes rows outside of a transaction is not analysed; write BEGIN … COMMIT around it, or a comment -- name: … before it")
	case *pg.SelectStmt:
		l.setPath(s)
		l.topSelect(s, pos)
	case *pg.DoStmt:
		l.runOnce(s, n)
	case *pg.CallStmt:
		l.note(pos, "a CALL outside of a function runs once, when the schema is made: it is left out")
		l.forgetBodies(l.refsIn(s), pos)
	case *pg.CopyStmt:
		l.note(pos, "COPY is not read: its rows are no initial rows")
	case *pg.TruncateStmt:
		for _, n := range s.Relations {
			if tab := l.tableNamed(pg.Inner(n).(*pg.RangeVar), t); tab != nil {
				tab.inserts = nil
			}
		}
	case *pg.LockStmt:
		l.fail(pos, "LOCK TABLE outside of a transaction is not analysed; write BEGIN … COMMIT around the transaction")
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
		l.note(pos, "an operator, aggregate, type or the like that is declared here is not modelled")
	case *pg.CreateCastStmt:
		l.note(pos, "a cast that is declared here is not modelled: it is taken to read no tables")
		if s.Func != nil {
			l.castsTo[syntax.Qualified(syntax.Names(s.Targettype.Names))] = true
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
		l.note(pos, "an event trigger is left out: it does not run in transactions that only change rows")
	case *pg.VariableSetStmt, *pg.DiscardStmt:
		l.setPath(s)
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
		l.note(pos, "this statement is left out")
	}
}

// createView records a view, which is expanded where it is read.
func (l *Schema) createView(s *pg.ViewStmt, t *syntax.Text, pos ir.Pos) {
	v := &view{pos: pos, what: "a write of a view", refs: l.declaredRefs(s.Query, t), text: t, cols: syntax.Names(s.Aliases)}
	v.query, _ = pg.Inner(s.Query).(*pg.SelectStmt)
	l.createRelation(v, s.View, t)
}

// topSelect is a SELECT outside of functions, such as pg_dump's set_config.
func (l *Schema) topSelect(s *pg.SelectStmt, pos ir.Pos) {
	if l.matters(l.refsIn(s)) {
		l.note(pos, "a SELECT outside of a transaction is left out; write a comment -- name: … before it if it is one")
		l.forgetBodies(l.refsIn(s), pos)
	}
}

// runOnce reads a DO block, for what it does to the schema.
func (l *Schema) runOnce(s *pg.DoStmt, n *syntax.Node) {
	if !ddl.MatchString(n.SQLText()) {
		l.note(n.Pos, "a DO block runs once, when the schema is made: it is left out")
		var f *function
		if faultIn(func() { f = l.doFunction(s, n) }) == nil {
			l.forgetBodies(f.refs, n.Pos)
		}
		return
	}
	if !l.foundDo(s, n) {
		l.note(n.Pos, "this DO block changes the schema in a way that is not read: nothing is known of what it names")
		l.forget(n.Raw, n.Pos, n.SQLText())
	}
}

// forgetBodies gives up on what functions name that run once, or are called by those, and
// change the schema.
func (l *Schema) forgetBodies(r *refs, pos ir.Pos) {
	seen := map[*function]bool{}
	var visit func(r *refs)
	visit = func(r *refs) {
		for _, name := range slices.Sorted(maps.Keys(l.calls(r))) {
			for _, f := range l.lateFunctions(name) {
				if f.bodyText == nil || seen[f] {
					continue
				}
				seen[f] = true
				if ddl.MatchString(f.bodyText.SQL) {
					l.note(pos, "%s runs once and changes the schema: nothing is known of what it names", name)
					l.forget(nil, pos, f.bodyText.SQL)
				}
				if f.refs != nil {
					visit(f.refs)
				}
			}
		}
	}
	visit(r)
}

// matters reports whether a query depends on more than itself: on tables, or on
// functions that are not built in.
func (l *Schema) matters(r *refs) bool {
	matters := len(r.tables) > 0
	for name := range l.calls(r) {
		matters = matters || !l.builtin(name).known || len(l.lateFunctions(name)) > 0
	}
	return matters
}

func (l *Schema) createComposite(s *pg.CompositeTypeStmt, t *syntax.Text, pos ir.Pos) {
	u := &userType{pos: pos, fields: []fieldDef{}}
	for _, n := range s.Coldeflist {
		d := pg.Inner(n).(*pg.ColumnDef)
		u.fields = append(u.fields, fieldDef{d.Colname, l.typeOf(d.TypeName, t), l.domainOf(d.TypeName, t), l.domainsOf(d.TypeName, t)})
	}
	l.createType(u, append(syntax.NonEmpty(s.Typevar.Schemaname), s.Typevar.Relname), t)
}

func (l *Schema) createEnum(s *pg.CreateEnumStmt, t *syntax.Text, pos ir.Pos) {
	u := &userType{pos: pos, enum: true}
	l.createType(u, syntax.Names(s.TypeName), t)
	u.base = typeOfValues(&value.Type{Name: u.key, Labels: append([]string{}, syntax.Names(s.Vals)...), Shown: typeIdentifier(u)})
}

// declaredOperator is an operator that CREATE OPERATOR declares, with its function.
type declaredOperator struct {
	fn    string
	names *resolver
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
	l.operators[name] = append(l.operators[name], declaredOperator{fn, declaredNames(t)})
}

// alterEnum adds or renames a label.
func (l *Schema) alterEnum(s *pg.AlterEnumStmt, t *syntax.Text) {
	u := l.sees(t).typ(syntax.Qualified(syntax.Names(s.TypeName)))
	if u == nil || !u.enum {
		return
	}
	labels := u.base.sql.Labels
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
	u.base.sql.Labels = labels // columns of the type share it
}

// typeIdentifier writes the name of a type in SQL.
func typeIdentifier(u *userType) string {
	parts := []string{u.schema(), u.own()}
	if u.schema() == syntax.PublicSchema {
		parts = parts[1:]
	}
	for i, p := range parts {
		parts[i] = `"` + strings.ReplaceAll(p, `"`, `""`) + `"`
	}
	return strings.Join(parts, ".")
}

func (l *Schema) createRule(s *pg.RuleStmt, t *syntax.Text, pos ir.Pos) {
	if tab := l.tableNamed(s.Relation, t); tab != nil {
		tab.odd = "a rule (CREATE RULE)"
		for _, a := range s.Actions {
			tab.oddRefs = append(tab.oddRefs, l.declaredRefs(a, t))
		}
		l.note(pos, "rule %s is not modelled: nor is any statement on %s", s.Rulename, tab.name)
	}
}
