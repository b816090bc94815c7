package smt

import (
	"fmt"
	"math/big"
	"sort"
	"strconv"
)

// Sort is the sort of a term.
type Sort uint8

const (
	Bool Sort = iota
	Int
	Real
)

func (s Sort) String() string { return [...]string{"Bool", "Int", "Real"}[s] }

type op uint8

const (
	opConst op = iota // true, false, numerals
	opVar             // a constant symbol
	opApp             // an application of an uninterpreted function
	opNot
	opAnd
	opOr
	opIte
	opEq
	opLe
	opLt
	opAdd
	opMul
	opDiv // SMT-LIB div: the remainder is never negative
	opMod
	opQuo // rational division
	opToReal
)

// Term is a term. Terms of one Builder are equal exactly when their pointers
// are.
type Term struct {
	op   op
	sort Sort
	id   int
	num  *big.Rat // opConst; 1 and 0 for true and false
	name string   // opVar, opApp
	args []*Term
}

// Sort gives the sort.
func (t *Term) Sort() Sort { return t.sort }

// ID numbers the terms of a Builder in order of creation.
func (t *Term) ID() int { return t.id }

// IsApp reports whether the term is an uninterpreted function of its Args.
func (t *Term) IsApp() bool { return t.op == opApp }

// Symbol gives the name of a variable, or of the function that is applied, else
// "".
func (t *Term) Symbol() string { return t.name }

// Args gives the terms that the term is made of. They must not be changed.
func (t *Term) Args() []*Term { return t.args }

// IsTrue and IsFalse recognise the truth values.
func (t *Term) IsTrue() bool  { return t.op == opConst && t.sort == Bool && t.num.Sign() != 0 }
func (t *Term) IsFalse() bool { return t.op == opConst && t.sort == Bool && t.num.Sign() == 0 }

// Const gives the value of a numeral or truth value (1 or 0).
func (t *Term) Const() (*big.Rat, bool) { return t.num, t.op == opConst }

// Func is an uninterpreted function.
type Func struct {
	Name   string
	Params []Sort
	Result Sort
}

// Builder makes terms. It is not safe for concurrent use.
type Builder struct {
	terms map[uint64][]*Term // by hash
	count int
	funcs map[string]*Func
	yes   *Term
	no    *Term
	fresh map[string]int
}

// NewBuilder makes an empty Builder.
func NewBuilder() *Builder {
	b := &Builder{terms: map[uint64][]*Term{}, funcs: map[string]*Func{}, fresh: map[string]int{}}
	b.yes = b.intern(&Term{op: opConst, sort: Bool, num: big.NewRat(1, 1)})
	b.no = b.intern(&Term{op: opConst, sort: Bool, num: new(big.Rat)})
	return b
}

// intern gives the one term that is like t.
func (b *Builder) intern(t *Term) *Term {
	h := uint64(14695981039346656037)
	mix := func(x uint64) { h = (h ^ x) * 1099511628211 }
	mix(uint64(t.op)<<8 | uint64(t.sort))
	for i := 0; i < len(t.name); i++ {
		mix(uint64(t.name[i]))
	}
	for _, a := range t.args {
		mix(uint64(a.id))
	}
	if t.num != nil {
		mix(t.num.Num().Uint64())
		mix(t.num.Denom().Uint64())
	}
	for _, old := range b.terms[h] {
		if alike(old, t) {
			return old
		}
	}
	t.id = b.count
	b.count++
	b.terms[h] = append(b.terms[h], t)
	return t
}

func alike(x, y *Term) bool {
	if x.op != y.op || x.sort != y.sort || x.name != y.name || len(x.args) != len(y.args) {
		return false
	}
	for i := range x.args {
		if x.args[i] != y.args[i] {
			return false
		}
	}
	return x.num == y.num || x.num != nil && y.num != nil && x.num.Cmp(y.num) == 0
}

// Size is the number of distinct terms made so far.
func (b *Builder) Size() int { return b.count }

// True and False.
func (b *Builder) True() *Term  { return b.yes }
func (b *Builder) False() *Term { return b.no }

// BoolConst is a truth value.
func (b *Builder) BoolConst(v bool) *Term {
	if v {
		return b.yes
	}
	return b.no
}

// IntConst is an integer numeral.
func (b *Builder) IntConst(i int64) *Term {
	return b.intern(&Term{op: opConst, sort: Int, num: new(big.Rat).SetInt64(i)})
}

