package mysql

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ignore"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir"
)

// File is an input file: Name appears in positions.
type File = input.File

// Options are what a caller may choose.
type Options struct {
	// Txns restricts the templates to these transactions.
	Txns []string
	// SearchPath names the database of the sessions first, in which names without a database are looked for. Nil is the
	// one that is not named.
	SearchPath []string
	// Before are files that Load reads before those of its paths.
	Before []File
	// Files reads the files of Load; nil allows what is in the directories of the
	// paths.
	Files *infile.Reader
}

// maxFile is how large a file may be, in bytes.
const maxFile = 64 << 20

// Load reads SQL files and directories (all *.sql in them, by name) as one
// application. Faults of the input are *ir.Error; a file that cannot be read
// is another error that names it.
func Load(ctx context.Context, paths []string, opt Options) (*ir.Program, error) {
	var err error
	if opt.Files, err = input.Reader(opt.Files, paths); err != nil {
		return nil, err
	}
	files, err := input.Read(ctx, opt.Files, paths, maxFile, "leave out the rows")
	if err != nil {
		return nil, err
	}
	return Parse(slices.Concat(opt.Before, files), opt)
}

// loader holds an application while it is read.
type loader struct {
	prog   *ir.Program
	tables []*table
	views  []string // views and other things in the place of tables
	blocks []*block
	// triggers: there are some, which may write anything.
	triggers bool
	notes    []ir.Note
}

// block is a transaction as it stands in a file.
type block struct {
	name  string
	pos   ir.Pos
	level string
	stmts []*statement
	fresh []string
	// opaque says why nothing is known of it.
	opaque string
	// rolled: it ends by ROLLBACK.
	rolled bool
	named  bool
	// ignores are the comments that accept findings about it.
	ignores []*ir.Ignore
}

// Parse reads the files, in order, as one application.
func Parse(files []File, opt Options) (prog *ir.Program, err error) {
	if len(files) == 0 {
		return nil, fmt.Errorf("no SQL file was given")
	}
	defer input.Catch(&err)
	l := &loader{prog: &ir.Program{Name: input.ProgramName(files), MySQL: true}}
	for _, f := range files {
		l.file(f)
	}
	for _, t := range l.tables {
		l.finish(t)
	}
	for _, t := range l.tables {
		l.link(t)
	}
	for _, t := range l.tables {
		l.initial(t)
	}
	for _, b := range l.blocks {
		if b.rolled || len(opt.Txns) > 0 && !slices.Contains(opt.Txns, b.name) {
			continue
		}
		if o := l.prog.Txn(b.name); o != nil {
			return nil, ir.Errorf(b.pos, "there is another transaction %s at %s; give one a name with a comment -- name: …", b.name, o.Pos)
		}
		l.prog.Txns = append(l.prog.Txns, l.template(b))
		for _, g := range b.ignores {
			g.From, g.To = b.pos, b.pos
			if n := len(b.stmts); n > 0 {
				last := b.stmts[n-1]
				g.To = last.src.pos(last.tokens[len(last.tokens)-1].to)
			}
			l.prog.Ignores = append(l.prog.Ignores, g)
		}
	}
	for _, n := range opt.Txns {
		if l.prog.Txn(n) == nil {
			var all []string
			for _, b := range l.blocks {
				all = append(all, b.name)
			}
			return nil, fmt.Errorf("there is no transaction %s; there are: %s", n, strings.Join(all, ", "))
		}
	}
	if len(l.prog.Txns) == 0 {
		return nil, ir.Errorf(ir.Pos{File: files[0].Name}, "there is no transaction here; write each one as START TRANSACTION … COMMIT, or name a statement with a comment -- name: …")
	}
	input.SortNotes(l.notes, files)
	l.prog.Notes = l.notes
	if err := wellformed.Check(l.prog); err != nil {
		return nil, fmt.Errorf("internal error: the translation of the SQL is inconsistent: %w", err)
	}
	return l.prog, nil
}

func (l *loader) note(pos ir.Pos, format string, args ...any) {
	n := ir.Note{Pos: pos, Text: fmt.Sprintf(format, args...)}
	if !slices.Contains(l.notes, n) {
		l.notes = append(l.notes, n)
	}
}

// table finds a table; names differ in more than case.
func (l *loader) table(name string) *table {
	for _, t := range l.tables {
		if strings.EqualFold(t.name, name) {
			return t
		}
	}
	return nil
}

