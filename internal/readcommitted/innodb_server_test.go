package readcommitted_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/mariatest"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/sqlmodel"
)

var (
	innodbRuns = flag.Int("innodb.runs", 40, "random programs that TestInnoDBOnServer and TestInnoDBInOrder run")
	innodbSeed = flag.Int64("innodb.seed", 31000, "the first seed of TestInnoDBOnServer and TestInnoDBInOrder")
)

const innodbTables = `CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL, w INT NOT NULL) ENGINE=InnoDB;
CREATE TABLE u (id INT PRIMARY KEY, n INT, UNIQUE (n)) ENGINE=InnoDB;
CREATE TABLE c (id INT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES t (id)) ENGINE=InnoDB;
CREATE TABLE z (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB;
`

// innodbStatements are what random transactions do; K stands for a small number,
// and J for the same one throughout.
var innodbStatements = []string{
	"SELECT v FROM t WHERE id = K", "SELECT SUM(v) FROM t", "SELECT COUNT(*) FROM t WHERE v > K", "SELECT n FROM u ORDER BY id",
	"SELECT COUNT(*) FROM c WHERE t = K", "SELECT EXISTS (SELECT 1 FROM t WHERE v = K)", "SELECT a.v, b.n FROM t a JOIN u b ON a.id = b.id WHERE a.id = K",
	"SELECT v FROM t WHERE id = K FOR UPDATE", "SELECT SUM(w) FROM t FOR UPDATE", "SELECT w FROM t WHERE id = K LOCK IN SHARE MODE",
	"SELECT id FROM t WHERE v = K FOR UPDATE", "SELECT id FROM t WHERE id IN (SELECT id FROM u) ORDER BY id FOR UPDATE",
	"UPDATE t SET v = v + 1 WHERE id = K", "UPDATE t SET v = K WHERE id = K", "UPDATE t SET w = w + 1 WHERE v >= K", "UPDATE t SET v = K WHERE id = K AND v = K",
	"UPDATE t SET v = (SELECT COUNT(*) FROM u) WHERE id = K", "SELECT v INTO @x FROM t WHERE id = K;UPDATE t SET v = @x + 1 WHERE id = K",
	"SET @x = (SELECT SUM(v) FROM t);UPDATE t SET w = @x WHERE id = K", "SELECT COUNT(*) INTO @x FROM u;INSERT INTO u VALUES (K, @x)",
	"INSERT INTO t VALUES (K, K, 0)", "INSERT INTO u VALUES (K, K)", "INSERT INTO z VALUES (K, K) ON DUPLICATE KEY UPDATE n = n + 10",
	"INSERT IGNORE INTO u VALUES (K, K)", "INSERT INTO c VALUES (K, K)", "INSERT INTO u SELECT id + 1, v + 5 FROM t WHERE id = K", "REPLACE INTO z VALUES (K, K)", "SELECT SUM(n) FROM z", "SELECT n FROM z WHERE id = K", "UPDATE z SET n = n + 1 WHERE id = K",
	"SELECT SUM(n) INTO @x FROM z;UPDATE t SET w = @x WHERE id = K", "INSERT IGNORE INTO z SELECT id, v FROM t", "DELETE FROM z WHERE n > K",
	"DELETE FROM t WHERE id = K", "DELETE FROM u WHERE id = K", "DELETE FROM c WHERE id = K", "DELETE FROM t WHERE v < K", "UPDATE u SET n = K WHERE id = K",
	"SELECT v FROM t WHERE id = J FOR UPDATE;SELECT COUNT(*) INTO @x FROM c WHERE t = J;UPDATE t SET w = @x WHERE id = J",
	"UPDATE t SET v = J WHERE id = J;SELECT v FROM t WHERE id = J", "UPDATE z SET n = n WHERE id = J;SELECT n FROM z WHERE id = J", "UPDATE t SET w = v, v = w WHERE id = K",
	"INSERT INTO z VALUES (J, 2) ON DUPLICATE KEY UPDATE n = 2;SELECT n FROM z WHERE id = J", "REPLACE INTO z VALUES (J, 2);SELECT n FROM z WHERE id = J",
	"DELETE FROM z WHERE id = J;INSERT INTO z VALUES (J, K)",
	"SELECT v FROM t WHERE id = K FOR UPDATE NOWAIT", "SELECT SUM(n) FROM z LOCK IN SHARE MODE",
	"SELECT n FROM z WHERE id = J FOR UPDATE;SELECT n INTO @x FROM z WHERE id = J;UPDATE z SET n = @x + 1 WHERE id = J",
}

