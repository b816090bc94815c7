package movers

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/symbolic"
)

// Structures finds the dangerous structures that a program may have: a read of one transaction
// that a concurrent one, the pivot, overwrites, and a read of the pivot that a concurrent third
// one overwrites, which commits before it. SERIALIZABLE of PostgreSQL refuses those of which
// all three run there (docs/soundness.md, 9.4). It counts rows, in whichever columns, as the
// database does.
type Structures struct {
	opt   Options
	prog  *ir.Program // without invariants: anomalies may break them
	lanes []*lane
	reads, writes,
	// untold are the tables on which a refusal that is not modelled depends.
	untold map[*ir.Txn]map[string]bool
	around map[*ir.Txn]*around
}

// around is what is known of a pivot.
type around struct{ in, out []*ir.Txn }

// NewStructures prepares the search. unknown says why nothing is told of the program, or is "".
func NewStructures(p *ir.Program, opt Options) (s *Structures, unknown string) {
	if opt.Limit == 0 {
		opt.Limit = 2000000
	}
	q := *p
	q.Invariants = nil
	s = &Structures{opt: opt, prog: &q, lanes: newLanes(opt), around: map[*ir.Txn]*around{},
		reads: map[*ir.Txn]map[string]bool{}, writes: map[*ir.Txn]map[string]bool{}, untold: map[*ir.Txn]map[string]bool{}}
	for _, t := range p.Txns {
		x := touches(&q, t, true)
		s.reads[t], s.writes[t], s.untold[t] = x.reads, x.writes, untold(&q, t)
	}
	return s, unprovable(p)
}

// Close frees the solvers.
func (s *Structures) Close() {
	for _, l := range s.lanes {
		l.close()
	}
}

// untold are the tables on whose rows a refusal depends that the model leaves out.
func untold(p *ir.Program, t *ir.Txn) map[string]bool {
	out := map[string]bool{}
	ir.Walk(t.Body, func(s ir.Stmt) {
		d, ok := s.(*ir.Dropped)
		if !ok || !d.Observes {
			return
		}
		tables := d.Tables
		if tables == nil {
			tables = p.Tables
		}
		for _, t := range tables {
			out[t.Name] = true
		}
	})
	return out
}

// Find finds what is around some pivots, for Around. When ctx ends, the others may have
// anything around them.
func (s *Structures) Find(ctx context.Context, pivots []*ir.Txn) {
	var todo []*ir.Txn
	for _, t := range pivots {
		if s.around[t] == nil {
			todo = append(todo, t)
		}
	}
	found := make([]*around, len(todo))
	parallel(ctx, len(todo), s.lanes, func(ctx context.Context, i int, l *lane) {
		if s.opt.Progress != nil && i%len(s.lanes) == 0 {
			s.opt.Progress(i, len(todo), "looking for dangerous structures: "+todo[i].Name)
		}
		found[i] = s.pivot(ctx, l, todo[i])
	})
	if ctx.Err() != nil {
		return
	}
	for i, t := range todo {
		s.around[t] = found[i]
	}
}

// Around gives the transactions of which the pivot may overwrite what they read, and those
// that may overwrite what it reads; without the others, there is no dangerous structure
// around it, and both are empty.
func (s *Structures) Around(pivot *ir.Txn) (in, out []*ir.Txn) {
	if a := s.around[pivot]; a != nil {
		return a.in, a.out
	}
	return s.prog.Txns, s.prog.Txns
}

func (s *Structures) pivot(ctx context.Context, l *lane, pivot *ir.Txn) *around {
	a := &around{}
	for _, t := range s.prog.Txns {
		if s.overwrites(ctx, l, pivot, t, true) {
			a.out = append(a.out, t)
		}
	}
	if a.out == nil {
		return a
	}
	for _, t := range s.prog.Txns {
		if s.overwrites(ctx, l, t, pivot, false) {
			a.in = append(a.in, t)
		}
	}
	if a.in == nil {
		a.out = nil
	}
	return a
}

