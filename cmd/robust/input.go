package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/apart"
	"github.com/txrobust/robust/internal/clock"
	"github.com/txrobust/robust/internal/fault"
	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/phases"
	"github.com/txrobust/robust/internal/proof"
	"github.com/txrobust/robust/internal/schemafind"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir/irtext"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// program is one program to look at.
type program struct {
	*ir.Program
	sql bool
	// mysql says that the SQL is in the dialect of MySQL.
	mysql bool
	// unread says that there was no time to read it: nothing is known of it.
	unread bool
	// doing is what was being done when there was no more time.
	doing string
	// inputs are what was named for it on the command line, read all files that were
	// read, in order, those that were included too, and disk has their texts.
	inputs, read []string
	disk         *infile.Reader
	// levels are those of -level for its transactions.
	levels map[string]levels.Level
	// golang, if not nil, is what was found in Go code.
	golang *analyzer.Result
	// phases, if not nil, are those of reading Go code.
	phases *phases.Phases
	// faults are functions of Go code whose reading ended in a fault of this program.
	faults []*fault.Fault
	// apart are notes about what is not in one transaction, nil if nobody asked for
	// them.
	apart []report.Apart
	// proof is what the proof of it rests on, if it is to be kept.
	proof *proof.Proof
}

// engine gives the profile of the name, or the default for the program.
func (p *program) engine(name string) *engine.Profile {
	switch {
	case name != "":
		return engine.ByName(name)
	case p.mysql:
		return engine.MySQL()
	case p.sql:
		return engine.Postgres()
	}
	return engine.SI()
}

// text gives the text of a file of the program, or of another one on the disk.
func (p *program) text(file string) (string, bool) {
	if text, ok := p.disk.Text(file); ok {
		return string(text), true
	}
	return findings.Disk(file)
}

// sources are the arguments that say what to read.
type sources struct {
	inputs, schemas, txns []string
	dialect               string
	// searchPath is that of sessions, nil for the default.
	searchPath []string
	// init is what -init names, "" by default.
	init string
	// notes says that what is not in one transaction is looked for.
	notes bool
	// transactionsOnly leaves out the single statements of Go programs.
	transactionsOnly bool
	// files reads all files, each once, where the inputs are and where it is
	// allowed.
	files *infile.Reader
	// clock, if not nil, is that of the check, which starts when packages of Go are loaded.
	clock *clock.Clock
}

// check finds mistakes in the arguments before anything is read.
func (s *sources) check() error {
	for _, path := range append(slices.Clone(s.schemas), s.inputs...) {
		if (path == "-" || isGo(path)) && !slices.Contains(s.schemas, path) {
			continue
		}
		info, err := infile.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return usagef("%s: there is no such file; name packages of Go, .sql files, directories of them, or .litmus files", path)
		case err != nil:
			return usagef("%v", err)
		case info.IsDir():
			found, err := infile.List(path, ".sql")
			if err != nil {
				return usagef("%v", err)
			}
			if len(found) == 0 {
				return usagef("%s: %s", path, input.Empty(path))
			}
		case !info.Mode().IsRegular():
			_, err := infile.Open(path)
			return usagef("%v", err)
		case !strings.HasSuffix(path, ".sql") && (!strings.HasSuffix(path, ".litmus") || slices.Contains(s.schemas, path)):
			return usagef("%s: what this file holds is not known; inputs end in .sql or .litmus", path)
		}
		if err := s.files.Allow(path); err != nil {
			return usagef("%v", err)
		}
	}
	if len(s.schemas) > 0 && len(s.sql()) == 0 && len(s.golang()) == 0 {
		return usagef("-schema is for SQL and Go, but there is neither among the inputs")
	}
	return nil
}

// standardInput is the name of SQL from there. No input that is a file has it.
const standardInput = "standard input"

// readStandardInput reads the input that - names, if there is one.
func (s *sources) readStandardInput(ctx context.Context) error {
	i := slices.Index(s.inputs, "-")
	if i < 0 {
		return nil
	}
	s.inputs = slices.DeleteFunc(slices.Insert(s.inputs, i, standardInput), func(in string) bool { return in == "-" })
	return s.files.ReadFrom(ctx, standardInput, os.Stdin, syntax.MaxFile, syntax.Smaller)
}

// escape makes a path match only itself as a pattern.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func (s *sources) sql() []string {
	return slices.DeleteFunc(slices.Clone(s.inputs), func(p string) bool { return strings.HasSuffix(p, ".litmus") || isGo(p) })
}

