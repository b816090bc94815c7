package pgtest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/txrobust/robust/internal/dbserver"
)

// Server is a running PostgreSQL.
type Server struct{ *dbserver.Server }

// databases counts those that were made.
var databases atomic.Int64

// RequireEnv is the environment variable that turns a missing PostgreSQL from
// a skipped test into a failed one.
const RequireEnv = "ROBUST_CI"

// shared is the server of this test binary, which ends with it.
var shared = sync.OnceValues(func() (*dbserver.Server, error) { return dbserver.Postgres.Start(context.Background()) })

// Open gives the server of this test binary, which the first call starts. The
// test is skipped where PostgreSQL is not installed; it fails there instead
// when the environment has ROBUST_CI=1, and whenever the server does not start.
func Open(t testing.TB) *Server {
	t.Helper()
	s, err := shared()
	SkipMissing(t, err)
	return &Server{s}
}

// SkipMissing fails the test if err is not nil. Where the programs of a server are
// not installed, it skips the test, unless the environment has ROBUST_CI=1.
func SkipMissing(t testing.TB, err error) {
	t.Helper()
	missing, is := errors.AsType[*dbserver.Missing](err)
	switch {
	case is && os.Getenv(RequireEnv) != "1":
		t.Skipf("%v: install it to run this test", missing)
	case err != nil:
		t.Fatal(err)
	}
}

// Database makes an empty database, which is dropped at the end of the test,
// and gives its connection string, a URL.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	return s.create(t, "template0")
}

// Clone is Database with the contents of the database at dsn, to which nobody
// may be connected.
func (s *Server) Clone(t testing.TB, dsn string) string {
	t.Helper()
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return s.create(t, cfg.Database)
}

func (s *Server) create(t testing.TB, template string) string {
	t.Helper()
	name := "t" + strconv.FormatInt(databases.Add(1), 10)
	s.admin(t, "CREATE DATABASE "+name+" TEMPLATE "+template)
	t.Cleanup(func() { s.admin(t, "DROP DATABASE "+name+" WITH (FORCE)") })
	return s.DSN(name)
}

func (s *Server) admin(t testing.TB, sql string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// Conn connects to dsn until the end of the test.
func (s *Server) Conn(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// Exec runs SQL text of any number of statements on a connection of its own.
func (s *Server) Exec(t testing.TB, dsn string, sql ...string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, text := range sql {
		if _, err := conn.PgConn().Exec(ctx, text).ReadAll(); err != nil {
			t.Fatalf("%v\nin: %s", err, text)
		}
	}
}

// Program finds a client program of PostgreSQL, such as psql. Where it is not installed,
// the test is skipped, or fails as Open says.
func Program(t testing.TB, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) > 0 {
		return found[len(found)-1]
	}
	if os.Getenv(RequireEnv) == "1" {
		t.Fatalf("%s is missing", name)
	}
	t.Skipf("%s is missing: install the clients of PostgreSQL to run this test", name)
	return ""
}
