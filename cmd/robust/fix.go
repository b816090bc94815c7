package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ansi"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/flags"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/output"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/repair"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/terminal"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

const fixOperands = "INPUT is .sql files and directories of them, together one application in the\n" +
	"dialect of PostgreSQL. Each repair is applied to their text, and the whole is\n" +
	"checked again: what is printed first is proved."

// fixFlags are the flags of robust fix.
type fixFlags struct {
	common
	format        string
	isolation     string
	levels        levelFlag
	apply         bool
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
	flags.Choice(fs, &f.isolation, "isolation", levels.AtSnapshot, levels.OfDatabases(), "isolation `level` that the program is to be right at: si, or code, rc, rr or serializable, as in robust check")
	fs.Var(&f.levels, "level", levelUsage)
	fs.BoolVar(&f.apply, "apply", false, "change the files as the first repair says")
	flags.Whole(fs, &f.want, "repairs", 3, 1, "stop after this many repairs")
	flags.Whole(fs, &f.checks, "checks", 60, 1, "check at most this many changed programs")
	flags.Time(fs, &f.timeout, "timeout", 0, 0, "stop after this time, such as 30s, with what was found by then (default: none)")
	flags.Time(fs, &f.each, "each", 10*time.Second, 1, "give up the proof of one repair after this time")
	declareColor(fs, &f.color)
	fs.BoolVar(&f.verbose, "v", false, "also print the changes that do not help")
}

