package sqlmodel

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/client"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel/internal/input"
	"github.com/txrobust/robust/sqlmodel/internal/pg"
	"github.com/txrobust/robust/sqlmodel/mysql"
	"github.com/txrobust/robust/sqlmodel/value"
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
	// Before are files that Load reads before those of its paths.
	Before []File
	// Files reads the files of Load and those that these include; nil allows what
	// is in the directories of the paths. Without it, Parse takes no file from the
	// disk.
	Files *infile.Reader
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

// Load reads SQL files and directories (all *.sql in them, by name) as one
// application. Faults of the input are *ir.Error; a file that cannot be read
// is another error that names it.
func Load(ctx context.Context, paths []string, opt Options) (*ir.Program, error) {
	var err error
	if opt.Files, err = input.Reader(opt.Files, paths); err != nil {
		return nil, err
	}
	files, err := input.Read(ctx, opt.Files, paths, maxFile, smaller)
	if err != nil {
		return nil, err
	}
	opt.ctx = ctx
	return Parse(slices.Concat(opt.Before, files), opt)
}

// Parse reads the files, in order, as one application.
func Parse(files []File, opt Options) (prog *ir.Program, err error) {
	defer input.Catch(&err)
	for {
		l, err := read(files, opt)
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
		opt.mended = append(opt.mended, mended...)
	}
}

