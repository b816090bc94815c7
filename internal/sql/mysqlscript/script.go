package mysqlscript

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ignore"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/mysql"
)

// Scripts is what the files of an application hold.
type Scripts struct {
	// Schema has read the declarations; Files are these, and the initial rows, in the dialect of PostgreSQL.
	Schema *mysql.Schema
	Files  []mysql.File
	// Declared are the declarations as they are written.
	Declared []ir.Declaration
	// Txns are the transactions that count, in order.
	Txns []*client.Txn
	// Ignores are the comments that accept findings about them.
	Ignores []*ir.Ignore
	Notes   []ir.Note
	// Sessions are what goes on in several transactions one after the other.
	Sessions []*Session

	// routines are the procedures and events, by name in lower case; order are these names as they were made. named counts
	// the transactions of each.
	routines map[string]*routine
	// functions are the stored functions, by name in lower case.
	functions map[string]*routine
	order     []string
	named     map[string]int
	calling   []calling
	// carrying are the files in which variables go from one transaction into another.
	carrying []*carrying
}

// ReadScripts reads SQL files as one application: declarations, transactions, and single statements that have a name or
// parameters. Faults of the input are *ir.Error.
func ReadScripts(files []mysql.File) (out *Scripts, err error) {
	defer func() { err = otherDialect(err, files) }()
	defer input.Catch(&err)
	s := &Scripts{Schema: &mysql.Schema{}}
	for _, f := range files {
		s.file(f)
	}
	s.procedures()
	s.sessions()
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
	stmts []*mysql.Statement
	fresh []string
	named bool
	// snapshot says that it begins WITH CONSISTENT SNAPSHOT.
	snapshot bool
	// alone says that it is one statement outside of transactions.
	alone bool
	// ignores are the comments that accept findings about it.
	ignores []*ir.Ignore
}

// reader reads the statements of a file one after the other.
type reader struct {
	*Scripts
	f    mysql.File
	base string // of the file's name
	// out is the text of the declarations and initial rows.
	out []mysql.Placed
	// open is the transaction that has begun, if there is one; count is how many there have been.
	open  *block
	count int
	// implicit says that statements begin transactions: SET autocommit = 0.
	implicit bool
	// loose says that a change of the schema has committed the transaction, so that each statement up to COMMIT is one.
	loose bool
	// settings says that there was a note about settings that are left out: a dump has many.
	settings bool
	// level is that of the session, next that of the next transaction, if it was set.
	level, next string
	// carried are the variables with what earlier transactions have read.
	carried carried
	// session are the statements of the file.
	session *carrying
	// name, fresh and ignores are what comments say of the next transaction, reading of the next procedure.
	name    string
	fresh   []string
	ignores []*ir.Ignore
	reading reading
}

