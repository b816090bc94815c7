package session

import (
	"slices"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
)

// A statement whose context has ended is not sent, which is an error. The transaction lives on, if its
// own context has not ended: that of the call that begins it for database/sql, that of the commit for pgx.
// What the program does after the error is the transaction without the statement.

// ended is a context that may end, with the cell that says whether it has.
type ended struct {
	ctx memory.Value
	is  *memory.Cell
}

// ContextOf gives the context that a call gets, nil if it gets none.
func ContextOf(inv *Invocation) memory.Value {
	if inv == nil {
		return nil
	}
	own := len(inv.Args) - len(inv.C.Args) // arguments that the call does not have, such as a receiver
	for i, a := range inv.C.Args {
		if gotypes.IsContext(a.Type()) && own+i >= 0 {
			return inv.Args[own+i]
		}
	}
	return nil
}

// contextFor gives the context of a statement that a call sends through a handle.
func contextFor(inv *Invocation, h *memory.Handle) memory.Value {
	if ctx := ContextOf(inv); ctx != nil {
		return ctx
	}
	return h.Ctx
}

// NotSent says when the statements of a library's call are not sent, nil for never.
func (in *Session) NotSent(h *memory.Handle) client.Expr { return in.unsent(in.calling, h) }

// MayNotBeSent says when a statement of a library's call is not sent. That call gives an error then.
func (in *Session) MayNotBeSent(h *memory.Handle, r *memory.Rows) {
	if r.Unsent = in.NotSent(h); r.Unsent != nil {
		in.notSent = client.Or(in.notSent, r.Unsent)
	}
}

// unsent says when a statement of the transaction is not sent, nil for never. It does not matter where the
// transaction ends with the context, or the program leaves it after an error of the statement.
func (in *Session) unsent(inv *Invocation, h *memory.Handle) client.Expr {
	ctx := contextFor(inv, h)
	if in.Trace != nil || !in.OwnsOpen(h) || ctx == nil || len(memory.Ends(ctx)) == 0 {
		return nil
	}
	outlived := in.beginCtx != nil && memory.EndsWith(in.beginCtx, ctx)
	if outlived && !in.Shared.parted[in.Site] {
		in.outlived = append(in.outlived, ctx)
		return nil
	}
	now := in.hasEnded(ctx)
	if inv != nil && in.Control.LeavesAfterError(inv) {
		if is, known := in.Known(now); known && !is {
			return nil
		}
		return now
	}
	v := in.NewVar("ended", client.Bool, false, memory.Unknown)
	in.mayEnd = append(in.mayEnd, v)
	now = client.Or(now, client.V(v))
	in.Store(in.endOf(memory.Ends(ctx)[0]).is, memory.Of(now, client.Bool))
	return now
}

// hasEnded says whether a context is known to have ended, or one that it was made of.
func (in *Session) hasEnded(ctx memory.Value) client.Expr {
	now := client.Expr(client.False)
	for _, c := range memory.Ends(ctx) {
		now = client.Or(now, in.ScalarOf(in.Load(in.endOf(c).is)).E)
	}
	return now
}

// endOf gives what is known of the end of a context.
func (in *Session) endOf(ctx memory.Value) ended {
	i := slices.IndexFunc(in.ends, func(e ended) bool { return memory.Same(e.ctx, ctx) })
	if i < 0 {
		i = len(in.ends)
		c := in.NewCell(gotypes.BoolType, "ended", memory.Zeroed)
		c.Seq = -1 - i // it is there from the beginning, also where a loop makes its cells anew
		in.ends = append(in.ends, ended{ctx, c})
	}
	return in.ends[i]
}

// commitBy is a commit by a call. One with a context fails if that has ended.
func (in *Session) commitBy(inv *Invocation, h *memory.Handle) {
	ctx := ContextOf(inv)
	if ctx == nil || !in.OwnsOpen(h) || h.Point != "" || in.Trace != nil {
		in.Commit(h)
		return
	}
	if slices.ContainsFunc(in.outlived, func(c memory.Value) bool { return !memory.EndsWith(ctx, c) }) {
		in.Shared.parted[in.Site], in.Again = true, true
	}
	in.Either(in.hasEnded(ctx), func() { in.Rollback(h) }, func() { in.Commit(h) })
}

// unlessUnsent takes what a statement gives, unless it was not sent.
func (in *Session) unlessUnsent(r *memory.Rows, take func() memory.Value) memory.Value {
	not := r.Unsent
	if not == nil {
		return take()
	}
	r.Unsent = nil
	defer func() { r.Unsent = not }()
	f := &memory.Failure{}
	in.Either(not, func() { in.St.Sent[r] = true }, func() {
		if g, ok := memory.Unbox(take()).(*memory.Failure); ok {
			f = g
		}
	})
	return orNotSent(not, f)
}

// orNotSent gives the error of a statement that is not sent where a condition holds.
func orNotSent(not client.Expr, f *memory.Failure) *memory.Failure {
	return &memory.Failure{NoRows: client.And(client.Not(not), client.Or(f.NoRows)), Other: client.Or(not, f.Other)}
}

// NeedsSent says that the transaction may do anything where it goes through the rows of a statement that
// may not have been sent.
func (in *Session) NeedsSent(r *memory.Rows) {
	if r.Unsent == nil || in.St == nil {
		return
	}
	if is, known := in.Known(r.Unsent); !known || is {
		in.Unknown("the rows of a statement whose context may have ended before it was sent")
	}
}
