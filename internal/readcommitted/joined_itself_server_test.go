package readcommitted_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/sqlmodel"
)

// TestJoinedWithItself: a write that joins the row with itself keeps what it found of the other one while it waited. Only where
// that one is locked, or tells no more than its key, the statement is proved. The server says which of them lose a write.
func TestJoinedWithItself(t *testing.T) {
	const schema = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);\n"
	cases := []struct {
		statement     string
		proved, loses bool
	}{
		{"UPDATE t SET n = t.n + 1 FROM t s WHERE t.id = s.id AND s.id = 1", true, false},
		{"UPDATE t SET n = s.n + 1 FROM t s WHERE t.id = s.id AND s.id = 1", false, true},
		{"UPDATE t SET n = s.n + 1 FROM (SELECT id, n FROM t WHERE id = 1) s WHERE t.id = s.id", false, true},
		{"UPDATE t SET n = s.n + 1 FROM (SELECT id, n FROM t WHERE id = 1 FOR KEY SHARE) s WHERE t.id = s.id", false, true},
		{"UPDATE t SET n = s.n + 1 FROM (SELECT id, n FROM t WHERE id = 1 FOR UPDATE) s WHERE t.id = s.id", true, false},
		{"WITH s AS (SELECT id, n FROM t WHERE id = 1) UPDATE t SET n = s.n + 1 FROM s WHERE t.id = s.id", false, true},
		{"WITH s AS (SELECT id, n FROM t WHERE id = 1 FOR UPDATE) UPDATE t SET n = s.n + 1 FROM s WHERE t.id = s.id", true, false},
		{"UPDATE t SET n = t.n + 1 FROM (SELECT id FROM t WHERE id = 1 AND n = 0) s WHERE t.id = s.id", false, true},
		{"UPDATE t SET n = t.n + 1 FROM (SELECT id FROM t WHERE id = 1 AND n = 0 FOR UPDATE) s WHERE t.id = s.id", true, false},
		{"DELETE FROM t USING t s WHERE t.id = s.id AND s.id = 1 AND s.n = 0", false, false}, // as if it came first,
		{"DELETE FROM t USING t s WHERE t.id = s.id AND s.id = 1 AND t.n = 0", true, false},
	}
	srv := pgtest.Open(t)
	for _, tc := range cases {
		file := filepath.Join(t.TempDir(), "joined.sql")
		if err := os.WriteFile(file, []byte(schema+"CREATE FUNCTION change() RETURNS void LANGUAGE sql AS $$ "+tc.statement+" $$;\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := sqlmodel.Load(t.Context(), []string{file}, sqlmodel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := readcommitted.Settle(p, func(*ir.Txn) bool { return true })[p.Txn("change")]
		if is := s.Standing == readcommitted.Atomic; is != tc.proved {
			t.Errorf("%s: %d (%s), want atomic: %v", tc.statement, s.Standing, s.Reason, tc.proved)
		}
		const other = "UPDATE t SET n = 2 * n + 3 WHERE id = 1"
		dsn := srv.Database(t)
		final := func(steps ...pgtest.Step) string {
			srv.Exec(t, dsn, "DROP TABLE IF EXISTS t", schema, "INSERT INTO t VALUES (1, 0)")
			if _, err := pgtest.Run(t.Context(), dsn, pgtest.Schedule{Level: pgtest.ReadCommitted, Steps: steps}); err != nil {
				t.Fatal(err)
			}
			var out string
			if err := srv.Conn(t, dsn).QueryRow(t.Context(), "SELECT coalesce(string_agg(n::text, ' '), 'none') FROM t").Scan(&out); err != nil {
				t.Fatal(err)
			}
			return out
		}
		step := func(session, sql string) pgtest.Step { return pgtest.Step{Session: session, SQL: sql} }
		first, second := final(step("A", other), step("A", tc.statement)), final(step("A", tc.statement), step("A", other))
		if got := final(step("A", "BEGIN"), step("A", other), step("B", tc.statement), step("A", "COMMIT")); (got != first && got != second) != tc.loses {
			t.Errorf("%s: the server ends with %s, one after the other with %s or %s", tc.statement, got, first, second)
		}
	}
}
