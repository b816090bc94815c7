package sqlmodel

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/ir"
)

// TestLimitedWrites runs UPDATE and DELETE with LIMIT for all choices: as many rows
// are written as there are, up to the limit, the first ones in an order if it is
// total, and any otherwise. Rows are (k, g, v).
func TestLimitedWrites(t *testing.T) {
	const schemaName = "CREATE TABLE `T` (`K` int NOT NULL AUTO_INCREMENT PRIMARY KEY, g int, v int, UNIQUE KEY (`v`), KEY (g)) ENGINE=InnoDB;"
	rows := [][]int64{{1, 1, 30}, {2, 1, 10}, {3, 2, 20}, {4, 1, 40}}
	for _, c := range []struct {
		sql  string
		want string // the keys of the rows written, for each choice; ? is 1, then 2
	}{
		{"UPDATE `T` SET g = 9 WHERE g = ? LIMIT 2", "1,2 1,4 2,4"},
		{"UPDATE t SET g = 9 WHERE g = 1 OR g = 2 LIMIT 1", "1 2 3 4"},
		{"UPDATE t SET g = 9 WHERE g = ? ORDER BY v DESC LIMIT 1", "4"},
		{"UPDATE t SET g = 9 WHERE g = ? LIMIT 7", "1,2,4"},
		{"UPDATE t SET g = 9 WHERE g = ? LIMIT ?", "1,2 1,4 2,4"},
		{"UPDATE t SET g = 9 LIMIT 3", "1,2,3 1,2,4 1,3,4 2,3,4"},
		{"UPDATE t SET g = 9 WHERE g = 5 LIMIT 3", ""},
		{"UPDATE t SET g = 9 WHERE k = ? LIMIT 1", "1"},
		{"UPDATE t SET g = 9 WHERE v = 20 LIMIT 3", "3"},
		{"DELETE FROM t WHERE g = ? LIMIT 2", "1,2 1,4 2,4"},
		{"DELETE FROM t WHERE g = ? ORDER BY v LIMIT 1", "2"},
		{"DELETE FROM t ORDER BY v", "1,2,3,4"},
		{"UPDATE t SET g = 9 WHERE g = ? ORDER BY v LIMIT 2", "1,2"},
	} {
		t.Run(c.sql, func(t *testing.T) {
			q := sql(c.sql)
			for i := range strings.Count(c.sql, "?") {
				q.Args = append(q.Args, clientExpr(i+1))
			}
			schema := []File{{Name: "s.sql", Text: schemaName}}
			prog, err := Client(t.Context(), nil, []*client.Txn{txn_("f", nil, q)}, Options{MySQL: true, Schema: schema, MySQLFiles: []string{"s.sql"}})
			if err != nil {
				t.Fatal(err)
			}
			if text := prog.Txns[0].String(); strings.Contains(text, "unmodelled") {
				if !strings.Contains(text, c.want) || c.want == "" {
					t.Errorf("got %s, want %s", text, c.want)
				}
				return
			}
			if got := strings.Join(writtenKeys(t, prog, rows), " "); got != c.want {
				t.Errorf("got %s, want %s of\n%s", got, c.want, prog.Txns[0])
			}
		})
	}
}

// writtenKeys gives the keys of the rows that the transaction changes, for each of
// its choices.
func writtenKeys(t *testing.T, prog *ir.Program, rows [][]int64) []string {
	var table [][]ir.Value
	for _, r := range rows {
		table = append(table, []ir.Value{ir.Int(r[0]), ir.Int(r[1]), ir.Int(r[2])})
	}
	machine := interp.NewMachine(prog, engine.Postgres())
	d := &differ{t: t, prog: prog, machine: machine}
	before := interp.NewDB(prog, [][][]ir.Value{table})
	found := map[string]bool{}
	for run := range d.choices(&interp.Instance{Txn: prog.Txns[0], ID: 1}, before, true) {
		if run.Blocked != "" {
			continue
		}
		after, why := machine.Commit(run, before, nil)
		if why != "" {
			t.Fatal(why)
		}
		left := map[int64]bool{}
		for _, row := range after.Rows(0) {
			left[row[0].I] = row[1].I != 9
		}
		var keys []string
		for _, r := range rows {
			if !left[r[0]] {
				keys = append(keys, fmt.Sprint(r[0]))
			}
		}
		found[strings.Join(keys, ",")] = true
	}
	if len(found) == 0 {
		t.Error("there is no run")
	}
	return slices.Sorted(maps.Keys(found))
}

