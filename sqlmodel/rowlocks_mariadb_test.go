package sqlmodel

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/mariatest"
	"github.com/txrobust/robust/ir"
)

// TestRowLocksMariaDB: what a client program locks in MySQL's dialect, a MariaDB has
// locked, too. It locks more: all rows that it looks at. locks are the rows that the
// model is to know of.
func TestRowLocksMariaDB(t *testing.T) {
	conn := mariatest.Open(t)
	ctx := context.Background()
	mine, other := conn.Conn(t), conn.Conn(t)
	const schemaName = "CREATE TABLE a (k int PRIMARY KEY, x int, y int);\nCREATE TABLE b (k int PRIMARY KEY, x int, y int);\n"
	exec := func(sql string) {
		if _, err := mine.ExecContext(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	for _, sql := range strings.Split(strings.TrimSpace(schemaName), "\n") {
		exec(sql)
	}
	rows := [][][]ir.Value{}
	for _, name := range []string{"a", "b"} {
		var list [][]ir.Value
		for k := int64(1); k <= 3; k++ {
			exec(fmt.Sprintf("INSERT INTO %s VALUES (%d, %d, %d)", name, k, 10*k, k%2))
			list = append(list, []ir.Value{ir.Int(k), ir.Int(10 * k), ir.Int(k % 2)})
		}
		rows = append(rows, list)
	}
	for _, c := range []struct{ sql, locks string }{
		{"SELECT k FROM a WHERE k = 2 FOR UPDATE", "a2"},
		{"SELECT k FROM a WHERE k = 2 LOCK IN SHARE MODE", "a2"},
		{"SELECT a.k FROM a JOIN b ON b.k = a.k WHERE a.k = 2 FOR UPDATE", "a2 b2"},
		{"SELECT k FROM (SELECT k FROM a WHERE k = 2) s FOR UPDATE", ""},
		{"SELECT s.k FROM (SELECT k FROM a WHERE k = 2) s JOIN b ON b.k = s.k FOR UPDATE", "b2"},
		{"SELECT k FROM (SELECT k FROM a WHERE k = 2 FOR UPDATE) s", "a2"},
		{"WITH q AS (SELECT k FROM a WHERE k = 2) SELECT k FROM q FOR UPDATE", ""},
		{"WITH q AS (SELECT k FROM a WHERE k = 2 FOR UPDATE) SELECT k FROM q", "a2"},
		{"SELECT count(*) FROM a WHERE k = 2 FOR UPDATE", "a2"},
		{"SELECT DISTINCT y FROM a WHERE k = 2 FOR UPDATE", "a2"},
		{"SELECT a.k, b.x FROM a LEFT JOIN b ON b.k = a.k WHERE a.k = 2 FOR UPDATE", "a2 b2"},
		{"SELECT k FROM a WHERE k = 1 AND EXISTS (SELECT 1 FROM b WHERE b.k = 2) FOR UPDATE", "a1"},
		{"SELECT (SELECT x FROM b WHERE k = 2 FOR UPDATE) AS x", "b2"},
		{"SELECT k FROM a WHERE k = 1 UNION SELECT k FROM b WHERE k = 2 FOR UPDATE", ""},
		{"SELECT k FROM a ORDER BY k LIMIT 1 FOR UPDATE", "a1"},
	} {
		p, err := Client(ctx, []File{{Name: "s.sql", Text: schemaName}}, []*client.Txn{{Name: "f", Body: []client.Stmt{&client.Query{SQL: c.sql, Returned: true}}}}, Options{MySQL: true})
		if err != nil {
			t.Fatal(err)
		}
		run := interp.NewMachine(p, engine.MariaDB()).Run(&interp.Instance{Txn: p.Txn("f"), ID: 1}, interp.NewDB(p, rows), nil)
		if run.Unmodelled != nil || run.Blocked != "" {
			t.Errorf("%s: %s%s", c.sql, run.Blocked, p)
			continue
		}
		exec("START TRANSACTION")
		exec(c.sql)
		got := ""
		for i, table := range p.Tables {
			for _, row := range rows[i] {
				sure := false
				for _, l := range run.Locks {
					sure = sure || l.Table == i && l.Key == interp.KeyOf(table, row)
				}
				if !sure {
					continue
				}
				got += fmt.Sprintf(" %s%d", table.Name, row[0].I)
				if _, err := other.ExecContext(ctx, fmt.Sprintf("SELECT k FROM %s WHERE k = %d FOR UPDATE NOWAIT", table.Name, row[0].I)); err == nil {
					t.Errorf("%s: %s(%d) is locked in the model, and not on the server\n%s", c.sql, table.Name, row[0].I, p)
				}
			}
		}
		exec("ROLLBACK")
		if got = strings.TrimSpace(got); got != c.locks {
			t.Errorf("%s: locks %q, want %q\n%s", c.sql, got, c.locks, p)
		}
	}
}
