package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/flags"
	"github.com/txrobust/robust/internal/goprogram"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/output"
	"github.com/txrobust/robust/internal/repair"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/terminal"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

const fixOperands = "INPUT is packages of Go (./...), or .sql files and directories of them, together\n" +
	"one application in the dialect of PostgreSQL. Each repair is applied to their\n" +
	"text, and the whole is checked again: what is printed first is proved."

// fixFlags are the flags of robust fix.
type fixFlags struct {
	common
	format        string
	isolation     string
	levels        levelFlag
	apply, diff   bool
	want, checks  int
	timeout, each time.Duration
	verbose       bool
}

func fixCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	f := &fixFlags{}
	f.flags(fs)
	return f.run
}

func (f *fixFlags) flags(fs *flag.FlagSet) {
	f.declare(fs)
	flags.Choice(fs, &f.format, "format", "text", []string{"text", "json"}, "`format` of the result: text or json")
	flags.Choice(fs, &f.isolation, "isolation", "", levels.OfDatabases(), "isolation `level` that the program is to be right at: si, or code, rc, rr or serializable, as in robust check (default code for Go, and si for SQL)")
	fs.Var(&f.levels, "level", levelUsage)
	fs.BoolVar(&f.apply, "apply", false, "change the files as the first repair says")
	fs.BoolVar(&f.diff, "diff", false, "print only the diff of the first repair, as git apply takes it")
	flags.Whole(fs, &f.want, "repairs", 3, 1, "stop after this many repairs")
	flags.Whole(fs, &f.checks, "checks", 60, 1, "check at most this many changed programs")
	flags.Time(fs, &f.timeout, "timeout", 0, 0, "stop after this time, such as 30s, with what was found by then (default: none)")
	flags.Time(fs, &f.each, "each", 10*time.Second, 1, "give up the proof of one repair after this time")
	declareColor(fs, &f.color)
	fs.BoolVar(&f.verbose, "v", false, "also print the changes that do not help")
}

func (f *fixFlags) check() error {
	switch {
	case f.classic && (cmp.Or(f.isolation, levels.AtSnapshot) != levels.AtSnapshot || len(f.levels) > 0):
		return usagef("-classic is about si, without -level")
	case f.dialect != "postgres":
		return usagef("-dialect %s: this release repairs SQL in the dialect of PostgreSQL", f.dialect)
	}
	return nil
}

func (f *fixFlags) run(ctx context.Context, std streams, inputs []string) (int, error) {
	if err := f.check(); err != nil {
		return 0, err
	}
	if f.apply && slices.Contains(inputs, "-") {
		return 0, usagef("-apply: it writes files, and standard input is none; without it, the diff is printed")
	}
	src, err := f.sources(ctx, inputs)
	if err != nil {
		return 0, err
	}
	if err := fixable(src); err != nil {
		return 0, err
	}
	if f.timeout > 0 {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, f.timeout)
		defer stop()
	}
	show, end := terminal.Progress(std.err)
	p, err := f.program(ctx, src)
	if err != nil {
		end()
		return 0, err
	}
	lim := repair.Limits{Want: f.want, Checks: f.checks, Each: f.each, Progress: func(done int, what string) { show(done, f.checks, what) }}
	res, err := repair.Propose(ctx, p, lim)
	end()
	if err != nil {
		return 0, err
	}
	applied := f.apply && len(res.Repairs) > 0 && len(res.Repairs[0].Files()) > 0
	if applied {
		if err := res.Repairs[0].Apply(); err != nil {
			return 0, err
		}
	}
	var out, remarks bytes.Buffer
	switch {
	case f.format == "json":
		err = repair.JSON(&out, res, applied)
	case f.diff:
		repair.Diff(&out, &remarks, res, f.colored(std))
	default:
		repair.Text(&out, res, repair.TextOptions{Apply: f.apply, Applied: applied, Verbose: f.verbose, Colors: f.colored(std)})
	}
	std.err.Write(remarks.Bytes())
	if err != nil {
		return 0, err
	}
	return fixCode(res), output.Write(std.out, std.err, f.output, &out)
}

// fixCode is the exit code: 0 if the program is robust, or a repair of it is proved.
func fixCode(res *repair.Result) int {
	switch {
	case len(res.Repairs) > 0 || res.Before.Verdict == report.Robust:
		return exitOK
	case res.Before.Verdict == report.NotRobust:
		return exitNotRobust
	}
	return exitUnknown
}

// proposed adds repairs to the findings of a report. Those of litmus and of MySQL are not known.
func (f *checkFlags) proposed(ctx context.Context, p *program, rep *report.Report) error {
	if !f.fix || len(rep.Confirmed()) == 0 {
		return nil
	}
	if !p.sql || p.mysql || slices.Contains(p.inputs, standardInput) {
		rep.Notes = append(rep.Notes, report.Note{Text: "-fix did nothing: it repairs SQL of PostgreSQL, in files"})
		return nil
	}
	res, err := f.repairs(ctx, p)
	if ctx.Err() != nil {
		return nil // the finding stands without repairs
	}
	if err != nil {
		return err
	}
	res.AddTo(rep)
	return nil
}