var numbers, same = regexp.MustCompile(`\bK\b`), regexp.MustCompile(`\bJ\b`)

// innodbCase is a random program with the statements of its transactions and rows to start with.
type innodbCase struct {
	program *ir.Program
	sent    map[string][]string // by transaction
	tables  string
	rows    [][][]ir.Value
	setup   string
	levels  map[string]string
}

// newInnoDBCase draws a program of n transactions, of statements that use accepts. It gives nil for one that is not translated.
func newInnoDBCase(t *testing.T, r *rand.Rand, n int, use func(string) bool) *innodbCase {
	c := &innodbCase{sent: map[string][]string{}, levels: map[string]string{}}
	c.tables = innodbTables
	if r.Intn(2) == 0 {
		c.tables = strings.Replace(c.tables, "w INT NOT NULL)", "w INT NOT NULL, KEY (v))", 1)
	}
	text := c.tables
	small := func() string { return fmt.Sprint(1 + r.Intn(3)) }
	list := slices.DeleteFunc(slices.Clone(innodbStatements), func(s string) bool { return !use(s) })
	for i := range n {
		name := string(rune('a' + i))
		text += "-- name: " + name + "\nBEGIN;\n"
		for range 1 + r.Intn(3) {
			s := list[r.Intn(len(list))]
			s = same.ReplaceAllString(s, small())
			s = numbers.ReplaceAllStringFunc(s, func(string) string { return small() })
			for _, one := range strings.Split(s, ";") {
				c.sent[name] = append(c.sent[name], one)
				text += one + ";\n"
			}
		}
		text += "COMMIT;\n"
		c.levels[name] = []string{"REPEATABLE READ", "REPEATABLE READ", "READ COMMITTED", "SERIALIZABLE"}[r.Intn(4)]
	}
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "case.sql", Text: text}}, sqlmodel.Options{MySQL: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	wellformed.Structure(p)
	if !allModelled(p) {
		return nil
	}
	c.program, c.rows = p, make([][][]ir.Value, len(p.Tables))
	add := func(table string, vals ...int64) {
		row, texts := []ir.Value{}, []string{}
		for _, v := range vals {
			row, texts = append(row, ir.Int(v)), append(texts, fmt.Sprint(v))
		}
		i := slices.IndexFunc(p.Tables, func(t *ir.Table) bool { return t.Name == table })
		c.rows[i] = append(c.rows[i], row)
		c.setup += "INSERT INTO " + table + " VALUES (" + strings.Join(texts, ", ") + ");"
	}
	for id := int64(1); id <= 3; id++ {
		if r.Intn(3) > 0 {
			add("t", id, int64(r.Intn(4)), int64(r.Intn(3)))
			if r.Intn(4) == 0 {
				add("c", id, id)
			}
		}
		if r.Intn(2) > 0 {
			add("u", id, id+int64(r.Intn(2))*10)
		}
		if r.Intn(2) > 0 {
			add("z", id, int64(r.Intn(4)))
		}
	}
	return c
}

// allModelled reports whether all statements of a program are modelled.
func allModelled(p *ir.Program) bool {
	odd := false
	for _, x := range p.Txns {
		ir.Walk(x.Body, func(s ir.Stmt) { _, is := s.(*ir.Unmodelled); odd = odd || is })
	}
	return !odd
}

// shownBy are the rows that each SELECT of a run gives to the client, sorted.
func shownBy(run *interp.Run) []string {
	var out []string
	for i := range run.Steps {
		switch run.Steps[i].Stmt.(type) {
		case *ir.Emit, *ir.EmitRows:
			var rows []string
			for _, row := range run.Steps[i].Emitted {
				rows = append(rows, fmt.Sprint(valueTexts(row)))
			}
			slices.Sort(rows)
			out = append(out, fmt.Sprint(rows))
		}
	}
	return out
}

func valueTexts(row []ir.Value) []string {
	var out []string
	for _, v := range row {
		switch {
		case v.IsNull():
			out = append(out, "NULL")
		case v.Kind == ir.KindBool && v.IsTrue():
			out = append(out, "1")
		case v.Kind == ir.KindBool:
			out = append(out, "0")
		default:
			out = append(out, v.String())
		}
	}
	return out
}

// innodbServer runs cases on a real server.
type innodbServer struct {
	t    *testing.T
	main *sql.Conn
	open func() *sql.Conn
}

