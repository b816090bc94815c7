package absint

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
)

// head is the head of a loop.
type head struct {
	back *memory.Target // where the jumps back lead
	// round says that each round is interpreted by itself: back is behind it.
	round bool
	// rows is what the loop goes through with Next, whose result is next; after is
	// the state behind the loop.
	rows  *memory.Rows
	next  ssa.Value
	after *memory.State
}

// loop interprets a loop. What changes in it has a variable: which cells those
// are shows when the body is interpreted, again and again until no more come. If the
// transaction begins in it, it may be a later attempt: what failures on the way there
// change is not known then (attempts).
func (in *interp) loop(b *ssa.BasicBlock, inside, behind []*ssa.BasicBlock) {
	entry := in.St
	var phis []*ssa.Phi
	var first []memory.Value
	for _, instr := range b.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		phis, first = append(phis, phi), append(first, in.act.regs[phi])
	}
	l := &changes{cells: map[*memory.Cell]bool{}, before: in.Cells, sent: map[*memory.Rows]bool{}, phase: entry.Phase}
	forget := map[any]bool{} // cells and phis that get something else altogether
	start, labels := len(*in.Out), in.Labels
	declared, mark := in.declared(), in.Result.Mark()
	outerTarget, tries := in.act.targets[b], in.newAttempts()
	for round := 0; ; round++ {
		if round > maxRounds {
			panic(memory.TooMuch{Why: "a loop in which too much changes"})
		}
		*in.Out = (*in.Out)[:start]
		in.undeclare(declared)
		in.Cells, in.Labels = l.before, labels
		in.Result.Reset(mark)
		in.St = entry.Clone()
		in.St.Phase, in.St.Facts, in.St.Codes = l.phase, nil, nil
		in.St.Defers[in.Fr] = append(slices.Clone(in.St.Defers[in.Fr]), l.deferred...)
		for _, r := range in.St.Pending() {
			if l.sent[r] {
				in.Execute(r)
			}
		}
		var slots []*slot
		at := in.At()
		for i, phi := range phis {
			s := in.slotFor(phi, phi.Comment, phi.Type(), first[i], forget)
			slots = append(slots, s)
			in.act.regs[phi] = s.value
		}
		list := memory.Ordered(l.cells)
		for _, c := range list {
			s := in.slotFor(c, c.Name, c.T, in.Load(c), forget)
			slots = append(slots, s)
			in.St.Mem[c] = s.value
		}
		base := in.St.Clone()
		place, around := in.around(behind)
		s := &client.Loop{At: at, Label: in.Label("loop")}
		in.Into(place, func() { in.Emit(s) })
		h := &head{back: &memory.Target{Label: s.Label}}
		in.act.targets[b] = &spot{head: h}
		in.Loops++
		in.Into(&s.Body, func() { in.within(b, inside) })
		in.Loops--
		more := in.changes(l, h, base)
		if !more {
			more = in.closeLoop(h, phis, list, slots, forget)
		}
		if more {
			continue
		}
		if tries.next(in, l) {
			round = 0
			continue
		}
		tries.vary(s, slots)
		tries.over(in)
		in.St = nil
		if h.rows != nil {
			// It becomes a loop over the rows of the query when all is written.
			in.RowsLoops[s] = h.rows
			in.St = h.after
			in.Into(place, func() { in.branch(b, b.Succs[1]) })
		}
		in.act.targets[b] = outerTarget
		in.behind(behind, around)
		return
	}
}

// earlier writes a round of a loop of a trace, and then all others, if a transaction begins there: a round
// may write what an earlier one has read, in another transaction. That was an attempt which failed, mostly.
// It gives the lists for the places behind the loop, and reports whether it has written it.
func earlier(in *interp, b *ssa.BasicBlock, behind []*ssa.BasicBlock, round, others func()) (lists []*[]client.Stmt, is bool) {
	if in.Trace == nil || in.Failing {
		return nil, false
	}
	begun, entry, start, labels, cells := in.Begins, in.St.Clone(), len(*in.Out), in.Labels, in.Cells
	declared, mark, sent := in.declared(), in.Result.Mark(), len(in.Trace.Sent)
	outer := in.act.targets[b]
	place, lists := in.around(behind)
	in.Into(place, func() {
		s := &client.Block{At: in.At(), Label: in.Label("earlier")}
		back := &memory.Target{Label: s.Label}
		in.act.targets[b] = &spot{head: &head{back: back, round: true}}
		in.Emit(s)
		in.Into(&s.Body, func() { in.EarlierRound(round) })
		in.St = nil
		if len(back.Edges) > 0 && in.Begins > begun {
			in.enter(b, in.Merge(back.Edges))
			others()
		}
	})
	in.act.targets[b] = outer
	if in.Begins > begun {
		return lists, true
	}
	in.St, *in.Out, in.Labels, in.Cells, in.Trace.Sent = entry, (*in.Out)[:start], labels, cells, in.Trace.Sent[:sent]
	in.undeclare(declared)
	in.Result.Reset(mark)
	return nil, false
}

