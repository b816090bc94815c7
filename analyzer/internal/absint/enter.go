package absint

import (
	"context"
	"go/token"
	"go/types"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/fault"
	"golang.org/x/tools/go/ssa"
)

// New makes an interpreter of f that writes to body.
func New(ctx context.Context, a *session.Analysis, f *ssa.Function, site string, body *[]client.Stmt, res *session.Findings) *interp {
	m := memory.New(a.P, a, body)
	m.Site, m.Pos = site, f.Pos()
	in := &interp{Session: session.New(a, m, f, res), Limit: maxSteps, ctx: ctx}
	in.Control = in
	return in
}

// Unread says why an interpretation came to no end.
type Unread struct {
	Why string
	// Late says that the time ran out, Fault, if not nil, that this program has a fault.
	Late  bool
	Fault *fault.Fault
}

// Attempt interprets the root. The result is nil if that came to its end.
func (in *interp) Attempt() (left *Unread) {
	defer func() {
		if r := recover(); r != nil {
			if m, ok := r.(memory.TooMuch); ok {
				left = &Unread{Why: m.Why, Late: m.Late}
				return
			}
			f := fault.Of("reading "+session.FunctionName(in.Root), r)
			left = &Unread{Why: f.Error(), Fault: f}
		}
	}()
	if in.P.Shape(in.Root).Irreducible {
		return &Unread{Why: "its control flow has a loop with several entries"}
	}
	in.top(in.Root)
	return nil
}

// top interprets the function that is the root.
func (in *interp) top(f *ssa.Function) {
	in.enterFrame(in.activate(f, token.NoPos))
	in.OpenUntraced()
	outside := in.P.GivenOutside(f)
	for i, v := range f.Params {
		if isReceiver := i == 0 && f.Signature.Recv() != nil; outside && !isReceiver {
			in.act.regs[v] = memory.FromOutside(in.Memory, v.Type(), v.Name())
		} else {
			in.act.regs[v] = in.Fresh(v.Type(), v.Name(), memory.Given)
		}
		if in.Trace != nil && gotypes.IsContext(v.Type()) { // what is made of it without being read has what it holds
			in.act.regs[v] = &memory.ContextValue{Parent: in.act.regs[v]}
		}
	}
	for _, v := range f.FreeVars {
		in.act.regs[v] = in.captured(v)
	}
	in.tree(f.Blocks[0])
}

// captured gives the address of a variable that a closure uses.
func (in *interp) captured(v *ssa.FreeVar) memory.Value {
	t, ok := v.Type().(*types.Pointer)
	if !ok {
		return in.Fresh(v.Type(), v.Name(), memory.Given)
	}
	return &memory.Pointer{To: in.NewCell(t.Elem(), v.Name(), memory.Given)}
}
