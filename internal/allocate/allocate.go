package allocate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/cache"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/movers"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

// Answer says what is known of a transaction at a level, with the others as recommended.
type Answer string

// The answers.
const (
	Proved  Answer = "proved"
	Anomaly Answer = "anomaly"
	Unknown Answer = "unknown"
)

// Cell is what is known of a transaction at a level.
type Cell struct {
	Answer Answer `json:"answer"`
	// Why says why, and Position where.
	Why      string           `json:"why"`
	Position *report.Position `json:"position,omitempty"`
	// Finding is the execution that stands in the way of a lower level, and Repairs says what would
	// remove it.
	Finding *Finding `json:"finding,omitempty"`
	Repairs []string `json:"repairs,omitempty"`
}

// Finding names an anomaly; robust check with the level shows it.
type Finding struct {
	Code        string   `json:"code"`
	Kind        string   `json:"kind"`
	Fingerprint string   `json:"fingerprint"`
	Cycle       []string `json:"cycle"`
}

// Row is what is known of a transaction.
type Row struct {
	Transaction string
	Position    report.Position
	// Level is what is recommended.
	Level levels.Level
	// Today is the level that the source asks for, or else the default of the database.
	Today levels.Assigned
	// Cells are by level.
	Cells map[levels.Level]*Cell
}

// Result is an allocation.
type Result struct {
	Program string
	// Verdict is that of the recommended levels: Robust, or Unknown where nothing is proved.
	Verdict report.Verdict
	// Rows are in the order of the names.
	Rows []Row
	// Report is the check of the recommended levels as a whole.
	Report *report.Report
	// Unfinished says why not all was tried, or is "".
	Unfinished string
}

// allocator makes a Result.
type allocator struct {
	ctx     context.Context
	p       *ir.Program
	opt     check.Options
	settled map[*ir.Txn]readcommitted.Settled
	// there is the check with all transactions at REPEATABLE READ.
	there *report.Report
	// rotated are further executions along the cycles of its findings, by their fingerprints.
	rotated map[string][]report.Finding
	// structures are those of the program; untold says why they settle nothing, or is "".
	structures *movers.Structures
	untold     string
	// atTop says that SERIALIZABLE for all is proved.
	atTop bool
	// how says what the proof of the recommended levels rests on.
	how  basis
	best map[*ir.Txn]levels.Level
	out  *Result
}

// basis is what a proof rests on.
type basis uint8

const (
	nothing     basis = iota
	onSnapshots       // all of it is proved at REPEATABLE READ
	onCommits         // it is proved with those at READ COMMITTED that are atomic there
	onRefusals        // SERIALIZABLE refuses every dangerous structure
	onTop             // all run at SERIALIZABLE
)

// Allocate finds the lowest levels of the transactions of a program that is proved robust with
// them. The options are those of a check; their levels do not count. When ctx ends, what is not
// proved by then stays at SERIALIZABLE.
func Allocate(ctx context.Context, p *ir.Program, opt check.Options) (*Result, error) {
	if opt.Progress == nil {
		opt.Progress = func(int, int, string) {}
	}
	opt.Tried = &check.Tried{}
	if opt.Cache == nil {
		opt.Cache = cache.Memory()
	}
	q := *p
	q.Ignores = nil // what is accepted is an anomaly all the same
	a := &allocator{ctx: ctx, p: &q, opt: opt, rotated: map[string][]report.Finding{}, out: &Result{Program: p.Name, Verdict: report.Unknown}}
	if err := a.choose(); err != nil {
		return nil, err
	}
	if a.structures != nil {
		defer a.structures.Close()
	}
	if err := a.table(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		a.out.Unfinished = "the check was interrupted"
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			a.out.Unfinished = "the time ran out"
		}
	}
	return a.out, nil
}

// GaveUp is the result where Allocate was not waited for, because ctx had ended.
func GaveUp(ctx context.Context, p *ir.Program, opt check.Options) *Result {
	a := &allocator{ctx: ctx, p: p, opt: opt, out: &Result{Program: p.Name, Verdict: report.Unknown, Unfinished: "the time ran out"}}
	a.best = a.all(levels.Serializable)
	a.out.Report = check.GaveUp(ctx, p, a.options(a.best))
	for _, t := range a.sorted() {
		row := a.row(t)
		for _, l := range levels.All() {
			row.Cells[l] = &Cell{Answer: Unknown, Why: a.out.Unfinished}
		}
		a.out.Rows = append(a.out.Rows, row)
	}
	return a.out
}

// share gives a context for a part of the time that is left.
func (a *allocator) share(part float64) (context.Context, context.CancelFunc) {
	end, ok := a.ctx.Deadline()
	if !ok {
		return context.WithCancel(a.ctx)
	}
	return context.WithTimeout(a.ctx, time.Duration(part*float64(time.Until(end))))
}

// all gives every transaction a level.
func (a *allocator) all(l levels.Level) map[*ir.Txn]levels.Level {
	out := map[*ir.Txn]levels.Level{}
	for _, t := range a.p.Txns {
		out[t] = l
	}
	return out
}

// options are those of a check with some levels.
func (a *allocator) options(of map[*ir.Txn]levels.Level) check.Options {
	opt := a.opt
	opt.Isolation, opt.Levels, opt.Apart, opt.Baseline = levels.AtSerializable, map[string]levels.Level{}, nil, nil
	for t, l := range of {
		opt.Levels[t.Name] = l
	}
	return opt
}

