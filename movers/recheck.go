package movers

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/proof"
	"github.com/txrobust/robust/smt"
	"github.com/txrobust/robust/symbolic"
)

// Recheck makes the questions of a proof anew from the program, without a
// search and without a solver, for those who check what is written of a proof.
type Recheck struct {
	prog  *ir.Program
	opt   Options
	facts []Fact
	full  *prover // with the guessed facts
	plain *prover // without
}

// NewRecheck prepares a program. facts are the texts (FactString) of the facts
// of the proof: the program's own invariants, in order, and guessed ones.
func NewRecheck(p *ir.Program, opt Options, mode symbolic.Granularity, facts []string) (*Recheck, error) {
	opt.each = true
	r := &Recheck{prog: p, opt: opt}
	for i, inv := range p.Invariants {
		if i >= len(facts) || FactString(inv) != facts[i] {
			return nil, fmt.Errorf("the stated invariant %q is not among the facts of the proof", FactString(inv))
		}
		r.facts = append(r.facts, Fact{Invariant: inv, Stated: true})
	}
	known := map[string]*ir.Invariant{}
	for _, g := range guess(p) {
		known[FactString(g)] = g
	}
	var guessed []*ir.Invariant
	for _, text := range facts[len(p.Invariants):] {
		if known[text] == nil {
			return nil, fmt.Errorf("the fact %q is none that is guessed from the program", text)
		}
		guessed = append(guessed, known[text])
		r.facts = append(r.facts, Fact{Invariant: known[text]})
	}
	lane := &lane{}
	plain := newAttempt(p, nil, opt, mode, nil)
	r.plain = plain.prover(lane)
	r.full = plain.with(guessed).prover(lane)
	return r, nil
}

// Facts are those of the proof.
func (r *Recheck) Facts() []Fact { return r.facts }

// Vertices are those of the program.
func (r *Recheck) Vertices() []Vertex { return vertices(r.plain.nodes) }

// Steady reports whether a vertex needs no question; see Evidence.
func (r *Recheck) Steady(v int) bool {
	return r.plain.gran == symbolic.ByRow && steady(r.plain.code, r.plain.nodes[v].txn, r.opt)
}

// Certificate is the certificate that applies to a program, or "".
func Certificate(p *ir.Program, opt Options) string {
	if len(p.Invariants) > 0 {
		return ""
	}
	return certificate(p, opt)
}

// Piece gives the script and the facts of a refuted piece; as says how it was
// refuted. The script is "" where no solver is needed.
func (r *Recheck) Piece(q proof.Question, as *Refutation) (script string, uses []int, err error) {
	p := r.plain
	if as.WithFacts {
		p = r.full
	}
	pc := piece{t0: q.Delayed, first: q.First, last: q.Last}
	for _, e := range q.Elements {
		if e.Kind == proof.Issued && p.opt.naive {
			return "", nil, fmt.Errorf("an issued element")
		}
		pc.elems = append(pc.elems, elem{e.Vertex, map[proof.Kind]Kind{proof.Atomic: Atomic, proof.Issued: Issued}[e.Kind]})
	}
	built := p.question(pc)
	built.build(pc)
	return repeat(built.w, built.terms, built.topics, as)
}

// Keepers are the templates that have to keep a fact: those that may break it.
func (r *Recheck) Keepers(fact int) []*ir.Txn {
	var out []*ir.Txn
	for _, t := range r.prog.Txns {
		if mayBreak(t, r.facts[fact].Invariant) {
			out = append(out, t)
		}
	}
	return out
}

// Kept is Piece for the question whether a template keeps a fact.
func (r *Recheck) Kept(t *ir.Txn, fact int, as *Refutation) (script string, uses []int, err error) {
	w := r.full.code.World(smt.NewBuilder(), r.opt.Engine)
	return repeat(w, breaking(w, t, r.facts[fact].Invariant), nil, as)
}

func repeat(w *symbolic.World, terms []*smt.Term, topics []string, as *Refutation) (string, []int, error) {
	if w.B.And(terms...).IsFalse() {
		if !as.Syntactic {
			return "", nil, fmt.Errorf("the question needs no solver")
		}
		return "", nil, nil
	}
	if as.Syntactic {
		return "", nil, fmt.Errorf("the question needs a solver")
	}
	rounds, err := symbolic.ParseRounds(as.Steps)
	if err != nil {
		return "", nil, err
	}
	a, err := w.Repeat(rounds, terms...)
	if err != nil {
		return "", nil, err
	}
	copy(a.Topics, topics)
	var used []string
	for _, t := range a.Topics {
		if !slices.Contains(as.Dropped, t) && !slices.Contains(used, t) {
			used = append(used, t)
		}
	}
	return smt.Script(without(&a, as.Dropped)), uses(used), nil
}
