package schemafind

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/migration"
)

// orderedDirs are names of directories whose files are applied one after the other.
var orderedDirs = []string{"migrations", "migration", "migrate", "migrates", "schema", "schemas", "ddl", "initdb", "docker-entrypoint-initdb.d"}

// directory makes a candidate of all files of a directory, or of one file; sure
// says that these belong together by the marks of a tool, or by the name of the
// directory or the files.
func (m *module) directory(dir string, g group) (c Candidate, sure bool) {
	files := slices.Clone(g.files)
	kind := Ordered
	switch tool := migration.ToolOf(texts(files)); {
	case tool != nil:
		kind, sure = Kind(tool.Name), true
		for i := range files {
			files[i].Text = tool.Apply(files[i].Text)
		}
	case slices.ContainsFunc(files, paired):
		kind, sure = GolangMigrate, true
		own := !m.requires("github.com/golang-migrate/migrate")
		files = slices.DeleteFunc(files, func(f File) bool { return !migration.Applies(f.Name) && !(own && oneWay(f)) })
	case m.others[dir]["atlas.sum"]:
		kind, sure = Atlas, true
	case m.others[dir]["tern.conf"]:
		kind, sure = Tern, true
	default:
		sure = slices.Contains(orderedDirs, strings.ToLower(filepath.Base(dir))) || numbered(files)
	}
	files = slices.DeleteFunc(files, func(f File) bool { return len(files) > 1 && migration.Undoes(f.Name) })
	c = m.plain(kind, dir, group{dialect: g.dialect, files: files})
	return c, sure
}

// texts gives the texts of files.
func texts(files []File) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = f.Text
	}
	return out
}

// paired reports whether a file is one of golang-migrate: VERSION_title.up.sql.
func paired(f File) bool {
	return migration.Applies(f.Name) && migration.Numbered(f.Name)
}

// oneWay reports whether a file has a number and no direction. golang-migrate passes it over, a program that
// applies the files itself does not.
func oneWay(f File) bool {
	return migration.Numbered(f.Name) && !migration.Undoes(f.Name)
}

// requires reports whether the module requires another one, of any version.
func (m *module) requires(path string) bool {
	mod, err := m.disk.Read(m.ctx, filepath.Join(m.root, "go.mod"), m.limit, "")
	return err == nil && strings.Contains(string(mod), path)
}

// numbered reports whether all files have numbers, and there are some.
func numbered(files []File) bool {
	return len(files) > 1 && !slices.ContainsFunc(files, func(f File) bool { return !migration.Numbered(f.Name) })
}

// sortFiles puts files in the order of their numbers, then of their names; those
// without a number come last.
func sortFiles(files []File) {
	slices.SortStableFunc(files, func(a, b File) int { return migration.Compare(a.Name, b.Name) })
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
		case slices.ContainsFunc(words, func(w string) bool { return slices.Contains(schemaWord, w) }) && !migration.Undoes(f.Name):
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
