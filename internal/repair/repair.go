package repair

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gosource"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/report"
)

// Kind is a kind of change.
type Kind string

// The kinds.
const (
	// LockShare and LockUpdate lock the rows that a statement reads.
	LockShare  Kind = "for-share"
	LockUpdate Kind = "for-update"
	// Promote writes the rows that a statement reads once more, as they are.
	Promote Kind = "promotion"
	// LockTable locks a whole table.
	LockTable Kind = "lock-table"
	// Unique declares a key, OnConflict also lets insertions do nothing that it refuses, Reference declares a foreign key.
	Unique     Kind = "unique-constraint"
	OnConflict Kind = "on-conflict"
	Reference  Kind = "foreign-key"
	// Increment computes new values from the row itself, and Condition checks the row in the UPDATE.
	Increment Kind = "atomic-update"
	Condition Kind = "condition-in-update"
	// Level runs transactions at a higher isolation level.
	Level Kind = "level"
	// Common writes a row to which all rows that a statement may read refer, Guard one of
	// a table that is there for that alone.
	Common Kind = "common-row"
	Guard  Kind = "guard-row"
)

// Change is one change of a repair.
type Change struct {
	Kind Kind `json:"kind"`
	// Text says what it does, in a sentence.
	Text string `json:"text"`
	// Position is the statement that it changes, or before which it adds one.
	Position report.Position `json:"position"`
	// Blocks are the transactions that have to wait, or are refused, where they were not before.
	Blocks []string `json:"blocks"`
	// Levels are those to which it raises transactions, in the words of robust check -level.
	Levels map[string]string `json:"levels,omitempty"`

	by                 string // the transaction that it changes
	statements, writes int
	cost               int
	edits              []Edit
	// levels are those of Levels that the text does not say.
	levels map[string]string
}

// Repair is a list of changes that were applied together, and what came of it.
type Repair struct {
	Changes []Change `json:"changes"`
	// Verdict is that of the changed program, and Diff the changes as a unified diff.
	Verdict report.Verdict `json:"verdict"`
	Diff    string         `json:"diff"`
	// Left names the finding that is still there, for those that do not help.
	Left []string `json:"left,omitempty"`

	files, before []input.File
}

// Files are the texts of the changed program, those that differ only.
func (r *Repair) Files() []input.File { return r.files }

func (r *Repair) cost() (sum int) {
	for _, c := range r.Changes {
		sum += c.cost
	}
	return sum
}

// Program is what is to be repaired. Load reads the program from changed texts of its files,
// and Check judges it with these levels of transactions, in the words of robust check -level.
type Program struct {
	Files []input.File
	Load  func(files []input.File) (*Model, error)
	Check func(ctx context.Context, p *ir.Program, levels map[string]string) (*report.Report, error)
	// Levels are those to which single transactions may be raised, the lower ones first, and InSource says that the
	// source decides on levels.
	Levels   []string
	InSource bool
}

// Model is a program that was read: of Go code with its transactions, as the client sends them.
type Model struct {
	*ir.Program
	Client []*client.Txn
}

// Limits bound the search: Want is how many repairs are looked for, Checks how many changed
// programs are judged at most, Each how long each of them may take (0: as long as it takes):
// a hopeless proof gives way. Progress, if not nil, is told how many were judged.
type Limits struct {
	Want, Checks int
	Each         time.Duration
	Progress     func(done int, what string)
}

// Result is what a search found.
type Result struct {
	// Before is the report of the program as it is.
	Before *report.Report `json:"-"`
	// Repairs are proved, the cheapest first; Refuted do not remove the finding that they
	// are for.
	Repairs []Repair `json:"repairs"`
	Refuted []Repair `json:"refuted"`
	// Open counts the candidates after which the program is neither proved nor refuted.
	Open int `json:"open"`
	// Complete says that all candidates were tried.
	Complete bool `json:"complete"`
	// Notes say which statements of findings cannot be changed, and what to change by hand, sorted.
	Notes []string `json:"notes"`
}

