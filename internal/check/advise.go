package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/advice"
	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/fault"
	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/movers"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/symbolic"
	"github.com/txrobust/robust/report"
)

// How much is tried for advice.
const (
	maxCauses = 8 // statements that are left out, each by itself
	maxCycles = 8 // cycles for which facts are looked for
	// maxProposals bounds the sets of facts that are advised.
	maxProposals = 3
	// leastTry is the least time for a trial.
	leastTry = 10 * time.Second
)

// advise tries what may settle what is open, and adds to the explanation what helps. Each trial is a check of
// the changed program, which may take longer than this one, but not much.
func (c *check) advise() {
	if !c.opt.Advise || c.rep.Explanation == nil || c.rep.Verdict == report.Robust || len(c.p.Processes) > 0 || c.ctx.Err() != nil || len(c.faults) > 0 {
		return
	}
	a := &adviser{check: c, before: outcomeOf(c.rep), each: leastTry + 2*time.Since(c.start)}
	for _, try := range []func(){a.statements, a.facts, a.bounds} {
		if f := fault.Guard("the look for advice", try); f != nil {
			c.fails(f)
		}
	}
}

type adviser struct {
	*check
	before outcome
	each   time.Duration // bounds a trial
}

// outcome is what a report leaves for somebody to do.
type outcome struct {
	verdict                     report.Verdict
	findings, undecided, cycles int
}

func outcomeOf(r *report.Report) outcome {
	o := outcome{verdict: r.Verdict, findings: len(r.Findings)}
	for _, t := range r.Transactions {
		if t.Standing == codes.Undecided {
			o.undecided++
		}
	}
	if r.Open != nil {
		o.cycles = len(r.Open.Cycles)
	}
	return o
}

// better reports whether less is left than in another outcome.
func (o outcome) better(than outcome) bool {
	if o.verdict == report.Robust {
		return true
	}
	return o.findings <= than.findings && o.undecided <= than.undecided && (o.findings < than.findings || o.undecided < than.undecided)
}

// settles reports whether something becomes known, be it that there is an anomaly.
func (o outcome) settles(than outcome) bool {
	return o.better(than) || o.undecided < than.undecided || o.undecided == than.undecided && o.cycles < than.cycles
}

func (o outcome) String() string {
	if o.verdict == report.Robust {
		return "the program is robust"
	}
	list := []string{quote.Count(o.findings, "finding")}
	if o.undecided > 0 {
		list = append(list, quote.Count(o.undecided, "undecided transaction"))
	}
	if o.cycles > 0 {
		list = append(list, quote.Count(o.cycles, "open cycle"))
	}
	return strings.Join(list, " and ") + " " + quote.Verb(len(list)+o.findings-1, "is", "are") + " left"
}

// try checks a changed program. It gives false where that did not come to its end.
func (a *adviser) try(p *ir.Program, what string, change func(*Options)) (outcome, bool) {
	ctx, stop := context.WithTimeout(a.ctx, a.each)
	defer stop()
	a.opt.Progress(0, 0, "trying "+what)
	opt := a.opt
	opt.Explain, opt.Advise, opt.Graph, opt.Beside, opt.First = false, false, false, false, false
	opt.Keep, opt.Replay, opt.Baseline = nil, nil, nil
	change(&opt)
	t := newCheck(ctx, p, opt)
	if _, err := t.all(); err != nil || ctx.Err() != nil || len(t.faults) > 0 {
		return outcome{}, false
	}
	t.rep.Findings = findings.Group(t.rep.Findings)
	t.stand()
	return outcomeOf(t.rep), true
}

func unchanged(*Options) {}

func (a *adviser) add(x report.Advice) {
	a.rep.Explanation.Advice = append(a.rep.Explanation.Advice, x)
}

// cause is a statement that is not modelled, wherever it runs.
type cause struct {
	report.Note
	who []string // undecided transactions that it keeps so, as far as it shows
}

// causes are the statements that keep transactions undecided, those of most transactions first.
func (a *adviser) causes() []*cause {
	var out []*cause
	for _, t := range a.rep.Transactions {
		for _, n := range t.Because {
			i := slices.IndexFunc(out, func(c *cause) bool { return c.Note == n })
			if i < 0 {
				i = len(out)
				out = append(out, &cause{Note: n})
			}
			out[i].who = append(out[i].who, t.Name)
		}
	}
	out = slices.DeleteFunc(out, func(c *cause) bool {
		return !slices.ContainsFunc(a.rep.Havocs, func(h report.Havoc) bool { return c.is(h.File, h.Line, h.Col, h.Reason) })
	})
	slices.SortStableFunc(out, func(x, y *cause) int { return cmp.Compare(len(y.who), len(x.who)) })
	return out
}

func (c *cause) is(file string, line, col int, reason string) bool {
	return c.Note == report.Note{File: file, Line: line, Col: col, Text: reason}
}

