package sqlmodel_test

import (
	"fmt"
	"testing"

	"github.com/txrobust/robust/sqlmodel"
)

// TestMigrations: files that are named are read as the tool for migrations applies them, so that what undoes a
// migration drops no table.
func TestMigrations(t *testing.T) {
	const up = "CREATE TABLE c (id int PRIMARY KEY, n int NOT NULL);\nCREATE FUNCTION inc(i int) RETURNS void LANGUAGE sql AS 'UPDATE c SET n = n + 1 WHERE id = i';\n"
	const down = "DROP FUNCTION inc(int);\nDROP TABLE c;\n"
	plain, err := sqlmodel.Parse([]sqlmodel.File{{Name: "1_m.sql", Text: "\n" + up}}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, files := range [][]sqlmodel.File{
		{{Name: "1_m.sql", Text: "-- +goose Up\n" + up + "-- +goose Down\n" + down}},
		{{Name: "1_m.sql", Text: "-- +migrate Up\n" + up + "-- +migrate Down notransaction\n" + down}},
		{{Name: "1_m.sql", Text: "-- migrate:up\n" + up + "-- migrate:down\n" + down}},
		{{Name: "1_m.sql", Text: "\n" + up + "---- create above / drop below ----\n" + down}},
		{{Name: "1_m.sql", Text: "\n" + up}, {Name: "1_m_rollback.sql", Text: down}},
	} {
		got, err := sqlmodel.Parse(files, sqlmodel.Options{})
		if err != nil {
			t.Errorf("%q: %v", files[0].Text[:14], err)
			continue
		}
		if fmt.Sprint(got) != fmt.Sprint(plain) || got.Txn("inc").Pos != plain.Txn("inc").Pos {
			t.Errorf("%q is read as\n%v, not\n%v", files[0].Text[:14], got, plain)
		}
	}
}