// load reads the programs: the SQL first.
func (s *sources) load(ctx context.Context, show func(done, total int, what string)) ([]*program, error) {
	var out []*program
	show(0, 0, "reading the input")
	if patterns := s.golang(); len(patterns) > 0 {
		p, err := s.apart().loadGo(ctx, patterns, show)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	if sql := s.sql(); len(sql) > 0 {
		p, err := s.apart().loadSQL(ctx, sql)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	for _, path := range s.inputs {
		if !strings.HasSuffix(path, ".litmus") {
			continue
		}
		p, err := s.apart().loadLitmus(ctx, path)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// apart are the sources for one of several programs, of which it is known which
// files it has read.
func (s *sources) apart() *sources {
	one := *s
	one.files = s.files.Fork()
	return &one
}

// loadSQL reads files and directories of SQL as one application.
func (s *sources) loadSQL(ctx context.Context, sql []string) (*program, error) {
	schema, paths, err := s.schemaAndPaths(ctx, sql)
	if err != nil {
		return nil, err
	}
	opt := s.options(schema)
	p, err := sqlmodel.Load(ctx, paths, opt)
	if err != nil {
		return nil, misnamed(err)
	}
	out := &program{Program: p, sql: true, mysql: opt.MySQL, inputs: sql, read: s.files.Names(), disk: s.files}
	if s.notes && len(s.txns) == 0 {
		out.apart = apart.Find(ctx, p, apart.Load(paths, opt))
	}
	return out, nil
}

// misnamed makes an error about -txn one of usage.
func misnamed(err error) error {
	if _, ok := errors.AsType[*load.NoTransaction](err); ok {
		return usagef("-txn: %v", err)
	}
	return err
}

// schemaAndPaths reads the files of -schema, and gives the names of the .sql files that are
// besides them.
func (s *sources) schemaAndPaths(ctx context.Context, sql []string) (schema []schemafind.File, paths []string, err error) {
	named, err := schemafind.ReadAll(ctx, s.files, s.schemas)
	if err != nil {
		return nil, nil, err
	}
	schema = (&schemafind.Schema{Chosen: named}).Files()
	paths, err = expand(sql)
	return schema, slices.DeleteFunc(paths, func(path string) bool {
		return slices.ContainsFunc(schema, func(f schemafind.File) bool { return infile.Same(f.Name, path) })
	}), err
}

// loadLitmus reads a litmus file.
func (s *sources) loadLitmus(ctx context.Context, path string) (*program, error) {
	text, err := s.files.Read(ctx, path, maxLitmus, "leave something out")
	if err != nil {
		return nil, err
	}
	p, err := irtext.Parse(path, string(text))
	if err != nil {
		return nil, err
	}
	if err := restrict(p, path, s.txns); err != nil {
		return nil, err
	}
	wellformed.Structure(p)
	return &program{Program: p, inputs: []string{path}, read: s.files.Names(), disk: s.files}, nil
}

// options are those for SQL in the dialect that was asked for, after the files of a schema.
func (s *sources) options(schema []schemafind.File) sqlmodel.Options {
	opt := sqlmodel.Options{Txns: s.txns, Files: s.files, SearchPath: s.searchPath, MySQL: s.dialect == "mysql"}
	for _, f := range schema {
		opt.Before = append(opt.Before, sqlmodel.File(f))
	}
	return opt
}

// expand replaces directories by the .sql files in them, and leaves out files that are
// named twice, by whatever paths.
func expand(paths []string) ([]string, error) {
	var out []string
	var infos []fs.FileInfo
	for _, path := range paths {
		if path == standardInput {
			out = append(out, path)
			continue
		}
		info, err := infile.Stat(path)
		if err != nil {
			return nil, err
		}
		found := []string{path}
		if info.IsDir() {
			if found, err = input.Directory(path); err != nil {
				return nil, err
			}
		}
		for _, f := range found {
			if info, err = infile.Stat(f); err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(infos, func(other fs.FileInfo) bool { return os.SameFile(info, other) }) {
				out, infos = append(out, f), append(infos, info)
			}
		}
	}
	return out, nil
}

// restrict keeps only the named transactions of a litmus program.
func restrict(p *ir.Program, path string, names []string) error {
	if len(names) == 0 {
		if len(p.Txns) == 0 {
			return ir.Errorf(ir.Pos{File: path, Line: 1, Col: 1}, "there is no transaction in the program")
		}
		return nil
	}
	var all []string
	for _, t := range p.Txns {
		all = append(all, t.Name)
	}
	for _, n := range names {
		if p.Txn(n) == nil {
			slices.Sort(all)
			return misnamed(&load.NoTransaction{Name: n, There: all})
		}
	}
	drop := func(t *ir.Txn) bool { return !slices.Contains(names, t.Name) }
	p.Txns = slices.DeleteFunc(p.Txns, drop)
	for _, pr := range p.Processes {
		pr.Txns = slices.DeleteFunc(pr.Txns, drop)
	}
	p.Processes = slices.DeleteFunc(p.Processes, func(pr *ir.Process) bool { return len(pr.Txns) == 0 })
	return nil
}

// maxLitmus bounds the bytes of a litmus file.
const maxLitmus = 64 << 20