// without is the program in which some causes do nothing.
func (a *adviser) without(list ...*cause) *ir.Program {
	return advice.Without(a.p, func(_ *ir.Txn, u *ir.Unmodelled) bool {
		return slices.ContainsFunc(list, func(c *cause) bool { return c.is(u.Pos.File, u.Pos.Line, u.Pos.Col, u.Reason) })
	})
}

// statements finds out what each statement that is not modelled costs: what is left if it did
// nothing. All of them together are tried where none of them is enough.
func (a *adviser) statements() {
	causes := a.causes()
	type tried struct {
		*cause
		after outcome
		done  bool
	}
	var list []tried
	enough := false
	for i, c := range causes {
		t := tried{cause: c}
		if i < maxCauses {
			t.after, t.done = a.try(a.without(c), "without "+c.Text, unchanged)
		}
		enough = enough || t.done && t.after.undecided == 0
		list = append(list, t)
	}
	slices.SortStableFunc(list, func(x, y tried) int {
		left := func(t tried) int {
			if !t.done {
				return a.before.undecided
			}
			return t.after.undecided
		}
		return cmp.Compare(left(x), left(y))
	})
	for _, t := range list {
		x := report.Advice{Kind: codes.AdviceStatement, Position: &report.Position{File: t.File, Line: t.Line, Col: t.Col}, Text: t.Text + ": write what is modelled in its place (docs/sql.md)", Paste: []string{}}
		switch {
		case !t.done:
			x.Result = fmt.Sprintf("not tried; it stands in the way of %s", quote.Count(len(t.who), "undecided transaction"))
		case t.after.settles(a.before):
			x.Result = fmt.Sprintf("if it did nothing, %s", a.vanish(t.after))
		default:
			x.Result = "even if it did nothing, as much would be undecided: by itself it keeps nothing open"
		}
		a.add(x)
	}
	if len(causes) < 2 || enough {
		return
	}
	if after, ok := a.try(a.without(causes...), "without all that is not modelled", unchanged); ok && after.settles(a.before) {
		a.add(report.Advice{Kind: codes.AdviceStatement, Paste: []string{}, Text: fmt.Sprintf("Write what is modelled in place of all %d statements above", len(causes)),
			Result: "if they did nothing, " + a.vanish(after)})
	}
}

// vanish says what of the report goes away.
func (a *adviser) vanish(after outcome) string {
	s := fmt.Sprintf("%d of %s and %d of %s would vanish", max(0, a.before.undecided-after.undecided), quote.Count(a.before.undecided, "undecided transaction"),
		max(0, a.before.cycles-after.cycles), quote.Count(a.before.cycles, "open cycle"))
	if after.findings > a.before.findings {
		s += ", and " + quote.Count(after.findings-a.before.findings, "finding") + " would show"
	}
	return s
}

// wanted are the cycles that facts about rows may rule out: those that no statement which is not modelled is on.
func (a *adviser) wanted() [][]*ir.Txn {
	var names [][]string
	for _, f := range a.rep.Findings {
		names = append(names, f.Cycle)
	}
	if a.rep.Open != nil {
		names = append(names, a.rep.Open.Cycles...)
	}
	var out [][]*ir.Txn
	var seen [][]string
	for _, list := range names {
		if len(out) == maxCycles || slices.ContainsFunc(seen, func(o []string) bool { return sameSet(o, list) }) {
			continue
		}
		seen = append(seen, list)
		var txns []*ir.Txn
		for _, t := range a.templates(list) {
			if !slices.Contains(txns, t) {
				txns = append(txns, t)
			}
		}
		if !slices.ContainsFunc(a.rep.Havocs, func(h report.Havoc) bool { return slices.Contains(list, h.Transaction) }) {
			out = append(out, txns)
		}
	}
	return out
}

// facts looks for facts about rows that all transactions keep, and that rule a cycle out.
func (a *adviser) facts() {
	cycles := a.wanted()
	if len(cycles) == 0 || a.opt.Classic {
		return
	}
	ctx, stop := context.WithTimeout(a.ctx, a.each)
	defer stop()
	opt := a.moverOptions()
	if a.opt.Init == schedules.AnyRows {
		opt.Initially = nil // a fact that is stated may be assumed, with -strict as well
	}
	opt.Limit, opt.AtCommit = a.opt.QueryLimit, a.atCommit
	a.opt.Progress(0, 0, "looking for facts about rows")
	guesses := slices.DeleteFunc(advice.Facts(a.p, slices.Concat(cycles...)), func(f *ir.Invariant) bool {
		_, ok := advice.Comment(f)
		return !ok
	})
	kept, err := movers.Keep(ctx, a.p, opt, guesses)
	if err != nil || ctx.Err() != nil || len(kept.Facts) == 0 {
		return
	}
	var proposed [][]*ir.Invariant
	for _, cycle := range cycles {
		for _, set := range a.ruling(ctx, cycle, kept, opt) {
			if len(proposed) < maxProposals && !slices.ContainsFunc(proposed, func(o []*ir.Invariant) bool { return slices.Equal(o, set) }) && a.propose(set) {
				proposed = append(proposed, set)
			}
		}
	}
}

