//go:build cgo

package smt

/*
#cgo LDFLAGS: -lz3
#include <z3.h>
*/
import "C"

import (
	"context"
	"fmt"
	"math/big"

	"github.com/aclements/go-z3/z3"
)

// library is Z3 as a library of C.
type library struct {
	ctx   *z3.Context
	core  *z3.Solver
	memo  map[*Term]z3.Value
	funcs map[string]z3.FuncDecl
	// kept has what Z3 gave that is no longer used: it frees what the garbage
	// collector finds, and its answers depend on when.
	kept []any
	size int // of the terms in it

	limit       uint // what Z3 was told last
	interrupted bool // an interrupt may still be in Z3
	sorts       [3]z3.Sort
	numerals    map[literal]z3.Value
}

// literal is a number as a term of a sort.
type literal struct {
	sort Sort
	num  string
}

// maxMemo bounds the Z3 terms that a library keeps for one Builder, and maxKept
// what it keeps that is no longer used.
const maxMemo, maxKept = 400000, 30000

func libraryVersion() string {
	var major, minor, build, revision C.uint
	C.Z3_get_version(&major, &minor, &build, &revision)
	return fmt.Sprintf("%d.%d.%d", major, minor, build)
}

func newLibrary() *library {
	ctx := z3.NewContext(z3.NewContextConfig())
	return &library{ctx: ctx, core: z3.NewSolver(ctx), memo: map[*Term]z3.Value{}, funcs: map[string]z3.FuncDecl{}, numerals: map[literal]z3.Value{},
		sorts: [...]z3.Sort{Bool: ctx.BoolSort(), Int: ctx.IntSort(), Real: ctx.RealSort()}}
}

func (l *library) ready(context.Context) {}
func (l *library) push()                 { l.core.Push() }
func (l *library) pop()                  { l.core.Pop() }
func (l *library) assert(t *Term)        { l.core.Assert(l.term(t).(z3.Bool)) }
func (l *library) full() bool            { return len(l.memo) > maxMemo }
func (l *library) close()                {} // the garbage collector does it

func (l *library) broken() string {
	if l.interrupted {
		return "the solver was interrupted"
	}
	return ""
}

func (l *library) forget() (full bool) {
	l.kept = append(l.kept, l.memo, l.funcs)
	l.size += len(l.memo)
	l.memo = map[*Term]z3.Value{}
	l.funcs = map[string]z3.FuncDecl{}
	return l.size > maxKept || len(l.kept) > maxKept
}

func (l *library) check(ctx context.Context, limit uint) (Result, valuation, string) {
	if l.limit != limit {
		l.limit = limit
		l.ctx.Config().SetUint("rlimit", limit)
	}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		l.ctx.Interrupt()
		close(done)
	})
	sat, err := l.core.Check()
	if !stop() {
		<-done
		l.interrupted = true
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
	model := l.core.Model()
	l.kept = append(l.kept, model)
	return Sat, libraryModel{l, model}, ""
}

// libraryModel is a model in the library.
type libraryModel struct {
	l *library
	m *z3.Model
}

func (m libraryModel) variable(t *Term) *big.Rat {
	if _, ok := m.l.memo[t]; !ok {
		return zeroRat // in no question
	}
	return m.eval(m.l.term(t))
}

func (m libraryModel) apply(t *Term, args []*big.Rat, _ string) *big.Rat {
	if _, ok := m.l.funcs[t.name]; !ok {
		return zeroRat // in no question
	}
	vals := make([]z3.Value, len(args))
	for i, a := range args {
		vals[i] = m.l.numeral(t.args[i].sort, a)
	}
	app := m.l.function(t).Apply(vals...)
	m.l.kept = append(m.l.kept, app)
	return m.eval(app)
}

func (m libraryModel) undefined(t *Term, _ []*big.Rat) *big.Rat { return m.eval(m.l.term(t)) }

func (m libraryModel) eval(v z3.Value) *big.Rat {
	v = m.m.Eval(v, true)
	m.l.kept = append(m.l.kept, v)
	switch v := v.(type) {
	case z3.Bool:
		b, _ := v.AsBool()
		return truth(b)
	case z3.Int:
		if i, _, ok := v.AsInt64(); ok {
			return big.NewRat(i, 1)
		}
		if i, ok := v.AsBigInt(); ok {
			return new(big.Rat).SetInt(i)
		}
	case z3.Real:
		if r, ok := v.AsBigRat(); ok {
			return r
		}
	}
	return nil
}
func (l *library) sort(t Sort) z3.Sort { return l.sorts[t] }

// term translates a term to Z3.
func (l *library) term(t *Term) z3.Value {
	if v, ok := l.memo[t]; ok {
		return v
	}
	args := make([]z3.Value, len(t.args))
	for i, a := range t.args {
		args[i] = l.term(a)
	}
	v := l.make(t, args)
	l.memo[t] = v
	return v
}

// function is the declaration of the function that t applies.
func (l *library) function(t *Term) z3.FuncDecl {
	f, ok := l.funcs[t.name]
	if !ok {
		dom := make([]z3.Sort, len(t.args))
		for i, a := range t.args {
			dom[i] = l.sort(a.sort)
		}
		f = l.ctx.FuncDecl(symbol(t.name), dom, l.sort(t.sort))
		l.funcs[t.name] = f
	}
	return f
}

func (l *library) numeral(sort Sort, r *big.Rat) z3.Value {
	key := literal{sort, r.RatString()}
	v, ok := l.numerals[key]
	if !ok {
		switch sort {
		case Bool:
			v = l.ctx.FromBool(r.Sign() != 0)
		case Int:
			v = l.ctx.FromBigInt(r.Num(), l.ctx.IntSort())
		default:
			v = l.ctx.FromBigRat(r)
		}
		l.numerals[key] = v
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

func (l *library) make(t *Term, args []z3.Value) z3.Value {
	isInt := len(args) > 0 && t.args[len(t.args)-1].sort == Int
	switch t.op {
	case opConst:
		return l.numeral(t.sort, t.num)
	case opVar:
		return l.ctx.Const(symbol(t.name), l.sort(t.sort))
	case opApp:
		return l.function(t).Apply(args...)
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