// reader reads the statements of a file one after the other.
type reader struct {
	*loader
	f    File
	base string // of the file's name
	// open is the transaction that has begun, if there is one; count is how many
	// there have been.
	open  *block
	count int
	// implicit says that statements begin transactions: SET autocommit = 0.
	implicit bool
	// level is that of the session, next that of the next transaction, if it was set.
	level, next string
	// name, fresh and ignores are what comments say of the next transaction.
	name    string
	fresh   []string
	ignores []*ir.Ignore
}

// file reads the statements of a file.
func (l *loader) file(f File) {
	r := &reader{loader: l, f: f, base: strings.TrimSuffix(filepath.Base(f.Name), filepath.Ext(f.Name))}
	for _, st := range cut(f) {
		if r.open == nil {
			r.comments(st.comments)
		}
		r.statement(st)
	}
	if r.open != nil && len(r.open.stmts) > 0 {
		if !r.implicit && !l.migration(r.open) {
			panic(ir.Errorf(r.open.pos, "this transaction does not end; write COMMIT or ROLLBACK"))
		}
		if r.implicit {
			l.note(r.open.pos, "the file ends before this transaction commits: it is left out")
		}
	}
}

// begin opens a transaction at a statement.
func (r *reader) begin(st *statement) {
	r.open = &block{name: r.name, named: r.name != "", pos: st.pos(), level: r.level, fresh: r.fresh, ignores: r.ignores}
	if r.next != "" {
		r.open.level = r.next
	}
	r.name, r.fresh, r.ignores, r.next = "", nil, nil, ""
}

// end closes the transaction that is open.
func (r *reader) end(rolled bool) {
	b := r.open
	r.open = nil
	if b == nil || len(b.stmts) == 0 && !b.named || r.migration(b) {
		return
	}
	if b.rolled = rolled; rolled {
		r.note(b.pos, "this transaction ends by ROLLBACK: it has no outcome and is left out")
	}
	r.keep(b)
}

// keep adds a transaction that has ended to those of the program.
func (r *reader) keep(b *block) {
	r.count++
	if !b.named {
		b.name = fmt.Sprintf("%s-%d", r.base, r.count)
	}
	r.blocks = append(r.blocks, b)
}

// comments reads what comments say of the transaction behind them.
func (r *reader) comments(list []comment) {
	for _, c := range list {
		if n, ok := strings.CutPrefix(c.text, "name:"); ok {
			words := strings.Fields(n)
			if len(words) == 0 {
				panic(ir.Errorf(c.pos, "a name is missing after -- name:"))
			}
			r.name = words[0]
		}
		if n, ok := strings.CutPrefix(c.text, "robust:"); ok && len(strings.Fields(n)) > 0 && strings.Fields(n)[0] == "ignore" {
			g, err := ignore.Parse(c.pos, strings.TrimPrefix(strings.TrimSpace(n), "ignore"))
			if err != nil {
				panic(err)
			}
			r.ignores = append(r.ignores, g)
		}
		if n, ok := strings.CutPrefix(c.text, "fresh:"); ok {
			for _, w := range strings.Split(n, ",") {
				r.fresh = append(r.fresh, strings.TrimSpace(w))
			}
		}
	}
}

// statement reads a statement that begins or ends a transaction, or is one of it, or
// stands outside.
func (r *reader) statement(st *statement) {
	switch {
	case st.first("START", "TRANSACTION"), st.first("BEGIN") && (len(st.tokens) == 1 || st.first("BEGIN", "WORK")):
		r.end(false)
		r.begin(st)
	case st.first("COMMIT"):
		r.end(false)
		if st.has("CHAIN") && !st.has("NO") {
			r.begin(st)
		}
	case st.first("ROLLBACK") && !st.has("TO"):
		r.end(true)
		if st.has("CHAIN") && !st.has("NO") {
			r.begin(st)
		}
	case st.first("SET") && st.has("ISOLATION"):
		r.setLevel(st)
	case st.first("SET") && st.has("AUTOCOMMIT"):
		if st.tokens[len(st.tokens)-1].is("OFF", "FALSE") || st.tokens[len(st.tokens)-1].text == "0" {
			r.implicit = true
		} else {
			r.end(false)
			r.implicit = false
		}
	case st.first("CREATE"), st.first("ALTER"), st.first("DROP"), st.first("RENAME"), st.first("TRUNCATE"):
		r.definition(st)
	case r.open != nil:
		r.open.stmts = append(r.open.stmts, st)
	case st.first("LOCK"), st.first("UNLOCK"), st.first("USE"), st.first("SHOW"), st.first("DESCRIBE"), st.first("DESC"), st.first("EXPLAIN"),
		st.first("ANALYZE"), st.first("OPTIMIZE"), st.first("GRANT"), st.first("REVOKE"), st.first("FLUSH"), st.first("CHECK"):
	case st.first("SET") && r.name == "":
		if st.has("sql_mode", "foreign_key_checks", "unique_checks") || strings.Contains(strings.ToLower(r.f.Text[st.tokens[0].from:st.tokens[len(st.tokens)-1].to]), "_checks") {
			r.note(st.pos(), "this setting is left out: transactions are taken to run in strict mode, with keys checked")
		}
	case r.implicit && dml(st) && r.name == "":
		r.begin(st)
		r.open.stmts = append(r.open.stmts, st)
	case dml(st) || r.name != "":
		if r.name == "" && !r.parametric(st) {
			r.alone(st)
			break
		}
		r.begin(st)
		b := r.open
		b.stmts = append(b.stmts, st)
		r.open = nil
		r.keep(b)
	default:
		panic(ir.Errorf(st.pos(), "%s is not a statement that is read here; remove it", st.src.text[st.tokens[0].from:st.tokens[0].to]))
	}
}