// Propose looks for repairs of a program. The error is one of reading or judging the program
// as it is; ctx ends the search early, with what was found until then.
func Propose(ctx context.Context, p Program, lim Limits) (*Result, error) {
	prog, err := p.Load(p.Files)
	if err != nil {
		return nil, err
	}
	before, err := p.Check(ctx, prog.Program, nil)
	if err != nil {
		return nil, err
	}
	s := &search{Program: p, lim: lim, seen: map[string]bool{}, names: names(prog),
		out: &Result{Before: before, Repairs: []Repair{}, Refuted: []Repair{}, Complete: ctx.Err() == nil, Notes: []string{}}}
	s.extend(plan{}, prog, before, false)
	for len(s.queue) > 0 && len(s.out.Repairs) < lim.Want {
		if ctx.Err() != nil || s.checks == lim.Checks {
			s.out.Complete = false
			break
		}
		next := s.queue[0]
		s.queue = s.queue[1:]
		if slices.ContainsFunc(s.out.Repairs, func(r Repair) bool { return stronger(&next, &r) }) {
			continue
		}
		if err := s.try(ctx, next); err != nil {
			return nil, err
		}
	}
	return s.out, nil
}

// plan is a list of changes, and the finding that the last one is to remove.
type plan struct {
	changes []Change
	against *report.Finding
}

func (p *plan) cost() int { return (&Repair{Changes: p.changes}).cost() }

// key tells plans from others with other text.
func (p *plan) key() string {
	var list []string
	for _, c := range p.changes {
		for _, in := range c.edits {
			list = append(list, key(in))
		}
		for name, level := range c.levels {
			list = append(list, name+" "+level)
		}
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "\n")
}

type search struct {
	Program
	lim    Limits
	parser gosource.Parser
	names  []string // of the transactions
	checks int
	queue  []plan // the cheapest first
	seen   map[string]bool
	out    *Result
}

// maxChanges bounds the changes of a repair.
const maxChanges = 4

// extend queues what may remove the first finding of the report of a changed program. If
// again, that is the one against which its locks are: where each of two transactions reads what
// the other one writes, both reads need a lock.
func (s *search) extend(done plan, prog *Model, rep *report.Report, again bool) {
	if len(rep.Confirmed()) == 0 || len(done.changes) == maxChanges {
		return
	}
	f := &rep.Confirmed()[0]
	m := s.maker(done, prog)
	m.f = f
	list := m.candidates(s.Levels, s.InSource)
	s.note(m.notes)
	for _, c := range list {
		if !again || lock(c.Kind) && !done.changed(c.Position) {
			s.add(done, c, f)
		}
	}
	s.sort()
}

// further queues what may prove a changed program that is neither proved nor refuted, with a lock where
// another transaction was seen to come between: the other reads of such a one need one each.
func (s *search) further(done plan, prog *Model, rep *report.Report) {
	if last := done.changes[len(done.changes)-1]; !lock(last.Kind) || len(done.changes) == maxChanges {
		return
	}
	for _, c := range s.maker(done, prog).unproved(rep) {
		if !done.changed(c.Position) {
			s.add(done, c, done.against)
		}
	}
	s.sort()
}

// maker makes candidates for a program with changes.
func (s *search) maker(done plan, prog *Model) *maker {
	ed := edited(s.Files, done.changes)
	ed.client, ed.golang = prog.Client, &gosource.Source{}
	for _, f := range ed.before {
		if isGo(f.Name) {
			s.parser.Add(ed.golang, f.Name, ed.text(f))
		}
	}
	return &maker{ed: ed, prog: prog.Program}
}

// note adds what is said of statements that cannot be changed.
func (s *search) note(list []string) {
	s.out.Notes = append(s.out.Notes, list...)
	slices.Sort(s.out.Notes)
	s.out.Notes = slices.Compact(s.out.Notes)
}

// names are those of the transactions of a program, sorted.
func names(p *Model) (out []string) {
	for _, t := range p.Txns {
		out = append(out, t.Name)
	}
	slices.Sort(out)
	return out
}

// raised are the levels of -level of some changes.
func raised(changes []Change) map[string]string {
	out := map[string]string{}
	for _, c := range changes {
		maps.Copy(out, c.levels)
	}
	return out
}

// changed reports whether a statement is changed already.
func (p *plan) changed(at report.Position) bool {
	return slices.ContainsFunc(p.changes, func(o Change) bool { return o.Position == at })
}

