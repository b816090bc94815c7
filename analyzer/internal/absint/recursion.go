package absint

import (
	"go/types"
	"maps"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
)

// maxNested bounds the calls of a function within each other that are interpreted.
const maxNested = 3

// entry is what a call of a recursive function finds: its arguments, the variables that a function
// literal captures, and the memory. Calls with the same do the same.
type entry struct {
	args  []memory.Value
	mem   map[*memory.Cell]memory.Value
	cells int // those with a higher number came later
	// any are the arguments that may be anything, anywhere the cells that may hold anything.
	any      map[string]bool
	anywhere map[*memory.Cell]bool
}

// enterCall records what a call finds, if the function is known to call itself.
func (in *interp) enterCall(f *activation, args []memory.Value) {
	if in.P.Recursive[f.Fn] && in.Trace == nil {
		f.entry = &entry{args: args, mem: maps.Clone(in.St.Mem), cells: in.Cells, any: map[string]bool{}, anywhere: map[*memory.Cell]bool{}}
		if w := in.wider; w != nil {
			f.entry.any, f.entry.anywhere = w.any, w.anywhere
		}
	}
	in.wider = nil
}

// nesting is what a call of a function within itself does.
type nesting uint8

const (
	unlike   nesting = iota // something else than the call around it, or there is none
	likewise                // the same as that
	anew                    // what it does with arguments that may be anything where they differ
)

// recurs looks at a call of a function within itself: another attempt, mostly. One that finds what the call
// around it found does the same. Another one is to be interpreted with the arguments that are given.
func (in *interp) recurs(f *ssa.Function, args []memory.Value) (given []memory.Value, how nesting) {
	outer, depth := in.nested(f)
	if outer == nil || outer.outer == nil || in.Trace != nil || !in.readable(f) || len(args) != len(inputs(f)) {
		return nil, unlike
	}
	if outer.entry == nil {
		in.P.Recursive[f], in.Again = true, true
		return nil, unlike
	}
	wider, given := in.widened(outer.entry, f, args)
	switch {
	case wider == nil:
		return nil, likewise
	case depth >= maxNested || slices.ContainsFunc(args, func(v memory.Value) bool { return in.Holds(v, memory.IsLive) }):
		in.Result.Missed[f] = true
		return nil, unlike
	}
	for _, c := range memory.Ordered(wider.anywhere) {
		in.Forget(c)
	}
	in.wider = wider
	return given, anew
}

// nextAttempt is called in front of a call that is interpreted, and gives what is to be called behind it. In a
// trace of an attempt that fails, a call of the root within itself is the next attempt, which does not.
func nextAttempt(in *interp, f *ssa.Function) (over func()) {
	if in.Trace == nil || f != in.Root {
		return func() {}
	}
	was := in.Failing
	in.Again, in.Failing = true, was && in.Round != ""
	return func() { in.Failing = was }
}

// readable reports whether a function can be interpreted where it is called.
func (in *interp) readable(f *ssa.Function) bool {
	return len(f.Blocks) > 0 && !in.P.Shape(f).Irreducible && !in.P.TooLarge[f] && in.act.n < maxDepth
}

// inputs gives the parameters of a function, and the variables that it captures.
func inputs(f *ssa.Function) (list []ssa.Value) {
	for _, p := range f.Params {
		list = append(list, p)
	}
	for _, v := range f.FreeVars {
		list = append(list, v)
	}
	return list
}

// nested gives the innermost activation of a function, and how many there are.
func (in *interp) nested(f *ssa.Function) (innermost *activation, n int) {
	for a := in.act; a != nil; a = a.outer {
		if a.Fn == f {
			if n++; innermost == nil {
				innermost = a
			}
		}
	}
	return innermost, n
}

// widened gives what a call finds, with its arguments, where it may be anything that differs from what the
// call around it found. The entry is nil if nothing differs that may not be anything there.
func (in *interp) widened(was *entry, f *ssa.Function, args []memory.Value) (wider *entry, given []memory.Value) {
	wider = &entry{any: maps.Clone(was.any), anywhere: maps.Clone(was.anywhere)}
	for i, p := range inputs(f) {
		v := args[i]
		if !gotypes.IsContext(p.Type()) {
			v = in.widen(wider, strconv.Itoa(i), p.Name(), p.Type(), v, was.args[i])
		}
		given = append(given, v)
	}
	for c, v := range in.St.Mem {
		if c.Seq > was.cells || was.anywhere[c] {
			continue
		}
		first, ok := was.mem[c]
		if !ok && c.Start == memory.Unknown {
			continue // it was anything
		}
		if !ok {
			before := in.St.Clone()
			delete(before.Mem, c)
			in.Aside(before, func() { first = in.Load(c) })
		}
		if !memory.Same(first, v) {
			wider.anywhere[c] = true
		}
	}
	if len(wider.any) == len(was.any) && len(wider.anywhere) == len(was.anywhere) {
		return nil, nil
	}
	return wider, given
}

// widen gives an argument, or a part of one, with anything for what differs from what it was. The key
// says which part it is.
func (in *interp) widen(e *entry, key, name string, t types.Type, v, was memory.Value) memory.Value {
	a, ok := memory.Unbox(v).(*memory.Aggregate)
	b, also := memory.Unbox(was).(*memory.Aggregate)
	if parts, names := in.P.Know.Layout.Parts(t); !e.any[key] && ok && also && len(a.Parts) == len(b.Parts) && len(a.Parts) == len(parts) {
		out := &memory.Aggregate{T: a.T}
		for i := range a.Parts {
			out.Parts = append(out.Parts, in.widen(e, key+"."+strconv.Itoa(i), name+"."+names[i], parts[i], a.Parts[i], b.Parts[i]))
		}
		return out
	}
	if !e.any[key] && in.alike(v, was) {
		return v
	}
	e.any[key] = true
	in.EmitValue(v)
	return in.Fresh(t, name, memory.Unknown)
}

// alike reports whether two arguments are the same, or lead to variables that hold the same.
func (in *interp) alike(a, b memory.Value) bool {
	if memory.Same(a, b) {
		return true
	}
	p, ok := memory.Unbox(a).(*memory.Pointer)
	q, also := memory.Unbox(b).(*memory.Pointer)
	return ok && also && memory.SameExpr(p.IsNil, q.IsNil) && memory.Same(in.Load(p.To), in.Load(q.To))
}
