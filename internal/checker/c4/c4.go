package c4

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/outcomes"
	"github.com/txrobust/robust/isolation"
)

// Options say what to check and how.
type Options struct {
	// Levels are those to decide; RC, RA and CC if empty. Others get Unknown.
	Levels []isolation.Level
	// First stops at the first violation of each level: Violations and Counts are
	// then not complete.
	First bool
	// Limit is how many violations of each anomaly are listed, with their
	// cycles: 100 if it is 0, all if it is negative. Counts are complete in any case.
	Limit int
	// Memory is about how many bytes the clocks may take: 512 MB if it is 0. With
	// less they are computed in several rounds.
	Memory int64
	// Workers is how many goroutines work at a time: as many as there are
	// processors if it is 0. The result does not depend on it.
	Workers int
}

const (
	defaultLimit  = 100
	defaultMemory = 512 << 20
	// smallHistory is how many operations are too few to start goroutines for.
	smallHistory = 10000
)

// Levels are those that this checker decides, weaker ones first.
func Levels() []isolation.Level {
	return []isolation.Level{isolation.RC, isolation.RA, isolation.CC}
}

const (
	rc = iota
	ra
	cc
	numLevels
)

// Check decides RC, RA and CC. The error is that of the context.
func Check(ctx context.Context, h *history.History, o Options) (*checker.Result, error) {
	levels := o.Levels
	if len(levels) == 0 {
		levels = Levels()
	}
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	if o.Workers == 0 {
		if o.Workers = runtime.GOMAXPROCS(0); h.NumOps() < smallHistory {
			o.Workers = 1
		}
	}
	return outcomes.Check(ctx, h, levels, func(ctx context.Context, h *history.History, levels []isolation.Level) (*checker.Result, error) {
		o.Levels = levels
		return decide(ctx, h, o)
	})
}

// decide decides levels of a history. What transactions of unknown outcome read it
// ignores.
func decide(ctx context.Context, h *history.History, o Options) (*checker.Result, error) {
	if o.Workers > 1 { // for both are kept in the history
		parallel(2, func(i int) {
			if i == 0 {
				h.Sources()
			} else {
				h.Writers()
			}
		})
	}
	c := &check{ctx: ctx, h: h, o: o, src: h.Sources(), w: h.Writers()}
	for _, l := range o.Levels {
		if i := slices.Index(Levels(), l); i >= 0 {
			c.wanted[i], c.max = true, max(c.max, i)
		}
	}
	if err := c.decide(); err != nil {
		return nil, err
	}
	r := &checker.Result{Violations: c.violations, Counts: c.counts}
	for _, l := range o.Levels {
		if i := slices.Index(Levels(), l); i >= 0 {
			r.Answers = append(r.Answers, c.answers[i])
		} else {
			r.Answers = append(r.Answers, checker.Answer{Level: l, Why: fmt.Sprintf("%s is not a level that this method decides.", l)})
		}
	}
	return r, nil
}

// check decides the levels of one history.
type check struct {
	ctx        context.Context
	h          *history.History
	o          Options
	src        *history.Sources
	w          *history.Writers
	wanted     [numLevels]bool
	max        int
	answers    [numLevels]checker.Answer
	violations []checker.Violation
	counts     map[isolation.Anomaly]int
}

func (c *check) decide() error {
	f, err := c.run(nil, nil, c.max, c.o.First, c.o.Limit)
	if err != nil {
		return err
	}
	// base leaves out what may come from several writers, or be initial.
	base := f
	free := f.freeKeys()
	if len(free) > 0 && (f.broken[c.max] || len(f.open) > 0) {
		if base, err = c.run(nil, free, c.max, c.o.First, c.o.Limit); err != nil {
			return err
		}
	}
	c.violations, c.counts = base.violations, base.counts
	for i := c.max; i >= 0; i-- {
		if !c.wanted[i] {
			continue
		}
		a := &c.answers[i]
		a.Level = Levels()[i]
		stronger := i + 1
		for stronger < numLevels && !c.wanted[stronger] {
			stronger++
		}
		switch {
		case base.broken[i]:
			a.Verdict = checker.Violated
		case base.unjudged != "":
			a.Why = base.unjudged
		case !f.broken[i] && len(f.open) == 0:
			a.Verdict, a.Order = checker.Satisfied, f.order[i]
		case stronger < numLevels && c.answers[stronger].Verdict == checker.Satisfied:
			a.Verdict, a.Order = checker.Satisfied, c.answers[stronger].Order
		default:
			if err := c.choose(base, f, i, a); err != nil {
				return err
			}
		}
	}
	slices.SortStableFunc(c.violations, func(x, y checker.Violation) int {
		return cmp.Or(cmp.Compare(x.Level, y.Level), cmp.Compare(x.Anomaly, y.Anomaly), cmp.Compare(x.Read, y.Read), cmp.Compare(x.Key, y.Key), cmp.Compare(x.Source, y.Source))
	})
	return nil
}

// finding is what one analysis found.
type finding struct {
	*analysis
	broken     [numLevels]bool
	order      [numLevels][]history.Txn
	violations []checker.Violation
	counts     map[isolation.Anomaly]int
	unjudged   string
}

// run analyses the history with some of the reads that may come from several
// writers assigned to one, and the others left out. Those of free keys may come from
// the initial transaction, too.
func (c *check) run(assigned map[site]history.Txn, free map[history.Key]bool, max int, first bool, limit int) (*finding, error) {
	a := &analysis{
		ctx: c.ctx, h: c.h, src: c.src, w: c.w, workers: c.o.Workers, memory: c.o.Memory,
		assigned: assigned, free: free,
	}
	f := &finding{analysis: a, counts: map[isolation.Anomaly]int{}}
	if err := a.readAll(); err != nil {
		return nil, err
	}
	switch {
	case a.sets:
		f.unjudged = "This method does not judge reads of sets and counters."
	case a.unsettled:
		f.unjudged = "Elements of lists were appended twice or not known initially, so that the order of the versions is not known."
	}
	r := &reporter{finding: f, max: max, stop: first, limit: limit}
	for _, v := range a.bad {
		r.single(v)
	}
	if err := r.graphs(); err != nil {
		return nil, err
	}
	return f, nil
}

// freeKeys gives the registers of which it is not known what they held
// initially, and no read tells.
func (f *finding) freeKeys() map[history.Key]bool {
	free := map[history.Key]bool{}
	for k := range history.Key(f.h.NumKeys()) {
		if f.loaded(k) {
			free[k] = true
		}
	}
	for _, l := range f.loads {
		delete(free, l.key)
	}
	return free
}