// overwrites reports whether a transaction of a template may overwrite what a concurrent one of
// another template has read. before says that it commits first.
func (s *Structures) overwrites(ctx context.Context, l *lane, reader, writer *ir.Txn, before bool) bool {
	meets := func(tables map[string]bool) bool {
		for name := range s.writes[writer] {
			if tables[name] {
				return true
			}
		}
		return false
	}
	if meets(s.untold[reader]) {
		return true
	}
	return meets(s.reads[reader]) && (s.possible(ctx, l, reader, writer, before, true) || s.possible(ctx, l, reader, writer, before, false))
}

// possible asks about two transactions, of which readerFirst says whose snapshot is older.
func (s *Structures) possible(ctx context.Context, l *lane, reader, writer *ir.Txn, before, readerFirst bool) bool {
	defer l.forget()
	w := symbolic.NewWorld(l.code(s.prog), smt.NewBuilder(), s.opt.Engine)
	w.MaxTerms = quickTerms
	var terms []*smt.Term
	stopped := w.Within(ctx, symbolic.MaxSteps, func() {
		B := w.B
		old, late, any := w.Base("s0"), w.Base("s1"), w.Base("s2")
		r, u := w.NewInstance(reader, "t0"), w.NewInstance(writer, "t1")
		for _, base := range []*symbolic.State{old, late} {
			w.Unused(base, r)
			w.Unused(base, u)
		}
		run := func(i *symbolic.Instance, on *symbolic.State) *symbolic.Run {
			x := i.Run(on)
			x.Late = true
			return x
		}
		var rr, ru *symbolic.Run
		if readerFirst {
			rr, ru = run(r, old), run(u, late)
			w.Link(rr, old, late, symbolic.ByRow)
		} else {
			ru, rr = run(u, old), run(r, late)
			w.Link(ru, old, late, symbolic.ByRow)
		}
		// What the reader looks at may be told from what the row becomes later.
		w.Link(&symbolic.Run{}, late, any, symbolic.ByRow)
		free := B.Not(w.Excludes(rr, ru, symbolic.ByRow, false))
		if !before {
			free = B.Or(free, B.Not(w.Excludes(ru, rr, symbolic.ByRow, false)))
		}
		terms = append(terms, rr.OK, ru.OK, free, w.Reaches(ru, rr, any))
	})
	if stopped != "" {
		return true
	}
	if w.B.And(terms...).IsFalse() {
		return false
	}
	return w.Ask(ctx, l.solver(), terms...).Result != smt.Unsat
}

// Overwrites reports whether one template may write a table that another one reads, or in which
// it looks for keys and references.
func Overwrites(p *ir.Program, reader, writer *ir.Txn) bool {
	reads := touches(p, reader, true).reads
	maps.Copy(reads, untold(p, reader))
	for name := range touches(p, writer, true).writes {
		if reads[name] {
			return true
		}
	}
	return false
}

// Structure names a dangerous structure.
func Structure(in, pivot, out *ir.Txn) string {
	return strings.Join([]string{in.Name, pivot.Name, out.Name}, " -> ")
}

// Protected reports whether SERIALIZABLE refuses all dangerous structures around a pivot. Else
// it gives one that it does not refuse.
func (s *Structures) Protected(pivot *ir.Txn, serializable func(*ir.Txn) bool) (structure string, ok bool) {
	in, out := s.Around(pivot)
	if len(in) == 0 || len(out) == 0 {
		return "", true
	}
	other := func(t *ir.Txn) bool { return !serializable(t) }
	a, c := max(slices.IndexFunc(in, other), 0), max(slices.IndexFunc(out, other), 0)
	if serializable(pivot) && serializable(in[a]) && serializable(out[c]) {
		return "", true
	}
	return Structure(in[a], pivot, out[c]), false
}
