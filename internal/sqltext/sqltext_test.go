package sqltext

import (
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
)

var names = []string{"a", "order", "User", "with space", `quo"te`, "a;b", "é", "1st", "a$b", "select", "current_schema", "x_1"}

// TestPostgres: a server reads what is written.
func TestPostgres(t *testing.T) {
	srv := pgtest.Open(t)
	conn := srv.Conn(t, srv.Database(t))
	for _, name := range names {
		var column, text string
		rows, err := conn.Query(t.Context(), "SELECT "+Postgres.Text(name+`'\`)+" AS "+Postgres.Name(name))
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		for rows.Next() {
			column = rows.FieldDescriptions()[0].Name
			if err := rows.Scan(&text); err != nil {
				t.Error(err)
			}
		}
		if err := rows.Err(); err != nil || column != name || text != name+`'\` {
			t.Errorf("%q: the server read %q as the name and %q as the text, %v", name, column, text, err)
		}
	}
	// Every word that the server reserves is quoted as a name of a table.
	rows, err := conn.Query(t.Context(), "SELECT word FROM pg_get_keywords() WHERE catcode IN ('R', 'T')")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var word string
		if err := rows.Scan(&word); err != nil {
			t.Fatal(err)
		}
		if Postgres.Name(word) == word {
			t.Errorf("the reserved word %s has no quotes", word)
		}
	}
}

func TestQualified(t *testing.T) {
	for _, tc := range []struct {
		dialect    Dialect
		name, want string
	}{
		{Postgres, "app.order", `app."order"`},
		{Postgres, "account", "account"},
		{MySQL, "app.order", "`app`.`order`"},
		{MySQL, "a`b", "`a``b`"},
	} {
		if got := tc.dialect.Qualified(tc.name); got != tc.want {
			t.Errorf("%s is written %s, want %s", tc.name, got, tc.want)
		}
	}
	if got := MySQL.Text(`a'\`); got != `'a''\\'` {
		t.Errorf("MySQL: %s", got)
	}
}