// changes is what a loop is known to change: cells, of those with a number up to before,
// the queries that a round may have gone through, and how far the transaction is.
type changes struct {
	cells  map[*memory.Cell]bool
	before int
	sent   map[*memory.Rows]bool
	phase  memory.Phase
	// deferred are the calls that its rounds deferred.
	deferred []memory.Deferred
}

// changes finds what the body of a loop changes and was not known to. base is the state in
// front of it.
func (in *interp) changes(l *changes, h *head, base *memory.State) bool {
	more := false
	for _, e := range h.back.Edges {
		for c := range e.St.Mem {
			if l.cells[c] || c.Seq > l.before {
				continue
			}
			was, ok := base.Mem[c]
			if !ok && c.Start == memory.Unknown {
				continue
			}
			if !ok {
				in.Aside(base, func() { was = in.Load(c) })
			}
			if !memory.Same(was, e.St.Mem[c]) {
				l.cells[c], more = true, true
			}
		}
		for _, r := range base.Pending() {
			if e.St.Sent[r] && !l.sent[r] && r != h.rows {
				l.sent[r], more = true, true
			}
		}
		if e.St.Phase > l.phase {
			l.phase, more = e.St.Phase, true
		}
		if later := memory.LaterRounds(in.Fr, base, e.St, l.before); len(later) > 0 {
			l.deferred, more = append(l.deferred, later...), true
		}
	}
	return more
}

// around writes the blocks for the places behind a loop, which stands in all of them,
// and gives the list of the innermost, and for each block the list that it is in.
func (in *interp) around(behind []*ssa.BasicBlock) (inner *[]client.Stmt, lists []*[]client.Stmt) {
	inner = in.Out
	for _, y := range behind {
		s := &client.Block{At: in.At(), Label: in.Label("join")}
		in.act.targets[y] = &spot{Target: &memory.Target{Label: s.Label}}
		lists = append(lists, inner)
		in.Into(inner, func() { in.Emit(s) })
		inner = &s.Body
	}
	return inner, lists
}

// behind interprets the places behind a loop, the nearest one first.
func (in *interp) behind(behind []*ssa.BasicBlock, lists []*[]client.Stmt) {
	for i, y := range slices.Backward(behind) {
		in.St = nil
		t := in.act.targets[y]
		if len(t.Edges) == 0 {
			continue
		}
		in.Into(lists[i], func() {
			in.enter(y, in.Merge(t.Edges))
			in.tree(y)
		})
	}
}

// declared are the variables that there are, and what is known of them by their
// names.
type declared struct {
	vars, rewound int // how many there are
	facts         memory.VarFacts
	elements      map[elementOf]memory.Value
}

func (in *interp) declared() declared {
	return declared{len(in.Vars), len(in.Rewound), in.VarFacts.Clone(), maps.Clone(in.act.elements)}
}

// undeclare goes back to the variables of d: those that came later will give their
// names to others.
func (in *interp) undeclare(d declared) {
	in.Vars, in.VarFacts, in.act.elements = in.Vars[:d.vars], d.facts.Clone(), maps.Clone(d.elements)
	for _, e := range slices.Backward(in.Rewound[d.rewound:]) {
		*e.Q = e.Was
	}
	in.Rewound = in.Rewound[:d.rewound]
}

// maxRounds bounds how often the body of a loop is interpreted.
const maxRounds = 60

// slot is what changes from one round of a loop to the next: a variable v, or
// (fixed) something that must not change.
type slot struct {
	value memory.Value
	v     string
	n     string // the length of a slice
	kind  client.Kind
	fixed bool
	fail  bool
	// to is the cell that a pointer with the variable v for being nil points to.
	to *memory.Cell
	// lead is what a text begins with in every round; it may have holes.
	lead string
}

