package smt

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/aclements/go-z3/z3"
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

	ctx   *z3.Context
	core  *z3.Solver // made once: that takes milliseconds, a question does not
	memo  map[*Term]z3.Value
	funcs map[string]z3.FuncDecl
	uses  int
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

// NewSolver makes a Solver.
func NewSolver() *Solver {
	s := &Solver{}
	s.reset()
	return s
}

// maxMemo bounds the Z3 terms that a Solver keeps; beyond it, it starts anew.
const maxMemo = 400000

func (s *Solver) reset() {
	s.ctx = z3.NewContext(z3.NewContextConfig())
	s.core = z3.NewSolver(s.ctx)
	s.memo = map[*Term]z3.Value{}
	s.funcs = map[string]z3.FuncDecl{}
}

// Forget drops the terms of a Builder that is no longer used.
func (s *Solver) Forget() {
	s.memo = map[*Term]z3.Value{}
	if s.uses++; s.uses%1000 == 0 {
		s.reset() // symbols are never freed within a context
	}
}

// Model is an assignment that makes the terms of a question true.
type Model struct {
	s *Solver
	m *z3.Model
}

// Check asks whether all of the terms, which must come from one Builder, can
// be true. The Model is nil unless the answer is Sat; the reason says why an
// answer is Unknown. A cancelled context interrupts Z3.
func (s *Solver) Check(ctx context.Context, asserts []*Term) (res Result, m *Model, reason string) {
	for _, t := range asserts {
		if t.IsFalse() {
			return Unsat, nil, ""
		}
	}
	if err := ctx.Err(); err != nil {
		return Unknown, nil, err.Error()
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
	if len(s.memo) > maxMemo {
		s.reset()
	}
	cfg := s.ctx.Config()
	cfg.SetUint("rlimit", s.Limit)
	timeout := uint(s.Timeout / time.Millisecond)
	if deadline, ok := ctx.Deadline(); ok {
		left := uint(max(1, time.Until(deadline)/time.Millisecond))
		if timeout == 0 || left < timeout {
			timeout = left
		}
	}
	if timeout == 0 {
		timeout = ^uint(0) >> 32
	}
	cfg.SetUint("timeout", timeout)
	s.core.Push()
	defer s.core.Pop()
	for _, t := range asserts {
		s.core.Assert(s.term(t).(z3.Bool))
	}
	stop := context.AfterFunc(ctx, s.ctx.Interrupt)
	sat, err := s.core.Check()
	stop()
	switch {
	case err != nil:
		if ctx.Err() != nil {
			return Unknown, nil, ctx.Err().Error()
		}
		return Unknown, nil, err.Error()
	case !sat:
		return Unsat, nil, ""
	}
	return Sat, &Model{s, s.core.Model()}, ""
}

func (s *Solver) sort(t Sort) z3.Sort {
	switch t {
	case Bool:
		return s.ctx.BoolSort()
	case Int:
		return s.ctx.IntSort()
	}
	return s.ctx.RealSort()
}

// term translates a term to Z3.
func (s *Solver) term(t *Term) z3.Value {
	if v, ok := s.memo[t]; ok {
		return v
	}
	args := make([]z3.Value, len(t.args))
	for i, a := range t.args {
		args[i] = s.term(a)
	}
	v := s.make(t, args)
	s.memo[t] = v
	return v
}

func bools(vs []z3.Value) []z3.Bool {
	out := make([]z3.Bool, len(vs))
	for i, v := range vs {
		out[i] = v.(z3.Bool)
	}
	return out
}

func ints(vs []z3.Value) []z3.Int {
	out := make([]z3.Int, len(vs))
	for i, v := range vs {
		out[i] = v.(z3.Int)
	}
	return out
}

func reals(vs []z3.Value) []z3.Real {
	out := make([]z3.Real, len(vs))
	for i, v := range vs {
		out[i] = v.(z3.Real)
	}
	return out
}

func (s *Solver) make(t *Term, args []z3.Value) z3.Value {
	isInt := len(args) > 0 && t.args[len(t.args)-1].sort == Int
	switch t.op {
	case opConst:
		switch t.sort {
		case Bool:
			return s.ctx.FromBool(t.IsTrue())
		case Int:
			return s.ctx.FromBigInt(t.num.Num(), s.ctx.IntSort())
		}
		return s.ctx.FromBigRat(t.num)
	case opVar:
		return s.ctx.Const(t.name, s.sort(t.sort))
	case opApp:
		f, ok := s.funcs[t.name]
		if !ok {
			dom := make([]z3.Sort, len(t.args))
			for i, a := range t.args {
				dom[i] = s.sort(a.sort)
			}
			f = s.ctx.FuncDecl(t.name, dom, s.sort(t.sort))
			s.funcs[t.name] = f
		}
		return f.Apply(args...)
	case opNot:
		return args[0].(z3.Bool).Not()
	case opAnd:
		b := bools(args)
		return b[0].And(b[1:]...)
	case opOr:
		b := bools(args)
		return b[0].Or(b[1:]...)
	case opIte:
		return args[0].(z3.Bool).IfThenElse(args[1], args[2])
	case opEq:
		switch t.args[0].sort {
		case Bool:
			return args[0].(z3.Bool).Eq(args[1].(z3.Bool))
		case Int:
			return args[0].(z3.Int).Eq(args[1].(z3.Int))
		}
		return args[0].(z3.Real).Eq(args[1].(z3.Real))
	case opLe:
		if isInt {
			return args[0].(z3.Int).LE(args[1].(z3.Int))
		}
		return args[0].(z3.Real).LE(args[1].(z3.Real))
	case opAdd:
		if isInt {
			n := ints(args)
			return n[0].Add(n[1:]...)
		}
		n := reals(args)
		return n[0].Add(n[1:]...)
	case opMul:
		if isInt {
			n := ints(args)
			return n[0].Mul(n[1:]...)
		}
		n := reals(args)
		return n[0].Mul(n[1:]...)
	case opDiv:
		return args[0].(z3.Int).Div(args[1].(z3.Int))
	case opMod:
		return args[0].(z3.Int).Mod(args[1].(z3.Int))
	case opQuo:
		return args[0].(z3.Real).Div(args[1].(z3.Real))
	case opToReal:
		return args[0].(z3.Int).ToReal()
	}
	panic(fmt.Sprintf("smt: unknown operator %d", t.op))
}

// Value is the value of a term of sort Int or Real in the model, or 1 and 0
// for true and false.
func (m *Model) Value(t *Term) *big.Rat {
	v := m.m.Eval(m.s.term(t), true)
	switch v := v.(type) {
	case z3.Bool:
		if b, _ := v.AsBool(); b {
			return big.NewRat(1, 1)
		}
		return new(big.Rat)
	case z3.Int:
		if i, ok := v.AsBigInt(); ok {
			return new(big.Rat).SetInt(i)
		}
	case z3.Real:
		if r, ok := v.AsBigRat(); ok {
			return r
		}
	}
	// An algebraic number or an expression that the model leaves open: only
	// non-linear questions have those, and no witness can be made of it.
	return nil
}

// IsTrue reports whether a term of sort Bool is true in the model.
func (m *Model) IsTrue(t *Term) bool {
	v := m.Value(t)
	return v != nil && v.Sign() != 0
}
