package analyzer

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
)

// maxImplementers bounds the methods that a call through an interface is taken to be.
const maxImplementers = 3

// dispatches reports whether a call of m through an interface is interpreted as one of
// each method that it may be: one of them uses the database, and it gets a function that
// does so, too, or may be given a transaction, or the transaction that is open, where no other
// package can have more of them.
func (in *interp) dispatches(inv *invocation, m *types.Func, impl []*ssa.Function) bool {
	if in.trace != nil || len(impl) < 2 || len(impl) > maxImplementers || !slices.ContainsFunc(impl, in.p.matters) {
		return false
	}
	own := in.p.declares(m)
	for i, v := range inv.args[1:] {
		if own && in.holds(v, isLive) || in.holds(v, func(w value) bool { c, ok := w.(*closure); return ok && c.fn != nil && in.p.matters(c.fn) }) {
			return true
		}
		sig, ok := impl[0].Signature.Params().At(i).Type().Underlying().(*types.Signature)
		if ok && in.p.holdersOf(false).takes(sig) {
			return true
		}
	}
	return false
}

// declares reports whether the interface of a method is one of the packages that were read,
// and cannot be implemented in one that was not.
func (p *program) declares(m *types.Func) bool {
	if !slices.ContainsFunc(p.pkgs, func(pkg *ssa.Package) bool { return pkg.Pkg == m.Pkg() }) {
		return false
	}
	n := namedOf(m.Signature().Recv().Type())
	return p.places.whole || n != nil && !n.Obj().Exported()
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

// beginsSome is a call of a method that begins a transaction of a value of which no more
// is known: a database, a connection, or one of several types of the program.
func (in *interp) beginsSome(inv *invocation, m *types.Func, impl []*ssa.Function) value {
	h := &handle{kind: either, t: m.Signature().Recv().Type()}
	in.emitValue(inv.args[0])
	tx := in.begin(h, in.withoutContext(m.Signature(), inv.args[1:]))
	if in.trace == nil && in.owns(tx) {
		in.anyLevel = in.anyLevel || len(impl) > 0
		if slices.ContainsFunc(impl, func(f *ssa.Function) bool { return !in.p.onlyPassesOn(f) }) {
			in.unknown("a call of " + m.Name() + " through an interface")
		}
	}
	return in.answer(inv.t, tx)
}

// onlyPassesOn reports whether a function uses the database for nothing but to begin a
// transaction.
func (p *program) onlyPassesOn(f *ssa.Function) bool {
	only := len(f.AnonFuncs) == 0
	eachInstr(f, func(instr ssa.Instruction) {
		c, ok := instr.(ssa.CallInstruction)
		if !ok {
			return
		}
		m := c.Common().Method
		g := c.Common().StaticCallee()
		if g != nil {
			m, _ = g.Object().(*types.Func)
		}
		if p.uses(c.Common()) && (m == nil || methods[m.Name()] != beginRole) || g != nil && p.matters(g) {
			only = false
		}
	})
	return only
}