// slotFor makes the slot of a phi or cell, with its first value.
func (in *interp) slotFor(key any, name string, t types.Type, v memory.Value, forget map[any]bool) *slot {
	v = memory.Unbox(v)
	if name == "" {
		name = "v"
	}
	if w, ok := in.LoopObject(v); ok && forget[key] {
		return &slot{value: w}
	}
	if forget[key] {
		return &slot{value: in.Fresh(t, name, memory.Unknown)}
	}
	switch w := v.(type) {
	case memory.Scalar:
	case *memory.Failure:
		s := &slot{v: in.Temp(name, client.Int, false), fail: true}
		in.AssignFailure(s.v, w)
		s.value = memory.FailureOf(client.V(s.v), memory.MayWrap)
		return s
	case *memory.List, *memory.Grown, memory.Span:
		g, _ := in.Growing(w)
		s := &slot{v: in.Temp(name, client.Any, true), n: in.Temp(name+".len", client.Int, false)}
		in.Set(s.v, g.E)
		in.Set(s.n, g.N)
		memory.Gathers(in.Memory, s.v, t, w)
		s.value = &memory.Grown{E: client.V(s.v), N: client.V(s.n)}
		return s
	case *memory.Pointer:
		s := &slot{v: in.Temp(name+".nil", client.Bool, false), to: w.To}
		in.Set(s.v, w.Nil())
		s.value = &memory.Pointer{To: w.To, IsNil: client.V(s.v)}
		return s
	default:
		return &slot{value: v, fixed: true}
	}
	k := gotypes.KindOf(t)
	s := &slot{v: in.Temp(name, k, k == client.Any || gotypes.Nullable(t)), kind: k}
	memory.Gathers(in.Memory, s.v, t, v)
	e := in.ScalarOf(in.Present(v, t)).E
	in.Set(s.v, e)
	s.value = memory.Of(client.V(s.v), k)
	if !forget[leadOf{key}] {
		s.takeLead(in, e)
	}
	return s
}

// closeLoop sets the slots where control goes back. It reports whether another
// round is needed.
func (in *interp) closeLoop(h *head, phis []*ssa.Phi, list []*memory.Cell, slots []*slot, forget map[any]bool) (again bool) {
	key := func(i int) any {
		if i < len(phis) {
			return phis[i]
		}
		return list[i-len(phis)]
	}
	ends := map[string][]client.Expr{} // what goes to each variable
	for _, e := range h.back.Edges {
		in.Ahead(e, func() {
			var moves []move
			for i, s := range slots {
				var v memory.Value
				var t types.Type
				if i < len(phis) {
					v, t = e.Vals[i], phis[i].Type()
				} else {
					v, t = in.Load(list[i-len(phis)]), list[i-len(phis)].T
				}
				v = memory.Unbox(v)
				switch {
				case s.fixed:
					if !memory.Same(v, s.value) {
						forget[key(i)], again = true, true
					}
				case s.v == "": // forgotten
					in.EmitValue(v)
					in.CheckObject(v, s.value)
				case s.fail:
					f, ok := v.(*memory.Failure)
					if !ok {
						forget[key(i)], again = true, true
						continue
					}
					moves = append(moves, move{s.v, in.ScalarOf(f).E})
				case s.n != "":
					g, ok := in.Growing(v)
					if !ok {
						forget[key(i)], again = true, true
						continue
					}
					moves = append(moves, move{s.v, g.E}, move{s.n, g.N})
				case s.to != nil:
					p, ok := v.(*memory.Pointer)
					if !ok || p.To != s.to && !memory.IsTrue(p.Nil()) {
						forget[key(i)], again = true, true
						continue
					}
					moves = append(moves, move{s.v, p.Nil()})
				default:
					next := in.ScalarOf(in.Present(v, t)).E
					if !s.keepsLead(in, next) {
						forget[leadOf{key(i)}], again = true, true
					}
					moves = append(moves, move{s.v, next})
				}
			}
			for _, m := range moves {
				ends[m.v] = append(ends[m.v], m.e)
			}
			setAtOnce(in, moves)
		})
	}
	for _, s := range slots {
		if s.v != "" {
			memory.Gathered(in.Memory, s.v, ends[s.v])
		}
	}
	return again
}

// move is a variable that gets a value where a round ends.
type move struct {
	v string
	e client.Expr
}

// setAtOnce sets variables where a round ends, all at once.
func setAtOnce(in *interp, moves []move) {
	for i := range moves {
		for j := range i {
			if memory.Mentions(moves[i].e, moves[j].v) {
				t := in.Temp("next", client.Any, true)
				in.Retype(t, moves[i].v)
				in.Set(t, moves[i].e)
				moves[i].e = client.V(t)
				break
			}
		}
	}
	for _, m := range moves {
		in.Set(m.v, m.e)
	}
}
