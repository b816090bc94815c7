package sqlmodel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pgtest"
)

// TestShownOnServer runs statements that are not understood on a server, in random states: what they give
// depends on the rows of the tables that are shown in their place, and on those of no other one.
func TestShownOnServer(t *testing.T) {
	const tables = "CREATE TABLE a (id int PRIMARY KEY, n int); CREATE TABLE b (id int PRIMARY KEY, n int); CREATE TABLE c (id int PRIMARY KEY, n int);"
	server := pgtest.Open(t)
	dsn := server.Database(t)
	server.Exec(t, dsn, tables)
	conn := server.Conn(t, dsn)
	rnd := rand.New(rand.NewPCG(20, 1))
	fill := func(table string) {
		text := "DELETE FROM " + table
		for id := range 3 {
			if rnd.IntN(2) == 0 {
				text += fmt.Sprintf("; INSERT INTO %s VALUES (%d, %d)", table, id, rnd.IntN(3))
			}
		}
		server.Exec(t, dsn, text)
	}
	for _, c := range []struct{ sql, filled string }{
		{"SELECT array_agg(ROW(a, b)) FROM a LEFT JOIN b ON b.n = a.n GROUP BY a.n ORDER BY a.n §", ""},
		{"SELECT array_agg(x ORDER BY x) FROM (SELECT n FROM a UNION ALL SELECT n FROM b) u(x) §", "WHERE x > 0"},
		{"SELECT count(*) FROM b WHERE n > (SELECT count(*) FROM c) GROUP BY n HAVING § ORDER BY 1", "n > 0"},
		{"WITH w AS (SELECT n FROM c ORDER BY § LIMIT 2) SELECT array_agg(n ORDER BY n) FROM w", "n, id"},
	} {
		text := strings.ReplaceAll(c.sql, "§", client.Hole)
		p, err := Client(t.Context(), []File{{Name: "s.sql", Text: tables}}, []*client.Txn{{Name: "T", Body: []client.Stmt{&client.Query{SQL: text, Returned: true}}}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var shown []string
		ir.Walk(p.Txns[0].Body, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.EmitRows:
				shown = append(shown, s.Query.From[0].Table.Name)
			case *ir.Unmodelled:
				t.Errorf("%s is not modelled: %s", c.sql, s.Reason)
			}
		})
		result := func() string {
			var out *string
			if err := conn.QueryRow(t.Context(), "SELECT string_agg(x::text, ';') FROM ("+strings.ReplaceAll(c.sql, "§", c.filled)+") x").Scan(&out); err != nil {
				t.Fatal(err)
			}
			if out == nil {
				return ""
			}
			return *out
		}
		changes := map[string]bool{}
		for range 12 {
			for _, table := range []string{"a", "b", "c"} {
				before := result()
				fill(table)
				changes[table] = changes[table] || result() != before
			}
		}
		for _, table := range []string{"a", "b", "c"} {
			if changes[table] != slices.Contains(shown, table) {
				t.Errorf("%s: the server's result depends on %s: %t, but the tables that are shown are %v", c.sql, table, changes[table], shown)
			}
		}
	}
}
