package repair

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/sql/input"
)

// two is a repair of two files in a folder, the second of which becomes shorter.
func two(t *testing.T, dir string) *Repair {
	t.Helper()
	a, b := filepath.Join(dir, "a.sql"), filepath.Join(dir, "b.sql")
	r := &Repair{
		before: []input.File{{Name: a, Text: "SELECT 1;\n"}, {Name: b, Text: "SELECT 2, 3;\n"}},
		files:  []input.File{{Name: a, Text: "SELECT 1 FOR UPDATE;" + strings.Repeat(" ", 9000) + "\n"}, {Name: b, Text: "SELECT 2;\n"}},
	}
	for _, f := range r.before {
		if err := os.WriteFile(f.Name, []byte(f.Text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// have compares files with texts.
func have(t *testing.T, files []input.File) {
	t.Helper()
	for _, f := range files {
		if text, err := os.ReadFile(f.Name); err != nil || string(text) != f.Text {
			t.Errorf("%s has %q, %v", f.Name, text, err)
		}
	}
}

// TestApply: files are changed in their place, behind links, too.
func TestApply(t *testing.T) {
	dir := t.TempDir()
	r := two(t, dir)
	real := filepath.Join(dir, "real")
	if err := os.Rename(r.files[0].Name, real); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, r.files[0].Name); err != nil {
		t.Fatal(err)
	}
	if err := r.Apply(); err != nil {
		t.Fatal(err)
	}
	have(t, append(r.files, input.File{Name: real, Text: r.files[0].Text}))
	if info, err := os.Stat(real); err != nil || info.Mode() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestApplyAllOrNone: a file that was changed meanwhile, or is not there, leaves all as they are.
func TestApplyAllOrNone(t *testing.T) {
	r := two(t, t.TempDir())
	if err := os.WriteFile(r.before[1].Name, []byte("SELECT 5;\n"), 0); err != nil {
		t.Fatal(err)
	}
	if err := r.Apply(); err == nil || !strings.Contains(err.Error(), "b.sql was changed while repairs were looked for; run robust fix again; no file was changed") {
		t.Error(err)
	}
	r.before[1].Text = "SELECT 5;\n"
	have(t, r.before)
	if err := os.Remove(r.before[1].Name); err != nil {
		t.Fatal(err)
	}
	if err := r.Apply(); err == nil || !strings.Contains(err.Error(), "no file was changed") {
		t.Error(err)
	}
	have(t, r.before[:1])
}
