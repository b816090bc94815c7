package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/verify"
	"github.com/txrobust/robust/internal/fault"
	"github.com/txrobust/robust/isolation"
)

// Options say what to judge.
type Options struct {
	// Levels are those to judge, all of package isolation if empty.
	Levels []isolation.Level
	// First stops at the first violation: other levels may stay unknown, and
	// other anomalies untold.
	First bool
	// Limit bounds how many anomalies of each kind are listed; the others are
	// counted. 0 stands for 10.
	Limit int
	// Cross asks every checker about everything that it decides, also where the
	// answer is known already, so that they judge each other.
	Cross bool
	// Progress, if not nil, is told which checker begins.
	Progress func(checker string)
}

const defaultLimit = 10

// Judgement is the answer about one level.
type Judgement struct {
	Level   isolation.Level
	Verdict isolation.Verdict
	// Checker is the one that found the answer, empty if it is Unknown.
	Checker string
	// From is the level that it found it about, from which this one follows;
	// often the level itself.
	From isolation.Level
	// Why says why the verdict is Unknown, or what else there is to know.
	Why string
	// Time is how long the checker took, for all the levels that it was asked
	// about; for Unknown it is the time of all that were asked.
	Time time.Duration
	// Order is the witness of Accept, where the checker gives one: the
	// transactions that took effect in a commit order of the level From.
	Order []history.Txn
}

// Conflict is a disagreement: a level is satisfied, and one that it implies is
// violated. One of the checkers is wrong.
type Conflict struct {
	Satisfied, Violated isolation.Level
	Accepts, Rejects    string // the checkers
}

func (c Conflict) String() string {
	return fmt.Sprintf("%s accepts %s, and %s rejects %s: one of them is wrong", c.Accepts, c.Satisfied, c.Rejects, c.Violated)
}

// Run is one checker at work.
type Run struct {
	Checker string
	Levels  []isolation.Level // that it was asked about
	Time    time.Duration
	// Stopped: the context ended it.
	Stopped bool
}

// Result is what is known about a history.
type Result struct {
	// Judgements are of the levels that were asked for, weaker ones first.
	Judgements []Judgement
	// Strongest are the levels that hold and are not implied by another one that
	// holds; Weakest those that do not hold and imply no other such. Of levels
	// that are one, because there are no times, it has the one without times.
	Strongest, Weakest []isolation.Level
	// Anomalies are those that some of these levels exclude, sorted by kind and
	// place, and Counts says how many there are of each kind, at least.
	Anomalies []Anomaly
	Counts    map[isolation.Anomaly]int
	Conflicts []Conflict
	// Notes are what the checkers left out of account, in whole sentences.
	Notes []string
	Runs  []Run
}

// Judgement is the answer about a level; an Unknown one if it was not asked for.
func (r *Result) Judgement(l isolation.Level) Judgement {
	for _, j := range r.Judgements {
		if j.Level == l {
			return j
		}
	}
	return Judgement{Level: l, Why: "It was not asked for."}
}

// With gives the levels with a verdict, weaker ones first.
func (r *Result) With(v isolation.Verdict) []isolation.Level {
	var out []isolation.Level
	for _, j := range r.Judgements {
		if j.Verdict == v {
			out = append(out, j.Level)
		}
	}
	return out
}

// Verdict is that of all levels together: Reject if one rejects, otherwise
// Unknown if one is unknown.
func (r *Result) Verdict() isolation.Verdict {
	for _, v := range []isolation.Verdict{isolation.Reject, isolation.Unknown} {
		if len(r.With(v)) > 0 {
			return v
		}
	}
	return isolation.Accept
}

// Unknown is a result that knows nothing, for a reason: of a history that could
// not be read in time.
func Unknown(levels []isolation.Level, why string) *Result {
	r := &Result{}
	for _, l := range asked(levels) {
		r.Judgements = append(r.Judgements, Judgement{Level: l, Why: why})
	}
	return r
}

// asked gives the levels that are meant, each once, weaker ones first.
func asked(levels []isolation.Level) []isolation.Level {
	return slices.DeleteFunc(isolation.Levels(), func(l isolation.Level) bool {
		return len(levels) > 0 && !slices.Contains(levels, l)
	})
}

// Check judges a history. When the context ends, what is known so far is the
// result, and the rest is Unknown. The error is a fault of a checker.
func Check(ctx context.Context, h *history.History, o Options) (*Result, error) {
	return check(ctx, h, o, methods)
}

