package schedules

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/symbolic"
)

// decoder reads values from a model. Text, arrays and opaque values are numbers
// there.
type decoder struct {
	e *encoding
	m *smt.Model
	// is describes the model: conditions that are true in it.
	is []*smt.Term
	// texts are the numbers met that stand for texts, and the texts they get; domains
	// are those of the places where they were met, apart from ones of all texts.
	texts   map[int64]ir.Value
	domains map[int64]ir.Domain
}

// maxElems bounds the arrays that are read from a model.
const maxElems = 6

// maxOctets bounds the texts that are made as long as a model has them.
const maxOctets = 1000

// decode gives the situation of a model, and a condition that describes it.
func (e *encoding) decode(m *smt.Model) (*situation, []*smt.Term) {
	d := &decoder{e: e, m: m, texts: map[int64]ir.Value{}, domains: map[int64]ir.Domain{}}
	// Texts are named in the order of their numbers: collect first, read then.
	d.situation()
	d.nameTexts()
	d.is = nil
	return d.situation(), d.is
}

func (d *decoder) situation() *situation {
	e, w := d.e, d.e.w
	sit := &situation{rows: make([][][]ir.Value, len(e.s.program.Tables))}
	for i, t := range e.s.program.Tables {
		if t.Var {
			sit.rows[i] = [][]ir.Value{{d.value(e.base.Col(i, 0, symbolic.Key{}), t.Columns[0].Domain)}}
			continue
		}
		for _, k := range w.SlotKeys(baseName, i) {
			alive := e.base.Alive(i, k)
			if !d.truth(alive) {
				continue
			}
			row := make([]ir.Value, len(t.Columns))
			for c := range t.Columns {
				row[c] = d.value(e.base.Col(i, c, k), t.Columns[c].Domain)
			}
			sit.rows[i] = append(sit.rows[i], row)
		}
	}
	for i, c := range e.s.calls {
		call := &Call{Txn: c.Txn, Session: c.Session, Havocs: map[*ir.Havoc][]ir.Value{}}
		for k, v := range e.insts[i].Params {
			call.Params = append(call.Params, d.value(v, c.Txn.Params[k].Domain))
		}
		depth := loopDepths(c.Txn)
		for _, site := range e.s.havocs[c.Txn] {
			for _, rounds := range roundsOf(depth[site], w.Rounds) {
				call.Havocs[site] = append(call.Havocs[site], d.value(e.insts[i].Havoc(site, rounds...), e.s.types[site].d))
			}
		}
		sit.calls = append(sit.calls, call)
	}
	return sit
}

// loopDepths counts the loops around every havoc.
func loopDepths(t *ir.Txn) map[*ir.Havoc]int {
	out := map[*ir.Havoc]int{}
	var walk func(list []ir.Stmt, depth int)
	walk = func(list []ir.Stmt, depth int) {
		for _, s := range list {
			inner := depth
			switch s := s.(type) {
			case *ir.Havoc:
				out[s] = depth
			case *ir.While, *ir.ForRange, *ir.Foreach:
				inner++
			}
			for _, c := range ir.Children(s) {
				walk(c, inner)
			}
		}
	}
	walk(t.Body, 0)
	return out
}

// roundsOf lists the rounds of nested loops, in order.
func roundsOf(depth, rounds int) [][]int {
	if depth == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for _, outer := range roundsOf(depth-1, rounds) {
		for r := 0; r < rounds; r++ {
			out = append(out, append(append([]int{}, outer...), r))
		}
	}
	return out
}

func (d *decoder) truth(t *smt.Term) bool {
	yes := d.m.IsTrue(t)
	if !yes {
		t = d.e.w.B.Not(t)
	}
	d.is = append(d.is, t)
	return yes
}

// number reads a number. One that is too large or not rational becomes zero:
// such a candidate is not confirmed.
func (d *decoder) number(t *smt.Term) *big.Rat {
	r := d.m.Value(t)
	if r == nil || !r.Num().IsInt64() {
		return new(big.Rat)
	}
	c := d.e.w.B.RealConst(r)
	if t.Sort() == smt.Int {
		c = d.e.w.B.IntConst(r.Num().Int64())
	}
	d.is = append(d.is, d.e.w.B.Eq(t, c))
	return r
}

