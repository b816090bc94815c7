package program

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
)

// inContexts is what the program puts into contexts that may be transactions: the keys that are known, and the types of all.
type inContexts struct {
	keys []contextKey
	put  []types.Type
}

// contextKey is a key of a context: a value of a struct without fields, or a constant, whose text it has.
type contextKey struct {
	t    types.Type
	text string
}

// KeepsInContext reports whether contexts keep transactions under a key of a type, which is the only value of it, or a
// constant with a text (go/constant). It does not, either, where contexts may come from elsewhere than an argument:
// where code that is not read has those with a transaction, or the program keeps one in a field, a map, a channel or a
// package variable.
func (p *Program) KeepsInContext(t types.Type, text string) bool {
	return slices.ContainsFunc(p.inContexts().keys, func(k contextKey) bool { return k.text == text && types.Identical(k.t, t) })
}

// OnlyInContexts reports whether the transactions that the program puts into contexts all have a type, where it does that.
func (p *Program) OnlyInContexts(t types.Type) bool {
	put := p.inContexts().put
	return len(put) > 0 && !slices.ContainsFunc(put, func(u types.Type) bool { return !types.Identical(u, t) })
}

// inContexts looks for what the program puts into contexts.
func (p *Program) inContexts() *inContexts {
	if p.held != nil {
		return p.held
	}
	p.held = &inContexts{}
	hidden := !p.PutsIntoContexts()
	for _, f := range p.Funcs {
		gotypes.EachInstr(f, func(instr ssa.Instruction) {
			hidden = hidden || hidesContext(instr)
			if !p.putsIntoContext(instr) {
				return
			}
			args := instr.(ssa.CallInstruction).Common().Args
			if k, ok := args[1].(*ssa.MakeInterface); ok {
				key, ok := keyOf(k)
				hidden = hidden || !ok
				p.held.keys = append(p.held.keys, key)
			}
			p.held.put = append(p.held.put, typeIn(args[2]))
		})
	}
	if hidden {
		p.held.keys = nil
	}
	return p.held
}

// typeIn gives the type of what an interface is made of.
func typeIn(v ssa.Value) types.Type {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return v.X.Type()
	case *ssa.ChangeInterface:
		return v.X.Type()
	}
	return v.Type()
}

// keyOf gives the key that an interface is made of, if it is one.
func keyOf(k *ssa.MakeInterface) (key contextKey, ok bool) {
	key.t = k.X.Type()
	if c, isConst := k.X.(*ssa.Const); isConst && c.Value != nil {
		key.text = c.Value.ExactString()
		return key, true
	}
	s, isStruct := key.t.Underlying().(*types.Struct)
	return key, isStruct && s.NumFields() == 0
}

// hidesContext reports whether an instruction puts a context where it does not go from a call to its function.
func hidesContext(instr ssa.Instruction) bool {
	switch i := instr.(type) {
	case *ssa.Store:
		_, isLocal := i.Addr.(*ssa.Alloc)
		_, isCaptured := i.Addr.(*ssa.FreeVar)
		return gotypes.IsContext(i.Val.Type()) && !isLocal && !isCaptured
	case *ssa.Send:
		return gotypes.IsContext(i.X.Type())
	case *ssa.MapUpdate:
		return gotypes.IsContext(i.Value.Type())
	case *ssa.ChangeInterface: // to any, as in an atomic.Value
		return gotypes.IsContext(i.X.Type())
	}
	return false
}
