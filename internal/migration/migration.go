// Package migration tells, in files of SQL, what applies a migration from what undoes it: by the
// marks of goose, sql-migrate, dbmate and tern, and by the names of files.
package migration

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// File is a file of SQL. Text has a blank for each byte that is left out.
type File struct{ Name, Text string }

// Tool is how a tool tells what applies a migration from what undoes it: by marks, each a
// whole line.
type Tool struct {
	name     string
	up, down *regexp.Regexp
	// open says that what stands before the first mark applies it, too.
	open bool
}

// tools are those whose files have marks.
var tools = []Tool{
	{"goose", regexp.MustCompile(`(?i)^\s*--\s*\+goose\s+up\s*$`), regexp.MustCompile(`(?i)^\s*--\s*\+goose\s+down\s*$`), false},
	{"sql-migrate", regexp.MustCompile(`(?i)^\s*--\s*\+migrate\s+up\b`), regexp.MustCompile(`(?i)^\s*--\s*\+migrate\s+down\b`), false},
	{"dbmate", regexp.MustCompile(`^\s*--\s*migrate:up\b`), regexp.MustCompile(`^\s*--\s*migrate:down\b`), false},
	// Tern has one mark, for the end of what applies the migration.
	{"tern", nil, regexp.MustCompile(`^\s*----\s*create above\s*/\s*drop below\s*----`), true},
}

// Uses reports whether a text has a mark of the tool.
func (t *Tool) Uses(text string) bool {
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
	if !t.Uses(text) {
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

// Applied leaves out of SQL files what undoes migrations: the part of a file behind the mark of a
// tool, by blanks, and files that are named as the undoing ones of others in their directories.
func Applied(files []File) []File {
	var out []File
	for _, f := range files {
		if slices.ContainsFunc(files, func(o File) bool { return undoes(f.Name, o.Name) }) {
			continue
		}
		for i := range tools {
			f.Text = tools[i].Apply(f.Text)
		}
		out = append(out, f)
	}
	return out
}

// undoes reports whether a file has the name of one that undoes the migration of the other.
func undoes(name, other string) bool {
	down, up := filepath.Base(name), filepath.Base(other)
	if filepath.Dir(name) != filepath.Dir(other) || !DownFile.MatchString(down) || DownFile.MatchString(up) {
		return false
	}
	if rest, flyway := strings.CutPrefix(down, "U"); flyway && strings.EqualFold("V"+rest, up) {
		return true
	}
	stem := DownFile.ReplaceAllString(down, "")
	return stem != "" && (stem == UpFile.ReplaceAllString(up, "") || stem == strings.TrimSuffix(up, ".sql"))
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

// Tools are those whose files have marks.
func Tools() []Tool { return slices.Clone(tools) }

// Name is that of the tool, such as goose.
func (t *Tool) Name() string { return t.name }

var (
	// UpFile and DownFile are the names of files in pairs.
	UpFile   = regexp.MustCompile(`(?i)[._-]up\.sql$`)
	DownFile = regexp.MustCompile(`(?i)([._-](down|rollback|undo)\.sql$)|^U[0-9][0-9._]*__`)
)