// setLevel reads SET TRANSACTION ISOLATION LEVEL.
func (r *reader) setLevel(st *statement) {
	level := levelOf(st)
	switch {
	case r.open != nil:
		panic(ir.Errorf(st.pos(), "the level of a transaction is set before it begins; move this before START TRANSACTION"))
	case st.has("SESSION", "GLOBAL", "LOCAL"):
		r.level = level
	default:
		r.next = level
	}
}

// definition reads a statement that changes the schema. It commits.
func (r *reader) definition(st *statement) {
	if r.open != nil {
		if len(r.open.stmts) > 0 {
			r.note(st.pos(), "this statement commits the transaction that is open")
		} else if r.open.named {
			panic(ir.Errorf(st.pos(), "this statement commits: it cannot stand in transaction %s", r.open.name))
		}
		r.end(false)
		if !r.implicit {
			r.begin(st)
			r.open.named = false
		}
	}
	r.declare(st)
	r.declared(st)
	r.name = ""
}

func levelOf(st *statement) string {
	var words []string
	for i, t := range st.tokens {
		if t.is("LEVEL") {
			for _, w := range st.tokens[i+1:] {
				if w.is(",") {
					break
				}
				words = append(words, strings.ToLower(w.text))
			}
		}
	}
	return strings.Join(words, " ")
}