// start makes the rows of a case.
func (s *innodbServer) start(c *innodbCase) {
	s.must(s.main, "DROP DATABASE cases")
	s.must(s.main, "CREATE DATABASE cases")
	s.must(s.main, "USE cases")
	for _, one := range strings.Split(c.tables+c.setup, ";") {
		if strings.TrimSpace(one) != "" {
			s.must(s.main, one)
		}
	}
}

func (s *innodbServer) must(conn *sql.Conn, text string) {
	s.t.Helper()
	if _, err := conn.ExecContext(context.Background(), text); err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
}

// begin opens a session in which a transaction begins. It waits for locks for so many seconds.
func (s *innodbServer) begin(level, refuses string, patience int) *sql.Conn {
	conn := s.open()
	for _, one := range []string{"USE cases", fmt.Sprintf("SET SESSION innodb_lock_wait_timeout = %d", patience), "SET SESSION innodb_snapshot_isolation = " + refuses,
		"SET SESSION TRANSACTION ISOLATION LEVEL " + level, "SET @x = NULL", "BEGIN"} {
		s.must(conn, one)
	}
	return conn
}

// send runs a statement, and gives the rows that it shows, sorted, or "".
func send(conn *sql.Conn, text string) (shown string, err error) {
	ctx := context.Background()
	if !strings.HasPrefix(text, "SELECT") || strings.Contains(text, "INTO @") {
		_, err := conn.ExecContext(ctx, text)
		return "", err
	}
	rows, err := conn.QueryContext(ctx, text)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var out []string
	for rows.Next() {
		cells := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		texts := make([]string, len(cells))
		for i, c := range cells {
			if texts[i] = c.String; !c.Valid {
				texts[i] = "NULL"
			}
		}
		out = append(out, fmt.Sprint(texts))
	}
	slices.Sort(out)
	return fmt.Sprint(out), rows.Err()
}

// final are all rows that are there.
func (s *innodbServer) final() string {
	var out []string
	for _, text := range []string{"SELECT * FROM t ORDER BY id", "SELECT * FROM u ORDER BY id", "SELECT * FROM c ORDER BY id", "SELECT * FROM z ORDER BY id"} {
		got, err := send(s.main, text)
		if err != nil {
			s.t.Fatal(err)
		}
		out = append(out, got)
	}
	return strings.Join(out, " ")
}

// finalOf are the rows of a state of the model.
func finalOf(p *ir.Program, db *interp.DB) string {
	var out []string
	for _, name := range []string{"t", "u", "c", "z"} {
		i := slices.IndexFunc(p.Tables, func(t *ir.Table) bool { return t.Name == name })
		var rows []string
		for _, row := range db.Rows(i) {
			rows = append(rows, fmt.Sprint(valueTexts(row)))
		}
		slices.Sort(rows)
		out = append(out, fmt.Sprint(rows))
	}
	return strings.Join(out, " ")
}

func newInnoDBServer(t *testing.T) *innodbServer {
	srv := mariatest.Open(t)
	return &innodbServer{t: t, main: srv.Session(t), open: func() *sql.Conn { return srv.Session(t) }}
}

// TestInnoDBOnServer: what the interpreter says of a transaction that is interrupted by others
// happens on a real server, statement by statement: the same results and rows, and nobody waits.
func TestInnoDBOnServer(t *testing.T) {
	srv := newInnoDBServer(t)
	done, skipped := 0, 0
	for seed := *innodbSeed; seed < *innodbSeed+int64(*innodbRuns); seed++ {
		r := rand.New(rand.NewSource(seed))
		c := newInnoDBCase(t, r, 2+r.Intn(2), func(string) bool { return true })
		if c == nil {
			skipped++
			continue
		}
		e, refuses := engine.MariaDBOff(), "OFF"
		if r.Intn(2) == 0 {
			e, refuses = engine.MariaDB(), "ON"
		}
		m := interp.NewMachine(c.program, e)
		m.Trace, m.Levels = true, c.levels
		var list []*interp.Instance
		for i, txn := range c.program.Txns {
			list = append(list, instance(txn, i+1))
		}
		for cut, more := 1, true; more; cut++ {
			more, _ = m.Interrupt(list[0], list[1:], interp.NewDB(c.program, c.rows), cut, func(x *interp.Execution) bool {
				if len(m.Doubts(x)) == 0 {
					done++
					if what := srv.interrupted(c, refuses, x); what != "" {
						t.Errorf("seed %d, cut %d, innodb_snapshot_isolation %s, %v: %s\n%s\n%v", seed, cut, refuses, c.levels, what, c.tables+c.setup, c.sent)
					}
				}
				return true
			})
		}
	}
	t.Logf("%d executions, %d programs left out", done, skipped)
	if done == 0 {
		t.Error("nothing was compared")
	}
}

