// Package migration tells what applies a migration of a schema from what undoes it, by the
// marks of tools (goose, sql-migrate, dbmate, tern) and the names of files (golang-migrate, Flyway), and
// knows the order of the files.
package migration

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Tool is how a tool tells what applies a migration from what undoes it. Each mark
// matches a whole line.
type Tool struct {
	Name     string
	up, down *regexp.Regexp
	// open says that what stands before the first mark applies it, too.
	open bool
}

// Tools are those whose files have marks.
var Tools = []Tool{
	{"goose", regexp.MustCompile(`(?i)^\s*--\s*\+goose\s+up\s*$`), regexp.MustCompile(`(?i)^\s*--\s*\+goose\s+down\s*$`), false},
	{"sql-migrate", regexp.MustCompile(`(?i)^\s*--\s*\+migrate\s+up\b`), regexp.MustCompile(`(?i)^\s*--\s*\+migrate\s+down\b`), false},
	{"dbmate", regexp.MustCompile(`^\s*--\s*migrate:up\b`), regexp.MustCompile(`^\s*--\s*migrate:down\b`), false},
	// Tern has one mark, for the end of what applies the migration.
	{"tern", nil, regexp.MustCompile(`^\s*----\s*create above\s*/\s*drop below\s*----`), true},
}

// uses reports whether a text has a mark of the tool.
func (t *Tool) uses(text string) bool {
	mark := t.up
	if mark == nil {
		mark = t.down
	}
	for line := range strings.Lines(text) {
		if mark.MatchString(strings.TrimRight(line, "\r\n")) {
			return true
		}
	}
	return false
}

// Apply blanks what undoes a migration. Where a file without a mark is what
// applies it, all of it stays.
func (t *Tool) Apply(text string) string {
	if !t.uses(text) {
		return text
	}
	var b strings.Builder
	keep := t.open
	begun := false
	for line := range strings.Lines(text) {
		end := strings.TrimRight(line, "\r\n")
		switch {
		case t.up != nil && t.up.MatchString(end):
			keep, begun = true, true
		case t.down.MatchString(end):
			keep, begun = false, true
		}
		comment := strings.HasPrefix(strings.TrimSpace(end), "--")
		if keep || !begun && comment {
			b.WriteString(line)
			continue
		}
		b.WriteString(Blank(line))
	}
	return b.String()
}

// Blank puts a space in the place of every byte but the ends of lines.
func Blank(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c != '\n' && c != '\r' {
			out[i] = ' '
		}
	}
	return string(out)
}

// ToolOf finds the tool whose marks most of the texts have, nil if none has any.
func ToolOf(texts []string) *Tool {
	best, most := (*Tool)(nil), 0
	for i := range Tools {
		n := 0
		for _, text := range texts {
			if Tools[i].uses(text) {
				n++
			}
		}
		if n > most {
			best, most = &Tools[i], n
		}
	}
	return best
}

var (
	// upFile and downFile are the names of files in pairs.
	upFile   = regexp.MustCompile(`(?i)[._-]up\.sql$`)
	downFile = regexp.MustCompile(`(?i)([._-](down|rollback|undo)\.sql$)|^U[0-9][0-9._]*__`)
	// version is the number that a name begins with, which may have parts.
	version = regexp.MustCompile(`^[vV]?([0-9]+(?:\.[0-9]+)*)`)
)

// Applies reports whether the name of a file says that it applies a migration that another file undoes.
func Applies(name string) bool { return upFile.MatchString(filepath.Base(name)) }

// Undoes reports whether the name of a file says that it undoes a migration.
func Undoes(name string) bool { return downFile.MatchString(filepath.Base(name)) }

// Numbered reports whether the name of a file begins with a number.
func Numbered(name string) bool { return version.MatchString(filepath.Base(name)) }

// Reverts reports whether the name of a file is that of one which undoes the migration with a number that another file in
// its directory applies.
func Reverts(name, other string) bool {
	down, up := filepath.Base(name), filepath.Base(other)
	if filepath.Dir(name) != filepath.Dir(other) || !Undoes(down) || Undoes(up) || !Numbered(up) {
		return false
	}
	if rest, flyway := strings.CutPrefix(down, "U"); flyway && strings.EqualFold("V"+rest, up) {
		return true
	}
	stem := downFile.ReplaceAllString(down, "")
	return stem == upFile.ReplaceAllString(up, "") || stem == strings.TrimSuffix(up, ".sql")
}

// Compare orders names of files by their numbers, part by part, then by the names; those without a number come last.
func Compare(a, b string) int {
	number := func(name string) []string {
		m := version.FindStringSubmatch(filepath.Base(name))
		if m == nil {
			return []string{strings.Repeat("9", 100)}
		}
		return strings.Split(m[1], ".")
	}
	part := func(x, y string) int {
		x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
	}
	return cmp.Or(slices.CompareFunc(number(a), number(b), part), cmp.Compare(a, b))
}
