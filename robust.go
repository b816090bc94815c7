package robust

import (
	"context"
	"fmt"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

// Report is the result of Check.
type Report = report.Report

// The verdicts of a Report.
const (
	Robust    = report.Robust
	NotRobust = report.NotRobust
	Unknown   = report.Unknown
)

// Witness is an execution, and Replay what became of it on a server.
type (
	Witness = witness.Witness
	Replay  = witness.Replay
)

// Options direct Check. The zero value asks about the snapshot isolation of the
// literature, from any initial rows.
type Options struct {
	Question
	Budget
	Output
	// Replay, if not nil, runs each finding on a server. One that the server does not do is
	// none: it goes to Report.Refused.
	Replay func(context.Context, *Witness) (*Replay, error)
	// Baseline, if not nil, has findings that are accepted.
	Baseline *report.Baseline
}

// Question is what is asked about a program.
type Question struct {
	// Engine is the database; nil is engine.SI().
	Engine *engine.Profile
	// Init says which initial rows there may be.
	Init Init
	// SessionOrder makes the order of transactions within a session a
	// dependency. For programs with processes it always is one.
	SessionOrder bool
	// Classic judges value-blind dependencies, as CAV'19 does, instead of
	// outcomes.
	Classic bool
	// Strict proves from declared constraints and stated invariants alone: no other
	// fact about the initial rows is taken for granted.
	Strict bool
	// Isolation says at which level the transactions run: "si" (snapshot isolation; "" is
	// the same, and REPEATABLE READ on MySQL), or on PostgreSQL and with InnoDB "rc", "rr",
	// "serializable", or "code", where each runs at the level that the source asks for, or
	// else at the default. For engine.SI it may also be a model of distributed stores: "psi"
	// (parallel snapshot isolation), "pc" (prefix consistency) or "cc" (causal consistency).
	Isolation string
	// Levels are the levels of single transactions, by name: "rc", "rr", "serializable",
	// or as SQL has them.
	Levels map[string]string
	// Beside also looks for what is an anomaly at READ COMMITTED only, as
	// Report.ReadCommitted, which has no part in the verdict. Transactions that the
	// source runs at READ COMMITTED are looked at without it, too.
	Beside bool
	// First ends the check with the first finding. Otherwise all are looked for, and each
	// transaction that is in none and safe with everything is called so.
	First bool
}

// Init says which initial rows there may be.
type Init uint8

const (
	// AnyRows is every state that satisfies the declared constraints and the
	// invariants.
	AnyRows Init = iota
	// NoRows is empty tables; shared variables have their initial values.
	NoRows
	// FileRows is the rows that the program declares.
	FileRows
)

// Budget is how much may be spent on an answer. The context of Check bounds its time.
type Budget struct {
	// Helpers bounds the transactions besides the delayed one when an
	// execution is searched (default 4). It does not bound proofs.
	Helpers int
	// MaxExecutions bounds exhaustive interpretation (default 300 000).
	MaxExecutions int
	// Window bounds how many transactions of a walk are asked about at once
	// (default 4), and Questions the questions for each delayed transaction
	// (default 2000).
	Window, Questions int
	// QueryLimit bounds each question in Z3's resource units (default
	// 2 000 000), and QueryTimeout, if not 0, its time.
	QueryLimit   uint
	QueryTimeout time.Duration
	// Shared gives each transaction the same share of the effort of a proof, so that a
	// check of many of them ends soon.
	Shared bool
}

// Output is what is told besides the verdict and the findings.
type Output struct {
	// Explain adds an Explanation to the Report, for which it tries what may settle an open verdict, and
	// Graph the dependency graph.
	Explain, Graph bool
	// Sources gives the text of input files, for the fingerprints of findings (nil:
	// they are read from the disk).
	Sources func(file string) (text string, ok bool)
	// Progress, if not nil, is told what is being done; total is 0 where it is
	// not known.
	Progress func(done, total int, what string)
}

// Check decides whether p is robust against snapshot isolation, as far as it
// can. When ctx ends first, the verdict is Unknown, and says so. An error is a
// fault of the input (*ir.Error), such as a stated invariant that is not
// inductive, or a comment that ignores what is not there; or it is one of this
// program: a witness that is not confirmed, or that a checker of histories contradicts. Where a
// part of the work ends in a panic, there is a Report beside the error, with what the other
// parts found.
//
// A finding that the program's Ignores or the Baseline accept is suppressed, and
// the check goes on with the program without its transactions: without the one
// that a comment stands at, or without each of them in turn. Report.Rest says what
// came of that.
func Check(ctx context.Context, p *ir.Program, opt Options) (*Report, error) {
	if err := levels.Known(opt.Isolation); err != nil {
		return nil, err
	}
	of, err := levels.Named(p, opt.Levels)
	if err != nil {
		return nil, err
	}
	return check.Check(ctx, p, check.Options{
		Engine: opt.Engine, Init: opt.Init.rows(), SessionOrder: opt.SessionOrder, Classic: opt.Classic, Strict: opt.Strict,
		Isolation: opt.Isolation, Levels: of, Beside: opt.Beside, First: opt.First, Shared: opt.Shared,
		Helpers: opt.Helpers, MaxExecutions: opt.MaxExecutions, Window: opt.Window, Questions: opt.Questions,
		QueryLimit: opt.QueryLimit, QueryTimeout: opt.QueryTimeout,
		Explain: opt.Explain, Advise: opt.Explain, Graph: opt.Graph, Sources: opt.Sources, Progress: opt.Progress,
		Replay: opt.Replay, Baseline: opt.Baseline,
	})
}

// rows are the initial rows as the search has them.
func (i Init) rows() schedules.Init {
	switch i {
	case AnyRows:
		return schedules.AnyRows
	case NoRows:
		return schedules.NoRows
	case FileRows:
		return schedules.FileRows
	}
	panic(fmt.Sprintf("robust: unknown initial rows %d", i))
}
