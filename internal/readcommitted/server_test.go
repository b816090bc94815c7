package readcommitted_test

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/sqlmodel"
)

var onServer = testprog.RandomFlags(12)

const serverSchema = `CREATE TABLE acct (id int PRIMARY KEY, v int NOT NULL, u int UNIQUE);
CREATE TABLE item (id int PRIMARY KEY, acct int REFERENCES acct, n int NOT NULL);
`

// functionText makes a function of random commands, each on a line of its own.
func functionText(r *rand.Rand, name string) string {
	of := func(list ...string) string { return list[r.Intn(len(list))] }
	command := func() string {
		return of(
			"SELECT v INTO a FROM acct WHERE id = p"+of("", "", " FOR UPDATE", " FOR NO KEY UPDATE", " FOR SHARE", " FOR KEY SHARE"),
			"SELECT count(*) INTO b FROM acct WHERE v > 0",
			"SELECT sum(n) INTO b FROM item WHERE acct = "+of("p", "q"),
			"UPDATE acct SET v = coalesce(a, 0) + 1 WHERE id = "+of("p", "q"),
			"UPDATE acct SET v = v + 1 WHERE id = "+of("p", "q"),
			"UPDATE acct SET v = v + 1 WHERE v > 0",
			"UPDATE acct SET v = (SELECT count(*) FROM item) WHERE id = p",
			"UPDATE acct SET u = q WHERE id = p",
			"UPDATE acct SET v = v + (SELECT count(*) FROM item WHERE n > 0) WHERE id = "+of("p", "q")+of("", " RETURNING v INTO a"),
			"UPDATE acct SET v = v + 1 WHERE v "+of("> 0", "< 2", "= 1")+of(" AND EXISTS (SELECT 1 FROM item WHERE item.acct = q)", " AND NOT EXISTS (SELECT 1 FROM item WHERE item.acct = acct.id)"),
			"SELECT id INTO a FROM acct "+of("WHERE v > 0 ", "")+"ORDER BY v"+of("", " DESC")+", id LIMIT 1 FOR UPDATE",
			"SELECT (SELECT count(*) FROM item) INTO b FROM acct WHERE id = p FOR UPDATE",
			"DELETE FROM acct WHERE v > 1 AND id = p RETURNING v INTO a",
			"WITH i AS (INSERT INTO acct VALUES (p, 2, NULL) ON CONFLICT DO NOTHING RETURNING v) SELECT v INTO a FROM i UNION ALL SELECT v FROM acct WHERE id = p",
			"DELETE FROM acct WHERE id = "+of("p", "q"),
			"DELETE FROM item WHERE acct = p",
			"INSERT INTO acct VALUES (p, 1, "+of("NULL", "q")+")"+of("", " ON CONFLICT DO NOTHING", " ON CONFLICT (id) DO UPDATE SET v = acct.v + 1"),
			"INSERT INTO item VALUES (p, q, 1)"+of("", " ON CONFLICT DO NOTHING"),
			"INSERT INTO item SELECT v + 5, id, 2 FROM acct WHERE id = p",
			"UPDATE item SET acct = q WHERE id = p",
			"LOCK TABLE "+of("acct", "item")+" IN "+of("SHARE", "ROW EXCLUSIVE")+" MODE",
		) + ";\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE FUNCTION %s(p int, q int) RETURNS int LANGUAGE plpgsql AS $$\nDECLARE a int; b int;\nBEGIN\n", name)
	for range 2 + r.Intn(2) {
		if r.Intn(5) == 0 {
			b.WriteString("IF coalesce(a, b, 0) > 0 THEN\n" + command() + "END IF;\n")
			continue
		}
		b.WriteString(command())
	}
	b.WriteString("RETURN coalesce(a, -1) * 100 + coalesce(b, -1);\nEND $$;\n")
	return b.String()
}

// pausing gives the function with a wait for the advisory lock 7001 before a line
// of the text; line 0 is none.
func pausing(text, name string, line int) string {
	lines := strings.Split(text, "\n")
	if line > 0 {
		lines[line-1] = "PERFORM pg_advisory_xact_lock(7001);\n" + lines[line-1]
	}
	begin := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "CREATE FUNCTION "+name+"(") })
	end := begin + slices.Index(lines[begin:], "END $$;")
	return strings.Replace(strings.Join(lines[begin:end+1], "\n"), "CREATE FUNCTION "+name, "CREATE OR REPLACE FUNCTION paused", 1)
}

