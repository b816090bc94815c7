package analyzer

import (
	"go/types"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/client"
)

// cell is a place in memory: a variable whose address is taken, or what a pointer
// from outside points to. Structs have a cell for each field.
type cell struct {
	t     types.Type
	name  string
	start origin
	parts []*cell
	// seq and path say when it was made.
	seq  int
	path []int
	// alias are cells that it stands for as well: a store makes them unknown.
	alias []*cell
	// fixed says that only the function that has the variable sets it.
	fixed bool
}

// origin says what a cell holds before the first store.
type origin uint8

const (
	zeroed  origin = iota
	given          // whoever runs the transaction chooses
	unknown        // anything, and perhaps something else each time
)

// part gives the cell of the i-th field or element, nil if they are not kept
// apart.
func (c *cell) part(i int) *cell {
	if c.parts == nil {
		ts, names := parts(c.t)
		for k, t := range ts {
			c.parts = append(c.parts, &cell{t: t, name: c.name + "." + names[k], start: c.start, seq: c.seq, path: append(c.path[:len(c.path):len(c.path)], k)})
		}
	}
	if i < 0 || i >= len(c.parts) {
		return nil
	}
	return c.parts[i]
}

// elements gives what a store to some element of an array may change.
func (c *cell) elements() []*cell {
	if c.whole() {
		return []*cell{c}
	}
	return c.parts
}

// whole reports whether the cell has no parts.
func (c *cell) whole() bool {
	c.part(0)
	return len(c.parts) == 0
}

// eachLeaf calls f for the cells without parts in c.
func (c *cell) eachLeaf(f func(*cell)) {
	if c.whole() {
		f(c)
		return
	}
	for _, p := range c.parts {
		p.eachLeaf(f)
	}
}

func (in *interp) newCell(t types.Type, name string, from origin) *cell {
	in.cells++
	return &cell{t: t, name: name, start: from, seq: in.cells}
}

// phase says how far the transaction is.
type phase uint8

const (
	done phase = iota // committed or rolled back
	idle              // not begun
	open
)

// state is what changes from one instruction to the next, registers apart.
type state struct {
	mem    map[*cell]value
	phase  phase
	rolled bool // done without effect: what follows shows nothing of it
	ended  *client.Commit
	defers map[*frame][]deferred
	// facts are what the conditions on the way here imply, codes the codes that
	// errors may have here.
	facts facts
	codes map[string]func(code int64) bool
	// sent says of the queries of the transaction with several rows whether they
	// are written.
	sent map[*rows]bool
}

func newState() *state {
	return &state{mem: map[*cell]value{}, phase: idle, defers: map[*frame][]deferred{}, sent: map[*rows]bool{}}
}

func (s *state) clone() *state {
	return &state{mem: maps.Clone(s.mem), phase: s.phase, rolled: s.rolled, ended: s.ended, defers: maps.Clone(s.defers), facts: s.facts, codes: s.codes, sent: maps.Clone(s.sent)}
}

// pending gives the queries that are not written yet, in the order of the source.
func (s *state) pending() []*rows {
	var out []*rows
	for q, written := range s.sent {
		if !written {
			out = append(out, q)
		}
	}
	slices.SortFunc(out, func(a, b *rows) int { return comparePos(a.pos, b.pos) })
	return out
}

// load gives what a cell holds.
func (in *interp) load(c *cell) value {
	if !c.whole() {
		a := &aggregate{t: c.t}
		for i := range c.parts {
			a.parts = append(a.parts, in.load(c.part(i)))
		}
		return a
	}
	if v, ok := in.st.mem[c]; ok {
		return v
	}
	switch c.start {
	case zeroed:
		return in.zero(c.t)
	case given:
		if v, ok := in.inputs[c]; ok {
			return v
		}
		v := in.fresh(c.t, c.name, given)
		in.inputs[c] = v
		return v
	}
	v := in.fresh(c.t, c.name, unknown)
	in.st.mem[c] = v
	return v
}

// store changes what a cell holds.
func (in *interp) store(c *cell, v value) {
	for _, a := range c.alias {
		in.forget(a)
	}
	if c.whole() {
		if !types.IsInterface(c.t) || isError(c.t) { // else its type is part of the value
			v = unbox(v)
		}
		in.st.mem[c] = v
		return
	}
	v = unbox(v)
	a, ok := v.(*aggregate)
	if !ok || len(a.parts) != len(c.parts) {
		in.emitValue(v)
		in.forget(c)
		return
	}
	for i, p := range a.parts {
		in.store(c.part(i), p)
	}
}

// structOf gives the struct that a value is or points to, if it is known.
func (in *interp) structOf(v value) (*aggregate, bool) {
	v = unbox(v)
	if p, ok := v.(*pointer); ok && !isTrue(p.nil()) {
		v = in.load(p.to)
	}
	a, ok := v.(*aggregate)
	return a, ok
}

// forget makes what a cell holds unknown.
func (in *interp) forget(c *cell) {
	c.eachLeaf(func(l *cell) { in.st.mem[l] = in.fresh(l.t, l.name, unknown) })
}