// RealConst is a rational numeral.
func (b *Builder) RealConst(r *big.Rat) *Term {
	return b.intern(&Term{op: opConst, sort: Real, num: r})
}

func (b *Builder) num(s Sort, r *big.Rat) *Term {
	return b.intern(&Term{op: opConst, sort: s, num: r})
}

// Var is the constant symbol with this name; a name has one sort.
func (b *Builder) Var(name string, s Sort) *Term {
	return b.intern(&Term{op: opVar, sort: s, name: name})
}

// Fresh is a new constant symbol whose name starts with prefix.
func (b *Builder) Fresh(prefix string, s Sort) *Term {
	b.fresh[prefix]++
	return b.Var(prefix+"!"+strconv.Itoa(b.fresh[prefix]), s)
}

// Func declares an uninterpreted function; a name has one signature.
func (b *Builder) Func(name string, result Sort, params ...Sort) *Func {
	if f := b.funcs[name]; f != nil {
		return f
	}
	f := &Func{name, params, result}
	b.funcs[name] = f
	return f
}

// App applies f. A function without parameters is a constant symbol.
func (b *Builder) App(f *Func, args ...*Term) *Term {
	if len(args) != len(f.Params) {
		panic("smt: wrong number of arguments for " + f.Name)
	}
	for i, a := range args {
		if a.sort != f.Params[i] {
			panic(fmt.Sprintf("smt: argument %d of %s has sort %s", i+1, f.Name, a.sort))
		}
	}
	if len(args) == 0 {
		return b.Var(f.Name, f.Result)
	}
	return b.intern(&Term{op: opApp, sort: f.Result, name: f.Name, args: append([]*Term(nil), args...)})
}

// Not negates.
func (b *Builder) Not(t *Term) *Term {
	switch {
	case t.IsTrue():
		return b.no
	case t.IsFalse():
		return b.yes
	case t.op == opNot:
		return t.args[0]
	}
	return b.intern(&Term{op: opNot, sort: Bool, args: []*Term{t}})
}

// And is the conjunction.
func (b *Builder) And(ts ...*Term) *Term { return b.nary(opAnd, b.yes, b.no, ts) }

// Or is the disjunction.
func (b *Builder) Or(ts ...*Term) *Term { return b.nary(opOr, b.no, b.yes, ts) }

// maxNested is how many arguments a conjunction or disjunction may have to become
// part of another one. A longer one stays as it is, so that making a long one by and
// by is not quadratic.
const maxNested = 64

func (b *Builder) nary(o op, unit, zero *Term, ts []*Term) *Term {
	if len(ts) == 2 {
		switch x, y := ts[0], ts[1]; {
		case x == zero || y == zero:
			return zero
		case x == unit || x == y:
			return y
		case y == unit:
			return x
		}
	}
	var g gathered
	for _, t := range ts {
		if t.op != o || len(t.args) > maxNested {
			if t != unit && (t == zero || !g.add(t)) {
				return zero
			}
			continue
		}
		for _, a := range t.args { // none is the unit or the zero
			if !g.add(a) {
				return zero
			}
		}
	}
	switch len(g.args) {
	case 0:
		return unit
	case 1:
		return g.args[0]
	}
	sort.Slice(g.args, func(i, j int) bool { return g.args[i].id < g.args[j].id })
	return b.intern(&Term{op: o, sort: Bool, args: g.args})
}

// gathered are arguments of a conjunction or disjunction, each once.
type gathered struct {
	args  []*Term
	signs map[*Term]sign // where there are many, without their negations
}

type sign uint8

const plain, negated sign = 1, 2

// fewArgs is how many arguments are looked through one by one.
const fewArgs = 16

// add takes an argument; it is false if its negation is one, too.
func (g *gathered) add(t *Term) bool {
	if g.signs != nil {
		return g.sign(t)
	}
	for _, a := range g.args {
		switch {
		case a == t:
			return true
		case a.op == opNot && a.args[0] == t, t.op == opNot && t.args[0] == a:
			return false
		}
	}
	g.args = append(g.args, t)
	if len(g.args) > fewArgs {
		args := g.args
		g.args, g.signs = nil, make(map[*Term]sign, 2*len(args))
		for _, a := range args {
			g.sign(a)
		}
	}
	return true
}