func (f *fixFlags) check() error {
	switch {
	case f.classic && (f.isolation != levels.AtSnapshot || len(f.levels) > 0):
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
	for _, in := range src.inputs {
		if !slices.Contains(src.sql(), in) {
			return 0, usagef("%s: robust fix repairs .sql files and directories of them; robust check says for Go and litmus what helps", in)
		}
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
	if f.apply && len(res.Repairs) > 0 {
		if err := apply(res.Repairs[0].Files()); err != nil {
			return 0, err
		}
	}
	var out bytes.Buffer
	if f.format == "json" {
		err = f.json(&out, res)
	} else {
		f.text(&out, res, f.colored(std))
	}
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

// program gives the texts of the application, and how they are read and judged.
func (f *fixFlags) program(ctx context.Context, src *sources) (repair.Program, error) {
	var p repair.Program
	schema, paths, err := src.schemaAndPaths(ctx, src.inputs)
	if err != nil {
		return p, err
	}
	for _, file := range schema {
		p.Files = append(p.Files, input.File(file))
	}
	if len(paths) > 0 {
		files, err := input.Read(ctx, src.files, paths, syntax.MaxFile, syntax.Smaller)
		if err != nil {
			return p, err
		}
		p.Files = append(p.Files, files...)
	}
	eng := engine.Postgres()
	if f.eng != "" {
		eng = engine.ByName(f.eng)
	}
	p.Load = func(files []input.File) (*ir.Program, error) {
		return sqlmodel.Parse(files, sqlmodel.Options{Txns: src.txns, Files: src.files.Fork(), SearchPath: src.searchPath})
	}
	p.Check = func(ctx context.Context, prog *ir.Program) (*report.Report, error) {
		named, err := levels.Named(prog, f.levels)
		if err != nil {
			return nil, usagef("-level: %v", err)
		}
		return check.Check(ctx, prog, check.Options{Engine: eng, Isolation: f.isolation, Levels: named, Classic: f.classic, First: true})
	}
	return p, nil
}

// apply writes the texts of changed files, if all of them can be written.
func apply(files []input.File) error {
	for _, file := range files {
		out, err := os.OpenFile(file.Name, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("%w; no file was changed", err)
		}
		out.Close()
	}
	for i, file := range files {
		if err := os.WriteFile(file.Name, []byte(file.Text), 0); err != nil {
			return fmt.Errorf("%w; of the %d files to change the first %d are changed", err, len(files), i)
		}
	}
	return nil
}

// json writes the result as one object.
func (f *fixFlags) json(out *bytes.Buffer, res *repair.Result) error {
	text, err := quote.EncodeJSON(struct {
		Program string         `json:"program"`
		Verdict report.Verdict `json:"verdict"`
		Applied bool           `json:"applied"`
		*repair.Result
	}{res.Before.Program, res.Before.Verdict, f.apply && len(res.Repairs) > 0, res}, "  ")
	out.Write(text)
	return err
}

// text writes the result for people.
func (f *fixFlags) text(out *bytes.Buffer, res *repair.Result, colors bool) {
	name := res.Before.Program
	switch {
	case res.Before.Verdict == report.Robust:
		fmt.Fprintf(out, "%s is robust: there is nothing to repair.\n", name)
		return
	case len(res.Before.Confirmed()) == 0:
		para(out, "", fmt.Sprintf("%s is neither proved robust nor refuted: there is no finding to repair. robust check says what would settle it.", name))
		return
	case len(res.Repairs) == 0:
		para(out, "", fmt.Sprintf("%s is not robust %s, and %s.", name, res.Before.Confirmed()[0].At(), nothing(res)))
	default:
		para(out, "", fmt.Sprintf("%s is not robust %s. With each of these repairs alone it is, by proof, the cheapest first:", name, res.Before.Confirmed()[0].At()))
	}
	for i := range res.Repairs {
		f.repair(out, fmt.Sprintf("%d.", i+1), &res.Repairs[i], colors)
	}
	if f.apply && len(res.Repairs) > 0 {
		fmt.Fprintln(out, "\nThe files are changed as the first one says.")
	}
	f.rest(out, res)
}

// nothing says why no repair was found.
func nothing(res *repair.Result) string {
	if len(res.Refuted) == 0 && res.Open == 0 && res.Complete {
		return "no change that is known fits the statements of its finding, or these are not in the files that were named"
	}
	return "none of the changes that were tried is proved to make it so"
}

// repair writes one repair with its diff.
func (f *fixFlags) repair(out *bytes.Buffer, label string, r *repair.Repair, colors bool) {
	fmt.Fprintln(out)
	for i, c := range r.Changes {
		if i > 0 {
			label = strings.Repeat(" ", len(label)-1) + "+"
		}
		para(out, label+" ", c.Text)
		if len(c.Blocks) > 0 {
			para(out, "   ", fmt.Sprintf("It now keeps apart, on the same rows, this transaction and %s.", strings.Join(c.Blocks, ", ")))
		}
	}
	fmt.Fprintf(out, "\n%s", painted(r.Diff, colors))
}

// painted gives a diff in colors, if these are wanted.
func painted(diff string, colors bool) string {
	if !colors {
		return diff
	}
	lines := strings.SplitAfter(diff, "\n")
	for i, l := range lines {
		of := map[byte]ansi.Color{'+': ansi.Green, '-': ansi.Red, '@': ansi.Bold}
		text, end := strings.CutSuffix(l, "\n")
		if lines[i] = of[(l + " ")[0]].Paint(text); end {
			lines[i] += "\n"
		}
	}
	return strings.Join(lines, "")
}

// para writes a paragraph in 80 columns: first starts its first line, and as many spaces the
// others.
func para(out *bytes.Buffer, first, text string) {
	indent := strings.Repeat(" ", len(first))
	for _, l := range quote.Wrap(text, 80-len(first)) {
		fmt.Fprintf(out, "%s%s\n", first, l)
		first = indent
	}
}

// rest says what was tried besides.
func (f *fixFlags) rest(out *bytes.Buffer, res *repair.Result) {
	if n := len(res.Refuted); n > 0 && !f.verbose {
		fmt.Fprintf(out, "\nTried, and of no help: %d (-v shows them).\n", n)
	} else if n > 0 {
		fmt.Fprintln(out, "\nTried, and of no help, since the finding stays:")
		for _, r := range res.Refuted {
			c := r.Changes[0] // a change that does not help is made longer no more
			para(out, "- ", fmt.Sprintf("%s (%s:%d)", c.Text, c.Position.File, c.Position.Line))
		}
	}
	if res.Open > 0 {
		fmt.Fprintf(out, "\nTried, and neither proved nor refuted: %d (-each gives a proof more time).\n", res.Open)
	}
	if !res.Complete {
		fmt.Fprintln(out, "\nNot all changes were tried: the time or the number of checks ran out.")
	}
}
