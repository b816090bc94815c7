package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a running PostgreSQL.
type Server struct {
	Version string // as the program says, such as "postgres (PostgreSQL) 15.18"

	host      string
	port      int
	password  string
	databases atomic.Int64
	alive     *os.File // the supervisor stops the server when this is closed
}

// RequireEnv is the environment variable that turns a missing PostgreSQL from
// a skipped test into a failed one.
const RequireEnv = "ROBUST_CI"

// shared is the server of this test binary.
var shared = sync.OnceValues(start)

// Open gives the server of this test binary, which the first call starts. The
// test is skipped where PostgreSQL is not installed; it fails there instead
// when the environment has ROBUST_CI=1, and whenever the server does not start.
func Open(t testing.TB) *Server {
	t.Helper()
	s, err := shared()
	switch {
	case errors.Is(err, errMissing) && os.Getenv(RequireEnv) != "1":
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
bin=$1 dir=$2
shift 2
if "$bin/initdb" -D "$dir/data" -U postgres -A scram-sha-256 --pwfile "$dir/password" -E UTF8 --locale=C -N >"$dir/log" 2>&1
then
  "$bin/postgres" -D "$dir/data" -k "$dir" "$@" >"$dir/log" 2>&1 3<&- &
  server=$!
  (cat <&3; kill -QUIT $server) >/dev/null 2>&1 &
  exec 3<&-
  wait $server
fi
cat "$dir/log"
rm -rf "$dir"
`

// settings trade durability for speed, and make runs alike.
var settings = [...]string{
	"fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off", "jit=off",
	"deadlock_timeout=200ms", "timezone=UTC", "max_connections=100",
}

func start() (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		s, log, err := startOnce(bin)
		switch {
		case err == nil:
			return s, nil
		case attempt < 3 && strings.Contains(log, "could not bind"):
			// Somebody else took the port in the meantime.
		default:
			return nil, fmt.Errorf("pgtest: the server did not start: %w\n%s", err, log)
		}
	}
}

// startOnce starts a server on some port. When it fails, log is what the
// programs said.
func startOnce(bin string) (s *Server, log string, err error) {
	who, uid, gid, err := unprivileged()
	if err != nil {
		return nil, "", err
	}
	version, err := exec.Command(filepath.Join(bin, "postgres"), "--version").Output()
	if err != nil {
		return nil, "", err
	}
	s = &Server{Version: strings.TrimSpace(string(version)), host: "127.0.0.1", password: rand.Text()}
	if s.port, err = freePort(); err != nil {
		return nil, "", err
	}
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		return nil, "", err
	}
	fail := func(err error) (*Server, string, error) {
		return nil, "", errors.Join(err, os.RemoveAll(dir))
	}
	secret := filepath.Join(dir, "password")
	if err := os.WriteFile(secret, []byte(s.password+"\n"), 0o600); err != nil {
		return fail(err)
	}
	for _, path := range []string{dir, secret} {
		if err := os.Chown(path, uid, gid); err != nil {
			return fail(err)
		}
	}
	args := []string{"-c", supervisor, "pgtest", bin, dir, "-h", s.host, "-p", strconv.Itoa(s.port)}
	for _, set := range settings {
		args = append(args, "-c", set)
	}
	cmd := exec.Command("/bin/sh", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "LC_ALL=C", "PGOPTIONS=")
	// A process group of its own: an interrupt is for the test binary.
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who, Setpgid: true}
	var out strings.Builder
	cmd.Stdout = &out
	stdin, alive, err := os.Pipe()
	if err != nil {
		return fail(err)
	}
	defer stdin.Close()
	cmd.Stdin = stdin
	if err := cmd.Start(); err != nil {
		alive.Close()
		return fail(err)
	}
	s.alive = alive
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if err := s.await(ended); err != nil {
		alive.Close()
		<-ended
		return nil, out.String(), err
	}
	return s, "", nil
}

// await returns when the server answers, or has ended.
func (s *Server) await(ended chan error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.dsn("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case end := <-ended:
			ended <- end
			return errors.New("it has ended")
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *Server) dsn(database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword("postgres", s.password),
		Host: net.JoinHostPort(s.host, strconv.Itoa(s.port)), Path: "/" + database, RawQuery: "sslmode=disable"}
	return u.String()
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
	name := "t" + strconv.FormatInt(s.databases.Add(1), 10)
	s.admin(t, "CREATE DATABASE "+name+" TEMPLATE "+template)
	t.Cleanup(func() { s.admin(t, "DROP DATABASE "+name+" WITH (FORCE)") })
	return s.dsn(name)
}

func (s *Server) admin(t testing.TB, sql string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.dsn("postgres"))
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

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// unprivileged says as whom to run the server: as the caller (a nil
// credential), or as another user when the caller is root.
func unprivileged() (who *syscall.Credential, uid, gid int, err error) {
	if os.Geteuid() != 0 {
		return nil, os.Getuid(), os.Getgid(), nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err := errors.Join(err1, err2); err != nil {
			return nil, 0, 0, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, uid, gid, nil
	}
	return nil, 0, 0, errors.New("pgtest: PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")
}
