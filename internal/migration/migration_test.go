package migration_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/migration"
)

// TestApplied: files that are named lose what undoes migrations, and nothing else, not even a byte of what stands behind it.
func TestApplied(t *testing.T) {
	for _, c := range []struct{ files, kept string }{
		{"a/1_x.up.sql a/1_x.down.sql", "a/1_x.up.sql"},
		{"a/1_x.down.sql a/1_x.sql", "a/1_x.sql"},
		{"a/1_x.sql a/1_x_rollback.sql a/1_x-undo.sql", "a/1_x.sql"},
		{"V2__x.sql U2__x.sql", "V2__x.sql"},
		{"a/1_x.down.sql", "a/1_x.down.sql"},                                   // it undoes nothing that is here
		{"a/1_x.up.sql b/1_x.down.sql", "a/1_x.up.sql b/1_x.down.sql"},         // nor does this one
		{"a/1_x.up.sql a/2_x.down.sql", "a/1_x.up.sql a/2_x.down.sql"},         // nor this one
		{"slow_down.sql speed_up.sql", "slow_down.sql speed_up.sql"},           // words
		{"V2__x.sql U3__x.sql", "V2__x.sql U3__x.sql"},                         // another version
		{"users.sql undo.sql rollback.sql", "users.sql undo.sql rollback.sql"}, // whole names
	} {
		var files []migration.File
		for _, name := range strings.Fields(c.files) {
			files = append(files, migration.File{Name: name, Text: "SELECT 1;"})
		}
		var got []string
		for _, f := range migration.Applied(files) {
			got = append(got, f.Name)
		}
		if !slices.Equal(got, strings.Fields(c.kept)) {
			t.Errorf("of %s are left %v, not %s", c.files, got, c.kept)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"-- +goose Up\nA;\n-- +goose Down\nB;\n", "-- +goose Up\nA;\n              \n  \n"},
		{"-- +migrate Up\nA;\n-- +migrate Down\nB;\n-- +migrate Up\nC;", "-- +migrate Up\nA;\n                \n  \n-- +migrate Up\nC;"},
		{"-- migrate:up\nA;\n-- migrate:down\nB;\n", "-- migrate:up\nA;\n               \n  \n"},
		{"A;\n---- create above / drop below ----\nB;\n", "A;\n                                   \n  \n"},
		{"A;\n-- +goose Down\nB;\n", "A;\n-- +goose Down\nB;\n"}, // goose has no such file
		{"-- to go up and down\nA;\n", "-- to go up and down\nA;\n"},
	} {
		got := migration.Applied([]migration.File{{Name: "m.sql", Text: c.text}})[0].Text
		if got != c.want {
			t.Errorf("%q is read as %q, not %q", c.text, got, c.want)
		}
		if again := migration.Applied([]migration.File{{Name: "m.sql", Text: got}})[0].Text; again != got {
			t.Errorf("%q is read as %q the second time", got, again)
		}
	}
}

// FuzzApply: what is left of a migration has every byte in its place.
func FuzzApply(f *testing.F) {
	f.Add("-- +goose Up\nCREATE TABLE a();\r\n-- +goose Down\nDROP TABLE a;")
	f.Add("create table a();\n---- create above / drop below ----\ndrop table ü;")
	f.Add("-- migrate:up\n-- migrate:down\n-- +migrate Up\n")
	f.Fuzz(func(t *testing.T, text string) {
		tools := migration.Tools()
		for i := range tools {
			got := tools[i].Apply(text)
			if len(got) != len(text) {
				t.Fatalf("%s: %d bytes became %d", tools[i].Name(), len(text), len(got))
			}
			for k := range got {
				if got[k] != text[k] && (got[k] != ' ' || text[k] == '\n') {
					t.Fatalf("%s: byte %d of %q became %q", tools[i].Name(), k, text, got[k])
				}
			}
		}
	})
}
