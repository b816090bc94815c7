package mysql_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/mariatest"
	"github.com/txrobust/robust/sqlmodel"
)

// refusals are statements that the server refuses, with what the error says, and their neighbours that it takes ("").
var refusals = []struct{ sql, want string }{
	{"UPDATE t SET v = 1 WHERE id = 1 RETURNING v", "an UPDATE must not have RETURNING"},
	{"DELETE FROM t WHERE id = 7 RETURNING v", ""},
	{"INSERT INTO t (id, v) VALUES (11, 2) RETURNING id", ""},
	{"REPLACE INTO t (id, v) VALUES (12, 2) RETURNING id", ""},
	{"INSERT INTO t (id, v) VALUES (1, 2) ON CONFLICT DO NOTHING", "ON DUPLICATE KEY"},
	{"INSERT INTO t (id, v) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET v = 2", "ON DUPLICATE KEY"},
	{"INSERT INTO t (id, v) VALUES (1, 2) ON DUPLICATE KEY UPDATE v = 2", ""},
	{"SELECT v::int FROM t", "CAST"},
	{"SELECT CAST(v AS SIGNED) FROM t", ""},
	{"SELECT v FROM t WHERE name ILIKE 'a%'", "LIKE"},
	{"SELECT DISTINCT ON (v) v FROM t", "DISTINCT"},
	{"SELECT v FROM t WHERE id = 1 FOR NO KEY UPDATE", "a lock"},
	{"SELECT v FROM t WHERE id = 1 FOR KEY SHARE", "a lock"},
	{"SELECT v FROM t WHERE id = 1 LOCK IN SHARE MODE", ""},
	{"SELECT v FROM t ORDER BY v NULLS FIRST", "NULLS"},
	{"SELECT a.v FROM t a FULL OUTER JOIN t b ON a.id = b.id", "FULL OUTER JOIN"},
	{"UPDATE t SET v = b.v FROM t b WHERE b.id = t.id", "has FROM"},
	{"UPDATE t SET name = TRIM(LEADING 'x' FROM name) WHERE id = 1", ""},
	{"INSERT INTO t DEFAULT VALUES", "VALUES ()"},
	{"SELECT v FROM t WHERE id = $1", "a parameter"},
	{"SELECT v FROM t WHERE", "ends after WHERE"},
	{"SELECT v FROM t WHERE id =", "ends after ="},
	{"SELECT (v FROM t", "parentheses"},
	{"SELECT conflict, `returning`, nulls FROM odd", ""},
	{"UPDATE odd SET `returning` = 1", ""},
}

// TestRefused: what no server takes is an error with a place and what to do, and nothing else is.
func TestRefused(t *testing.T) {
	const schema = "CREATE TABLE t (id INT PRIMARY KEY, v INT, name VARCHAR(20));\nCREATE TABLE odd (id INT PRIMARY KEY, conflict INT, `returning` INT, nulls INT);\n"
	for _, tc := range refusals {
		_, err := sqlmodel.Parse([]sqlmodel.File{{Name: "case.sql", Text: schema + "-- name: a\nBEGIN;\n" + tc.sql + ";\nCOMMIT;\n"}}, sqlmodel.Options{MySQL: true})
		e, is := errors.AsType[*ir.Error](err)
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %v", tc.sql, err)
		case tc.want != "" && (!is || e.Pos.Line != 5 || !strings.Contains(e.Msg, tc.want)):
			t.Errorf("%s: error %v, want one about %q", tc.sql, err, tc.want)
		}
	}
	conn := mariatest.Open(t).Session(t)
	must := func(sql string) {
		if _, err := conn.ExecContext(context.Background(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	must("CREATE DATABASE refused")
	must("USE refused")
	for _, one := range strings.Split(strings.TrimSpace(schema), "\n") {
		must(one)
	}
	for _, tc := range refusals {
		rows, err := conn.QueryContext(context.Background(), tc.sql)
		if err == nil {
			rows.Close()
		}
		if _, is := errors.AsType[*mysql.MySQLError](err); is != (tc.want != "") {
			t.Errorf("%s: the server says %v", tc.sql, err)
		}
	}
}

// TestCarried: a variable that a transaction takes over from an earlier one is noted where it is used.
func TestCarried(t *testing.T) {
	const schema = "CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL);\n"
	const read, write = "SELECT v INTO @v FROM t WHERE id = 1;\n", "UPDATE t SET v = @v + 1 WHERE id = 1;\n"
	for _, tc := range []struct{ name, text, want string }{
		{"one transaction", "BEGIN;\n" + read + write + "COMMIT;\n", ""},
		{"two transactions", "BEGIN;\n" + read + "COMMIT;\nBEGIN;\n" + write + "COMMIT;\n", "7:18"},
		{"a transaction that another one ends", "BEGIN;\n" + read + "BEGIN;\n" + write + "COMMIT;\n", "6:18"},
		{"a declaration that commits", "BEGIN;\n" + read + "CREATE TABLE u (id INT PRIMARY KEY);\n" + write + "COMMIT;\n", "6:18"},
		{"statements by themselves", read + "-- name: w\n" + write, "5:18"},
		{"through another variable", "BEGIN;\n" + read + "SET @w = @v + 1;\nCOMMIT;\nBEGIN;\nUPDATE t SET v = @w WHERE id = 1;\nCOMMIT;\n", "8:18"},
		{"read again", "BEGIN;\n" + read + "COMMIT;\nBEGIN;\n" + read + write + "COMMIT;\n", ""},
		{"a constant", "BEGIN;\nSET @v = 3;\n" + write + "COMMIT;\nBEGIN;\n" + write + "COMMIT;\n", ""},
		{"a parameter", "BEGIN;\n" + write + "COMMIT;\n", ""},
		{"a transaction that is rolled back", "BEGIN;\n" + read + "ROLLBACK;\nBEGIN;\n" + write + "COMMIT;\n", "7:18"},
	} {
		p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "case.sql", Text: schema + "-- name: a\n" + tc.text}}, sqlmodel.Options{MySQL: true})
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		got := ""
		for _, n := range p.Notes {
			if strings.Contains(n.Text, "in another transaction") {
				got += strings.TrimPrefix(n.Pos.String(), "case.sql:")
			}
		}
		if got != tc.want {
			t.Errorf("%s: noted at %q, want %q: %v", tc.name, got, tc.want, p.Notes)
		}
	}
}
