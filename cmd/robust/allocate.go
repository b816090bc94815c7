package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/allocate"
	"github.com/txrobust/robust/internal/cache"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/flags"
	"github.com/txrobust/robust/internal/output"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/terminal"
	"github.com/txrobust/robust/report"
)

const allocateOperands = inputs + "\nThe levels are those of PostgreSQL: READ COMMITTED, REPEATABLE READ and\n" +
	"SERIALIZABLE. What is recommended is proved as a whole; what is not proved stays\nat SERIALIZABLE."

// allocateFlags are the flags of robust allocate, some of those of robust check.
type allocateFlags struct{ checkFlags }

func allocateCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	f := &allocateFlags{}
	f.given = fs
	f.declare(fs)
	declareInit(fs, &f.init, "initial `rows`: any, empty or file (default any for SQL, file for litmus)")
	fs.BoolVar(&f.strict, "strict", false, "prove from declared constraints and stated invariants alone, without guessed facts about the initial rows")
	fs.BoolVar(&f.autocommit, "autocommit", true, "statements of Go programs outside of transactions are transactions of their own; with =false they are left out")
	flags.Time(fs, &f.timeout, "timeout", 0, 0, "stop after this time, such as 30s; what is not proved by then stays at SERIALIZABLE (default: none)")
	flags.Time(fs, &f.query, "query-timeout", 0, 0, "time for each question; the result depends on the machine then (default: none)")
	flags.Whole(fs, &f.limit, "query-limit", check.QueryLimit, 1, "effort for each question, in Z3's resource `units`")
	fs.StringVar(&f.cache, "cache", "", "`DIR` for answers of earlier runs, or off (default: robust in the user's cache folder)")
	flags.Choice(fs, &f.format, "format", "text", []string{"text", "json", "sarif", "markdown"}, "`format` of the result: text, json, sarif or markdown")
	fs.BoolVar(&f.verbose, "v", false, "also print what long lists leave out")
	return f.run
}

func (f *allocateFlags) check() error {
	f.helpers, f.window, f.questions = check.Helpers, check.Window, check.Questions
	f.failOn = failOnUnknown
	if f.classic {
		return usagef("-classic: levels are about values")
	}
	return f.checkLevels()
}

func (f *allocateFlags) run(ctx context.Context, std streams, inputs []string) (code int, err error) {
	if err := f.check(); err != nil {
		return 0, err
	}
	src, err := f.reading(ctx, inputs)
	if err != nil {
		return 0, err
	}
	src.notes = false
	ctx, stop := f.timed(ctx, src)
	defer stop()
	if f.answers, err = openCache(std, f.cache); err != nil {
		return 0, err
	}
	defer f.answers.Close(cache.MaxBytes)
	defer collectRarely()()
	programs, err := f.programs(ctx, std, src)
	if err != nil {
		return 0, err
	}
	var out bytes.Buffer
	var list []*allocate.Result
	for i, p := range programs {
		res, err := f.allocate(ctx, std, p)
		if err != nil {
			return 0, err
		}
		list = append(list, res)
		if res.Verdict != report.Robust {
			code = graver(code, exitUnknown)
		}
		if i > 0 && (f.format == "text" || f.format == "markdown") {
			fmt.Fprintln(&out)
		}
		if err := f.write(&out, p, res); err != nil {
			return 0, err
		}
	}
	if f.format == "sarif" {
		if err := allocate.SARIF(&out, list, allocate.Options{Version: strings.TrimPrefix(version(), "robust ")}); err != nil {
			return 0, err
		}
	}
	return code, output.Write(std.out, std.err, f.output, &out)
}

// allocate finds the levels for one program. What takes no notice of the end of the time is not
// waited for.
func (f *allocateFlags) allocate(ctx context.Context, std streams, p *program) (*allocate.Result, error) {
	opt := f.options(p)
	if p.unread {
		return allocate.GaveUp(ctx, p.Program, opt), nil
	}
	if f.eng == "" && !p.sql {
		opt.Engine = engine.Postgres()
	}
	if why := readcommitted.Supported(opt.Engine); why != "" {
		return nil, usagef("%s: the levels are modelled for PostgreSQL only (-engine postgres)", p.Name)
	}
	show, end := terminal.Progress(std.err)
	defer end()
	opt.Progress = show
	res, err := waited(ctx, std, func() (*allocate.Result, error) { return allocate.Allocate(ctx, p.Program, opt) })
	if errors.Is(err, errLate) {
		return allocate.GaveUp(ctx, p.Program, opt), nil
	}
	return res, err
}

// write writes a result, but for SARIF, which has all of them.
func (f *allocateFlags) write(out *bytes.Buffer, p *program, res *allocate.Result) error {
	opt := allocate.Options{Golang: p.golang != nil, Verbose: f.verbose}
	if p.golang != nil {
		for _, t := range p.golang.Txns {
			if t.Auto {
				opt.Alone = append(opt.Alone, t.Name)
			}
		}
	}
	switch f.format {
	case "sarif":
		return nil
	case "json":
		return allocate.JSON(out, res)
	case "markdown":
		return allocate.Markdown(out, res, opt)
	}
	return allocate.Text(out, res, opt)
}