// value reads a value of the program, of a domain if that is not nil. What is no value
// of it may be one that a person would call close: candidates are judged afterwards.
func (d *decoder) value(v symbolic.Val, domain ir.Domain) ir.Value {
	if d.truth(v.Null) {
		return ir.Null
	}
	switch v.Type.Kind {
	case ir.KindBool:
		return ir.Bool(d.truth(v.T))
	case ir.KindNum:
		return ir.Num(d.number(v.T))
	}
	n := d.number(v.T).Num().Int64()
	switch v.Type.Kind {
	case ir.KindInt:
		return ir.Int(n)
	case ir.KindTime:
		return timeIn(n, domain)
	case ir.KindText, ir.KindOpaque:
		t, ok := d.texts[n]
		if !ok {
			d.texts[n] = ir.Value{Kind: v.Type.Kind}
		}
		if domain != nil && !ir.Fits(domain, ir.Value{Kind: v.Type.Kind, S: "a"}) {
			d.domains[n] = domain
		}
		if v.Type.Kind == ir.KindOpaque {
			return ir.Opaque(t.S)
		}
		return ir.Text(t.S)
	case ir.KindArray:
		literals := d.e.w.Literals()
		for _, name := range slices.Sorted(maps.Keys(literals)) {
			if lit := d.e.s.values.literals[name]; lit.Kind == ir.KindArray && d.number(literals[name]).Num().Int64() == n {
				return lit
			}
		}
		length, _ := d.e.w.Element(v, 1)
		size := min(d.number(length.T).Num().Int64(), maxElems)
		var elems []ir.Value
		for i := int64(1); i <= size; i++ {
			_, x := d.e.w.Element(v, i)
			x.Null = d.e.w.B.False() // i is within the array
			elems = append(elems, d.value(x, nil))
		}
		return ir.Array(elems)
	}
	return ir.Null
}

// timeIn is a point in time of a domain. The numbers of models are small mostly: as
// days they differ as they did.
func timeIn(n int64, domain ir.Domain) ir.Value {
	v := ir.Time(n)
	if ir.Fits(domain, v) {
		return v
	}
	const day = 24 * 3600 * 1_000_000
	if n > -day && n < day {
		return ir.Time(n * day)
	}
	return ir.Time(n / day * day)
}

// sampled gives the first sample of a domain that is not taken.
func sampled(domain ir.Domain, taken map[ir.Value]bool) (ir.Value, bool) {
	for i := 0; ; i++ {
		v, ok := domain.Sample(i)
		if !ok || !taken[v] {
			return v, ok
		}
	}
}

// nameTexts gives the numbers that stand for texts names that are ordered like
// the numbers; numbers of literals get the literals.
func (d *decoder) nameTexts() {
	lits := map[int64]ir.Value{}
	literals := d.e.w.Literals()
	for _, name := range slices.Sorted(maps.Keys(literals)) {
		if v := d.e.s.values.literals[name]; v.Kind == ir.KindText || v.Kind == ir.KindOpaque {
			lits[d.number(literals[name]).Num().Int64()] = v
		}
	}
	var list []int64
	for n := range d.texts {
		list = append(list, n)
	}
	for n := range lits {
		if _, ok := d.texts[n]; !ok {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	taken := map[ir.Value]bool{}
	for _, v := range lits {
		taken[v] = true
	}
	last, count := "", 0
	for _, n := range list {
		if v, ok := lits[n]; ok {
			d.texts[n] = v
			last, count = v.S, 0
			continue
		}
		if domain := d.domains[n]; domain != nil {
			if v, ok := sampled(domain, taken); ok {
				d.texts[n], taken[v] = v, true
				continue
			}
		}
		// Small letters after the last literal: larger than it, and usually
		// smaller than the next one.
		name := last + letters(count)
		if octets := d.e.w.Octets(n); octets != nil {
			if size := d.number(octets).Num().Int64(); size <= maxOctets {
				name += strings.Repeat("a", max(int(size)-len(name), 0))
			}
		}
		d.texts[n] = ir.Text(name)
		count++
	}
}

// letters gives a, b, …, y, za, zb, …: ordered by bytes.
func letters(n int) string {
	s := ""
	for ; n >= 25; n -= 25 {
		s += "z"
	}
	return s + string(rune('a'+n))
}
