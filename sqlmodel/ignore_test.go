package sqlmodel_test

import (
	"fmt"
	"testing"

	"github.com/txrobust/robust/sqlmodel"
)

// TestIgnores: the parts of the source that comments are about.
func TestIgnores(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"function", "-- robust: ignore RB1001 a b\nCREATE FUNCTION f() RETURNS void LANGUAGE sql AS 'SELECT 1; SELECT 2';\nSELECT 1;", "1:12 RB1001 [a b] 2:1-2:71"},
		{"function in the standard form", "-- robust: ignore why\nCREATE FUNCTION f() RETURNS int BEGIN ATOMIC\nSELECT CASE WHEN true THEN 1 END;\nSELECT 2;\nEND;", "1:12  [why] 2:1-5:5"},
		{"transaction", "-- robust: ignore  why\n-- name: t\nBEGIN;\nSELECT 1;\n  SELECT 2;\nCOMMIT;", "1:12  [why] 3:1-5:11"},
		{"transaction, the name first", "-- name: t\n-- robust: ignore why\nBEGIN;\nSELECT 1;\nCOMMIT;", "2:12  [why] 3:1-4:9"},
		{"query", "-- name: s\nSELECT 1;\n-- name: t\n-- robust: ignore why\nSELECT\n 1", "4:12  [why] 5:1-6:3"},
		{"a code is more than its letters", "-- robust: ignore RBX why\n-- name: t\nSELECT 1;", "1:12  [RBX why] 3:1-3:9"},
		{"a helper", "-- robust: helper\n-- robust: ignore why\nCREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';\n-- name: t\nSELECT f();", "2:12  [why] 3:1-3:60"},
	} {
		p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "i.sql", Text: c.src}}, sqlmodel.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := ""
		for _, g := range p.Ignores {
			got += fmt.Sprintf("%d:%d %s [%s] %d:%d-%d:%d", g.Pos.Line, g.Pos.Col, g.Code, g.Reason, g.From.Line, g.From.Col, g.To.Line, g.To.Col)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "i.sql", Text: "CREATE TABLE t (k int PRIMARY KEY);\n-- robust: ignore RB1001 why\n-- name: t\nSTART TRANSACTION;\nSELECT k FROM t;\n SELECT k FROM t;\nCOMMIT;\n-- name: s\nSELECT k FROM t;"}}, sqlmodel.Options{MySQL: true})
	if err != nil || len(p.Ignores) != 1 {
		t.Fatalf("mysql: %+v, %v", p, err)
	}
	if g := p.Ignores[0]; g.Code != "RB1001" || g.Reason != "why" || g.From.Line != 4 || g.To.Line != 6 {
		t.Errorf("mysql: %+v", g)
	}
	for src, want := range map[string]string{
		"-- robust: ignore\n-- name: t\nSELECT 1;":                              "i.sql:1:12: a finding is ignored for a reason; write it behind the word ignore",
		"-- name: t\nBEGIN;\n-- robust: ignore why\nSELECT 1;\nCOMMIT;":         "i.sql:3:12: this does not stand directly before a CREATE FUNCTION or a transaction, where it would say what to ignore; move it there",
		"-- robust: ignore why\nCREATE TABLE t (k int);\n-- name: t\nSELECT 1;": "i.sql:1:12: this does not stand directly before a CREATE FUNCTION or a transaction, where it would say what to ignore; move it there",
	} {
		if _, err := sqlmodel.Parse([]sqlmodel.File{{Name: "i.sql", Text: src}}, sqlmodel.Options{}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
}
