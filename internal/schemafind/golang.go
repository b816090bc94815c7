package schemafind

import (
	"context"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

var embedLine = regexp.MustCompile(`(?m)^//go:embed[ \t]+(.+)$`)

// inGo are calls that make tables out of Go, of which nothing is known. With a
// kind they matter where that is chosen.
var inGo = []struct {
	kind Kind
	call *regexp.Regexp
	what string
}{
	{Goose, regexp.MustCompile(`\bgoose\.(AddMigration|AddNamedMigration|NewGoMigration)\w*\(`), "migrations that are written in Go (goose)"},
	{"", regexp.MustCompile(`\.AutoMigrate\(`), "tables of this schema that are also made from types (AutoMigrate)"},
	{"", regexp.MustCompile(`\.Schema\.Create\(`), "tables that are made from types (Schema.Create)"},
}

// goFiles looks for what Go files embed, and for DDL in their strings.
func (m *module) goFiles(ctx context.Context) error {
	byDir := map[string]*Candidate{}
	for _, name := range m.golang {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, ok, err := m.read(name)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		text := f.Text
		for _, line := range embedLine.FindAllStringSubmatch(text, -1) {
			m.embeds(filepath.Dir(name), line[1])
		}
		for _, g := range inGo {
			if g.call.MatchString(text) && !m.aside(name) {
				m.gaps = append(m.gaps, gap{g.kind, ir.Note{Pos: ir.Pos{File: name}, Text: g.what + " are not followed: constraints that they make are not known"}})
			}
		}
		if someDDL.MatchString(text) {
			dir := filepath.Dir(name)
			if byDir[dir] == nil {
				byDir[dir] = &Candidate{Kind: GoStrings, Path: dir}
			}
			byDir[dir].addStrings(name, text)
		}
	}
	for i := range m.candidates { // those of sqlc
		c := &m.candidates[i]
		c.Embedded = slices.ContainsFunc(c.Files, func(f File) bool { return m.embedded[f.Name] })
	}
	for _, dir := range sortedKeys(byDir) {
		for _, g := range byDialect(byDir[dir].Files) {
			c := *byDir[dir]
			sortFiles(g.files)
			c.Files, c.Dialect = g.files, m.dialect(dir, g)
			if slices.ContainsFunc(c.Files, func(f File) bool { return createsTable(f.Text) }) {
				m.candidates = append(m.candidates, c)
			}
		}
	}
	return nil
}

// embeds notes the SQL files that the patterns after //go:embed match.
func (m *module) embeds(dir, patterns string) {
	var list []string
	for rest := strings.TrimSpace(patterns); rest != ""; rest = strings.TrimSpace(rest) {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			word, after, _ := strings.Cut(rest, " ")
			list, rest = append(list, word), after
			continue
		}
		if word, err := strconv.Unquote(quoted); err == nil {
			list = append(list, word)
		}
		rest = rest[len(quoted):]
	}
	for _, pattern := range list {
		pattern = strings.TrimPrefix(pattern, "all:")
		for sub, files := range m.sql {
			for _, f := range files {
				rel, err := filepath.Rel(dir, f.Name)
				if err != nil || strings.HasPrefix(rel, "..") {
					continue
				}
				// A pattern matches the file, or a directory that it is in.
				for at := filepath.ToSlash(rel); at != "."; at = path.Dir(at) {
					if ok, err := path.Match(pattern, at); err == nil && ok || pattern == "." {
						m.embedded[filepath.Join(sub, filepath.Base(f.Name))] = true
					}
				}
			}
		}
	}
}