// add queues a plan with one change more.
func (s *search) add(done plan, c Change, f *report.Finding) {
	next := plan{append(slices.Clone(done.changes), c), f}
	if k := next.key(); !s.seen[k] {
		s.seen[k] = true
		s.queue = append(s.queue, next)
	}
}

func (s *search) sort() {
	slices.SortStableFunc(s.queue, func(a, b plan) int {
		return cmp.Or(cmp.Compare(a.cost(), b.cost()), cmp.Compare(len(a.changes), len(b.changes)))
	})
}

// judge checks the program with changes. It gives nil if that cannot be read: then the
// changes do not fit where they were put.
// A change that loses a transaction is none.
func (s *search) judge(ctx context.Context, changes []Change) (*Model, *report.Report, error) {
	ed := edited(s.Files, changes)
	if !ed.apart() {
		return nil, nil, nil
	}
	prog, err := s.Load(ed.files())
	if err != nil {
		if _, ok := errors.AsType[*ir.Error](err); ok {
			return nil, nil, nil
		}
		return nil, nil, err
	}
	if !slices.Equal(names(prog), s.names) {
		return nil, nil, nil
	}
	s.checks++
	if s.lim.Progress != nil {
		s.lim.Progress(s.checks, changes[len(changes)-1].Text)
	}
	if s.lim.Each > 0 {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, s.lim.Each)
		defer stop()
	}
	rep, err := s.Check(ctx, prog.Program, raised(changes))
	return prog, rep, err
}

func (s *search) try(ctx context.Context, p plan) error {
	prog, rep, err := s.judge(ctx, p.changes)
	switch {
	case err != nil || rep == nil:
		return err
	case rep.Verdict == report.Robust:
		return s.keep(ctx, p)
	case rep.Verdict == report.Unknown:
		s.out.Open++
		s.further(p, prog, rep)
	case slices.ContainsFunc(rep.Confirmed(), func(f report.Finding) bool { return same(&f, p.against) }):
		if len(p.changes) == 1 { // a longer one is shown by its first change
			r := s.repair(p.changes, rep.Verdict)
			r.Left = p.against.Cycle
			s.out.Refuted = append(s.out.Refuted, r)
		}
		if lock(p.changes[len(p.changes)-1].Kind) {
			s.extend(p, prog, rep, true)
		}
	default:
		s.extend(p, prog, rep, false)
	}
	return nil
}

// same reports whether two findings are about the same dependencies, whichever transaction
// is delayed.
func same(a, b *report.Finding) bool {
	edges := func(f *report.Finding) (out []string) {
		for _, e := range f.Edges {
			out = append(out, strings.Join([]string{e.Type, e.Table, e.FromName, e.ToName}, " "))
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(edges(a), edges(b))
}

func lock(k Kind) bool { return k == LockShare || k == LockUpdate }

// stronger reports whether a plan does what a repair does, with stronger locks or higher levels only.
func stronger(p *plan, r *Repair) bool {
	return slices.EqualFunc(p.changes, r.Changes, func(a, b Change) bool {
		return a.Position == b.Position && (lock(a.Kind) && lock(b.Kind) || a.Kind == Level && b.Kind == Level)
	})
}

// keep adds a repair, without the changes that its proof does not need.
func (s *search) keep(ctx context.Context, p plan) error {
	list := p.changes
	for i := 0; len(list) > 1 && i < len(list); {
		fewer := slices.Delete(slices.Clone(list), i, i+1)
		_, rep, err := s.judge(ctx, fewer)
		if err != nil {
			return err
		}
		if rep != nil && rep.Verdict == report.Robust {
			list = fewer
		} else {
			i++
		}
	}
	key := (&plan{changes: list}).key()
	if slices.ContainsFunc(s.out.Repairs, func(r Repair) bool { return (&plan{changes: r.Changes}).key() == key }) {
		return nil
	}
	s.out.Repairs = append(s.out.Repairs, s.repair(list, report.Robust))
	slices.SortStableFunc(s.out.Repairs, func(a, b Repair) int { return cmp.Compare(a.cost(), b.cost()) })
	return nil
}

func (s *search) repair(changes []Change, v report.Verdict) Repair {
	ed := edited(s.Files, changes)
	return Repair{Changes: changes, Verdict: v, Diff: ed.diff(), files: ed.changed(), before: ed.before}
}
