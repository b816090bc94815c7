package sqlmodel_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel"
)

// FuzzFound reads any schema as one that was found: it gives a program, or an
// error with a place. A statement that may do anything has a table to do it to,
// whatever the schema says.
func FuzzFound(f *testing.F) {
	for _, s := range []string{
		"CREATE TABLE a (id int PRIMARY KEY, v int); PRAGMA x; ALTER TABLE a ADD FROB;",
		"CREATE TABLE b (rowid int); CREATE UNIQUE INDEX i ON b (lower(x)); CREATE VIEW a AS SELECT * FROM gone;",
		"CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END; DO $$ BEGIN EXECUTE 'x'; END $$;",
		"BEGIN; CREATE TABLE \"A b\" (x text DEFAULT 'it''s'); ROLLBACK; CREATE TABLE a (id serial REFERENCES a",
		"COPY a FROM stdin;\n1\t2\n\\.\n\\connect x\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "q.sql", Text: "-- name: t\nUPDATE a SET v = 1 WHERE id = $1;"}},
			sqlmodel.Options{Schema: []sqlmodel.File{{Name: "found.sql", Text: schema}}})
		if err != nil {
			if e, ok := errors.AsType[*ir.Error](err); !ok || e.Pos.File == "" {
				t.Errorf("the error has no place: %v", err)
			}
			return
		}
		if len(p.Tables) == 0 && strings.HasSuffix(havocs(p), "*") {
			t.Error("a statement may do anything, but there is nothing to do it to")
		}
	})
}
