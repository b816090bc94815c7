package session

import (
	"go/types"
	"strconv"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// Begin begins a transaction. The call, if it is not nil, has the options.
func (in *Session) Begin(h *memory.Handle, inv *Invocation) *memory.Handle {
	if h.Kind == memory.Transaction { // in a transaction: a savepoint
		in.points++
		n := &memory.Handle{Kind: memory.Transaction, Site: h.Site, Point: "point" + strconv.Itoa(in.points), T: h.T, Lost: h.Lost, Ctx: h.Ctx}
		in.Savepoint(h, n.Point)
		return n
	}
	site := in.Path()
	if in.Trace != nil {
		in.Begins++
		in.amid, in.onConn = true, in.onConn || in.P.Know.IsConn(h.T)
		return &memory.Handle{Kind: memory.Transaction, Site: site, T: h.T}
	}
	tx := &memory.Handle{Kind: memory.Transaction, Site: site, T: h.T, Ctx: h.Ctx}
	in.newSite(site)
	if site != in.Site {
		if in.Site == "" {
			in.levelsOf(inv) // it may ask the callers
		}
		return tx
	}
	in.St.Phase, in.Begun, in.onConn = memory.Open, true, in.onConn || in.P.Know.IsConn(h.T) || types.IsInterface(h.T)
	in.beginCtx, in.beginFrame = contextFor(inv, h), in.Fr
	in.BeginPos, in.ReadOnly = in.P.Position(in.Pos), in.readsOnly(inv)
	levels, known := in.levelsOf(inv)
	in.AnyLevel = in.AnyLevel || !known
	in.Levels = append(in.Levels, levels...)
	b := &client.Block{At: in.At(), Label: beginLabel}
	in.Emit(b)
	return tx
}

// BeginsIn reports whether the transaction that is written was begun by a call in a frame.
func (in *Session) BeginsIn(f *memory.Frame) bool { return in.beginFrame == f }

// beginLabel marks where the transaction begins.
const beginLabel = "begin"

// Path says where an instruction stands: its position, and the calls around.
func (in *Session) Path() string {
	s := in.P.Position(in.Pos).String() + in.Round
	for f := in.Fr; f != nil && f.Caller != nil; f = f.Caller {
		s = in.P.Position(f.At).String() + " > " + s
	}
	return s
}

// Owns reports whether a handle is one of the transaction that is written.
func (in *Session) Owns(h *memory.Handle) bool {
	return in.Trace != nil || in.Site != "" && ((h.Kind == memory.Transaction || in.isUntraced() && h.Kind == memory.Either) && h.Site == in.Site || in.ofConnection(h))
}

// ofConnection reports whether a handle is that of a statement which was prepared on a
// connection, while the transaction is one of a connection: it is taken to be the same
// one, since who has a connection for its statements mostly has just that.
func (in *Session) ofConnection(h *memory.Handle) bool {
	if !h.Conn || !in.onConn || in.St == nil || in.St.Phase != memory.Open {
		return false
	}
	if !in.connNoted {
		in.connNoted = true
		in.Result.Notes = append(in.Result.Notes, ir.Note{Pos: in.P.Position(in.Pos),
			Text: "statements that were prepared on a connection are taken to be of the one that has the transaction here"})
	}
	return true
}

// Perhaps reports whether a handle may be one of the transaction that is written,
// which is open.
func (in *Session) Perhaps(h *memory.Handle) bool {
	if in.Site == "" || in.St.Phase != memory.Open || in.Owns(h) {
		return false
	}
	if h.Kind == memory.Database {
		return in.onConn && in.P.Know.IsConn(h.T)
	}
	return h.Lost || h.Site == in.Site
}

// Commit commits the transaction of a handle, if that is the one that is written.
func (in *Session) Commit(h *memory.Handle) {
	in.amid = false
	if !in.Owns(h) || in.St.Phase != memory.Open || h.Point != "" || in.Trace != nil {
		return
	}
	in.Flush()
	c := &client.Commit{At: in.At()}
	in.Emit(c)
	in.St.Phase, in.St.Ended = memory.Done, c
}

// Rollback rolls it back, or goes back to the savepoint that stands for a transaction in it.
func (in *Session) Rollback(h *memory.Handle) {
	switch {
	case !in.Owns(h) || in.St.Phase != memory.Open || in.Trace != nil:
	case h.Point != "":
		in.Emit(&client.RollbackTo{At: in.At(), Name: h.Point})
	default:
		in.RolledBack()
	}
}

// RolledBack ends the transaction without effect. Where none of its ends is a commit, the commit
// of which it is known what the program does afterwards stands for this one.
func (in *Session) RolledBack() {
	r := &client.Rollback{At: in.At()}
	in.Emit(r)
	in.unkept[r] = &client.Commit{At: r.At}
	in.St.Phase, in.St.Rolled, in.St.Ended = memory.Done, true, in.unkept[r]
}

// RunInTransaction models a function that runs another one in a transaction of the
// database among its arguments. A database that is not found there is one that nobody knows.
func RunInTransaction(in *Session, inv *Invocation) (memory.Value, bool) {
	h := &memory.Handle{Kind: memory.Database, T: anyType, Lost: true}
	for _, a := range inv.Args {
		if found := in.embeddedHandle(memory.Unbox(a), 0); found != nil {
			h = found
			break
		}
	}
	return in.InTransaction(inv, h, func(tx *memory.Handle) memory.Value { return tx })
}

// maxEmbedded bounds how deep a database is embedded that is looked for.
const maxEmbedded = 3

// embeddedHandle gives the handle that a value is, or that a struct embeds, nil if there is none.
func (in *Session) embeddedHandle(v memory.Value, depth int) *memory.Handle {
	if p, ok := v.(*memory.Pointer); ok {
		v = in.Load(p.To)
	}
	switch v := v.(type) {
	case *memory.Handle:
		return v
	case *memory.Aggregate:
		s, ok := v.T.Underlying().(*types.Struct)
		if !ok || depth == maxEmbedded || len(v.Parts) != s.NumFields() {
			return nil
		}
		for i := range s.NumFields() {
			if !s.Field(i).Embedded() {
				continue
			}
			if h := in.embeddedHandle(memory.Unbox(v.Parts[i]), depth+1); h != nil {
				return h
			}
		}
	}
	return nil
}

// InTransaction runs the function among the arguments of a call in a transaction, as
// libraries do. given is what the function gets for the transaction.
func (in *Session) InTransaction(inv *Invocation, h *memory.Handle, given func(tx *memory.Handle) memory.Value) (memory.Value, bool) {
	fn := FunctionAmong(inv.Args)
	if fn == nil {
		return nil, false
	}
	return in.RunAndEnd(inv, fn, in.Begin(h, inv), given), true
}

// FunctionAmong gives the last function among values, nil if there is none.
func FunctionAmong(list []memory.Value) (fn memory.Value) {
	for _, a := range list {
		switch a := memory.Unbox(a).(type) {
		case *memory.Closure, *memory.OneOf, *memory.Asked:
			fn = a
		}
	}
	return fn
}

// RunAndEnd runs a function among the arguments of a call in a transaction that has begun,
// and commits that, or rolls it back if the function gives an error.
func (in *Session) RunAndEnd(inv *Invocation, fn memory.Value, tx *memory.Handle, given func(tx *memory.Handle) memory.Value) memory.Value {
	sig := in.functionType(inv)
	call := &Invocation{C: inv.C, Fn: fn, At: inv.At, T: ResultType(sig)}
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		if in.P.HandleType(t) != "" {
			call.Args = append(call.Args, given(tx))
		} else {
			call.Args = append(call.Args, in.Quiet(t))
		}
	}
	var result memory.Value
	switch fn := fn.(type) {
	case *memory.Closure:
		result = in.Control.CallFunction(call, fn)
	case *memory.OneOf:
		result = in.CallOneOf(call, fn)
	case *memory.Asked:
		in.Callers("the function " + fn.Name + " comes from its caller")
		result = in.UnknownCall("a call of a function that is not known", call.Args, call.T)
	}
	if in.St == nil {
		return in.QuietDead(inv.T)
	}
	f, ok := memory.Unbox(result).(*memory.Failure)
	if !ok {
		f = &memory.Failure{}
		if call.T != nil && gotypes.IsError(call.T) { // which may be nil
			in.EmitValue(result)
			f = in.Fresh(call.T, "err", memory.Unknown).(*memory.Failure)
		}
	}
	in.Either(in.Failed(f), func() { in.Rollback(tx) }, func() { in.Commit(tx) })
	return f
}

