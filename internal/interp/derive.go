package interp

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/rowvalues"
)

// derived compiles a call of a derivation.
func (s *scope) derived(e *ir.Call) eval {
	args := s.exprs(e.Args)
	c := &compiler{m: s.c.m, txn: &ir.Txn{Params: e.Def.Params}}
	in := &scope{c: c, locals: map[string]int{}}
	for i, p := range e.Def.Params {
		in.locals[p.Name] = i
	}
	want := e.Def.Want
	rows := relation(nil)
	switch want {
	case ir.WantList:
		rows = in.ordered(e.Def.Rel, -1)
	case ir.WantFirst:
		rows = in.ordered(e.Def.Rel, 1)
	default:
		rows = in.rel(e.Def.Rel)
	}
	return func(f *frame) ir.Value {
		inner := *f
		inner.locals = make([]ir.Value, len(in.locals))
		for i, a := range args {
			inner.locals[i] = a(f).Convert(e.Def.Params[i].Type)
		}
		inner.rows = make([][]ir.Value, c.slots)
		list := rows(&inner)
		switch want {
		case ir.WantFirst:
			if len(list) == 0 {
				return ir.Null
			}
			return ir.Row(list[0])
		case ir.WantRows, ir.WantList:
			return rowvalues.Array(list)
		case ir.WantValue:
			if len(list) == 0 {
				return ir.Null
			}
			if len(list) > 1 {
				return f.fails("a subquery that is used as a value has several rows")
			}
			return list[0][0].Convert(e.Type)
		case ir.WantArray:
			var vals []ir.Value
			for _, r := range list {
				vals = append(vals, r[0])
			}
			return rowvalues.ArrayOf(e.Type, vals)
		case ir.WantAny:
			return ir.Bool(len(list) > 0)
		case ir.WantMany:
			return ir.Bool(len(list) > 1)
		case ir.WantCount:
			return ir.Int(int64(len(list)))
		}
		panic(fmt.Sprintf("interp: derivation: unknown result %s", want))
	}
}

// relation computes the rows of a relation. Rows that no ORDER BY tells apart
// come sorted by their values, so that equal bags are equal lists.
type relation func(f *frame) [][]ir.Value

func (s *scope) rel(r ir.Rel) relation {
	switch r := r.(type) {
	case *ir.Given:
		i := s.locals[r.Param]
		return func(f *frame) [][]ir.Value {
			return rowvalues.In(f.locals[i])
		}
	case *ir.Elems:
		return s.elems(r)
	case *ir.Project:
		return s.project(r)
	case *ir.Group:
		return s.group(r)
	case *ir.SetOp:
		return s.setOp(r)
	}
	panic(fmt.Sprintf("interp: unknown relation %T", r))
}

// maxSeries bounds the numbers of a series.
const maxSeries = 100000

func (s *scope) elems(r *ir.Elems) relation {
	var vals func(f *frame) []ir.Value
	if r.Array != nil {
		array := s.expr(r.Array)
		vals = func(f *frame) []ir.Value {
			v := array(f)
			if v.IsNull() {
				return nil
			}
			return v.Elems(r.Type.Kind)
		}
	} else {
		lo, hi := s.expr(r.Lo), s.expr(r.Hi)
		vals = func(f *frame) (out []ir.Value) {
			a, b := lo(f), hi(f)
			if a.IsNull() || b.IsNull() {
				return nil
			}
			if b.I-a.I > maxSeries {
				panic(stop{reason: TooLong})
			}
			for i := a.I; i <= b.I; i++ {
				out = append(out, ir.Int(i))
			}
			return out
		}
	}
	return func(f *frame) [][]ir.Value {
		var out [][]ir.Value
		for i, v := range vals(f) {
			out = append(out, []ir.Value{v, ir.Int(int64(i + 1))})
		}
		return out
	}
}

// joined is a FROM list: it calls yield with every combination of rows bound
// in the frame.
type joined struct {
	scope  *scope // with its row variables
	each   func(f *frame, yield func())
	slots  []int
	widths []int
}

func (s *scope) from(from ir.From) *joined {
	switch from := from.(type) {
	case nil:
		return &joined{scope: s, each: func(_ *frame, yield func()) { yield() }}
	case *ir.Leaf:
		rows := s.rel(from.Rel)
		in := s.open(ir.Sources(from))
		slot := len(s.rows)
		return &joined{scope: in, slots: []int{slot}, widths: []int{len(ir.Columns(from.Rel))}, each: func(f *frame, yield func()) {
			for _, r := range rows(f) {
				f.rows[slot] = r
				yield()
			}
		}}
	case *ir.Join:
		return s.join(from)
	}
	panic(fmt.Sprintf("interp: unknown FROM %T", from))
}

