package codec

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestHistories: a folder is one history, or has several.
func TestHistories(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"dbcop/history.bincode": "x", "dbcop/args.txt": "",
		"viper/J0.log": "", "viper/J1.log": `{"value":[["w",1,1,true]]}`,
		"jepsen/a.log": "INFO  jepsen.util - 1 :invoke :read nil\n", "jepsen/b.log": "INFO  jepsen.util - 1 :invoke :read nil\n",
		"one/h.txt": "w(1,1,0,0)\n", "texts/b.txt": "", "texts/a.txt": "", "texts/.hidden": "", "texts/below/c.edn": "", "texts/below/d.edn": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{
		"dbcop":       {"dbcop"},
		"viper":       {"viper"},
		"jepsen":      {"jepsen/a.log", "jepsen/b.log"},
		"one":         {"one/h.txt"},
		"one/h.txt":   {"one/h.txt"},
		"empty":       {"empty"},
		"texts":       {"texts/a.txt", "texts/b.txt", "texts/below/c.edn", "texts/below/d.edn"},
		".":           {"dbcop", "empty", "jepsen/a.log", "jepsen/b.log", "one/h.txt", "texts/a.txt", "texts/b.txt", "texts/below/c.edn", "texts/below/d.edn", "viper"},
		"texts/below": {"texts/below/c.edn", "texts/below/d.edn"},
	} {
		got, err := Histories(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if got[i], err = filepath.Rel(dir, got[i]); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	if _, err := Histories(filepath.Join(dir, "absent")); err == nil {
		t.Error("an absent folder has histories")
	}
}
