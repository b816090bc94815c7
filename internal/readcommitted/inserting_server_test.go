package readcommitted_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/sqlmodel"
)

// turnoverSchema has rows between those that are used, so that the database follows the latter
// apart: they are on other pages of the indexes.
const turnoverSchema = `CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL UNIQUE, n serial, live boolean NOT NULL, u int NOT NULL);
CREATE UNIQUE INDEX ON t (u) WHERE live;
CREATE TABLE x (k int PRIMARY KEY, v int NOT NULL);
CREATE TABLE c (k int PRIMARY KEY, p int NOT NULL REFERENCES t);
`

const turnoverRows = `INSERT INTO t (k, v, live, u) SELECT g, g, true, g FROM generate_series(1, 6000) g WHERE g % 1000 > 0 OR g = 1000;
INSERT INTO x SELECT g, 0 FROM generate_series(1, 6000) g;
`

// turnoverCase is transactions by their names, each with its level and what a client sends.
type turnoverCase struct {
	text   string
	names  []string
	levels map[string]string
	sent   map[string][]string
}

// newTurnover draws transactions that free keys and take them, by insertions alone or with reads
// beside them.
func newTurnover(r *rand.Rand) *turnoverCase {
	c := &turnoverCase{text: turnoverSchema, levels: map[string]string{}, sent: map[string][]string{}}
	of := func(list ...string) string { return list[r.Intn(len(list))] }
	key := func() string { return of("1000", "1000", "2000") }
	insert := func() string {
		if r.Intn(3) == 0 {
			return fmt.Sprintf("INSERT INTO c VALUES (%s, %s)", of("1", "2"), key())
		}
		return fmt.Sprintf("INSERT INTO t (k, v, live, u) VALUES (%s, %s, true, %[2]s)", key(), key())
	}
	other := func() string {
		return of("DELETE FROM t WHERE k = "+key(), "DELETE FROM t WHERE k = "+key(), "UPDATE t SET live = false WHERE k = "+key(), "SELECT count(*) FROM t WHERE k = "+key(),
			"INSERT INTO t (k, v, live, u) SELECT k + 1000, k + 1000, live, k + 1000 FROM t WHERE k = 1000", insert()+" ON CONFLICT DO NOTHING", insert())
	}
	for i := range 3 {
		name := fmt.Sprintf("f%d", i)
		var list []string
		if i == 0 || r.Intn(4) == 0 {
			for range 1 + r.Intn(2) {
				list = append(list, insert())
			}
		} else {
			list = append(list, fmt.Sprintf("SELECT v FROM x WHERE k = %d000", i), other(), fmt.Sprintf("UPDATE x SET v = v + 1 WHERE k = %d000", 3-i))
			list = list[r.Intn(2) : 2+r.Intn(2)]
		}
		var body strings.Builder
		for _, s := range list {
			if strings.HasPrefix(s, "SELECT") {
				s = strings.Replace(s, " FROM", " INTO a FROM", 1) + "; out := out || a"
			}
			body.WriteString(s + ";\n")
		}
		c.text += fmt.Sprintf("CREATE FUNCTION %s() RETURNS int[] LANGUAGE plpgsql AS $$ DECLARE a int; out int[] := '{}'; BEGIN\n%sRETURN out; END $$;\n", name, body.String())
		c.names, c.sent[name], c.levels[name] = append(c.names, name), list, string(levels.Serializable)
		if r.Intn(6) == 0 {
			c.levels[name] = string([]levels.Level{levels.RepeatableRead, levels.ReadCommitted}[r.Intn(2)])
		}
	}
	return c
}

// client is a transaction that runs on the server; done is nil where nothing is under way.
type client struct {
	name string
	conn *pgconn.PgConn
	next int
	seen string
	done chan error
	gone bool
}

// send begins the next statement.
func (x *client) send(ctx context.Context, text string) {
	x.done = make(chan error, 1)
	go func() {
		got, err := x.conn.Exec(ctx, text).ReadAll()
		if err == nil && strings.HasPrefix(text, "SELECT") {
			x.seen += fmt.Sprint(pgtest.TextRows(got[0].Rows))
		}
		x.done <- err
	}()
}

// turnoverServer runs cases.
type turnoverServer struct {
	*pgtest.Server
	dsn  string
	main *pgx.Conn
}

