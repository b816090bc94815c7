package sqlmodel

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
)

// TestReturningOfLibraries: on MySQL a library takes the key of a row from what the server says of an INSERT. What the program
// itself writes is sent as it stands.
func TestReturningOfLibraries(t *testing.T) {
	files := []File{{Name: "schema.sql", Text: "CREATE TABLE jobs (id bigint DEFAULT 7 PRIMARY KEY, n int)"}}
	for _, c := range []struct {
		library, mysql bool
		want           string
	}{
		{true, true, `INSERT INTO jobs (n) VALUES (1)`},
		{false, true, `INSERT INTO jobs (n) VALUES (1) RETURNING id`},
		{true, false, `INSERT INTO jobs (n) VALUES (1) RETURNING id`},
	} {
		q := &client.Query{SQL: `INSERT INTO jobs (n) VALUES (1) RETURNING id`, Into: []string{"id"}, Standard: c.library}
		txn := txn_("f", []client.Var{{Name: "id", Kind: client.Int}}, q)
		prog, err := Client(t.Context(), files, []*client.Txn{txn}, Options{MySQL: c.mysql})
		if err != nil {
			t.Fatal(err)
		}
		var sent []string
		ir.Walk(prog.Txns[0].Body, func(s ir.Stmt) {
			if s, ok := s.(*ir.Send); ok {
				sent = append(sent, strings.Join(s.Text, "?"))
			}
		})
		if got := strings.Join(sent, "; "); got != c.want {
			t.Errorf("library %v, MySQL %v: got %s, want %s", c.library, c.mysql, got, c.want)
		}
	}
}