// functionType gives the type of the function among the arguments.
func (in *Session) functionType(inv *Invocation) *types.Signature {
	for _, a := range inv.C.Args {
		if sig, ok := a.Type().Underlying().(*types.Signature); ok {
			return sig
		}
	}
	return types.NewSignatureType(nil, nil, nil, nil, nil, false)
}

// IsOpen reports whether a transaction is written, and open.
func (in *Session) IsOpen() bool { return in.Site != "" && in.St.Phase == memory.Open }

// OwnsOpen reports whether a handle is one of the transaction that is written, which is
// open.
func (in *Session) OwnsOpen(h *memory.Handle) bool { return in.Owns(h) && in.St.Phase == memory.Open }

// Savepoint sets a savepoint, if the handle is one of the transaction that is written.
func (in *Session) Savepoint(h *memory.Handle, name string) {
	if in.OwnsOpen(h) && in.Trace == nil {
		in.Emit(&client.Savepoint{At: in.At(), Name: name})
		in.Saves = true
	}
}

// RollbackTo goes back to a savepoint, as Savepoint sets one.
func (in *Session) RollbackTo(h *memory.Handle, name string) {
	if in.OwnsOpen(h) && in.Trace == nil {
		in.Emit(&client.RollbackTo{At: in.At(), Name: name})
	}
}

// UnknownPoint sets a savepoint, or goes back to one, whose name is not known.
func (in *Session) UnknownPoint(h *memory.Handle) {
	if in.OwnsOpen(h) && in.Trace == nil {
		in.Unknown("a savepoint whose name is not known")
	}
}