func check(ctx context.Context, h *history.History, o Options, methods []method) (*Result, error) {
	if o.Limit <= 0 {
		o.Limit = defaultLimit
	}
	p := &panel{h: h, o: o, asked: asked(o.Levels), Result: &Result{Counts: map[isolation.Anomaly]int{}}}
	for _, m := range methods {
		levels := p.useful(m)
		if len(levels) == 0 {
			continue
		}
		if ok, why := m.fits(h); !ok {
			if why != "" {
				p.declined = append(p.declined, opinion{m, levels, why})
			}
			continue
		}
		if err := p.ask(ctx, m, levels); err != nil {
			return nil, err
		}
		if ctx.Err() != nil || o.First && p.rejected() {
			break
		}
	}
	p.settle(ctx)
	return p.Result, nil
}

// panel is the state of one check.
type panel struct {
	*Result
	h     *history.History
	o     Options
	asked []isolation.Level
	// found are all answers that are not Unknown.
	found []direct
	// declined is why checkers do not know, or were not asked.
	declined []opinion
}

// direct is an answer that a checker gave itself.
type direct struct {
	checker.Answer
	checker string
	time    time.Duration
}

// opinion is why a checker does not judge some levels.
type opinion struct {
	method
	about []isolation.Level
	why   string
}

// implies tells whether every execution of the history that satisfies l
// satisfies m.
func (p *panel) implies(l, m isolation.Level) bool {
	return l.Implies(m) || p.h.Order() == history.NoOrder && timeless(l).Implies(timeless(m))
}

// timeless is the level that is left of one where nothing is known about times.
func timeless(l isolation.Level) isolation.Level {
	switch l {
	case isolation.GSI:
		return isolation.PLSI
	case isolation.SSSI, isolation.StrongSI:
		return isolation.SI
	case isolation.SSER:
		return isolation.SER
	}
	return l
}

// verdict is what follows about a level from the answers so far, and from which of
// them: the answer about the level itself, if there is one.
func (p *panel) verdict(l isolation.Level) (isolation.Verdict, *direct) {
	verdict, from := isolation.Unknown, (*direct)(nil)
	for i := range p.found {
		d := &p.found[i]
		v := isolation.Unknown
		switch {
		case d.Verdict == checker.Satisfied && p.implies(d.Level, l):
			v = isolation.Accept
		case d.Verdict == checker.Violated && p.implies(l, d.Level):
			v = isolation.Reject
		default:
			continue
		}
		if verdict != isolation.Unknown && v != verdict {
			return isolation.Unknown, nil // settle tells the conflict
		}
		if from == nil || d.Level == l && from.Level != l {
			verdict, from = v, d
		}
	}
	return verdict, from
}

func (p *panel) rejected() bool {
	return slices.ContainsFunc(p.asked, func(l isolation.Level) bool { v, _ := p.verdict(l); return v == isolation.Reject })
}

// useful gives the levels about which to ask a checker: none if it cannot settle
// anything.
func (p *panel) useful(m method) []isolation.Level {
	var out []isolation.Level
	add := func(l isolation.Level) {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	open := false
	for _, l := range p.asked {
		if v, _ := p.verdict(l); v != isolation.Unknown && !p.o.Cross {
			if slices.Contains(m.levels, l) && m.shares {
				add(l) // it costs nothing, and is another opinion
			}
			continue
		}
		for _, n := range p.deciding(l, m.levels) {
			if v, _ := p.verdict(n); v == isolation.Unknown || p.o.Cross {
				add(n)
				open = true
			}
		}
	}
	if !open {
		return nil
	}
	slices.Sort(out)
	return out
}

// deciding gives those of some levels from which a level follows: itself, or else
// the strongest that it implies and the weakest that imply it.
func (p *panel) deciding(l isolation.Level, some []isolation.Level) []isolation.Level {
	if slices.Contains(some, l) {
		return []isolation.Level{l}
	}
	var weaker, stronger []isolation.Level
	for _, n := range some {
		if p.implies(l, n) {
			weaker = append(weaker, n)
		}
		if p.implies(n, l) {
			stronger = append(stronger, n)
		}
	}
	return append(isolation.Strongest(weaker), isolation.Weakest(stronger)...)
}

// ask asks one checker.
func (p *panel) ask(ctx context.Context, m method, levels []isolation.Level) error {
	if p.o.Progress != nil {
		p.o.Progress(m.name)
	}
	start := time.Now()
	f, err := p.wait(ctx, m, levels)
	run := Run{Checker: m.name, Levels: levels, Time: time.Since(start), Stopped: err != nil}
	p.Runs = append(p.Runs, run)
	if err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	if f == nil {
		return nil
	}
	for _, a := range f.answers {
		if a.Verdict == checker.Satisfied && a.Snapshots != nil {
			if err := verify.Witness(p.h, a.Level, a.Order, a.Snapshots); err != nil {
				return fmt.Errorf("%s accepts %s, but its witness does not fit, so that it is wrong: %w", m.name, a.Level, err)
			}
		}
		if a.Verdict != checker.Unknown {
			p.found = append(p.found, direct{a, m.name, run.Time})
		} else if a.Why != "" {
			p.declined = append(p.declined, opinion{m, []isolation.Level{a.Level}, a.Why})
		}
	}
	for _, n := range f.notes {
		if !slices.Contains(p.Notes, n) {
			p.Notes = append(p.Notes, n)
		}
	}
	p.merge(f, run.Time)
	return nil
}

// grace is how long a checker may go on after the context ended.
const grace = 2 * time.Second

// wait runs a checker, and leaves it alone if it does not notice that the context
// ended.
func (p *panel) wait(ctx context.Context, m method, levels []isolation.Level) (*finding, error) {
	type answer struct {
		f     *finding
		err   error
		fault any
	}
	done := make(chan answer, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- answer{fault: fault.Of(m.name, r)}
			}
		}()
		f, err := m.run(ctx, p.h, levels, p.o)
		done <- answer{f: f, err: err}
	}()
	over, late := ctx.Done(), make(<-chan time.Time)
	for {
		select {
		case a := <-done:
			if a.fault != nil {
				panic(a.fault)
			}
			return a.f, a.err
		case <-over:
			late, over = time.After(grace), nil
		case <-late:
			return nil, ctx.Err()
		}
	}
}

