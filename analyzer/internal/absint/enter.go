package absint

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"golang.org/x/tools/go/ssa"
)

// New makes an interpreter of f that writes to body.
func New(a *session.Analysis, f *ssa.Function, site string, body *[]client.Stmt, res *session.Findings) *interp {
	m := memory.New(a.P, a, body)
	m.Site, m.Pos = site, f.Pos()
	in := &interp{Session: session.New(a, m, f, res), Limit: maxSteps}
	in.Control = in
	return in
}

// Attempt interprets the root. why, if not "", says why that came to no end.
func (in *interp) Attempt() (why string) {
	defer func() {
		if r := recover(); r != nil {
			m, ok := r.(memory.TooMuch)
			if !ok {
				panic(fmt.Sprintf("analyzer: %s: %v", in.Root, r))
			}
			why = m.Why
		}
	}()
	if in.P.Shape(in.Root).Irreducible {
		return "its control flow has a loop with several entries"
	}
	in.top(in.Root)
	return ""
}

// top interprets the function that is the root.
func (in *interp) top(f *ssa.Function) {
	in.enterFrame(in.activate(f, token.NoPos))
	for _, v := range f.Params {
		in.act.regs[v] = in.Fresh(v.Type(), v.Name(), memory.Given)
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
