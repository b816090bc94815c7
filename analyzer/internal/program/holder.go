package program

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
)

// Holders tells of types whether their values may hold a transaction: in a field, an
// element, behind a pointer, in what an interface has inside, or in what a function
// captures. It goes by the types alone, so that it finds too many rather than too few.
type Holders struct {
	p *Program
	// conn says that the transaction is one of a single connection, which holds it then.
	conn  bool
	known typeutil.Map // bool
	// read are the packages that were read, concrete the types with methods that are
	// no interfaces.
	read     map[*types.Package]bool
	concrete []types.Type
}

func newHolders(p *Program, conn bool) *Holders {
	h := &Holders{p: p, conn: conn, read: map[*types.Package]bool{}}
	for _, pkg := range p.Pkgs {
		h.read[pkg.Pkg] = true
	}
	if len(p.Pkgs) > 0 {
		for _, t := range p.Pkgs[0].Prog.RuntimeTypes() {
			h.add(t)
		}
	}
	for _, pkg := range p.Pkgs { // also what only others may put into interfaces
		for _, m := range pkg.Members {
			if t, ok := m.(*ssa.Type); ok && !types.IsInterface(t.Type()) {
				h.add(types.NewPointer(t.Type()))
			}
		}
	}
	return h
}

func (h *Holders) add(t types.Type) {
	if !types.IsInterface(t) && types.NewMethodSet(t).Len() > 0 {
		h.concrete = append(h.concrete, t)
	}
}

// HoldersOf gives the holders of transactions, of one connection or of a database.
func (p *Program) HoldersOf(conn bool) *Holders {
	kind := 0
	if conn {
		kind = 1
	}
	if p.holders[kind] == nil {
		p.holders[kind] = newHolders(p, conn)
	}
	return p.holders[kind]
}

// Takes reports whether a function gets a value that may hold a transaction, in a type that
// says so.
func (h *Holders) Takes(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		if i, ok := v.Type().Underlying().(*types.Interface); (!ok || i.NumMethods() > 0) && h.Holds(v.Type()) {
			return true
		}
	}
	return false
}

// Holds reports whether values of a type may hold a transaction.
func (h *Holders) Holds(t types.Type) bool {
	if known, ok := h.known.At(t).(bool); ok {
		return known
	}
	found := h.reach(t, &typeutil.Map{})
	h.known.Set(t, found)
	return found
}

// reach reports whether a transaction is reached from a type, by none of those seen.
func (h *Holders) reach(t types.Type, seen *typeutil.Map) bool {
	if seen.At(t) != nil {
		return false
	}
	seen.Set(t, true)
	if known, ok := h.known.At(t).(bool); ok {
		return known
	}
	if k := h.p.HandleType(t); k != "" {
		return k != "db" || h.conn && h.p.Know.IsConn(t)
	}
	if h.p.Know.IsPrepared(t) {
		return true
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		for a := range n.TypeArgs().Types() {
			if h.reach(a, seen) {
				return true
			}
		}
		if pkg := n.Obj().Pkg(); !types.IsInterface(n) && !h.read[pkg] {
			return false // what a library keeps is its own
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return h.reach(u.Elem(), seen)
	case *types.Slice:
		return h.reach(u.Elem(), seen)
	case *types.Array:
		return h.reach(u.Elem(), seen)
	case *types.Chan:
		return h.reach(u.Elem(), seen)
	case *types.Map:
		return h.reach(u.Key(), seen) || h.reach(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if h.reach(f.Type(), seen) {
				return true
			}
		}
	case *types.Interface:
		return h.inside(u, seen)
	case *types.Signature:
		return h.captured(u, seen)
	}
	return false
}

// inside looks for a transaction in the types that implement an interface.
func (h *Holders) inside(i *types.Interface, seen *typeutil.Map) bool {
	if i.NumMethods() == 0 {
		return true // the transaction itself
	}
	return slices.ContainsFunc(h.concrete, func(t types.Type) bool { return types.Implements(t, i) && h.reach(t, seen) })
}

// Captured reports whether a function literal of a type uses the database and may have captured a transaction.
func (h *Holders) Captured(sig *types.Signature) bool {
	return slices.ContainsFunc(h.p.Values(sig), func(f *ssa.Function) bool {
		return h.p.Matters(f) && slices.ContainsFunc(f.FreeVars, func(v *ssa.FreeVar) bool { return h.Holds(v.Type()) })
	})
}

// captured looks for a transaction in what the functions of a type capture.
func (h *Holders) captured(sig *types.Signature, seen *typeutil.Map) bool {
	return slices.ContainsFunc(h.p.values, func(f *ssa.Function) bool {
		return len(f.FreeVars) > 0 && types.Identical(f.Signature, sig) &&
			slices.ContainsFunc(f.FreeVars, func(v *ssa.FreeVar) bool { return h.reach(v.Type(), seen) })
	})
}

// Unimplemented reports whether a method is one of an interface that the packages which were read declare, and
// that none of the types they use implements: nobody knows what it does.
func (p *Program) Unimplemented(m *types.Func) bool {
	i, ok := m.Signature().Recv().Type().Underlying().(*types.Interface)
	return ok && m.Pkg() != nil && p.isRead(m.Pkg()) &&
		!slices.ContainsFunc(p.HoldersOf(false).concrete, func(t types.Type) bool { return types.Implements(t, i) })
}

// PutsIntoContexts reports whether the program puts transactions into contexts, and only code that is read gets these: not
// a library that begins transactions by calling a function of the program.
func (p *Program) PutsIntoContexts() bool {
	if p.contexts == nil {
		puts, leaves, seen := false, false, map[*ssa.Function]bool{}
		for _, f := range p.Funcs {
			if f.Parent() == nil {
				gotypes.EachInstr(f, func(instr ssa.Instruction) {
					if p.putsIntoContext(instr) {
						puts, leaves = true, leaves || p.givesContextOutside(instr.Parent(), seen)
					}
				})
			}
		}
		puts = puts && !leaves
		p.contexts = &puts
	}
	return *p.contexts
}

// givesContextOutside reports whether code that is not read may get a context that a function makes: from it, or from one
// that calls it.
func (p *Program) givesContextOutside(f *ssa.Function, seen map[*ssa.Function]bool) bool {
	if seen[f] || !slices.ContainsFunc(slices.Collect(f.Signature.Results().Variables()), func(v *types.Var) bool { return gotypes.IsContext(v.Type()) }) {
		return false
	}
	seen[f] = true
	return p.GivenOutside(f) || slices.ContainsFunc(p.Users[f], func(u *ssa.Function) bool { return p.givesContextOutside(u, seen) })
}

// putsIntoContext reports whether an instruction does that.
func (p *Program) putsIntoContext(instr ssa.Instruction) bool {
	c, ok := instr.(ssa.CallInstruction)
	if !ok || c.Common().StaticCallee() == nil || gotypes.FullName(c.Common().StaticCallee()) != "context.WithValue" {
		return false
	}
	v := c.Common().Args[2]
	if m, ok := v.(*ssa.MakeInterface); ok {
		v = m.X
	}
	return p.HoldersOf(false).Holds(v.Type())
}
