// Command robust-beam judges recorded histories that are spread over many files, on a cluster of
// machines or in the memory of one: robust-beam -h, and package beam for how.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/txrobust/robust/beam/internal/contract"
	"github.com/txrobust/robust/beam/internal/pipeline"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/isolation"
)

// Exit codes, as those of robust history check.
const (
	exitOK       = 0
	exitFault    = 1
	exitUsage    = 2
	exitViolated = 3
	exitUnknown  = 4
)

const usage = `usage: robust-beam [flags] FILE…

Tells which isolation levels a recorded history satisfies that is spread over many files. Each
FILE is a shard: a file, or a folder of the files of one shard; of another folder all files below
it are. Sessions of the same name in several shards are one session, which goes on in the order of
the shards. Files must be where all workers can read them.

Exit codes: 0 all levels are satisfied, 1 the input is faulty or a pass failed, 2 wrong usage,
3 a level is violated, 4 one is unknown and none is violated.

Flags, beside those of Apache Beam (-runner, -endpoint, …; the default is Prism, in this process):
`

// settings are the flags.
type settings struct {
	levels, order, format, in, scratch string
	parts, slices, workerOps, limit    int
	split                              int64
	logs, here                         bool
}

var own = []string{"level", "order", "parts", "slices", "worker-ops", "limit", "split", "in", "format", "scratch", "logs", "one-machine"}

func (s *settings) declare(fs *flag.FlagSet) {
	fs.StringVar(&s.levels, "level", "RC,RA,CC,SI,SER", "`levels` to judge, with commas between them")
	fs.StringVar(&s.order, "order", string(contract.Auto), "where the candidate order comes from: stamps of the ends of transactions, a merge of the sessions by who reads from whom, or auto: stamps where there are any (`auto, stamps or merge`)")
	fs.IntVar(&s.parts, "parts", 0, "into how many `parts` keys are divided; 0 chooses by the number of operations")
	fs.IntVar(&s.slices, "slices", 1, "read the shards so many `times`, for a part of the keys each, which takes that much less memory")
	fs.IntVar(&s.workerOps, "worker-ops", 10_000_000, "how many `operations` one worker judges in memory, about 200 bytes each; 0 for any")
	fs.IntVar(&s.limit, "limit", 3, "`number` of anomalies of each kind that are told of each window")
	fs.Int64Var(&s.split, "split", 64<<20, "size in `bytes` from which files in the text format of Plume are split; 0 for never")
	fs.StringVar(&s.in, "in", "", "`format` of the files (default: what their content shows): "+strings.Join(codec.Names(false), ", "))
	fs.StringVar(&s.format, "format", "text", "`format` of the answer: text or json")
	fs.StringVar(&s.scratch, "scratch", "", "`folder` for what the passes leave to each other, the same for all workers (default: one that is removed at the end)")
	fs.BoolVar(&s.logs, "logs", false, "show the log of Beam")
	fs.BoolVar(&s.here, "one-machine", false, "execute the passes one after the other in this process, without Beam")
}

// usageError is wrong usage.
type usageError struct{ text string }

