package memory

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Deferred is a call that waits for the end of its function.
type Deferred struct {
	Call    *ssa.Defer
	Fn      Value
	Args    []Value
	Perhaps bool // on some paths only
	// Rounds says that rounds of a loop which are over deferred the call, any number of them. Their values
	// are not known, but for cells with a number up to Before, which are older than the loop.
	Rounds bool
	Before int
}

// deferral tells the calls of a list apart that a function has deferred.
type deferral struct {
	call   *ssa.Defer
	rounds bool
	nth    int // of those of one instruction
}

// deferrals gives them in the order of a list.
func deferrals(list []Deferred) (out []deferral) {
	for _, d := range list {
		k := deferral{call: d.Call, rounds: d.Rounds}
		for slices.Contains(out, k) {
			k.nth++
		}
		out = append(out, k)
	}
	return out
}

// joining is what joins values, as Join does.
type joining func(name string, t types.Type, edges []*Edge, vals []Value) Value

// joinDefers joins the deferred calls of paths that meet. Those that not all of them have may run; the order
// is that of each path. Functions that have returned have none.
func joinDefers(inner *Frame, st *State, edges []*Edge, join joining) {
	for f := inner; f != nil; f = f.Caller {
		var keys []deferral
		for _, e := range edges {
			at := 0
			for _, k := range deferrals(e.St.Defers[f]) {
				if i := slices.Index(keys, k); i >= 0 {
					at = i + 1
					continue
				}
				keys = slices.Insert(keys, at, k)
				at++
			}
		}
		for _, k := range keys {
			st.Defers[f] = append(st.Defers[f], joinDeferred(join, f, k, edges))
		}
	}
}

// joinDeferred joins one deferred call.
func joinDeferred(joined joining, f *Frame, k deferral, edges []*Edge) (out Deferred) {
	var with []*Edge
	var calls []Deferred
	for _, e := range edges {
		if i := slices.Index(deferrals(e.St.Defers[f]), k); i >= 0 {
			with, calls = append(with, e), append(calls, e.St.Defers[f][i])
		}
	}
	out = calls[0]
	out.Perhaps = len(with) < len(edges) || slices.ContainsFunc(calls, func(d Deferred) bool { return d.Perhaps })
	out.Args = slices.Clone(out.Args)
	join := func(part func(d Deferred) Value) Value {
		var vals []Value
		for _, d := range calls {
			vals = append(vals, part(d))
		}
		return joined("deferred", nil, with, vals)
	}
	if out.Fn != nil {
		out.Fn = join(func(d Deferred) Value { return d.Fn })
	}
	for i := range out.Args {
		out.Args[i] = join(func(d Deferred) Value { return d.Args[i] })
	}
	return out
}

// LaterRounds gives the calls that a round of a loop deferred and that no state in front of the loop has as
// calls of earlier rounds.
func LaterRounds(f *Frame, base, round *State, before int) (list []Deferred) {
	at := deferrals(round.Defers[f])
	for i, d := range round.Defers[f] {
		d.Rounds, d.Before = true, before
		same := func(e Deferred) bool { return e.Call == d.Call && e.Rounds }
		if !at[i].rounds && !slices.Contains(deferrals(base.Defers[f]), at[i]) && !slices.ContainsFunc(base.Defers[f], same) && !slices.ContainsFunc(list, same) {
			list = append(list, d)
		}
	}
	return list
}
