package mysql

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ignore"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/ir"
)

// File is an input file: Name appears in positions.
type File = input.File

// Scripts is what the files of an application hold.
type Scripts struct {
	// Schema has read the declarations; Files are these, and the initial rows, in the dialect of PostgreSQL.
	Schema *Schema
	Files  []File
	// Declared are the declarations as they are written.
	Declared []ir.Declaration
	// Txns are the transactions that count, in order.
	Txns []*client.Txn
	// Ignores are the comments that accept findings about them.
	Ignores []*ir.Ignore
	Notes   []ir.Note

	// routines are the procedures and events, by name in lower case; order are these names as they were made. named counts
	// the transactions of each.
	routines map[string]*routine
	order    []string
	named    map[string]int
	calling  []calling
}

// ReadScripts reads SQL files as one application: declarations, transactions, and single statements that have a name or
// parameters. Faults of the input are *ir.Error.
func ReadScripts(files []File) (out *Scripts, err error) {
	defer func() { err = otherDialect(err, files) }()
	defer input.Catch(&err)
	s := &Scripts{Schema: &Schema{}}
	for _, f := range files {
		s.file(f)
	}
	s.procedures()
	s.Notes = append(s.Notes, s.Schema.Notes...)
	return s, nil
}

func (s *Scripts) note(pos ir.Pos, format string, args ...any) {
	n := ir.Note{Pos: pos, Text: fmt.Sprintf(format, args...)}
	if !slices.Contains(s.Notes, n) {
		s.Notes = append(s.Notes, n)
	}
}

// block is a transaction as it stands in a file.
type block struct {
	name  string
	pos   ir.Pos
	level string
	stmts []*statement
	fresh []string
	named bool
	// snapshot says that it begins WITH CONSISTENT SNAPSHOT.
	snapshot bool
	// ignores are the comments that accept findings about it.
	ignores []*ir.Ignore
}

// reader reads the statements of a file one after the other.
type reader struct {
	*Scripts
	f    File
	base string // of the file's name
	// out is the text of the declarations and initial rows.
	out []placed
	// open is the transaction that has begun, if there is one; count is how many there have been.
	open  *block
	count int
	// implicit says that statements begin transactions: SET autocommit = 0.
	implicit bool
	// level is that of the session, next that of the next transaction, if it was set.
	level, next string
	// carried are the variables with what earlier transactions have read.
	carried carried
	// name, fresh and ignores are what comments say of the next transaction.
	name    string
	fresh   []string
	ignores []*ir.Ignore
}

// file reads the statements of a file.
func (s *Scripts) file(f File) {
	r := &reader{Scripts: s, f: f, carried: carried{}, base: strings.TrimSuffix(filepath.Base(f.Name), filepath.Ext(f.Name))}
	src := newSource(f)
	for _, st := range cut(f) {
		if r.open != nil && r.implicit && slices.ContainsFunc(st.comments, func(c comment) bool { return strings.HasPrefix(c.text, "name:") }) {
			r.end(false) // another transaction begins here
		}
		if r.open == nil {
			r.comments(st.comments)
		}
		r.statement(st)
	}
	if r.open != nil && len(r.open.stmts) > 0 {
		switch {
		case r.implicit && !r.open.named:
			r.note(r.open.pos, "the file ends before this transaction commits: it is left out")
		case !r.implicit && !r.onlyRows(r.open):
			panic(ir.Errorf(r.open.pos, "this transaction does not end; write COMMIT or ROLLBACK"))
		default:
			r.end(false)
		}
	}
	s.Files = append(s.Files, File{Name: f.Name, Text: laid(src, r.out)})
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
	if b != nil {
		r.across(b.stmts)
	}
	switch {
	case b == nil || len(b.stmts) == 0 && !b.named:
	case r.onlyRows(b):
		for _, st := range b.stmts {
			r.rows(st)
		}
		if len(b.stmts) > 0 {
			r.note(b.pos, "a transaction that only inserts constants is taken for initial rows; write a comment -- name: … before it if it is one")
		}
	case rolled:
		r.count++
		r.note(b.pos, "this transaction ends by ROLLBACK: it has no outcome and is left out")
	default:
		r.keep(b)
	}
}

// keep adds a transaction that has ended to those of the program.
func (r *reader) keep(b *block) {
	r.count++
	if !b.named {
		b.name = fmt.Sprintf("%s-%d", r.base, r.count)
	}
	t := &client.Txn{Pos: b.pos, Name: b.name}
	if b.calls() {
		r.calling = append(r.calling, calling{t, b})
	} else {
		t = transaction(b)
	}
	r.Txns = append(r.Txns, t)
	for _, g := range b.ignores {
		g.From, g.To = b.pos, b.pos
		if n := len(b.stmts); n > 0 {
			last := b.stmts[n-1]
			g.To = last.src.pos(last.tokens[len(last.tokens)-1].to)
		}
		r.Ignores = append(r.Ignores, g)
	}
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
				r.fresh = append(r.fresh, strings.ToLower(strings.TrimSpace(w)))
			}
		}
	}
}