// zero gives the zero value of a type.
func (in *interp) zero(t types.Type) value {
	if ts, _ := parts(t); ts != nil {
		a := &aggregate{t: t}
		for _, p := range ts {
			a.parts = append(a.parts, in.zero(p))
		}
		return a
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return &pointer{to: in.newCell(u.Elem(), "nil", unknown), isNil: client.True}
	case *types.Slice:
		if kindOf(u.Elem()) == client.Int { // bytes
			break
		}
		return &list{}
	case *types.Interface:
		if isError(t) {
			return &failure{}
		}
	}
	return scalar{client.C(zeroOf(t)), kindOf(t)}
}

// fresh gives a value of a type of which nothing is known.
func (in *interp) fresh(t types.Type, name string, from origin) value {
	if v := in.handleOf(t, name); v != nil {
		if h := handleIn(v); h != nil {
			h.lost = from == unknown
		}
		return v
	}
	if ts, names := parts(t); ts != nil {
		if len(ts) > maxFields {
			return scalar{client.V(in.newVar(name, client.Any, true, from)), client.Any}
		}
		if at, ok := optionalValue(t); ok {
			v := in.newVar(name, kindOf(ts[at[0]]), true, from)
			return in.optionalOf(t, at, v)
		}
		a := &aggregate{t: t}
		for i, p := range ts {
			a.parts = append(a.parts, in.fresh(p, name+"."+names[i], from))
		}
		return a
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		c := in.newCell(u.Elem(), name, from)
		if ts, _ := parts(u.Elem()); ts == nil && !isPointer(u.Elem()) {
			v := in.newVar(name, kindOf(u.Elem()), true, from)
			in.st.mem[c] = scalar{client.V(v), kindOf(u.Elem())}
			if from == given {
				in.inputs[c] = in.st.mem[c]
			}
			return &pointer{to: c, isNil: op("null", client.V(v))}
		}
		if from == given {
			return &pointer{to: c}
		}
		return &pointer{to: c, isNil: client.V(in.newVar(name+".nil", client.Bool, false, from))}
	case *types.Signature:
		return &asked{name, from == unknown}
	case *types.Interface:
		if isError(t) {
			f := &failure{noRows: client.V(in.newVar(name+".norows", client.Bool, false, from)),
				other: client.V(in.newVar(name+".failed", client.Bool, false, from))}
			return f
		}
	case *types.Tuple:
		out := make(tuple, u.Len())
		for i := range out {
			out[i] = in.fresh(u.At(i).Type(), name, from)
		}
		return out
	}
	return scalar{client.V(in.newVar(name, kindOf(t), nullable(t), from)), kindOf(t)}
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// someError is an error that may be nil, someCount a number of rows.
func (in *interp) someError() *failure { return in.fresh(errorType, "err", unknown).(*failure) }
func (in *interp) someCount() value    { return in.fresh(types.Typ[types.Int64], "affected", unknown) }

// maxFields bounds the fields of a struct that are kept apart where nothing is
// known of them.
const maxFields = 100

// optionalOf makes a value that may be absent of a variable that may be NULL.
func (in *interp) optionalOf(t types.Type, at [2]int, v string) value {
	a := &aggregate{t: t}
	ts, _ := parts(t)
	for i, p := range ts {
		switch i {
		case at[0]:
			a.parts = append(a.parts, scalar{client.V(v), kindOf(p)})
		case at[1]:
			a.parts = append(a.parts, scalar{client.Not(op("null", client.V(v))), client.Bool})
		default:
			a.parts = append(a.parts, in.zero(p))
		}
	}
	return a
}

// present gives what a place of type t holds when a part of a struct is put there:
// the value of one that may be absent, such as sql.NullString, is the zero value where
// it is.
func (in *interp) present(w value, t types.Type) value {
	s, isScalar := w.(scalar)
	if !isScalar || t == nil {
		return w
	}
	x, isVar := s.e.(*client.VarExpr)
	zero := zeroOf(t)
	if !isVar || zero.IsNull() || !in.variable(x.Name).Nullable {
		return w
	}
	null := op("null", x)
	if is, known := in.known(null); known {
		if is {
			return scalar{client.C(zero), s.kind}
		}
		return w
	}
	v := in.temp(x.Name, s.kind, false)
	in.emit(&client.If{At: in.at(), Cond: null, Then: []client.Stmt{&client.Assign{At: in.at(), Var: v, Expr: client.C(zero)}},
		Else: []client.Stmt{&client.Assign{At: in.at(), Var: v, Expr: x}}})
	return scalar{client.V(v), s.kind}
}

// newVar makes a variable, which is an input or set to anything here.
func (in *interp) newVar(name string, k client.Kind, nullable bool, from origin) string {
	v := in.declare(client.Var{Name: name, Kind: k, Nullable: nullable, Input: from == given})
	if from == unknown {
		in.emit(&client.Havoc{At: in.at(), Var: v})
	}
	return v
}

// temp makes a variable that is set before it is used.
func (in *interp) temp(name string, k client.Kind, nullable bool) string {
	return in.declare(client.Var{Name: name, Kind: k, Nullable: nullable})
}
