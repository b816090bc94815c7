package memory

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/internal/client"
	"golang.org/x/tools/go/ssa"
)

// Cell is a place in memory: a variable whose address is taken, or what a pointer
// from outside points to. Structs have a cell for each field.
type Cell struct {
	T      types.Type
	layout gotypes.Layout
	Name   string
	Start  Origin
	Parts  []*Cell
	// Seq and path say when it was made.
	Seq  int
	path []int
	// Alias are cells that it stands for as well: a store makes them unknown.
	Alias []*Cell
	// Fixed says that only the function that has the variable sets it.
	Fixed bool
	// made says that the state has it wherever the variable exists (Make).
	made bool
	// outside says that code which is not read gives what it holds.
	outside bool
	// lost is that of Memory, for what the cell holds before the first store.
	lost client.Havoc
}

// Origin says what a cell holds before the first store.
type Origin uint8

const (
	Zeroed  Origin = iota
	Given          // whoever runs the transaction chooses
	Unknown        // anything, and perhaps something else each time
)

// GivenOutside reports whether code that is not read gives what the cell holds.
func (c *Cell) GivenOutside() bool { return c.outside }

// Part gives the cell of the i-th field or element, nil if they are not kept
// apart.
func (c *Cell) Part(i int) *Cell {
	if c.Parts == nil {
		ts, names := c.layout.Parts(c.T)
		for k, t := range ts {
			c.Parts = append(c.Parts, &Cell{T: t, layout: c.layout, Name: c.Name + "." + names[k], Start: c.Start, outside: c.outside, lost: c.lost, Seq: c.Seq, path: append(c.path[:len(c.path):len(c.path)], k)})
		}
	}
	if i < 0 || i >= len(c.Parts) {
		return nil
	}
	return c.Parts[i]
}

// Elements gives what a store to some element of an array may change.
func (c *Cell) Elements() []*Cell {
	if c.Whole() {
		return []*Cell{c}
	}
	return c.Parts
}

// Whole reports whether the cell has no parts.
func (c *Cell) Whole() bool {
	c.Part(0)
	return len(c.Parts) == 0
}

// EachLeaf calls f for the cells without parts in c.
func (c *Cell) EachLeaf(f func(*Cell)) {
	if c.Whole() {
		f(c)
		return
	}
	for _, p := range c.Parts {
		p.EachLeaf(f)
	}
}

// NewCell makes a place in memory.
func (in *Memory) NewCell(t types.Type, name string, from Origin) *Cell {
	in.Cells++
	return &Cell{T: t, layout: in.P.Know.Layout, Name: name, Start: from, outside: in.outside && from == Given, Seq: in.Cells}
}

// Phase says how far the transaction is.
type Phase uint8

const (
	Done Phase = iota // committed or rolled back
	Idle              // not begun
	Open
)

// State is what changes from one instruction to the next, registers apart.
type State struct {
	Mem    map[*Cell]Value
	Phase  Phase
	Rolled bool // done without effect: what follows shows nothing of it
	Ended  *client.Commit
	Defers map[*Frame][]Deferred
	// Facts are what the conditions on the way here imply, codes the codes that
	// errors may have here.
	Facts Facts
	Codes map[string]func(code int64) bool
	// Sent says of the queries of the transaction with several rows whether they
	// are written.
	Sent map[*Rows]bool
}

func newState() *State {
	return &State{Mem: map[*Cell]Value{}, Phase: Idle, Defers: map[*Frame][]Deferred{}, Sent: map[*Rows]bool{}}
}

// Clone copies a state.
func (s *State) Clone() *State {
	return &State{Mem: maps.Clone(s.Mem), Phase: s.Phase, Rolled: s.Rolled, Ended: s.Ended, Defers: maps.Clone(s.Defers), Facts: s.Facts, Codes: s.Codes, Sent: maps.Clone(s.Sent)}
}

// Pending gives the queries that are not written yet, in the order of the source.
func (s *State) Pending() []*Rows {
	var out []*Rows
	for q, written := range s.Sent {
		if !written {
			out = append(out, q)
		}
	}
	slices.SortFunc(out, func(a, b *Rows) int { return program.ComparePos(a.Pos, b.Pos) })
	return out
}