// statement reads a statement that begins or ends a transaction, or is one of it, or stands outside.
func (r *reader) statement(st *statement) {
	switch {
	case st.first("START", "TRANSACTION"), st.first("BEGIN") && (len(st.tokens) == 1 || st.first("BEGIN", "WORK")):
		r.end(false)
		r.begin(st)
		r.open.snapshot = st.has("CONSISTENT")
	case st.first("COMMIT"), st.first("ROLLBACK") && !st.has("TO"):
		r.end(st.first("ROLLBACK"))
		if st.has("CHAIN") && !st.has("NO") {
			r.begin(st)
		}
	case st.first("SET") && st.has("ISOLATION"):
		r.setLevel(st)
	case setsAutocommit.MatchString(st.text()):
		if st.tokens[len(st.tokens)-1].is("OFF", "FALSE") || st.tokens[len(st.tokens)-1].text == "0" {
			r.implicit = true
		} else {
			r.end(false)
			r.implicit = false
		}
	case st.tokens[0].is("CREATE", "ALTER", "DROP", "RENAME", "TRUNCATE"):
		r.definition(st)
	case r.open != nil:
		r.open.stmts = append(r.open.stmts, st)
	case st.tokens[0].is("LOCK", "UNLOCK", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "ANALYZE", "OPTIMIZE", "GRANT", "REVOKE", "FLUSH", "CHECK"):
	case st.first("USE"):
		r.Schema.passes(st)
	case st.first("SET") && r.name == "":
		r.across([]*statement{st})
		if st.has("sql_mode", "foreign_key_checks", "unique_checks") || strings.Contains(strings.ToLower(st.text()), "_checks") {
			r.note(st.pos(), "this setting is left out: transactions are taken to run in strict mode, with keys checked")
		}
	case dml(st) || r.name != "":
		r.single(st)
	default:
		panic(ir.Errorf(st.pos(), "%s is not a statement that is read here; remove it", st.src.text[st.tokens[0].from:st.tokens[0].to]))
	}
}

// setsAutocommit matches a change of autocommit, in all its spellings: SET @@session.autocommit = 0.
var setsAutocommit = regexp.MustCompile(`(?i)^\s*set\s+((session|local)\s+|@@((session|local)\s*\.\s*)?)?autocommit\b`)

// single reads a statement outside of transactions.
func (r *reader) single(st *statement) {
	switch {
	case r.implicit:
		r.begin(st)
		r.open.stmts = append(r.open.stmts, st)
	case r.name == "" && !st.parametric():
		if constantRows(st) {
			r.rows(st)
			break
		}
		r.across([]*statement{st})
		r.note(st.pos(), "a statement outside of transactions without parameters is left out; write a comment -- name: … before it if it is one")
	default:
		r.begin(st)
		b := r.open
		b.stmts = append(b.stmts, st)
		r.open = nil
		r.across(b.stmts)
		r.keep(b)
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
	r.name = ""
}

// declare takes over a declaration.
func (r *reader) declare(st *statement) {
	if !st.tokens[0].is("TRUNCATE") && !(st.tokens[0].is("CREATE", "DROP", "ALTER") && st.tokens[min(1, len(st.tokens)-1)].is("DATABASE", "SCHEMA", "USER", "ROLE", "SERVER")) &&
		!st.first("CREATE", "TRIGGER") {
		r.Declared = append(r.Declared, ir.Declaration{Pos: st.pos(), Text: st.text()})
	}
	if what := st.routineWord(); what != "" && what != "TRIGGER" {
		r.routine(st, what)
		return
	}
	if st.first("DROP") && r.drop(st) {
		return
	}
	if r.Schema.passes(st) {
		return
	}
	list, ok := r.Schema.translated(st)
	if !ok && !st.tokens[0].is("TRUNCATE") {
		panic(r.unreadable(st))
	}
	if len(list) > 0 {
		list[len(list)-1].out += ";"
	}
	r.out = append(r.out, list...)
}

// ofPostgres matches what texts of PostgreSQL have and those of MySQL do not: bodies of functions
// between dollars, casts with colons, words of declarations.
var ofPostgres = regexp.MustCompile(`(?i)\$[a-z_]*\$\s|\w::[a-z]|\b(plpgsql|bigserial|smallserial|jsonb|timestamptz|citext|without time zone|generated (always|by default) as identity)\b`)

// otherDialect adds to the error of a file in the dialect of PostgreSQL that it is that.
func otherDialect(err error, files []File) error {
	e, ok := errors.AsType[*ir.Error](err)
	if !ok || !slices.ContainsFunc(files, func(f File) bool { return f.Name == e.Pos.File && ofPostgres.MatchString(f.Text) }) {
		return err
	}
	return ir.Errorf(e.Pos, "%s; this looks like SQL of PostgreSQL: leave -dialect mysql out", e.Msg)
}

// unreadable is the fault of a declaration that is not read.
func (r *reader) unreadable(st *statement) *ir.Error {
	pos, what := st.pos(), "this change of the schema is not read"
	if f := r.Schema.fault; f != nil {
		pos, what = f.Pos, f.Msg
	}
	if ofPostgres.MatchString(st.src.text) {
		return ir.Errorf(pos, "%s", what)
	}
	return ir.Errorf(pos, "%s; write the schema as it is in the end", what)
}

// rows takes over an INSERT of initial rows.
func (r *reader) rows(st *statement) {
	if constantRows(st) {
		r.out = append(r.out, placed{st.tokens[0].from, rewritten(st.src.text, st.tokens) + ";"})
	}
}

// onlyRows reports whether an unnamed transaction only inserts constants.
func (r *reader) onlyRows(b *block) bool {
	return !b.named && !slices.ContainsFunc(b.stmts, func(st *statement) bool { return !st.first("SET") && !constantRows(st) })
}

// constantRows reports whether a statement is an INSERT … VALUES without parameters.
func constantRows(st *statement) bool {
	return st.first("INSERT") && !st.parametric() && st.has("VALUES", "VALUE") && !st.has("SELECT", "DUPLICATE")
}

// parametric reports whether the statement has parameters.
func (st *statement) parametric() bool {
	return slices.ContainsFunc(st.tokens, func(t token) bool { return t.kind == mark || t.kind == named })
}

// text is the statement as it is written.
func (st *statement) text() string {
	return st.src.text[st.tokens[0].from:st.tokens[len(st.tokens)-1].to]
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
