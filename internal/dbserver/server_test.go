package dbserver_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"

	"github.com/txrobust/robust/internal/dbserver"
	"github.com/txrobust/robust/internal/pgtest"
)

// kinds have for each system what its version is called, and how to ask it.
var kinds = map[dbserver.Kind]struct {
	program string
	one     func(ctx context.Context, s *dbserver.Server) (int, error)
}{
	dbserver.Postgres: {"PostgreSQL", func(ctx context.Context, s *dbserver.Server) (one int, err error) {
		conn, err := pgx.Connect(ctx, s.DSN("postgres"))
		if err != nil {
			return 0, err
		}
		defer conn.Close(ctx)
		err = conn.QueryRow(ctx, "SELECT 1").Scan(&one)
		return one, err
	}},
	dbserver.MariaDB: {"MariaDB", func(ctx context.Context, s *dbserver.Server) (one int, err error) {
		db, err := sql.Open("mysql", s.DSN(""))
		if err != nil {
			return 0, err
		}
		defer db.Close()
		err = db.QueryRowContext(ctx, "SELECT 1").Scan(&one)
		return one, err
	}},
}

// TestClose: a server answers, and nothing is left of it when it was closed.
func TestClose(t *testing.T) {
	for kind, how := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			s, err := kind.Start(t.Context())
			pgtest.SkipMissing(t, err)
			defer s.Close()
			if !strings.Contains(s.Version, how.program) {
				t.Errorf("its version is %q", s.Version)
			}
			if one, err := how.one(t.Context(), s); err != nil || one != 1 {
				t.Fatal(one, err)
			}
			for range 2 { // closing twice is allowed
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := os.Stat(s.Dir()); !os.IsNotExist(err) {
				t.Errorf("its folder is still there: %v", err)
			}
			if _, err := how.one(t.Context(), s); err == nil {
				t.Error("it still answers")
			}
		})
	}
}

// TestInterruptedStart: a start that is given up leaves nothing.
func TestInterruptedStart(t *testing.T) {
	temp, err := os.MkdirTemp("", "dbserver-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(temp)
	if err := os.Chmod(temp, 0o777); err != nil { // the server may be another user
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	for kind := range kinds {
		pgtest.SkipMissing(t, kind.Installed())
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		s, err := kind.Start(ctx)
		cancel()
		if err == nil {
			s.Close()
			t.Fatalf("%s has started within 50 ms", kind)
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", kind, err)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%s left %v, %v", kind, left, err)
		}
	}
}

// TestBesides: servers that start at the same time do not remove each other's temporary tables.
func TestBesides(t *testing.T) {
	if err := dbserver.MariaDB.Installed(); err != nil {
		t.Skip(err)
	}
	s, err := dbserver.MariaDB.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	db, err := sql.Open("mysql", s.DSN(""))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var tmp string
	if err := db.QueryRowContext(t.Context(), "SELECT @@tmpdir").Scan(&tmp); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(tmp, s.Dir()+"/") {
		t.Errorf("temporary tables are in %s, the server in %s", tmp, s.Dir())
	}
}
