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
	// kept has what Z3 gave that is no longer used: it frees what the garbage
	// collector finds, and its answers depend on when.
	kept []any
	size int // of the terms in it

	limit    uint // what Z3 was told last
	spoilt   bool // an interrupt may still be in Z3: it has to be made anew
	sorts    [3]z3.Sort
	numerals map[literal]z3.Value
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

// maxKept bounds what a Solver keeps that is no longer used.
const maxKept = 30000

func (s *Solver) reset() {
	s.ctx = z3.NewContext(z3.NewContextConfig())
	s.core = z3.NewSolver(s.ctx)
	s.memo = map[*Term]z3.Value{}
	s.funcs = map[string]z3.FuncDecl{}
	s.kept, s.size = nil, 0
	s.limit, s.spoilt = 0, false
	s.sorts = [...]z3.Sort{Bool: s.ctx.BoolSort(), Int: s.ctx.IntSort(), Real: s.ctx.RealSort()}
	s.numerals = map[literal]z3.Value{}
}

// literal is a number as a term of a sort.
type literal struct {
	sort Sort
	num  string
}

// Forget drops the terms of a Builder that is no longer used.
func (s *Solver) Forget() {
	s.kept = append(s.kept, s.memo, s.funcs)
	s.size += len(s.memo)
	s.memo = map[*Term]z3.Value{}
	s.funcs = map[string]z3.FuncDecl{}
	if s.size > maxKept || len(s.kept) > maxKept {
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
	if s.spoilt || len(s.memo) > maxMemo {
		s.reset()
	}
	s.core.Push()
	return &Dialogue{s: s}
}

// End forgets the question.
func (d *Dialogue) End() {
	if !d.s.spoilt {
		d.s.core.Pop()
	}
}

// Assert adds terms, all of which are to be true.
func (d *Dialogue) Assert(terms ...*Term) {
	for _, t := range terms {
		if d.s.spoilt {
			return
		}
		if t.IsFalse() {
			d.dead = true
		}
		if !d.dead && !t.IsTrue() {
			d.s.core.Assert(d.s.term(t).(z3.Bool))
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
	if s.spoilt {
		return Unknown, nil, "the solver was interrupted"
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
	if s.limit != s.Limit {
		s.limit = s.Limit
		s.ctx.Config().SetUint("rlimit", s.Limit)
	}
	// Z3's own timer is not used: it can wait for itself forever.
	var cancel context.CancelFunc = func() {}
	if s.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, s.Timeout)
	}
	defer cancel()
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		s.ctx.Interrupt()
		close(interrupted)
	})
	sat, err := s.core.Check()
	if !stop() {
		<-interrupted
		s.spoilt = true
	}
	switch {
	case err != nil:
		if ctx.Err() != nil {
			return Unknown, nil, ctx.Err().Error()
		}
		return Unknown, nil, err.Error()
	case !sat:
		return Unsat, nil, ""
	}
	if err := ctx.Err(); err != nil {
		return Unknown, nil, err.Error() // an interrupt may have cost the model
	}
	model := s.core.Model()
	s.kept = append(s.kept, model)
	return Sat, &Model{s: s, m: model, memo: map[*Term]*big.Rat{}, funcs: map[string]*big.Rat{}}, ""
}

func (s *Solver) sort(t Sort) z3.Sort { return s.sorts[t] }

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

// function is the declaration of the function that t applies.
func (s *Solver) function(t *Term) z3.FuncDecl {
	f, ok := s.funcs[t.name]
	if !ok {
		dom := make([]z3.Sort, len(t.args))
		for i, a := range t.args {
			dom[i] = s.sort(a.sort)
		}
		f = s.ctx.FuncDecl(symbol(t.name), dom, s.sort(t.sort))
		s.funcs[t.name] = f
	}
	return f
}

func (s *Solver) numeral(sort Sort, r *big.Rat) z3.Value {
	key := literal{sort, r.RatString()}
	v, ok := s.numerals[key]
	if !ok {
		switch sort {
		case Bool:
			v = s.ctx.FromBool(r.Sign() != 0)
		case Int:
			v = s.ctx.FromBigInt(r.Num(), s.ctx.IntSort())
		default:
			v = s.ctx.FromBigRat(r)
		}
		s.numerals[key] = v
	}
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
		return s.numeral(t.sort, t.num)
	case opVar:
		return s.ctx.Const(symbol(t.name), s.sort(t.sort))
	case opApp:
		return s.function(t).Apply(args...)
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
