package schemafind

import (
	"go/scanner"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// FuzzInPlace: a string constant of Go keeps its length, and what SQL reads in it
// is its value, but for space and comments.
func FuzzInPlace(f *testing.F) {
	for _, s := range []string{`"CREATE TABLE \"b\" ( -- of \"two\"\n\tid int)"`, "`CREATE TABLE a (x text DEFAULT 'it''s -- no') -- end`", `"a '\t' b"`, `"a \"b\\c\" d"`, `"-- \\n \\\\ x\nb"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, lit string) {
		var s scanner.Scanner
		file := token.NewFileSet().AddFile("", -1, len(lit))
		s.Init(file, []byte(lit), nil, 0)
		if _, tok, got := s.Scan(); tok != token.STRING || got != lit || s.ErrorCount > 0 || strings.Contains(lit, "\r") {
			return
		}
		value, err := strconv.Unquote(lit)
		if err != nil {
			return
		}
		got := (&quotes{}).inPlace(lit)
		if got == nil {
			return
		}
		if len(got) != len(lit) {
			t.Fatalf("%d bytes became %d", len(lit), len(got))
		}
		if want, got := squeezed(strings.TrimRight(value, " ")), squeezed(strings.TrimRight(string(got), " ")); want != got {
			t.Errorf("%s is read as %q, want %q", lit, got, want)
		}
	})
}

// squeezed is SQL without comments, and without space outside of quotes.
func squeezed(sql string) string {
	var b strings.Builder
	open := byte(0)
	for i := 0; i < len(sql); i++ {
		c := sql[i]
		switch {
		case open != 0:
			if c == open {
				open = 0
			}
		case c == '\'' || c == '"':
			open = c
		case strings.HasPrefix(sql[i:], "--"):
			for i < len(sql) && sql[i] != '\n' {
				i++
			}
			continue
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
