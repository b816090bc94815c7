package schema

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
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
	// Newer are foreign keys, by table and name, to partitioned tables that get other keys.
	Newer [][2]string
	// Program are the transactions of a client program, which IsProgram says that
	// there is.
	Program   []*client.Txn
	IsProgram bool
	// Scripts says that the transactions stand in the files: what these do not declare is a fault. Foreign is what their
	// dialect says besides, if it is not that of PostgreSQL.
	Scripts bool
	Foreign *mysql.Schema
	// Trace, if not nil, is told what the translation does (internal/sql/trace). Sessions, if not nil, asks for templates of sessions (sqlmodel.Options).
	Trace    func(phase string, at ir.Pos, text string)
	Sessions func(template string, from, to ir.Pos, units []string)
	// Aside are other transactions of it, which may create tables.
	Aside []*client.Txn
}

// NewSchema begins an application, of which ReadAll reads the declarations.
func NewSchema(in Input) (*Schema, error) {
	foreign := in.Foreign
	if foreign == nil {
		foreign = &mysql.Schema{}
	}
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
		Extensions: map[string]bool{},
		Collations: map[string]bool{},
		In:         in,

		Declarations: newDeclarations(),

		Operators:  map[string][]DeclaredOperator{},
		CastsTo:    map[string]bool{},
		IndexNames: map[string]bool{},
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

// programName is the name of a program with these files.
func programName(files []input.File) string {
	if len(files) == 0 {
		return "client"
	}
	return input.ProgramName(files)
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
	// Path is the search path that declarations are read with, standard the one with which
	// sessions begin; late says what the names in transactions mean, which are resolved when they
	// run.
	Path     sessionPath
	Standard syntax.PathSet
	Late     Resolver
	// Roles are the search paths that ALTER ROLE and ALTER DATABASE give sessions.
	Roles []RolePath
	// Privileges are those of functions that are declared later.
	Privileges []DefaultPrivilege
	// SetsPath says that some function or transaction sets the search path.
	SetsPath bool
	Unread   gaps
	// CastsTo are the types to which a cast is declared, IndexNames the names of indexes.
	CastsTo, IndexNames map[string]bool
	Defers              bool // some SET CONSTRAINTS exists
	Sets                bool // some function changes settings of the session
	Gets                bool // some function looks at one (current_setting)
	// LocksTables says that some transaction may lock a whole table, so that even
	// queries may wait, and end in a deadlock.
	LocksTables bool
	// Effects are those of functions, once all is declared (Tracer.known).
	Effects map[string]*Effect
	// Emptied are the tables that TRUNCATE may empty for older snapshots, too.
	Emptied map[string]bool
	// Operators are those that CREATE OPERATOR declares, by their names without schemas.
	Operators map[string][]DeclaredOperator
	// Collations are those that are not deterministic.
	Collations map[string]bool
	// Extensions are those that CREATE EXTENSION makes.
	Extensions map[string]bool
	// Postponed are statements about tables that were not declared yet.
	Postponed []func()
	Funcs     []*Function
	// Scripts are the transactions that clients send statement by statement.
	Scripts []*Function
	// Programs are the transactions of a client program.
	Programs []*Function
	Facts    []Fact
	Notes    []ir.Note
	Prog     *ir.Program
	// InDo says that the statement stands in a DO block.
	InDo bool
}

// Fact is a stated invariant.
type Fact struct {
	Text *syntax.Text // with its prefix, the expression
	From []FactSource
	Pos  ir.Pos
}

// Postpone puts off a declaration until all files are read. The search path is the one that is set now.
func (l *Schema) Postpone(again func()) {
	ddl := l.Path
	l.Postponed = append(l.Postponed, func() {
		l.Path = ddl
		again()
	})
}

// NoTable begins the message of a statement about an unknown table.
const NoTable = "there is no table "

// Matters reports whether a query depends on more than itself: on tables, or on
// functions that are not built in.
func (l *Schema) Matters(r *Refs) bool {
	matters := len(r.Tables) > 0
	for name := range l.Calls(r) {
		matters = matters || !l.Builtin(name).Known || len(l.LateFunctions(name)) > 0
	}
	return matters
}

// DeclaredOperator is an operator that CREATE OPERATOR declares, with its function.
type DeclaredOperator struct {
	Fn    string
	Names *Resolver
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

// gaps collects what is not known of a schema that was found (Options.Schema).
// A statement that cannot be read may have done anything to what it names: a
// table that it names is one of which no statement is modelled, which may touch
// all tables, since there may be a trigger on it or it may be a view.
type gaps struct {
	// Files are the names of the files of the schema.
	Files map[string]bool
	// Words are the names in statements that were not read, in lower case, with
	// the place of the first such statement.
	Words map[string]ir.Pos
}

// notRead is what such a table is called.
const notRead = "a table of which the schema was not read"

// Catch turns the panic of a fault of the input into an error. It must be
// deferred.
func (l *Schema) Catch(err *error) {
	if r := recover(); r != nil {
		e, ok := r.(*ir.Error)
		if !ok {
			panic(r)
		}
		*err = e
	}
}

// NoteError makes a note of a fault of the input, at its place if it has one.
func (l *Schema) NoteError(pos ir.Pos, err error, what string) {
	msg := err.Error()
	if e, ok := errors.AsType[*ir.Error](err); ok {
		msg = e.Msg
		if e.Pos.IsValid() {
			pos = e.Pos
		}
	}
	l.Note(pos, "%s, and nothing is known of what it names: %s", what, msg)
}

// Obscure makes no statement on a table modelled.
func (t *Table) Obscure() { t.Odd, t.OddAll = notRead, true }

// Tolerate runs f, which completes a table. A fault gives up on the table, and on
// others, if it is one of a schema that was found.
func (l *Schema) Tolerate(t *Table, f func(), others ...*Table) (ok bool) {
	if !l.Unread.Files[t.Pos.File] {
		f()
		return true
	}
	var err error
	func() {
		defer l.Catch(&err)
		f()
	}()
	if err == nil {
		return true
	}
	l.NoteError(t.Pos, err, "no statement on "+t.Name+" is modelled")
	for _, o := range append(others, t) {
		o.Obscure()
	}
	return false
}

// AlterForeignKey is ALTER CONSTRAINT, which only foreign keys have: when they are checked,
// and whether.
func (t *Table) AlterForeignKey(c *pg.ATAlterConstraint) {
	for _, f := range t.Foreign {
		if f.Name != c.Conname {
			continue
		}
		if c.AlterDeferrability {
			f.Deferred, f.Deferrable = c.Initdeferred, c.Deferrable
		}
		if c.AlterEnforceability {
			f.Unproven = !c.IsEnforced
		}
	}
}

// DropIndex drops a unique index, with the hidden columns for its expressions.
func (t *Table) DropIndex(name string) {
	for _, u := range t.Uniques {
		if u.Name == name {
			t.Indexed = Without(t.Indexed, func(c *Column) bool { return slices.Contains(u.Columns, c.Name) })
		}
	}
	t.Uniques = Without(t.Uniques, func(u *UniqueKey) bool { return u.Name == name })
}

// FormerName is a name that a column had until some moment.
type FormerName struct {
	Name  string
	Until moment
}

// NameAt gives the name of a column at a moment; there is false where it did not exist then.
func (c *Column) NameAt(m moment) (name string, there bool) {
	for _, f := range c.Was {
		if m < f.Until {
			return f.Name, c.Since <= m
		}
	}
	return c.Name, c.Since <= m
}

// RenameTrigger gives a trigger another name, by which the order changes in which triggers fire.
func (t *Table) RenameTrigger(from, to string) {
	for _, g := range slices.Concat(t.Triggers, t.Disabled) {
		if g.Name == from {
			g.Name = to
		}
	}
	t.SortTriggers()
}

// FactSource is "table alias" after "for" in a stated invariant.
type FactSource struct {
	Table, Alias string
	Pos          ir.Pos
}
