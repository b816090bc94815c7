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
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/txrobust/robust/internal/dbserver"
	"github.com/txrobust/robust/internal/pgtest"
)

// TestCrash kills servers, and looks for what they had acknowledged; and pauses them.
func TestCrash(t *testing.T) {
	for kind, driver := range map[dbserver.Kind]string{dbserver.Postgres: "pgx", dbserver.MariaDB: "mysql"} {
		t.Run(string(kind), func(t *testing.T) {
			ctx := t.Context()
			s, err := kind.StartWith(ctx, dbserver.Options{Durable: true})
			pgtest.SkipMissing(t, err)
			defer s.Close()
			db, err := sql.Open(driver, s.DSN(map[dbserver.Kind]string{dbserver.Postgres: "postgres", dbserver.MariaDB: "mysql"}[kind]))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.ExecContext(ctx, "CREATE TABLE kept (n int)"); err != nil {
				t.Fatal(err)
			}
			for n := range 3 {
				if _, err := db.ExecContext(ctx, "INSERT INTO kept SELECT count(*) FROM kept"); err != nil {
					t.Fatal(err)
				}
				if err := s.Crash(ctx); err != nil {
					t.Fatal(err)
				}
				var rows int
				if err := retried(func() error { return db.QueryRowContext(ctx, "SELECT count(*) FROM kept").Scan(&rows) }); err != nil || rows != n+1 {
					t.Fatalf("after crash %d there are %d rows, %v", n+1, rows, err)
				}
			}
			if err := s.Pause(); err != nil {
				t.Fatal(err)
			}
			short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
			defer cancel()
			var one int
			if err := db.QueryRowContext(short, "SELECT 1").Scan(&one); err == nil {
				t.Error("a server that is paused answers")
			}
			if err := s.Resume(); err != nil {
				t.Fatal(err)
			}
			if err := retried(func() error { return db.QueryRowContext(ctx, "SELECT 1").Scan(&one) }); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFullDisk fills the disk of a server: it refuses or ends, and has afterwards what it had
// acknowledged.
func TestFullDisk(t *testing.T) {
	for kind, driver := range map[dbserver.Kind]string{dbserver.Postgres: "pgx", dbserver.MariaDB: "mysql"} {
		t.Run(string(kind), func(t *testing.T) {
			ctx := t.Context()
			s, err := kind.StartWith(ctx, dbserver.Options{Durable: true, Disk: 200})
			if errors.Is(err, dbserver.ErrNoDisk) {
				t.Skip(err)
			}
			pgtest.SkipMissing(t, err)
			defer s.Close()
			db, err := sql.Open(driver, s.DSN(map[dbserver.Kind]string{dbserver.Postgres: "postgres", dbserver.MariaDB: "mysql"}[kind]))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.ExecContext(ctx, "CREATE TABLE kept (n int, filler text)"); err != nil {
				t.Fatal(err)
			}
			over := make(chan error, 1)
			go func() { over <- s.FillDisk(ctx, time.Second) }()
			kept, refused := 0, 0
			for going := true; going; {
				select {
				case err := <-over:
					if err != nil {
						t.Fatal(err)
					}
					going = false
				default:
				}
				short, cancel := context.WithTimeout(ctx, time.Second)
				if _, err := db.ExecContext(short, "INSERT INTO kept VALUES (1, '"+strings.Repeat("x", 7000)+"')"); err == nil {
					kept++
				} else if refused++; refused == 1 {
					t.Log(err)
				}
				cancel()
			}
			t.Logf("%d kept, %d refused", kept, refused)
			if kept == 0 || refused == 0 {
				t.Errorf("%d rows were taken, and %d were not", kept, refused)
			}
			var rows int
			if err := retried(func() error { return db.QueryRowContext(ctx, "SELECT count(*) FROM kept").Scan(&rows) }); err != nil || rows < kept {
				t.Errorf("there are %d rows of %d, %v", rows, kept, err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(s.Dir()); !os.IsNotExist(err) {
				t.Errorf("its folder is still there: %v", err)
			}
		})
	}
}

// retried gives a pool time to forget connections that are gone.
func retried(f func() error) (err error) {
	for range 10 {
		if err = f(); err == nil {
			return nil
		}
	}
	return err
}
