package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/internal/cache"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/clock"
	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/drawing"
	"github.com/txrobust/robust/internal/excerpt"
	"github.com/txrobust/robust/internal/fault"
	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/flags"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/output"
	"github.com/txrobust/robust/internal/proof"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/reportpage"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/summary"
	"github.com/txrobust/robust/internal/terminal"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// grace is how long a check may go on after its time: a question to the solver
// is not always interrupted at once.
const grace = 2 * time.Second

type checkFlags struct {
	common
	isolation, init, format, failOn, witness, proof, cache, baseline, since, bundle string

	// levels are those of -level.
	levels levelFlag
	// given has the flags that were given.
	given *flag.FlagSet
	// replay is -replay, replayer what runs findings on servers then.
	replay   replayFlag
	replayer *replayer

	// judges are those of findings, nil for all.
	judges []crosscheck.Judge

	answers *cache.Dir // of earlier runs
	// accepted are the findings of the baseline, read from known.
	accepted *report.Baseline
	known    []byte

	helpers, window, questions            int
	limit                                 uint
	timeout, query                        time.Duration
	sessionOrder, verbose, explain, notes bool
	strict                                bool
	autocommit                            bool
	beside                                bool // -read-committed
	fix                                   bool
	first                                 bool
	colors                                bool // of the text
}

func checkCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	f := &checkFlags{}
	f.flags(fs)
	return func(ctx context.Context, std streams, inputs []string) (int, error) {
		f.colors = f.colored(std)
		return f.run(ctx, std, inputs)
	}
}

func (f *checkFlags) flags(fs *flag.FlagSet) {
	f.given = fs
	f.declare(fs)
	flags.Choice(fs, &f.isolation, "isolation", "", levels.Questions(), "isolation `level` that is asked about: code (for each transaction the one that the source asks for, or else the default of the database), or for all of them, whatever the source asks for, si (snapshot isolation), rc, rr or serializable (READ COMMITTED, REPEATABLE READ or SERIALIZABLE of PostgreSQL or InnoDB); with -engine si also psi, pc or cc (parallel snapshot isolation, prefix consistency or causal consistency of distributed stores); (default code for Go, and si for SQL, or with -classic, -proof, -read-committed or -engine si)")
	fs.Var(&f.levels, "level", levelUsage)
	declareInit(fs, &f.init, "initial `rows`: any, empty or file (default any for SQL, file for litmus)")
	flags.Whole(fs, &f.helpers, "helpers", check.Helpers, 1, "transactions besides the delayed one in the search of an execution")
	flags.Whole(fs, &f.window, "window", check.Window, 1, "transactions of a walk that a proof asks about at once")
	flags.Whole(fs, &f.questions, "questions", check.Questions, 1, "questions about each delayed transaction")
	flags.Whole(fs, &f.limit, "query-limit", check.QueryLimit, 1, "effort for each question, in Z3's resource `units`")
	flags.Time(fs, &f.query, "query-timeout", 0, 0, "time for each question; the result depends on the machine then (default: none)")
	flags.Time(fs, &f.timeout, "timeout", 0, 0, "give up after this time, such as 30s; what the go command needs to load and compile packages does not count (default: none)")
	fs.BoolVar(&f.sessionOrder, "session-order", false, "the order of transactions in a session counts")
	fs.BoolVar(&f.strict, "strict", false, "prove from declared constraints and stated invariants alone, without guessed facts about the initial rows")
	fs.BoolVar(&f.autocommit, "autocommit", true, "statements of Go programs outside of transactions are transactions of their own; with =false they are left out")
	fs.BoolVar(&f.beside, "read-committed", false, "also look for what is wrong at READ COMMITTED only, as notes beside the verdict")
	fs.BoolVar(&f.first, "first", false, "end with the first finding, and do not look for others")
	fs.BoolVar(&f.verbose, "v", false, "also print the statements of findings, what transactions touch, counts, and the assumptions of verdicts other than robust")
	fs.BoolVar(&f.explain, "explain", false, "also say what carried the verdict, why findings are some, and what settles what is open; that is tried, which takes longer")
	fs.BoolVar(&f.fix, "fix", false, "also look for repairs of findings, as robust fix does, which takes longer: each is proved")
	fs.BoolVar(&f.notes, "notes", true, "for Go and SQL: also look for what is not in one transaction, as notes beside the verdict")
	flags.Choice(fs, &f.failOn, "fail-on", failOnUnknown, []string{failOnFinding, failOnUnknown}, "the `verdict` from which on the exit code is not 0: finding (3), or unknown (4) as well")
	flags.Choice(fs, &f.format, "format", "text", []string{"text", "json", "sarif", "html", "markdown", "dot", "svg"}, "`format` of the result: text, json, sarif, html (a page for a browser, which steps through findings), markdown (a summary for a pull request, with the argument of a proof pair by pair), dot (the dependency graph, for Graphviz) or svg (a picture of it)")
	declareColor(fs, &f.color)
	fs.StringVar(&f.baseline, "baseline", "", "accept the findings in `FILE`, which -format json or sarif wrote")
	fs.StringVar(&f.since, "since", "", "accept the findings that the files have at `REV`, a revision of git: what is left are those of the working tree")
	fs.StringVar(&f.witness, "witness", "", "write the schedule of a finding as SQL scripts to the folder `DIR`")
	fs.StringVar(&f.proof, "proof", "", "write a proof, as scripts that z3 checks, to the folder `DIR`")
	fs.StringVar(&f.cache, "cache", "", "`DIR` for answers of earlier runs, or off (default: robust in the user's cache folder)")
	fs.Var(&f.replay, "replay", "run each finding on a real server: a private one that is started for that, or with -replay=`DSN` another one, in a database of our own; what the server does not do is no finding")
	fs.StringVar(&f.bundle, "bundle", "", "if checkers of histories or a server contradict a finding, or a part of the work ends in a panic, which is a fault of this program, write what reproduces it to the folder `DIR` (default: a new one for temporary files)")
}