// translate makes the transactions.
func (l *loader) translate() error {
	entries, err := l.entries()
	if err != nil {
		return err
	}
	if len(entries) == 0 && !l.opt.isProgram {
		return ir.Errorf(ir.Pos{File: l.files[0].Name},
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
func (l *loader) finish() error {
	l.somewhere()
	files := slices.Clone(l.files)
	for _, name := range sortedNames(l.programFiles()) {
		files = append(files, File{Name: name})
	}
	input.SortNotes(l.notes, files)
	l.prog.Notes, l.prog.SearchPath = l.notes, l.path
	l.tablesFirst()
	if err := ir.Check(l.prog); err != nil {
		return fmt.Errorf("internal error: the translation of the SQL is inconsistent: %w", err)
	}
	return nil
}

// somewhere declares a table where there is none, but some statement may touch
// any: two of them may touch the same.
func (l *loader) somewhere() {
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
func read(files []File, opt Options) (l *loader, err error) {
	all := slices.Concat(opt.Schema, files)
	if len(all) == 0 && !opt.isProgram {
		return nil, fmt.Errorf("no SQL file was given")
	}
	named := files
	if len(named) == 0 {
		named = all
	}
	defer input.Catch(&err)
	foreign := &mysql.Schema{}
	schema, files := fromMySQL(foreign, opt, opt.Schema), fromMySQL(foreign, opt, files)
	all = slices.Concat(schema, files)
	l = &loader{
		files:      all,
		foreign:    foreign,
		notes:      slices.Clone(foreign.Notes),
		prog:       &ir.Program{Name: programName(named)},
		tables:     map[string]*table{},
		dropped:    map[string]bool{},
		views:      map[string]*view{},
		types:      map[string]*userType{},
		extensions: map[string]bool{},
		collations: map[string]bool{},
		opt:        opt,

		operators: map[string]string{},
		unread:    gaps{files: map[string]bool{}, words: map[string]ir.Pos{}},
	}
	inside := l.included()
	for _, f := range schema {
		if err := l.ended(); err != nil {
			return nil, err
		}
		l.unread.files[f.Name] = true
		if !inside[f.Name] {
			l.found(f)
		}
	}
	for _, f := range files {
		if err := l.ended(); err != nil {
			return nil, err
		}
		if !inside[f.Name] || len(inside) == len(all) { // all of them only where they include each other
			l.file(f)
		}
	}
	for _, again := range l.postponed {
		again()
	}
	l.reorder()
	l.obscureNamed()
	if opt.isProgram {
		l.scripts = nil // what the files do by themselves
		l.readProgram()
		l.programSchema()
		l.guess()
		if err := l.ended(); err != nil {
			return nil, err
		}
	}
	for _, f := range slices.Concat(l.funcs, l.scripts, l.programs) {
		for _, name := range slices.Sorted(maps.Keys(f.refs.made)) {
			if l.table(name) == nil && l.views[name] == nil {
				l.views[name] = &view{pos: f.pos, what: "a table that a function creates", rows: f.refs.made[name]}
			}
		}
		if !opt.isProgram {
			l.unknownTables(f.refs, f.pos)
		}
		l.defers, l.sets = l.defers || f.refs.defers, l.sets || f.refs.sets
		l.locksTables = l.locksTables || f.refs.locksTables || f.refs.dynamic
	}
	l.finishTables()
	l.findEmptied()
	l.invariants()
	return l, nil
}

// fromMySQL writes the files that are in MySQL's dialect in that of PostgreSQL.
func fromMySQL(s *mysql.Schema, opt Options, files []File) []File {
	out := slices.Clone(files)
	for i, f := range out {
		if slices.Contains(opt.MySQLFiles, f.Name) {
			out[i] = s.File(f)
		}
	}
	return out
}

// reorder puts the columns of tables of MySQL in their order, as FIRST and AFTER say.
func (l *loader) reorder() {
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
func (l *loader) ended() error {
	if l.opt.ctx == nil {
		return nil
	}
	return l.opt.ctx.Err()
}

// loader holds an application while it is read.
type loader struct {
	opt    Options
	files  []File
	tables map[string]*table
	order  []*table
	// foreign is what PostgreSQL cannot say of the files in MySQL's dialect.
	foreign *mysql.Schema
	// limited are ORDER BY and LIMIT of statements that write.
	limited map[any]*pg.SelectStmt
	// dropped are the names of tables that were there once.
	dropped map[string]bool
	views   map[string]*view
	path    []string // schemas that a SET search_path names
	size    int      // bytes of SQL read
	unread  gaps
	defers  bool // some SET CONSTRAINTS exists
	sets    bool // some function changes settings of the session
	// locksTables says that some transaction may lock a whole table, so that even
	// queries may wait, and end in a deadlock.
	locksTables bool
	// emptied are the tables that TRUNCATE may empty for older snapshots, too.
	emptied map[string]bool
	// operators are those that CREATE OPERATOR declares, with their functions.
	operators map[string]string
	// collations are those that are not deterministic.
	collations map[string]bool
	// extensions are those that CREATE EXTENSION makes.
	extensions map[string]bool
	// postponed are statements about tables that were not declared yet.
	postponed []func()
	types     map[string]*userType
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
	// ranges are the calls that make a range of two ends.
	ranges map[*ir.Call]madeRange
}

// fact is a stated invariant.
type fact struct {
	text *text // with its prefix, the expression
	from []factSource
	pos  ir.Pos
}

func (l *loader) fail(pos ir.Pos, format string, args ...any) { panic(ir.Errorf(pos, format, args...)) }

func (l *loader) note(pos ir.Pos, format string, args ...any) {
	n := ir.Note{Pos: pos, Text: fmt.Sprintf(format, args...)}
	if !slices.Contains(l.notes, n) {
		l.notes = append(l.notes, n)
	}
}

// premise records what is taken for granted, where it matters first.
func (l *loader) premise(pos ir.Pos, text string) {
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
func (l *loader) file(f File) {
	s := l.newSession()
	u := &unitReader{l: l, s: s, file: f.Name}
	u.whole(s.read(f))
	for _, src := range s.srcs {
		l.comments(src)
	}
}

// tryStatement runs a statement. One that needs a table that a later file may
// declare gives an error, and can run again; other faults are final.
func (l *loader) tryStatement(n *node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*ir.Error)
			if !ok || !strings.HasPrefix(e.Msg, noTable) {
				panic(r)
			}
			if _, creates := pg.Inner(n.raw.Stmt).(*pg.CreateStmt); creates {
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
func (l *loader) statement(n *node) {
	l.apply(n)
	l.declared(n)
}

func (l *loader) apply(n *node) {
	t, pos := n.text, n.pos
	switch s := pg.Inner(n.raw.Stmt).(type) {
	case *pg.CreateStmt:
		l.createTable(s, t)
	case *pg.AlterTableStmt:
		l.alterTable(s, t)
	case *pg.IndexStmt:
		l.index(s, t)
	case *pg.DropStmt:
		l.drop(s)
	case *pg.RenameStmt:
		l.rename(s, t)
	case *pg.CreateFunctionStmt:
		l.createFunction(s, t, n.first)
	case *pg.CreateTrigStmt:
		l.createTrigger(s, t, pos)
	case *pg.CompositeTypeStmt:
		l.createComposite(s, t, pos)
	case *pg.CreateEnumStmt:
		l.createEnum(s, pos)
	case *pg.CreateDomainStmt:
		l.createDomain(s, t, pos)
	case *pg.ViewStmt:
		l.createView(s, t, pos)
	case *pg.CreateTableAsStmt:
		name := rangeName(s.Into.Rel)
		l.views[name] = &view{pos: pos, what: "a table made by a query", reads: append(l.tablesIn(s.Query), name), rows: true}
		l.note(pos, "%s is made by a query: statements on it are not modelled", name)
	case *pg.CreateSeqStmt:
		l.views[rangeName(s.Sequence)] = &view{pos: pos, what: "a sequence, read as a table", reads: nil}
	case *pg.CreateForeignTable:
		name := rangeName(s.BaseStmt.Relation)
		l.views[name] = &view{pos: pos, what: "a foreign table", reads: []string{name}, rows: true}
	case *pg.CreatePolicyStmt:
		if tab := l.table(rangeName(s.Table)); tab != nil {
			tab.policies = append(tab.policies, s)
		}
	case *pg.RuleStmt:
		l.createRule(s, pos)
	case *pg.InsertStmt:
		l.initialRows(s, t, pos)
	case *pg.TransactionStmt:
		// The end of a transaction that only makes the schema.
	case *pg.UpdateStmt, *pg.DeleteStmt, *pg.MergeStmt:
		l.fail(pos, "a statement that changes rows outside of a transaction is not analysed; write BEGIN … COMMIT around it, or a comment -- name: … before it")
	case *pg.SelectStmt:
		l.topSelect(s, pos)
	case *pg.DoStmt:
		l.note(pos, "a DO block runs once, when the schema is made: it is left out")
	case *pg.CallStmt:
		l.note(pos, "a CALL outside of a function runs once, when the schema is made: it is left out")
	case *pg.CopyStmt:
		l.note(pos, "COPY is not read: its rows are no initial rows")
	case *pg.TruncateStmt:
		for _, n := range s.Relations {
			if tab := l.table(rangeName(pg.Inner(n).(*pg.RangeVar))); tab != nil {
				tab.inserts = nil
			}
		}
	case *pg.LockStmt:
		l.fail(pos, "LOCK TABLE outside of a transaction is not analysed; write BEGIN … COMMIT around the transaction")
	case *pg.CreateExtension:
		l.extensions[s.Extname] = true
	case *pg.AlterEnumStmt:
		l.alterEnum(s)
	case *pg.AlterFunctionStmt:
		l.alterFunction(s)
	case *pg.DefineStmt:
		if s.Kind == pg.ObjectCollation {
			l.createCollation(s)
			break
		}
		l.createOperator(s)
		l.note(pos, "an operator, aggregate, type or the like that is declared here is not modelled")
	case *pg.CreateCastStmt:
		l.note(pos, "a cast that is declared here is not modelled: it is taken to read no tables")
	case *pg.AlterObjectSchema:
		l.note(pos, "SET SCHEMA is left out: the object keeps its name here")
	case *pg.CreateEventTrigStmt:
		l.note(pos, "an event trigger is left out: it does not run in transactions that only change rows")
	case *pg.VariableSetStmt:
		l.searchPath(s)
	case *pg.VariableShow, *pg.CommentStmt, *pg.GrantStmt, *pg.GrantRoleStmt, *pg.AlterDefaultPriv,
		*pg.AlterExtensionStmt, *pg.CreateSchemaStmt, *pg.AlterOwnerStmt, *pg.CreateRoleStmt,
		*pg.AlterRoleStmt, *pg.AlterRoleSetStmt, *pg.AlterDatabaseSet, *pg.CreateStatsStmt, *pg.VacuumStmt,
		*pg.CreateDatabase, *pg.DropDatabase, *pg.CheckPointStmt, *pg.DiscardStmt,
		*pg.AlterSeqStmt, *pg.ReindexStmt, *pg.ClusterStmt, *pg.CreatePublication, *pg.SecLabelStmt,
		*pg.AlterObjectDepends, *pg.ExplainStmt, *pg.NotifyStmt, *pg.ListenStmt, *pg.ConstraintsSet:
		// They change no value and no constraint.
	default:
		l.note(pos, "this statement is left out")
	}
}

// createView records a view, which is expanded where it is read.
func (l *loader) createView(s *pg.ViewStmt, t *text, pos ir.Pos) {
	v := &view{pos: pos, what: "a write of a view", reads: l.tablesIn(s.Query), text: t, cols: names(s.Aliases), locks: l.refsIn(s.Query).locks}
	v.query, _ = pg.Inner(s.Query).(*pg.SelectStmt)
	l.views[rangeName(s.View)] = v
}

// searchPath takes over SET search_path.
func (l *loader) searchPath(s *pg.VariableSetStmt) {
	if s.Name != "search_path" {
		return
	}
	for _, n := range s.Args {
		c, ok := pg.Inner(n).(*pg.A_Const)
		if name := c.GetSval().GetSval(); ok && name != "" && name != "public" && !slices.Contains(l.path, name) {
			l.path = append(l.path, name)
		}
	}
}

// topSelect is a SELECT outside of functions, such as pg_dump's set_config.
func (l *loader) topSelect(s *pg.SelectStmt, pos ir.Pos) {
	if l.matters(l.refsIn(s)) {
		l.note(pos, "a SELECT outside of a transaction is left out; write a comment -- name: … before it if it is one")
	}
}

// matters reports whether a query depends on more than itself: on tables, or on
// functions that are not built in.
func (l *loader) matters(r *refs) bool {
	matters := len(r.tables) > 0
	for name := range r.calls {
		matters = matters || !l.builtin(name).known || len(l.lookup(name)) > 0
	}
	return matters
}

func (l *loader) createComposite(s *pg.CompositeTypeStmt, t *text, pos ir.Pos) {
	u := &userType{pos: pos, fields: []fieldDef{}}
	for _, n := range s.Coldeflist {
		d := pg.Inner(n).(*pg.ColumnDef)
		u.fields = append(u.fields, fieldDef{d.Colname, l.typeOf(d.TypeName, t)})
	}
	l.types[rangeName(s.Typevar)] = u
}

// createOperator records CREATE OPERATOR: what it calls may do anything.
func (l *loader) createOperator(s *pg.DefineStmt) {
	if s.Kind != pg.ObjectOperator {
		return
	}
	fn := ""
	for _, n := range s.Definition {
		d := pg.Inner(n).(*pg.DefElem)
		if t, ok := pg.Inner(d.Arg).(*pg.TypeName); ok && (d.Defname == "function" || d.Defname == "procedure") {
			fn = qualified(names(t.Names))
		}
	}
	l.operators[qualified(names(s.Defnames))] = fn
}

func (l *loader) createEnum(s *pg.CreateEnumStmt, pos ir.Pos) {
	name := qualified(names(s.TypeName))
	t := &value.Type{Name: name, Labels: append([]string{}, names(s.Vals)...), Shown: typeIdentifier(name)}
	l.types[name] = &userType{pos: pos, base: typeOfValues(t), enum: true}
}

// alterEnum adds or renames a label.
func (l *loader) alterEnum(s *pg.AlterEnumStmt) {
	u := l.types[qualified(names(s.TypeName))]
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
func typeIdentifier(name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		parts[i] = `"` + strings.ReplaceAll(p, `"`, `""`) + `"`
	}
	return strings.Join(parts, ".")
}

func (l *loader) createDomain(s *pg.CreateDomainStmt, t *text, pos ir.Pos) {
	u := &userType{pos: pos, base: l.typeOf(s.TypeName, t), text: t}
	for _, n := range s.Constraints {
		switch pg.Inner(n).(*pg.Constraint).Contype {
		case pg.ConstrNotNull:
			u.notNull = true
		case pg.ConstrCheck:
			u.checks = append(u.checks, pg.Inner(n).(*pg.Constraint).RawExpr)
		}
	}
	l.types[qualified(names(s.Domainname))] = u
}

func (l *loader) createRule(s *pg.RuleStmt, pos ir.Pos) {
	if tab := l.table(rangeName(s.Relation)); tab != nil {
		tab.odd = "a rule (CREATE RULE)"
		for _, a := range s.Actions {
			tab.oddTables = append(tab.oddTables, l.tablesIn(a)...)
		}
		l.note(pos, "rule %s is not modelled: nor is any statement on %s", s.Rulename, tab.name)
	}
}
