package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// levelsOf gives the levels of the transactions of a program, nil where snapshot isolation
// is asked about.
func levelsOf(p *ir.Program, opt Options) map[*ir.Txn]levels.Assigned {
	q := levels.Question{Of: opt.Levels}
	switch opt.Isolation {
	case "", levels.AtSnapshot:
		if len(opt.Levels) == 0 && opt.Engine.Weaker == "" {
			return nil
		}
		q.Default = levels.RepeatableRead
	case levels.AtReadCommitted:
		q.Default = levels.ReadCommitted
	case levels.AtRepeatableRead:
		q.Default = levels.RepeatableRead
	case levels.AtSerializable:
		q.Default = levels.Serializable
	case levels.AtParallelSnapshot, levels.AtPrefix, levels.AtCausal:
		return nil
	case levels.AtCode:
		q.Code, q.Default = true, levels.Default(opt.Engine)
	default:
		panic("check: unknown isolation " + opt.Isolation)
	}
	out := map[*ir.Txn]levels.Assigned{}
	asked := opt.Isolation != "" && opt.Isolation != levels.AtSnapshot
	for _, t := range p.Txns {
		if out[t] = q.For(t); !asked && out[t].Source == levels.ByOption && len(opt.Levels[t.Name]) == 0 {
			out[t] = levels.Assigned{Level: q.Default, Source: levels.ByDefault}
		}
	}
	return out
}

// atCommitted reports whether a transaction of a report runs at READ COMMITTED.
func atCommitted(rep *report.Report) bool {
	return slices.ContainsFunc(rep.Levels, func(l report.TransactionLevel) bool { return l.Level == string(levels.ReadCommitted) })
}

// assign finds the levels of the transactions.
func (c *check) assign() {
	c.levels = levelsOf(c.p, c.opt)
	c.unserialized = sync.OnceValue(func() string { return levels.Unserialized(c.p) })
	if c.opt.Isolation != "" {
		c.rep.Isolation = c.opt.Isolation
	}
	if c.levels == nil {
		return
	}
	for _, t := range c.p.Txns {
		l := c.levels[t]
		c.rep.Levels = append(c.rep.Levels, report.TransactionLevel{Transaction: t.Name, Level: string(l.Level), Above: texts(l.Above), Source: string(l.Source), Proved: true})
	}
	slices.SortFunc(c.rep.Levels, func(a, b report.TransactionLevel) int { return strings.Compare(a.Transaction, b.Transaction) })
}

// texts gives levels in the words of SQL.
func texts(list []levels.Level) []string {
	var out []string
	for _, l := range list {
		out = append(out, string(l))
	}
	return out
}

// levelNames are the levels by the names of the transactions, nil where snapshot isolation
// is asked about.
func (c *check) levelNames() map[string]string {
	if c.levels == nil {
		return nil
	}
	out := map[string]string{}
	for t, l := range c.levels {
		out[t.Name] = string(l.Level)
	}
	return out
}

// at reports whether a transaction runs at a level.
func (c *check) at(l levels.Level) func(*ir.Txn) bool {
	return func(t *ir.Txn) bool { return c.levels[t].Level == l }
}

// several reports whether a transaction may run at one of several levels. What is atomic at READ
// COMMITTED need not be so behind an older snapshot.
func (c *check) several(t *ir.Txn) bool { return len(c.levels[t].Above) > 0 }

// levelAssumptions says what is taken for granted of the levels.
func (c *check) levelAssumptions() []string {
	if c.opt.Isolation != levels.AtCode {
		return []string{"every transaction runs at the level named, whatever the source asks for"}
	}
	return []string{"every transaction runs at the level that the source asks for, or else at the default of the database, " + string(levels.Default(c.opt.Engine)) +
		": neither the server's configuration nor a role or a pooler has another one"}
}

