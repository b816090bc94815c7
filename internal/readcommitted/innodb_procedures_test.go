package readcommitted_test

import (
	"database/sql"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/sqlmodel"
)

// procedureParts are what random procedures do; K stands for a small number, J for the same one throughout.
var procedureParts = []string{
	"UPDATE t SET v = v - K WHERE id = K AND v >= K; IF ROW_COUNT() = 0 THEN ROLLBACK; SIGNAL SQLSTATE '45000'; END IF;",
	"UPDATE t SET v = v + K WHERE id = K; SET r = r + ROW_COUNT();",
	"UPDATE t SET w = K WHERE id = K; IF ROW_COUNT() > 0 THEN UPDATE t SET v = v + 1 WHERE id = K; END IF;",
	"SELECT v INTO x FROM t WHERE id = J FOR UPDATE; IF x > 1 THEN UPDATE t SET v = x - 1 WHERE id = J; END IF;",
	"SELECT v INTO x FROM t WHERE id = J; UPDATE t SET w = x, v = v + 1 WHERE id = J AND v = x; IF ROW_COUNT() = 0 THEN ROLLBACK; SIGNAL SQLSTATE '45000'; END IF;",
	"SELECT v INTO x FROM t WHERE id = J; IF x > 1 THEN UPDATE t SET v = x - 1 WHERE id = J; END IF;",
	"SELECT w INTO r FROM t WHERE id = K;",
	"INSERT INTO z VALUES (K, K);",
	"INSERT INTO z VALUES (K, K) ON DUPLICATE KEY UPDATE n = n + 10;",
	"DELETE FROM z WHERE id = K; IF ROW_COUNT() = 1 THEN UPDATE t SET v = v + 1 WHERE id = K; END IF;",
	"SELECT v INTO x FROM t WHERE id = J FOR UPDATE; SELECT n INTO r FROM z WHERE id = J; UPDATE z SET n = n + 1 WHERE id = J;",
	"SELECT v INTO x FROM t WHERE id = J FOR UPDATE; SELECT COUNT(*) INTO r FROM c WHERE t = J; IF x IS NOT NULL AND r = 0 THEN INSERT INTO c VALUES (K, J); END IF;",
	"INSERT INTO c VALUES (K, K);",
	"UPDATE t SET v = LAST_INSERT_ID(v + 1) WHERE id = J; SET r = LAST_INSERT_ID();",
	"UPDATE t SET v = @v := v + 1 WHERE id = J; UPDATE t SET w = @v WHERE id = K;",
	"SET @k = K; EXECUTE IMMEDIATE 'UPDATE t SET v = v + ? WHERE id = K' USING @k;",
	"FOR i IN 1..2 DO UPDATE t SET v = v + i WHERE id = i; END FOR;",
	"BEGIN DECLARE CONTINUE HANDLER FOR 1062 SET r = 7; INSERT INTO z VALUES (K, K); END;",
	"SET x = seen(J); UPDATE t SET w = x WHERE id = K;",
	"SELECT v INTO x FROM t WHERE id = J FOR UPDATE; SELECT seen(J) INTO x; UPDATE t SET w = x WHERE id = K;",
	"SET x = locked(J); UPDATE t SET v = x + 1 WHERE id = J;",
	"SET x = taken(K); SET r = x;",
}

// procedureFunctions are the functions that they call. A SELECT … INTO is a plain SELECT, whatever calls; the query of an expression locks where a SET does.
const procedureFunctions = `CREATE FUNCTION seen(i INT) RETURNS INT BEGIN DECLARE y INT; SELECT v INTO y FROM t WHERE id = i; RETURN y; END;
CREATE FUNCTION locked(i INT) RETURNS INT RETURN (SELECT v FROM t WHERE id = i);
CREATE FUNCTION taken(i INT) RETURNS INT BEGIN UPDATE t SET v = v + 1 WHERE id = i; RETURN (SELECT v FROM t WHERE id = i); END;
`

// TestInnoDBProcedures: procedures that are all settled on InnoDB, most at READ COMMITTED, have outcomes of serial orders alone
// where a server runs them at the same time, with a pause before each statement.
func TestInnoDBProcedures(t *testing.T) {
	srv := newInnoDBServer(t)
	settled, committed := 0, 0
	for seed := *innodbSeed; seed < *innodbSeed+int64(*innodbRuns); seed++ {
		r := rand.New(rand.NewSource(seed))
		c, names := newProcedureCase(t, r)
		if c == nil || !readcommitted.InOrder(c.program, readcommitted.SettleInnoDB(c.program, engine.MariaDBOff(), c.levels)) {
			continue
		}
		settled++
		for range 2 {
			got := srv.together(c, names)
			committed += len(got.names)
			orders := permutations(got.names)
			if !slices.ContainsFunc(orders, func(order []string) bool { return srv.inOrder(c, order) == got.outcome }) {
				t.Errorf("seed %d, %v: no serial order of %v gives %s\n%s\n%v", seed, c.levels, got.names, got.outcome, c.tables+c.setup, c.sent)
			}
		}
	}
	t.Logf("seed %d: %d settled programs, %d commits", *innodbSeed, settled, committed)
	if settled == 0 || committed == 0 {
		t.Error("nothing was compared")
	}
}