// collectRarely lets the heap grow to several times of what is in use, up to a
// bound, until garbage is collected: a check makes much of it, and uses little. The
// function that it gives undoes that. GOGC and GOMEMLIMIT have their usual effect.
func collectRarely() (undo func()) {
	const (
		growth = 300 // percent
		bound  = 3 << 28
	)
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	percent, limit := debug.SetGCPercent(growth), debug.SetMemoryLimit(bound)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

func (f *checkFlags) run(ctx context.Context, std streams, inputs []string) (code int, err error) {
	if err := f.checkLevels(); err != nil {
		return 0, err
	}
	src, err := f.reading(ctx, inputs)
	if err != nil {
		return 0, err
	}
	if err := f.readBaseline(ctx, inputs); err != nil {
		return 0, err
	}
	ctx, stop := f.timed(ctx, src)
	defer stop()
	if f.answers, err = openCache(std, f.cache); err != nil {
		return 0, err
	}
	key := ""
	if f.answers != nil {
		key = f.key(ctx, src)
	}
	if r, ok := earlier(f.answers, key); ok {
		return f.failing(r.Code), output.Write(std.out, std.err, f.output, bytes.NewBuffer(r.Out))
	}
	defer f.answers.Close(cache.MaxBytes)
	defer collectRarely()()
	programs, err := f.programs(ctx, std, src)
	if err != nil {
		return 0, err
	}
	several := len(programs) > 1
	if err := f.fits(programs); err != nil {
		return 0, err
	}
	if err := f.startReplays(ctx, programs); err != nil {
		return 0, errors.Join(err, f.replayer.close())
	}
	defer func() {
		if end := f.replayer.close(); end != nil && err == nil {
			code, err = 0, end
		}
	}()
	var out bytes.Buffer
	code = exitOK
	var faults error
	partial := false // some parts of the work ended in a fault of this program
	var reports []*report.Report
	for _, p := range programs {
		rep, left, err := f.survivors(ctx, std, p, inputs, several)
		partial = partial || left
		if err != nil {
			err = f.bundled(context.WithoutCancel(ctx), p, inputs, several, err)
			if _, ok := errors.AsType[*ir.Error](err); ok || !several {
				return 0, err
			}
			faults = errors.Join(faults, err)
			continue
		}
		reports = append(reports, rep)
		if faults = errors.Join(faults, f.refusals(context.WithoutCancel(ctx), std, p, inputs, several, rep)); faults != nil {
			return 0, faults
		}
		code = graver(code, exitCode(rep))
		if err := f.witnesses(context.WithoutCancel(ctx), p, rep, several); err != nil {
			return 0, err
		}
		if f.proof != "" {
			if err := f.keep(std, p, folderOf(f.proof, p, several)); err != nil {
				return 0, err
			}
		}
	}
	staleInAll(reports)
	if err := f.print(&out, programs, reports); err != nil {
		return 0, err
	}
	if faults == nil && !partial && (code != exitUnknown || f.query == 0) { // a solver that ran out of time may know another time
		keepResult(ctx, f.answers, key, code, &out)
	}
	if err := output.Write(std.out, std.err, f.output, &out); err != nil {
		return 0, err
	}
	return f.failing(code), faults
}

// Values of -fail-on.
const (
	failOnFinding = "finding"
	failOnUnknown = "unknown"
)

// failing gives the exit code of a check that is done.
func (f *checkFlags) failing(code int) int {
	if code == exitUnknown && f.failOn == failOnFinding {
		return exitOK
	}
	return code
}

// programs reads the programs. Where there is no time for that, it gives one of which
// nothing is known.
func (f *checkFlags) programs(ctx context.Context, std streams, src *sources) ([]*program, error) {
	bar, end := terminal.Progress(std.err)
	defer end()
	var mu sync.Mutex
	doing := ""
	show := func(done, total int, what string) {
		bar(done, total, what)
		if total > 0 {
			what += fmt.Sprintf(" (%d of %d)", done, total)
		}
		mu.Lock()
		doing = what
		mu.Unlock()
	}
	programs, err := waited(ctx, std, func() ([]*program, error) { return src.load(ctx, show) })
	if err == nil || ctx.Err() == nil {
		return programs, err
	}
	mu.Lock()
	defer mu.Unlock()
	p := &ir.Program{Name: filepath.Base(src.inputs[0])}
	return []*program{{Program: p, sql: len(src.sql())+len(src.golang()) > 0, mysql: f.dialect == "mysql" && len(src.sql()) > 0, disk: src.files, unread: true, doing: doing}}, nil
}

// reading checks the inputs, and gives what to read.
func (f *checkFlags) reading(ctx context.Context, inputs []string) (*sources, error) {
	if f.proof != "" && slices.Contains(inputs, "-") {
		return nil, usagef("-proof: it is checked with its inputs again, and standard input is gone then; write that to a file")
	}
	src, err := f.sources(ctx, inputs)
	if err != nil {
		return nil, err
	}
	src.init, src.notes, src.transactionsOnly = f.init, f.notes, !f.autocommit
	return src, nil
}

// timed gives the context of a check, which ends with -timeout.
func (f *checkFlags) timed(ctx context.Context, src *sources) (_ context.Context, stop func()) {
	src.clock = clock.New(ctx, f.timeout)
	if len(src.golang()) == 0 {
		src.clock.Start()
	}
	return src.clock, src.clock.Stop
}

// survivors checks one program. Where parts of the work end in a fault of this program
// (partial), there is a report of the others, and a bundle of these.
func (f *checkFlags) survivors(ctx context.Context, std streams, p *program, inputs []string, several bool) (rep *report.Report, partial bool, err error) {
	if rep, err = f.one(ctx, std, p); err == nil {
		err = f.proposed(ctx, p, rep)
	}
	list := slices.Concat(p.faults, fault.All(err))
	if rep == nil || len(list) == 0 || err != nil && fault.All(err) == nil {
		return rep, false, err
	}
	return rep, true, f.survived(context.WithoutCancel(ctx), std, p, inputs, several, len(rep.Refused), list)
}

// startReplays makes sure that there will be a server for findings, if these are to be
// replayed.
func (f *checkFlags) startReplays(ctx context.Context, programs []*program) error {
	if !f.replay.on {
		return nil
	}
	f.replayer = &replayer{dsn: f.replay.dsn, say: func(string) {}}
	sql := false
	for _, p := range programs {
		if !p.sql {
			continue
		}
		if e := p.engine(f.eng); e.Documented != "" {
			return usagef("-replay: findings are run on PostgreSQL and MariaDB, not on %s; leave -replay out", e.Title)
		}
		sql = true
		dialect := witness.Postgres
		if p.mysql {
			dialect = witness.MySQL
		}
		if err := f.replayer.ready(ctx, dialect); err != nil {
			return err
		}
	}
	if !sql {
		return usagef("-replay: no input has SQL that a server could run")
	}
	return nil
}

// onServer gives what replays a finding, or nil.
func (f *checkFlags) onServer() func(context.Context, *witness.Witness) (*witness.Replay, error) {
	if f.replayer == nil {
		return nil
	}
	return func(ctx context.Context, w *witness.Witness) (*witness.Replay, error) {
		return f.replayer.replay(ctx, w.Plan)
	}
}

// fits makes sure that what is asked for goes with the programs, and that the folders
// which are asked for can be written.
func (f *checkFlags) fits(programs []*program) error {
	if err := f.assignLevels(programs); err != nil {
		return err
	}
	for _, w := range []struct {
		flag, dir string
		may       func(dir string) error
	}{{"witness", f.witness, witness.Replaceable}, {"proof", f.proof, proof.Replaceable}, {"bundle", f.bundle, bundles.Replaceable}} {
		if w.dir == "" {
			continue
		}
		for _, p := range programs {
			if err := w.may(folderOf(w.dir, p, len(programs) > 1)); err != nil {
				return usagef("-%s: %v", w.flag, err)
			}
		}
	}
	return nil
}

// folderOf is where the witness, the proof or the bundle of a program goes.
func folderOf(dir string, p *program, several bool) string {
	if several {
		return filepath.Join(dir, quote.FileName(p.Name))
	}
	return filepath.Clean(dir)
}

// one checks one program.
func (f *checkFlags) one(ctx context.Context, std streams, p *program) (*report.Report, error) {
	show, end := terminal.Progress(std.err)
	defer end()
	if f.replayer != nil {
		f.replayer.say = func(what string) { show(0, 0, what) }
	}
	opt := f.options(p)
	opt.Progress = show
	rep, err := f.judge(ctx, std, p, opt)
	if err == nil && p.golang != nil {
		p.phases.End("check")
		rep.Stats.Phases = p.phases.List
		rep.Coverage = findings.CoverageOf(p.golang.Places(), rep.Havocs)
		rep.Coverage.Begins = p.golang.Begins
	}
	return rep, err
}

// options are what is asked of a program.
func (f *checkFlags) options(p *program) check.Options {
	return check.Options{Engine: p.engine(f.eng), Init: f.initOf(p), Helpers: f.helpers, SessionOrder: f.sessionOrder, Classic: f.classic, Strict: f.strict,
		Baseline: f.accepted, Judges: f.judges, Apart: p.apart, Isolation: f.isolationOf(p), Levels: p.levels, Beside: f.beside,
		Window: f.window, Questions: f.questions, QueryLimit: f.limit, QueryTimeout: f.query, First: f.first, Shared: p.golang != nil,
		Replay: f.onServer(), Cache: f.answers, Advise: f.explain, Explain: f.explain || f.format == "html" || f.format == "markdown", Graph: slices.Contains([]string{"dot", "html", "svg"}, f.format), Sources: p.text}
}

// initOf gives the initial rows of a program.
func (f *checkFlags) initOf(p *program) schedules.Init {
	return initial(f.init, p)
}

// judge runs the check itself. When its time is over and the check does not
// notice, the verdict is unknown all the same.
func (f *checkFlags) judge(ctx context.Context, std streams, p *program, opt check.Options) (*report.Report, error) {
	if p.unread {
		opt.While = p.doing
		return check.GaveUp(ctx, p.Program, opt), nil
	}
	var proved *proof.Proof
	if f.proof != "" {
		opt.Keep = func(x *proof.Proof) { proved = x }
	}
	rep, err := waited(ctx, std, func() (*report.Report, error) { return check.Check(ctx, p.Program, opt) })
	if errors.Is(err, errLate) {
		return check.GaveUp(ctx, p.Program, opt), nil
	}
	p.proof = proved
	return rep, err
}

// errLate says that something went on for too long after the end of its time.
var errLate = errors.New("the time ran out")

// waited gives what f gives, or errLate if f does not notice that ctx has ended.
func waited[T any](ctx context.Context, std streams, f func() (T, error)) (T, error) {
	type answer struct {
		got   T
		err   error
		fault *fault.Fault
	}
	done := make(chan answer, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- answer{fault: fault.Of("", r)}
			}
		}()
		got, err := f()
		done <- answer{got: got, err: err}
	}()
	late := make(<-chan time.Time)
	over := ctx.Done()
	for {
		select {
		case a := <-done:
			if a.fault != nil {
				panic(a.fault)
			}
			return a.got, a.err
		case <-over:
			late, over = time.After(grace), nil
		case <-late:
			var none T
			return none, errLate
		}
	}
}