// atLevels decides about the program with each transaction at its level.
func (c *check) atLevels() error {
	if why := c.unsupported(); why != "" {
		c.rep.Verdict = report.Unknown
		c.rep.Open = &report.Open{Cycles: [][]string{}, Reason: c.opt.Engine.Title + ": " + why, Settle: []string{"a check for PostgreSQL (-engine postgres)", "a check of snapshot isolation (-isolation si)"}}
		return nil
	}
	c.title()
	if !slices.ContainsFunc(c.p.Txns, func(t *ir.Txn) bool { return !c.at(levels.Serializable)(t) }) && len(c.p.Txns) > 0 {
		why := c.unserialized()
		if why == "" {
			c.decide(report.Robust)
			c.rep.Proof = &report.Proof{Method: "every transaction runs at SERIALIZABLE, where PostgreSQL keeps apart all that they read and write, and nothing frees a key or a parent that another one needs", Facts: []string{}}
			return nil
		}
		c.rep.Notes = append(c.rep.Notes, report.Note{Text: "SERIALIZABLE alone does not settle it: " + why})
	}
	if !slices.ContainsFunc(c.p.Txns, c.at(levels.ReadCommitted)) {
		if c.refusesAll(nil) {
			return nil
		}
		if err := c.atSnapshot(); err != nil {
			return err
		}
		if err := c.rearrange(); err != nil {
			return err
		}
		c.refusable()
		return nil
	}
	return c.mixed()
}

// unsupported says why the levels are not modelled on the database, or gives "".
func (c *check) unsupported() string {
	if readcommitted.Supported(c.opt.Engine) == "" {
		return ""
	}
	for _, t := range c.p.Txns {
		l := c.levels[t].Level
		switch {
		case l == levels.RepeatableRead:
		case c.opt.Engine.Documented != "":
			return fmt.Sprintf("%s runs at %s, and only snapshot isolation is judged by the documentation of that database", t.Name, l)
		default:
			return fmt.Sprintf("%s runs at %s, which is modelled for PostgreSQL only", t.Name, l)
		}
	}
	return ""
}

// title names the levels in the report.
func (c *check) title() {
	switch {
	case readcommitted.Supported(c.opt.Engine) == "":
		c.rep.EngineTitle = "PostgreSQL"
	case c.opt.Engine.InnoDB && c.levels != nil:
		level := " " + string(c.oneLevel())
		c.rep.EngineTitle = strings.Replace(c.opt.Engine.Title, " "+string(levels.RepeatableRead), strings.TrimRight(level, " "), 1)
	}
}

// oneLevel is the level at which all transactions run, "" if they run at several.
func (c *check) oneLevel() levels.Level {
	if len(c.p.Txns) == 0 {
		return ""
	}
	first := c.levels[c.p.Txns[0]].Level
	if slices.ContainsFunc(c.p.Txns, func(t *ir.Txn) bool { return !c.at(first)(t) }) {
		return ""
	}
	return first
}

