package sqlmodel

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/txrobust/robust/internal/pgtest"
)

// handled are blocks with EXCEPTION that run after other was committed, with a
// snapshot from before that. What they give cannot be told from the snapshot.
var handled = []struct{ name, other, body, want string }{
	{"a key that the snapshot does not show", "INSERT INTO t VALUES (3, 0)",
		"INSERT INTO t VALUES (3, 1); RETURN 'inserted'; EXCEPTION WHEN unique_violation THEN RETURN 'taken, seen: ' || (SELECT count(*) FROM t WHERE k = 3);",
		"taken, seen: 0"},
	{"a key that the snapshot still shows", "DELETE FROM t WHERE k = 2",
		"INSERT INTO t VALUES (2, 1); RETURN 'inserted'; EXCEPTION WHEN unique_violation THEN RETURN 'taken';",
		"inserted"},
	{"a parent that the snapshot still shows", "DELETE FROM t WHERE k = 2",
		"INSERT INTO child VALUES (1, 2); RETURN 'inserted'; EXCEPTION WHEN others THEN RETURN SQLSTATE || ', seen: ' || (SELECT count(*) FROM t WHERE k = 2);",
		"40001, seen: 1"},
	{"a parent that the snapshot does not show", "INSERT INTO t VALUES (3, 0)",
		"INSERT INTO child VALUES (1, 3); RETURN 'inserted'; EXCEPTION WHEN others THEN RETURN SQLSTATE;",
		"23503"},
	{"a child that the snapshot does not show", "INSERT INTO child VALUES (1, 2)",
		"DELETE FROM t WHERE k = 2; RETURN 'deleted'; EXCEPTION WHEN foreign_key_violation THEN RETURN 'children, seen: ' || (SELECT count(*) FROM child);",
		"children, seen: 0"},
	{"a row that changed", "UPDATE t SET x = 1 WHERE k = 1",
		"UPDATE t SET x = 2 WHERE k = 1; RETURN 'updated'; EXCEPTION WHEN others THEN RETURN SQLSTATE;",
		"40001"},
	{"a lock of a row that changed", "UPDATE t SET x = 1 WHERE k = 1",
		"PERFORM FROM t WHERE k = 1 FOR UPDATE; RETURN 'locked'; EXCEPTION WHEN others THEN RETURN SQLSTATE;",
		"40001"},
	{"a query", "UPDATE t SET x = 1 WHERE k = 1",
		"PERFORM FROM t WHERE k = 1 AND x = 0; IF NOT FOUND THEN RAISE EXCEPTION 'x'; END IF; RETURN 'read'; EXCEPTION WHEN others THEN RETURN SQLSTATE;",
		"read"},
	{"a value that breaks a check, of a row that changed", "UPDATE t SET x = 1 WHERE k = 1",
		"UPDATE t SET x = -1 WHERE k = 1; RETURN 'updated'; EXCEPTION WHEN others THEN RETURN SQLSTATE;",
		"23514"},
	{"a new row", "INSERT INTO journal (n) VALUES (1)",
		"INSERT INTO journal (n) VALUES (1); RETURN 'inserted'; EXCEPTION WHEN others THEN RETURN SQLSTATE;",
		"inserted"},
}

// TestHandledOnServer says why some handlers make a block unmodelled: whether they
// run depends on what other transactions have committed since the snapshot.
func TestHandledOnServer(t *testing.T) {
	server := pgtest.Open(t)
	ctx := context.Background()
	for i, h := range handled {
		dsn := server.Database(t)
		server.Exec(t, dsn, `
CREATE TABLE t (k int PRIMARY KEY, x int CHECK (x >= 0)); INSERT INTO t VALUES (1, 0), (2, 0);
CREATE TABLE child (id int PRIMARY KEY, k int REFERENCES t);
CREATE TABLE journal (id serial PRIMARY KEY, n int);`)
		server.Exec(t, dsn, fmt.Sprintf("CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $$ BEGIN %s END $$", h.body))
		conn := server.Conn(t, dsn)
		tx := "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM t;"
		if _, err := conn.Exec(ctx, tx); err != nil {
			t.Fatal(err)
		}
		server.Exec(t, dsn, h.other)
		var got string
		if err := conn.QueryRow(ctx, "SELECT f()").Scan(&got); err != nil {
			t.Fatalf("%d, %s: %v", i, h.name, err)
		}
		if got != h.want {
			t.Errorf("%s: got %q, want %q", h.name, got, h.want)
		}
		if _, err := conn.Exec(ctx, "COMMIT"); err != nil {
			t.Errorf("%s: %v", h.name, err)
		}
	}
}

// TestDeadlockOfQuery: a query can be the victim of a deadlock where tables are
// locked, and OTHERS catches that.
func TestDeadlockOfQuery(t *testing.T) {
	server := pgtest.Open(t)
	dsn := server.Database(t)
	server.Exec(t, dsn, `CREATE TABLE t (k int PRIMARY KEY, x int); CREATE TABLE u (k int);
CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $$
BEGIN PERFORM FROM u; RETURN 'read'; EXCEPTION WHEN others THEN RETURN SQLSTATE; END $$;`)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	a, b := server.Conn(t, dsn), server.Conn(t, dsn)
	if _, err := a.Exec(ctx, "SET deadlock_timeout = '100ms'; BEGIN ISOLATION LEVEL REPEATABLE READ; INSERT INTO t VALUES (1, 1)"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Exec(ctx, "SET deadlock_timeout = '1h'; BEGIN; LOCK TABLE u"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := b.Exec(ctx, "LOCK TABLE t; COMMIT")
		done <- err
	}()
	waiting := "SELECT count(*) FROM pg_locks WHERE NOT granted"
	for n := 0; n == 0; {
		if err := server.Conn(t, dsn).QueryRow(ctx, waiting).Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	var got string
	if err := a.QueryRow(ctx, "SELECT f()").Scan(&got); err != nil || got != "40P01" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := a.Exec(ctx, "COMMIT"); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
