package memory

import "github.com/txrobust/robust/internal/client"

// Object is a value that a library makes, such as a statement that is built call by
// call: memory knows of it only what its methods say.
type Object interface {
	// Live reports whether it belongs to a transaction that goes on.
	Live() bool
	// Sends reports whether it is a value that statements are sent through or built
	// with: it is never nil, and nobody else changes it.
	Sends() bool
	// Same reports whether another value is the same one.
	Same(o Value) bool
	// Depends gives the values that it was made of; ok is false where it stands for
	// no value that a statement could have as a parameter.
	Depends() (list []Value, ok bool)
}

// Joiner is an object that can be joined with others where paths meet.
type Joiner interface {
	Object
	Join(in *Memory, name string, edges []*Edge, vals []Value) (Value, bool)
}

// Partial is an object that may stand in a list on some paths only.
type Partial interface {
	Object
	// Where gives the object as it is where it stands in the list if a condition holds.
	Where(there client.Expr) Value
}

// Looper is an object of which something stays known where a loop replaces it.
type Looper interface {
	Object
	// InLoop gives what stays known in each round.
	InLoop(in *Memory) Value
	// Stays reports whether a value that a round gives agrees with that.
	Stays(in *Memory, v Value) bool
}

// joinObjects joins values of which one is an object, as that wants it.
func (in *Memory) joinObjects(name string, edges []*Edge, vals []Value) (Value, bool) {
	for _, v := range vals {
		if j, ok := v.(Joiner); ok {
			return j.Join(in, name, edges, vals)
		}
	}
	return nil, false
}

// LoopObject gives what is known of an object that a loop replaces.
func (in *Memory) LoopObject(v Value) (Value, bool) {
	switch v := v.(type) {
	case *Handle:
		return in.Domain.InLoop(in, v)
	case Looper:
		return v.InLoop(in), true
	}
	return nil, false
}

// CheckObject gives up where a loop changes what loopObject takes to stay.
func (in *Memory) CheckObject(v, at Value) {
	if l, ok := at.(Looper); ok && !l.Stays(in, v) {
		panic(TooMuch{Why: "a loop that changes what a statement is about"})
	}
}

// emitList says that something which is not known may depend on the values that an
// object was made of.
func Depending(exprs ...client.Expr) []Value {
	var out []Value
	for _, e := range exprs {
		if e != nil {
			out = append(out, Scalar{e, client.Any})
		}
	}
	return out
}
