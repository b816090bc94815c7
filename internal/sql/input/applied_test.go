package input_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/sql/input"
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
		{"pay.sql pay_rollback.sql", "pay.sql pay_rollback.sql"},               // no migrations
	} {
		var files []input.File
		for _, name := range strings.Fields(c.files) {
			files = append(files, input.File{Name: name, Text: "SELECT 1;"})
		}
		var got []string
		for _, f := range input.Applied(files) {
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
		got := input.Applied([]input.File{{Name: "m.sql", Text: c.text}})[0].Text
		if got != c.want {
			t.Errorf("%q is read as %q, not %q", c.text, got, c.want)
		}
		if again := input.Applied([]input.File{{Name: "m.sql", Text: got}})[0].Text; again != got {
			t.Errorf("%q is read as %q the second time", got, again)
		}
	}
}
