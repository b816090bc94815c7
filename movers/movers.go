package movers

import (
	"context"
	"fmt"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/movers"
	"github.com/txrobust/robust/internal/walk"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir"
)

// Verdict is the answer of Prove.
type Verdict uint8

const (
	// Unknown: the bounds ran out before either of the others.
	Unknown Verdict = iota
	// Robust: there is no closed walk; a proof.
	Robust
	// Suspicious: a closed walk is possible.
	Suspicious
)

// String is the verdict in a word: unknown, robust or suspicious.
func (v Verdict) String() string { return [...]string{"unknown", "robust", "suspicious"}[v] }

// Options direct Prove. Bounds that are 0 are those of robust.Budget.
type Options struct {
	// Engine is the database; nil is engine.SI().
	Engine *engine.Profile
	// Classic selects value-blind dependencies (CAV'19, theorem 2).
	Classic bool
	// SessionOrder makes the order within sessions a dependency where
	// sessions run any templates; for processes it always is one.
	SessionOrder bool
	// Window bounds the edges that are asked as one question, and Questions the pieces
	// of walks that the solver is asked about for each delayed transaction.
	Window, Questions int
	// QueryLimit bounds each question in Z3's resource units, and QueryTimeout, if not 0,
	// its time.
	QueryLimit   uint
	QueryTimeout time.Duration
	// Progress, if not nil, is told what is being done, by one goroutine at a time.
	Progress func(done, total int, what string)
}

// Result is what Prove found.
type Result struct {
	Verdict Verdict
	// Certificate names the fast certificate that applied, or is "".
	Certificate string
	// Facts are the inductive facts that a proof needs, or else that could be
	// used, beyond the program's own invariants. That they hold in the initial rows
	// is an assumption.
	Facts []*ir.Invariant
	// Walks are the closed walks that remain, possible or not known to be.
	Walks []Walk
	// Reason is why the verdict is Unknown.
	Reason string
}

// Walk is a closed walk from the snapshot of a transaction to its commit.
type Walk struct {
	// Delayed is the transaction, Helpers are those that come between.
	Delayed *ir.Txn
	Helpers []*ir.Txn
	// Running says of each helper that it commits after the delayed one.
	Running []bool
	// Unknown is the solver's reason where it could not decide whether the
	// walk is possible, or "".
	Unknown string
}

// Prove tries to prove that p is robust. An error is a fault of the input: an
// invariant that is not inductive.
func Prove(ctx context.Context, p *ir.Program, opt Options) (*Result, error) {
	if opt.Engine == nil {
		opt.Engine = engine.SI()
	}
	wellformed.Structure(p)
	found, err := movers.Prove(ctx, p, movers.Options{Engine: opt.Engine, Classic: opt.Classic, SessionOrder: opt.SessionOrder,
		MaxWindow: opt.Window, MaxQuestions: opt.Questions, Limit: opt.QueryLimit, Timeout: opt.QueryTimeout, Progress: opt.Progress})
	if err != nil {
		return nil, err
	}
	out := &Result{Verdict: verdict(found.Verdict), Certificate: found.Certificate, Facts: found.Facts, Reason: found.Reason}
	for _, w := range found.Walks {
		to := Walk{Delayed: w.Delayed, Unknown: w.Unknown}
		for _, h := range w.Helpers {
			to.Helpers, to.Running = append(to.Helpers, h.Txn), append(to.Running, h.Kind == walk.Issued)
		}
		out.Walks = append(out.Walks, to)
	}
	return out, nil
}

func verdict(v movers.Verdict) Verdict {
	switch v {
	case movers.Robust:
		return Robust
	case movers.Suspicious:
		return Suspicious
	case movers.Unknown:
		return Unknown
	}
	panic(fmt.Sprintf("movers: unknown verdict %d", v))
}