// Make puts the zero value into a variable that begins to exist here: on paths without it, it does
// not matter what it holds.
func Make(in *Memory, c *Cell) {
	c.EachLeaf(func(l *Cell) {
		l.made = true
		in.St.Mem[l] = in.Load(l)
	})
}

// Load gives what a cell holds.
func (in *Memory) Load(c *Cell) Value {
	if !c.Whole() {
		a := &Aggregate{T: c.T}
		for i := range c.Parts {
			a.Parts = append(a.Parts, in.Load(c.Part(i)))
		}
		return a
	}
	if v, ok := in.St.Mem[c]; ok {
		return v
	}
	switch c.Start {
	case Zeroed:
		return in.Zero(c.T)
	case Given:
		if v, ok := in.inputs[c]; ok {
			return v
		}
		around := in.outside
		in.outside = c.outside
		v := in.Fresh(c.T, c.Name, Given)
		in.outside = around
		in.inputs[c] = v
		return v
	}
	var v Value
	within(in, c.lost, func() { v = in.Fresh(c.T, c.Name, Unknown) })
	in.St.Mem[c] = v
	return v
}

// Store changes what a cell holds.
func (in *Memory) Store(c *Cell, v Value) {
	for _, a := range c.Alias {
		in.Forget(a)
	}
	if c.Whole() {
		if !types.IsInterface(c.T) || gotypes.IsError(c.T) { // else its type is part of the value
			v = Unbox(v)
		}
		in.St.Mem[c] = v
		return
	}
	v = Unbox(v)
	a, ok := v.(*Aggregate)
	if !ok || len(a.Parts) != len(c.Parts) {
		in.EmitValue(v)
		in.Forget(c)
		return
	}
	for i, p := range a.Parts {
		in.Store(c.Part(i), p)
	}
}

// Forget makes what a cell holds unknown.
func (in *Memory) Forget(c *Cell) {
	c.EachLeaf(func(l *Cell) { in.St.Mem[l] = in.Fresh(l.T, l.Name, Unknown) })
}

// Zero gives the zero value of a type.
func (in *Memory) Zero(t types.Type) Value {
	if ts, _ := in.P.Know.Layout.Parts(t); ts != nil {
		a := &Aggregate{T: t}
		for _, p := range ts {
			a.Parts = append(a.Parts, in.Zero(p))
		}
		return a
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return &Pointer{To: in.NewCell(u.Elem(), "nil", Unknown), IsNil: client.True}
	case *types.Slice:
		if gotypes.KindOf(u.Elem()) == client.Int { // bytes
			break
		}
		return &List{}
	case *types.Interface:
		if gotypes.IsError(t) {
			return &Failure{}
		}
	}
	return Scalar{client.C(gotypes.ZeroOf(t)), gotypes.KindOf(t)}
}