// mixed decides about a program some of whose transactions run at READ COMMITTED. It is
// robust if each does what it would do alone at its commit. It is robust, too, if it is so
// with them at snapshot isolation, and they do nothing that they could not do there
// (docs/soundness.md, 9.2). What is found at snapshot isolation counts where the levels allow
// it; else pairs are searched at READ COMMITTED.
func (c *check) mixed() error {
	settled := readcommitted.Settle(c.p, c.at(levels.ReadCommitted))
	c.standings(settled)
	if readcommitted.InOrder(c.p, settled) && !slices.ContainsFunc(c.p.Txns, c.several) {
		c.decide(report.Robust)
		c.rep.Proof = &report.Proof{Method: "every execution is the serial one in the order of the commits: " + standingText(settled), Facts: []string{}}
		return nil
	}
	if c.refusesAll(settled) {
		return nil
	}
	c.atCommit = func(t *ir.Txn) bool { return settled[t].Standing == readcommitted.Atomic && !c.several(t) }
	whole := c.ctx
	ctx, cancel := c.share(0.5)
	c.ctx = ctx
	err := c.atSnapshot()
	c.ctx = whole
	cancel()
	if err != nil {
		return err
	}
	proved := c.rep.Verdict == report.Robust
	if err := c.rearrange(); err != nil {
		return err
	}
	c.refusable()
	there := c.rep.Findings
	c.rep.Findings = slices.DeleteFunc(slices.Clone(there), func(f report.Finding) bool { return !c.allowed(&f) })
	interrupts := func(t *ir.Txn) bool {
		s, ok := settled[t]
		return ok && s.Standing != readcommitted.Atomic && !(proved && s.Standing == readcommitted.OneLook)
	}
	if slices.ContainsFunc(c.p.Txns, interrupts) {
		found, err := c.committed(c.ctx, false, interrupts)
		if err != nil {
			return err
		}
		c.merge(c.atOthers(found, there))
	}
	unsettled := slices.ContainsFunc(c.rep.Levels, func(l report.TransactionLevel) bool { return !l.Proved })
	switch {
	case len(c.rep.Confirmed()) > 0:
		c.rep.Proof, c.rep.Open, c.rep.Initially, c.evidence = nil, nil, []string{}, nil
		c.decide(report.NotRobust)
	case proved && !unsettled:
		c.rep.Proof.Method += "; that holds at READ COMMITTED, too: " + standingText(settled)
	default:
		c.leaveLevelsOpen(proved, there)
	}
	return nil
}

// standings records what is known of the transactions at READ COMMITTED.
func (c *check) standings(settled map[*ir.Txn]readcommitted.Settled) {
	for i := range c.rep.Levels {
		l := &c.rep.Levels[i]
		s, ok := settled[c.p.Txn(l.Transaction)]
		if !ok {
			continue
		}
		switch s.Standing {
		case readcommitted.Atomic:
			l.Reason = "nobody changes what it has seen until it commits"
		case readcommitted.OneLook:
			l.Reason = "it sees one snapshot"
		default:
			l.Proved, l.Reason = false, s.Reason
			l.Position = &report.Position{File: s.Pos.File, Line: s.Pos.Line, Col: s.Pos.Col}
		}
	}
}

// standingText says why a proof at snapshot isolation is one for the transactions at READ
// COMMITTED.
func standingText(settled map[*ir.Txn]readcommitted.Settled) string {
	atomic, look := 0, 0
	for _, s := range settled {
		if s.Standing == readcommitted.Atomic {
			atomic++
		} else {
			look++
		}
	}
	return fmt.Sprintf("of the %d that run at READ COMMITTED, %d see one snapshot, and nobody changes what %d have seen until they commit", atomic+look, look, atomic)
}

// allowed reports whether the levels of the transactions allow an execution of snapshot
// isolation: those at READ COMMITTED run at a stretch.
func (c *check) allowed(f *report.Finding) bool {
	for _, t := range f.Witness.Transactions {
		if t.Level == string(levels.ReadCommitted) && t.Snapshot != t.Commit {
			return false
		}
	}
	return true
}

// merge adds findings at READ COMMITTED. They come first, and stand for those of the same transactions.
func (c *check) merge(found []report.Finding) {
	others := slices.DeleteFunc(c.rep.Findings, func(f report.Finding) bool {
		return slices.ContainsFunc(found, func(o report.Finding) bool { return sameSet(o.Cycle, f.Cycle) && o.Status == report.Confirmed })
	})
	c.rep.Findings = append(found, others...)
}

// serialized reports whether an execution is one that SERIALIZABLE refuses: all of its
// transactions run there, and nothing in the program goes past it.
func (c *check) serialized(x *interp.Execution) bool {
	if c.levels == nil || slices.ContainsFunc(x.Txns, func(t interp.Committed) bool { return c.levels[t.Run.Inst.Txn].Level != levels.Serializable }) {
		return false
	}
	return c.unserialized() == ""
}

