package weak

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/schedules"
)

// FindOptions bound Find.
type FindOptions struct {
	ProveOptions
	// Init says which rows there are initially.
	Init schedules.Init
	// Txns bounds the transactions of an execution, of which there are schedules.MaxCalls at
	// most, and Tries the rows and parameters that are drawn for each set of templates. 0
	// stands for defaults.
	Txns, Tries int
	Seed        int64
	// MaxExecutions bounds the executions that are interpreted; 0 is no bound.
	MaxExecutions int
}

// Found is an execution that no serial order explains.
type Found struct {
	Rows      [][][]ir.Value
	Sessions  []interp.Session
	Execution *interp.Execution
}

const (
	// findTries and findExecutions bound the draws for each set of templates, and the
	// executions of each draw.
	findTries      = 300
	findExecutions = 4000
	// quickTries bounds the draws in a first round.
	quickTries = 40
	// anyway is how often a draw is explored although its calls do not meet in a circle.
	anyway = 16
	// maxSets bounds the sets of templates of one size.
	maxSets = 400
)

// Find searches an execution of a model that no serial order explains, with each transaction in
// a session of its own: small sets of templates that may form a cycle come first. It gives nil
// if it finds none, and why there may be one all the same. executions counts what was
// interpreted. The program must not be Beyond the models.
func Find(ctx context.Context, p *ir.Program, model Model, opt FindOptions) (f *Found, executions int, why string) {
	opt.Tries = cmp.Or(opt.Tries, findTries)
	s := &finder{ctx: ctx, p: p, model: model, opt: opt, graph: newGraph(p, model, opt.ProveOptions), suspects: Prove(p, model, opt.ProveOptions).suspects}
	most := min(cmp.Or(opt.Txns, schedules.MaxCalls), schedules.MaxCalls)
	for _, s.tries = range []int{min(quickTries, s.opt.Tries), s.opt.Tries} { // all sets have their turn soon
		for n := 2; n <= most && s.found == nil && ctx.Err() == nil; n++ {
			s.sets(nil, n, 0)
		}
	}
	return s.found, s.executions, s.why
}

type finder struct {
	ctx        context.Context
	p          *ir.Program
	model      Model
	opt        FindOptions
	graph      *graph
	suspects   map[*ir.Txn]bool
	found      *Found
	executions int
	tried      int // sets of a size
	tries      int // for each of them
	why        string
}

// sets tries all sets of n templates that begin with some, of which any may be there several
// times.
func (s *finder) sets(chosen []int, n, next int) {
	if len(chosen) == 0 {
		s.tried = 0
	}
	if len(chosen) == n {
		if !s.cyclic(chosen) {
			return
		}
		if most := s.opt.MaxExecutions; most > 0 && s.executions > most {
			s.why = fmt.Sprintf("only %d executions were interpreted", s.executions)
			return
		}
		if s.tried++; s.tried > maxSets {
			s.why = "not all sets of transactions were tried"
			return
		}
		s.try(chosen)
		return
	}
	for i := next; i < len(s.p.Txns) && s.found == nil && s.ctx.Err() == nil; i++ {
		if s.suspects[s.p.Txns[i]] {
			s.sets(append(slices.Clip(chosen), i), n, i)
		}
	}
}

// cyclic reports whether each of some transactions may come before one of the others and after
// one, and one of them reads what another one may overwrite.
func (s *finder) cyclic(chosen []int) bool {
	before, after, reads := make([]bool, len(chosen)), make([]bool, len(chosen)), false
	for i, a := range chosen {
		for k, b := range chosen {
			if i == k {
				continue
			}
			for _, e := range s.graph.from[a] {
				if s.graph.edges[e].to == b {
					before[i], after[k] = true, true
					reads = reads || s.graph.edges[e].vulnerable
				}
			}
		}
	}
	return reads && !slices.Contains(before, false) && !slices.Contains(after, false)
}

// try draws rows and parameters for some templates, and explores each.
func (s *finder) try(chosen []int) {
	q := schedules.Query{Program: s.p, Engine: engine.SI(),
		Options: schedules.Options{Init: s.opt.Init, AnyOrder: !s.opt.SessionOrder, Tries: s.tries, Seed: s.opt.Seed}}
	for _, i := range chosen {
		q.Sessions = append(q.Sessions, []*ir.Txn{s.p.Txns[i]})
	}
	draws := 0
	_, err := schedules.Situations(s.ctx, q, func(rows [][][]ir.Value, sessions []interp.Session) bool {
		if draws++; draws%anyway != 0 && !s.circle(rows, sessions) {
			return false
		}
		r := Explore(s.ctx, s.p, s.model, sessions, interp.NewDB(s.p, rows), Options{AnyOrder: !s.opt.SessionOrder, MaxExecutions: findExecutions})
		s.executions += r.Executions
		if r.Verdict == interp.Anomalous {
			s.found = &Found{Rows: rows, Sessions: sessions, Execution: r.Anomaly}
		}
		return s.found != nil
	})
	if err != nil && s.ctx.Err() == nil {
		s.why = err.Error()
	}
}

// circle reports whether the calls, each alone on the rows, meet in a circle through all of
// them. An execution that needs all of them follows one, if they do the same in it.
func (s *finder) circle(rows [][][]ir.Value, sessions []interp.Session) bool {
	m := interp.NewMachine(s.p, engine.SI())
	m.Trace = true
	init := interp.NewDB(s.p, rows)
	x := &interp.Execution{Versions: []*interp.DB{init}}
	blocked := make([]bool, len(sessions))
	for i, list := range sessions {
		run := m.Run(list[0], init, nil)
		blocked[i] = run.Blocked != ""
		x.Txns = append(x.Txns, interp.Committed{Run: run, Session: i, Sees: make([]bool, i)})
	}
	meets := make([][]bool, len(sessions))
	for i := range meets {
		meets[i] = make([]bool, len(sessions))
		for k := range meets {
			meets[i][k] = blocked[i] || blocked[k] // what these do depends on the others
		}
	}
	for _, d := range m.Dependencies(x, false, true) {
		meets[d.From][d.To], meets[d.To][d.From] = true, true
	}
	var closes func(path []int) bool
	closes = func(path []int) bool {
		last := path[len(path)-1]
		if len(path) == len(sessions) {
			return meets[last][path[0]]
		}
		for k := range sessions {
			if meets[last][k] && !slices.Contains(path, k) && closes(append(slices.Clip(path), k)) {
				return true
			}
		}
		return false
	}
	return closes([]int{0})
}
