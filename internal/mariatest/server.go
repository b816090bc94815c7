package mariatest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/txrobust/robust/internal/dbserver"
	"github.com/txrobust/robust/internal/pgtest"
)

// Server is a running MariaDB.
type Server struct{ db *sql.DB }

// shared is the server of this test binary, which ends with it.
var shared = sync.OnceValues(start)

// Open gives the server of this test binary, which the first call starts.
func Open(t testing.TB) *Server {
	t.Helper()
	s, err := shared()
	pgtest.SkipMissing(t, err)
	return s
}

func start() (*Server, error) {
	private, err := dbserver.MariaDB.Start(context.Background())
	if err != nil {
		return nil, err
	}
	cfg, err := mysql.ParseDSN(private.DSN(""))
	if err != nil {
		return nil, err
	}
	cfg.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	s := &Server{sql.OpenDB(connector)}
	_, err = s.db.Exec("CREATE DATABASE cases")
	return s, err
}

// Session opens a session that is in no database.
func (s *Server) Session(t testing.TB) *sql.Conn {
	t.Helper()
	conn, err := s.db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
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
