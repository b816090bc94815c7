package schemafind

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// marks are how a tool tells what applies a migration from what undoes it. Each
// matches a whole line.
type marks struct {
	kind     Kind
	up, down *regexp.Regexp
	// open says that what stands before the first mark applies it, too.
	open bool
}

// tools are those whose files have marks.
var tools = []marks{
	{Goose, regexp.MustCompile(`(?i)^\s*--\s*\+goose\s+up\s*$`), regexp.MustCompile(`(?i)^\s*--\s*\+goose\s+down\s*$`), false},
	{SQLMigrate, regexp.MustCompile(`(?i)^\s*--\s*\+migrate\s+up\b`), regexp.MustCompile(`(?i)^\s*--\s*\+migrate\s+down\b`), false},
	{Dbmate, regexp.MustCompile(`^\s*--\s*migrate:up\b`), regexp.MustCompile(`^\s*--\s*migrate:down\b`), false},
	// Tern has one mark, for the end of what applies the migration.
	{Tern, nil, regexp.MustCompile(`^\s*----\s*create above\s*/\s*drop below\s*----`), true},
}

// uses reports whether a text has a mark of the tool.
func (t *marks) uses(text string) bool {
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

// apply blanks what undoes a migration. Where a file without a mark is what
// applies it, all of it stays.
func (t *marks) apply(text string) string {
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
		b.WriteString(blank(line))
	}
	return b.String()
}

// blank puts a space in the place of every byte but the ends of lines.
func blank(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c != '\n' && c != '\r' {
			out[i] = ' '
		}
	}
	return string(out)
}

var (
	// upFile and downFile are the names of files in pairs.
	upFile   = regexp.MustCompile(`(?i)[._-]up\.sql$`)
	downFile = regexp.MustCompile(`(?i)([._-](down|rollback|undo)\.sql$)|^U[0-9][0-9._]*__`)
	// version is the number that a name begins with.
	version = regexp.MustCompile(`^[vV]?0*([0-9]+)`)
)

// orderedDirs are names of directories whose files are applied one after the other.
var orderedDirs = []string{"migrations", "migration", "migrate", "migrates", "schema", "schemas", "ddl", "initdb", "docker-entrypoint-initdb.d"}

// directory makes a candidate of all files of a directory, or of one file; sure
// says that these belong together by the marks of a tool, or by the name of the
// directory or the files.
func (m *module) directory(dir string, g group) (c Candidate, sure bool) {
	files := slices.Clone(g.files)
	kind := Ordered
	switch tool := toolOf(files); {
	case tool != nil:
		kind, sure = tool.kind, true
		for i := range files {
			files[i].Text = tool.apply(files[i].Text)
		}
	case slices.ContainsFunc(files, paired):
		kind, sure = GolangMigrate, true
		own := !m.requires("github.com/golang-migrate/migrate")
		files = slices.DeleteFunc(files, func(f File) bool { return !upFile.MatchString(f.Name) && !(own && oneWay(f)) })
	case m.others[dir]["atlas.sum"]:
		kind, sure = Atlas, true
	case m.others[dir]["tern.conf"]:
		kind, sure = Tern, true
	default:
		sure = slices.Contains(orderedDirs, strings.ToLower(filepath.Base(dir))) || numbered(files)
	}
	files = slices.DeleteFunc(files, func(f File) bool { return len(files) > 1 && downFile.MatchString(filepath.Base(f.Name)) })
	c = m.plain(kind, dir, group{dialect: g.dialect, files: files})
	return c, sure
}

// toolOf finds the tool whose marks most of the files have, nil if none has any.
func toolOf(files []File) *marks {
	best, most := (*marks)(nil), 0
	for i := range tools {
		n := 0
		for _, f := range files {
			if tools[i].uses(f.Text) {
				n++
			}
		}
		if n > most {
			best, most = &tools[i], n
		}
	}
	return best
}

// paired reports whether a file is one of golang-migrate: VERSION_title.up.sql.
func paired(f File) bool {
	name := filepath.Base(f.Name)
	return upFile.MatchString(name) && version.MatchString(name)
}

// oneWay reports whether a file has a number and no direction. golang-migrate passes it over, a program that
// applies the files itself does not.
func oneWay(f File) bool {
	name := filepath.Base(f.Name)
	return version.MatchString(name) && !downFile.MatchString(name)
}

// requires reports whether the module requires another one, of any version.
func (m *module) requires(path string) bool {
	mod, err := m.disk.Read(m.ctx, filepath.Join(m.root, "go.mod"), m.limit, "")
	return err == nil && strings.Contains(string(mod), path)
}

// numbered reports whether all files have numbers, and there are some.
func numbered(files []File) bool {
	return len(files) > 1 && !slices.ContainsFunc(files, func(f File) bool { return !version.MatchString(filepath.Base(f.Name)) })
}

// sortFiles puts files in the order of their numbers, then of their names; those
// without a number come last.
func sortFiles(files []File) {
	number := func(f File) string {
		m := version.FindStringSubmatch(filepath.Base(f.Name))
		if m == nil {
			return ""
		}
		return m[1]
	}
	slices.SortStableFunc(files, func(a, b File) int {
		x, y := number(a), number(b)
		return cmp.Or(order(x == "", y == ""), cmp.Compare(len(x), len(y)), cmp.Compare(x, y), cmp.Compare(a.Name, b.Name))
	})
}

// schemaWord are the words by which the name of a file says that it is the schema.
var schemaWord = []string{"schema", "structure", "ddl", "init", "tables"}

// splitNamed finds the files that are named after what they are. The one that is
// named just schema or structure is the schema by itself, and the others go
// together.
func splitNamed(files []File) (named [][]File, rest []File) {
	var others []File
	for _, f := range files {
		words := words(strings.TrimSuffix(strings.ToLower(filepath.Base(f.Name)), ".sql"))
		words = slices.DeleteFunc(words, func(w string) bool { return dialectOfName(w) != "" })
		switch {
		case len(words) == 1 && (words[0] == "schema" || words[0] == "structure"):
			named = append(named, []File{f})
		case slices.ContainsFunc(words, func(w string) bool { return slices.Contains(schemaWord, w) }) && !downFile.MatchString(filepath.Base(f.Name)):
			others = append(others, f)
		default:
			rest = append(rest, f)
		}
	}
	if len(others) > 0 {
		named = append(named, others)
	}
	return named, rest
}