// sign is add with many arguments.
func (g *gathered) sign(t *Term) bool {
	base, s := t, plain
	if t.op == opNot {
		base, s = t.args[0], negated
	}
	switch g.signs[base] {
	case s:
		return true
	case 0:
		g.args = append(g.args, t)
		g.signs[base] = s
		return true
	}
	return false
}

// Implies is the implication.
func (b *Builder) Implies(x, y *Term) *Term { return b.Or(b.Not(x), y) }

// Ite is: if c then x else y.
func (b *Builder) Ite(c, x, y *Term) *Term {
	switch {
	case c.IsTrue() || x == y:
		return x
	case c.IsFalse():
		return y
	case c.op == opNot:
		return b.Ite(c.args[0], y, x)
	case x.op == opIte && x.args[0] == c:
		return b.Ite(c, x.args[1], y)
	case y.op == opIte && y.args[0] == c:
		return b.Ite(c, x, y.args[2])
	}
	if x.sort == Bool {
		switch {
		case x.IsTrue():
			return b.Or(c, y)
		case x.IsFalse():
			return b.And(b.Not(c), y)
		case y.IsTrue():
			return b.Or(b.Not(c), x)
		case y.IsFalse():
			return b.And(c, x)
		}
	}
	if x.sort != y.sort {
		panic(fmt.Sprintf("smt: ite of %s and %s", x.sort, y.sort))
	}
	return b.intern(&Term{op: opIte, sort: x.sort, args: []*Term{c, x, y}})
}

// Eq is equality of terms of one sort.
func (b *Builder) Eq(x, y *Term) *Term {
	if x == y {
		return b.yes
	}
	if x.sort != y.sort {
		panic(fmt.Sprintf("smt: %s = %s", x.sort, y.sort))
	}
	if x.sort == Bool {
		switch {
		case x.op == opConst:
			return b.Ite(x, y, b.Not(y))
		case y.op == opConst:
			return b.Ite(y, x, b.Not(x))
		case x == b.Not(y):
			return b.no
		}
		return b.ordered(opEq, x, y)
	}
	if t := b.splitIte(x, y, b.Eq); t != nil {
		return t
	}
	if x.op == opConst && y.op == opConst {
		return b.no // different constants are different terms
	}
	if !x.isSum() && !y.isSum() {
		return b.ordered(opEq, x, y)
	}
	d := b.linear(x).minus(b.linear(y))
	if len(d.parts) == 0 {
		return b.BoolConst(d.c.Sign() == 0)
	}
	if len(d.parts) == 1 {
		for p, k := range d.parts {
			v := new(big.Rat).Quo(new(big.Rat).Neg(d.c), k)
			if p.sort == Int && !v.IsInt() {
				return b.no
			}
			return b.ordered(opEq, p, b.num(p.sort, v))
		}
	}
	return b.ordered(opEq, x, y)
}

func (b *Builder) ordered(o op, x, y *Term) *Term {
	if x.id > y.id {
		x, y = y, x
	}
	return b.intern(&Term{op: o, sort: Bool, args: []*Term{x, y}})
}

// splitIte resolves a comparison of a constant with an if-then-else of which
// at least one branch is a constant.
func (b *Builder) splitIte(x, y *Term, cmp func(x, y *Term) *Term) *Term {
	if x.op == opIte && y.op == opConst && (x.args[1].op == opConst || x.args[2].op == opConst) {
		return b.Ite(x.args[0], cmp(x.args[1], y), cmp(x.args[2], y))
	}
	if y.op == opIte && x.op == opConst && (y.args[1].op == opConst || y.args[2].op == opConst) {
		return b.Ite(y.args[0], cmp(x, y.args[1]), cmp(x, y.args[2]))
	}
	return nil
}

// Le is x <= y.
func (b *Builder) Le(x, y *Term) *Term {
	if t := b.splitIte(x, y, b.Le); t != nil {
		return t
	}
	switch {
	case x == y:
		return b.yes
	case x.op == opConst && y.op == opConst:
		return b.BoolConst(x.num.Cmp(y.num) <= 0)
	case x.isSum() || y.isSum():
		if d := b.linear(x).minus(b.linear(y)); len(d.parts) == 0 {
			return b.BoolConst(d.c.Sign() <= 0)
		}
	}
	return b.intern(&Term{op: opLe, sort: Bool, args: []*Term{x, y}})
}

// Lt is x < y.
func (b *Builder) Lt(x, y *Term) *Term { return b.Not(b.Le(y, x)) }