// file reads the statements of a file.
func (s *Scripts) file(f mysql.File) {
	r := &reader{Scripts: s, f: f, carried: carried{}, base: strings.TrimSuffix(filepath.Base(f.Name), filepath.Ext(f.Name))}
	r.session = &carrying{name: filepath.Base(f.Name), units: map[*action][]string{}}
	src := mysql.NewSource(f)
	for _, st := range mysql.Cut(f) {
		if r.open != nil && r.implicit && slices.ContainsFunc(st.Comments, func(c mysql.Comment) bool { return strings.HasPrefix(c.Text, "name:") }) {
			r.end(false) // another transaction begins here
		}
		if r.open == nil {
			r.comments(st.Comments)
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
	if r.session.goes {
		s.carrying = append(s.carrying, r.session)
	}
	s.Files = append(s.Files, mysql.File{Name: f.Name, Text: mysql.Laid(src, r.out)})
}

// begin opens a transaction at a statement.
func (r *reader) begin(st *mysql.Statement) {
	r.open = &block{name: r.name, named: r.name != "", pos: st.Pos(), level: r.level, fresh: r.fresh, ignores: r.ignores}
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
		r.across(b.stmts, true)
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
	if b.calls(r.Scripts) {
		r.calling = append(r.calling, calling{t, b})
	} else {
		t = transaction(b)
	}
	r.Txns = append(r.Txns, t)
	for _, g := range b.ignores {
		g.From, g.To = b.pos, b.pos
		if n := len(b.stmts); n > 0 {
			last := b.stmts[n-1]
			g.To = last.Src.Pos(last.Tokens[len(last.Tokens)-1].To)
		}
		r.Ignores = append(r.Ignores, g)
	}
}

// comments reads what comments say of the transaction behind them.
func (r *reader) comments(list []mysql.Comment) {
	r.reading = both
	for _, c := range list {
		if n, ok := strings.CutPrefix(c.Text, "name:"); ok {
			words := strings.Fields(n)
			if len(words) == 0 {
				panic(ir.Errorf(c.Pos, "a name is missing after -- name:"))
			}
			r.name = words[0]
		}
		if n, ok := strings.CutPrefix(c.Text, "robust:"); ok {
			r.directive(c.Pos, strings.Join(strings.Fields(n), " "), n)
		}
		if n, ok := strings.CutPrefix(c.Text, "fresh:"); ok {
			for _, w := range strings.Split(n, ",") {
				r.fresh = append(r.fresh, strings.ToLower(strings.TrimSpace(w)))
			}
		}
	}
}

// directive reads a comment behind "robust:", with its words and as it is.
func (r *reader) directive(pos ir.Pos, words, text string) {
	if as, ok := readings[words]; ok {
		r.reading = as
		return
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "ignore")
	if !ok || words != "ignore" && !strings.HasPrefix(words, "ignore ") {
		r.note(pos, "the comment \"robust: %s\" is not understood; there are ignore, and before a procedure assume transaction, assume autocommit and helper", words)
		return
	}
	g, err := ignore.Parse(pos, rest)
	if err != nil {
		panic(err)
	}
	r.ignores = append(r.ignores, g)
}

// statement reads a statement that begins or ends a transaction, or is one of it, or stands outside.
func (r *reader) statement(st *mysql.Statement) {
	switch {
	case st.First("START", "TRANSACTION"), st.First("BEGIN") && (len(st.Tokens) == 1 || st.First("BEGIN", "WORK")):
		r.end(false)
		r.loose = false
		r.begin(st)
		r.open.snapshot = st.Has("CONSISTENT")
	case st.First("XA", "START"), st.First("XA", "BEGIN"):
		r.end(false)
		r.begin(st)
	case st.First("XA", "END"), st.First("XA", "PREPARE"), st.First("XA", "RECOVER"):
	case st.First("XA", "COMMIT"), st.First("XA", "ROLLBACK"):
		r.end(st.First("XA", "ROLLBACK"))
	case st.First("COMMIT"), st.First("ROLLBACK") && !st.Has("TO"):
		r.end(st.First("ROLLBACK"))
		r.loose = false
		if st.Has("CHAIN") && !st.Has("NO") {
			r.begin(st)
		}
	case st.First("SET") && st.Has("ISOLATION"):
		r.setLevel(st)
	case setsAutocommit.MatchString(st.Text()):
		if turnsOff(st) {
			r.implicit = true
		} else {
			r.end(false)
			r.implicit = false
		}
	case st.Tokens[0].Is("CREATE", "ALTER", "DROP", "RENAME", "TRUNCATE"):
		r.definition(st)
	case r.open != nil:
		r.open.stmts = append(r.open.stmts, st)
	case st.First("LOCK"):
		r.session.add([]*mysql.Statement{st}, false)
	case st.Tokens[0].Is("UNLOCK", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "ANALYZE", "OPTIMIZE", "GRANT", "REVOKE", "FLUSH", "CHECK"):
	case st.First("USE"):
		r.Schema.Passes(st)
	case st.First("SET") && r.name == "":
		r.across([]*mysql.Statement{st}, false)
		if !r.settings && (st.Has("sql_mode", "foreign_key_checks", "unique_checks") || strings.Contains(strings.ToLower(st.Text()), "_checks")) {
			r.settings = true
			r.note(st.Pos(), "this setting is left out: transactions are taken to run in strict mode, with keys checked")
		}
	case mysql.DML(st) || r.name != "":
		r.single(st)
	default:
		panic(ir.Errorf(st.Pos(), "%s is not a statement that is read here; remove it", st.Src.Text[st.Tokens[0].From:st.Tokens[0].To]))
	}
}

// setsAutocommit matches a change of autocommit, in all its spellings: SET @@session.autocommit = 0.
var setsAutocommit = regexp.MustCompile(`(?i)^\s*set\s+((session|local)\s+|@@((session|local)\s*\.\s*)?)?autocommit\b`)

// turnsOff reports whether a change of autocommit turns it off.
func turnsOff(st *mysql.Statement) bool {
	last := st.Tokens[len(st.Tokens)-1]
	return last.Is("OFF", "FALSE") || last.Text == "0"
}

// single reads a statement outside of transactions.
func (r *reader) single(st *mysql.Statement) {
	switch {
	case r.implicit:
		r.begin(st)
		r.open.stmts = append(r.open.stmts, st)
	case r.name == "" && !st.Parametric() && !r.loose:
		if mysql.ConstantRows(st) {
			r.rows(st)
			break
		}
		r.across([]*mysql.Statement{st}, false)
		r.note(st.Pos(), "a statement outside of transactions without parameters is left out; write a comment -- name: … before it if it is one")
	default:
		r.begin(st)
		b := r.open
		b.stmts, b.alone = append(b.stmts, st), true
		r.open = nil
		r.across(b.stmts, false)
		r.keep(b)
	}
}

// setLevel reads SET TRANSACTION ISOLATION LEVEL.
func (r *reader) setLevel(st *mysql.Statement) {
	level := mysql.LevelOf(st)
	switch {
	case r.open != nil:
		panic(ir.Errorf(st.Pos(), "the level of a transaction is set before it begins; move this before START TRANSACTION"))
	case st.Has("SESSION", "GLOBAL", "LOCAL"):
		r.level = level
	default:
		r.next = level
	}
}

// definition reads a statement that changes the schema. It commits.
func (r *reader) definition(st *mysql.Statement) {
	if r.open != nil {
		if len(r.open.stmts) > 0 {
			r.note(st.Pos(), "this statement commits the transaction that is open")
		} else if r.open.named {
			panic(ir.Errorf(st.Pos(), "this statement commits: it cannot stand in transaction %s", r.open.name))
		}
		r.end(false)
		r.loose = !r.implicit
	}
	if st.First("TRUNCATE") && (r.loose || r.name != "") {
		r.begin(st)
		b := r.open
		b.stmts, r.open = append(b.stmts, st), nil
		r.keep(b)
	}
	r.declare(st)
	r.name = ""
}

// declare takes over a declaration.
func (r *reader) declare(st *mysql.Statement) {
	if !st.Tokens[0].Is("TRUNCATE") && !(st.Tokens[0].Is("CREATE", "DROP", "ALTER") && st.Tokens[min(1, len(st.Tokens)-1)].Is("DATABASE", "SCHEMA", "USER", "ROLE", "SERVER")) {
		r.Declared = append(r.Declared, ir.Declaration{Pos: st.Pos(), Text: st.Plain()})
	}
	if what := st.RoutineWord(); what != "" && what != "TRIGGER" {
		r.routine(st, what)
		return
	}
	if st.First("DROP") && r.drop(st) {
		return
	}
	if r.Schema.Passes(st) {
		return
	}
	list, ok := r.Schema.Sequence(st)
	if !ok {
		list, ok = r.Schema.Translated(st)
	}
	if !ok && !st.Tokens[0].Is("TRUNCATE") {
		panic(r.unreadable(st))
	}
	if len(list) > 0 {
		list[len(list)-1].Out += ";"
	}
	r.out = append(r.out, list...)
}

// ofPostgres matches what texts of PostgreSQL have and those of MySQL do not: bodies of functions
// between dollars, casts with colons, words of declarations.
var ofPostgres = regexp.MustCompile(`(?i)\$[a-z_]*\$\s|\w::[a-z]|\b(plpgsql|bigserial|smallserial|jsonb|timestamptz|citext|without time zone|generated (always|by default) as identity)\b`)

// delimiter matches a command of MySQL's client: what stands between dollars then is no body.
var delimiter = regexp.MustCompile(`(?im)^\s*delimiter\s`)

// otherDialect adds to the error of a file in the dialect of PostgreSQL that it is that.
func otherDialect(err error, files []mysql.File) error {
	e, ok := errors.AsType[*ir.Error](err)
	if !ok || !slices.ContainsFunc(files, func(f mysql.File) bool {
		return f.Name == e.Pos.File && ofPostgres.MatchString(f.Text) && !delimiter.MatchString(f.Text)
	}) {
		return err
	}
	return ir.Errorf(e.Pos, "%s; this looks like SQL of PostgreSQL: leave -dialect mysql out", e.Msg)
}

// unreadable is the fault of a declaration that is not read.
func (r *reader) unreadable(st *mysql.Statement) *ir.Error {
	pos, what := st.Pos(), "this change of the schema is not read"
	if f := r.Schema.Fault; f != nil {
		pos, what = f.Pos, f.Msg
	}
	if ofPostgres.MatchString(st.Src.Text) {
		return ir.Errorf(pos, "%s", what)
	}
	return ir.Errorf(pos, "%s; write the schema as it is in the end", what)
}

// rows takes over an INSERT of initial rows.
func (r *reader) rows(st *mysql.Statement) {
	if mysql.ConstantRows(st) {
		r.out = append(r.out, mysql.Placed{At: st.Tokens[0].From, Out: mysql.Rewritten(st.Src.Text, st.Tokens) + ";"})
	}
}

// onlyRows reports whether an unnamed transaction only inserts constants.
func (r *reader) onlyRows(b *block) bool {
	return !b.named && !slices.ContainsFunc(b.stmts, func(st *mysql.Statement) bool { return !st.First("SET") && !mysql.ConstantRows(st) })
}
