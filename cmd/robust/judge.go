package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/view"
	"github.com/txrobust/robust/internal/flags"
	"github.com/txrobust/robust/internal/output"
	"github.com/txrobust/robust/internal/tail"
	"github.com/txrobust/robust/internal/terminal"
	"github.com/txrobust/robust/isolation"
)

// judgeFlags are those of history check.
type judgeFlags struct {
	historyFlags
	level, format, output string
	first, cross, verbose bool
	timeout               time.Duration
	limit                 int
	drift                 int64
	follow                tail.Command
}

func judgeCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	f := &judgeFlags{}
	f.declare(fs)
	f.declareJudging(fs)
	f.follow.Declare(fs)
	return f.run
}

// declareJudging declares the flags that do not depend on where the history comes from.
func (f *judgeFlags) declareJudging(fs *flag.FlagSet) {
	fs.StringVar(&f.level, "level", "all", "isolation levels: `L,…` or all; see below")
	flags.Choice(fs, &f.format, "format", "text", []string{"text", "json", "dot", "html"}, "`format` of the result: text, json, dot or html")
	fs.StringVar(&f.output, "o", "", "write the result to `FILE` instead of standard output")
	fs.BoolVar(&f.first, "first", false, "stop at the first violation; other levels may stay unknown")
	flags.Whole(fs, &f.limit, "limit", 10, 1, "anomalies of each kind that are listed; the others are counted")
	fs.BoolVar(&f.cross, "cross", false, "ask every checker about everything, and compare their answers")
	flags.Time(fs, &f.timeout, "timeout", 0, 0, "give up after this time for each history, such as 30s; what is open then is unknown (default: none)")
	fs.Int64Var(&f.drift, "clock-drift", 0, "how far the clocks of clients may be apart (`N`), in the unit of the recorded clock times, for levels with real time (default: the order of the recording counts)")
	fs.BoolVar(&f.verbose, "v", false, "also print times, what follows from what, and a commit order")
}

func (f *judgeFlags) run(ctx context.Context, std streams, files []string) (int, error) {
	levels, err := parseLevels(f.level)
	if err != nil {
		return 0, err
	}
	if err := f.follow.Check(); err != nil {
		return 0, err
	}
	if f.follow.On {
		return f.tail(ctx, std, files, levels)
	}
	if files, err = below(files); err != nil {
		return 0, err
	}
	if err := f.check(files); err != nil {
		return 0, err
	}
	code := exitOK
	var out bytes.Buffer
	var faults error
	done := 0
	for _, file := range files {
		rep, err := f.one(ctx, std, file, levels)
		if err != nil {
			if _, wrong := errors.AsType[*usageError](err); wrong || len(files) == 1 {
				return 0, err
			}
			faults = errors.Join(faults, err)
			fmt.Fprintln(std.err, oneLine(err.Error()))
			continue
		}
		if done++; done > 1 && f.format == "text" {
			fmt.Fprintln(&out)
		}
		if err := f.print(&out, rep); err != nil {
			return 0, err
		}
		code = graver(code, exitOfReport(std, file, rep))
	}
	if faults != nil {
		code = exitFault
	}
	return code, output.Write(std.out, std.err, f.output, &out)
}

// tail judges a recording while it grows.
func (f *judgeFlags) tail(ctx context.Context, std streams, files []string, levels []isolation.Level) (int, error) {
	switch {
	case len(files) > 1:
		return 0, usagef("-follow: one recording is followed; name one")
	case f.format != "text" && f.format != "json":
		return 0, usagef("-format %s: what is found is printed at once with -follow, as text or json", f.format)
	case f.output != "" || f.cross || f.drift != 0 || f.strict:
		return 0, usagef("-o, -cross, -clock-drift and -strict do not go with -follow")
	}
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	verdict, err := f.follow.Run(ctx, std.out, std.err, files[0], tail.Asked{Levels: levels, In: f.in, JSON: f.format == "json", First: f.first, Limit: f.limit})
	if err != nil {
		return 0, err
	}
	return exitOf(verdict), nil
}