// newProcedureCase draws a program of three procedures. It gives nil for one that is not modelled.
func newProcedureCase(t *testing.T, r *rand.Rand) (c *innodbCase, names []string) {
	c = newInnoDBCase(t, r, 1, func(s string) bool { return strings.HasPrefix(s, "INSERT INTO z VALUES (K, K) ON") })
	if c == nil {
		return nil, nil
	}
	c.sent, c.levels = map[string][]string{}, map[string]string{}
	small := func(string) string { return fmt.Sprint(1 + r.Intn(3)) }
	text := c.tables + procedureFunctions
	level := []string{"READ COMMITTED", "READ COMMITTED", "REPEATABLE READ"}[r.Intn(3)]
	for _, name := range []string{"p", "q", "s"} {
		names = append(names, name)
		body, slow := "", ""
		for range 1 + r.Intn(2) {
			part := procedureParts[r.Intn(len(procedureParts))]
			part = same.ReplaceAllString(part, small(""))
			part = numbers.ReplaceAllStringFunc(part, small)
			body += part + "\n"
			for _, one := range strings.SplitAfter(part, "; ") {
				if strings.HasPrefix(one, "IF ROW_COUNT") || strings.Contains(one, "ROLLBACK") || strings.HasPrefix(one, "SIGNAL") || strings.HasPrefix(one, "END") || strings.HasPrefix(one, "SET r") {
					slow += one
				} else {
					slow += fmt.Sprintf("DO SLEEP(0.0%d); ", r.Intn(4)) + one
				}
			}
		}
		frame := "CREATE PROCEDURE " + name + "(OUT r INT)\nBEGIN\nDECLARE x INT;\nSET r = 0;\nSTART TRANSACTION;\n%sCOMMIT;\nEND"
		text += "DELIMITER //\n" + fmt.Sprintf(frame, body) + "//\nDELIMITER ;\n"
		c.sent[name], c.levels[name] = []string{fmt.Sprintf(frame, slow)}, level
	}
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "case.sql", Text: text}}, sqlmodel.Options{MySQL: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	wellformed.Structure(p)
	if !allModelled(p) {
		return nil, nil
	}
	c.program = p
	return c, names
}

// together runs procedures at the same time.
func (s *innodbServer) together(c *innodbCase, names []string) (out struct {
	names   []string
	outcome string
}) {
	s.ready(c)
	results := make([]string, len(names))
	var all sync.WaitGroup
	for i, n := range names {
		conn := s.session(c, n)
		all.Go(func() { results[i] = called(conn, n) })
	}
	all.Wait()
	for i, n := range names {
		if results[i] != "" {
			out.names = append(out.names, n)
			out.outcome += n + results[i] + " "
		}
	}
	out.outcome += s.final()
	return out
}

// inOrder runs procedures one after the other. Its outcome names them as together does, "" if one fails.
func (s *innodbServer) inOrder(c *innodbCase, order []string) string {
	s.ready(c)
	results := map[string]string{}
	for _, n := range order {
		if results[n] = called(s.session(c, n), n); results[n] == "" {
			return ""
		}
	}
	out := ""
	for _, n := range slices.Sorted(slices.Values(order)) {
		out += n + results[n] + " "
	}
	return out + s.final()
}

// ready makes the rows and procedures of a case.
func (s *innodbServer) ready(c *innodbCase) {
	s.start(c)
	for _, f := range strings.SplitAfter(strings.TrimSpace(procedureFunctions), ";\n") {
		s.must(s.main, f)
	}
	for _, n := range c.sent {
		s.must(s.main, n[0])
	}
}

// session opens a session at the level of a procedure.
func (s *innodbServer) session(c *innodbCase, name string) *sql.Conn {
	conn := s.begin(c.levels[name], "OFF", 5)
	s.must(conn, "ROLLBACK")
	return conn
}

// called calls a procedure, and gives the value of its parameter, "" if it fails.
func called(conn *sql.Conn, name string) string {
	defer conn.Close()
	if _, err := send(conn, "CALL "+name+"(@r)"); err != nil {
		send(conn, "ROLLBACK")
		return ""
	}
	got, err := send(conn, "SELECT @r")
	if err != nil {
		return ""
	}
	return got
}

// permutations are all orders of names.
func permutations(names []string) [][]string {
	if len(names) == 0 {
		return [][]string{nil}
	}
	var out [][]string
	for i, n := range names {
		for _, rest := range permutations(slices.Delete(slices.Clone(names), i, i+1)) {
			out = append(out, append([]string{n}, rest...))
		}
	}
	return out
}
