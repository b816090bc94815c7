package smt

import (
	"context"
	"math/big"
	"time"
)

// Result is a three-valued answer.
type Result uint8

const (
	// Unknown: the solver gave up, ran out of its limits or was interrupted.
	Unknown Result = iota
	// Unsat: the terms cannot all be true.
	Unsat
	// Sat: they can.
	Sat
)

func (r Result) String() string { return [...]string{"unknown", "unsat", "sat"}[r] }

// Solver asks Z3. It is not safe for concurrent use; different Solvers are
// independent.
type Solver struct {
	// Limit bounds the work of one question in Z3's resource units, so that
	// answers do not depend on the machine's speed. 0 is no bound.
	Limit uint
	// Timeout bounds the time of one question. 0 is no bound.
	Timeout time.Duration
	// Stats counts the questions and the time that the solver took.
	Stats Stats

	z3 backend // made once: that takes milliseconds, a question does not
}

// backend is a Z3 that has at most one question at a time.
type backend interface {
	push()
	pop()
	assert(t *Term)
	// ready waits until Z3 has started, which is no part of the time for a question.
	ready(ctx context.Context)
	// check answers the question. The valuation is that of a Sat; the string says
	// why an answer is Unknown. When ctx ends, Z3 is interrupted.
	check(ctx context.Context, limit uint) (Result, valuation, string)
	// broken says why Z3 answers no more, or is "".
	broken() string
	// forget drops the terms of a Builder that is no longer used. full reports
	// whether so much is kept that Z3 is better made anew.
	forget() (full bool)
	full() bool
	close()
}

// valuation gives the values of what is not interpreted, until the next question.
// They are nil where they are not rational.
type valuation interface {
	variable(t *Term) *big.Rat
	// apply gives the function that t applies at values, which key names.
	apply(t *Term, args []*big.Rat, key string) *big.Rat
	// undefined gives the operation of t at values where only the model defines it.
	undefined(t *Term, args []*big.Rat) *big.Rat
}

// Stats counts what a Solver did.
type Stats struct {
	Queries, Sat, Unsat, Unknown int
	Time                         time.Duration
}

// Add sums two counts.
func (s *Stats) Add(o Stats) {
	s.Queries += o.Queries
	s.Sat += o.Sat
	s.Unsat += o.Unsat
	s.Unknown += o.Unknown
	s.Time += o.Time
}

// NewSolver makes a Solver. Close ends it.
func NewSolver() *Solver { return &Solver{z3: newBackend()} }

// Close frees what the solver holds, such as a process. The Solver and its models
// must not be used any more. Closing it again does nothing.
func (s *Solver) Close() {
	if s.z3 != nil {
		s.z3.close()
		s.z3 = nil
	}
}

func (s *Solver) reset() {
	s.z3.close()
	s.z3 = newBackend()
}

// Forget drops the terms of a Builder that is no longer used.
func (s *Solver) Forget() {
	if s.z3.forget() {
		s.reset()
	}
}

// Check asks whether all of the terms, which must come from one Builder, can
// be true. The Model is nil unless the answer is Sat; the reason says why an
// answer is Unknown. A cancelled context interrupts Z3.
func (s *Solver) Check(ctx context.Context, asserts []*Term) (Result, *Model, string) {
	d := s.Begin()
	defer d.End()
	d.Assert(asserts...)
	return d.Check(ctx)
}

// Dialogue is a question that may be made narrower after each answer. A
// Solver has one at a time.
type Dialogue struct {
	s    *Solver
	dead bool // an assertion is false
}

// Begin starts a question. End must be called.
func (s *Solver) Begin() *Dialogue {
	if s.z3.broken() != "" || s.z3.full() {
		s.reset()
	}
	s.z3.push()
	return &Dialogue{s: s}
}

// End forgets the question.
func (d *Dialogue) End() {
	if d.s.z3.broken() == "" {
		d.s.z3.pop()
	}
}

// Assert adds terms, all of which are to be true.
func (d *Dialogue) Assert(terms ...*Term) {
	for _, t := range terms {
		if d.s.z3.broken() != "" {
			return
		}
		if t.IsFalse() {
			d.dead = true
		}
		if !d.dead && !t.IsTrue() {
			d.s.z3.assert(t)
		}
	}
}

// Check answers the question as it stands; see Solver.Check.
func (d *Dialogue) Check(ctx context.Context) (res Result, m *Model, reason string) {
	if d.dead {
		return Unsat, nil, ""
	}
	if err := ctx.Err(); err != nil {
		return Unknown, nil, err.Error()
	}
	s := d.s
	s.z3.ready(ctx)
	if why := s.z3.broken(); why != "" {
		return Unknown, nil, why
	}
	start := time.Now()
	defer func() {
		s.Stats.Queries++
		s.Stats.Time += time.Since(start)
		switch res {
		case Sat:
			s.Stats.Sat++
		case Unsat:
			s.Stats.Unsat++
		default:
			s.Stats.Unknown++
		}
	}()
	// Z3's own timer is not used: it can wait for itself forever.
	var cancel context.CancelFunc = func() {}
	if s.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, s.Timeout)
	}
	defer cancel()
	res, values, reason := s.z3.check(ctx, s.Limit)
	if res != Sat {
		return res, nil, reason
	}
	return Sat, &Model{values: values, memo: map[*Term]*big.Rat{}, funcs: map[point]*big.Rat{}}, ""
}
