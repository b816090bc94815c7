package sqlmodel

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
)

// TestWithNames tells tables from WITH queries of the same name.
func TestWithNames(t *testing.T) {
	for _, c := range []struct{ sql, tables string }{
		{"WITH t AS (SELECT 1) SELECT * FROM t", ""},
		{"WITH t AS (SELECT * FROM t) SELECT * FROM t", "t"},
		{"WITH RECURSIVE t AS (SELECT 1 UNION SELECT * FROM t) SELECT * FROM t", ""},
		{"WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM b", "b"},
		{"WITH a AS (WITH b AS (SELECT * FROM c) SELECT * FROM b) SELECT * FROM a", "c"},
		{"WITH t AS (SELECT 1) UPDATE t SET a = 1", "t"},
		{"WITH t AS (SELECT 1) INSERT INTO t SELECT * FROM t", "t"},
		{"WITH t AS (SELECT 1) SELECT * FROM public.t", "public.t"},
	} {
		stmts, err := pg.Parse(c.sql)
		if err != nil {
			t.Fatal(err)
		}
		r := schema.NewRefs()
		r.Add(stmts[0])
		if got := strings.Join(slices.Sorted(maps.Keys(r.Tables)), " "); got != c.tables {
			t.Errorf("%s: names the tables %q, want %q", c.sql, got, c.tables)
		}
	}
}
