package sqlmodel

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// constraintCases declare, rename and drop constraints of the table t.
var constraintCases = []string{
	`CREATE TABLE t (k int PRIMARY KEY, v int CHECK (v > 0), w int UNIQUE CHECK (w > v), CHECK (k > 0), CHECK (1 > 0), CHECK (v < 9), CHECK (v + v < 90))`,
	`CREATE TABLE t (a int, b int, PRIMARY KEY (a, b), UNIQUE (b, a), CHECK (a < b), CHECK (b < 100), EXCLUDE USING btree (b WITH =))`,
	`CREATE TABLE r (k int PRIMARY KEY); CREATE TABLE t (k int REFERENCES r, v int, CONSTRAINT c FOREIGN KEY (v) REFERENCES r); ALTER TABLE t RENAME CONSTRAINT c TO d; ALTER TABLE t RENAME CONSTRAINT t_k_fkey TO e`,
	`CREATE TABLE t (k int PRIMARY KEY, v int CHECK (v > 0)); ALTER TABLE t RENAME CONSTRAINT t_v_check TO positive; ALTER TABLE t DROP CONSTRAINT positive`,
	`CREATE TABLE t (k int PRIMARY KEY, v int CHECK (v > 0)); ALTER TABLE t DROP CONSTRAINT t_v_check`,
	`CREATE TABLE t (k int PRIMARY KEY, v int); ALTER INDEX t_pkey RENAME TO tk; ALTER TABLE t DROP CONSTRAINT tk`,
	`CREATE TABLE t (k int PRIMARY KEY, v int, EXCLUDE USING btree (v WITH =)); ALTER INDEX t_v_excl RENAME TO x; ALTER TABLE t DROP CONSTRAINT x`,
	`CREATE TABLE t (k int, v int); CREATE UNIQUE INDEX i ON t (v); ALTER TABLE t ADD CONSTRAINT u UNIQUE USING INDEX i`,
	`CREATE TABLE t (k int, v int); CREATE UNIQUE INDEX i ON t (v); ALTER TABLE t ADD UNIQUE USING INDEX i; ALTER TABLE t DROP CONSTRAINT i`,
	`CREATE TABLE t (k int, v int); CREATE UNIQUE INDEX i ON t (k); ALTER TABLE t ADD CONSTRAINT p PRIMARY KEY USING INDEX i; ALTER TABLE t DROP CONSTRAINT p`,
	`CREATE TABLE t (k int, v text); CREATE UNIQUE INDEX ON t (k); CREATE UNIQUE INDEX ON t (lower(v)); CREATE UNIQUE INDEX ON t ((k + 1), v); CREATE UNIQUE INDEX ON t ((v::int))`,
	`CREATE TABLE t (k int, v text); CREATE UNIQUE INDEX ON t (lower(v)); CREATE UNIQUE INDEX ON t (k) WHERE v IS NULL; DROP INDEX t_lower_idx; ALTER TABLE t DROP COLUMN v`,
	`CREATE TABLE l (k int PRIMARY KEY, v int UNIQUE CHECK (v > 0), w int); CREATE UNIQUE INDEX i ON l (w); CREATE TABLE t (LIKE l INCLUDING ALL); ALTER TABLE l RENAME v TO z; ALTER TABLE l RENAME CONSTRAINT l_v_check TO c`,
	`CREATE TABLE l (k int PRIMARY KEY, v int UNIQUE CHECK (v > 0), w int); CREATE UNIQUE INDEX i ON l (w); CREATE TABLE t (LIKE l INCLUDING ALL); ALTER TABLE t DROP CONSTRAINT t_pkey, DROP CONSTRAINT t_v_key, DROP CONSTRAINT l_v_check; DROP INDEX t_w_idx`,
}

// TestConstraintNames: tables have the constraints and unique indexes that a server has, by the names that it has for them.
func TestConstraintNames(t *testing.T) {
	ctx := context.Background()
	server := pgtest.Open(t)
	conn := server.Conn(t, server.Database(t))
	for _, ddl := range constraintCases {
		if _, err := conn.PgConn().Exec(ctx, "DROP TABLE IF EXISTS t, l, r CASCADE; "+ddl).ReadAll(); err != nil {
			t.Fatalf("%s: %v", ddl, err)
		}
		rows, err := conn.Query(ctx, `SELECT conname::text FROM pg_constraint WHERE conrelid = 't'::regclass AND contype IN ('p', 'u', 'f', 'c', 'x')
			UNION SELECT i.relname::text FROM pg_index JOIN pg_class i ON i.oid = indexrelid WHERE indrelid = 't'::regclass AND indisunique`)
		if err != nil {
			t.Fatal(err)
		}
		want, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		l, err := read(Options{}.input([]File{{Name: "t.sql", Text: ddl + "; CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';"}}))
		if err != nil {
			t.Errorf("%s: %v", ddl, err)
			continue
		}
		tab := l.Late.Table(syntax.Qualified([]string{"t"}))
		var got []string
		for _, c := range tab.Constraints() {
			got = append(got, c.Label())
		}
		slices.Sort(want)
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) || tab.Odd != "" {
			t.Errorf("%s: the constraints are %q, the server has %q %s", ddl, got, want, tab.Odd)
		}
	}
}
