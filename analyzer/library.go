package analyzer

import (
	"go/types"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// library is a call of a function whose role is known.
func (in *interp) library(inv *invocation, r role, name string) (value, bool) {
	args := inv.args
	switch r {
	case newErrorRole:
		return in.newError(), true
	case wrapRole:
		return in.wrapped(name, args), true
	case isRole:
		f, ok := unbox(args[0]).(*failure)
		g, also := unbox(args[1]).(*failure)
		if !ok || !also {
			break
		}
		return scalar{in.isError(f, g), client.Bool}, true
	case formatRole:
		format, ok := constOf(args[0])
		list, known := in.listOf(args[1])
		if !ok || !known {
			break
		}
		return scalar{in.sprintf(format.S, list), client.Text}, true
	case joinRole:
		list, known := in.listOf(args[0])
		sep, ok := constOf(args[1])
		if !known || !ok {
			break
		}
		out := client.Expr(client.C(ir.Text("")))
		for i, v := range list {
			if i > 0 {
				out = concat(out, client.C(sep))
			}
			out = concat(out, in.scalarOf(v).e)
		}
		return scalar{out, client.Text}, true
	case builderRole:
		return in.textBuilder(inv, name)
	case replaceRole:
		return in.replaced(inv)
	case pureRole:
		k := kindOf(inv.t)
		if k == client.Any {
			return in.derive(inv.t, name, args...), true
		}
		return scalar{&client.Call{Name: name, Args: in.exprs(args), Kind: k}, k}, true
	case sameRole:
		return in.answer(inv.t, args[len(args)-1]), true
	case freshRole:
		return in.freshValue(inv.t), true
	case anyRole:
		return in.quiet(inv.t), true
	case noContextRole:
		return &contextValue{}, true
	case withValueRole:
		return &contextValue{parent: args[0], key: args[1], v: args[2]}, true
	case contextValueRole:
		return in.lookInContext(args[0], args[1], inv.t), true
	case idleRole:
		return in.quiet(inv.t), true
	case exitRole:
		in.abort()
		return in.quietDead(inv.t), true
	case inTxRole:
		return in.inTransaction(inv)
	case collectRole, collectOne, forEachRole:
		return in.collect(inv, r)
	case getRole, selectRole, namedExecRole:
		for i, a := range args {
			if h, ok := unbox(a).(*handle); ok {
				return in.send(inv, h, r, args[i+1:])
			}
		}
	}
	return nil, false
}

// replaced is strings.Replace or ReplaceAll in a constant: what is put in need not be
// known.
func (in *interp) replaced(inv *invocation) (value, bool) {
	s, ok := constText(inv.args[0])
	old, also := constText(inv.args[1])
	n := int64(-1)
	if len(inv.args) == 4 {
		c, known := constOf(inv.args[3])
		also = also && known && c.Kind == ir.KindInt
		n = c.I
	}
	if !ok || !also || old == "" {
		return scalar{&client.Call{Name: "strings.Replace", Args: in.exprs(inv.args), Kind: client.Text}, client.Text}, true
	}
	with := in.scalarOf(inv.args[2]).e
	out := client.Expr(client.C(ir.Text("")))
	for ; n != 0; n-- {
		before, after, found := strings.Cut(s, old)
		if !found {
			break
		}
		out = concat(concat(out, client.C(ir.Text(before))), with)
		s = after
	}
	return scalar{concat(out, client.C(ir.Text(s))), client.Text}, true
}

func (in *interp) quietDead(t types.Type) value {
	if tt, ok := t.(*types.Tuple); ok {
		return in.deadValue(tt)
	}
	return scalar{client.C(ir.Null), client.Any}
}

// freshValue gives a value that nobody used before, with no error.
func (in *interp) freshValue(t types.Type) value {
	if tt, ok := t.(*types.Tuple); ok {
		return in.answer(t, in.freshValue(tt.At(0).Type()))
	}
	k := kindOf(t)
	if k == client.Any {
		k = client.Text
	}
	v := in.temp("fresh", k, false)
	in.fresheds[v] = true
	in.emit(&client.Havoc{At: in.at(), Var: v, Fresh: true})
	return scalar{client.V(v), k}
}

// textBuilder is a method of strings.Builder or bytes.Buffer, or fmt.Fprintf to
// one.
func (in *interp) textBuilder(inv *invocation, name string) (value, bool) {
	p, ok := unbox(inv.args[0]).(*pointer)
	if !ok || !isBuilder(p.to.t) {
		return nil, false
	}
	have := in.scalarOf(in.load(p.to)).e
	add := func(e client.Expr) (value, bool) {
		in.store(p.to, scalar{concat(have, e), client.Text})
		return in.quiet(inv.t), true
	}
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "WriteString":
		return add(in.scalarOf(inv.args[1]).e)
	case "WriteByte", "WriteRune":
		if c, ok := constOf(inv.args[1]); ok && c.Kind == ir.KindInt {
			return add(client.C(ir.Text(string(rune(c.I)))))
		}
		return add(&client.Call{Name: "char", Args: in.exprs(inv.args[1:]), Kind: client.Text})
	case "Fprintf":
		format, ok := constOf(inv.args[1])
		list, known := in.listOf(inv.args[2])
		if !ok || !known {
			return add(&client.Call{Name: "format", Args: in.exprs(inv.args[1:]), Kind: client.Text})
		}
		return add(in.sprintf(format.S, list))
	case "String":
		return scalar{have, client.Text}, true
	case "Len":
		return scalar{&client.Call{Name: "len", Args: []client.Expr{have}, Kind: client.Int}, client.Int}, true
	case "Reset":
		in.store(p.to, scalar{client.C(ir.Text("")), client.Text})
		return in.quiet(inv.t), true
	}
	return nil, false
}

// isBuilder reports whether a type builds a text.
func isBuilder(t types.Type) bool {
	return isNamed(t, "strings", "Builder") || isNamed(t, "bytes", "Buffer")
}
