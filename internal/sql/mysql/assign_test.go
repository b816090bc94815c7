package mysql_test

import (
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/mariatest"
	"github.com/txrobust/robust/sqlmodel"
)

// TestAssignments: an assignment sees those before it, but where a subquery reads the table
// that is updated; there it is not modelled.
func TestAssignments(t *testing.T) {
	conn := mariatest.Open(t).Conn(t)
	const schema = "CREATE TABLE p (id INT PRIMARY KEY, a INT NOT NULL, b INT NOT NULL); CREATE TABLE q (id INT PRIMARY KEY);"
	if _, err := conn.ExecContext(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		where    string
		b        int
		modelled bool
	}{
		{"id = 1", 7, true},
		{"NOT EXISTS (SELECT 1 FROM q WHERE q.id = p.a)", 7, true},
		{"NOT EXISTS (SELECT 1 FROM p r WHERE r.id > p.id)", 1, false},
	} {
		update := "UPDATE p SET a = 7, b = a WHERE " + tc.where
		var b int
		if _, err := conn.ExecContext(t.Context(), "DELETE FROM p; INSERT INTO p VALUES (1, 1, 0); "+update); err != nil {
			t.Fatal(err)
		}
		if err := conn.QueryRowContext(t.Context(), "SELECT b FROM p").Scan(&b); err != nil {
			t.Fatal(err)
		}
		if b != tc.b {
			t.Errorf("%s: the server makes b %d, not %d", update, b, tc.b)
		}
		p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "p.sql", Text: schema + "\n-- name: u\n" + update + ";"}}, sqlmodel.Options{MySQL: true})
		if err != nil {
			t.Fatal(err)
		}
		modelled := true
		ir.Walk(p.Txns[0].Body, func(s ir.Stmt) {
			if _, is := s.(*ir.Unmodelled); is {
				modelled = false
			}
		})
		if modelled != tc.modelled {
			t.Errorf("%s: modelled is %v", update, modelled)
		}
	}
}
