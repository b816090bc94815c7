// Package recording has the flags of the commands that make and record histories, and does
// what they say.
package recording

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/internal/checker/view"
	"github.com/txrobust/robust/internal/checker/workload"
	"github.com/txrobust/robust/internal/collect"
	"github.com/txrobust/robust/internal/flags"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/terminal"
	"github.com/txrobust/robust/isolation"
)

// list is a flag that may be given several times.
type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// Generator has the flags of the command that makes histories of a simulated database.
type Generator struct {
	clients
	level, anomaly string
	o              simdb.Options
	planted        *simdb.Anomaly
}

// Declare declares the flags.
func (g *Generator) Declare(fs *flag.FlagSet) {
	g.clients.declare(fs)
	var levels []string
	for _, l := range simdb.Levels() {
		levels = append(levels, l.String())
	}
	flags.Choice(fs, &g.level, "level", "SER", levels, "isolation `level` of the simulated database: "+flags.Or(levels))
	flags.Choice(fs, &g.anomaly, "anomaly", "", simdb.AnomalyNames(), "`anomaly` that happens once, to keys and clients of its own; see below")
	fs.Float64Var(&g.o.Aborts, "aborts", 0.02, "share of transactions that abort (`P`)")
	fs.Float64Var(&g.o.Unknowns, "unknowns", 0, "share of transactions whose outcome the clients do not learn (`P`); half of them have none")
}

// Check finds mistakes in the flags.
func (g *Generator) Check() (err error) {
	if !(g.o.Aborts >= 0 && g.o.Unknowns >= 0 && g.o.Aborts+g.o.Unknowns <= 1) {
		return flags.Usagef("-aborts %v -unknowns %v: shares are 0 to 1, also together", g.o.Aborts, g.o.Unknowns)
	}
	if g.anomaly != "" {
		if g.planted, err = simdb.AnomalyByName(g.anomaly); err != nil {
			return err
		}
	}
	if g.o.Level, err = isolation.ParseLevel(g.level); err != nil {
		return err
	}
	return g.clients.check()
}

// Run makes the history, with times if the level has any and timed is set.
func (g *Generator) Run(ctx context.Context, timed bool) (*history.History, error) {
	o := g.o
	o.Untimed = !timed
	o.Seed, o.Sessions, o.Txns = uint64(g.seed), g.sessions, g.txns
	o.Unknowns, o.Losses = o.Unknowns/2, o.Unknowns/2
	return simdb.Run(ctx, o, g.workload, g.params, g.planted)
}

// clients are the flags of every command that runs clients.
type clients struct {
	name, dist     string
	params         workload.Params
	sessions, txns int
	seed           uint
	workload       workload.Workload
}

func (f *clients) declare(fs *flag.FlagSet) {
	flags.Choice(fs, &f.name, "workload", "list-append", workload.Names(), "`what` the clients do; see below")
	flags.Whole(fs, &f.txns, "txns", 1000, 1, "how many transactions there are, refused ones included")
	flags.Whole(fs, &f.sessions, "sessions", 8, 1, "how many clients there are")
	flags.Whole(fs, &f.params.Ops, "ops", 4, 1, "operations of a transaction, at most")
	flags.Whole(fs, &f.params.Keys, "keys", 50, 1, "keys, accounts, users or items")
	fs.Float64Var(&f.params.Reads, "reads", 0.5, "share of reads (`P`), 0 to 1: of the operations, or of the transactions where one only reads or writes")
	flags.Choice(fs, &f.dist, "dist", "uniform", workload.Distributions(), "`how` often each key is used: uniform, zipf, or hotspot (four of five uses are of a fifth of the keys)")
	flags.Whole(fs, &f.seed, "seed", 1, 0, "seed of the random choices of clients")
}

// check finds mistakes in the flags.
func (f *clients) check() (err error) {
	if !(f.params.Reads >= 0 && f.params.Reads <= 1) {
		return flags.Usagef("-reads %v: a share is 0 to 1", f.params.Reads)
	}
	f.params.Dist = workload.Distribution(f.dist)
	f.workload, err = workload.ByName(f.name)
	return err
}

