package analyzer

import (
	"cmp"
	"go/types"
	"maps"
	"reflect"
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// edge is a way into a place where several meet: the state there, the values of
// its registers, and the statements that lead there, of which the last is the
// jump.
type edge struct {
	st   *state
	vals []value
	out  *[]client.Stmt
}

// ahead puts what f writes before the jump of an edge.
func (in *interp) ahead(e *edge, f func()) {
	n := len(*e.out) - 1
	jump := (*e.out)[n]
	*e.out = (*e.out)[:n]
	outer, st := in.out, in.st
	in.out, in.st = e.out, e.st
	f()
	*e.out = append(*e.out, jump)
	in.out, in.st = outer, st
}

// merge joins the edges into a place: in.st becomes the state there, and the
// result the values of the registers.
func (in *interp) merge(edges []*edge) []value {
	first := edges[0]
	if len(edges) == 1 {
		in.st = first.st
		return first.vals
	}
	st := newState()
	st.phase, st.rolled, st.ended = done, true, first.st.ended
	st.facts = commonFacts(edges)
	cells := map[*cell]bool{}
	for _, e := range edges {
		st.phase = max(st.phase, e.st.phase)
		st.rolled = st.rolled && e.st.rolled
		if e.st.ended != st.ended {
			st.ended = nil
		}
		for r, written := range e.st.sent {
			st.sent[r] = st.sent[r] || written
		}
		for c := range e.st.mem {
			cells[c] = true
		}
		for f, list := range e.st.defers {
			if len(list) > len(st.defers[f]) {
				st.defers[f] = list
			}
		}
	}
	for _, e := range edges { // what is written on one path is so on all
		for _, r := range e.st.pending() {
			if st.sent[r] {
				in.ahead(e, func() { in.execute(r) })
			}
		}
	}
	for f, list := range st.defers {
		list = slices.Clone(list)
		for i := range list {
			for _, e := range edges {
				if !slices.ContainsFunc(e.st.defers[f], func(d deferred) bool { return d.call == list[i].call }) {
					list[i].perhaps = true
				}
			}
		}
		st.defers[f] = list
	}
	for _, c := range ordered(cells) {
		vals := make([]value, len(edges))
		known := true
		for i, e := range edges {
			v, ok := e.st.mem[c]
			if !ok {
				if c.start == unknown {
					known = false
					break
				}
				in.ahead(e, func() { v = in.load(c) })
			}
			vals[i] = v
		}
		if known {
			st.mem[c] = in.join(c.name, c.t, edges, vals)
		}
	}
	out := make([]value, len(first.vals))
	for k := range out {
		vals := make([]value, len(edges))
		for i, e := range edges {
			vals[i] = e.vals[k]
		}
		out[k] = in.join("v", nil, edges, vals)
	}
	maps.Copy(st.mem, in.joined)
	clear(in.joined)
	in.st = st
	return out
}

// ordered gives cells in the order in which they were made.
func ordered(set map[*cell]bool) []*cell {
	list := slices.Collect(maps.Keys(set))
	slices.SortFunc(list, func(a, b *cell) int {
		return cmp.Or(cmp.Compare(a.seq, b.seq), slices.Compare(a.path, b.path))
	})
	return list
}

// join gives one value for those that come by several edges.
func (in *interp) join(name string, t types.Type, edges []*edge, vals []value) value {
	for i := range vals {
		vals[i] = unbox(vals[i])
	}
	if allSame(vals) {
		return vals[0]
	}
	if v, ok := in.joinAggregates(name, edges, vals); ok {
		return v
	}
	if v, ok := in.joinPointers(name, edges, vals); ok {
		return v
	}
	if v, ok := joinHandles(vals); ok {
		return v
	}
	if l, ok := in.joinLists(edges, vals); ok {
		return l
	}
	if g, ok := in.joinGrown(name, edges, vals); ok {
		return g
	}
	if v, ok := in.joinBuilders(name, edges, vals); ok {
		return v
	}
	if allOf[*failure](vals) {
		v := in.temp(name, client.Int, false)
		var list []*failure
		for i, e := range edges {
			list = append(list, vals[i].(*failure))
			in.ahead(e, func() { in.assignFailure(v, list[i]) })
		}
		in.noteOrigins(v, edges, vals)
		return failureOf(client.V(v), in.joinWraps(list))
	}
	if v, ok := in.joinLive(edges, vals); ok {
		return v
	}
	for i, e := range edges {
		in.ahead(e, func() { vals[i] = in.present(vals[i], t) })
	}
	kind, null := client.Any, false
	for i, w := range vals {
		k, n := kindAndNull(w)
		if i == 0 {
			kind = k
		} else if kind != k {
			kind = client.Any
		}
		null = null || n
	}
	v := in.temp(name, kind, null || kind == client.Any)
	for i, e := range edges {
		in.ahead(e, func() { in.set(v, in.scalarOf(vals[i]).e) })
	}
	if texts := alternatives(vals, in); texts != nil {
		in.texts[v] = texts
	}
	return scalar{client.V(v), kind}
}

// joinLive joins values that have a transaction in them, and cannot be joined as
// what they are: nothing else is known of what comes of them.
func (in *interp) joinLive(edges []*edge, vals []value) (value, bool) {
	out := &handle{kind: either}
	live := false
	for i, v := range vals {
		in.ahead(edges[i], func() {
			in.holds(v, func(w value) bool {
				if r, ok := w.(*rows); ok {
					r.query.Returned = true
					in.execute(r)
					return false
				}
				if h := handleIn(w); h != nil && isLive(w) {
					out.site, out.t = cmp.Or(out.site, h.site), h.t
				}
				live = live || isLive(w)
				return false
			})
		})
	}
	if !live {
		return nil, false
	}
	if out.site == "" {
		out.site, out.lost = in.site, true
	}
	return out, true
}

func kindAndNull(v value) (client.Kind, bool) {
	switch v := v.(type) {
	case scalar:
		if c, ok := v.e.(*client.Const); ok && c.Value.IsNull() {
			return v.kind, true
		}
		return v.kind, false
	case *failure:
		return client.Int, false
	}
	return client.Any, true
}

// alternatives gives the texts that a variable may hold if all are known.
func alternatives(vals []value, in *interp) []string {
	var out []string
	for _, v := range vals {
		s, ok := v.(scalar)
		if !ok || s.kind != client.Text {
			return nil
		}
		for _, t := range in.textsOf(s.e) {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	if len(out) > maxTexts {
		return nil
	}
	return out
}

func allOf[T any](vals []value) bool {
	for _, v := range vals {
		if _, ok := v.(T); !ok {
			return false
		}
	}
	return true
}

func allSame(vals []value) bool {
	for _, v := range vals[1:] {
		if !same(v, vals[0]) {
			return false
		}
	}
	return true
}

// same reports whether two values are the same one.
func same(a, b value) bool {
	a, b = unbox(a), unbox(b)
	switch a := a.(type) {
	case scalar:
		b, ok := b.(scalar)
		return ok && sameExpr(a.e, b.e)
	case *aggregate:
		b, ok := b.(*aggregate)
		return ok && sameAll(a.parts, b.parts)
	case *pointer:
		b, ok := b.(*pointer)
		if ok && a.isNil == client.True && b.isNil == client.True {
			return true
		}
		return ok && a.to == b.to && sameExpr(a.isNil, b.isNil)
	case *list:
		b, ok := b.(*list)
		return ok && a.c == b.c && sameAll(a.elems, b.elems)
	case *grown:
		b, ok := b.(*grown)
		return ok && sameExpr(a.e, b.e) && sameExpr(a.n, b.n)
	case *closure:
		b, ok := b.(*closure)
		return ok && a.fn == b.fn && a.bound == b.bound && sameAll(a.free, b.free)
	case *failure:
		b, ok := b.(*failure)
		return ok && a.kind == b.kind && a.wraps == b.wraps && sameExpr(a.noRows, b.noRows) && sameExpr(a.other, b.other) && slices.EqualFunc(a.several, b.several, func(f, g *failure) bool { return same(f, g) })
	case tuple:
		b, ok := b.(tuple)
		return ok && sameAll(a, b)
	case span:
		return a == b
	case *entries:
		b, ok := b.(*entries)
		return ok && sameEntries(a, b)
	case *dict:
		b, ok := b.(*dict)
		return ok && a.c == b.c
	case *foreign:
		b, ok := b.(*foreign)
		return ok && sameForeign(a, b)
	case *contextValue:
		b, ok := b.(*contextValue)
		return ok && (a == b || a.parent != nil && b.parent != nil && same(a.parent, b.parent) && same(a.key, b.key) && same(a.v, b.v))
	}
	return sameHandle(a, b)
}

func sameAll(a, b []value) bool {
	return slices.EqualFunc(a, b, same)
}

func sameExpr(a, b client.Expr) bool {
	if a == nil {
		a = client.False
	}
	if b == nil {
		b = client.False
	}
	return reflect.DeepEqual(a, b)
}

// growing gives a slice with its length, if that is known.
func (in *interp) growing(v value) (*grown, bool) {
	switch v := unbox(v).(type) {
	case *grown:
		return v, true
	case *list:
		return &grown{in.scalarOf(v).e, constInt(int64(len(v.elems)))}, true
	case span:
		return &grown{in.scalarOf(v).e, constInt(int64(v.n))}, true
	}
	return nil, false
}

// joinGrown joins slices whose lengths are known.
func (in *interp) joinGrown(name string, edges []*edge, vals []value) (value, bool) {
	for _, v := range vals {
		switch v.(type) {
		case *grown, *list, span:
		default:
			return nil, false
		}
	}
	g := &grown{}
	e, n := in.temp(name, client.Any, true), in.temp(name+".len", client.Int, false)
	g.e, g.n = client.V(e), client.V(n)
	for i, ed := range edges {
		in.ahead(ed, func() {
			w, _ := in.growing(vals[i])
			in.set(e, w.e)
			in.set(n, w.n)
		})
	}
	return g, true
}

// joinLists joins slices with the same elements, to which nothing was written.
func (in *interp) joinLists(edges []*edge, vals []value) (value, bool) {
	if !allOf[*list](vals) {
		return nil, false
	}
	first := vals[0].(*list)
	out := in.newList(first.elems)
	for i, v := range vals {
		l := v.(*list)
		if !sameAll(l.elems, first.elems) {
			return nil, false
		}
		if l.c != nil {
			if _, written := edges[i].st.mem[l.c]; written {
				return nil, false
			}
			out.c.alias = append(out.c.alias, l.c)
		}
	}
	return out, true
}

func (in *interp) joinAggregates(name string, edges []*edge, vals []value) (value, bool) {
	if !allOf[*aggregate](vals) {
		return nil, false
	}
	first := vals[0].(*aggregate)
	out := &aggregate{t: first.t}
	ts, names := parts(first.t)
	for k := range first.parts {
		list := make([]value, len(vals))
		for i, v := range vals {
			a := v.(*aggregate)
			if len(a.parts) != len(first.parts) {
				return nil, false
			}
			list[i] = a.parts[k]
		}
		out.parts = append(out.parts, in.join(name+"."+names[k], ts[k], edges, list))
	}
	return out, true
}

// joinPointers joins pointers to one cell, and nil; or else to several cells,
// for which a new one stands.
func (in *interp) joinPointers(name string, edges []*edge, vals []value) (value, bool) {
	if !allOf[*pointer](vals) {
		return nil, false
	}
	var cells []*cell
	for _, v := range vals {
		p := v.(*pointer)
		if is, known := client.Truth(p.nil()); known && is {
			continue
		}
		if !slices.Contains(cells, p.to) {
			cells = append(cells, p.to)
		}
	}
	isNil := in.temp(name+".nil", client.Bool, false)
	for i, e := range edges {
		in.ahead(e, func() { in.set(isNil, vals[i].(*pointer).nil()) })
	}
	if len(cells) == 1 {
		return &pointer{to: cells[0], isNil: client.V(isNil)}, true
	}
	c := in.newCell(cells[0].t, name, unknown)
	c.alias = cells
	for _, d := range cells {
		if !types.Identical(d.t, c.t) {
			return &pointer{to: c, isNil: client.V(isNil)}, true
		}
	}
	return &pointer{to: c, isNil: client.V(isNil)}, true
}

// nil says when the pointer is nil.
func (p *pointer) nil() client.Expr {
	if p.isNil == nil {
		return client.False
	}
	return p.isNil
}

// set assigns a variable.
func (in *interp) set(v string, e client.Expr) {
	if w, ok := e.(*client.VarExpr); ok && w.Name == v {
		return
	}
	in.emit(&client.Assign{At: in.at(), Var: v, Expr: e})
}

// scalarOf makes a value an expression.
func (in *interp) scalarOf(v value) scalar {
	switch v := unbox(v).(type) {
	case scalar:
		return v
	case *pointer:
		n := v.nil()
		if is, known := client.Truth(n); known && is {
			return scalar{client.C(ir.Null), client.Any}
		}
		if !v.to.whole() && !optional(v.to.t) { // a struct somewhere in memory, and all that it leads to
			in.emitValue(v)
			return scalar{client.V(in.newVar("pointer", client.Any, true, unknown)), client.Any}
		}
		s := in.scalarOf(in.load(v.to))
		if is, known := client.Truth(n); known && !is {
			return s
		}
		if o, ok := n.(*client.Op); ok && o.Op == "null" && sameExpr(o.Args[0], s.e) {
			return s // a variable that is NULL where the pointer is nil
		}
		t := in.temp("value", s.kind, true)
		in.emit(&client.If{At: in.at(), Cond: n, Then: []client.Stmt{&client.Assign{At: in.at(), Var: t, Expr: client.C(ir.Null)}},
			Else: []client.Stmt{&client.Assign{At: in.at(), Var: t, Expr: s.e}}})
		return scalar{client.V(t), s.kind}
	case *aggregate:
		if at, ok := optionalValue(v.t); ok {
			return in.optionalScalar(v, at)
		}
		return scalar{&client.Call{Name: "struct", Args: in.exprs(v.parts)}, client.Any}
	case *list:
		if in.written(v) {
			in.emitValue(v)
			return scalar{client.V(in.newVar("list", client.Any, true, unknown)), client.Any}
		}
		return scalar{&client.Call{Name: "list", Args: in.exprs(v.elems)}, client.Any}
	case span:
		return in.scalarOf(&list{elems: in.elements(v)})
	case *grown:
		return scalar{v.e, client.Any}
	case *failure:
		if v.code != nil {
			return scalar{v.code, client.Int}
		}
		t := in.temp("err", client.Int, false)
		in.assignFailure(t, v)
		return scalar{client.V(t), client.Int}
	case tuple:
		return scalar{&client.Call{Name: "struct", Args: in.exprs(v)}, client.Any}
	case *dict, *entries, *rawSQL, *assignments, *sqlBuilder, *contextValue:
		in.emitValue(v)
		return scalar{client.V(in.newVar("v", client.Any, true, unknown)), client.Any}
	}
	return scalar{client.C(ir.Null), client.Any}
}

func (in *interp) exprs(vals []value) []client.Expr {
	var out []client.Expr
	for _, v := range vals {
		out = append(out, in.scalarOf(v).e)
	}
	return out
}

// optionalScalar is the value of a struct such as sql.NullString.
func (in *interp) optionalScalar(a *aggregate, at [2]int) scalar {
	s := in.scalarOf(a.parts[at[0]])
	valid := in.scalarOf(a.parts[at[1]]).e
	if is, known := client.Truth(valid); known {
		if is {
			return s
		}
		return scalar{client.C(ir.Null), s.kind}
	}
	if n, ok := client.Not(valid).(*client.Op); ok && n.Op == "null" && sameExpr(n.Args[0], s.e) {
		return s
	}
	t := in.temp("value", s.kind, true)
	in.emit(&client.If{At: in.at(), Cond: valid, Then: []client.Stmt{&client.Assign{At: in.at(), Var: t, Expr: s.e}},
		Else: []client.Stmt{&client.Assign{At: in.at(), Var: t, Expr: client.C(ir.Null)}}})
	return scalar{client.V(t), s.kind}
}

// elements gives what an array holds.
func (in *interp) elements(s span) []value {
	var out []value
	for i := range s.n {
		if p := s.array.part(i); p != nil {
			out = append(out, in.load(p))
		}
	}
	return out
}
