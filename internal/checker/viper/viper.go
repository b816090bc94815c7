package viper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

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
	// ClockDrift is how much the clocks of two clients may differ, in the unit of the
	// stamps of the history (History.Begin and End). A transaction counts as before
	// another one in real time if it ended more than that before the other began. So
	// levels with real time are satisfied by more histories than without drift, and a
	// witness of them need not have the order of the stamps.
	ClockDrift int64
	// Memory is about how many bytes the constraints and the search may take each: 512 MB
	// if it is 0.
	Memory int64
	// Conflicts bounds each search, so that it ends with Unknown; no bound if it is 0.
	Conflicts int
	// Seed makes the search try another way.
	Seed uint64
}

// atMost is a bound of conflicts that is not above that of the options.
func (o Options) atMost(conflicts int) int {
	if o.Conflicts > 0 {
		return min(o.Conflicts, conflicts)
	}
	return conflicts
}

const defaultMemory = 512 << 20

// Levels are those that this checker decides, weaker ones first.
func Levels() []isolation.Level {
	var out []isolation.Level
	for l := range levels {
		out = append(out, l)
	}
	slices.Sort(out)
	return out
}

// Check decides levels of snapshots and of serializability. When the context ends before
// a verdict is found, levels that are not decided are Unknown, and the error is that of
// the context.
func Check(ctx context.Context, h *history.History, o Options) (*checker.Result, error) {
	if len(o.Levels) == 0 {
		o.Levels = []isolation.Level{isolation.SI, isolation.SER}
	}
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	return outcomes.Check(ctx, h, o.Levels, func(ctx context.Context, h *history.History, levels []isolation.Level) (*checker.Result, error) {
		o.Levels = levels
		return decide(ctx, h, o)
	})
}

// decide decides levels of a history. What transactions of unknown outcome read it
// ignores.
func decide(ctx context.Context, h *history.History, o Options) (*checker.Result, error) {
	c := &check{h: h, o: o, answers: map[isolation.Level]checker.Answer{}, searches: map[isolation.Level]*search{}, result: &checker.Result{Counts: map[isolation.Anomaly]int{}}}
	err := c.decide(ctx)
	for _, l := range o.Levels {
		_, known := levels[l]
		switch {
		case !known:
			c.answers[l] = checker.Answer{Level: l, Why: fmt.Sprintf("%s is not a level that this method decides.", l)}
		case !c.implied(l) && err != nil:
			c.answers[l] = checker.Answer{Level: l, Why: "There was no more time."}
		}
		c.result.Answers = append(c.result.Answers, c.answers[l])
	}
	return c.result, err
}

// check decides the levels of one history.
type check struct {
	h       *history.History
	o       Options
	facts   *facts
	answers map[isolation.Level]checker.Answer
	result  *checker.Result
	// searches are those that ended without a way, and core is the pairs that left none,
	// which the next searches begin with. rank is the order of the last guess.
	searches map[isolation.Level]*search
	core     [][2]history.Txn
	rank     []int32
}

// quickConflicts bounds the first search for each level.
const quickConflicts = 2000

// decide decides levels from the strongest to the weakest, because what satisfies a
// strong one satisfies the weaker ones, and its order is a good guess. What is not
// decided soon is left for later.
func (c *check) decide(ctx context.Context) error {
	var err error
	if c.facts, err = collect(ctx, c.h, nil); err != nil {
		return err
	}
	if len(c.facts.bad) > 0 {
		for _, v := range c.facts.bad {
			c.add(v)
		}
		for l := range levels {
			c.answers[l] = checker.Answer{Level: l, Verdict: checker.Violated}
		}
		return nil
	}
	quick := c.o
	quick.Conflicts = c.o.atMost(quickConflicts)
	asked := slices.DeleteFunc(Levels(), func(l isolation.Level) bool { return !slices.Contains(c.o.Levels, l) })
	for _, l := range slices.Backward(Levels()) {
		// One with sessions is tried before the one without, because databases keep them.
		useful := slices.Contains(asked, l) || slices.ContainsFunc(asked, func(m isolation.Level) bool {
			return l == withSessions(m) && c.answers[m].Verdict == checker.Unknown
		})
		if useful && !c.implied(l) {
			if err := c.level(ctx, l, quick); err != nil {
				return err
			}
		}
	}
	for _, l := range asked {
		if a := c.answers[l]; a.Verdict == checker.Unknown && c.searches[l] != nil && !c.implied(l) && quick.Conflicts != c.o.Conflicts {
			if err := c.level(ctx, l, c.o); err != nil {
				return err
			}
		}
	}
	return c.explain(ctx)
}

