package excerpt_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/excerpt"
	"github.com/txrobust/robust/internal/ir"
)

func TestExcerpt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.sql")
	text := "SELECT 1;\n\tSELCT \x1b2;\n" + strings.Repeat("x", 100) + "y" + strings.Repeat("z", 100) + "\n/* éé🎉 */ SELCT 3;\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line, col int
		want      string
	}{
		{1, 1, "    1 | SELECT 1;\n      | ^\n"},
		{2, 2, "    2 |     SELCT \\x1b2;\n      |     ^\n"},
		{3, 101, "    3 | … " + strings.Repeat("x", 34) + "y" + strings.Repeat("z", 30) + "…\n      | " + strings.Repeat(" ", 36) + "^\n"},
		{4, 11, "    4 | /* éé🎉 */ SELCT 3;\n      |            ^\n"}, // 🎉 takes two columns
		{4, 19, "    4 | /* éé🎉 */ SELCT 3;\n      |                    ^\n"},
		{4, 20, ""},
		{9, 1, ""},
		{1, 99, ""},
	} {
		if got := excerpt.Of(ir.Errorf(ir.Pos{File: file, Line: c.line, Col: c.col}, "wrong"), 1<<20); got != c.want {
			t.Errorf("%d:%d:\n%swant\n%s", c.line, c.col, got, c.want)
		}
	}
	if got := excerpt.Of(errors.New("no place"), 1<<20); got != "" {
		t.Error(got)
	}
	if got := excerpt.Of(ir.Errorf(ir.Pos{File: "standard input", Line: 1, Col: 1}, "wrong"), 1<<20); got != "" {
		t.Error(got)
	}
}

// TestStart: columns count characters in SQL, and bytes in Go.
func TestStart(t *testing.T) {
	for _, c := range []struct {
		file string
		col  int
		want int
		ok   bool
	}{
		{"a.sql", 1, 0, true}, {"a.sql", 3, 6, true}, {"a.sql", 4, 7, true}, {"a.sql", 5, 7, false}, {"a.sql", 0, 7, false},
		{"a.go", 1, 0, true}, {"a.go", 7, 6, true}, {"a.go", 4, 2, true}, {"a.go", 8, 7, true}, {"a.go", 9, 8, false}, {"a.go", 0, -1, false},
	} {
		if got, ok := excerpt.Start(c.file, "é🎉x", c.col); ok != c.ok || ok && got != c.want {
			t.Errorf("%s:%d: %d %t, not %d", c.file, c.col, got, ok, c.want)
		}
	}
}

// TestCharacters compares columns of files of Go and SQL with those of their runes.
func TestCharacters(t *testing.T) {
	dir := t.TempDir()
	text := "package p // ü\n\tx(\"名前 🎉 é\", y)\r\n"
	for _, name := range []string{"a.go", "a.sql"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	count := excerpt.Characters()
	tried := 0
	for n, line := range strings.Split(text, "\n") {
		runes := []rune(line)
		for want := range runes {
			bytes := len(string(runes[:want]))
			if got := count(filepath.Join(dir, "a.go"), n+1, bytes+1); got != want+1 {
				t.Errorf("a.go:%d:%d: %d, not %d", n+1, bytes+1, got, want+1)
			}
			if got := count(filepath.Join(dir, "a.sql"), n+1, want+1); got != want+1 {
				t.Errorf("a.sql:%d:%d: %d", n+1, want+1, got)
			}
			tried++
		}
	}
	if tried < 30 {
		t.Errorf("%d columns", tried)
	}
	for _, at := range [][2]int{{2, 99}, {9, 1}, {0, 1}} {
		if got := count(filepath.Join(dir, "a.go"), at[0], at[1]); got != 0 {
			t.Errorf("a.go:%v: %d", at, got)
		}
	}
	if got := count(filepath.Join(dir, "gone.go"), 1, 1); got != 0 {
		t.Errorf("gone.go: %d", got)
	}
}