// atOthers makes findings at READ COMMITTED suspected whose interrupted transaction may run at
// another level, unless an execution of snapshot isolation shows an anomaly of the same transactions
// whichever levels they have.
func (c *check) atOthers(found, there []report.Finding) []report.Finding {
	for i := range found {
		f := &found[i]
		interrupted := f.Witness.Transactions[0]
		above := c.levels[c.p.Txn(interrupted.Name)].Above
		if len(above) == 0 || slices.ContainsFunc(there, func(g report.Finding) bool { return sameSet(g.Cycle, f.Cycle) && c.unlessRead(&g, interrupted.Name) }) {
			continue
		}
		findings.SuspectLevel(f, interrupted.Label, "it may run at "+strings.Join(texts(above), " or ")+" instead, where this execution need not be possible")
	}
	return found
}

// unlessRead reports whether an execution of snapshot isolation is one at all levels that its
// transactions may have, but for READ COMMITTED of the one that is named.
func (c *check) unlessRead(f *report.Finding, but string) bool {
	for _, t := range f.Witness.Transactions {
		if t.Name != but && t.Snapshot != t.Commit && c.levels[c.p.Txn(t.Name)].May(levels.ReadCommitted) {
			return false
		}
	}
	return f.Status == report.Confirmed
}

// leaveLevelsOpen records that nothing is decided at the levels of the transactions.
func (c *check) leaveLevelsOpen(proved bool, there []report.Finding) {
	before := c.rep.Open
	c.rep.Proof, c.rep.Initially, c.evidence = nil, []string{}, nil
	c.leaveOpen()
	if len(c.rep.Findings) > 0 {
		return
	}
	open := c.rep.Open
	if c.ctx.Err() == nil {
		searched := 0
		if c.rep.ReadCommitted != nil {
			searched = c.rep.ReadCommitted.Pairs
		}
		open.Reason = fmt.Sprintf("at READ COMMITTED no execution in which up to %d transactions run between two commands of another one shows an anomaly (%s of transactions searched), which proves nothing",
			readcommitted.MaxHelpers, quote.Count(searched, "combination"))
	}
	open.Cycles = [][]string{}
	switch {
	case proved:
		open.Reason += "; at REPEATABLE READ all of it is proved"
		open.Settle = append(open.Settle, "REPEATABLE READ, with another attempt after SQLSTATE 40001, for the transactions that are not proved at READ COMMITTED")
	case len(there) > 0:
		for _, f := range there {
			open.Cycles = append(open.Cycles, f.Cycle)
		}
		open.Reason += "; whether what is found at snapshot isolation on the cycles below is possible at these levels is not known"
	case before != nil:
		open.Cycles = before.Cycles
		open.Reason += "; at snapshot isolation: " + before.Reason
	}
	if slices.ContainsFunc(c.rep.Levels, func(l report.TransactionLevel) bool { return !l.Proved }) {
		open.Settle = append(open.Settle, "a lock where a transaction reads what it decides by (SELECT … FOR UPDATE of one row by its key), and no commit where that row is not there")
	}
}

// Interrupted looks for an execution without a serial order in which a transaction at READ
// COMMITTED is interrupted by another one, which runs at a stretch: at any level. It is nil
// where none is found.
func Interrupted(ctx context.Context, p *ir.Program, opt Options, t *ir.Txn) (out *report.Finding, err error) {
	c := newCheck(ctx, p, opt)
	_, search := readcommitted.Search(ctx, readcommitted.Query{Program: p, Engine: c.opt.Engine, Init: c.opt.Init, AnyOrder: c.anyOrder(),
		Interrupts: func(x *ir.Txn) bool { return x == t },
		Until: func(a *schedules.Anomaly) bool {
			var f report.Finding
			f, err = c.finding(witness.Evidence{Rows: a.Rows, Sessions: a.Sessions, Execution: a.Execution}, a.Opaque)
			if err == nil && f.Status == report.Confirmed {
				out = &f
			}
			return err != nil || out != nil
		}})
	if err == nil && ctx.Err() == nil {
		err = search
	}
	return out, err
}

