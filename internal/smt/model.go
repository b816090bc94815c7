package smt

import (
	"math/big"
	"strconv"

	"github.com/aclements/go-z3/z3"
)

// Model is an assignment that makes the terms of a question true. It is valid
// until the next question.
type Model struct {
	s     *Solver
	m     *z3.Model
	memo  map[*Term]*big.Rat
	funcs map[string]*big.Rat
}

// Value is the value of a term of sort Int or Real in the model, or 1 and 0
// for true and false. It is nil for a number that is not rational.
//
// The term need not occur in the question: what the model leaves open has some
// fixed value.
func (m *Model) Value(t *Term) *big.Rat {
	if v, ok := m.memo[t]; ok {
		return v
	}
	v := m.compute(t)
	m.memo[t] = v
	return v
}

// IsTrue reports whether a term of sort Bool is true in the model.
func (m *Model) IsTrue(t *Term) bool {
	v := m.Value(t)
	return v != nil && v.Sign() != 0
}

var (
	zeroRat = new(big.Rat)
	oneRat  = big.NewRat(1, 1)
)

func truth(b bool) *big.Rat {
	if b {
		return oneRat
	}
	return zeroRat
}

func (m *Model) compute(t *Term) *big.Rat {
	switch t.op {
	case opConst:
		return t.num
	case opVar:
		if _, ok := m.s.memo[t]; !ok {
			return zeroRat // in no question
		}
		return m.leaf(m.s.term(t))
	case opAnd, opOr:
		stop := t.op == opOr
		for _, a := range t.args {
			if m.IsTrue(a) == stop {
				return truth(stop)
			}
		}
		return truth(!stop)
	case opIte:
		if m.IsTrue(t.args[0]) {
			return m.Value(t.args[1])
		}
		return m.Value(t.args[2])
	}
	args := make([]*big.Rat, len(t.args))
	for i, a := range t.args {
		if args[i] = m.Value(a); args[i] == nil {
			return nil
		}
	}
	switch t.op {
	case opApp:
		return m.apply(t, args)
	case opNot:
		return truth(args[0].Sign() == 0)
	case opEq:
		return truth(args[0].Cmp(args[1]) == 0)
	case opLe:
		return truth(args[0].Cmp(args[1]) <= 0)
	case opAdd:
		sum := new(big.Rat)
		for _, a := range args {
			sum.Add(sum, a)
		}
		return sum
	case opMul:
		return new(big.Rat).Mul(args[0], args[1])
	case opToReal:
		return args[0]
	case opDiv, opMod:
		if args[1].Sign() == 0 {
			break
		}
		q, r := new(big.Int).DivMod(args[0].Num(), args[1].Num(), new(big.Int))
		if t.op == opMod {
			q = r
		}
		return new(big.Rat).SetInt(q)
	case opQuo:
		if args[1].Sign() == 0 {
			break
		}
		return new(big.Rat).Quo(args[0], args[1])
	}
	return m.leaf(m.s.term(t)) // division by zero is what the model says
}

// apply evaluates an uninterpreted function at values.
func (m *Model) apply(t *Term, args []*big.Rat) *big.Rat {
	if _, ok := m.s.funcs[t.name]; !ok {
		return zeroRat // in no question
	}
	key := make([]byte, 0, len(t.name)+8*len(args))
	key = append(key, t.name...)
	for _, a := range args {
		key = append(key, ' ')
		if a.IsInt() && a.Num().IsInt64() {
			key = strconv.AppendInt(key, a.Num().Int64(), 36)
		} else {
			key = append(key, a.String()...)
		}
	}
	if v, ok := m.funcs[string(key)]; ok {
		return v
	}
	vals := make([]z3.Value, len(args))
	for i, a := range args {
		vals[i] = m.s.numeral(t.args[i].sort, a)
	}
	app := m.s.function(t).Apply(vals...)
	m.s.kept = append(m.s.kept, app)
	v := m.leaf(app)
	m.funcs[string(key)] = v
	return v
}

func (m *Model) leaf(v z3.Value) *big.Rat {
	v = m.m.Eval(v, true)
	m.s.kept = append(m.s.kept, v)
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
