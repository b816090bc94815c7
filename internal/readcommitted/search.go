package readcommitted

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/commits"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pieces"
	"github.com/txrobust/robust/internal/schedules"
)

// Query is what to search.
type Query struct {
	Program *ir.Program // structured
	// Engine is PostgreSQL, or a database with InnoDB; what Supported says of it holds.
	Engine *engine.Profile
	// Levels is interp.Machine.Levels, for InnoDB.
	Levels map[string]string
	Init   schedules.Init
	// AnyOrder is schedules.Options.AnyOrder.
	AnyOrder bool
	// Only leaves out what is an anomaly at snapshot isolation, too.
	Only bool
	// Interrupts says which templates run at READ COMMITTED, so that they can be
	// interrupted; nil is all of them.
	Interrupts func(*ir.Txn) bool
	// Known are anomalies at snapshot isolation, whose rows and values are tried where the pairs
	// of their transactions show none.
	Known []*schedules.Anomaly
	// Until, if not nil, ends the search with an anomaly for which it is true.
	Until func(*schedules.Anomaly) bool
	// Progress, if not nil, is told which pair is tried.
	Progress func(done, total int, what string)
}

// Result is what a search found.
type Result struct {
	// Anomalies has at most one for the same templates, those of two before those of more, in the order of the program.
	Anomalies []*schedules.Anomaly
	// Pairs counts the combinations of an interrupted template and others that were
	// searched. Those that share no rows in the way that an anomaly needs are
	// not among them.
	Pairs int
	// LeftOut says what was not searched, and why.
	LeftOut []LeftOut
	Stats   schedules.Stats
}

// LeftOut is a part of the program that was not searched.
type LeftOut struct {
	// Txns are one template, or an interrupted one and another one.
	Txns   []*ir.Txn
	Reason string
}

// Supported says why nothing is known of READ COMMITTED on an engine, or gives "".
func Supported(e *engine.Profile) string {
	if e.Name != engine.Postgres().Name {
		return "READ COMMITTED is modelled for PostgreSQL only (-engine postgres)"
	}
	return ""
}

const (
	// tries bounds the random situations of a pair, glances those before all others, spurious the proposals of the
	// solver, limit the effort for each in Z3's resource units.
	tries    = 200
	glances  = 30
	spurious = 4
	limit    = 3_000_000
	// effort bounds the terms of a pair.
	effort = 600_000
	// chainEffort bounds the terms of all chains of more than two, of which one with a question that
	// the solver gave up counts for gaveUp more. Then they are tried with random situations only.
	chainEffort = 150_000
	gaveUp      = 50_000
)

// Search goes through all pairs of templates. When ctx ends, the result is what was
// found so far, with the error of the context.
func Search(ctx context.Context, q Query) (*Result, error) {
	if why := Supported(q.Engine); why != "" && !q.Engine.InnoDB {
		return nil, fmt.Errorf("readcommitted: %s", why)
	}
	s := &searcher{q: q, out: &Result{}, spots: map[*ir.Txn][]spot{}}
	if len(q.Program.Txns) == 0 {
		return s.out, nil
	}
	query := schedules.Query{Program: q.Program, Engine: q.Engine, Options: schedules.Options{
		Init: q.Init, AnyOrder: q.AnyOrder, OnlyCuts: q.Only, Levels: q.Levels, Tries: tries, Spurious: spurious, Limit: limit, Effort: effort}}
	cuts, err := schedules.NewCuts(ctx, query)
	if err != nil {
		return nil, err
	}
	defer cuts.Close()
	s.cuts = cuts
	list := s.candidates()
	if q.Until != nil {
		err = s.glance(ctx, query, list)
	}
	if err == nil && !s.over {
		err = s.try(ctx, list)
	}
	if err == nil && !s.over {
		err = s.known(ctx)
	}
	left := maxChains
	for n := 2; n <= MaxHelpers && err == nil && !s.over; n++ {
		longer := s.chains(list, n, left)
		err = s.try(ctx, longer)
		left -= len(longer)
	}
	return s.out, err
}

// known tries the anomalies of snapshot isolation, with each of their transactions interrupted by
// the others.
func (s *searcher) known(ctx context.Context) error {
	for _, k := range s.q.Known {
		var txns []*ir.Txn
		for _, c := range k.Calls {
			txns = append(txns, c.Txn)
		}
		if len(s.q.Program.Processes) > 0 || slices.ContainsFunc(txns, func(t *ir.Txn) bool { return s.uses[t] == nil }) || s.within(chain{txns[0], txns[1:]}) {
			continue
		}
		for i, t := range txns {
			if s.q.Interrupts != nil && !s.q.Interrupts(t) || s.sameThroughout(t) {
				continue
			}
			a, stats, err := s.cuts.At(ctx, k, i)
			s.out.Stats.Add(stats)
			if err != nil {
				return err
			}
			if a != nil {
				s.keep(chain{t, slices.Delete(slices.Clone(txns), i, i+1)}, a)
				break
			}
		}
		if s.over {
			return nil
		}
	}
	return nil
}