// Fresh gives a value of a type of which nothing is known.
func (in *Memory) Fresh(t types.Type, name string, from Origin) Value {
	if v := in.HandleOf(t); v != nil {
		if h := HandleIn(v); h != nil {
			h.Lost = from == Unknown || in.outside && h.Kind == Transaction
			if h.Lost {
				Lose(in, h)
			}
		}
		return v
	}
	if ts, names := in.P.Know.Layout.Parts(t); ts != nil {
		if len(ts) > maxFields {
			return Scalar{client.V(in.NewVar(name, client.Any, true, from)), client.Any}
		}
		if at, ok := gotypes.OptionalValue(t); ok {
			v := in.NewVar(name, gotypes.KindOf(ts[at[0]]), true, from)
			return in.OptionalOf(t, at, v)
		}
		a := &Aggregate{T: t}
		for i, p := range ts {
			a.Parts = append(a.Parts, in.Fresh(p, name+"."+names[i], from))
		}
		return a
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		c := in.NewCell(u.Elem(), name, from)
		c.lost = in.lost
		if ts, _ := in.P.Know.Layout.Parts(u.Elem()); ts == nil && !gotypes.IsPointer(u.Elem()) && in.HandleOf(u.Elem()) == nil {
			v := in.NewVar(name, gotypes.KindOf(u.Elem()), true, from)
			in.St.Mem[c] = Scalar{client.V(v), gotypes.KindOf(u.Elem())}
			if from == Given {
				in.inputs[c] = in.St.Mem[c]
			}
			return &Pointer{To: c, IsNil: Op("null", client.V(v))}
		}
		if from == Given {
			return &Pointer{To: c}
		}
		return &Pointer{To: c, IsNil: client.V(in.NewVar(name+".nil", client.Bool, false, from))}
	case *types.Chan:
		if in.Tracing {
			return &Pointer{To: in.NewCell(u.Elem(), name, Unknown), IsNil: client.V(in.NewVar(name+".nil", client.Bool, false, from))}
		}
	case *types.Signature:
		return &Asked{name, from == Unknown}
	case *types.Interface:
		if gotypes.IsError(t) {
			f := &Failure{NoRows: client.V(in.NewVar(name+".norows", client.Bool, false, from)),
				Other: client.V(in.NewVar(name+".failed", client.Bool, false, from))}
			return f
		}
	case *types.Tuple:
		out := make(Tuple, u.Len())
		for i := range out {
			out[i] = in.Fresh(u.At(i).Type(), name, from)
		}
		return out
	}
	return Scalar{client.V(in.NewVar(name, gotypes.KindOf(t), gotypes.Nullable(t), from)), gotypes.KindOf(t)}
}

// Lose records that it is not known where a handle came from. If it is of a transaction, it is not known where that began.
func Lose(in *Memory, h *Handle) {
	if h.Lost = true; h.Kind == Transaction {
		MayBeUntraced(in, h)
	}
}

// MayBeUntraced says that a handle may be of a transaction which began at a place that is not known.
func MayBeUntraced(in *Memory, h *Handle) {
	if h.Untraced = true; !in.Tracing {
		h.Site = in.Untraced
	}
}

// FromOutside gives a value that code which is not read gives to the root. What it sends through an interface
// may be of a transaction, too.
func FromOutside(in *Memory, t types.Type, name string) Value {
	in.outside = true
	v := in.Fresh(t, name, Given)
	in.outside = false
	if h, ok := v.(*Handle); ok && h.Kind == Either && types.IsInterface(t) {
		MayBeUntraced(in, h)
	}
	return v
}

// maxFields bounds the fields of a struct that are kept apart where nothing is
// known of them.
const maxFields = 100

// OptionalOf makes a value that may be absent of a variable that may be NULL.
func (in *Memory) OptionalOf(t types.Type, at [2]int, v string) Value {
	a := &Aggregate{T: t}
	ts, _ := in.P.Know.Layout.Parts(t)
	for i, p := range ts {
		switch i {
		case at[0]:
			a.Parts = append(a.Parts, Scalar{client.V(v), gotypes.KindOf(p)})
		case at[1]:
			a.Parts = append(a.Parts, Scalar{client.Not(Op("null", client.V(v))), client.Bool})
		default:
			a.Parts = append(a.Parts, in.Zero(p))
		}
	}
	return a
}

// Present gives what a place of type t holds when a part of a struct is put there:
// the value of one that may be absent, such as sql.NullString, is the zero value where
// it is.
func (in *Memory) Present(w Value, t types.Type) Value {
	s, isScalar := w.(Scalar)
	if !isScalar || t == nil {
		return w
	}
	x, isVar := s.E.(*client.VarExpr)
	zero := gotypes.ZeroOf(t)
	if !isVar || zero.IsNull() || !in.Variable(x.Name).Nullable {
		return w
	}
	null := Op("null", x)
	if is, known := in.Known(null); known {
		if is {
			return Scalar{client.C(zero), s.Kind}
		}
		return w
	}
	v := in.Temp(x.Name, s.Kind, false)
	in.Emit(&client.If{At: in.At(), Cond: null, Then: []client.Stmt{&client.Assign{At: in.At(), Var: v, Expr: client.C(zero)}},
		Else: []client.Stmt{&client.Assign{At: in.At(), Var: v, Expr: x}}})
	return Scalar{client.V(v), s.Kind}
}