// isSum reports whether the term may share parts with others in a sum.
func (t *Term) isSum() bool { return t.op == opAdd || t.op == opMul }

// sum is a linear combination.
type sum struct {
	sort  Sort
	c     *big.Rat
	parts map[*Term]*big.Rat
}

func (b *Builder) linear(t *Term) sum {
	s := sum{t.sort, new(big.Rat), map[*Term]*big.Rat{}}
	s.add(big.NewRat(1, 1), t)
	return s
}

func (s *sum) add(k *big.Rat, t *Term) {
	switch {
	case t.op == opConst:
		s.c = new(big.Rat).Add(s.c, new(big.Rat).Mul(k, t.num))
	case t.op == opAdd:
		for _, a := range t.args {
			s.add(k, a)
		}
	case t.op == opMul && t.args[0].op == opConst:
		s.add(new(big.Rat).Mul(k, t.args[0].num), t.args[1])
	default:
		n := new(big.Rat).Set(k)
		if old := s.parts[t]; old != nil {
			n.Add(n, old)
		}
		if n.Sign() == 0 {
			delete(s.parts, t)
		} else {
			s.parts[t] = n
		}
	}
}

func (s sum) minus(o sum) sum {
	minus := big.NewRat(-1, 1)
	s.c = new(big.Rat).Sub(s.c, o.c)
	for t, k := range o.parts {
		s.add(new(big.Rat).Mul(minus, k), t)
	}
	return s
}

func (b *Builder) fromSum(s sum) *Term {
	var args []*Term
	for t, k := range s.parts {
		if k.Cmp(big.NewRat(1, 1)) != 0 {
			t = b.intern(&Term{op: opMul, sort: s.sort, args: []*Term{b.num(s.sort, k), t}})
		}
		args = append(args, t)
	}
	sort.Slice(args, func(i, j int) bool { return args[i].id < args[j].id })
	if s.c.Sign() != 0 || len(args) == 0 {
		args = append(args, b.num(s.sort, s.c))
	}
	if len(args) == 1 {
		return args[0]
	}
	return b.intern(&Term{op: opAdd, sort: s.sort, args: args})
}

// Add is the sum of two numbers of one sort.
func (b *Builder) Add(x, y *Term) *Term {
	s := b.linear(x)
	s.add(big.NewRat(1, 1), y)
	return b.fromSum(s)
}

// Sub is the difference.
func (b *Builder) Sub(x, y *Term) *Term { return b.fromSum(b.linear(x).minus(b.linear(y))) }

// Mul is the product.
func (b *Builder) Mul(x, y *Term) *Term {
	if y.op == opConst {
		x, y = y, x
	}
	if x.op == opConst {
		s := sum{x.sort, new(big.Rat), map[*Term]*big.Rat{}}
		if x.num.Sign() != 0 {
			s.add(x.num, y)
		}
		return b.fromSum(s)
	}
	if x.id > y.id {
		x, y = y, x
	}
	return b.intern(&Term{op: opMul, sort: x.sort, args: []*Term{x, y}})
}

// Div and Mod are SMT-LIB's integer division: x = y*Div + Mod, 0 <= Mod < |y|.
func (b *Builder) Div(x, y *Term) *Term { return b.euclid(opDiv, x, y) }
func (b *Builder) Mod(x, y *Term) *Term { return b.euclid(opMod, x, y) }

func (b *Builder) euclid(o op, x, y *Term) *Term {
	if x.op == opConst && y.op == opConst && y.num.Sign() != 0 {
		q, m := new(big.Int).DivMod(x.num.Num(), y.num.Num(), new(big.Int))
		if o == opMod {
			q = m
		}
		return b.num(Int, new(big.Rat).SetInt(q))
	}
	return b.intern(&Term{op: o, sort: Int, args: []*Term{x, y}})
}

// Quo is rational division.
func (b *Builder) Quo(x, y *Term) *Term {
	if y.op == opConst && y.num.Sign() != 0 {
		return b.Mul(b.num(Real, new(big.Rat).Inv(y.num)), x)
	}
	return b.intern(&Term{op: opQuo, sort: Real, args: []*Term{x, y}})
}

// ToReal turns an integer into a rational.
func (b *Builder) ToReal(x *Term) *Term {
	if x.op == opConst {
		return b.num(Real, x.num)
	}
	return b.intern(&Term{op: opToReal, sort: Real, args: []*Term{x}})
}