// keep adds an anomaly of a chain to the result.
func (s *searcher) keep(c chain, a *schedules.Anomaly) {
	s.found = append(s.found, c)
	s.out.Anomalies = append(s.out.Anomalies, a)
	s.over = s.q.Until != nil && s.q.Until(a)
}

type searcher struct {
	q     Query
	out   *Result
	cuts  *schedules.Cuts
	found []chain
	over  bool                   // Query.Until ended the search
	spent int                    // of chainEffort
	uses  map[*ir.Txn]*footprint // of what can be executed
	// spots are those of the templates that were asked for.
	spots map[*ir.Txn][]spot
}

// glance tries a few random situations of each chain, before much is tried with the first ones.
func (s *searcher) glance(ctx context.Context, query schedules.Query, list []chain) error {
	query.Options.Tries = glances
	cuts, err := schedules.NewCuts(ctx, query)
	if err != nil {
		return err
	}
	defer cuts.Close()
	for _, p := range list {
		a, stats, err := cuts.Find(ctx, nil, p.a, p.others...)
		s.out.Stats.Add(stats)
		if err != nil {
			return err
		}
		if a != nil && s.q.Until(a) {
			s.out.Anomalies, s.over = append(s.out.Anomalies, a), true
			return nil
		}
	}
	return nil
}

func (s *searcher) try(ctx context.Context, list []chain) error {
	for i, p := range list {
		if s.within(p) {
			continue
		}
		if s.q.Progress != nil {
			s.q.Progress(i, len(list), fmt.Sprintf("%s interrupted by %s", p.a.Name, names(p.others)))
		}
		s.out.Pairs++
		var places []ir.Stmt
		if len(p.others) == 1 || s.spent < chainEffort {
			places = s.places(p)
		}
		a, stats, err := s.cuts.Find(ctx, places, p.a, p.others...)
		s.out.Stats.Add(stats)
		if len(p.others) > 1 {
			s.spent += stats.Terms
			if stats.Bounded != "" {
				s.spent += gaveUp
			}
		}
		if err != nil {
			return err
		}
		if stats.Bounded != "" && a == nil && len(p.others) == 1 {
			s.leaveOut(stats.Bounded, append([]*ir.Txn{p.a}, p.others...)...)
		}
		if a != nil {
			if s.keep(p, a); s.over {
				return nil
			}
		}
	}
	return nil
}

// within reports whether templates of a chain have an anomaly by themselves. It may be the same one with another of them interrupted.
func (s *searcher) within(c chain) bool {
	all := append([]*ir.Txn{c.a}, c.others...)
	return slices.ContainsFunc(s.found, func(f chain) bool {
		rest := slices.Clone(all)
		for _, t := range append([]*ir.Txn{f.a}, f.others...) {
			i := slices.Index(rest, t)
			if i < 0 {
				return false
			}
			rest = slices.Delete(rest, i, i+1)
		}
		return true
	})
}

// names lists templates.
func names(list []*ir.Txn) string {
	var out []string
	for _, t := range list {
		out = append(out, t.Name)
	}
	return strings.Join(out, ", then ")
}

func (s *searcher) leaveOut(reason string, txns ...*ir.Txn) {
	s.out.LeftOut = append(s.out.LeftOut, LeftOut{txns, reason})
}

// candidates are the pairs that may have an anomaly and can be executed exactly.
func (s *searcher) candidates() []chain {
	p := s.q.Program
	uses := map[*ir.Txn]*footprint{}
	s.uses = uses
	var usable []*ir.Txn
	for _, t := range p.Txns {
		if why := s.later(t); why != "" {
			s.leaveOut(why, t)
			continue
		}
		if why := cmp.Or(inexact(t), s.beyond(t)); why != "" {
			s.leaveOut(why, t)
			continue
		}
		s.doubtful(t)
		uses[t] = footprintOf(t)
		usable = append(usable, t)
	}
	var out []chain
	for _, a := range usable {
		if s.q.Interrupts != nil && !s.q.Interrupts(a) || s.sameThroughout(a) {
			continue
		}
		for _, b := range usable {
			switch {
			case !uses[b].changes(uses[a]):
			case !s.together(a, b):
			default:
				out = append(out, chain{a, []*ir.Txn{b}})
			}
		}
	}
	return out
}

// sameThroughout reports whether a template sees one snapshot and does nothing else: whoever
// interrupts it may as well come after it.
func (s *searcher) sameThroughout(t *ir.Txn) bool {
	if !s.q.Engine.InnoDB || pieces.Of(s.q.Engine.Weaker == "", s.q.Levels[t.Name]).Plain != pieces.Once {
		return false
	}
	acts := false
	ir.Walk(t.Body, func(st ir.Stmt) {
		locks, _ := ir.LocksOf(st)
		acts = acts || ir.Written(st) != nil || len(locks) > 0
	})
	return !acts
}