func (s *scope) join(j *ir.Join) *joined {
	l := s.from(j.L)
	r := l.scope.from(j.R)
	on := eval(func(*frame) ir.Value { return ir.Bool(true) })
	if j.On != nil {
		on = r.scope.expr(j.On)
	}
	null := func(f *frame, side *joined) {
		for i, slot := range side.slots {
			f.rows[slot] = make([]ir.Value, side.widths[i])
		}
	}
	out := &joined{scope: r.scope, slots: append(append([]int{}, l.slots...), r.slots...), widths: append(append([]int{}, l.widths...), r.widths...)}
	out.each = func(f *frame, yield func()) {
		matched := map[int]bool{} // rows of the right side, by their place
		l.each(f, func() {
			hit, n := false, 0
			r.each(f, func() {
				if on(f).IsTrue() {
					hit, matched[n] = true, true
					yield()
				}
				n++
			})
			if !hit && (j.Kind == ir.Left || j.Kind == ir.Full) {
				null(f, r)
				yield()
			}
		})
		if j.Kind == ir.Right || j.Kind == ir.Full {
			n := 0
			r.each(f, func() {
				if !matched[n] {
					null(f, l)
					yield()
				}
				n++
			})
		}
	}
	return out
}

// result is an output row with what it is sorted by.
type result struct {
	vals []ir.Value
	keys []ir.Value // ORDER BY
	on   string     // DISTINCT ON
}

func (s *scope) project(p *ir.Project) relation {
	sorted := s.sorted(p)
	return func(f *frame) [][]ir.Value {
		list, _ := sorted(f)
		return valuesOf(list)
	}
}

func valuesOf(list []result) [][]ir.Value {
	out := make([][]ir.Value, len(list))
	for i, r := range list {
		out[i] = r.vals
	}
	return out
}

// ordered is rel with the rows that ORDER BY does not tell apart in any order, as far
// as the first n; -1 is all of them.
func (s *scope) ordered(r ir.Rel, n int) relation {
	var sorted func(f *frame) ([]result, []bool)
	if p, ok := r.(*ir.Project); ok {
		sorted = s.sorted(p)
	} else {
		rows := s.rel(r)
		sorted = func(f *frame) (list []result, _ []bool) {
			for _, vals := range rows(f) {
				list = append(list, result{vals: vals})
			}
			return list, nil
		}
	}
	return func(f *frame) [][]ir.Value {
		list, desc := sorted(f)
		list = slices.Clone(list)
		for i := range list {
			if i == n {
				break
			}
			var next []int // a row of each kind that may come here
			seen := map[string]bool{}
			for k := i; k < len(list) && rowvalues.Compare(list[i].keys, list[k].keys, desc) == 0; k++ {
				if id := encodeAll(list[k].vals); !seen[id] {
					seen[id] = true
					next = append(next, k)
				}
			}
			k := next[f.pick(len(next))]
			list[i], list[k] = list[k], list[i]
		}
		return valuesOf(list)
	}
}

// sorted gives the rows of a projection with what they are sorted by.
func (s *scope) sorted(p *ir.Project) func(f *frame) (list []result, desc []bool) {
	j := s.from(p.From)
	in := j.scope
	where := eval(func(*frame) ir.Value { return ir.Bool(true) })
	if p.Where != nil {
		where = in.expr(p.Where)
	}
	var cols []eval
	for _, c := range p.Cols {
		cols = append(cols, in.expr(c.Expr))
	}
	order, desc := in.order(p.Order)
	on := in.exprs(p.On)
	limit, offset := s.optional(p.Limit), s.optional(p.Offset)
	return func(f *frame) ([]result, []bool) {
		var list []result
		j.each(f, func() {
			if !where(f).IsTrue() {
				return
			}
			r := result{vals: make([]ir.Value, len(cols))}
			for i, c := range cols {
				r.vals[i] = c(f).Convert(p.Cols[i].Type)
			}
			for _, o := range order {
				r.keys = append(r.keys, o(f))
			}
			var key []ir.Value
			for _, o := range on {
				key = append(key, o(f))
			}
			r.on = encodeAll(key)
			list = append(list, r)
		})
		sort.SliceStable(list, func(a, b int) bool {
			if c := rowvalues.Compare(list[a].keys, list[b].keys, desc); c != 0 {
				return c < 0
			}
			return encodeAll(list[a].vals) < encodeAll(list[b].vals)
		})
		ties := func(i int) int { // the end of the rows that come in any order with row i
			k := i + 1
			for k < len(list) && rowvalues.Compare(list[i].keys, list[k].keys, desc) == 0 {
				k++
			}
			return k
		}
		if p.On != nil {
			list = firsts(f, list, desc)
		}
		if p.Distinct {
			seen := map[string]bool{}
			list = slices.DeleteFunc(list, func(r result) bool {
				k := encodeAll(r.vals)
				again := seen[k]
				seen[k] = true
				return again
			})
		}
		skip, n := 0, len(list)
		if v := offset(f); !v.IsNull() {
			skip = count(v.I, "OFFSET", n)
		}
		if v := limit(f); !v.IsNull() {
			n = min(n, skip+count(v.I, "LIMIT", n))
		}
		// Which of the rows that come in any order are cut off is a choice.
		for i := 0; i < n && (skip > 0 || n < len(list)); i++ {
			if end := ties(i); end > i+1 && (i < skip || end > n) {
				list = append([]result{}, list...)
				k := i + f.choose(end-i)
				list[i], list[k] = list[k], list[i]
			}
		}
		return list[min(skip, n):n], desc
	}
}

