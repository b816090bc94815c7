package session

import (
	"slices"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
)

// What the transaction sends succeeds in what is written: after an error of the server it commits
// nothing. Everything else that has to do with the database may fail while the transaction begins or
// goes on all the same: what comes before it, other transactions, and pings.

// Attempting runs a call of something that may fail, and gives its result. The errors in it are any
// where the call is none of the transaction that is written. The call that begins that transaction,
// and the one that ends it, succeed.
func (in *Session) Attempting(inv *Invocation, call func() (memory.Value, bool)) (memory.Value, bool) {
	before, calling, notSent := in.St.Phase, in.calling, in.notSent
	fails := before == memory.Idle || slices.ContainsFunc(inv.Args, in.holdsOther)
	in.calling, in.notSent = inv, nil
	v, ok := call()
	if in.notSent != nil && ok && in.St != nil {
		v = in.eachFailure(v, func(f *memory.Failure) *memory.Failure { return orNotSent(in.notSent, f) })
	}
	in.calling, in.notSent = calling, notSent
	if !ok || in.St == nil || in.Trace != nil && !in.Failing {
		return v, ok
	}
	if in.Failing || fails && in.St.Phase == before {
		v = in.eachFailure(v, in.MayFail)
	}
	return v, true
}

// holdsOther reports whether a value leads to a database or to another transaction than the one that is
// written.
func (in *Session) holdsOther(v memory.Value) bool {
	return in.Holds(v, func(w memory.Value) bool {
		switch w := w.(type) {
		case *memory.Handle:
			return in.isOther(w)
		case *memory.Rows:
			return !w.Mine && in.isOther(w.H)
		case *memory.Outcome:
			return !w.Mine
		case *memory.Prepared:
			return in.isOther(w.H)
		}
		return false
	})
}

// isOther reports whether a handle is none of the transaction that is written, open or ended.
func (in *Session) isOther(h *memory.Handle) bool {
	return in.St.Phase == memory.Idle || !in.Owns(h) && !in.Perhaps(h)
}

// eachFailure gives the result of a call with another error for each. Where there is one there are no other
// results.
func (in *Session) eachFailure(v memory.Value, other func(*memory.Failure) *memory.Failure) memory.Value {
	switch w := memory.Unbox(v).(type) {
	case *memory.Failure:
		return other(w)
	case memory.Tuple:
		out, failed := make(memory.Tuple, len(w)), client.Expr(client.False)
		for i, part := range w {
			if f, ok := memory.Unbox(part).(*memory.Failure); ok {
				f = other(f)
				failed, part = in.Failed(f), f
			}
			out[i] = part
		}
		for i := range out {
			out[i] = memory.Unless(failed, out[i])
		}
		return out
	}
	return v
}

// MayFail gives an error that may also be another one than f.
func (in *Session) MayFail(f *memory.Failure) *memory.Failure {
	if is, known := client.Truth(in.Failed(f)); !known {
		return in.SomeError()
	} else if is {
		return f
	}
	return &memory.Failure{Other: client.V(in.NewVar("failed", client.Bool, false, memory.Unknown))}
}

// OrFails gives the error of a statement that is sent through a handle.
func (in *Session) OrFails(h *memory.Handle, f *memory.Failure) *memory.Failure {
	if in.Failing || in.Trace == nil && in.isOther(h) {
		return in.MayFail(f)
	}
	if in.notSent != nil {
		return orNotSent(in.notSent, f)
	}
	return f
}
