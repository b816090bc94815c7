package migration

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// FuzzApply: what is left of a migration has every byte in its place.
func FuzzApply(f *testing.F) {
	f.Add("-- +goose Up\nCREATE TABLE a();\r\n-- +goose Down\nDROP TABLE a;")
	f.Add("create table a();\n---- create above / drop below ----\ndrop table ü;")
	f.Add("-- migrate:up\n-- migrate:down\n-- +migrate Up\n")
	f.Fuzz(func(t *testing.T, text string) {
		for i := range Tools {
			got := Tools[i].Apply(text)
			if len(got) != len(text) {
				t.Fatalf("%s: %d bytes became %d", Tools[i].Name, len(text), len(got))
			}
			for k := range got {
				if got[k] != text[k] && (got[k] != ' ' || text[k] == '\n') {
					t.Fatalf("%s: byte %d of %q became %q", Tools[i].Name, k, text, got[k])
				}
			}
		}
	})
}

// TestReverts: a file undoes another one that has a number, in the same directory.
func TestReverts(t *testing.T) {
	for _, tc := range []struct {
		up, down string
		reverts  bool
	}{
		{"m/0001_a.up.sql", "m/0001_a.down.sql", true},
		{"m/1-a-up.sql", "m/1-a-rollback.sql", true},
		{"m/0001_a.sql", "m/0001_a.down.sql", true},
		{"m/V2__a.sql", "m/U2__a.sql", true},
		{"m/0001_a.up.sql", "m/0002_a.down.sql", false},
		{"m/0001_a.up.sql", "n/0001_a.down.sql", false},
		{"m/count_up.sql", "m/count_down.sql", false},
		{"m/pay.sql", "m/pay_rollback.sql", false},
	} {
		if got := Reverts(tc.down, tc.up); got != tc.reverts || Reverts(tc.up, tc.down) {
			t.Errorf("%s and %s: %v", tc.up, tc.down, got)
		}
	}
}

// TestCompare: whatever the order of files with numbers was, they come in that of the numbers.
func TestCompare(t *testing.T) {
	want := []string{"V1__a.sql", "V1.4__a.sql", "V1.10__a.sql", "V2__b.sql", "3.sql", "0010_c.sql", "10_d.sql", "0100.sql", "20240101_e.sql", "a.sql"}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		got := slices.Clone(want)
		rng.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		if slices.SortFunc(got, Compare); !slices.Equal(got, want) {
			t.Fatalf("%v", got)
		}
	}
}