// WorkloadList says which workloads there are, for a help text.
func WorkloadList() string {
	var b strings.Builder
	for _, w := range workload.All() {
		b.WriteString(view.Item(fmt.Sprintf("  %-12s ", w.Name), w.Summary))
	}
	return b.String()
}

// AnomalyList says which anomalies can be planted, for a help text.
func AnomalyList() string {
	var b strings.Builder
	for _, a := range simdb.Anomalies() {
		b.WriteString(view.Item(fmt.Sprintf("  %-20s ", a.Name), a.What))
	}
	return b.String()
}

// Collector has the flags of the commands that record real databases.
type Collector struct {
	clients
	engine, dsn, program, isolation, fault, live string
	settings                                     list
	faults                                       int
	patience                                     time.Duration
}

// Declare declares the flags.
func (f *Collector) Declare(fs *flag.FlagSet) {
	f.clients.declare(fs)
	flags.Choice(fs, &f.engine, "engine", "", collect.Engines(), "`database`: "+flags.Or(collect.Engines())+" (default postgres)")
	fs.StringVar(&f.dsn, "dsn", "", "`DSN` of the database, as its Go driver reads it: pgx, go-sql-driver/mysql, or the path of a file for SQLite (default: a private server)")
	fs.StringVar(&f.program, "program", "", "`COMMAND` of a program that reaches the database, with arguments separated by blanks")
	flags.Choice(fs, &f.isolation, "isolation", "rr", []string{"ru", "rc", "rr", "serializable"}, "`level` that the transactions ask for: ru, rc, rr or serializable")
	flags.Choice(fs, &f.fault, "fault", "none", collect.FaultNames(), "what happens to the private server (`KIND`): kill (kill -9, and it is started again), stop (for a second), partition (connections are cut or go silent, for a second), full-disk (for a second), failover (PostgreSQL: the link to a standby breaks, the server is killed, the standby takes over), or none")
	flags.Whole(fs, &f.faults, "faults", 2, 1, "how often it happens; a failover happens once")
	fs.Var(&f.settings, "setting", "setting of the private server: `NAME=VALUE` (repeatable), such as synchronous_commit=off")
	fs.StringVar(&f.live, "live", "", "also write the recording to `FILE` while it grows, as EDN: robust history check -follow FILE judges it meanwhile")
	flags.Time(fs, &f.patience, "patience", 0, 0, "how long a request may take before its connection is given up (default 10s, and 500ms with a fault)")
}

// Check finds mistakes in the flags.
func (f *Collector) Check() error {
	theirs := f.dsn != "" || f.program != ""
	switch {
	case f.dsn != "" && f.program != "":
		return flags.Usagef("-dsn and -program exclude each other")
	case f.engine != "" && f.program != "":
		return flags.Usagef("-engine %s: with -program the program says which database it is; leave -engine out", f.engine)
	case theirs && f.fault != "none":
		return flags.Usagef("-fault %s: faults happen to private servers only; leave out -dsn and -program", f.fault)
	case theirs && len(f.settings) > 0:
		return flags.Usagef("-setting: only private servers have settings; leave out -dsn and -program")
	case f.engine == collect.SQLite && (f.fault != "none" || len(f.settings) > 0):
		return flags.Usagef("-engine %s: it has no server, and so neither -fault nor -setting", f.engine)
	case f.fault == "failover" && f.engine != "" && f.engine != "postgres":
		return flags.Usagef("-fault failover: only PostgreSQL has a standby here")
	case slices.ContainsFunc(f.settings, func(s string) bool { return !strings.Contains(s, "=") }):
		return flags.Usagef("-setting: it is NAME=VALUE")
	}
	if f.live != "" && f.name == "range" {
		return flags.Usagef("-live: the workload range cannot be written as EDN")
	}
	f.engine = cmp.Or(f.engine, "postgres")
	if f.patience == 0 {
		f.patience = 10 * time.Second
		if f.fault != "none" {
			f.patience = 500 * time.Millisecond
		}
	}
	return f.clients.check()
}