// print writes the reports: text apart by an empty line, SARIF as one log, SVG as one picture, and
// HTML and Markdown as one page.
func (f *checkFlags) print(out *bytes.Buffer, programs []*program, reports []*report.Report) error {
	switch f.format {
	case "sarif":
		return report.SARIF(out, reports, strings.TrimPrefix(version(), "robust "))
	case "markdown":
		return summary.Write(out, reports)
	case "svg":
		return drawing.SVG(out, reports)
	case "html":
		return reportpage.Write(out, reports, func(file string) (string, bool) {
			for _, p := range programs {
				if text, ok := p.text(file); ok {
					return text, true
				}
			}
			return "", false
		})
	}
	for i, rep := range reports {
		var err error
		switch f.format {
		case "json":
			err = report.JSON(out, rep)
		case "dot":
			err = report.DOT(out, drawing.Fold(rep))
		default:
			if i > 0 {
				fmt.Fprintln(out)
			}
			err = report.Text(out, rep, report.TextOptions{Verbose: f.verbose, Colors: f.colors, Excerpt: func(p report.Position) string {
				return excerpt.At(ir.Pos{File: p.File, Line: p.Line, Col: p.Col}, maxInput)
			}})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// staleInAll keeps the entries of the baseline that are stale for every program,
// once.
func staleInAll(reports []*report.Report) {
	for i, r := range reports {
		r.Stale = slices.DeleteFunc(r.Stale, func(e report.BaselineEntry) bool {
			return i < len(reports)-1 || slices.ContainsFunc(reports, func(o *report.Report) bool {
				return o != r && slices.ContainsFunc(o.Suppressed, func(s report.Suppressed) bool { return s.Finding.Fingerprint == e.Fingerprint })
			})
		})
	}
}

// witnesses writes the schedule of each finding: the first to the folder
// itself, or to one named after the program if there are several programs;
// further ones beside it, with a number.
func (f *checkFlags) witnesses(ctx context.Context, p *program, rep *report.Report, several bool) error {
	if f.witness == "" {
		return nil
	}
	for i, finding := range rep.Findings {
		dir := folderOf(f.witness, p, several)
		if i > 0 {
			dir = fmt.Sprintf("%s-%d", dir, i+1)
		}
		histories, err := crosscheck.Files(ctx, finding.Trace)
		if err != nil {
			return err
		}
		if err := finding.Witness.Write(dir, histories); err != nil {
			return err
		}
	}
	return nil
}

// exitCode is that of a report. Where all findings are suppressed, it is that of
// what is left.
func exitCode(r *report.Report) int {
	v := r.Verdict
	if r.Rest != "" {
		v = r.Rest
	}
	switch v {
	case robust.Robust:
		return exitOK
	case robust.NotRobust:
		return exitNotRobust
	case robust.Unknown:
		return exitUnknown
	}
	panic("robust: unknown verdict " + string(v))
}

// graver gives the exit code that counts of two programs.
func graver(a, b int) int {
	for _, c := range []int{exitFault, exitNotRobust, exitUnknown} {
		if a == c || b == c {
			return c
		}
	}
	return exitOK
}