// settle makes the judgements of what was found.
func (p *panel) settle(ctx context.Context) {
	for i := range p.found {
		for j := range p.found {
			a, b := &p.found[i], &p.found[j]
			if a.Verdict == checker.Satisfied && b.Verdict == checker.Violated && p.implies(a.Level, b.Level) {
				p.Conflicts = append(p.Conflicts, Conflict{Satisfied: a.Level, Violated: b.Level, Accepts: a.checker, Rejects: b.checker})
			}
		}
	}
	ended := ""
	if ctx.Err() != nil {
		ended = Ended(ctx) + ambiguity(p.h)
	}
	for _, l := range p.asked {
		v, d := p.verdict(l)
		j := Judgement{Level: l, Verdict: v, From: l}
		if d != nil {
			j.Checker, j.From, j.Time, j.Order = d.checker, d.Level, d.time, d.Order
			if j.Why = sentence(d.Why); d.Level != l {
				j.Why = p.follows(l, d)
			}
		} else {
			j.Why, j.Time = p.whyUnknown(ended, l), p.spent()
		}
		p.Judgements = append(p.Judgements, j)
	}
	p.Strongest = p.extreme(isolation.Accept, p.implies)
	p.Weakest = p.extreme(isolation.Reject, func(l, m isolation.Level) bool { return p.implies(m, l) })
	p.keepRelevant()
}

// extreme gives the levels with a verdict over which no other one with it stands.
func (p *panel) extreme(v isolation.Verdict, over func(l, m isolation.Level) bool) []isolation.Level {
	all := p.With(v)
	return slices.DeleteFunc(slices.Clone(all), func(l isolation.Level) bool {
		return slices.ContainsFunc(all, func(m isolation.Level) bool { return m != l && over(m, l) && (m < l || !over(l, m)) })
	})
}

// follows says why a level has the verdict of another one.
func (p *panel) follows(l isolation.Level, d *direct) string {
	weak, strong := l, d.Level
	what := "satisfied"
	if d.Verdict == checker.Violated {
		weak, strong, what = d.Level, l, "violated"
	}
	why := fmt.Sprintf("%s is %s, and %s implies %s", d.Level, what, strong, weak)
	if !strong.Implies(weak) {
		why += " where there are no times"
	}
	return why + "."
}

func (p *panel) spent() time.Duration {
	var sum time.Duration
	for _, r := range p.Runs {
		sum += r.Time
	}
	return sum
}

// whyUnknown says why no checker decided a level; ended is why the checkers ended early, if they did.
func (p *panel) whyUnknown(ended string, l isolation.Level) string {
	for _, c := range p.Conflicts {
		if p.implies(c.Satisfied, l) && p.implies(l, c.Violated) {
			return fmt.Sprintf("The checkers disagree: %s.", c)
		}
	}
	if ended != "" {
		return ended
	}
	if p.o.First && p.rejected() {
		return "It was not looked at after the first violation."
	}
	var parts []string
	for _, o := range p.declined {
		// What a checker says about other levels counts only if it does not
		// decide this one.
		said := slices.Contains(o.about, l) || !slices.Contains(o.levels, l) && len(p.deciding(l, o.about)) > 0
		if part := o.name + ": " + sentence(o.why); said && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return "No checker decides this level of this history."
	}
	return strings.Join(parts, " ")
}

// Ended says why a context ended, in a sentence.
func Ended(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "The time ran out."
	}
	return "It was interrupted."
}

// sentence makes a sentence of what a checker says.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
