package program

import (
	"go/types"
)

// HandleType says whether statements are sent through values of a type: "db",
// "tx", "either" for an interface that may be one or the other, or "".
func (p *Program) HandleType(t types.Type) string {
	if k := p.Know.namedHandle(t); k != "" {
		return k
	}
	i, ok := t.Underlying().(*types.Interface)
	if !ok || i.NumMethods() == 0 {
		return ""
	}
	if k, ok := p.handles[i]; ok {
		return k
	}
	k := ""
	ends := 0
	for m := range i.NumMethods() {
		f := i.Method(m)
		if p.Know.marks(f) {
			k = "either"
		}
		if f.Name() == "Commit" || f.Name() == "Rollback" {
			ends++
		}
	}
	if k != "" && ends == 2 {
		k = "tx"
	}
	p.handles[i] = k
	return k
}

// Begins reports whether what a method returns is a transaction.
func (p *Program) Begins(sig *types.Signature) bool {
	return sig.Results().Len() > 0 && p.HandleType(sig.Results().At(0).Type()) == "tx"
}

// OnlyBegins reports whether a method is one of an interface that begins transactions,
// and is no database otherwise. A method Tx that cannot fail gives one that has begun.
func (p *Program) OnlyBegins(m *types.Func) bool {
	recv := m.Signature().Recv()
	if m.Name() == "Tx" && m.Signature().Results().Len() == 1 {
		return false
	}
	return recv != nil && types.IsInterface(recv.Type()) && p.HandleType(recv.Type()) == "" && p.Know.Methods[m.Name()] == BeginRole && p.Begins(m.Signature())
}