// Moved gives an execution of snapshot isolation as one at the levels of the options. It is nil
// where these do not allow it, and suspected where SERIALIZABLE may refuse it.
func Moved(ctx context.Context, p *ir.Program, opt Options, f *report.Finding) *report.Finding {
	c := newCheck(ctx, p, opt)
	g := *f
	w := *f.Witness
	w.Transactions = slices.Clone(w.Transactions)
	serializable := 0
	for i := range w.Transactions {
		l := c.levels[p.Txn(w.Transactions[i].Name)].Level
		w.Transactions[i].Level = string(l)
		if l == levels.Serializable {
			serializable++
		}
	}
	g.Witness, g.Doubts = &w, slices.Clone(f.Doubts)
	if serializable == len(w.Transactions) || !c.allowed(&g) {
		return nil
	}
	c.rep.Findings = []report.Finding{g}
	c.refusable()
	return &c.rep.Findings[0]
}

// besides looks for what is an anomaly at READ COMMITTED only, beside a verdict on
// snapshot isolation: of all transactions where that is asked for, else of those
// that the source runs at READ COMMITTED. It takes at most half of the time left.
func (c *check) besides() error {
	level := func(t *ir.Txn) bool { return strings.EqualFold(t.Level, "read committed") }
	if c.opt.Beside {
		level = nil
	} else if !slices.ContainsFunc(c.p.Txns, level) {
		return nil
	}
	if c.opt.Classic || readcommitted.Supported(c.opt.Engine) != "" || c.ctx.Err() != nil {
		return nil
	}
	ctx, cancel := c.share(0.5)
	defer cancel()
	findings, err := c.committed(ctx, true, level)
	if err == nil && c.rep.ReadCommitted != nil {
		c.rep.ReadCommitted.Findings = findings
	}
	return err
}

// committed searches at READ COMMITTED and confirms what is found. The transactions
// that are interrupted are those that level accepts.
func (c *check) committed(ctx context.Context, only bool, level func(*ir.Txn) bool) ([]report.Finding, error) {
	q := readcommitted.Query{Only: only, Interrupts: level}
	if !only {
		q.Known = c.known
	}
	out, sum, err := c.interrupted(ctx, q)
	if sum == nil {
		sum = &report.ReadCommitted{Findings: []report.Finding{}, LeftOut: []report.Gap{}}
	}
	c.rep.ReadCommitted = sum
	return out, err
}

// interrupted searches executions in which others run between two commands of a transaction,
// and confirms what is found. What was searched is nil if the search could not begin.
func (c *check) interrupted(ctx context.Context, q readcommitted.Query) ([]report.Finding, *report.ReadCommitted, error) {
	q.Program, q.Engine, q.Init, q.AnyOrder, q.Progress = c.p, c.opt.Engine, c.opt.Init, c.anyOrder(), c.opt.Progress
	r, err := readcommitted.Search(ctx, q)
	out := []report.Finding{}
	if r == nil {
		return out, nil, err
	}
	sum := &report.ReadCommitted{Findings: []report.Finding{}, LeftOut: []report.Gap{}, Pairs: r.Pairs}
	for _, l := range r.LeftOut {
		g := report.Gap{Reason: l.Reason}
		for _, t := range l.Txns {
			g.Transactions = append(g.Transactions, t.Name)
		}
		sum.LeftOut = append(sum.LeftOut, g)
	}
	switch {
	case err != nil && ctx.Err() == nil:
		return out, sum, err
	case errors.Is(err, context.DeadlineExceeded):
		sum.LeftOut = append(sum.LeftOut, report.Gap{Transactions: []string{}, Reason: "the time ran out before all pairs were searched"})
	case err != nil:
		sum.LeftOut = append(sum.LeftOut, report.Gap{Transactions: []string{}, Reason: "the search was interrupted"})
	}
	c.count(r.Stats)
	for _, a := range r.Anomalies {
		f, err := c.finding(witness.Evidence{Rows: a.Rows, Sessions: a.Sessions, Execution: a.Execution}, a.Opaque)
		if err != nil {
			return out, sum, err
		}
		if !c.refused(f) {
			out = append(out, f)
		}
	}
	return out, sum, nil
}
