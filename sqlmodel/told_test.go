package sqlmodel

import (
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/query"
)

// TestTold: of inputs that are likely wrong a note says where and why, and of their mended twins none.
func TestTold(t *testing.T) {
	const txn = "\nCREATE FUNCTION f(p int) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM t WHERE k = p';"
	const table = "CREATE TABLE t (k int PRIMARY KEY, v int);\n"
	for _, tc := range []struct {
		name, sql string
		path      []string
		want      string
	}{
		{"views in a circle", table + "CREATE VIEW a AS SELECT k FROM b; CREATE VIEW b AS SELECT k FROM a;" + txn, nil, "t.sql:2:1: view public.a reads itself"},
		{"a view of a view", table + "CREATE VIEW a AS SELECT k FROM t; CREATE VIEW b AS SELECT k FROM a;" + txn, nil, ""},
		{"a recursive view", table + "CREATE RECURSIVE VIEW n (i) AS VALUES (1) UNION ALL SELECT x.i + 1 FROM n x JOIN n y ON y.i < 5;" + txn, nil, ""},
		{"a schema that is not declared", table + txn, []string{"app", "public"}, "no CREATE SCHEMA declares app"},
		{"a schema that is declared", "CREATE SCHEMA app;\n" + table + txn, []string{"app", "public"}, ""},
		{"schemas that are always there", table + txn, []string{"$user", "public", "pg_catalog"}, ""},
	} {
		p, err := Parse([]File{{Name: "t.sql", Text: tc.sql}}, Options{SearchPath: tc.path})
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		told := slices.ContainsFunc(p.Notes, func(n ir.Note) bool {
			return strings.HasPrefix(n.Pos.String()+": "+n.Text, tc.want) || n.Pos.Line == 0 && strings.HasPrefix(n.Text, tc.want)
		})
		if tc.want == "" && len(p.Notes) > 0 || tc.want != "" && !told {
			t.Errorf("%s: %v", tc.name, p.Notes)
		}
	}
}

// TestReasons: a read of a view is not called a write of one, and a subquery that is compared with
// a row may have its columns.
func TestReasons(t *testing.T) {
	for _, tc := range [][2]string{
		{"PERFORM i FROM n FOR UPDATE;", "WITH RECURSIVE that names itself several times"},
		{"PERFORM k FROM a;", "view public.a, which reads itself"},
		{"PERFORM 1 / c FROM g;", query.UnusedRows},
		{"UPDATE g SET c = 1;", "a write of a view (g)"},
		{"UPDATE t SET v = 1 WHERE (k, v) = (SELECT k, v FROM t ORDER BY k LIMIT 1);", "a comparison of a row with a subquery"},
		{"IF (1, 2) < (SELECT k, v FROM t ORDER BY k LIMIT 1) THEN DELETE FROM t; END IF;", "a comparison of a row with a subquery"},
	} {
		p, err := Parse([]File{{Name: "t.sql", Text: `CREATE TABLE t (k int PRIMARY KEY, v int);
CREATE RECURSIVE VIEW n (i) AS SELECT k FROM t UNION ALL SELECT x.i + 1 FROM n x JOIN n y ON y.i < 5;
CREATE VIEW a AS SELECT k FROM b; CREATE VIEW b AS SELECT k FROM a;
CREATE VIEW g AS SELECT v, count(*) AS c, 1 / v AS part FROM t GROUP BY v;
CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN ` + tc[0] + ` END $$;`}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		ir.Walk(p.Txns[0].Body, func(s ir.Stmt) {
			if u, ok := s.(*ir.Unmodelled); ok {
				got = u.Reason
			}
		})
		if got != tc[1] {
			t.Errorf("%s: %q, not %q", tc[0], got, tc[1])
		}
	}
}

// TestOtherDialect: an error in a file of the other dialect says which one it is in.
func TestOtherDialect(t *testing.T) {
	for _, tc := range []struct {
		sql  string
		hint bool
	}{
		{"CREATE FUNCTION f(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;", true},
		{"START TRANSACTION; INSRT INTO t VALUES (1::bigint); COMMIT;", true},
		{"START TRANSACTION; INSRT INTO t VALUES ('a$$b'); COMMIT;", false},
	} {
		_, err := Parse([]File{{Name: "t.sql", Text: tc.sql}}, Options{MySQL: true})
		if err == nil || strings.Contains(err.Error(), "leave -dialect mysql out") != tc.hint {
			t.Errorf("%s: %v", tc.sql, err)
		}
	}
	for _, tc := range []struct {
		sql  string
		hint bool
	}{
		{"CREATE TABLE `t` (k int)", true},
		{"CREATE TABLE t (k int NOT NULL AUTO_INCREMENT PRIMARY KEY)", true},
		{"CREATE TABLE t (k int) ENGINE=InnoDB", true},
		{"CREATE TABLE t (k int(11))", true},
		{"CREATE TABLE t (k int UNSIGNED)", true},
		{"DELIMITER //\nCREATE PROCEDURE p() BEGIN COMMIT; END //", true},
		{"CREATE TABLE t (k int,)", false},
		{"CREATE TABLE t (k (int))", false},
	} {
		_, err := Parse([]File{{Name: "t.sql", Text: tc.sql}}, Options{})
		if err == nil || strings.Contains(err.Error(), "give -dialect mysql") != tc.hint {
			t.Errorf("%s: %v", tc.sql, err)
		}
	}
}
