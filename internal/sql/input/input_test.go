package input

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMigrations: a directory of migrations is read as it is applied: in the order of the numbers, and without what
// undoes them. Other files are read as they are, by name.
func TestMigrations(t *testing.T) {
	for _, tc := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"golang-migrate", map[string]string{"10_b.up.sql": "b", "10_b.down.sql": "x", "9_a.up.sql": "a", "9_a.down.sql": "x"}, "9_a.up.sql:a 10_b.up.sql:b"},
		{"goose", map[string]string{"1.sql": "-- +goose Up\na\n-- +goose Down\nx"}, "1.sql:-- +goose Up\na\n              \n "},
		{"dbmate", map[string]string{"2.sql": "-- migrate:up\na\n-- migrate:down\nx", "10.sql": "b"}, "2.sql:-- migrate:up\na\n               \n  10.sql:b"},
		{"Flyway", map[string]string{"V2__b.sql": "b", "V10__c.sql": "c"}, "V2__b.sql:b V10__c.sql:c"},
		{"a file that undoes nothing", map[string]string{"1_a.sql": "a", "2_b.down.sql": "b"}, "1_a.sql:a 2_b.down.sql:b"},
		{"no migrations", map[string]string{"count_up.sql": "a", "count_down.sql": "b", "2.sql": "c", "10.sql": "d"}, "10.sql:d 2.sql:c count_down.sql:b count_up.sql:a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range tc.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r, err := Reader(nil, []string{dir})
			if err != nil {
				t.Fatal(err)
			}
			files, err := Read(t.Context(), r, []string{dir}, 1000, "")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range Applied(files) {
				got = append(got, filepath.Base(f.Name)+":"+f.Text)
			}
			if got := strings.Join(got, " "); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestEmpty: where a directory has no SQL, but some below it do, the error names these.
func TestEmpty(t *testing.T) {
	dir := t.TempDir()
	r, err := Reader(nil, []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	read := func() string {
		_, err := Read(t.Context(), r, []string{dir}, 1000, "")
		if err == nil {
			t.Fatal("a directory without SQL was read")
		}
		return err.Error()
	}
	if got := read(); !strings.HasSuffix(got, "; name the files to read") {
		t.Error(got)
	}
	for _, file := range []string{"b/c/1.sql", "b/c/d/2.sql", ".git/3.sql", "a/4.txt"} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := read(), "such as "+filepath.Join(dir, "b", "c"); !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