// instance runs a transaction whose variables have no values before.
func instance(txn *ir.Txn, id int) *interp.Instance {
	return &interp.Instance{Txn: txn, ID: id, Params: make([]ir.Value, len(txn.Params))}
}

// interrupted runs an execution of the model, and says what is different.
func (s *innodbServer) interrupted(c *innodbCase, refuses string, x *interp.Execution) (what string) {
	s.start(c)
	last := len(x.Txns) - 1
	say := func(format string, args ...any) {
		if what == "" {
			what = fmt.Sprintf(format, args...)
		}
	}
	run := func(conn *sql.Conn, name string, list []string, shown *[]string) {
		for _, text := range list {
			got, err := send(conn, text)
			if err != nil {
				say("%s: %s: %v", name, text, err)
				return
			}
			if got != "" {
				*shown = append(*shown, got)
			}
		}
	}
	name := func(i int) string { return x.Txns[i].Run.Inst.Txn.Name }
	compare := func(i int, shown []string) {
		if want := shownBy(x.Txns[i].Run); !slices.Equal(shown, want) {
			say("%s shows %q, and should show %q", name(i), shown, want)
		}
	}
	sent := c.sent[name(last)]
	cut := len(sent)
	if st := x.Txns[last].Split.Stmt; st != nil {
		cut = commandsBefore(x.Txns[last].Run.Inst.Txn, st)
	}
	a := s.begin(c.levels[name(last)], refuses, 0)
	defer a.Close()
	defer a.ExecContext(context.Background(), "ROLLBACK")
	var shown []string
	run(a, name(last), sent[:cut], &shown)
	for i := range last {
		b := s.begin(c.levels[name(i)], refuses, 0)
		var own []string
		run(b, name(i), c.sent[name(i)], &own)
		if _, err := b.ExecContext(context.Background(), "COMMIT"); err != nil {
			say("%s: COMMIT: %v", name(i), err)
		}
		b.ExecContext(context.Background(), "ROLLBACK")
		b.Close()
		compare(i, own)
	}
	run(a, name(last), sent[cut:], &shown)
	if _, err := a.ExecContext(context.Background(), "COMMIT"); err != nil {
		say("%s: COMMIT: %v", name(last), err)
	}
	compare(last, shown)
	if got, want := s.final(), finalOf(c.program, x.Last()); got != want {
		say("the rows end as %s, and should as %s", got, want)
	}
	return what
}

// commandsBefore is how many commands of a script come before that of a statement.
func commandsBefore(t *ir.Txn, st ir.Stmt) int {
	n, before := 0, -1
	ir.Walk(t.Body, func(s ir.Stmt) {
		if send, is := s.(*ir.Send); is {
			if send.Cmd == st.Command() && before < 0 {
				before = n
			}
			n++
		}
	})
	return before
}

// TestInnoDBInOrder: programs whose transactions are all settled on InnoDB have outcomes of serial
// orders alone, in random orders of their statements on a real server, with waits and deadlocks.
func TestInnoDBInOrder(t *testing.T) {
	srv := newInnoDBServer(t)
	settled, atCommitted, commits := 0, 0, 0
	for seed := *innodbSeed; seed < *innodbSeed+int64(*innodbRuns); seed++ {
		r := rand.New(rand.NewSource(seed))
		snapshots := r.Intn(3) == 0 // else nearly all statements lock
		committed := seed%2 == 0    // at READ COMMITTED, nearly all statements are about one row each
		many := r.Intn(4) == 0
		c := newInnoDBCase(t, r, 3, func(s string) bool {
			if committed && !many {
				return strings.Contains(s, "WHERE id = ") && !strings.Contains(s, "(SELECT") || strings.HasPrefix(s, "INSERT") && !strings.Contains(s, "SELECT")
			}
			return snapshots || !strings.HasPrefix(s, "SELECT") || strings.Contains(s, "FOR UPDATE") || strings.Contains(s, "SHARE") || strings.Contains(s, "COUNT(*) FROM c")
		})
		if c == nil {
			continue
		}
		for name, l := range c.levels {
			switch {
			case committed:
				c.levels[name] = "READ COMMITTED"
			case l == "READ COMMITTED":
				c.levels[name] = "REPEATABLE READ"
			}
		}
		e, refuses := engine.MariaDBOff(), "OFF"
		if r.Intn(2) == 0 {
			e, refuses = engine.MariaDB(), "ON"
		}
		if !readcommitted.InOrder(c.program, readcommitted.SettleInnoDB(c.program, e, c.levels)) {
			continue
		}
		settled++
		if committed {
			atCommitted++
		}
		for range 3 {
			got, order := srv.interleaved(c, refuses, r)
			commits += len(order)
			if !slices.Contains(serialOutcomes(c, e, order), got) {
				t.Errorf("seed %d, innodb_snapshot_isolation %s, %v: no serial order of %v gives %s\n%s\n%v", seed, refuses, c.levels, order, got, c.tables+c.setup, c.sent)
			}
		}
	}
	t.Logf("%d settled programs, %d of them at READ COMMITTED, %d commits", settled, atCommitted, commits)
	if settled == 0 || atCommitted == 0 {
		t.Error("nothing was compared")
	}
}

