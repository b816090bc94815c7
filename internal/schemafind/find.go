package schemafind

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
)

// Kind says who keeps a schema, and how.
type Kind string

const (
	Sqlc          Kind = "sqlc"
	Goose         Kind = "goose"
	SQLMigrate    Kind = "sql-migrate"
	Dbmate        Kind = "dbmate"
	Tern          Kind = "tern"
	GolangMigrate Kind = "golang-migrate"
	Atlas         Kind = "atlas"
	Ordered       Kind = "ordered files"
	Named         Kind = "schema file"
	Embedded      Kind = "embedded files"
	GoStrings     Kind = "strings in Go"
)

// rank is the precedence of a kind: the least is taken.
func (k Kind) rank() int {
	switch k {
	case Sqlc:
		return 0
	case Goose, SQLMigrate, Dbmate, Tern, GolangMigrate, Atlas:
		return 1
	case Ordered:
		return 2
	case Named:
		return 3
	case Embedded:
		return 4
	case GoStrings:
		return 5
	}
	panic("schemafind: unknown kind " + string(k))
}

// File is DDL. Name is the path of the file that it stands in, by which positions
// name it; Text has a blank for each byte of that file that is left out.
// It converts to a sqlmodel.File.
type File struct{ Name, Text string }

// Candidate is what may be the schema.
type Candidate struct {
	Kind Kind
	// Path is the directory or file that holds it or, of sqlc, the configuration.
	Path    string
	Dialect Dialect
	// Files are in the order in which they are applied.
	Files []File
	// Embedded says that the program embeds some of the files.
	Embedded bool
	// Notes say what of it was left out.
	Notes []ir.Note
	// Why says, of one that was passed over, what for.
	Why string
}

func (c *Candidate) note(pos ir.Pos, format string, args ...any) {
	c.Notes = append(c.Notes, ir.Note{Pos: pos, Text: fmt.Sprintf(format, args...)})
}

// Schema is what was found.
type Schema struct {
	// Chosen has at most one candidate for each module, in the order of these, or several of which each is a part.
	Chosen []Candidate
	// Passed are the other candidates.
	Passed []Candidate
	// Dialect is that of the chosen ones, "" where nothing tells.
	Dialect Dialect
	// Notes say what of the schema was not read, and what else the program may do
	// to it: there may be constraints of which nothing is known, and a proof rests
	// on there being none.
	Notes []ir.Note
}

// Files gives all that was chosen, in order.
func (s *Schema) Files() []File {
	var out []File
	for _, c := range s.Chosen {
		out = append(out, c.Files...)
	}
	return out
}

// Find looks for the schema of the modules in the directories roots. want is the
// dialect that is asked for; "" stands for PostgreSQL or, if nothing is in that
// dialect, MySQL. That there is no schema is no error: nothing is chosen then.
// An *ir.Error is a fault in a configuration; other errors are those of reading
// files. They are read by files, which comes to allow the modules and the
// repositories that these are in; nil is a Reader that allows nothing else.
func Find(ctx context.Context, files *infile.Reader, roots []string, want Dialect) (*Schema, error) {
	files = cmp.Or(files, &infile.Reader{})
	var found []*module
	for _, root := range roots {
		m, err := search(ctx, files, root)
		if err != nil {
			return nil, err
		}
		found = append(found, m)
	}
	if want == "" {
		want = Postgres
		if !slices.ContainsFunc(found, func(m *module) bool { return m.has(Postgres) }) &&
			slices.ContainsFunc(found, func(m *module) bool { return m.has(MySQL) }) {
			want = MySQL
		}
	}
	s := &Schema{}
	for _, m := range found {
		s.choose(m, want)
	}
	for _, c := range s.Chosen {
		if c.Dialect != "" {
			s.Dialect = c.Dialect
		}
	}
	return s, nil
}

// Read reads the schema in a directory or file that somebody named, as Find does
// when it comes upon it, but with all of its SQL files, however large. files may be
// nil: then what is in its directory is allowed.
func Read(ctx context.Context, files *infile.Reader, path string) (*Candidate, error) {
	if files == nil {
		var err error
		if files, err = infile.NewReader(path); err != nil {
			return nil, err
		}
	}
	m := &module{ctx: ctx, disk: files, root: path, limit: maxNamed}
	return m.whole(path)
}

