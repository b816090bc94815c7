package movers

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/proof"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/symbolic"
	"github.com/txrobust/robust/internal/walk"
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
	guesses := guess(p)
	var guessed []*ir.Invariant
	for _, text := range facts[len(p.Invariants):] {
		i := slices.IndexFunc(guesses, func(g *ir.Invariant) bool { return FactString(g) == text })
		if i < 0 {
			return nil, fmt.Errorf("the fact %q is none that is guessed from the program, or is in another place", text)
		}
		guessed = append(guessed, guesses[i])
		r.facts = append(r.facts, Fact{Invariant: guesses[i]})
		guesses = guesses[i+1:]
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

// Piece makes the refutation of a piece again; as says how it was refuted:
// whether by syntax, with facts, what was dropped, and the steps. What is given is
// written in one way only, so that equal refutations are equal texts.
func (r *Recheck) Piece(q proof.Question, as *Refutation) (*Refutation, error) {
	without, err := r.piece(r.plain, q, as)
	if !as.WithFacts {
		return without, err
	}
	with, withErr := r.piece(r.full, q, as)
	if withErr != nil || err != nil || with.Script != without.Script {
		if with != nil {
			with.WithFacts = true
		}
		return with, withErr
	}
	return without, nil // the facts are not needed
}

func (r *Recheck) piece(p *prover, q proof.Question, as *Refutation) (*Refutation, error) {
	pc := piece{t0: q.Delayed, first: q.First, last: q.Last}
	for _, e := range q.Elements {
		if e.Kind == proof.Issued && p.opt.naive {
			return nil, fmt.Errorf("an issued element")
		}
		pc.elems = append(pc.elems, elem{e.Vertex, map[proof.Kind]walk.Kind{proof.Atomic: walk.Atomic, proof.Issued: walk.Issued}[e.Kind]})
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
func (r *Recheck) Kept(t *ir.Txn, fact int, as *Refutation) (*Refutation, error) {
	w := symbolic.NewWorld(r.full.code, smt.NewBuilder(), r.opt.Engine)
	out, err := repeat(w, breaking(w, t, r.facts[fact].Invariant), nil, as)
	if out != nil {
		out.WithFacts = true
	}
	return out, err
}

func repeat(w *symbolic.World, terms []*smt.Term, topics []string, as *Refutation) (*Refutation, error) {
	if w.B.And(terms...).IsFalse() {
		if !as.Syntactic {
			return nil, fmt.Errorf("the question needs no solver")
		}
		return &Refutation{Syntactic: true}, nil
	}
	if as.Syntactic {
		return nil, fmt.Errorf("the question needs a solver")
	}
	rounds, err := prepare.ParseRounds(as.Steps)
	if err != nil {
		return nil, err
	}
	a, err := w.Repeat(rounds, terms...)
	if err != nil {
		return nil, err
	}
	copy(a.Topics, topics)
	out := &Refutation{Steps: prepare.RoundsText(rounds)}
	for _, t := range a.Topics {
		if slices.Contains(as.Dropped, t) && t != "" {
			out.Dropped = append(out.Dropped, t)
		} else {
			out.Topics = append(out.Topics, t)
		}
	}
	for _, list := range []*[]string{&out.Dropped, &out.Topics} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	out.Uses = uses(out.Topics)
	out.Script = smt.Script(without(&a, out.Dropped))
	return out, nil
}
