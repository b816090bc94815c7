package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/movers"
	"github.com/txrobust/robust/internal/proof"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/symbolic"
)

// claim is what proofs prove.
const claim = "every execution at snapshot isolation has the outcome of a serial one"

// classicClaim is what they prove with Options.Classic.
const classicClaim = "no execution at snapshot isolation has a cycle of dependencies"

// InitName names initial rows, as the flag -init does.
func InitName(init schedules.Init) string {
	switch init {
	case schedules.AnyRows:
		return "any"
	case schedules.NoRows:
		return "empty"
	case schedules.FileRows:
		return "file"
	}
	panic(fmt.Sprintf("check: unknown initial rows %d", init))
}

// graphMethod puts the argument in the graph in words.
const graphMethod = "no walk from the snapshot of a transaction to its commit is possible (docs/soundness.md, section 4)"

// written starts a proof to be kept.
func (c *check) written(argument, method string) *proof.Proof {
	out := proof.New(c.p.Name)
	m := &out.Manifest
	m.Claim, m.Argument, m.Method = claim, argument, method
	if c.opt.Classic {
		m.Claim = classicClaim
	}
	m.Isolation, m.Engine, m.Init = c.rep.Isolation, c.opt.Engine.Name, InitName(c.opt.Init)
	for _, t := range c.p.Txns {
		m.Transactions = append(m.Transactions, t.Name)
	}
	m.Assumptions = append(m.Assumptions, c.assumptions()...)
	for _, n := range c.rep.Premises {
		m.Assumptions = append(m.Assumptions, fmt.Sprintf("%s:%d:%d: %s", n.File, n.Line, n.Col, n.Text))
	}
	return out
}

// fromGraph writes down what a proof in the graph rests on.
func (c *check) fromGraph(r *movers.Result) (*proof.Proof, error) {
	if r.Certificate != "" {
		return c.written(proof.ByCertificate, r.Certificate), nil
	}
	e := r.Evidence
	o := &proof.Outline{Argument: proof.ByGraph, Exclusion: exclusion(r.Mode), Steady: e.Steady}
	for _, f := range e.Facts {
		o.Facts = append(o.Facts, movers.FactString(f.Invariant))
	}
	for _, a := range e.Asked {
		if a.Needed {
			o.Refuted = append(o.Refuted, proof.Refutation{Question: a.Question, Hint: hint(a.Refuted)})
		}
	}
	for _, k := range e.Kept {
		o.Kept = append(o.Kept, proof.KeptFact{Fact: k.Fact, Template: k.Txn.Name, Hint: hint(k.Refuted)})
	}
	out, err := c.remake(o)
	if err != nil {
		return nil, fmt.Errorf("the proof of %s cannot be made again, which is a fault of this program: %w", c.p.Name, err)
	}
	return out, nil
}

func exclusion(mode symbolic.Granularity) string {
	if mode == symbolic.ByCell {
		return "cell"
	}
	return "row"
}

func hint(r *movers.Refutation) proof.Hint {
	h := proof.Hint{By: proof.BySolver, WithFacts: r.WithFacts, Dropped: r.Dropped, Steps: r.Steps}
	if r.Syntactic {
		h.By = proof.BySyntax
	}
	return h
}

// Remake makes a proof anew from its program along an outline, and without a
// solver: all of the manifest but the inputs and the command, and all scripts. Of
// opt, what decides the claim counts. Equal proofs are equal texts. An error says
// what of the outline does not hold of the program.
func Remake(ctx context.Context, p *ir.Program, opt Options, o *proof.Outline) (*proof.Proof, error) {
	c := newCheck(ctx, p, opt)
	switch o.Argument {
	case proof.ByGraph:
		return c.remake(o)
	case proof.ByCertificate:
		if method := movers.Certificate(c.p, c.moverOptions()); method != "" {
			return c.written(proof.ByCertificate, method), nil
		}
		return nil, errors.New("no certificate applies to the program")
	case proof.ByExecutions:
		c.opt.Keep = func(*proof.Proof) {}
		switch decided, err := c.exhaustive(); {
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !decided || c.evidence == nil:
			return nil, errors.New("going through the executions again shows no proof")
		}
		return c.evidence, nil
	}
	return nil, fmt.Errorf("%q is no kind of argument", o.Argument)
}

// remake makes a proof in the graph. Where both kinds of exclusion give the same
// questions, it is that by row.
func (c *check) remake(o *proof.Outline) (*proof.Proof, error) {
	row, err := c.remakeBy(symbolic.ByRow, o)
	if o.Exclusion != exclusion(symbolic.ByCell) {
		return row, err
	}
	cell, cellErr := c.remakeBy(symbolic.ByCell, o)
	if err == nil && cellErr == nil && maps.Equal(row.Scripts, cell.Scripts) {
		return row, nil
	}
	return cell, cellErr
}

func (c *check) remakeBy(mode symbolic.Granularity, o *proof.Outline) (*proof.Proof, error) {
	again, err := movers.NewRecheck(c.p, c.moverOptions(), mode, o.Facts)
	if err != nil {
		return nil, err
	}
	r := &remaking{c: c, again: again, out: c.written(proof.ByGraph, graphMethod), needed: map[int]bool{}}
	m := &r.out.Manifest
	m.Exclusion = exclusion(mode)
	for _, v := range again.Vertices() {
		m.Vertices = append(m.Vertices, v.Vertex)
	}
	for _, step := range []func(*proof.Outline) error{r.steady, r.refuted, r.facts, r.kept} {
		if err := step(o); err != nil {
			return nil, err
		}
	}
	return r.out, nil
}

