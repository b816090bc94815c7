package polysi

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/internal/checker/outcomes"
	"github.com/txrobust/robust/isolation"
)

// Options say what to check and how.
type Options struct {
	// Levels are those to decide; SI and SER if empty. Those that are not in Levels()
	// get Unknown.
	Levels []isolation.Level
	// Memory is about how many bytes the check of a level may take, besides the history: 2 GB if
	// it is 0.
	Memory int64
	// Workers is how many goroutines search at a time: as many as there are
	// processors if it is 0. The result does not depend on it.
	Workers int
	// Conflicts bounds the search, so that it ends with Unknown; no bound if it is 0.
	Conflicts int
	// Seed makes the search try another way.
	Seed uint64

	// noClocks is for tests: as if the clocks took too much memory.
	noClocks bool
}

const defaultMemory = 2 << 30

// Levels are those that this checker decides, weaker ones first.
func Levels() []isolation.Level {
	return []isolation.Level{isolation.PLSI, isolation.PL3, isolation.SI, isolation.SER}
}

// Check decides PL-SI, PL-3, SI and SER. When the context ends before a verdict is
// found, levels that are not decided are Unknown, and the error is that of the context.
func Check(ctx context.Context, h *history.History, o Options) (*checker.Result, error) {
	o.Levels = o.levels()
	return outcomes.Check(ctx, h, o.Levels, func(ctx context.Context, h *history.History, levels []isolation.Level) (*checker.Result, error) {
		o.Levels = levels
		return newCheck(ctx, h, o).run()
	})
}

// levels are those to decide.
func (o Options) levels() []isolation.Level {
	if len(o.Levels) == 0 {
		return []isolation.Level{isolation.SI, isolation.SER}
	}
	return o.Levels
}

// check decides the levels of one history.
type check struct {
	ctx     context.Context
	h       *history.History
	o       Options
	reads   *reads
	answers map[isolation.Level]checker.Answer
	stats   map[isolation.Level]stats
	result  *checker.Result
}

func newCheck(ctx context.Context, h *history.History, o Options) *check {
	o.Levels = o.levels()
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return &check{
		ctx: ctx, h: h, o: o, answers: map[isolation.Level]checker.Answer{}, stats: map[isolation.Level]stats{},
		result: &checker.Result{Counts: map[isolation.Anomaly]int{}},
	}
}

func (c *check) run() (*checker.Result, error) {
	err := c.decide()
	for _, l := range c.o.Levels {
		a, ok := c.answers[l]
		if !ok {
			a = checker.Answer{Level: l, Why: fmt.Sprintf("%s is not a level that this method decides.", l)}
			if slices.Contains(Levels(), l) {
				a.Why = "There was no more time."
			}
		}
		c.result.Answers = append(c.result.Answers, a)
	}
	return c.result, err
}

// decide decides the levels from the strongest to the weakest, because what
// satisfies a strong one satisfies the weaker ones.
func (c *check) decide() error {
	c.reads = newReads(c.ctx, c.h, nil)
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if len(c.reads.bad) > 0 {
		for _, v := range c.reads.bad {
			c.add(v)
		}
		for _, l := range Levels() {
			c.answers[l] = checker.Answer{Level: l, Verdict: checker.Violated}
		}
		return nil
	}
	// SI before SER fails: a history that violates it violates SER. What takes long waits until the
	// other levels are decided.
	levels := slices.DeleteFunc([]isolation.Level{isolation.SER, isolation.SI, isolation.PL3, isolation.PLSI}, func(l isolation.Level) bool {
		return !slices.Contains(c.o.Levels, l)
	})
	for _, conflicts := range []int{firstConflicts, c.o.Conflicts} {
		var late []isolation.Level
		for _, l := range levels {
			if c.implied(l) {
				continue
			}
			if err := c.level(l, conflicts); err != nil {
				return err
			}
			if c.stats[l].gaveUp && (c.o.Conflicts == 0 || c.o.Conflicts > firstConflicts) {
				late = append(late, l)
			}
		}
		levels = late
	}
	return c.ctx.Err()
}

// firstConflicts is after how many conflicts the other levels come first.
const firstConflicts = 20_000

