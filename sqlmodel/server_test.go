package sqlmodel

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/internal/pgtest"
	"golang.org/x/tools/txtar"
)

// refused are the golden cases that the server does not accept, and why.
var refused = map[string]string{
	"ddl.txtar/types.sql":            "needs the extension citext",
	"ddl.txtar/checks.sql":           "calls a function that does not exist",
	"ddl.txtar/left out.sql":         "needs extensions",
	"ddl.txtar/alter.sql":            "names a role that does not exist",
	"calls.txtar/other language.sql": "names a library that does not exist",
}

// TestGoldenOnServer checks that the cases of the golden files are accepted by
// a real server.
func TestGoldenOnServer(t *testing.T) {
	server := pgtest.Open(t)
	conn := server.Conn(t, server.Database(t)).PgConn()
	ctx := context.Background()
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		schema := ""
		for _, f := range ar.Files {
			if f.Name == "schema.sql" {
				schema = string(f.Data)
				continue
			}
			input := string(f.Data)
			switch filepath.Ext(f.Name) {
			case ".ir", ".psql":
				continue
			case ".pl":
				input = wrapped(schema, input)
			}
			name := filepath.Base(file) + "/" + f.Name
			_, err := conn.Exec(ctx, "BEGIN; CREATE SEQUENCE s;"+schema+input).ReadAll()
			if _, err := conn.Exec(ctx, "ROLLBACK").ReadAll(); err != nil {
				t.Fatal(err)
			}
			if why := refused[name]; err != nil && why == "" {
				t.Errorf("%s: %v\n%s", name, err, input)
			} else if err == nil && why != "" {
				t.Errorf("%s is accepted, but should not be: it %s", name, why)
			}
		}
	}
}

// TestLockInsideIsTooLate checks what snapshotFirst relies on: the query that
// calls a function takes the snapshot before LOCK TABLE in its body waits.
func TestLockInsideIsTooLate(t *testing.T) {
	server := pgtest.Open(t)
	dsn := server.Database(t)
	server.Exec(t, dsn, `
		CREATE TABLE a (k int PRIMARY KEY, x int);
		INSERT INTO a VALUES (1, 0);
		CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$
		BEGIN LOCK TABLE a; RETURN (SELECT x FROM a); END $$;
		CREATE PROCEDURE p(INOUT v int) LANGUAGE plpgsql AS $$
		BEGIN LOCK TABLE a; v := (SELECT x FROM a); END $$;`)
	ctx, cancel := context.WithTimeout(context.Background(), pgtest.Deadline)
	defer cancel()
	for i, call := range []string{"SELECT f()", "CALL p(0)"} {
		one, two := server.Conn(t, dsn), server.Conn(t, dsn)
		exec := func(sql string) {
			if _, err := one.Exec(ctx, sql); err != nil {
				t.Fatal(err)
			}
		}
		exec("BEGIN; LOCK TABLE a")
		got := make(chan int, 1)
		go func() {
			v := -1
			if _, err := two.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ"); err == nil {
				two.QueryRow(ctx, call).Scan(&v)
			}
			got <- v
		}()
		for waiting := 0; waiting == 0; time.Sleep(10 * time.Millisecond) {
			if err := one.QueryRow(ctx, "SELECT count(*) FROM pg_locks WHERE NOT granted").Scan(&waiting); err != nil {
				t.Fatal(err)
			}
		}
		exec(fmt.Sprintf("UPDATE a SET x = %d; COMMIT", i+1))
		if v := <-got; v != i {
			t.Errorf("%s sees %d, which is not from the snapshot before it waited", call, v)
		}
		if _, err := two.Exec(ctx, "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
	}
	prog := translate(t, "case.sql", "", `CREATE TABLE a (k int PRIMARY KEY, x int);
		CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN LOCK TABLE a; RETURN (SELECT x FROM a); END $$;`, false)
	if strings.Index(prog, "select true from a") > strings.Index(prog, "lock a in") {
		t.Errorf("no read stands before the lock:\n%s", prog)
	}
}
