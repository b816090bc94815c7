package analyzer

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/client"
)

// maxImplementers bounds the methods that a call through an interface is taken to be.
const maxImplementers = 3

// dispatches reports whether a call through an interface is interpreted as one of
// each method that it may be: it gets a function that uses the database, and so does one of
// the methods.
func (in *interp) dispatches(inv *invocation, impl []*ssa.Function) bool {
	if in.trace != nil || len(impl) < 2 || len(impl) > maxImplementers || !slices.ContainsFunc(impl, in.p.matters) {
		return false
	}
	return slices.ContainsFunc(inv.args[1:], func(v value) bool {
		c, ok := unbox(v).(*closure)
		return ok && c.fn != nil && in.p.matters(c.fn)
	})
}

// callOne is a call of one of several methods.
func (in *interp) callOne(inv *invocation, impl []*ssa.Function) value {
	in.emitValue(inv.args[0])
	b := &client.Block{At: in.at(), Label: in.label("method")}
	t := &target{label: b.Label}
	in.emit(b)
	st, list := in.st, &b.Body
	for i, f := range impl {
		in.st = st.clone()
		body := list
		if i+1 < len(impl) {
			var c string
			in.into(list, func() { c = in.newVar("which", client.Bool, false, unknown) })
			s := &client.If{At: in.at(), Cond: client.V(c)}
			*list = append(*list, s)
			body, list = &s.Then, &s.Else
		}
		in.into(body, func() {
			inner := *inv
			inner.args = append([]value{in.fresh(f.Params[0].Type(), "it", unknown)}, inv.args[1:]...)
			v := in.callFunction(&inner, &closure{fn: f})
			if in.st != nil {
				in.jump(t, results(v, inv.t), &client.Break{At: in.at(), Label: t.label})
			}
		})
	}
	in.st = nil
	if len(t.edges) == 0 {
		return in.quietDead(inv.t)
	}
	vals := in.merge(t.edges)
	if _, several := inv.t.(*types.Tuple); several {
		return tuple(vals)
	}
	if len(vals) == 0 {
		return nil
	}
	return vals[0]
}

// results gives the results of a call of type t one by one.
func results(v value, t types.Type) []value {
	if tt, several := t.(*types.Tuple); several {
		if list, ok := v.(tuple); ok && len(list) == tt.Len() {
			return list
		}
		return nil
	}
	return []value{v}
}

// mayHoldTx reports whether a method uses the database, and its receiver may hold a
// transaction.
func (p *program) mayHoldTx(method *ssa.Function) bool {
	return p.matters(method) && p.holdsTx(method.Signature.Recv().Type(), 0)
}

// maxHeld bounds how deep in a value a transaction is looked for.
const maxHeld = 4

// holdsTx reports whether values of a type may hold a transaction, in fields or behind
// pointers.
func (p *program) holdsTx(t types.Type, depth int) bool {
	if k := p.handleType(t); k != "" {
		return k != "db"
	}
	if depth > maxHeld {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return p.holdsTx(u.Elem(), depth+1)
	case *types.Struct:
		for i := range u.NumFields() {
			if p.holdsTx(u.Field(i).Type(), depth+1) {
				return true
			}
		}
	}
	return false
}
