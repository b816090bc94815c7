package mysql_test

import (
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/sqlmodel"
)

// TestHostile: no text exhausts the stack or takes long: it is an error with a place,
// or a statement that is not modelled.
func TestHostile(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 20))
	const n = 100_000
	many := strings.Repeat
	update := func(s string) string {
		return "CREATE TABLE t (id int PRIMARY KEY, a int);\n-- name: f\nBEGIN;\nUPDATE t SET a = " + s + " WHERE id = 1;\nCOMMIT;\n"
	}
	for name, src := range map[string]string{
		"parentheses": update(many("(", n) + "1" + many(")", n)),
		"open":        update(many("(", n)),
		"not":         update(many("NOT ", n) + "1"),
		"minus":       update(many("- ", n) + "1"),
		"plus":        update("1" + many("+1", n)),
		"case":        update(many("CASE WHEN 1 THEN ", n/10) + "1" + many(" END", n/10)),
		"subqueries":  update(many("(SELECT ", n/10) + "1" + many(")", n/10)),
		"or":          update("1 WHERE " + many("id = 1 OR ", n/10) + "id = 2 OR a = 1"),
		"calls":       update(many("abs(", n) + "1" + many(")", n)),
		"unions":      update("1") + "-- name: g\nSELECT 1" + many(" UNION SELECT 1", n/10) + ";",
		"joins":       update("1") + "-- name: g\nSELECT 1 FROM t" + many(" JOIN t x ON 1", n/10) + ";",
		"from":        update("1") + "-- name: g\nSELECT 1 FROM " + many("(", n) + "t" + many(")", n) + ";",
		"checks":      "CREATE TABLE u (id int PRIMARY KEY, CHECK (" + many("(", n) + "1" + many(")", n) + "));\n" + update("1"),
		"defaults":    "CREATE TABLE u (id int PRIMARY KEY, a int DEFAULT " + many("(", n) + "1" + many(")", n) + ");\n" + update("1"),
		"a line":      update("1") + many("BEGIN; COMMIT; ", n),
		"begins":      many("BEGIN;", n),
		"comments":    many("/*", n) + update("1"),
		"strings":     update("1") + many("'", n),
		"views":       "CREATE VIEW v AS SELECT * FROM w; CREATE VIEW w AS SELECT * FROM v; CREATE OR REPLACE VIEW v AS SELECT * FROM v;\n" + update("(SELECT max(a) FROM v)"),
		"generated":   "CREATE TABLE u (id int PRIMARY KEY, a int AS (b + 1), b int AS (a + 1));\n" + update("1"),
		"references":  "CREATE TABLE u (id int PRIMARY KEY, a int, FOREIGN KEY (a) REFERENCES u (id) ON DELETE CASCADE);\n" + update("1") + "-- name: g\nBEGIN; DELETE FROM u WHERE id = 1; COMMIT;",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := sqlmodel.Parse([]sqlmodel.File{{Name: "in.sql", Text: src}}, sqlmodel.Options{MySQL: true})
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it takes %v", took)
			}
			if e, ok := err.(*ir.Error); err != nil && (!ok || e.Pos.File == "" || len(e.Msg) > 600) {
				t.Errorf("error %.300v, want one with a place", err)
			}
		})
	}
}