// ruling gives sets of facts, each enough for a proof of the transactions of a cycle, and without those that it does not
// need.
func (a *adviser) ruling(ctx context.Context, cycle []*ir.Txn, kept *movers.Keeping, opt movers.Options) [][]*ir.Invariant {
	opt.Explain, opt.MaxWindow, opt.MaxQuestions = true, a.opt.Window, a.opt.Questions
	opt.MaxEffort = a.opt.Questions * questionEffort
	needed := func(facts []*ir.Invariant) []*ir.Invariant {
		r, err := movers.Prove(ctx, advice.Only(a.p, cycle, facts), opt)
		if err != nil || r.Verdict != movers.Robust || r.Evidence == nil {
			return nil
		}
		return kept.Closed(func(f *ir.Invariant) bool {
			return slices.ContainsFunc(r.Evidence.Facts, func(x movers.Fact) bool { return x.Invariant == f && x.Needed })
		})
	}
	var out [][]*ir.Invariant
	left := a.together(ctx, kept.Facts)
	for len(out) < maxProposals {
		all := needed(left)
		if len(all) == 0 {
			break
		}
		sets := minimal(all, kept, func(set []*ir.Invariant) bool { return len(needed(set)) > 0 })
		out = append(out, sets...)
		left = slices.DeleteFunc(slices.Clone(left), func(f *ir.Invariant) bool {
			return slices.ContainsFunc(sets, func(set []*ir.Invariant) bool { return slices.Contains(set, f) })
		})
	}
	return out
}

// minimal gives sets of facts that are enough: each of them that is by itself, or else as few as are left when one
// after the other is taken away.
func minimal(all []*ir.Invariant, kept *movers.Keeping, enough func([]*ir.Invariant) bool) [][]*ir.Invariant {
	var out [][]*ir.Invariant
	for _, f := range all {
		if set := kept.Closed(func(o *ir.Invariant) bool { return o == f }); len(set) < len(all) && enough(set) {
			out = append(out, set)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, f := range slices.Clone(all) {
		fewer := kept.Closed(func(o *ir.Invariant) bool { return o != f && slices.Contains(all, o) })
		if len(fewer) < len(all) && enough(fewer) {
			all = fewer
		}
	}
	return [][]*ir.Invariant{all}
}

// together gives facts, in order, that rows of all tables can have at once: empty tables keep any facts.
func (a *adviser) together(ctx context.Context, facts []*ir.Invariant) []*ir.Invariant {
	if a.possible(ctx, facts) {
		return facts
	}
	var out []*ir.Invariant
	for _, f := range facts {
		if next := append(slices.Clone(out), f); a.possible(ctx, next) {
			out = next
		}
	}
	return out
}

// possible reports whether each table can have a row with facts.
func (a *adviser) possible(ctx context.Context, facts []*ir.Invariant) bool {
	solver := smt.NewSolver()
	defer solver.Close()
	solver.Limit = a.opt.QueryLimit
	return len(symbolic.Impossible(ctx, prepare.Of(advice.Only(a.p, a.p.Txns, facts)), solver, a.opt.Engine)) == 0
}

// propose checks the program with facts stated, and advises them if that helps, which it reports.
func (a *adviser) propose(facts []*ir.Invariant) bool {
	if !a.possible(a.ctx, facts) {
		return false
	}
	after, ok := a.try(advice.Only(a.p, a.p.Txns, facts), "facts about rows", unchanged)
	if !ok || !after.better(a.before) {
		return false
	}
	x := report.Advice{Kind: codes.AdviceInvariant, Result: fmt.Sprintf("every transaction keeps %s, and with %[1]s %s", quote.Verb(len(facts), "it", "them"), after),
		Text: "If the rows have this from the beginning, state it in the schema"}
	for _, f := range facts {
		text, _ := advice.Comment(f)
		x.Paste = append(x.Paste, text)
	}
	a.add(x)
	return true
}

// bounds tries larger bounds where one ran out. Those that do not help are no advice.
func (a *adviser) bounds() {
	if a.rep.Open == nil {
		return
	}
	for _, b := range a.larger() {
		after, ok := a.try(a.p, b.flag, b.set)
		switch {
		case !ok:
			continue
		case after.settles(a.before):
			a.add(report.Advice{Kind: codes.AdviceBound, Text: b.text, Paste: []string{}, Result: "with it " + after.String()})
		}
		keeps := func(s string) bool { return s == b.text }
		a.rep.Open.Settle = slices.DeleteFunc(a.rep.Open.Settle, keeps)
		a.rep.Explanation.Settle = slices.DeleteFunc(a.rep.Explanation.Settle, keeps)
	}
}