// check checks some levels as a whole, in a part of the time that is left.
func (a *allocator) check(of map[*ir.Txn]levels.Level, part float64, first bool) (*report.Report, error) {
	ctx, cancel := a.share(part)
	defer cancel()
	opt := a.options(of)
	opt.First = first
	return check.Check(ctx, a.p, opt)
}

// choose finds the levels.
func (a *allocator) choose() (err error) {
	a.settled = readcommitted.Settle(a.p, func(*ir.Txn) bool { return true })
	if a.there, err = a.check(a.all(levels.RepeatableRead), 0.4, false); err != nil {
		return err
	}
	top := a.all(levels.Serializable)
	rep, err := a.check(top, 0.3, true)
	if err != nil {
		return err
	}
	a.atTop = rep.Verdict == report.Robust
	a.best, a.how, a.out.Report = top, nothing, rep
	if a.atTop {
		a.how, a.out.Verdict = onTop, report.Robust
	}
	tries := []struct {
		how  basis
		make func() map[*ir.Txn]levels.Level
	}{{onSnapshots, a.onSnapshots}, {onCommits, a.onCommits}, {onRefusals, a.onRefusals}}
	for _, try := range tries {
		of := try.make()
		if of == nil {
			continue
		}
		rep, err := a.check(of, 0.5, try.how == onCommits)
		if err != nil {
			return err
		}
		if rep.Verdict == report.Robust {
			a.best, a.how, a.out.Report, a.out.Verdict = of, try.how, rep, report.Robust
			return nil
		}
	}
	return nil
}

// settledLow runs at READ COMMITTED what does there what it could do at snapshot isolation, and
// the rest at REPEATABLE READ.
func (a *allocator) settledLow() map[*ir.Txn]levels.Level {
	out := a.all(levels.RepeatableRead)
	for t, s := range a.settled {
		if s.Standing != readcommitted.Unsettled {
			out[t] = levels.ReadCommitted
		}
	}
	return out
}

// onSnapshots are the levels where all is proved at REPEATABLE READ.
func (a *allocator) onSnapshots() map[*ir.Txn]levels.Level {
	if a.there.Verdict != report.Robust {
		return nil
	}
	return a.settledLow()
}

// onCommits are the levels where that is not so, but where locks that are taken behind the
// snapshot may protect at READ COMMITTED.
func (a *allocator) onCommits() map[*ir.Txn]levels.Level {
	for _, x := range a.there.Transactions {
		if x.Standing != codes.Safe && a.atomic(a.p.Txn(x.Name)) {
			return a.settledLow()
		}
	}
	return nil
}

func (a *allocator) atomic(t *ir.Txn) bool { return a.settled[t].Standing == readcommitted.Atomic }

// onRefusals are the lowest levels with which SERIALIZABLE refuses every dangerous structure: all of
// its transactions have to run there. One that is atomic at READ COMMITTED is no pivot there. If it
// has to run at SERIALIZABLE for another structure, it may be one, which may raise others.
func (a *allocator) onRefusals() map[*ir.Txn]levels.Level {
	s, untold := check.Structures(a.p, a.options(nil))
	if a.structures, a.untold = s, untold; untold != "" {
		return nil
	}
	ctx, cancel := a.share(0.5)
	defer cancel()
	out := a.settledLow()
	for again := true; again; {
		pivots := a.pivots(out)
		s.Find(ctx, pivots)
		again = false
		for _, t := range pivots {
			in, around := s.Around(t)
			if len(in) == 0 || len(around) == 0 {
				continue
			}
			for _, x := range slices.Concat([]*ir.Txn{t}, in, around) {
				again = again || out[x] == levels.ReadCommitted && a.atomic(x)
				out[x] = levels.Serializable
			}
		}
	}
	return out
}

// pivots are the transactions that may be pivots at some levels.
func (a *allocator) pivots(of map[*ir.Txn]levels.Level) []*ir.Txn {
	var out []*ir.Txn
	for _, t := range a.p.Txns {
		if of[t] != levels.ReadCommitted || !a.atomic(t) {
			out = append(out, t)
		}
	}
	return out
}

// table fills in the rows.
func (a *allocator) table() error {
	list := a.sorted()
	for i, t := range list {
		a.opt.Progress(i, len(list), "trying the levels of "+t.Name)
		row := a.row(t)
		for _, l := range levels.All() {
			cell, err := a.cell(t, l)
			if err != nil {
				return err
			}
			row.Cells[l] = cell
		}
		a.out.Rows = append(a.out.Rows, row)
	}
	return nil
}

// sorted are the transactions in the order of their names.
func (a *allocator) sorted() []*ir.Txn {
	list := slices.Clone(a.p.Txns)
	slices.SortStableFunc(list, func(x, y *ir.Txn) int { return strings.Compare(x.Name, y.Name) })
	return list
}

// row is that of a transaction, of which nothing is known yet.
func (a *allocator) row(t *ir.Txn) Row {
	today := levels.Question{Code: true, Default: levels.Default(a.opt.Engine)}
	return Row{Transaction: t.Name, Position: position(t.Pos), Level: a.best[t], Today: today.For(t), Cells: map[levels.Level]*Cell{}}
}

func position(p ir.Pos) report.Position {
	return report.Position{File: p.File, Line: p.Line, Col: p.Col}
}
