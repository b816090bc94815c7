package schemafind

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/migration"
)

var (
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
		kind, sure = Kind(tool.Name()), true
		for i := range files {
			files[i].Text = tool.Apply(files[i].Text)
		}
	case slices.ContainsFunc(files, paired):
		kind, sure = GolangMigrate, true
		own := !m.requires("github.com/golang-migrate/migrate")
		files = slices.DeleteFunc(files, func(f File) bool { return !migration.UpFile.MatchString(f.Name) && !(own && oneWay(f)) })
	case m.others[dir]["atlas.sum"]:
		kind, sure = Atlas, true
	case m.others[dir]["tern.conf"]:
		kind, sure = Tern, true
	default:
		sure = slices.Contains(orderedDirs, strings.ToLower(filepath.Base(dir))) || numbered(files)
	}
	files = slices.DeleteFunc(files, func(f File) bool { return len(files) > 1 && migration.DownFile.MatchString(filepath.Base(f.Name)) })
	c = m.plain(kind, dir, group{dialect: g.dialect, files: files})
	return c, sure
}

// toolOf finds the tool whose marks most of the files have, nil if none has any.
func toolOf(files []File) *migration.Tool {
	tools := migration.Tools()
	best, most := (*migration.Tool)(nil), 0
	for i := range tools {
		n := 0
		for _, f := range files {
			if tools[i].Uses(f.Text) {
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
	return migration.UpFile.MatchString(name) && version.MatchString(name)
}

// oneWay reports whether a file has a number and no direction. golang-migrate passes it over, a program that
// applies the files itself does not.
func oneWay(f File) bool {
	name := filepath.Base(f.Name)
	return version.MatchString(name) && !migration.DownFile.MatchString(name)
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
	slices.SortFunc(files, func(a, b File) int {
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
		case slices.ContainsFunc(words, func(w string) bool { return slices.Contains(schemaWord, w) }) && !migration.DownFile.MatchString(filepath.Base(f.Name)):
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