// whole reads a directory or a file as one candidate.
func (m *module) whole(path string) (*Candidate, error) {
	files, err := m.sqlFiles(path)
	if err != nil {
		return nil, err
	}
	for _, g := range m.gaps {
		return nil, &ir.Error{Pos: g.note.Pos, Msg: g.note.Text}
	}
	if len(files) == 0 {
		return nil, ir.Errorf(ir.Pos{File: path}, "there is no .sql file in this directory; name the one with the schema")
	}
	c, _ := m.directory(path, group{files: files})
	return &c, nil
}

// Digest writes to w what the result of Find depends on, and all other files of
// SQL in the directories roots, too, which somebody may name.
func Digest(ctx context.Context, roots []string, w io.Writer) error {
	for _, root := range roots {
		m, err := search(ctx, &infile.Reader{}, root)
		if err != nil {
			return err
		}
		for _, c := range m.candidates {
			fmt.Fprintf(w, "%q %q %q %t %q\n", c.Kind, c.Path, c.Dialect, c.Embedded, c.Files)
		}
		for _, dir := range sortedKeys(m.sql) {
			fmt.Fprintf(w, "%q %q\n", dir, m.sql[dir])
		}
	}
	return ctx.Err()
}

// ReadAll reads several directories and files, in order; a file that is named
// twice counts once.
func ReadAll(ctx context.Context, files *infile.Reader, paths []string) ([]Candidate, error) {
	var out []Candidate
	seen := map[string]bool{}
	for _, path := range paths {
		c, err := Read(ctx, files, path)
		if err != nil {
			return nil, err
		}
		c.Files = slices.DeleteFunc(c.Files, func(f File) bool {
			again := seen[f.Name]
			seen[f.Name] = true
			return again
		})
		out = append(out, *c)
	}
	return out, nil
}

// module is what a search found.
type module struct {
	ctx  context.Context
	disk *infile.Reader
	root string
	// limit is the bytes of a file that is looked into: what is larger is data.
	limit      int64
	candidates []Candidate
	gaps       []gap
	// sql are the SQL files by directory, embedded those that the program embeds,
	// and golang the Go files, without tests.
	sql      map[string][]File
	embedded map[string]bool
	golang   []string
	// others are names of files that say which tool is used, by directory.
	others map[string]map[string]bool
	// configs are the configurations of sqlc.
	configs []string
}

// fits reports whether a schema in dialect d can be read as one in want.
func fits(d, want Dialect) bool { return d == "" || d == want }

func (m *module) has(d Dialect) bool {
	return slices.ContainsFunc(m.candidates, func(c Candidate) bool { return fits(c.Dialect, d) })
}

// gap is something that is not known about a schema of the kind, or of any kind
// if that is "".
type gap struct {
	kind Kind
	note ir.Note
}

// choose takes over the best candidate of a module.
func (s *Schema) choose(m *module, want Dialect) {
	slices.SortStableFunc(m.candidates, m.compare)
	chosen, first := (*Candidate)(nil), len(s.Chosen)
	for _, c := range m.candidates {
		switch {
		case !fits(c.Dialect, want):
			c.Why = fmt.Sprintf("it is for %s, not for %s", c.Dialect.title(), want.title())
		case chosen == nil:
			chosen = &c
			s.Chosen = append(s.Chosen, c)
			continue
		case isComponent(s.Chosen[first:], &c):
			s.Chosen, s.Notes = append(s.Chosen, c), append(s.Notes, c.Notes...)
			continue
		default:
			c.Why = m.why(chosen, &c)
		}
		s.Passed = append(s.Passed, c)
	}
	if chosen != nil {
		s.Notes = append(s.Notes, chosen.Notes...)
	}
	for _, g := range m.gaps {
		if g.kind == "" || chosen != nil && g.kind == chosen.Kind {
			s.Notes = append(s.Notes, g.note)
		}
	}
}

// compare orders candidates, the best first.
func (m *module) compare(a, b Candidate) int {
	return cmp.Or(
		order(m.aside(a.Path), m.aside(b.Path)),
		cmp.Compare(a.Kind.rank(), b.Kind.rank()),
		order(!a.Embedded, !b.Embedded),
		cmp.Compare(strings.Count(a.Path, string(filepath.Separator)), strings.Count(b.Path, string(filepath.Separator))),
		cmp.Compare(a.Path, b.Path),
	)
}

