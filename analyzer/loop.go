package analyzer

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
)

// head is the head of a loop.
type head struct {
	back *target // where the jumps back lead
	// round says that each round is interpreted by itself: back is behind it.
	round bool
	// rows is what the loop goes through with Next, whose result is next; after is
	// the state behind the loop.
	rows  *rows
	next  ssa.Value
	after *state
}

// loop interprets a loop. What changes in it has a variable: which cells those
// are shows when the body is interpreted, again and again until no more come.
func (in *interp) loop(b *ssa.BasicBlock) {
	entry := in.st
	var phis []*ssa.Phi
	var first []value
	for _, instr := range b.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		phis, first = append(phis, phi), append(first, in.fr.regs[phi])
	}
	changing := map[*cell]bool{}
	forget := map[any]bool{} // cells and phis that get something else altogether
	start, cells, labels := len(*in.out), in.cells, in.labels
	top := entry.phase
	sent := map[*rows]bool{} // the queries that a round before may have gone through
	declared, mark := in.declared(), in.result.mark()
	outerTarget := in.fr.targets[b]
	inside, behind := in.fr.shape.AfterLoop(b)
	for round := 0; ; round++ {
		if round > maxRounds {
			panic(tooMuch{"a loop in which too much changes"})
		}
		*in.out = (*in.out)[:start]
		in.undeclare(declared)
		in.cells, in.labels = cells, labels
		in.result.reset(mark)
		in.st = entry.clone()
		in.st.phase, in.st.facts, in.st.codes = top, nil, nil
		for _, r := range in.st.pending() {
			if sent[r] {
				in.execute(r)
			}
		}
		var slots []*slot
		at := in.at()
		for i, phi := range phis {
			s := in.slotFor(phi, phi.Comment, phi.Type(), first[i], forget)
			slots = append(slots, s)
			in.fr.regs[phi] = s.value
		}
		list := ordered(changing)
		for _, c := range list {
			s := in.slotFor(c, c.name, c.t, in.load(c), forget)
			slots = append(slots, s)
			in.st.mem[c] = s.value
		}
		base := in.st.clone()
		place, around := in.around(behind)
		s := &client.Loop{At: at, Label: in.label("loop")}
		in.into(place, func() { in.emit(s) })
		h := &head{back: &target{label: s.Label}}
		in.fr.targets[b] = &target{head: h}
		in.loops++
		in.into(&s.Body, func() { in.within(b, inside) })
		in.loops--
		more := false
		for _, e := range h.back.edges {
			for c := range e.st.mem {
				if changing[c] || c.seq > cells {
					continue
				}
				was, ok := base.mem[c]
				if !ok && c.start == unknown {
					continue
				}
				if !ok {
					in.aside(base, func() { was = in.load(c) })
				}
				if !same(was, e.st.mem[c]) {
					changing[c], more = true, true
				}
			}
			for _, r := range base.pending() {
				if e.st.sent[r] && !sent[r] && r != h.rows {
					sent[r], more = true, true
				}
			}
			if e.st.phase > top {
				top, more = e.st.phase, true
			}
		}
		if !more {
			more = in.closeLoop(h, phis, list, slots, forget)
		}
		if more {
			continue
		}
		in.st = nil
		if h.rows != nil {
			in.into(place, func() { in.rowsLoop(b, s, h) })
		}
		in.fr.targets[b] = outerTarget
		in.behind(behind, around)
		return
	}
}

// around writes the blocks for the places behind a loop, which stands in all of them,
// and gives the list of the innermost, and for each block the list that it is in.
func (in *interp) around(behind []*ssa.BasicBlock) (inner *[]client.Stmt, lists []*[]client.Stmt) {
	inner = in.out
	for _, y := range behind {
		s := &client.Block{At: in.at(), Label: in.label("join")}
		in.fr.targets[y] = &target{label: s.Label}
		lists = append(lists, inner)
		in.into(inner, func() { in.emit(s) })
		inner = &s.Body
	}
	return inner, lists
}