// open gives the database, and the faults that it will have.
func (f *Collector) open(ctx context.Context) (collect.Database, []collect.Fault, error) {
	level, err := collect.ParseIsolation(f.isolation)
	if err != nil {
		return nil, nil, err
	}
	if f.program != "" {
		p, err := collect.ParseProgram(f.program, level)
		return p, nil, err
	}
	e, err := collect.EngineByName(f.engine)
	if err != nil {
		return nil, nil, err
	}
	if f.dsn != "" {
		db, err := e.Open(ctx, f.dsn, level)
		return db, nil, err
	}
	p, err := e.Private(ctx, level, f.settings, f.fault)
	if err != nil {
		return nil, nil, err
	}
	faults, err := p.Faults(f.fault, f.faults)
	if err != nil {
		return nil, nil, errors.Join(err, p.Close(ctx))
	}
	return p, faults, nil
}

// fits refuses a format that does not have what the workload does: its recording would be lost.
// A simulated database shows what that is.
func (f *Collector) fits(ctx context.Context, format codec.Format) error {
	p := f.params
	p.Keys = min(p.Keys, 50)
	h, err := simdb.Run(ctx, simdb.Options{Level: isolation.SER, Seed: uint64(f.seed), Sessions: 1, Txns: min(f.txns, 500)}, f.workload, p, nil)
	if err != nil {
		return err
	}
	if _, err := format.Doubts(ctx, h); err != nil && ctx.Err() == nil {
		return flags.Usagef("-workload %s -out %s: %v", f.name, format, err)
	}
	return ctx.Err()
}

// Record records a history, and says how it went. It will be written in the format, or not at all
// if that is empty.
func (f *Collector) Record(ctx context.Context, format codec.Format, log io.Writer) (name string, r *collect.Recording, err error) {
	if format != "" {
		if err := f.fits(ctx, format); err != nil {
			return "", nil, err
		}
	}
	show, hide := terminal.Progress(log)
	defer hide()
	show(0, 0, "starting")
	var live io.Writer
	if f.live != "" {
		file, err := os.Create(f.live)
		if err != nil {
			return "", nil, err
		}
		defer file.Close()
		live = file
	}
	db, faults, err := f.open(ctx)
	if err != nil {
		return "", nil, err
	}
	// What was made is removed also after an interrupt.
	defer func() {
		if failed := db.Close(context.WithoutCancel(ctx)); err == nil {
			err = failed
		}
	}()
	if err := db.Prepare(ctx); err != nil {
		return "", nil, err
	}
	name = fmt.Sprintf("%s on %s", f.name, db.Name())
	r, err = collect.Run(ctx, db, collect.Options{
		Workload: f.workload, Params: f.params, Sessions: f.sessions, Txns: f.txns, Seed: uint64(f.seed), Patience: f.patience, Faults: faults, Live: live,
		Progress: func(done int) { show(done, f.txns, name) },
	})
	if err != nil {
		return name, nil, err
	}
	hide()
	if r.LiveErr != nil {
		fmt.Fprintf(log, "note: %s is not complete: %s\n", quote.Line(f.live), quote.Line(r.LiveErr.Error()))
	}
	cut := ""
	if ctx.Err() != nil {
		cut = ", until the interrupt"
	}
	fmt.Fprintf(log, "%s: %d committed, %d aborted, %d of unknown outcome in %.1f s%s\n",
		quote.Line(name), r.Committed, r.Aborted, r.Unknown, r.Elapsed.Seconds(), cut)
	if f.fault != "none" {
		heard(log, r.Errors)
	}
	return name, r, nil
}

// heard says what clients heard most often while there were faults.
func heard(log io.Writer, errors map[string]int) {
	const most = 5
	texts := slices.SortedFunc(maps.Keys(errors), func(a, b string) int { return cmp.Or(errors[b]-errors[a], cmp.Compare(a, b)) })
	for i, text := range texts {
		if i == most {
			fmt.Fprintf(log, "  and %d other errors\n", len(texts)-most)
			break
		}
		fmt.Fprintf(log, "  %d times: %s\n", errors[text], quote.Line(text))
	}
}
