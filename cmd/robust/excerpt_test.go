package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/ir"
)

func TestExcerpt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.sql")
	text := "SELECT 1;\n\tSELCT \x1b2;\n" + strings.Repeat("x", 100) + "y" + strings.Repeat("z", 100) + "\n"
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
		{9, 1, ""},
		{1, 99, ""},
	} {
		if got := excerpt(ir.Errorf(ir.Pos{File: file, Line: c.line, Col: c.col}, "wrong")); got != c.want {
			t.Errorf("%d:%d:\n%swant\n%s", c.line, c.col, got, c.want)
		}
	}
	if got := excerpt(errors.New("no place")); got != "" {
		t.Error(got)
	}
	if got := excerpt(ir.Errorf(ir.Pos{File: "standard input", Line: 1, Col: 1}, "wrong")); got != "" {
		t.Error(got)
	}
}

// TestConfigDocs: the page about robust.yaml has every key, and no other one.
func TestConfigDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| key | value |")
	var keys []string
	for _, row := range strings.Split(table, "\n") {
		cell, _, _ := strings.Cut(strings.TrimPrefix(row, "|"), "|")
		for i, part := range strings.Split(cell, "`") {
			if i%2 == 1 {
				keys = append(keys, part)
			}
		}
	}
	slices.Sort(keys)
	if !slices.Equal(keys, slices.Sorted(slices.Values(inConfig))) {
		t.Errorf("the page has the keys %v, and the file %v", keys, inConfig)
	}
}