// TooMuch stops an interpretation. Late says that the time ran out: more of it would
// have been enough.
type TooMuch struct {
	Why  string
	Late bool
}

// Memory is what one interpretation of a function knows, and what it writes. st is nil
// where control does not come.
type Memory struct {
	P      *program.Program
	Domain Domain
	// Site is the transaction that is written, by the path to where it begins; ""
	// only looks for transactions.
	Site string
	// Untraced is the site of the transaction of the function that began at a place which is not known.
	Untraced string
	// outside says that code which is not read gives the values that are made.
	outside bool
	// Tracing says that a trace is written instead of one transaction.
	Tracing bool
	// kept are the elements of what has many, in a trace.
	kept map[string]keptElement
	// sources are what a value of which nothing else is known is computed from, in a trace (Computed); gather gets the
	// variables in what is emitted there.
	sources []client.Expr
	gather  func(name string)
	// appends are the calls that append to lists which loops gather.
	appends map[*client.Call]gathered
	// looked are the cells for elements of what the caller gives, by the list and the index; changed says that somebody may have changed
	// some.
	looked  map[string]*Cell
	changed bool
	// lost, if it has a Lost, says of which list or map the values that are made are elements (OfElements).
	lost client.Havoc
	St   *State
	Out  *[]client.Stmt
	Fr   *Frame
	Pos  token.Pos

	Vars []client.Var
	VarFacts
	Cells  int
	Labels int
	// Work counts what is looked at: instructions, and cells where paths part and meet.
	Work int
	// ReadOnly says that the database lets the transaction write nothing.
	ReadOnly bool
	// Boxed are variables to which a pointer in an interface leads that is nil if the
	// pointer is.
	Boxed map[*Cell]bool
	// Joined are what cells hold that were made where paths meet.
	Joined map[*Cell]Value
	// Loops is the number of loops around.
	Loops int
	// Rewound are the queries that got variables, as they were before.
	Rewound []Earlier
}

// Domain is what memory does not know of values itself.
type Domain interface {
	// Fresh gives a value of a type of the database of which nothing is known, nil for
	// other types.
	Fresh(t types.Type) Value
	// InLoop gives what stays known of a handle that a loop replaces.
	InLoop(m *Memory, h *Handle) (Value, bool)
}

// Frame is an activation of a function.
type Frame struct {
	Fn     *ssa.Function
	Caller *Frame
	At     token.Pos // the call
}

// New makes an empty memory that writes to body.
func New(p *program.Program, is Domain, body *[]client.Stmt) *Memory {
	return &Memory{P: p, Domain: is, St: newState(), Out: body, VarFacts: newVarFacts(), Joined: map[*Cell]Value{}, Boxed: map[*Cell]bool{}, kept: map[string]keptElement{}, appends: map[*client.Call]gathered{}, looked: map[string]*Cell{}}
}

// Put stores a value in a cell of HiddenType, or one that a library makes, as it is.
func (in *Memory) Put(c *Cell, v Value) { in.St.Mem[c] = v }

// Held gives what Put has stored in a cell, nil if nothing is there.
func (in *Memory) Held(c *Cell) Value { return in.St.Mem[c] }

// IsBoxed says that a pointer to a cell, in an interface, makes that nil if it is nil.
func (in *Memory) IsBoxed(c *Cell) { in.Boxed[c] = true }

// IsKey says that a variable holds a primary key of a row, and whether there was one.
func (in *Memory) IsKey(v string, found client.Expr) { in.Keys[v] = found }

// losing makes values that are not followed: what says what they are, and from, if it is not nil, where they come from.
func losing(in *Memory, what string, from client.Expr, makes func()) {
	within(in, client.Havoc{Lost: what, Element: client.Element{List: from}}, makes)
}

// within makes values with lost set.
func within(in *Memory, lost client.Havoc, makes func()) {
	was := in.lost
	in.lost = lost
	makes()
	in.lost = was
}