// below gives the histories in folders of several.
func below(files []string) ([]string, error) {
	var out []string
	for _, file := range files {
		if file == "-" {
			out = append(out, file)
			continue
		}
		histories, err := codec.Histories(file)
		if err != nil {
			return nil, usagef("%v", err)
		}
		out = append(out, histories...)
	}
	return out, nil
}

// exitOfReport is the exit code of a report, whose faults it tells.
func exitOfReport(std streams, file string, rep *view.Report) int {
	verdict, faulty := rep.Exit()
	if !faulty {
		return exitOf(verdict)
	}
	for _, d := range rep.Disagreements {
		fmt.Fprintf(std.err, "robust: a fault of this program, please report it with the history %s: %s\n", oneLine(file), oneLine(d))
	}
	return graver(exitFault, exitOf(verdict))
}

// exitOf is the exit code of a verdict.
func exitOf(v isolation.Verdict) int {
	switch v {
	case isolation.Accept:
		return exitOK
	case isolation.Reject:
		return exitNotRobust
	case isolation.Unknown:
		return exitUnknown
	}
	panic("robust: unknown verdict " + v.String())
}

// parseLevels gives the levels of -level, none for all of them.
func parseLevels(list string) ([]isolation.Level, error) {
	var out []isolation.Level
	if strings.EqualFold(strings.TrimSpace(list), "all") {
		return nil, nil
	}
	for _, name := range strings.Split(list, ",") {
		l, err := isolation.ParseLevel(strings.TrimSpace(name))
		if err != nil {
			return nil, usagef("-level: %v, or all", err)
		}
		out = append(out, l)
	}
	return out, nil
}

// check finds mistakes in the flags.
func (f *judgeFlags) check(files []string) error {
	switch {
	case f.format == "html" && len(files) > 1:
		return usagef("-format html: a page shows one history; name one")
	case f.drift < 0:
		return usagef("-clock-drift %d: clocks are not apart by less than 0", f.drift)
	}
	return output.Check(f.output)
}

// one judges one history.
func (f *judgeFlags) one(ctx context.Context, std streams, file string, levels []isolation.Level) (*view.Report, error) {
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	say, end := terminal.Working(std.err)
	defer end()
	say("reading " + file)
	start := time.Now()
	h, format, err := f.read(ctx, std, []string{file})
	reading := time.Since(start)
	if err != nil {
		if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
			return nil, err
		}
		return view.New(file, "", nil, reading, judge.Unknown(levels, judge.Ended(ctx))), nil
	}
	return f.judge(ctx, say, file, h, format, reading, levels)
}

// judge judges a history that was read or recorded.
func (f *judgeFlags) judge(ctx context.Context, say func(string), file string, h *history.History, format codec.Format, took time.Duration, levels []isolation.Level) (*view.Report, error) {
	if f.drift > 0 {
		if h = h.WithClockDrift(f.drift); h == nil {
			return nil, usagef("-clock-drift: %s has no clock times of clients", file)
		}
	}
	r, err := judge.Check(ctx, h, judge.Options{Levels: levels, First: f.first, Limit: f.limit, Cross: f.cross,
		Progress: func(checker string) { say(checker + ": " + file) }})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if f.drift > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("Clocks of clients are taken to be apart by %d at most.", f.drift))
	}
	return view.New(file, string(format), h, took, r), nil
}

// print writes the report of one history.
func (f *judgeFlags) print(out *bytes.Buffer, rep *view.Report) error {
	switch f.format {
	case "json":
		return view.JSON(out, rep)
	case "dot":
		return view.DOT(out, rep)
	case "html":
		return view.HTML(out, rep)
	}
	return view.Text(out, rep, view.TextOptions{Verbose: f.verbose})
}

// judged says what the arguments of history check are, and what its levels.
var judged = "FILE is a recorded history: a file, compressed with gzip or not, or a folder; or\n" +
	"a folder of several; - is standard input. Each is judged by itself. The exit\n" +
	"code is 0 if every level that was asked for is satisfied, 3 if one is violated,\n" +
	"4 if one is unknown and none is violated, 1 if a file is faulty; of several\n" +
	"histories the gravest counts: 1, 3, 4, 0. -format json writes one object a line.\n\n" + tail.Help + "\n\n" +
	"The levels, each with a longer name:" + view.LevelList() + "\n\nThe formats are" + view.FormatList()