// rowsOf writes rows as the server does.
func rowsOf(p *ir.Program, db *interp.DB) string {
	out := ""
	for i, t := range p.Tables {
		var rows []string
		for _, r := range db.Rows(i) {
			rows = append(rows, strings.ReplaceAll(strings.Trim(fmt.Sprint(r), "[]"), "null", "NULL"))
		}
		slices.Sort(rows)
		out += fmt.Sprintln(t.Name, rows)
	}
	return out
}

// returned is what a run returned to its client.
func returned(r *interp.Run) string {
	for _, s := range r.Steps {
		if _, ok := s.Stmt.(*ir.Emit); ok {
			return s.Emitted[0][0].String()
		}
	}
	return "nothing"
}

// server runs executions at READ COMMITTED on a real one.
type server struct {
	*pgtest.Server
	dsn  string
	conn *pgx.Conn
	p    *ir.Program
	text string
	// waits says that a function waits for the other one, and is not interrupted by it.
	waits bool
}

// play runs a function that another one interrupts, and gives what was observed,
// and whether the other one waited or something failed.
func (s *server) play(t *testing.T, x *interp.Execution, init *interp.DB) (seen string, fault string) {
	t.Helper()
	a, b := x.Txns[1].Run.Inst, x.Txns[0].Run.Inst
	split, line := x.Txns[1].Split, 0
	if split.Stmt != nil {
		line = split.Stmt.Position().Line
	}
	sql := []string{"TRUNCATE acct, item", pausing(s.text, a.Txn.Name, line)}
	for i, table := range s.p.Tables {
		for _, r := range init.Rows(i) {
			sql = append(sql, fmt.Sprintf("INSERT INTO %s VALUES (%s)", table.Name, strings.ReplaceAll(strings.Trim(fmt.Sprint(r), "[]"), " ", ", ")))
		}
	}
	for _, q := range sql {
		if _, err := s.conn.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	call := func(name string, in *interp.Instance) string {
		return fmt.Sprintf("SELECT %s(%s, %s)", name, in.Params[0], in.Params[1])
	}
	sch := pgtest.Schedule{Level: pgtest.ReadCommitted}
	order, ofA, ofB := [][2]string{{"D", "SELECT pg_advisory_lock(7001)"}, {"A", "BEGIN"}, {"A", call("paused", a)}, {"B", "BEGIN"}, {"B", call(b.Txn.Name, b)}, {"B", "COMMIT"},
		{"D", "SELECT pg_advisory_unlock(7001)"}, {"A", "COMMIT"}}, 2, 4
	if split.Waits {
		order, ofA, ofB = [][2]string{{"A", "BEGIN"}, {"B", "BEGIN"}, {"B", call(b.Txn.Name, b)}, {"A", call(a.Txn.Name, a)}, {"B", "COMMIT"}, {"A", "COMMIT"}}, 3, 2
	}
	for _, st := range order {
		sch.Steps = append(sch.Steps, pgtest.Step{Session: st[0], SQL: st[1]})
	}
	ctx, cancel := context.WithTimeout(t.Context(), pgtest.Deadline)
	defer cancel()
	out, err := pgtest.Run(ctx, s.dsn, sch)
	if err != nil {
		t.Fatalf("%s interrupted by %s (%+v) from\n%s%s\n%v", a, b, *split, rowsOf(s.p, init), s.text, err)
	}
	for i, r := range out.Results {
		if r.Code != "" || r.Blocked && i != ofA {
			fault += fmt.Sprintf("%s: %s: %s %s\n", r.Session, r.SQL, r, r.Message)
		}
	}
	if out.Results[ofA].Blocked != (line > 0) {
		fault += fmt.Sprintf("the first transaction stopped: %v\n", out.Results[2].Blocked)
	}
	result := func(r pgtest.Result) string {
		if len(r.Rows) != 1 {
			return r.String()
		}
		return r.Rows[0][0]
	}
	seen = result(out.Results[ofA]) + " " + result(out.Results[ofB]) + "\n"
	for _, table := range s.p.Tables {
		res, err := s.conn.PgConn().Exec(t.Context(), "SELECT * FROM "+table.Name).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for _, r := range pgtest.TextRows(res[0].Rows) {
			rows = append(rows, strings.Join(r, " "))
		}
		slices.Sort(rows)
		seen += fmt.Sprintln(table.Name, rows)
	}
	return seen, fault
}

// TestServer: what the interpreter says of interrupted transactions is what a
// server does at READ COMMITTED, without anybody waiting.
func TestServer(t *testing.T) {
	inside, executed := onFunctions(t, 4, false)
	if inside < onServer.Runs() {
		t.Errorf("only %d of %d executions stopped inside of a function: the test says little", inside, executed)
	}
}

// TestWaitingOnServer is the same for a function that waits for a lock of another one.
func TestWaitingOnServer(t *testing.T) {
	if _, executed := onFunctions(t, 8, true); executed < onServer.Runs() {
		t.Errorf("only %d executions: the test says little", executed)
	}
}

// onFunctions compares executions of random functions, of which it looks for most in each program.
func onFunctions(t *testing.T, most int, waits bool) (inside, executed int) {
	t.Helper()
	r := onServer.Source(t)
	srv := pgtest.Open(t)
	s := &server{Server: srv, dsn: srv.Database(t), waits: waits}
	s.conn = srv.Conn(t, s.dsn)
	srv.Exec(t, s.dsn, serverSchema)
	for n := range onServer.Runs() {
		s.text = serverSchema + functionText(r, "f") + functionText(r, "g")
		p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "f.sql", Text: s.text}}, sqlmodel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.p = p
		wellformed.Structure(p)
		_, functions, _ := strings.Cut(s.text, "CREATE FUNCTION f")
		srv.Exec(t, s.dsn, "DROP FUNCTION IF EXISTS f(int, int); DROP FUNCTION IF EXISTS g(int, int)", "CREATE FUNCTION f"+functions)
		tried, ran := 0, 0
		for tried < 50*most && ran < most {
			tried++
			ran += s.situation(t, r, &inside)
		}
		executed += ran
		if t.Failed() {
			t.Fatalf("program %d:\n%s", n, s.text)
		}
	}
	t.Logf("%d executions, %d of them stopped inside", executed, inside)
	return inside, executed
}

