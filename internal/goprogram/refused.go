package goprogram

import (
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
)

var (
	// quotedParts are comments, texts and names between quotes, without those between dollar signs.
	quotedParts = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"(?:[^"]|"")*"`)
	// otherDialects are statements of MySQL and SQLite that no version of PostgreSQL reads.
	otherDialects = regexp.MustCompile(`(?is)^\s*(?:insert\s+(?:or\s+\w+|ignore)\s+into\b|replace\s+into\b|pragma\b)|^\s*insert\b(?:[^;$]|\$[0-9])*\bon\s+duplicate\s+key\s+update\b`)
	firstWord     = regexp.MustCompile(`(?s)^\s*([A-Za-z]+)\s`)
)

// writes are the words that statements begin with which write rows.
var writes = []string{"insert", "update", "delete"}

// refused reports whether every version of PostgreSQL refuses a text as a syntax error: it is in another dialect, or the letters of
// its first word are those of another one in the wrong order.
func refused(text string) bool {
	if strings.Contains(text, client.Hole) {
		return false
	}
	text = quotedParts.ReplaceAllString(text, " ")
	if otherDialects.MatchString(text) {
		return true
	}
	m := firstWord.FindStringSubmatch(text)
	return m != nil && slices.ContainsFunc(writes, func(w string) bool { return !strings.EqualFold(m[1], w) && letters(m[1]) == letters(w) })
}

// letters gives the letters of a word in order.
func letters(word string) string {
	out := []byte(strings.ToLower(word))
	slices.Sort(out)
	return string(out)
}

// dropRefused ends transactions where they send a text that PostgreSQL refuses, in a program with a driver of it: such a text is
// meant for another database. A transaction with savepoints may go on after an error, and stays as it is.
func (s *Source) dropRefused() {
	if s.mysql || !slices.Contains(s.found.Drivers, analyzer.PostgreSQL) {
		return
	}
	noted := map[ir.Pos]bool{}
	for _, t := range s.found.Txns {
		if goesOn(t.Body) {
			continue
		}
		t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
			i := slices.IndexFunc(list, func(x client.Stmt) bool { q, ok := x.(*client.Query); return ok && refused(q.SQL) })
			if i < 0 {
				return list
			}
			q := list[i].(*client.Query)
			if !noted[q.Pos] {
				noted[q.Pos] = true
				s.note(q.Pos, "PostgreSQL refuses this statement, which is in the dialect of another database or misspelt: the transaction that sends it commits nothing")
			}
			return append(slices.Clone(list[:i]), &client.Rollback{At: q.At})
		})
	}
}

// goesOn reports whether statements set a savepoint.
func goesOn(list []client.Stmt) bool {
	found := false
	client.Walk(list, func(s client.Stmt) {
		_, sets := s.(*client.Savepoint)
		found = found || sets
	})
	return found
}
