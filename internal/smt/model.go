package smt

import (
	"math/big"
	"strconv"
)

// Model is an assignment that makes the terms of a question true. It is valid
// until the next question.
type Model struct {
	values valuation
	memo   map[*Term]*big.Rat
	funcs  map[point]*big.Rat
}

// point is a function at values.
type point struct{ function, values string }

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
		return m.values.variable(t)
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
	return m.values.undefined(t, args) // division by zero
}

// apply evaluates an uninterpreted function at values.
func (m *Model) apply(t *Term, args []*big.Rat) *big.Rat {
	key := make([]byte, 0, 8*len(args))
	for _, a := range args {
		key = appendKey(key, a)
	}
	if v, ok := m.funcs[point{t.name, string(key)}]; ok {
		return v
	}
	at := string(key)
	v := m.values.apply(t, args, at)
	m.funcs[point{t.name, at}] = v
	return v
}

// appendKey appends a text to key that tells values apart.
func appendKey(key []byte, v *big.Rat) []byte {
	key = append(key, ' ')
	if v.IsInt() && v.Num().IsInt64() {
		return strconv.AppendInt(key, v.Num().Int64(), 36)
	}
	return append(key, v.String()...)
}