// order puts what is false first.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// why says what makes one candidate better than another, in the order of compare.
func (m *module) why(chosen, c *Candidate) string {
	switch {
	case m.aside(chosen.Path) != m.aside(c.Path):
		return fmt.Sprintf("tests and examples come after %s", chosen.Path)
	case chosen.Kind.rank() != c.Kind.rank():
		return fmt.Sprintf("%s comes first (%s)", chosen.Path, chosen.Kind)
	case chosen.Embedded != c.Embedded:
		return fmt.Sprintf("the program embeds %s", chosen.Path)
	}
	return fmt.Sprintf("%s comes first by its path", chosen.Path)
}

// asides are directories whose schemas are not that of the program.
var asides = []string{"test", "tests", "testing", "e2e", "integration", "example", "examples", "demo", "demos", "doc", "docs", "fixture", "fixtures", "bench", "benchmark", "benchmarks"}

// aside reports whether a path of the module is below such a directory.
func (m *module) aside(path string) bool {
	rel, err := filepath.Rel(m.root, path)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), func(part string) bool {
		return slices.Contains(asides, strings.ToLower(part))
	})
}

// search looks for the candidates of a module.
func search(ctx context.Context, files *infile.Reader, root string) (*module, error) {
	m := &module{ctx: ctx, disk: files, root: root, limit: maxFound, sql: map[string][]File{}, embedded: map[string]bool{}, others: map[string]map[string]bool{}}
	if err := files.Allow(repository(root)); err != nil {
		return nil, err
	}
	if err := m.walk(ctx); err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for _, path := range m.configs {
		list, err := m.sqlc(path)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			m.candidates = append(m.candidates, c)
			for _, f := range c.Files {
				taken[f.Name] = true
			}
		}
	}
	if err := m.goFiles(ctx); err != nil {
		return nil, err
	}
	for _, dir := range sortedKeys(m.sql) {
		m.directories(dir, taken)
	}
	return m, ctx.Err()
}

// directories adds the candidates in a directory, but for what sqlc names.
func (m *module) directories(dir string, taken map[string]bool) {
	files := slices.DeleteFunc(slices.Clone(m.sql[dir]), func(f File) bool { return taken[f.Name] })
	if len(files) == 0 {
		return
	}
	add := func(c Candidate) {
		if !slices.ContainsFunc(c.Files, func(f File) bool { return createsTable(f.Text) }) {
			return
		}
		c.Embedded = slices.ContainsFunc(c.Files, func(f File) bool { return m.embedded[f.Name] })
		m.candidates = append(m.candidates, c)
	}
	groups := byDialect(files)
	for _, g := range groups {
		c, sure := m.directory(dir, g)
		if sure {
			if g.dialect != "" || !slices.ContainsFunc(groups, func(g group) bool { return g.dialect == Postgres }) {
				add(c)
			}
			continue
		}
		named, rest := splitNamed(g.own)
		for _, list := range named {
			add(m.plain(Named, list[0].Name, group{dialect: g.dialect, files: list}))
		}
		rest = slices.DeleteFunc(rest, func(f File) bool { return !m.embedded[f.Name] })
		if len(rest) > 0 {
			add(m.plain(Embedded, dir, group{dialect: g.dialect, files: rest}))
		}
	}
}

// group is files that may go together, with the dialect that their names say:
// own are those that say it, the others are for any database.
type group struct {
	dialect    Dialect
	files, own []File
}

// byDialect puts files apart whose names say for which database they are.
func byDialect(files []File) []group {
	own := map[Dialect][]File{}
	for _, f := range files {
		d := dialectOfFile(f.Name)
		own[d] = append(own[d], f)
	}
	var out []group
	for _, d := range sortedKeys(own) {
		g := group{d, slices.Clone(own[d]), own[d]}
		if d != "" {
			g.files = append(g.files, own[""]...)
		}
		out = append(out, g)
	}
	return out
}

// plain makes a candidate of files in the order of their names.
func (m *module) plain(kind Kind, path string, g group) Candidate {
	sortFiles(g.files)
	return Candidate{Kind: kind, Path: path, Files: g.files, Dialect: m.dialect(path, g)}
}

// dialect tells the dialect of files by names, or else by what is in them. The
// names of databases that are not read are names of other things, too.
func (m *module) dialect(path string, g group) Dialect {
	d := g.dialect
	if rel, err := filepath.Rel(m.root, path); err == nil && d == "" {
		d = dialectOfName(rel)
	}
	if d == "" || d == Other {
		return cmp.Or(dialectOfText(g.files), d)
	}
	return d
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	var out []K
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