// firsts keeps one row, the first, of those that agree in DISTINCT ON.
func firsts(f *frame, list []result, desc []bool) []result {
	var out []result
	done := map[string]bool{}
	for i, r := range list {
		if done[r.on] {
			continue
		}
		done[r.on] = true
		var same []result
		for _, o := range list[i:] {
			if o.on == r.on && rowvalues.Compare(o.keys, r.keys, desc) == 0 {
				same = append(same, o)
			}
		}
		out = append(out, same[f.choose(len(same))])
	}
	return out
}

func count(v int64, what string, n int) int {
	if v < 0 {
		panic(stop{reason: what + " must not be negative"})
	}
	return int(min(v, int64(n)))
}

// optional compiles an expression; none gives NULL.
func (s *scope) optional(e ir.Expr) eval {
	if e == nil {
		return func(*frame) ir.Value { return ir.Null }
	}
	return s.expr(e)
}

func (s *scope) group(g *ir.Group) relation {
	j := s.from(g.From)
	in := j.scope
	where := eval(func(*frame) ir.Value { return ir.Bool(true) })
	if g.Where != nil {
		where = in.expr(g.Where)
	}
	var keys, args []eval
	for _, k := range g.Keys {
		keys = append(keys, in.expr(k.Expr))
	}
	for _, a := range g.Aggs {
		if a.Arg == nil {
			args = append(args, func(*frame) ir.Value { return ir.Bool(true) })
		} else {
			args = append(args, in.expr(a.Arg))
		}
	}
	type bucket struct {
		keys []ir.Value
		vals [][]ir.Value
	}
	return func(f *frame) [][]ir.Value {
		groups := map[string]*bucket{}
		if len(g.Keys) == 0 {
			groups[""] = &bucket{vals: make([][]ir.Value, len(args))}
		}
		j.each(f, func() {
			if !where(f).IsTrue() {
				return
			}
			key := make([]ir.Value, len(keys))
			for i, k := range keys {
				key[i] = k(f).Convert(g.Keys[i].Type)
			}
			id := encodeAll(key)
			b := groups[id]
			if b == nil {
				b = &bucket{keys: key, vals: make([][]ir.Value, len(args))}
				groups[id] = b
			}
			for i, a := range args {
				if v := a(f); !v.IsNull() {
					b.vals[i] = append(b.vals[i], v)
				}
			}
		})
		var out [][]ir.Value
		for _, b := range groups {
			row := append([]ir.Value{}, b.keys...)
			for i := range args {
				row = append(row, f.fold(&g.Aggs[i].Agg, b.vals[i]).Convert(g.Aggs[i].Type))
			}
			out = append(out, row)
		}
		sortRows(out)
		return out
	}
}

func sortRows(rows [][]ir.Value) {
	sort.Slice(rows, func(a, b int) bool { return strings.Compare(encodeAll(rows[a]), encodeAll(rows[b])) < 0 })
}

func (s *scope) setOp(o *ir.SetOp) relation {
	cols := ir.Columns(o.L)
	l := s.rel(o.L)
	if o.Again != "" {
		s.locals[o.Again] = len(s.locals)
	}
	r := s.rel(o.R)
	if o.Again != "" {
		return recursive(o, l, r, cols, s.locals[o.Again])
	}
	return func(f *frame) [][]ir.Value {
		out := rowvalues.Combine(o, rowvalues.Convert(l(f), cols), rowvalues.Convert(r(f), cols), encodeAll)
		sortRows(out)
		return out
	}
}

// recursive computes a recursive union; slot is where r finds the rows of the round before.
func recursive(o *ir.SetOp, l, r relation, cols []ir.Column, slot int) relation {
	name := encodeAll
	if o.All {
		name = nil
	}
	return func(f *frame) [][]ir.Value {
		all, ok := rowvalues.Rounds(rowvalues.Convert(l(f), cols), func(last [][]ir.Value) [][]ir.Value {
			f.locals[slot] = rowvalues.Array(last)
			return rowvalues.Convert(r(f), cols)
		}, name, maxSeries)
		if !ok {
			panic(stop{reason: TooLong})
		}
		sortRows(all)
		return all
	}
}

// givesRows reports whether an expression is all rows of a derivation: a client
// gets them one by one.
func givesRows(e ir.Expr) bool {
	c, ok := e.(*ir.Call)
	return ok && c.Def != nil && c.Def.Want == ir.WantRows
}
