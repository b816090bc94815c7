package consteval

import (
	"go/types"

	"github.com/txrobust/robust/internal/client"
)

// Value is what is known of a value: a string (with client.Hole for unknown parts),
// an int64, a bool, a nil of any type (Nil), a List, a Boxed one, or Unknown. Those inside a run
// are of further types.
type Value any

// Unknown is a value of which nothing is known.
type Unknown struct{}

// Nil is the nil pointer, slice, interface and so on.
type Nil struct{}

// List is a slice with known elements, as an argument or a result.
type List []Value

// Boxed is a value in an interface, with its type.
type Boxed struct {
	V Value
	T types.Type
}

// cell is a variable in the memory of a run. Structs and arrays have parts.
type cell struct {
	v     Value
	parts []*cell
	// frozen says that there may be another cell with the same memory: the elements
	// of a slice that was appended to.
	frozen bool
	// lost says that others than the run may change it.
	lost bool
}

// pointer is the address of a cell.
type pointer struct{ to *cell }

// array is what slices are of.
type array struct{ elems []*cell }

// slice is a part of an array, from its start.
type slice struct {
	of *array
	n  int
}

// aggregate is a struct or array as a value.
type aggregate []Value

// tuple is what a call with several results gives.
type tuple []Value

// walk goes over a text: the iterator of a range loop.
type walk struct {
	s  string
	at int
}

// maxParts bounds the arrays that are kept.
const maxParts = 1000

// newCell makes a variable with the zero value of a type.
func newCell(t types.Type) *cell {
	if isBuilder(t) {
		return &cell{v: ""}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		c := &cell{parts: []*cell{}}
		for i := range u.NumFields() {
			c.parts = append(c.parts, newCell(u.Field(i).Type()))
		}
		return c
	case *types.Array:
		if u.Len() > maxParts {
			panic(giveUp{})
		}
		c := &cell{parts: []*cell{}}
		for range u.Len() {
			c.parts = append(c.parts, newCell(u.Elem()))
		}
		return c
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return &cell{v: ""}
		case u.Info()&types.IsInteger != 0:
			return &cell{v: int64(0)}
		case u.Info()&types.IsBoolean != 0:
			return &cell{v: false}
		}
		return &cell{v: Unknown{}}
	}
	return &cell{v: Nil{}}
}

// load gives what a cell holds.
func (c *cell) load() Value {
	if c.parts == nil {
		return c.v
	}
	out := make(aggregate, len(c.parts))
	for i, p := range c.parts {
		out[i] = p.load()
	}
	return out
}

// store changes what a cell holds.
func (c *cell) store(v Value) {
	switch {
	case c.lost:
		hide(v)
		return
	case c.frozen:
		panic(giveUp{})
	}
	if c.parts == nil {
		c.v = v
		return
	}
	a, ok := v.(aggregate)
	for i, p := range c.parts {
		if !ok {
			p.store(Unknown{})
		} else {
			p.store(a[i])
		}
	}
}

// twin makes a cell of what another one holds. The two may be one or not, as the
// runtime likes: neither is written any more.
func (c *cell) twin() *cell {
	c.frozen = true
	out := &cell{v: c.v, frozen: true, lost: c.lost}
	if c.parts != nil {
		out.parts = []*cell{}
		for _, p := range c.parts {
			out.parts = append(out.parts, p.twin())
		}
	}
	return out
}

// lose makes unknown what a cell holds, now and later, and all that it leads to.
func (c *cell) lose() {
	if c.lost {
		return
	}
	c.lost = true
	v := c.v
	c.v = Unknown{}
	hide(v)
	for _, p := range c.parts {
		p.lose()
	}
}

// textOf gives a value as a text, a hole if it is none.
func textOf(v Value) string {
	if b, ok := v.(Boxed); ok {
		v = b.V
	}
	if s, ok := v.(string); ok {
		return s
	}
	return client.Hole
}

// isBuilder reports whether a type builds a text.
func isBuilder(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	name := n.Obj().Pkg().Path() + "." + n.Obj().Name()
	return name == "strings.Builder" || name == "bytes.Buffer"
}
