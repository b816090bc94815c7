package program

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestSessionLevels finds the levels of sessions in the ways to set it.
func TestSessionLevels(t *testing.T) {
	for body, want := range map[string]string{
		`open("host=db default_transaction_isolation=serializable")`:                                         "serializable",
		`open("host=db default_transaction_isolation='repeatable read' user=%s")`:                            "repeatable read",
		`open("postgres://db/x?default_transaction_isolation=repeatable%20read")`:                            "repeatable read",
		`open("postgres://db/x?options=-c%20default_transaction_isolation%3Drepeatable%5C%20read")`:          "repeatable read",
		"open(`host=db options='-c default_transaction_isolation=repeatable\\ read'`)":                       "repeatable read",
		`c.RuntimeParams["default_transaction_isolation"] = "serializable"`:                                  "serializable",
		`c = map[string]string{"default_transaction_isolation": "repeatable read"}`:                          "repeatable read",
		`q.Set("default_transaction_isolation", "Serializable")`:                                             "serializable",
		`db.Exec("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ")`:              "repeatable read",
		`db.Exec("ALTER ROLE r SET default_transaction_isolation TO 'read committed'")`:                      "read committed",
		`open("default_transaction_isolation=serializable"); open("default_transaction_isolation=" + x)`:     "serializable",
		`open("default_transaction_isolation=serializable", "default_transaction_isolation=read committed")`: "serializable, read committed",
		`q.Set("default_transaction_isolation", x); q.Set("isolation", "serializable")`:                      "",
		`db.Exec("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")`:                                            "",
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\nfunc f() {\n"+body+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range sessionLevels([]*ast.File{f}) {
			got = append(got, l.Level)
			if !l.At.IsValid() {
				t.Errorf("%s: a level has no place", body)
			}
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%s: the levels are %q, want %q", body, got, want)
		}
	}
}