// withSessions is the level that adds the order of sessions to one without.
func withSessions(l isolation.Level) isolation.Level {
	switch l {
	case isolation.PLSI:
		return isolation.SI
	case isolation.PL3:
		return isolation.SER
	case isolation.GSI:
		return isolation.SSSI
	}
	return l
}

// implied answers a level by the answers to others, if they imply one.
func (c *check) implied(l isolation.Level) bool {
	if c.answers[l].Verdict != checker.Unknown {
		return true
	}
	for _, m := range Levels() {
		a := c.answers[m]
		switch {
		case a.Verdict == checker.Satisfied && m.Implies(l):
			c.answers[l] = checker.Answer{Level: l, Verdict: checker.Satisfied, Order: a.Order, Snapshots: a.Snapshots}
			return true
		case a.Verdict == checker.Violated && l.Implies(m):
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
func (c *check) level(ctx context.Context, l isolation.Level, o Options) error {
	a := checker.Answer{Level: l}
	if t := c.backward(); levels[l].realTime && t >= 0 {
		a.Why = fmt.Sprintf("%s ends before it begins.", explain.TxnName(c.h, t))
		c.answers[l] = a
		return nil
	}
	s := c.searches[l]
	if s == nil {
		s = newSearch(c.facts, l, o)
	}
	if s.o = o; c.rank != nil {
		s.rank = c.rank
	}
	for _, p := range c.core {
		s.open(p[0], p[1])
	}
	out, err := s.run(ctx)
	if err != nil {
		return err
	}
	a.Verdict, a.Why = out.verdict, out.why
	c.rank = s.rank
	switch {
	case out.verdict == checker.Satisfied && c.facts.unjudged != "":
		a.Verdict, a.Why = checker.Unknown, c.facts.unjudged
	case out.verdict == checker.Satisfied:
		a.Order, a.Snapshots = out.order, out.begins
	default:
		s.core = out.core
		c.searches[l] = s
		for _, i := range out.core {
			c.core = append(c.core, [2]history.Txn{s.pairs[i].a, s.pairs[i].b})
		}
	}
	c.answers[l] = a
	return nil
}

// backward gives a transaction that ends before it begins, -1 if there is none.
func (c *check) backward() history.Txn {
	for t := history.Txn(1); int(t) < c.h.NumTxns(); t++ {
		if c.facts.present[t] && c.h.End(t) < c.h.Begin(t) {
			return t
		}
	}
	return -1
}

func newSearch(f *facts, l isolation.Level, o Options) *search {
	s := &search{polygraph: newPolygraph(f, l, o.ClockDrift), o: o, window: firstWindow}
	h := f.h
	s.rank = ranks(h.NumTxns(), func(t, u history.Txn) int {
		return cmp.Or(cmp.Compare(begins(h, t), begins(h, u)), cmp.Compare(h.Position(t), h.Position(u)))
	})
	return s
}

// begins is when a transaction began, as far as that helps to guess an order.
func begins(h *history.History, t history.Txn) int64 {
	if h.Order() != history.NoOrder && h.Begin(t) != history.NoBegin {
		return h.Begin(t)
	}
	if started, _ := h.Clock(t); h.Order() == history.NoOrder && started != history.NoTime {
		return started
	}
	return math.MinInt64
}