// settles returns when a statement is over, or waits for a lock: then it gives false.
func (s *turnoverServer) settles(t *testing.T, x *client) bool {
	for {
		select {
		case err := <-x.done:
			x.done = nil
			x.next++
			if _, refused := errors.AsType[*pgconn.PgError](err); refused {
				x.gone = true
			} else if err != nil {
				t.Fatal(err)
			}
			return true
		case <-time.After(2 * time.Millisecond):
		}
		waits := false
		if err := s.main.QueryRow(t.Context(), "SELECT cardinality(pg_blocking_pids($1)) > 0", int32(x.conn.PID())).Scan(&waits); err != nil {
			t.Fatal(err)
		}
		if waits {
			return false
		}
	}
}

// run runs transactions in an order that next chooses. It gives those that commit, and what they have
// seen and left.
func (s *turnoverServer) run(t *testing.T, c *turnoverCase, names []string, next func(n int) int) (committed []string, outcome string) {
	t.Helper()
	if _, err := s.main.Exec(t.Context(), "DELETE FROM c; DELETE FROM t WHERE k % 1000 = 0; UPDATE x SET v = 0 WHERE v > 0; INSERT INTO t (k, v, live, u) VALUES (1000, 1000, true, 1000)"); err != nil {
		t.Fatal(err)
	}
	var open, all []*client
	for _, n := range names {
		conn := s.Conn(t, s.dsn)
		defer conn.Close(context.Background())
		all = append(all, &client{name: n, conn: conn.PgConn()})
	}
	for open = slices.Clone(all); len(open) > 0; {
		i := next(len(open))
		x := open[i]
		list := slices.Concat([]string{"BEGIN ISOLATION LEVEL " + c.levels[x.name], "SET LOCAL enable_seqscan = off"}, c.sent[x.name], []string{"COMMIT"})
		if x.done == nil {
			x.send(t.Context(), list[x.next])
		}
		if !s.settles(t, x) {
			continue // it waits: somebody else goes on
		}
		if x.gone {
			x.conn.Close(t.Context())
		}
		if x.gone || x.next == len(list) {
			open = slices.Delete(open, i, i+1)
		}
	}
	slices.SortFunc(all, func(x, y *client) int { return strings.Compare(x.name, y.name) })
	for _, x := range all {
		if !x.gone {
			committed = append(committed, x.name)
			outcome += x.name + x.seen + " "
		}
	}
	rows, err := s.main.PgConn().Exec(t.Context(), "SELECT k, v, live, u FROM t WHERE k % 1000 = 0 ORDER BY k; SELECT * FROM x WHERE v > 0 ORDER BY k; SELECT * FROM c ORDER BY k").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, res := range rows {
		outcome += fmt.Sprint(" ", pgtest.TextRows(res.Rows))
	}
	return committed, outcome
}

// serial reports whether the server has an outcome in some order of the transactions that committed.
func (s *turnoverServer) serial(t *testing.T, c *turnoverCase, names []string, outcome string) bool {
	var try func(order, left []string) bool
	try = func(order, left []string) bool {
		if len(left) == 0 {
			all, got := s.run(t, c, order, func(int) int { return 0 })
			return len(all) == len(names) && got == outcome
		}
		return slices.ContainsFunc(left, func(n string) bool {
			return try(append(slices.Clone(order), n), slices.DeleteFunc(slices.Clone(left), func(o string) bool { return o == n }))
		})
	}
	return try(nil, names)
}

// TestInsertingOnServer: what is proved where transactions at SERIALIZABLE free keys, and others take them, has
// outcomes of serial orders alone on a real server, in random orders of its statements.
func TestInsertingOnServer(t *testing.T) {
	r := onServer.Source(t)
	srv := pgtest.Open(t)
	s := &turnoverServer{Server: srv, dsn: srv.Database(t)}
	s.main = srv.Conn(t, s.dsn)
	srv.Exec(t, s.dsn, turnoverSchema, turnoverRows, "ANALYZE")
	proved, several, alone, anomalies := 0, 0, 0, 0
	for range 2 * onServer.Runs() {
		c := newTurnover(r)
		p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "f.sql", Text: c.text}}, sqlmodel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres(), Isolation: "serializable", Levels: c.levels}})
		if err != nil {
			t.Fatalf("%v\n%s", err, c.text)
		}
		is := rep.Verdict == robust.Robust
		if is {
			proved++
		}
		for range 3 {
			names, outcome := s.run(t, c, c.names, r.Intn)
			if len(names) < 2 {
				alone++
				continue
			}
			several++
			if s.serial(t, c, names, outcome) {
				continue
			}
			anomalies++
			if is {
				t.Fatalf("%v at %v: no serial order has %s\n%s", names, c.levels, outcome, c.text)
			}
		}
	}
	t.Logf("%d proved programs; %d executions of which several transactions committed, %d anomalies of programs that are not proved; %d others", proved, several, anomalies, alone)
	if proved == 0 || several == 0 {
		t.Error("nothing was compared")
	}
}