func (u *usageError) Error() string { return u.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// parse checks the flags.
func (s *settings) parse() (contract.Options, codec.Format, error) {
	o := contract.Options{Order: contract.Order(s.order), Parts: s.parts, Slices: s.slices, WorkerOps: s.workerOps, Limit: s.limit}
	for _, name := range strings.Split(s.levels, ",") {
		l, err := isolation.ParseLevel(strings.TrimSpace(name))
		if err != nil {
			return o, "", usagef("-level: %v", err)
		}
		can := false
		for _, x := range contract.Levels() {
			can = can || x == l
		}
		if !can {
			return o, "", usagef("-level %s: expected RC, RA, CC, SI or SER; robust history check judges all levels, on one machine", name)
		}
		o.Levels = append(o.Levels, l)
	}
	switch {
	case o.Order != contract.Auto && o.Order != contract.Stamps && o.Order != contract.Merge:
		return o, "", usagef("-order %s: expected auto, stamps or merge", s.order)
	case s.format != "text" && s.format != "json":
		return o, "", usagef("-format %s: expected text or json", s.format)
	case s.parts < 0 || s.slices < 0 || s.workerOps < 0 || s.limit < 0 || s.split < 0:
		return o, "", usagef("-parts, -slices, -worker-ops, -limit and -split must not be negative")
	case s.in == "":
		return o, codec.Guess, nil
	}
	format, err := codec.ParseFormat(s.in)
	if err != nil {
		return o, "", usagef("-in: %v", err)
	}
	return o, format, nil
}

// shards gives those that the arguments name.
func (s *settings) shards(args []string, format codec.Format) (out []contract.Shard, err error) {
	for _, arg := range args {
		if _, err := os.Stat(arg); err != nil {
			return nil, usagef("%v", err)
		}
		paths, err := codec.Histories(arg)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			some, err := contract.Split(path, format, s.split)
			if err != nil {
				return nil, err
			}
			out = append(out, some...)
		}
	}
	if len(out) == 0 {
		return nil, usagef("there is no recorded history in %s", strings.Join(args, ", "))
	}
	return out, nil
}

func main() {
	s := &settings{}
	fs := flag.CommandLine
	s.declare(fs)
	fs.Init("robust-beam", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	switch err := fs.Parse(os.Args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		printUsage(os.Stdout, fs)
		return
	case err != nil:
		fmt.Fprintf(os.Stderr, "robust-beam: %v; robust-beam -h lists the flags\n", err)
		os.Exit(exitUsage)
	}
	pipeline.Init(s.logs) // a worker goes on there
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, s, fs.Args(), os.Stdout, os.Stderr))
}

func printUsage(w io.Writer, fs *flag.FlagSet) {
	mine := flag.NewFlagSet("", flag.ContinueOnError)
	mine.SetOutput(w)
	for _, name := range own {
		if f := fs.Lookup(name); f != nil {
			mine.Var(f.Value, f.Name, f.Usage)
		}
	}
	fmt.Fprint(w, usage)
	mine.PrintDefaults()
}

// run judges a history, and gives the exit code.
func run(ctx context.Context, s *settings, args []string, out, errs io.Writer) int {
	r, err := judge(ctx, s, args, errs)
	var wrong *usageError
	switch {
	case errors.As(err, &wrong):
		fmt.Fprintf(errs, "robust-beam: %v\n", err)
		return exitUsage
	case err != nil && ctx.Err() != nil:
		fmt.Fprintln(errs, "robust-beam: interrupted")
		return exitFault
	case err != nil:
		fmt.Fprintln(errs, err) // it begins with the place
		return exitFault
	}
	write := text
	if s.format == "json" {
		write = asJSON
	}
	if err := write(out, r); err != nil {
		fmt.Fprintf(errs, "robust-beam: %v\n", err)
		return exitFault
	}
	code := exitOK
	for _, l := range r.Levels {
		switch l.Verdict {
		case isolation.Reject.String():
			return exitViolated
		case isolation.Unknown.String():
			code = exitUnknown
		}
	}
	return code
}

func judge(ctx context.Context, s *settings, args []string, errs io.Writer) (*contract.Result, error) {
	o, format, err := s.parse()
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return nil, usagef("name a file; robust-beam -h says which")
	}
	shards, err := s.shards(args, format)
	if err != nil {
		return nil, err
	}
	if o.Scratch = s.scratch; o.Scratch == "" {
		if o.Scratch, err = os.MkdirTemp("", "robust-beam-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(o.Scratch)
	}
	if s.logs {
		o.Progress = func(pass string) { fmt.Fprintf(errs, "robust-beam: the pass %q begins\n", pass) }
	}
	var runner contract.Runner = pipeline.Runner{}
	if s.here {
		runner = contract.Local{}
	}
	return contract.Check(ctx, runner, shards, o)
}