// implied answers a level by the answers to others, if they imply one.
func (c *check) implied(l isolation.Level) bool {
	for _, m := range slices.Backward(Levels()) {
		a, ok := c.answers[m]
		if ok && a.Verdict == checker.Satisfied && m.Implies(l) {
			c.answers[l] = checker.Answer{Level: l, Verdict: checker.Satisfied, Order: a.Order, Snapshots: a.Snapshots}
			return true
		}
	}
	for _, v := range c.result.Violations {
		if l.Implies(v.Level) {
			c.answers[l] = checker.Answer{Level: l, Verdict: checker.Violated}
			return true
		}
	}
	return false
}

func (c *check) add(v checker.Violation) {
	c.result.Violations = append(c.result.Violations, v)
	c.result.Counts[v.Anomaly]++
}

// level decides one level.
func (c *check) level(l isolation.Level, conflicts int) error {
	o := c.o
	if o.Conflicts == 0 || conflicts < o.Conflicts {
		o.Conflicts = conflicts
	}
	delete(c.answers, l)
	p := newPolygraph(c.ctx, c.h, c.reads, o, l)
	a, v, err := p.judge()
	if err != nil {
		return err
	}
	c.stats[l] = p.stats
	sure := true                                                         // that the violation is minimal
	if a.Verdict == checker.Violated && v == nil && c.ctx.Err() == nil { // which needs a choice of the writers of reads
		a.Why = fmt.Sprintf("%d reads may come from several writes; all choices fail, and the violation shown is that of one.", len(c.reads.open))
		v, sure = c.violationOfOne(l)
	} else if v != nil {
		v, sure = p.minimal(v)
	}
	switch {
	case a.Verdict == checker.Violated && v == nil:
		a.Why = "There was no more time to find a violation that can be shown."
	case a.Verdict == checker.Violated && !sure:
		a.Why = strings.TrimSpace(a.Why + " There may be a violation of fewer transactions.")
	}
	if v != nil {
		c.add(*v)
	}
	if a.Verdict == checker.Satisfied && c.reads.unjudged != "" {
		a = checker.Answer{Level: l, Why: c.reads.unjudged}
	}
	c.answers[l] = a
	return nil
}

// violationOfOne gives the violation under one choice of the writers that reads come
// from, where all choices fail, and whether it is minimal; nil if the time is over before it is found.
func (c *check) violationOfOne(l isolation.Level) (v *checker.Violation, sure bool) {
	assigned := map[site]history.Txn{}
	for _, o := range c.reads.open {
		assigned[site{o.op, o.key}] = o.from[len(o.from)-1]
	}
	r := newReads(c.ctx, c.h, assigned)
	if len(r.bad) > 0 {
		bad := r.bad[0]
		bad.Level, bad.Anomaly = l, explain.General(l)
		return &bad, true
	}
	if c.ctx.Err() != nil {
		return nil, false
	}
	o := c.o
	o.Conflicts = max(o.Conflicts, 10000)
	p := newPolygraph(c.ctx, c.h, r, o, l)
	_, v, err := p.judge()
	if v == nil || err != nil {
		return nil, false
	}
	v, sure = p.minimal(v)
	v.Level, v.Anomaly = l, explain.General(l) // another choice may violate less
	return v, sure
}

// judge decides one level of a history whose single reads are all right. It gives
// a violation of those that are violated, except if that needs a choice of the
// writers that reads come from.
func (p *polygraph) judge() (checker.Answer, *checker.Violation, error) {
	a := checker.Answer{Level: p.level}
	if v := p.lostUpdate(); v != nil {
		a.Verdict = checker.Violated
		return a, v, nil
	}
	p.build()
	if p.room() < 0 {
		a.Why = fmt.Sprintf("This history takes more than %d KB.", p.o.Memory>>10)
		return a, nil, nil
	}
	if done, err := p.simple(&a); done || err != nil {
		return a, nil, err
	}
	ok, err := p.saturate()
	if err != nil {
		return a, nil, err
	}
	if !ok {
		a.Verdict = checker.Violated
		return a, p.violation(nil), nil
	}
	if p.hopeless {
		a.Verdict = checker.Violated
		return a, nil, nil
	}
	return p.refine(a)
}

// simple satisfies a level if there is an execution that is found without conclusions.
func (p *polygraph) simple(a *checker.Answer) (bool, error) {
	if !p.sort() {
		return false, nil
	}
	s, err := p.newPlan(p.times(), p.openReaders(), func(int) history.Txn { return -1 }).schedule(nil, 1)
	if err != nil || !s.right() {
		return false, err
	}
	a.Verdict = checker.Satisfied
	a.Order, a.Snapshots = p.witness(s.order)
	return true, nil
}