// repairs looks for repairs of a program.
func (f *checkFlags) repairs(ctx context.Context, p *program) (*repair.Result, error) {
	src, err := f.sources(ctx, p.inputs)
	if err != nil {
		return nil, err
	}
	fix := &fixFlags{common: f.common, isolation: f.isolationOf(p), levels: f.levels}
	prog, err := fix.program(ctx, src)
	if err != nil {
		return nil, err
	}
	return repair.Propose(ctx, prog, repair.Limits{Want: 3, Checks: 60, Each: 10 * time.Second})
}

// fixable reports an error unless the inputs are one application in Go or in SQL.
func fixable(src *sources) error {
	golang, sql := src.golang(), src.sql()
	if len(golang) > 0 && len(sql) > 0 {
		return usagef("%s: Go and SQL are two applications; repair them one after the other, or name the schema of the Go program with -schema", sql[0])
	}
	for _, in := range src.inputs {
		if strings.HasSuffix(in, ".litmus") {
			return usagef("%s: robust fix repairs Go packages and .sql files; robust check says for litmus what helps", in)
		}
	}
	return nil
}

// program gives the texts of the application, and how they are read and judged.
func (f *fixFlags) program(ctx context.Context, src *sources) (repair.Program, error) {
	p := repair.Program{}
	isolation := cmp.Or(f.isolation, levels.AtSnapshot)
	var err error
	if patterns := src.golang(); len(patterns) > 0 {
		isolation = cmp.Or(f.isolation, levels.AtCode)
		err = f.golang(ctx, src, patterns, &p)
	} else {
		err = f.sql(ctx, src, &p)
	}
	p.InSource = isolation == levels.AtCode
	switch isolation {
	case levels.AtCode, levels.AtReadCommitted:
		p.Levels = []string{"rr", "serializable"}
	case levels.AtSnapshot, levels.AtRepeatableRead:
		p.Levels = []string{"serializable"}
	}
	if f.classic {
		p.Levels = nil
	}
	eng := engine.Postgres()
	if f.eng != "" {
		eng = engine.ByName(f.eng)
	}
	p.Check = func(ctx context.Context, prog *ir.Program, raised map[string]string) (*report.Report, error) {
		all := maps.Clone(map[string]string(f.levels))
		if all == nil {
			all = raised
		} else {
			maps.Copy(all, raised)
		}
		named, err := levels.Named(prog, all)
		if err != nil {
			return nil, usagef("-level: %v", err)
		}
		return check.Check(ctx, prog, check.Options{Engine: eng, Isolation: isolation, Levels: named, Classic: f.classic, First: true, Shared: len(src.golang()) > 0})
	}
	return p, err
}

// golang makes a program of Go packages.
func (f *fixFlags) golang(ctx context.Context, src *sources, patterns []string, p *repair.Program) error {
	reading := &goprogram.Reading{Patterns: patterns, Env: withoutKey(), Allowed: f.allowed,
		Options: goprogram.Options{Schema: src.schemas, Txns: src.txns, SearchPath: src.searchPath}}
	files, err := reading.Begin(ctx)
	if _, ok := errors.AsType[*analyzer.PatternError](err); ok {
		return usagef("%v", err)
	}
	if err != nil {
		return err
	}
	if reading.MySQL {
		return usagef("%s: the program runs on MySQL; this release repairs SQL in the dialect of PostgreSQL", strings.Join(patterns, " "))
	}
	p.Files = files
	p.Load = func(files []input.File) (*repair.Model, error) {
		found, prog, err := reading.Program(ctx, files)
		if err != nil {
			return nil, misnamed(err)
		}
		prog.Name = goName(patterns)
		return &repair.Model{Program: prog, Client: found.Txns}, nil
	}
	return nil
}

// sql makes a program of SQL.
func (f *fixFlags) sql(ctx context.Context, src *sources, p *repair.Program) error {
	schema, paths, err := src.schemaAndPaths(ctx, src.inputs)
	if err != nil {
		return err
	}
	for _, file := range schema {
		p.Files = append(p.Files, input.File(file))
	}
	if len(paths) > 0 {
		files, err := input.Read(ctx, src.files, paths, syntax.MaxFile, syntax.Smaller)
		if err != nil {
			return err
		}
		p.Files = append(p.Files, files...)
	}
	p.Load = func(files []input.File) (*repair.Model, error) {
		prog, err := sqlmodel.Parse(files, sqlmodel.Options{Txns: src.txns, Files: src.files.Fork(), SearchPath: src.searchPath})
		return &repair.Model{Program: prog}, err
	}
	return nil
}