// behind interprets the places behind a loop, the nearest one first.
func (in *interp) behind(behind []*ssa.BasicBlock, lists []*[]client.Stmt) {
	for i, y := range slices.Backward(behind) {
		in.st = nil
		t := in.fr.targets[y]
		if len(t.edges) == 0 {
			continue
		}
		in.into(lists[i], func() {
			in.enter(y, in.merge(t.edges))
			in.tree(y)
		})
	}
}

// declared are the variables that there are, and what is known of them by their
// names.
type declared struct {
	vars, rewound int // how many there are
	facts         varFacts
	elements      map[elementOf]value
}

// varFacts are what is known of variables by their names.
type varFacts struct {
	named map[string]int
	// inputs are what cells that are given hold, texts what the variables with
	// known texts hold.
	inputs map[*cell]value
	texts  map[string][]string
	// pairs says of variables with texts from which others these were computed.
	pairs map[string]pair
	// indexes says of variables with texts by which index they were taken from a list.
	indexes map[string]pair
	// fresheds are the variables with values that nobody used before.
	fresheds map[string]bool
	// origins are the paths on which variables get the codes of errors.
	origins map[string][]errorOrigin
	// keys says of the variables that hold primary keys of rows whether there was
	// a row.
	keys map[string]client.Expr
	// shown are the variables that the program looks at when the transaction is
	// over.
	shown map[string]bool
}

func newVarFacts() varFacts {
	return varFacts{map[string]int{}, map[*cell]value{}, map[string][]string{}, map[string]pair{}, map[string]pair{},
		map[string]bool{}, map[string][]errorOrigin{}, map[string]client.Expr{}, map[string]bool{}}
}

func (f varFacts) clone() varFacts {
	return varFacts{maps.Clone(f.named), maps.Clone(f.inputs), maps.Clone(f.texts), maps.Clone(f.pairs), maps.Clone(f.indexes),
		maps.Clone(f.fresheds), maps.Clone(f.origins), maps.Clone(f.keys), maps.Clone(f.shown)}
}

func (in *interp) declared() declared {
	return declared{len(in.vars), len(in.rewound), in.varFacts.clone(), maps.Clone(in.fr.elements)}
}

// earlier is what a query was.
type earlier struct {
	q   *client.Query
	was client.Query
}

// rewinds takes note of what a query is before it gets variables: one that was made
// before a loop loses them when the body of the loop is interpreted again.
func (in *interp) rewinds(q *client.Query) {
	was := *q
	was.Into, was.ByName = slices.Clone(q.Into), slices.Clone(q.ByName)
	in.rewound = append(in.rewound, earlier{q, was})
}

// undeclare goes back to the variables of d: those that came later will give their
// names to others.
func (in *interp) undeclare(d declared) {
	in.vars, in.varFacts, in.fr.elements = in.vars[:d.vars], d.facts.clone(), maps.Clone(d.elements)
	for _, e := range slices.Backward(in.rewound[d.rewound:]) {
		*e.q = e.was
	}
	in.rewound = in.rewound[:d.rewound]
}

// maxRounds bounds how often the body of a loop is interpreted.
const maxRounds = 60

// slot is what changes from one round of a loop to the next: a variable v, or
// (fixed) something that must not change.
type slot struct {
	value value
	v     string
	n     string // the length of a slice
	kind  client.Kind
	fixed bool
	fail  bool
	// to is the cell that a pointer with the variable v for being nil points to.
	to *cell
}

