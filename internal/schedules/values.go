package schedules

import (
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/txrobust/robust/internal/ir"
)

// values are the small values of every kind that are worth trying, simple ones
// first.
type values struct {
	p     *ir.Program
	kinds map[ir.Kind][]ir.Value
	// literals are the program's own, by their text form.
	literals map[string]ir.Value
	// numbers are the integers among them, in order.
	numbers []int64
	// domains are the values of types with a domain, by both names.
	domains map[string][]ir.Value
}

func newValues(p *ir.Program) *values {
	v := &values{p: p, kinds: map[ir.Kind][]ir.Value{}, literals: map[string]ir.Value{}, domains: map[string][]ir.Value{}}
	note := func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) {
			if c, ok := e.(*ir.Const); ok && !c.Value.IsNull() {
				v.literals[c.Value.String()] = c.Value
			}
		})
	}
	for _, t := range p.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			for _, e := range ir.Exprs(s) {
				note(e)
			}
		})
	}
	for _, t := range p.Tables {
		for _, c := range t.Checks {
			note(c.Expr)
		}
		for _, u := range t.Uniques {
			note(u.Where)
		}
		for _, x := range t.Exclusions {
			note(x.Expr)
		}
	}
	for _, inv := range p.Invariants {
		note(inv.Expr)
	}
	add := func(x ir.Value) {
		if !inDomain(p, x) {
			return
		}
		for _, y := range v.kinds[x.Kind] {
			if x == y {
				return
			}
		}
		v.kinds[x.Kind] = append(v.kinds[x.Kind], x)
	}
	lo := int64(0)
	if p.Domain != nil {
		lo = p.Domain.Lo
	}
	for i := lo; i < lo+3; i++ {
		add(ir.Int(i))
	}
	for i := int64(0); i < 3; i++ {
		add(ir.Num(big.NewRat(i, 1)))
		add(moment(i))
		add(ir.Opaque(string(rune('a' + i))))
	}
	add(ir.Bool(false))
	add(ir.Bool(true))
	for _, s := range []string{"a", "b", "c"} {
		add(ir.Text(s))
	}
	for _, n := range slices.Sorted(maps.Keys(v.literals)) {
		x := v.literals[n]
		add(x)
		if x.Kind == ir.KindInt {
			v.numbers = append(v.numbers, x.I)
			add(ir.Num(x.Rat()))
			add(ir.Int(x.I + 1))
		}
	}
	v.vary()
	return v
}

// valueType is a type together with the domain of the values, or nil.
type valueType struct {
	t ir.Type
	d ir.Domain
}

// maxSamples is how many samples of a domain are tried.
const maxSamples = 4

// of gives the simple values of a type. There are none of KindNull.
func (v *values) of(s valueType) []ir.Value {
	if s.d == nil {
		return v.ofType(s.t)
	}
	key := s.t.String() + " " + s.d.String()
	if list, ok := v.domains[key]; ok {
		return list
	}
	documents := v.documents(s.d)
	fits := slices.DeleteFunc(slices.Clone(v.ofType(s.t)), func(x ir.Value) bool { return !s.d.Fits(x) })
	list := fits
	if len(fits) < maxSamples/2 || s.t.Kind == ir.KindOpaque && len(documents) > 0 { // plain numbers and texts are simpler
		list = slices.Concat(documents, s.samples(maxSamples), fits)
	}
	for _, n := range slices.Sorted(maps.Keys(v.literals)) {
		if lit := v.literals[n]; lit.Kind == ir.KindText && s.t.Kind == ir.KindOpaque {
			if x, ok := s.d.Read(lit.S); ok && s.d.Fits(x) { // a cast may make it one
				list = append(list, x)
			}
		}
	}
	var out []ir.Value
	for _, x := range list {
		if inDomain(v.p, x) && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	v.domains[key] = out
	return out
}

// samples gives up to n samples of the domain.
func (s valueType) samples(n int) []ir.Value {
	var out []ir.Value
	for i := range n {
		x, ok := s.d.Sample(i)
		if !ok {
			break
		}
		out = append(out, x)
	}
	return out
}

// ofType gives the simple values of a type.
func (v *values) ofType(t ir.Type) []ir.Value {
	if t.Kind != ir.KindArray {
		return v.kinds[t.Kind]
	}
	out := []ir.Value{ir.Array(nil)}
	elems := v.kinds[t.Elem]
	for i := range elems[:min(2, len(elems))] {
		out = append(out, ir.Array(elems[i:i+1]))
	}
	return append(out, ir.Array(elems[:min(2, len(elems))]))
}

// moment gives the i-th simple point in time. They differ both in their days and
// in their times of day.
func moment(i int64) ir.Value {
	return ir.Time(firstMoment + i*(24*time.Hour+time.Minute).Microseconds())
}

// firstMoment is a plausible now.
var firstMoment = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// fresh gives the n-th new value of a type.
func freshValue(s valueType, n int) ir.Value {
	i := int64(100 + n)
	if s.d != nil {
		if v, ok := s.d.Sample(int(i)); ok {
			return v
		}
	}
	switch s.t.Kind {
	case ir.KindTime:
		return moment(i)
	case ir.KindNum:
		return ir.Num(big.NewRat(i, 1))
	case ir.KindText:
		return ir.Text("new" + string(rune('a'+n)))
	case ir.KindOpaque:
		return ir.Opaque("new" + string(rune('a'+n)))
	}
	return ir.Int(i)
}
