package sqlmodel

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/sql/schema"
)

// TestStatements says, for each statement of testdata/statements, what it
// reads, writes and locks, and who excludes it, and compares all of that with a
// real server that runs the statement:
//
//   - the rows that come back, and the rows afterwards, on the given rows and
//     after each of a number of changes of one row;
//   - that a change outside of what is read makes no difference;
//   - the row locks, by what another session can lock meanwhile, and the table
//     locks of pg_locks;
//   - whether it fails when somebody commits a change of one row after its
//     snapshot.
//
// The comments after a statement are what the model says; -update writes them.
func TestStatements(t *testing.T) {
	server := pgtest.Open(t)
	dir := filepath.Join("testdata", "statements")
	schema, err := os.ReadFile(filepath.Join(dir, "schema.sql"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, file := range files {
		if filepath.Base(file) == "schema.sql" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cases := statementCases(string(text))
		total += len(cases)
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sql"), func(t *testing.T) {
			t.Parallel()
			dsn := server.Database(t)
			server.Exec(t, dsn, string(schema))
			s := &statements{differ: differ{t: t, conn: server.Conn(t, dsn), other: server.Conn(t, dsn)}}
			s.load(string(schema), cases)
			out := firstLines(string(text))
			for _, c := range cases {
				c.got = s.check(c)
				if c.got != c.want && !*update {
					t.Errorf("%s\n--- the model says\n%s--- the file says\n%s", c.sql, c.got, c.want)
				}
				out += "\n" + c.sql + "\n" + c.got
			}
			if *update && !t.Failed() {
				if err := os.WriteFile(file, []byte(out), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%d statements, %d runs", len(cases), s.runs)
		})
	}
	if total < 300 {
		t.Errorf("there are only %d statements", total)
	}
}

// statementCase is a statement with what the file says of it.
type statementCase struct {
	sql, want, got string
	name           string // of its function
}

// statementCases splits a file at empty lines; comments after a statement are
// what is expected.
func statementCases(text string) []*statementCase {
	var out []*statementCase
	for _, part := range strings.Split(text, "\n\n") {
		c := &statementCase{}
		for _, line := range strings.Split(strings.TrimSpace(part), "\n") {
			if strings.HasPrefix(line, "--") {
				if c.sql != "" {
					c.want += line + "\n"
				}
				continue
			}
			c.sql += line + "\n"
		}
		if c.sql = strings.TrimSpace(c.sql); c.sql != "" {
			c.name = fmt.Sprintf("stmt_%d", len(out))
			out = append(out, c)
		}
	}
	return out
}

// firstLines gives the comment at the top of a file.
func firstLines(text string) string {
	var out string
	for _, line := range strings.SplitAfter(text, "\n") {
		if !strings.HasPrefix(line, "--") {
			return out
		}
		out += line
	}
	return out
}

// statements runs the statements of one file.
type statements struct {
	differ
	base    [][][]ir.Value // the rows of the schema, by table
	restore string         // SQL that brings them back
	changes []*change
}

// change is a change of one row by somebody else.
type change struct {
	name, sql string
	fn        string
	table     int
	key       string // printed
	cols      []string
	moved     []ir.Value // the row, if it gets another key
}

// load translates the statements, and the changes, with the schema.
func (s *statements) load(schemaName string, cases []*statementCase) {
	var fns strings.Builder
	for _, c := range cases {
		result := "void"
		first := strings.ToUpper(strings.Fields(strings.TrimLeft(c.sql, "("))[0])
		if first == "SELECT" || first == "VALUES" || first == "TABLE" || strings.Contains(c.sql, "RETURNING") && first != "WITH" ||
			first == "WITH" && !strings.Contains(c.sql, "INSERT INTO log") {
			result = "SETOF record"
		}
		fmt.Fprintf(&fns, "CREATE FUNCTION %s() RETURNS %s LANGUAGE sql AS $stmt$ %s $stmt$;\n", c.name, result, c.sql)
	}
	l, err := read(Options{}.input([]File{{Name: "schema.sql", Text: schemaName}}))
	if err != nil {
		s.t.Fatal(err)
	}
	s.l = l
	s.makeChanges()
	for _, c := range s.changes {
		fmt.Fprintf(&fns, "CREATE FUNCTION %s() RETURNS void LANGUAGE sql AS $stmt$ %s $stmt$;\n", c.fn, c.sql)
	}
	files := []File{{Name: "schema.sql", Text: schemaName}, {Name: "statements.sql", Text: fns.String()}}
	if s.l, err = read(Options{}.input(files)); err != nil {
		s.t.Fatal(err)
	}
	if s.prog, err = Parse(files, Options{}); err != nil {
		s.t.Fatal(err)
	}
	s.machine = interp.NewMachine(s.prog, engine.Postgres())
	s.machine.Trace = true
	var names []string
	for _, tab := range s.l.Order {
		names = append(names, tab.Name)
		s.base = append(s.base, s.read(tab))
	}
	for _, name := range slices.Backward(names) { // TRUNCATE would be much slower
		s.restore += "DELETE FROM " + name + ";"
	}
	for _, line := range strings.Split(schemaName, "\n") {
		if strings.HasPrefix(line, "INSERT") {
			s.restore += line
		}
	}
}

// makeChanges makes an update of each column that is no key, a deletion and a
// change of key for each row of the schema.
func (s *statements) makeChanges() {
	for i, tab := range s.l.Order {
		if tab.Key == nil {
			continue
		}
		for _, row := range s.read(tab) {
			var where, key []string
			for _, k := range tab.Key.Columns {
				v := sqlLiteral(row[tab.IR.Column(k)])
				where, key = append(where, k+" = "+v), append(key, v)
			}
			add := func(what, sql string, cols []string) {
				c := &change{name: what + " " + tab.Name + "(" + strings.Join(key, ",") + ")", table: i, key: strings.Join(key, ","), cols: cols,
					sql: sql + " WHERE " + strings.Join(where, " AND "), fn: fmt.Sprintf("change_%d", len(s.changes))}
				s.changes = append(s.changes, c)
			}
			for _, c := range tab.Columns {
				if c.Generated != nil || c.T.IR.Kind == ir.KindOpaque || slices.Contains(tab.Key.Columns, c.Name) {
					continue
				}
				v := "3"
				switch c.T.Name {
				case schema.NText:
					v = "'other'"
				case schema.NBool:
					v = "NOT " + c.Name
				case schema.NStamp, schema.NDate:
					v = "'2030-01-01'"
				case schema.NArray:
					v = "'{q}'"
				}
				if c.Name == "mood" {
					v = "'happy'"
				}
				if c.Name == "token" {
					v = "'33333333-3333-3333-3333-333333333333'"
				}
				if c.Name == "parent_id" || c.Name == "up" {
					v = "2"
				}
				add("update "+c.Name+" of", "UPDATE "+tab.Name+" SET "+c.Name+" = "+v, []string{c.Name})
			}
			add("delete", "DELETE FROM "+tab.Name, nil)
			if last := tab.Column(tab.Key.Columns[len(tab.Key.Columns)-1]); last.T.IR.Kind == ir.KindInt {
				add("move", "UPDATE "+tab.Name+" SET "+last.Name+" = 88", nil)
				moved := slices.Clone(row)
				moved[tab.IR.Column(last.Name)] = ir.Int(88)
				s.changes[len(s.changes)-1].moved = moved
			}
		}
	}
}

func sqlLiteral(v ir.Value) string {
	if v.Kind == ir.KindText {
		return "'" + v.S + "'"
	}
	return v.String()
}

func (s *statements) instance(fn string, id int) *interp.Instance {
	return &interp.Instance{Txn: s.prog.Txn(fn), ID: id, Havoc: anyOrderOnly}
}

// anyOrderOnly gives no value but the one of the orders of rows, all of which the interpreter tries itself.
func anyOrderOnly(h *ir.Havoc, _ int) (ir.Value, bool) {
	return ir.Null, strings.HasPrefix(h.Var, "any_order")
}

// check compares one statement with the server, and gives the model's words.
func (s *statements) check(c *statementCase) string {
	s.state = interp.NewDB(s.prog, s.base)
	run := s.only(c, s.state)
	if run == nil {
		s.compareSeveral(c)
		return "-- several outcomes\n"
	}
	w := &words{s: s, run: run, fails: run.Blocked}
	if w.fails == "" && run.Unmodelled == nil {
		_, w.fails = s.machine.Commit(run, s.state, nil)
	}
	w.footprint()
	near := s.near(c)
	if run.Unmodelled == nil {
		s.compareAlone(c, s.state, "")
		s.compareLocks(c, run, w)
	} else {
		s.compareUnmodelled(c, run)
	}
	for _, ch := range s.changes {
		if !near[ch.table] {
			continue
		}
		b := s.machine.Run(s.instance(ch.fn, 2), s.state, nil)
		after, why := s.machine.Commit(b, s.state, nil)
		if b.Unmodelled != nil || b.Blocked != "" || why != "" {
			continue
		}
		if run.Unmodelled == nil {
			s.compareAfter(c, run, ch, after)
		}
		s.compareConcurrent(c, run, ch, b, after, w)
	}
	return w.text()
}

// compareSeveral checks that the outcome of the server is one of the model's, on
// the given rows and after each change.
func (s *statements) compareSeveral(c *statementCase) {
	s.compareAlone(c, s.state, "")
	near := s.near(c)
	for _, ch := range s.changes {
		if !near[ch.table] {
			continue
		}
		b := s.machine.Run(s.instance(ch.fn, 2), s.state, nil)
		if after, why := s.machine.Commit(b, s.state, nil); b.Unmodelled == nil && b.Blocked == "" && why == "" {
			s.compareAlone(c, after, ch.sql)
		}
	}
}

// only gives the run of a statement, nil if there are several that differ. A row
// that may be skipped is not.
func (s *statements) only(c *statementCase, db *interp.DB) *interp.Run {
	in := s.instance(c.name, 1)
	in.Havoc = func(h *ir.Havoc, n int) (ir.Value, bool) {
		if h.Var == "taken" {
			return ir.Bool(true), true
		}
		return anyOrderOnly(h, n)
	}
	runs := slices.Collect(s.choices(in, db, true))
	for _, r := range runs[1:] {
		if r.Outputs != runs[0].Outputs || r.Blocked != runs[0].Blocked || r.After.String() != runs[0].After.String() {
			return nil
		}
	}
	return runs[0]
}

// near gives the tables that a statement may have to do with: its own, and
// those that foreign keys join to them.
func (s *statements) near(c *statementCase) map[int]bool {
	named := map[int]bool{}
	txn := s.prog.Txn(c.name)
	add := func(t *ir.Table) {
		if t != nil {
			named[s.prog.TableIndex(t)] = true
		}
	}
	ir.Walk(txn.Body, func(st ir.Stmt) {
		for _, src := range ir.Reads(st) {
			add(src.Table)
		}
		add(ir.Written(st))
		if u, ok := st.(*ir.Unmodelled); ok {
			for _, t := range u.Tables {
				add(t)
			}
		}
	})
	out := maps.Clone(named)
	for i, t := range s.prog.Tables {
		for _, fk := range t.ForeignKeys {
			ref := s.prog.TableIndex(fk.Ref)
			if named[i] {
				out[ref] = true
			}
			if named[ref] {
				out[i] = true
			}
		}
	}
	return out
}

// fnOf gives the function of a case.
func (s *statements) fnOf(c *statementCase) *schema.Function {
	for _, f := range s.l.Funcs {
		if f.Name == c.name {
			return f
		}
	}
	panic("no function " + c.name)
}

// onServer runs a statement in a transaction at REPEATABLE READ that has its
// snapshot, after between; it gives the outcome after COMMIT.
func (s *statements) onServer(c *statementCase, between func()) (string, error) {
	defer s.exec(s.restore)
	s.exec("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM pg_class LIMIT 1")
	between()
	rows, err := s.rows(c.sql)
	if err == nil {
		_, err = s.conn.Exec(context.Background(), "COMMIT")
	}
	s.runs++
	if err != nil {
		s.exec("ROLLBACK")
		return "", err
	}
	return s.serverOutcome(s.fnOf(c), rows), nil
}

// compareAlone runs a statement on the rows of db, which the server has too
// after the SQL given.
func (s *statements) compareAlone(c *statementCase, db *interp.DB, before string) {
	defer s.exec(s.restore)
	if before != "" {
		s.exec(before)
	}
	want, err := s.onServer(c, func() {})
	if before != "" {
		s.exec(s.restore)
	}
	var got []string
	for run := range s.choices(s.instance(c.name, 1), db, true) {
		why := run.Blocked
		after := db
		if why == "" {
			after, why = s.machine.Commit(run, db, nil)
		}
		if err != nil && mayFailAlone(run) {
			return
		}
		if (why != "") != (err != nil) {
			got = append(got, "fails: "+why)
			continue
		}
		if why != "" {
			return
		}
		run.After = after
		if got = append(got, s.outcome(run)); got[len(got)-1] == want {
			return
		}
	}
	s.t.Errorf("%s\nafter %s\n--- server (%v)\n%s\n--- model\n%s\n%s", c.sql, before, err, want, strings.Join(got, "\n--- or\n"), s.prog.Txn(c.name))
}

// mayFailAlone reports whether a run comes to an error that is left out.
func mayFailAlone(run *interp.Run) bool {
	return slices.ContainsFunc(run.Dropped, func(d interp.DroppedAt) bool { return d.Stmt.Kind == ir.ByError })
}

// compareAfter runs a statement after a change, and where the change is
// outside of what the statement reads and writes, expects the same rows.
func (s *statements) compareAfter(c *statementCase, run *interp.Run, ch *change, after *interp.DB) {
	s.compareAlone(c, after, ch.sql)
	if run.Blocked != "" {
		return
	}
	if again := s.only(c, after); again != nil && again.Outputs != run.Outputs && !s.concerns(run, ch) {
		s.t.Errorf("%s\ngives other rows after %s, which it is said not to read", c.sql, ch.name)
	}
}

// concerns reports whether what a run reads includes what a change changes.
func (s *statements) concerns(run *interp.Run, ch *change) bool {
	t := s.prog.Tables[ch.table]
	var old []ir.Value
	for _, row := range s.base[ch.table] {
		if s.keyText(t, row) == ch.key {
			old = row
		}
	}
	for i := range run.Reads {
		r := &run.Reads[i]
		if r.Table != ch.table {
			continue
		}
		if r.Matches(old) {
			if ch.cols == nil {
				return true
			}
			for _, name := range ch.cols {
				if k := t.Column(name); r.Cols[k] || r.Tested[k] {
					return true
				}
			}
		}
		if ch.moved != nil && r.Matches(ch.moved) {
			return true
		}
		for _, name := range ch.cols { // the row may match now
			if r.Tested[t.Column(name)] {
				return true
			}
		}
	}
	return false
}

// compareConcurrent commits a change after the snapshot of a statement.
func (s *statements) compareConcurrent(c *statementCase, run *interp.Run, ch *change, b *interp.Run, after *interp.DB, w *words) {
	want, err := s.onServer(c, func() {
		if _, err := s.other.Exec(context.Background(), ch.sql); err != nil {
			s.t.Fatalf("%s: %v", ch.sql, err)
		}
	})
	if run.Unmodelled != nil {
		return
	}
	var got []string
	for r := range s.choices(s.instance(c.name, 1), s.state, false) {
		why := r.Blocked
		last := after
		if why == "" {
			last, why = s.machine.Commit(r, after, []*interp.Run{b})
		}
		if (why != "") != (err != nil) {
			x := &interp.Execution{Txns: []interp.Committed{{Run: b}, {Run: r}}}
			if err != nil && len(s.machine.Doubts(x)) > 0 {
				return
			}
			got = append(got, "fails: "+why)
			continue
		}
		if why != "" {
			if w.fails == "" {
				w.excluded = append(w.excluded, ch.name)
			}
			return
		}
		r.After = last
		if got = append(got, s.outcome(r)); got[len(got)-1] == want {
			return
		}
	}
	s.t.Errorf("%s\nwith %s after its snapshot\n--- server (%v)\n%s\n--- model\n%s\n%s", c.sql, ch.name, err, want,
		strings.Join(got, "\n--- or\n"), s.prog.Txn(c.name))
}