// beyond says what of a template is not modelled on InnoDB, or gives "".
func (s *searcher) beyond(t *ir.Txn) string {
	if !s.q.Engine.InnoDB {
		return ""
	}
	if strings.EqualFold(t.Level, "read uncommitted") {
		return "what is not committed yet is not modelled (READ UNCOMMITTED)"
	}
	why := ""
	ir.Walk(t.Body, func(st ir.Stmt) {
		if _, is := st.(*ir.LockTable); is {
			why = fmt.Sprintf("%s: LOCK TABLES is not modelled", st.Position())
		}
	})
	return why
}

// doubtful tells of the places of a template that may keep another transaction waiting,
// or let it wait: executions in which they could are not searched.
func (s *searcher) doubtful(t *ir.Txn) {
	told := map[string]bool{}
	ir.Walk(t.Body, func(st ir.Stmt) {
		d, ok := st.(*ir.Dropped)
		if !ok || d.Kind == ir.ByError || d.Kind == ir.ByValue {
			return
		}
		why := fmt.Sprintf("%s: executions in which somebody may wait for %s", d.Pos, d.What)
		if !told[why] {
			told[why] = true
			s.leaveOut(why, t)
		}
	})
}

// inexact says why a template cannot be executed exactly, or gives "".
func inexact(t *ir.Txn) string {
	why, stuck := "", commits.Of(t).Never()
	ir.Walk(t.Body, func(s ir.Stmt) {
		switch s := s.(type) {
		case *ir.Unmodelled:
			if stuck && why == "" {
				why = "it always comes to a statement that is not modelled: " + s.Reason
			}
		case *ir.CopyTable, *ir.Fail:
			panic(fmt.Sprintf("readcommitted: %T in a program", s))
		}
	})
	return why
}

// later says that a transaction of a process is not its first one, or gives "".
func (s *searcher) later(t *ir.Txn) string {
	list := s.q.Program.Processes
	if len(list) == 0 || slices.ContainsFunc(list, func(pr *ir.Process) bool { return pr.Txns[0] == t }) {
		return ""
	}
	return "only the first transactions of processes are searched"
}

// together reports whether two transactions can run at the same time from the
// initial state: with processes, the first ones of different sessions.
func (s *searcher) together(a, b *ir.Txn) bool {
	if len(s.q.Program.Processes) == 0 {
		return true
	}
	var ofA, ofB []*ir.Process
	for _, pr := range s.q.Program.Processes {
		if pr.Txns[0] == a {
			ofA = append(ofA, pr)
		}
		if pr.Txns[0] == b {
			ofB = append(ofB, pr)
		}
	}
	for _, x := range ofA {
		if slices.ContainsFunc(ofB, func(y *ir.Process) bool { return x != y || x.Copies != 1 }) {
			return true
		}
	}
	return false
}

// footprint is what a template has to do with: columns by table.
type footprint struct {
	reads  map[*ir.Table]map[string]bool
	writes map[*ir.Table]map[string]bool
	// rows are the tables in which it inserts or deletes rows.
	rows map[*ir.Table]bool
}

func newFootprint() *footprint {
	return &footprint{reads: map[*ir.Table]map[string]bool{}, writes: map[*ir.Table]map[string]bool{}, rows: map[*ir.Table]bool{}}
}

func footprintOf(t *ir.Txn) *footprint {
	f := newFootprint()
	ir.Walk(t.Body, f.add)
	return f
}

// add adds a statement, without those inside of it.
func (f *footprint) add(s ir.Stmt) {
	note := func(m map[*ir.Table]map[string]bool, t *ir.Table, cols ...string) {
		if m[t] == nil {
			m[t] = map[string]bool{}
		}
		for _, c := range cols {
			m[t][c] = true
		}
	}
	for _, src := range ir.Reads(s) {
		note(f.reads, src.Table)
	}
	ir.ReadColumns(s, func(t *ir.Table, col string) { note(f.reads, t, col) })
	switch s := s.(type) {
	case *ir.Update:
		for _, set := range s.Sets {
			note(f.writes, s.Table, s.Table.Columns[set.Col].Name)
		}
	case *ir.Insert, *ir.Delete, *ir.Cascade:
		f.rows[ir.Written(s)] = true
		if in, ok := s.(*ir.Insert); ok && in.Conflict != nil {
			for _, set := range in.Conflict.Sets {
				note(f.writes, in.Table, in.Table.Columns[set.Col].Name)
			}
		}
		if c, ok := s.(*ir.Cascade); ok {
			for _, col := range c.ForeignKey().Columns {
				note(f.writes, c.Table, c.Table.Columns[col].Name)
			}
		}
	}
}

// changes reports whether f may change what o reads. Without that, an interrupted
// o comes after f in a serial order with the same outcome.
func (f *footprint) changes(o *footprint) bool {
	for t, cols := range o.reads {
		if f.rows[t] {
			return true
		}
		for c := range f.writes[t] {
			if cols[c] {
				return true
			}
		}
	}
	return false
}