// innodbSession is a transaction of which a statement may wait.
type innodbSession struct {
	name  string
	conn  *sql.Conn
	id    int64
	next  int
	shown []string
	done  chan error // nil where nothing is under way
	gone  bool
}

// interleaved runs the transactions of a case in a random order of their statements. It gives
// what they show and leave, and those that commit.
func (s *innodbServer) interleaved(c *innodbCase, refuses string, r *rand.Rand) (outcome string, committed []string) {
	s.start(c)
	var all, open []*innodbSession
	for _, txn := range c.program.Txns {
		x := &innodbSession{name: txn.Name, conn: s.begin(c.levels[txn.Name], refuses, 20)}
		defer x.conn.Close()
		if err := x.conn.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&x.id); err != nil {
			s.t.Fatal(err)
		}
		all = append(all, x)
	}
	open = slices.Clone(all)
	for len(open) > 0 {
		i := r.Intn(len(open))
		x := open[i]
		if x.done == nil {
			x.send(c.sent[x.name])
		}
		if !s.settles(x) {
			continue // it waits: somebody else goes on
		}
		if x.gone || x.next > len(c.sent[x.name]) {
			open = slices.Delete(open, i, i+1)
		}
	}
	for _, x := range all {
		if !x.gone {
			outcome += fmt.Sprintf("%s %q ", x.name, x.shown)
			committed = append(committed, x.name)
		}
	}
	return outcome + s.final(), committed
}

// send begins the next statement, or the commit.
func (x *innodbSession) send(list []string) {
	text := "COMMIT"
	if x.next < len(list) {
		text = list[x.next]
	}
	x.done = make(chan error, 1)
	go func() {
		got, err := send(x.conn, text)
		if got != "" && err == nil {
			x.shown = append(x.shown, got)
		}
		x.done <- err
	}()
}

// fresh is how long INNODB_TRX must not be read so that the server looks again.
const fresh = 120 * time.Millisecond

// settles returns when a statement is over, or waits for a lock: then it gives false.
func (s *innodbServer) settles(x *innodbSession) bool {
	for {
		select {
		case err := <-x.done:
			x.done = nil
			x.next++
			if err != nil {
				var e *mysql.MySQLError
				if !errors.As(err, &e) {
					s.t.Fatal(err)
				}
				x.gone = true
				s.must(x.conn, "ROLLBACK")
			}
			return true
		case <-time.After(fresh):
		}
		waits := false
		if err := s.main.QueryRowContext(context.Background(), "SELECT EXISTS (SELECT 1 FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = ? AND trx_state = 'LOCK WAIT')", x.id).Scan(&waits); err != nil {
			s.t.Fatal(err)
		}
		if waits {
			return false
		}
	}
}

// serialOutcomes are those of all serial orders of some transactions of a case, by the model.
func serialOutcomes(c *innodbCase, e *engine.Profile, names []string) []string {
	m := interp.NewMachine(c.program, e)
	m.Trace = true
	var out []string
	var next func(db *interp.DB, left []string, shown map[string]string)
	next = func(db *interp.DB, left []string, shown map[string]string) {
		if len(left) == 0 {
			text := ""
			for _, n := range names {
				text += shown[n]
			}
			out = append(out, text+finalOf(c.program, db))
		}
		for i, n := range left {
			in := instance(c.program.Txn(n), i+1)
			for _, run := range m.Runs(in, db, nil, true) {
				if after, why := m.Commit(run, db, nil); why == "" {
					shown[n] = fmt.Sprintf("%s %q ", n, shownBy(run))
					next(after, slices.Delete(slices.Clone(left), i, i+1), shown)
				}
			}
		}
	}
	next(interp.NewDB(c.program, c.rows), names, map[string]string{})
	return out
}
