package session

import (
	"go/types"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/internal/client"
)

// OnHandle is a call of a method of a value of the database, which may fail.
func (in *Session) OnHandle(inv *Invocation, name string, sig *types.Signature) (memory.Value, bool) {
	return in.Attempting(inv, func() (memory.Value, bool) { return in.onHandle(inv, name, sig) })
}

func (in *Session) onHandle(inv *Invocation, name string, sig *types.Signature) (memory.Value, bool) {
	for _, l := range in.Shared.Libs {
		if l.Method == nil {
			continue
		}
		if v, ok := l.Method(in, inv, name, sig); ok {
			return v, true
		}
	}
	args := inv.Args[1:]
	switch recv := memory.Unbox(inv.Args[0]).(type) {
	case *memory.Handle:
		return in.onDatabase(inv, recv, name, sig, args)
	case *memory.Rows:
		return in.onRows(inv, recv, name, args)
	case *memory.Outcome:
		return in.onOutcome(inv, recv, name)
	case *memory.Prepared:
		return in.onPrepared(inv, recv, name, args)
	case *memory.Pointer:
		if memory.IsTrue(recv.Nil()) {
			break
		}
		return in.onLost(inv, name, sig)
	case *memory.Closure, *memory.OneOf, *memory.Asked:
	case memory.Object:
		if !recv.Sends() {
			return in.onLost(inv, name, sig)
		}
	default:
		return in.onLost(inv, name, sig)
	}
	return nil, false
}

// onLost is a call of a method of a value of which nothing is known but its type.
func (in *Session) onLost(inv *Invocation, name string, sig *types.Signature) (memory.Value, bool) {
	v := in.HandleOf(sig.Recv().Type())
	h := memory.HandleIn(v)
	if h == nil {
		return nil, false
	}
	memory.Lose(in.Memory, h)
	in.EmitValue(inv.Args[0])
	known := *inv
	known.Args = append([]memory.Value{v}, inv.Args[1:]...)
	return in.onHandle(&known, name, sig)
}

// WithoutContext drops a context in front.
func (in *Session) WithoutContext(sig *types.Signature, args []memory.Value) []memory.Value {
	if len(args) > 0 && sig.Params().Len() > 0 && gotypes.IsContext(sig.Params().At(0).Type()) {
		return args[1:]
	}
	return args
}

func (in *Session) onDatabase(inv *Invocation, h *memory.Handle, name string, sig *types.Signature, args []memory.Value) (memory.Value, bool) {
	args = in.WithoutContext(sig, args)
	r := in.P.Know.Methods[name]
	if !r.Takes(len(args)) {
		return nil, false
	}
	switch r {
	case program.ExecRole, program.QueryRole, program.QueryRowRole, program.GetRole, program.SelectRole, program.NamedExecRole, program.NamedRowsRole:
		return in.Send(inv, h, r, withoutLabels(in, sig, args))
	case program.BeginRole:
		if !in.P.Begins(sig) {
			return nil, false
		}
		tx := in.Begin(h, inv)
		return in.Answer(inv.T, tx), true
	case program.CommitRole:
		in.commitBy(inv, h)
		return in.Quiet(inv.T), true
	case program.RollbackRole:
		in.Rollback(h)
		return in.Quiet(inv.T), true
	case program.PrepareRole:
		p := &memory.Prepared{H: h, SQL: args[len(args)-1]}
		for _, a := range args { // pgx: name, SQL
			if s, ok := a.(memory.Scalar); ok && s.Kind == client.Text {
				p.SQL = s
			}
		}
		return in.Answer(inv.T, p), true
	case program.InTxRole:
		return RunInTransaction(in, inv)
	case program.WithRole:
		if t, ok := inv.T.(*types.Tuple); ok {
			return in.Answer(inv.T, h.As(t.At(0).Type())), true
		}
		return h.As(inv.T), true
	case program.SameRole:
		if len(args) == 0 {
			return h, true
		}
		v := args[len(args)-1]
		if p, ok := memory.Unbox(v).(*memory.Prepared); ok { // tx.Stmt(p)
			return &memory.Prepared{H: h, SQL: p.SQL}, true
		}
		return v, true
	case program.IdleRole:
		return in.Quiet(inv.T), true
	}
	return nil, false
}

func (in *Session) onPrepared(inv *Invocation, p *memory.Prepared, name string, args []memory.Value) (memory.Value, bool) {
	r := in.P.Know.Methods[name]
	switch r {
	case program.ExecRole, program.QueryRole, program.QueryRowRole, program.GetRole, program.SelectRole:
		sig := inv.C.Signature()
		args = in.WithoutContext(sig, args)
		if r == program.GetRole || r == program.SelectRole {
			if len(args) == 0 {
				return nil, false
			}
			args = append([]memory.Value{args[0], p.SQL}, args[1:]...)
		} else {
			args = append([]memory.Value{p.SQL}, args...)
		}
		return in.Send(inv, p.H, r, args)
	}
	return in.Quiet(inv.T), true
}