func dml(st *statement) bool {
	return st.tokens[0].is("SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "CALL", "DO", "(", "VALUES", "TABLE", "LOAD", "HANDLER", "EXECUTE", "PREPARE")
}

// parametric reports whether the statement has parameters.
func (l *loader) parametric(st *statement) bool {
	return slices.ContainsFunc(st.tokens, func(t token) bool { return t.kind == mark || t.kind == named })
}

// alone handles a statement without a name, parameters or transaction.
func (l *loader) alone(st *statement) {
	if t := l.constantRows(st); t != nil {
		t.rows = append(t.rows, st)
		return
	}
	l.note(st.pos(), "a statement outside of transactions without parameters is left out; write a comment -- name: … before it if it is one")
}

// constantRows gives the table of an INSERT … VALUES without parameters.
func (l *loader) constantRows(st *statement) *table {
	if !st.first("INSERT") || l.parametric(st) || !st.has("VALUES", "VALUE") || st.has("SELECT") || st.has("DUPLICATE") {
		return nil
	}
	c := &cursor{st, 1}
	_ = c.accept("IGNORE")
	_ = c.accept("INTO")
	if !c.peek().isName() {
		return nil
	}
	return l.table(c.tableName())
}

// migration reports whether an unnamed transaction only inserts constants, and
// takes these for initial rows then.
func (l *loader) migration(b *block) bool {
	if b.named || len(b.stmts) == 0 {
		return len(b.stmts) == 0
	}
	for _, st := range b.stmts {
		if !st.first("SET") && l.constantRows(st) == nil {
			return false
		}
	}
	for _, st := range b.stmts {
		if t := l.constantRows(st); t != nil {
			t.rows = append(t.rows, st)
		}
	}
	l.note(b.pos, "a transaction that only inserts constants is taken for initial rows; write a comment -- name: … before it if it is one")
	return true
}

// declare runs DDL.
func (l *loader) declare(st *statement) {
	c := &cursor{st, 1}
	switch {
	case st.first("CREATE"):
		temporary := false
		for !c.done() && !c.peek().is("TABLE", "VIEW", "INDEX", "PROCEDURE", "FUNCTION", "TRIGGER", "EVENT", "DATABASE", "SCHEMA", "USER", "ROLE", "SEQUENCE", "SERVER", "TABLESPACE") {
			temporary = temporary || c.peek().is("TEMPORARY")
			c.i++
		}
		switch what := c.next(); {
		case what.is("TABLE"):
			l.createTable(c, temporary)
		case what.is("VIEW"), what.is("SEQUENCE"):
			_ = c.accept("IF", "NOT", "EXISTS")
			l.views = append(l.views, strings.ToLower(c.tableName()))
		case what.is("INDEX"):
			unique := st.has("UNIQUE")
			_ = c.accept("IF", "NOT", "EXISTS")
			pos := c.pos()
			name := c.name("an index")
			c.indexType()
			c.expect("ON")
			t := l.known(c)
			if unique {
				t.unique(name, pos, c)
			} else {
				t.index(c)
			}
		case what.is("PROCEDURE"), what.is("EVENT"):
			_ = c.accept("IF", "NOT", "EXISTS")
			pos := st.pos()
			l.blocks = append(l.blocks, &block{name: c.tableName(), pos: pos, opaque: "the body of a procedure or event"})
		case what.is("FUNCTION"):
			l.note(st.pos(), "the bodies of functions are not read: a statement that calls one is not modelled")
		case what.is("TRIGGER"):
			l.triggers = true
			l.note(st.pos(), "the bodies of triggers are not read: writes are not modelled")
		case what.is("DATABASE"), what.is("SCHEMA"), what.is("USER"), what.is("ROLE"), what.is("SERVER"), what.is("TABLESPACE"):
		default:
			panic(ir.Errorf(st.pos(), "what this creates is not known; remove the statement if no transaction needs it"))
		}
	case st.first("ALTER", "TABLE"), st.first("ALTER", "IGNORE", "TABLE"):
		_ = c.accept("IGNORE")
		c.accept("TABLE")
		l.alter(c)
	case st.first("DROP", "TABLE"), st.first("DROP", "TEMPORARY", "TABLE"):
		_ = c.accept("TEMPORARY")
		c.accept("TABLE")
		maybe := c.accept("IF", "EXISTS")
		for {
			pos, n := c.pos(), c.tableName()
			if t := l.table(n); t != nil {
				l.tables = slices.DeleteFunc(l.tables, func(u *table) bool { return u == t })
			} else if !maybe {
				panic(ir.Errorf(pos, "there is no table %s", n))
			}
			if !c.accept(",") {
				return
			}
		}
	case st.first("TRUNCATE"):
		_ = c.accept("TABLE")
		l.known(c).rows = nil
	case st.first("DROP"), st.first("ALTER", "DATABASE"), st.first("ALTER", "SCHEMA"), st.first("ALTER", "USER"):
		if c.accept("INDEX") {
			panic(ir.Errorf(st.pos(), "DROP INDEX is not read; leave the index out where it is declared"))
		}
	default:
		panic(ir.Errorf(st.pos(), "this change of the schema is not read; write the schema as it is in the end"))
	}
}

func (l *loader) known(c *cursor) *table {
	pos, n := c.pos(), c.tableName()
	t := l.table(n)
	if t == nil {
		panic(ir.Errorf(pos, "there is no table %s", n))
	}
	return t
}

// alter reads ALTER TABLE; what it does not know makes the table unknown.
func (l *loader) alter(c *cursor) {
	t := l.known(c)
	for !c.done() {
		pos := c.pos()
		switch {
		case c.accept("ADD"):
			_ = c.accept("COLUMN")
			if c.peek().is("(") {
				c.i++
				for {
					l.tableItem(t, c)
					if !c.accept(",") {
						break
					}
				}
				c.expect(")")
				break
			}
			l.tableItem(t, c)
		case c.accept("ENGINE"):
			c.i--
			l.tableOptions(t, c)
		case c.accept("AUTO_INCREMENT"), c.accept("COMMENT"):
			c.accept("=")
			c.i++
		case c.accept("DISABLE", "KEYS"), c.accept("ENABLE", "KEYS"):
		case c.accept("MODIFY"):
			_ = c.accept("COLUMN")
			fresh := &table{name: t.name}
			l.column(fresh, c)
			col := fresh.columns[0]
			old := t.column(col.name)
			if old == nil {
				panic(ir.Errorf(pos, "%s has no column %s", t.name, col.name))
			}
			*old = *col
			t.uniques, t.foreign = append(t.uniques, fresh.uniques...), append(t.foreign, fresh.foreign...)
			if fresh.primary != nil {
				t.primary = fresh.primary
			}
			if fresh.badWrite != "" {
				t.badWrite = fresh.badWrite
			}
		default:
			t.bad = "the table " + t.name + ", after a change that is not read"
			l.note(pos, "this change of %s is not read: statements about the table are not modelled", t.name)
			return
		}
		if !c.done() {
			c.expect(",")
		}
	}
}