// slotFor makes the slot of a phi or cell, with its first value.
func (in *interp) slotFor(key any, name string, t types.Type, v value, forget map[any]bool) *slot {
	v = unbox(v)
	if name == "" {
		name = "v"
	}
	if w, ok := in.loopBuilder(v); ok && forget[key] {
		return &slot{value: w}
	}
	if forget[key] {
		return &slot{value: in.fresh(t, name, unknown)}
	}
	switch w := v.(type) {
	case scalar:
	case *failure:
		s := &slot{v: in.temp(name, client.Int, false), fail: true}
		in.assignFailure(s.v, w)
		s.value = failureOf(client.V(s.v), mayWrap)
		return s
	case *list, *grown, span:
		g, _ := in.growing(w)
		s := &slot{v: in.temp(name, client.Any, true), n: in.temp(name+".len", client.Int, false)}
		in.set(s.v, g.e)
		in.set(s.n, g.n)
		s.value = &grown{client.V(s.v), client.V(s.n)}
		return s
	case *pointer:
		s := &slot{v: in.temp(name+".nil", client.Bool, false), to: w.to}
		in.set(s.v, w.nil())
		s.value = &pointer{to: w.to, isNil: client.V(s.v)}
		return s
	default:
		return &slot{value: v, fixed: true}
	}
	k := kindOf(t)
	s := &slot{v: in.temp(name, k, k == client.Any || nullable(t)), kind: k}
	in.set(s.v, in.scalarOf(in.present(v, t)).e)
	s.value = scalar{client.V(s.v), k}
	return s
}

// closeLoop sets the slots where control goes back. It reports whether another
// round is needed.
func (in *interp) closeLoop(h *head, phis []*ssa.Phi, list []*cell, slots []*slot, forget map[any]bool) (again bool) {
	key := func(i int) any {
		if i < len(phis) {
			return phis[i]
		}
		return list[i-len(phis)]
	}
	for _, e := range h.back.edges {
		in.ahead(e, func() {
			type move struct {
				v string
				e client.Expr
			}
			var moves []move
			for i, s := range slots {
				var v value
				var t types.Type
				if i < len(phis) {
					v, t = e.vals[i], phis[i].Type()
				} else {
					v, t = in.load(list[i-len(phis)]), list[i-len(phis)].t
				}
				v = unbox(v)
				switch {
				case s.fixed:
					if !same(v, s.value) {
						forget[key(i)], again = true, true
					}
				case s.v == "": // forgotten
					in.emitValue(v)
					in.checkBuilder(v, s.value)
				case s.fail:
					f, ok := v.(*failure)
					if !ok {
						forget[key(i)], again = true, true
						continue
					}
					moves = append(moves, move{s.v, in.scalarOf(f).e})
				case s.n != "":
					g, ok := in.growing(v)
					if !ok {
						forget[key(i)], again = true, true
						continue
					}
					moves = append(moves, move{s.v, g.e}, move{s.n, g.n})
				case s.to != nil:
					p, ok := v.(*pointer)
					if !ok || p.to != s.to && !isTrue(p.nil()) {
						forget[key(i)], again = true, true
						continue
					}
					moves = append(moves, move{s.v, p.nil()})
				default:
					moves = append(moves, move{s.v, in.scalarOf(in.present(v, t)).e})
				}
			}
			// All variables change at once.
			for i := range moves {
				for j := range i {
					if mentions(moves[i].e, moves[j].v) {
						t := in.temp("next", client.Any, true)
						in.retype(t, moves[i].v)
						in.set(t, moves[i].e)
						moves[i].e = client.V(t)
						break
					}
				}
			}
			for _, m := range moves {
				in.set(m.v, m.e)
			}
		})
	}
	return again
}

// retype gives a variable the kind of another one.
func (in *interp) retype(v, like string) {
	var k client.Var
	for _, w := range in.vars {
		if w.Name == like {
			k = w
		}
	}
	for i := range in.vars {
		if in.vars[i].Name == v {
			in.vars[i].Kind, in.vars[i].Nullable = k.Kind, k.Nullable
		}
	}
}

// mentions reports whether an expression uses a variable.
func mentions(e client.Expr, v string) bool {
	found := false
	client.EachVar(e, func(name string) { found = found || name == v })
	return found
}

// rowsLoop takes note that a loop calls Next, and goes on behind it. It becomes
// one over the rows of the query when all is written.
func (in *interp) rowsLoop(b *ssa.BasicBlock, s *client.Loop, h *head) {
	in.rowsLoops[s] = h.rows
	in.st = h.after
	in.branch(b, b.Succs[1])
}
