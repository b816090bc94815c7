package mariatest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/txrobust/robust/internal/pgtest"
)

// Server is a running MariaDB.
type Server struct {
	db    *sql.DB
	alive *os.File // the supervisor stops the server when this is closed
}

var shared = sync.OnceValues(start)

var errMissing = errors.New("MariaDB is not installed (Debian: apt-get install mariadb-server)")

// Open gives the server of this test binary, which the first call starts.
func Open(t testing.TB) *Server {
	t.Helper()
	s, err := shared()
	switch {
	case errors.Is(err, errMissing) && os.Getenv(pgtest.RequireEnv) != "1":
		t.Skipf("%v: install it to run this test", err)
	case err != nil:
		t.Fatal(err)
	}
	return s
}

// supervisor makes the data folder, runs the server, and removes the folder
// when the server has ended, which is at the latest when the standard input
// does: it is a pipe that only the test binary can write to.
const supervisor = `
exec 3<&0 </dev/null
dir=$1 install=$2 server=$3
if "$install" --no-defaults --datadir="$dir/data" --auth-root-authentication-method=normal --skip-test-db >"$dir/log" 2>&1
then
  "$server" --no-defaults --user="$(id -un)" --datadir="$dir/data" --socket="$dir/socket" --pid-file="$dir/pid" --skip-networking \
    --skip-log-bin --innodb-flush-log-at-trx-commit=0 --innodb-lock-wait-timeout=5 --innodb-buffer-pool-size=16M >>"$dir/log" 2>&1 3<&- &
  child=$!
  (cat <&3; kill -KILL $child) >/dev/null 2>&1 &
  exec 3<&-
  wait $child
fi
cat "$dir/log"
rm -rf "$dir"
`

// find looks for a program by its names, in the path and where servers are.
func find(names ...string) string {
	for _, name := range names {
		for _, dir := range []string{"", "/usr/sbin", "/usr/local/sbin"} {
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return path
			}
		}
	}
	return ""
}

func start() (*Server, error) {
	install, server := find("mariadb-install-db"), find("mariadbd")
	if install == "" || server == "" {
		return nil, errMissing
	}
	dir, err := os.MkdirTemp("", "mariatest")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("/bin/sh", "-c", supervisor, "mariatest", dir, install, server)
	cmd.Env = append(os.Environ(), "HOME="+dir, "LC_ALL=C")
	// A process group of its own: an interrupt is for the test binary.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out strings.Builder
	cmd.Stdout = &out
	stdin, alive, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	defer stdin.Close()
	cmd.Stdin = stdin
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, alive.Close(), os.RemoveAll(dir))
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.MultiStatements = "root", "unix", filepath.Join(dir, "socket"), true
	cfg.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, errors.Join(err, alive.Close())
	}
	s := &Server{db: sql.OpenDB(connector), alive: alive}
	deadline := time.Now().Add(2 * time.Minute)
	for {
		err := s.db.Ping()
		if err == nil {
			_, err = s.db.Exec("CREATE DATABASE cases")
			return s, err
		}
		select {
		case <-ended:
			return nil, fmt.Errorf("mariatest: the server did not start\n%s", out.String())
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return nil, errors.Join(err, alive.Close())
		}
	}
}

// Conn opens a session in an empty database, at REPEATABLE READ with
// innodb_snapshot_isolation on.
func (s *Server) Conn(t testing.TB) *sql.Conn {
	t.Helper()
	ctx := context.Background()
	conn, err := s.db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := conn.ExecContext(ctx, "DROP DATABASE cases; CREATE DATABASE cases; USE cases; "+
		"SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ; SET SESSION innodb_snapshot_isolation=ON"); err != nil {
		t.Fatal(err)
	}
	return conn
}

// Play runs a schedule after setup in an empty database, with
// innodb_snapshot_isolation on or off, and compares what the statements do with
// what the schedule says.
func (s *Server) Play(t testing.TB, snapshotIsolation bool, setup, text string) {
	t.Helper()
	script, err := pgtest.ParseScript("REPEATABLE READ", text)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), pgtest.Deadline)
	defer cancel()
	if _, err := s.db.ExecContext(ctx, "DROP DATABASE cases; CREATE DATABASE cases; USE cases; "+setup); err != nil {
		t.Fatal(err)
	}
	sessions := map[string]*sql.Conn{}
	defer func() {
		for _, c := range sessions {
			c.ExecContext(context.Background(), "ROLLBACK")
			c.Close()
		}
	}()
	on := "OFF"
	if snapshotIsolation {
		on = "ON"
	}
	for i, step := range script.Steps {
		conn := sessions[step.Session]
		if conn == nil {
			if conn, err = s.db.Conn(ctx); err != nil {
				t.Fatal(err)
			}
			sessions[step.Session] = conn
			if _, err := conn.ExecContext(ctx, "USE cases; SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ; SET SESSION innodb_snapshot_isolation="+on); err != nil {
				t.Fatal(err)
			}
		}
		got := outcome(ctx, conn, step.SQL)
		if want := script.Want[i]; want != got && (want != "" || strings.HasPrefix(got, "error")) {
			t.Errorf("snapshot isolation %s, step %d: %s: %s\n  got  %s\n  want %s", on, i+1, step.Session, step.SQL, got, want)
		}
	}
}

// outcome runs a statement: the rows with " | " between them, the number of
// rows that it changed, or the number of its error.
func outcome(ctx context.Context, conn *sql.Conn, stmt string) string {
	if !strings.HasPrefix(stmt, "SELECT") {
		res, err := conn.ExecContext(ctx, stmt)
		if err != nil {
			return failure(err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return failure(err)
		}
		return fmt.Sprint(n)
	}
	rows, err := conn.QueryContext(ctx, stmt)
	if err != nil {
		return failure(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var v sql.NullString
		if err := rows.Scan(&v); err != nil {
			return failure(err)
		}
		out = append(out, v.String)
	}
	if err := rows.Err(); err != nil {
		return failure(err)
	}
	if len(out) == 0 {
		return "no rows"
	}
	return strings.Join(out, " | ")
}

func failure(err error) string {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return fmt.Sprintf("error %d", e.Number)
	}
	return "error: " + err.Error()
}