// situation draws rows, parameters and a cut, and compares the execution, if there
// is one. It gives how many were compared.
func (s *server) situation(t *testing.T, r *rand.Rand, inside *int) int {
	m := interp.NewMachine(s.p, engine.Postgres())
	m.Trace = true
	num := func(n int) ir.Value { return ir.Int(int64(r.Intn(n))) }
	rows := make([][][]ir.Value, 2)
	for id := range 3 {
		if u := []ir.Value{ir.Null, ir.Int(int64(id))}[r.Intn(2)]; r.Intn(3) > 0 {
			rows[0] = append(rows[0], []ir.Value{ir.Int(int64(id)), num(3), u})
		}
	}
	for id := range 2 {
		if len(rows[0]) > 0 && r.Intn(2) == 0 {
			rows[1] = append(rows[1], []ir.Value{ir.Int(int64(id)), rows[0][r.Intn(len(rows[0]))][0], num(3)})
		}
	}
	init := interp.NewDB(s.p, rows)
	instance := func(id int) *interp.Instance {
		return &interp.Instance{Txn: s.p.Txns[r.Intn(2)], Params: []ir.Value{num(3), num(3)}, ID: id}
	}
	a, b := instance(1), instance(2)
	compared := 0
	cut := 1 + r.Intn(4)
	each := func(x *interp.Execution) bool {
		compared++
		want := returned(x.Txns[1].Run) + " " + returned(x.Txns[0].Run) + "\n" + rowsOf(s.p, x.Last())
		got, fault := s.play(t, x, init)
		if x.Txns[1].Split.Stmt != nil {
			*inside++
		}
		if got != want || fault != "" {
			t.Errorf("%s interrupted by %s at cut %d (%+v) from\n%sthe server:\n%sthe interpreter:\n%s%s", a, b, cut, *x.Txns[1].Split, rowsOf(s.p, init), got, want, fault)
		}
		return false
	}
	if s.waits {
		m.Wait(a, b, init, cut, each)
	} else {
		m.Interrupt(a, []*interp.Instance{b}, init, cut, each)
	}
	return compared
}
