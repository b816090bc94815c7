package goprogram

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/schemafind"
	"github.com/txrobust/robust/sqlmodel"
)

// Options direct Open.
type Options struct {
	// Schema are files and directories of DDL that were named.
	Schema []string
	// Roots are where the schema is looked for without them: directories of
	// modules. The first group in which there is one counts.
	Roots [][]string
	// Rows says that the initial rows are those of the schema.
	Rows bool
	// MySQL says that the program runs on MySQL, whatever drivers it imports.
	MySQL bool
	// Txns restricts the templates to the transactions with these names.
	Txns []string
	// SearchPath is that of the sessions of the program (sqlmodel.Options).
	SearchPath []string
	// Files reads the schema; nil allows what is in the directories that Schema
	// names, and in the modules and repositories of Roots.
	Files *infile.Reader
}

// Roots gives where to look for the schema of a program in modules: there, and
// then in all modules of their workspace.
func Roots(modules []string) ([][]string, error) {
	out := [][]string{modules}
	if len(modules) == 0 {
		return out, nil
	}
	all, err := schemafind.Roots(modules[0])
	if len(all) > 1 {
		out = append(out, all)
	}
	return out, err
}

// NoRows is the error where initial rows are wanted of no schema in particular.
type NoRows struct{}

func (NoRows) Error() string {
	return "the initial rows of a Go program are those of a schema that is named with -schema"
}

// Source is what was found in Go code, with its schema: all that programs are made
// of. The files of the schema are read once.
type Source struct {
	found *analyzer.Result
	txns  []string
	path  []string // of the sessions
	// strict are files of which everything has to be read.
	strict, lenient []sqlmodel.File
	// mysql says that the statements are in MySQL's dialect, mysqlFiles which files
	// are.
	mysql      bool
	mysqlFiles []string
	notes      []ir.Note
}

// Open reads the schema of what was found, or looks for it.
func Open(ctx context.Context, found *analyzer.Result, opt Options) (*Source, error) {
	s := &Source{found: found, txns: opt.Txns, path: opt.SearchPath, mysql: opt.MySQL || slices.Equal(found.Drivers, []analyzer.Database{analyzer.MySQL})}
	if err := s.schema(ctx, opt); err != nil {
		return nil, err
	}
	s.dropRefused()
	s.models()
	return s, nil
}

// Program makes the program. Its Notes have those of the analyzer, too. Faults of
// the schema are *ir.Error.
func (s *Source) Program(ctx context.Context) (*ir.Program, error) {
	schema := slices.Clone(s.lenient)
	for _, x := range s.found.Invariants {
		schema = append(schema, sqlmodel.File{Name: x.Pos.File, Text: x.SQL()})
	}
	opt := s.options(schema)
	opt.Txns = s.txns
	p, err := sqlmodel.Client(ctx, s.strict, s.found.Txns, opt)
	if err != nil {
		return nil, err
	}
	p.Ignores = s.found.Ignores
	p.Notes = slices.Concat(s.notes, s.found.Notes, p.Notes)
	return p, nil
}

// MySQL reports whether the statements are taken to be in MySQL's dialect.
func (s *Source) MySQL() bool { return s.mysql }

// options are those for reading SQL with a schema.
func (s *Source) options(schema []sqlmodel.File) sqlmodel.Options {
	return sqlmodel.Options{Schema: schema, MySQL: s.mysql, MySQLFiles: s.mysqlFiles, SearchPath: s.path}
}

// Files are the names of the files of the schema, and of those in which Go code
// declares a part of it.
func (s *Source) Files() []string {
	var out []string
	for _, f := range slices.Concat(s.strict, s.lenient) {
		out = append(out, f.Name)
	}
	return out
}

// TransactionsOnly leaves the statements outside of transactions out of what was
// found, with a note.
func TransactionsOnly(found *analyzer.Result) {
	all := len(found.Txns)
	found.Txns = slices.DeleteFunc(found.Txns, func(t *client.Txn) bool { return t.Auto })
	if n := all - len(found.Txns); n > 0 {
		found.Notes = append(found.Notes, ir.Note{Text: fmt.Sprintf("statements outside of transactions that are left out, since -autocommit is off: %d; what they do is no part of the verdict", n)})
	}
}

func (s *Source) note(pos ir.Pos, format string, args ...any) {
	s.notes = append(s.notes, ir.Note{Pos: pos, Text: fmt.Sprintf(format, args...)})
}

