package robust

import (
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/movers"
	"github.com/txrobust/robust/proof"
	"github.com/txrobust/robust/schedules"
	"github.com/txrobust/robust/symbolic"
)

// claim is what proofs prove.
const claim = "every execution at snapshot isolation has the outcome of a serial one"

// classicClaim is what they prove with Options.Classic.
const classicClaim = "no execution at snapshot isolation has a cycle of dependencies"

var initNames = map[schedules.Init]string{schedules.AnyRows: "any", schedules.NoRows: "empty", schedules.FileRows: "file"}

// written starts a proof to be kept.
func (c *check) written(argument, method string) *proof.Proof {
	out := proof.New(c.p.Name)
	m := &out.Manifest
	m.Claim, m.Argument, m.Method = claim, argument, method
	if c.opt.Classic {
		m.Claim = classicClaim
	}
	m.Options.Engine, m.Options.Init = c.opt.Engine.Name, initNames[c.opt.Init]
	m.Options.Classic, m.Options.SessionOrder = c.opt.Classic, c.opt.SessionOrder
	m.Assumptions = slices.Clone(c.rep.Assumptions)
	return out
}

// fromGraph writes down what a proof in the graph rests on.
func (c *check) fromGraph(r *movers.Result) *proof.Proof {
	if r.Certificate != "" {
		return c.written(proof.ByCertificate, r.Certificate)
	}
	out := c.written(proof.ByGraph, "no walk from the snapshot of a transaction to its commit is possible (docs/soundness.md, section 4)")
	m, e := &out.Manifest, r.Evidence
	m.Exclusion = exclusion(r.Mode)
	m.Vertices = append(m.Vertices, e.Graph()...)
	m.Steady = append(m.Steady, e.Steady...)
	for _, f := range e.Facts {
		m.Facts = append(m.Facts, proof.Fact{Text: movers.FactString(f.Invariant), Stated: f.Stated, Needed: f.Needed})
	}
	for _, a := range e.Asked {
		if a.Needed {
			out.Refute(a.Question, reason(a.Refuted), a.Refuted.Script, a.Refuted.Steps)
		}
	}
	for _, k := range e.Kept {
		out.Keep(k.Txn.Name, k.Fact, reason(k.Refuted), k.Refuted.Script, k.Refuted.Steps)
	}
	return out
}

func exclusion(mode symbolic.Granularity) string {
	if mode == symbolic.ByCell {
		return "cell"
	}
	return "row"
}

func reason(r *movers.Refutation) proof.Reason {
	out := proof.Reason{By: proof.BySolver, WithFacts: r.WithFacts, Uses: r.Uses, Dropped: r.Dropped}
	if r.Syntactic {
		out.By = proof.BySyntax
	}
	return out
}

// Recheck makes the questions of a proof anew from its program, for
// proof.Verify. The options that decide what a proof claims are those of the
// manifest; an error says that the program is not the one proved.
func Recheck(p *ir.Program, m *proof.Manifest) (proof.Sources, error) {
	opt, err := optionsOf(m)
	if err != nil {
		return nil, err
	}
	c := newCheck(context.Background(), p, opt)
	r := &recheck{check: c}
	if m.Argument != proof.ByGraph {
		return r, nil
	}
	var facts []string
	for _, f := range m.Facts {
		facts = append(facts, f.Text)
	}
	mode := symbolic.ByRow
	if m.Exclusion == exclusion(symbolic.ByCell) {
		mode = symbolic.ByCell
	}
	r.Recheck, err = movers.NewRecheck(p, c.moverOptions(), mode, facts)
	return r, err
}

type recheck struct {
	*movers.Recheck
	check *check
}

func (r *recheck) Vertices() []proof.Vertex {
	var out []proof.Vertex
	for _, v := range r.Recheck.Vertices() {
		out = append(out, v.Vertex)
	}
	return out
}

func (r *recheck) Stated() int { return len(r.check.p.Invariants) }

func (r *recheck) Piece(q proof.Question, why proof.Reason, steps string) (string, []int, error) {
	return r.Recheck.Piece(q, refutation(why, steps))
}

func (r *recheck) Kept(template string, fact int, why proof.Reason, steps string) (string, []int, error) {
	t := r.check.p.Txn(template)
	if t == nil {
		return "", nil, fmt.Errorf("there is no transaction %s", template)
	}
	return r.Recheck.Kept(t, fact, refutation(why, steps))
}

func refutation(why proof.Reason, steps string) *movers.Refutation {
	return &movers.Refutation{Syntactic: why.By == proof.BySyntax, WithFacts: why.WithFacts, Uses: why.Uses, Dropped: why.Dropped, Steps: steps}
}

func (r *recheck) Keepers(fact int) []string {
	var out []string
	for _, t := range r.Recheck.Keepers(fact) {
		out = append(out, t.Name)
	}
	return out
}

func (r *recheck) Initially(fact int, assumptions []string) bool {
	f := r.Facts()[fact]
	if f.Stated {
		return true // an assumption of every verdict
	}
	if r.check.opt.Init != schedules.AnyRows {
		return r.check.initially(f.Invariant)
	}
	return slices.Contains(assumptions, initially(f.Invariant))
}

// initially is the assumption that a fact holds in the beginning.
func initially(f *ir.Invariant) string { return "initially " + movers.FactString(f) }

func (r *recheck) Argument(ctx context.Context, m *proof.Manifest) error {
	switch c := r.check; m.Argument {
	case proof.ByCertificate:
		if got := movers.Certificate(c.p, c.moverOptions()); got != m.Method {
			return fmt.Errorf("the certificate does not apply: %s", m.Method)
		}
	case proof.ByExecutions:
		c.ctx = ctx
		if ok, err := c.exhaustive(); err != nil || !ok || c.rep.Proof == nil || c.rep.Proof.Method != m.Method {
			return fmt.Errorf("going through the executions again does not show: %s", m.Method)
		}
	}
	return nil
}

// optionsOf reads the options of a proof.
func optionsOf(m *proof.Manifest) (Options, error) {
	opt := Options{Classic: m.Options.Classic, SessionOrder: m.Options.SessionOrder}
	if opt.Engine = engine.ByName(m.Options.Engine); opt.Engine == nil {
		return opt, fmt.Errorf("there is no engine %q", m.Options.Engine)
	}
	for init, name := range initNames {
		if name == m.Options.Init {
			opt.Init = init
			return opt, nil
		}
	}
	return opt, fmt.Errorf("%q is no kind of initial rows", m.Options.Init)
}
