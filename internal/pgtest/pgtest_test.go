package pgtest_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/txrobust/robust/internal/pgtest"
)

func TestDatabase(t *testing.T) {
	s := pgtest.Open(t)
	if !strings.Contains(s.Version, "PostgreSQL") {
		t.Errorf("version %q", s.Version)
	}
	var first string
	t.Run("use", func(t *testing.T) {
		first = s.Database(t)
		s.Exec(t, first, "CREATE TABLE t (v int); INSERT INTO t VALUES (7)")
		var v int
		if err := s.Conn(t, s.Clone(t, first)).QueryRow(t.Context(), "SELECT v FROM t").Scan(&v); err != nil || v != 7 {
			t.Errorf("the clone has %d, %v", v, err)
		}
		var n int
		if err := s.Conn(t, s.Database(t)).QueryRow(t.Context(), "SELECT count(*) FROM pg_class WHERE relname = 't'").Scan(&n); err != nil || n != 0 {
			t.Errorf("a new database has %d tables t, %v", n, err)
		}
	})
	if conn, err := pgx.Connect(context.Background(), first); err == nil {
		conn.Close(context.Background())
		t.Error("the database is still there after its test")
	}
}

const accounts = `CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL); INSERT INTO t VALUES (1, 0), (2, 0)`

func TestPlay(t *testing.T) {
	s := pgtest.Open(t)
	for _, tc := range []struct {
		name, level, script string
		committed, codes    string // sessions, SQLSTATEs
		all                 bool
	}{
		{"write skew", pgtest.RepeatableRead, `
			A: BEGIN
			A: SELECT v FROM t WHERE id = 1    -> 0
			B: BEGIN
			B: SELECT v FROM t WHERE id = 2    -> 0
			B: UPDATE t SET v = 1 WHERE id = 1 -> UPDATE 1
			B: COMMIT                          -> COMMIT
			A: UPDATE t SET v = 1 WHERE id = 2
			A: COMMIT`, "A B", "", true},
		{"write skew refused", pgtest.Serializable, `
			A: BEGIN
			A: SELECT v FROM t WHERE id = 1
			B: BEGIN
			B: SELECT v FROM t WHERE id = 2
			B: UPDATE t SET v = 1 WHERE id = 1
			B: COMMIT
			A: UPDATE t SET v = 1 WHERE id = 2 -> 40001
			A: SELECT 1                        -> 25P02
			A: COMMIT                          -> ROLLBACK`, "B", "40001", false},
		{"wait", pgtest.RepeatableRead, `
			A: BEGIN
			A: UPDATE t SET v = 1 WHERE id = 1
			B: BEGIN
			B: UPDATE t SET v = 2 WHERE id = 1 -> blocks, 40001
			C: SELECT v FROM t WHERE id = 1    -> 0
			A: COMMIT
			B: ROLLBACK                        -> ROLLBACK`, "A C", "40001", false},
		{"wait for a rollback", pgtest.RepeatableRead, `
			A: BEGIN
			A: UPDATE t SET v = 1 WHERE id = 1
			B: UPDATE t SET v = v + 5 WHERE id = 1 RETURNING v -> blocks, 5
			A: ROLLBACK`, "B", "", false},
		{"deadlock", pgtest.RepeatableRead, `
			A: SET deadlock_timeout = '1s'
			B: SET deadlock_timeout = '20s'
			A: BEGIN
			B: BEGIN
			A: UPDATE t SET v = 1 WHERE id = 1
			B: UPDATE t SET v = 1 WHERE id = 2
			A: UPDATE t SET v = 1 WHERE id = 2 -> blocks, 40P01
			B: UPDATE t SET v = 1 WHERE id = 1 -> blocks, UPDATE 1
			A: COMMIT                          -> ROLLBACK
			B: COMMIT                          -> COMMIT`, "B", "40P01", false},
		{"left open", pgtest.RepeatableRead, `
			-- The savepoint's rollback is not the transaction's.
			A: BEGIN
			A: SAVEPOINT s
			A: ROLLBACK TO s
			B: SELECT NULL, '', id FROM t WHERE id < 0 -> no rows
			B: SELECT NULL, '', id FROM t ORDER BY id  -> NULL, '', 1 | NULL, '', 2`, "B", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dsn := s.Database(t)
			s.Exec(t, dsn, accounts)
			out := pgtest.Play(t, dsn, tc.level, tc.script)
			var committed []string
			for name, ok := range out.Committed {
				if ok {
					committed = append(committed, name)
				}
			}
			slices.Sort(committed)
			if got := strings.Join(committed, " "); got != tc.committed {
				t.Errorf("committed: %s, want %s", got, tc.committed)
			}
			if got := strings.Join(out.Codes(), " "); got != tc.codes {
				t.Errorf("codes: %s, want %s", got, tc.codes)
			}
			if out.All() != tc.all {
				t.Errorf("All is %v", out.All())
			}
		})
	}
}

func TestRunStuck(t *testing.T) {
	s := pgtest.Open(t)
	dsn := s.Database(t)
	s.Exec(t, dsn, accounts)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := pgtest.Run(ctx, dsn, pgtest.Schedule{Level: pgtest.RepeatableRead, Steps: []pgtest.Step{
		{"A", "BEGIN"}, {"A", "UPDATE t SET v = 1 WHERE id = 1"}, {"B", "UPDATE t SET v = 1 WHERE id = 1"}, {"B", "SELECT 1"}}})
	const want = "step 4 (B: SELECT 1): the session still waits for a lock in: UPDATE t SET v = 1 WHERE id = 1"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestParseScript(t *testing.T) {
	if _, err := pgtest.ParseScript(pgtest.RepeatableRead, "SELECT 'a:b'"); err == nil {
		t.Error("a step without a session is accepted")
	}
	got, err := pgtest.ParseScript(pgtest.RepeatableRead, "\n-- no step\n A: SELECT '{}'::json->'x' -> NULL\nB: COMMIT")
	if err != nil {
		t.Fatal(err)
	}
	steps := []pgtest.Step{{Session: "A", SQL: "SELECT '{}'::json->'x'"}, {Session: "B", SQL: "COMMIT"}}
	if !slices.Equal(got.Steps, steps) || !slices.Equal(got.Want, []string{"NULL", ""}) {
		t.Errorf("%+v", got)
	}
}

// TestServerEndsWithTestBinary kills a test binary and looks for its server.
func TestServerEndsWithTestBinary(t *testing.T) {
	pgtest.Open(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperHang$")
	cmd.Env = append(os.Environ(), "PGTEST_HANG=1")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	var dsn, dir string
	for dir == "" && lines.Scan() {
		fmt.Sscanf(lines.Text(), "HANG %s %s", &dsn, &dir)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if dir == "" {
		t.Fatal("the helper did not start a server")
	}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(dir); os.IsNotExist(err) {
			if conn, err := pgx.Connect(t.Context(), dsn); err == nil {
				conn.Close(t.Context())
				t.Error("the folder is gone, but the server answers")
			}
			return
		}
	}
	t.Errorf("%s is still there", dir)
}

func TestHelperHang(t *testing.T) {
	if os.Getenv("PGTEST_HANG") == "" {
		t.Skip("runs as a helper only")
	}
	s := pgtest.Open(t)
	dsn := s.Database(t)
	var data string
	if err := s.Conn(t, dsn).QueryRow(t.Context(), "SHOW data_directory").Scan(&data); err != nil {
		t.Fatal(err)
	}
	fmt.Println("HANG", dsn, strings.TrimSuffix(data, "/data"))
	time.Sleep(time.Hour)
}