// TestMySQLStatements checks what a schema and statements in MySQL's dialect mean.
func TestMySQLStatements(t *testing.T) {
	const schemaName = "CREATE TABLE t (k int AUTO_INCREMENT PRIMARY KEY, a int, at timestamp DEFAULT now() ON UPDATE now(), n varchar(9), UNIQUE KEY (n), u int);\n" +
		"ALTER TABLE t ADD b bool NOT NULL DEFAULT FALSE AFTER a;\nCREATE TRIGGER r BEFORE INSERT ON hooked FOR EACH ROW SET NEW.a = 1;\nCREATE TABLE hooked (a int);"
	for _, c := range []struct{ sql, want string }{
		{"UPDATE t SET a = a + 1, u = a WHERE k = 1", "update t set a = t.a + 1, u = t.a + 1, at = (if t.a is t.a + 1 and t.u is t.a + 1 then t.at else now) where t.k == 1;"},
		{"UPDATE t SET b = (a = 2), at = NULL WHERE b AND k = 1", "update t set b = (if t.a == 2 then 1 else (if not t.a == 2 then 0 else null)), at = null where t.b != 0 and t.k == 1;"},
		{"INSERT INTO t VALUES (1, 2, TRUE, NULL, 'x', 3)", "insert t (k, a, b, n, u, \"key of n\") values (1, 2, 1, 'x', 3, 'x');"},
		{"INSERT INTO t (n, u) VALUES ('x', 1) ON DUPLICATE KEY UPDATE u = u + VALUES(u)", "on conflict (\"key of n\") do update t set u = t.u + excluded.u, at = (if"},
		{"INSERT INTO t (k, n) VALUES (1, 'x') ON DUPLICATE KEY UPDATE u = 1", "a table with 2 keys that may be met"},
		{"INSERT IGNORE INTO t (k) VALUES (1)", `insert t (k, b, at, "key of n") values (1, 0, now, null) on conflict do nothing;`},
		{"INSERT INTO hooked VALUES (1)", `"new.a" := 1;` + "\n  " + `insert hooked (a) values ("new.a");`},
		{"DELETE FROM hooked", "delete hooked;"},
	} {
		prog, err := Client(t.Context(), nil, []*client.Txn{txn_("f", nil, sql(c.sql))},
			Options{MySQL: true, Schema: []File{{Name: "s.sql", Text: schemaName}}, MySQLFiles: []string{"s.sql"}})
		if err != nil {
			t.Fatal(err)
		}
		if text := prog.Txns[0].String(); !strings.Contains(text, c.want) {
			t.Errorf("%s\ngot\n%s\nwant %s\n%v", c.sql, text, c.want, prog.Notes)
		}
	}
}

// TestMySQLCounts: what a driver of MySQL counts are the rows that an UPDATE changes.
func TestMySQLCounts(t *testing.T) {
	const schemaName = "CREATE TABLE t (k int PRIMARY KEY, a int, u int, n varchar(9), UNIQUE KEY (u), UNIQUE KEY (n));"
	for _, c := range []struct{ sql, want string }{
		{"UPDATE t SET a = 3 WHERE u > 1", "(n) := select agg count(*) int from t where t.u > 1 and not t.a is 3;"},
		{"UPDATE t SET n = 'x' WHERE u > 1", "(n) := select agg count(*) int from t where t.u > 1 and not t.n is 'x';"}, // and what is computed of it for the key
		{"DELETE FROM t WHERE u > 1", "(n) := select agg count(*) int from t where t.u > 1;"},
		{"INSERT INTO t (k, a) VALUES (1, 2) ON DUPLICATE KEY UPDATE a = 2", "unmodelled"},
	} {
		txn := txn_("f", []client.Var{{Name: "n", Kind: client.Int}}, &client.Query{SQL: c.sql, Count: "n"}, &client.Emit{Exprs: []client.Expr{client.V("n")}})
		prog, err := Client(t.Context(), nil, []*client.Txn{txn}, Options{MySQL: true, Schema: []File{{Name: "s.sql", Text: schemaName}}, MySQLFiles: []string{"s.sql"}})
		if err != nil {
			t.Fatal(err)
		}
		if text := prog.Txns[0].String(); !strings.Contains(text, c.want) {
			t.Errorf("%s\ngot\n%s\nwant %s", c.sql, text, c.want)
		}
	}
}