// remaking is a proof in the graph while it is made anew.
type remaking struct {
	c     *check
	again *movers.Recheck
	out   *proof.Proof
	// questions are about pieces, in order; pieces are their refutations, and needed the facts that these use, and those
	// that keeping them uses.
	questions []proof.Refutation
	pieces    []*movers.Refutation
	needed    map[int]bool
	withFacts bool
	kepts     []keptAnew
}

type keptAnew struct {
	proof.KeptFact
	refuted *movers.Refutation
}

func (r *remaking) steady(o *proof.Outline) error {
	m := &r.out.Manifest
	for _, v := range o.Steady {
		if v < 0 || v >= len(m.Vertices) {
			return fmt.Errorf("there is no vertex %d in the sources", v)
		}
		if !r.again.Steady(v) {
			return fmt.Errorf("%s is not steady: it reads what others write", m.Vertices[v].Name)
		}
		m.Steady = append(m.Steady, v)
	}
	slices.Sort(m.Steady)
	m.Steady = slices.Compact(m.Steady)
	return nil
}

// refuted makes the questions about pieces of walks.
func (r *remaking) refuted(o *proof.Outline) error {
	vertices := r.out.Manifest.Vertices
	r.questions = slices.Clone(o.Refuted)
	slices.SortStableFunc(r.questions, func(a, b proof.Refutation) int { return a.Question.Compare(b.Question) })
	r.questions = slices.CompactFunc(r.questions, func(a, b proof.Refutation) bool { return a.Question.Compare(b.Question) == 0 })
	for _, q := range r.questions {
		if err := r.c.ctx.Err(); err != nil {
			return err
		}
		if slices.ContainsFunc(append([]proof.Element{{Vertex: q.Delayed}}, q.Elements...), func(e proof.Element) bool { return e.Vertex < 0 || e.Vertex >= len(vertices) }) {
			return fmt.Errorf("the question %s is about a vertex that the sources do not have", q.Question)
		}
		again, err := r.again.Piece(q.Question, refutation(q.Hint))
		if err != nil {
			return fmt.Errorf("the question %s is not one of the program: %w", q.Words(vertices), err)
		}
		r.pieces = append(r.pieces, again)
		r.withFacts = r.withFacts || again.WithFacts
		for _, f := range again.Uses {
			r.needed[f] = true
		}
	}
	return nil
}

// facts makes the questions whether the needed facts are kept, and writes the facts
// and the refuted pieces. Where no question has the guessed facts, they are left
// out.
func (r *remaking) facts(o *proof.Outline) error {
	for more := true; more; {
		more = false
		for _, k := range o.Kept {
			if !r.needed[k.Fact] || slices.ContainsFunc(r.kepts, func(x keptAnew) bool { return x.Fact == k.Fact && x.Template == k.Template }) {
				continue
			}
			t := r.c.p.Txn(k.Template)
			if t == nil {
				return fmt.Errorf("there is no transaction %s that could keep a fact", k.Template)
			}
			again, err := r.again.Kept(t, k.Fact, refutation(k.Hint))
			if err != nil {
				return fmt.Errorf("that %s keeps the fact %q is not a question of the program: %w", k.Template, o.Facts[k.Fact], err)
			}
			r.kepts = append(r.kepts, keptAnew{k, again})
			for _, f := range again.Uses {
				r.needed[f] = true
			}
			more, r.withFacts = true, true
		}
	}
	m := &r.out.Manifest
	for i, f := range r.again.Facts() {
		if f.Stated || r.withFacts {
			m.Facts = append(m.Facts, proof.Fact{Text: movers.FactString(f.Invariant), Stated: f.Stated, Needed: r.needed[i]})
		}
	}
	for i, q := range r.questions {
		p := r.pieces[i]
		r.out.Refute(q.Question, reason(p), p.Script, p.Steps)
	}
	return nil
}

// kept writes that each needed fact holds initially, and that all templates which may
// break it keep it.
func (r *remaking) kept(*proof.Outline) error {
	m := &r.out.Manifest
	for i, f := range r.again.Facts() {
		if !r.needed[i] {
			continue
		}
		text := movers.FactString(f.Invariant)
		switch {
		case f.Stated: // an assumption of every verdict
		case r.c.opt.Init == schedules.AnyRows:
			m.Assumptions = append(m.Assumptions, initially(f.Invariant))
		case !r.c.initially(f.Invariant):
			return fmt.Errorf("this fact does not hold in the initial rows: %s", text)
		}
		for _, t := range r.again.Keepers(i) {
			k := slices.IndexFunc(r.kepts, func(x keptAnew) bool { return x.Fact == i && x.Template == t.Name })
			if k < 0 {
				return fmt.Errorf("nothing says that %s keeps the fact %s", t.Name, text)
			}
			p := r.kepts[k].refuted
			r.out.Keep(t.Name, i, reason(p), p.Script, p.Steps)
		}
	}
	return nil
}

func reason(r *movers.Refutation) proof.Reason {
	out := proof.Reason{By: proof.BySolver, WithFacts: r.WithFacts, Uses: r.Uses, Dropped: r.Dropped}
	if r.Syntactic {
		out.By = proof.BySyntax
	}
	return out
}

func refutation(h proof.Hint) *movers.Refutation {
	return &movers.Refutation{Syntactic: h.By == proof.BySyntax, WithFacts: h.WithFacts, Dropped: h.Dropped, Steps: h.Steps}
}

// initially is the assumption that a fact holds in the beginning.
func initially(f *ir.Invariant) string { return "initially " + movers.FactString(f) }