// schema reads the schema that was named, or finds one.
func (s *Source) schema(ctx context.Context, opt Options) error {
	switch {
	case len(opt.Schema) > 0:
		return s.named(ctx, opt)
	case opt.Rows:
		return NoRows{}
	}
	var left []ir.Note // about files that were not read
	for _, roots := range opt.Roots {
		found, err := s.find(ctx, opt.Files, roots)
		if err != nil {
			return err
		}
		if len(found.Chosen) == 0 {
			left = found.Notes
			continue
		}
		for _, c := range found.Chosen {
			s.lenient = append(s.lenient, s.files(&c)...)
		}
		s.mysql = s.mysql || found.Dialect == schemafind.MySQL && len(s.found.Drivers) == 0
		s.notes = append(s.notes, found.Notes...)
		for _, c := range found.Chosen {
			s.note(ir.Pos{File: c.Path}, "the schema was found here (%s); name another one with -schema", c.Kind)
		}
		return nil
	}
	s.notes = append(s.notes, left...)
	return nil
}

// find looks for a schema in the dialect of the program or, if there is none, in
// any that is read.
func (s *Source) find(ctx context.Context, files *infile.Reader, roots []string) (*schemafind.Schema, error) {
	if s.mysql {
		if found, err := schemafind.Find(ctx, files, roots, schemafind.MySQL); err != nil || len(found.Chosen) > 0 {
			return found, err
		}
	}
	return schemafind.Find(ctx, files, roots, "")
}

// files gives the files of a part of the schema. Where its dialect cannot be told,
// it is that of the program.
func (s *Source) files(c *schemafind.Candidate) []sqlmodel.File {
	var out []sqlmodel.File
	for _, f := range c.Files {
		out = append(out, sqlmodel.File(f))
		if c.Dialect == schemafind.MySQL || c.Dialect == "" && s.mysql {
			s.mysqlFiles = append(s.mysqlFiles, f.Name)
		}
	}
	return out
}

// named reads the schema that was named.
func (s *Source) named(ctx context.Context, opt Options) error {
	into := &s.strict
	for _, path := range opt.Schema {
		info, err := infile.Stat(path)
		if err != nil {
			return err
		}
		if info.IsDir() && !opt.Rows {
			into = &s.lenient
		}
	}
	list, err := schemafind.ReadAll(ctx, opt.Files, opt.Schema)
	if err != nil {
		return err
	}
	for i := range list {
		*into = append(*into, s.files(&list[i])...)
	}
	return nil
}

// models adds the tables that GORM makes of structs, as far as the schema does not
// name them, and says what is not known without a schema.
func (s *Source) models() {
	none := len(s.strict)+len(s.lenient) == 0
	named := s.names()
	var tables []string
	var at ir.Pos
	var list []sqlmodel.File
	for _, d := range s.found.Schema() {
		m := d.Model
		if !none && (!m.Migrated || named[strings.ToLower(m.Table[strings.LastIndexByte(m.Table, '.')+1:])]) {
			continue
		}
		if !slices.Contains(tables, m.Table) {
			tables = append(tables, m.Table)
		}
		if !at.IsValid() || m.Migrated {
			at = m.Pos
		}
		// One line, at that of the model.
		list = append(list, sqlmodel.File{Name: m.Pos.File, Text: strings.Repeat("\n", max(m.Pos.Line-1, 0)) + oneLine.Replace(d.SQL)})
	}
	s.lenient = append(s.lenient, list...)
	switch text := strings.Join(tables, ", ") + ": that these tables are as GORM's AutoMigrate makes them is taken for granted"; {
	case none && len(tables) == 0:
		s.note(ir.Pos{}, "no schema was found: which columns are keys is not known, so that concurrent insertions are not told apart; name it with -schema")
	case none:
		s.note(at, "no schema was found; %s; name another schema with -schema", text)
	case len(tables) > 0:
		s.note(at, "the schema does not name %s", text)
	}
}

var oneLine = strings.NewReplacer("(\n  ", "(", ",\n  ", ", ", "\n)", ")")

var anyName = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_$]*`)

// names are the names in the schema, in lower case.
func (s *Source) names() map[string]bool {
	out := map[string]bool{}
	for _, f := range slices.Concat(s.strict, s.lenient) {
		for _, name := range anyName.FindAllString(f.Text, -1) {
			out[strings.ToLower(name)] = true
		}
	}
	return out
}
