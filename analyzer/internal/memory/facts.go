package memory

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// Facts are truth values of variables, and of comparisons by their texts, that the
// conditions on the way here imply. They hold until a variable is set again, which only happens in another round
// of a loop: its head forgets all.
type Facts map[string]bool

// Assume records that a condition holds, or does not.
func (in *Memory) Assume(e client.Expr, is bool) {
	if in.St == nil {
		return
	}
	add := func(name string) {
		in.St.Facts = maps.Clone(in.St.Facts)
		if in.St.Facts == nil {
			in.St.Facts = Facts{}
		}
		in.St.Facts[name] = is
	}
	switch e := e.(type) {
	case *client.VarExpr:
		add(e.Name)
	case *client.Op:
		switch {
		case e.Op == "!":
			in.Assume(e.Args[0], !is)
		case e.Op == "&&" && is, e.Op == "||" && !is:
			for _, a := range e.Args {
				in.Assume(a, is)
			}
		case e.Op == "!=":
			in.Assume(&client.Op{Op: "==", Args: e.Args}, !is)
		default:
			add(client.ExprString(e))
			in.assumeCode(e, is)
		}
	case *client.Const, *client.Call: // they imply nothing
	}
}

// assumeCode is assume for what compares the code of an error with a constant: it
// implies what holds on all paths on which the error has such a code.
func (in *Memory) assumeCode(e *client.Op, is bool) {
	if len(e.Args) != 2 {
		return
	}
	v, ok := e.Args[0].(*client.VarExpr)
	c, isConst := e.Args[1].(*client.Const)
	if !ok || !isConst || c.Value.Kind != ir.KindInt {
		return
	}
	holds := func(code int64) bool {
		switch e.Op {
		case "==":
			return code == c.Value.I
		case "!=":
			return code != c.Value.I
		case "<":
			return code < c.Value.I
		case "<=":
			return code <= c.Value.I
		case ">":
			return code > c.Value.I
		case ">=":
			return code >= c.Value.I
		}
		return is
	}
	if len(in.origins[v.Name]) > 0 {
		in.excludeCodes(v.Name, func(code int64) bool { return holds(code) == is })
	}
}

// errorOrigin is a path on which a variable gets the code of an error: the codes
// that it may get, nil for any, and what holds there.
type errorOrigin struct {
	codes []int64
	facts Facts
}

// excludeCodes records that the code of an error is one that is possible.
func (in *Memory) excludeCodes(v string, possible func(code int64) bool) {
	was := in.St.Codes[v]
	now := func(code int64) bool { return possible(code) && (was == nil || was(code)) }
	in.St.Codes = maps.Clone(in.St.Codes)
	if in.St.Codes == nil {
		in.St.Codes = map[string]func(int64) bool{}
	}
	in.St.Codes[v] = now
	var common Facts
	first := true
	for _, o := range in.origins[v] {
		some := o.codes == nil
		for _, code := range o.codes {
			some = some || now(code)
		}
		switch {
		case !some:
		case first:
			common, first = maps.Clone(o.facts), false
		default:
			maps.DeleteFunc(common, func(name string, is bool) bool { w, ok := o.facts[name]; return !ok || w != is })
		}
	}
	if len(common) > 0 {
		all := maps.Clone(in.St.Facts)
		if all == nil {
			all = Facts{}
		}
		maps.Copy(all, common)
		in.St.Facts = all
	}
}

// Known gives the truth value of a condition if it is implied by what led here.
func (in *Memory) Known(e client.Expr) (is, ok bool) {
	switch e := e.(type) {
	case nil:
		return false, true
	case *client.Const:
		return client.Truth(e)
	case *client.VarExpr:
		is, ok = in.St.Facts[e.Name]
		return is, ok
	case *client.Op:
		switch {
		case e.Op == "!":
			is, ok = in.Known(e.Args[0])
			return !is, ok
		case e.Op == "&&" || e.Op == "||":
			all := true
			for _, a := range e.Args {
				is, ok := in.Known(a)
				if ok && is == (e.Op == "||") {
					return is, true
				}
				all = all && ok
			}
			if all {
				return e.Op == "&&", true
			}
		case e.Op == "!=":
			is, ok = in.Known(&client.Op{Op: "==", Args: e.Args})
			return !is, ok
		}
		is, ok = in.St.Facts[client.ExprString(e)]
		return is, ok
	case *client.Call: // another call may give something else
	}
	return false, false
}

// Settled is e, or the constant that it is known to be.
func (in *Memory) Settled(e client.Expr) client.Expr {
	if is, ok := in.Known(e); ok {
		return client.C(ir.Bool(is))
	}
	return e
}

// commonFacts are the facts that hold on all edges.
func commonFacts(edges []*Edge) Facts {
	out := maps.Clone(edges[0].St.Facts)
	for _, e := range edges[1:] {
		maps.DeleteFunc(out, func(name string, is bool) bool { w, ok := e.St.Facts[name]; return !ok || w != is })
	}
	return out
}

// codesOf gives the codes that an error may have, nil for any.
func (in *Memory) codesOf(f *Failure) []int64 {
	if len(f.several) > 0 {
		return nil
	}
	var out []int64
	other := int64(codeOther)
	if f.Kind > 0 {
		other = int64(f.Kind)
	}
	if is, ok := in.Known(client.Or(f.NoRows)); !ok || is {
		out = append(out, CodeNoRows)
		if ok {
			return out
		}
	}
	is, ok := in.Known(client.Or(f.Other))
	if !ok || is {
		out = append(out, other)
		if f.code != nil {
			all, known := in.originCodes(f.code)
			if !known {
				return nil
			}
			for _, o := range all {
				if o != other && o >= codeOther {
					out = append(out, o)
				}
			}
		}
		if ok {
			return out
		}
	}
	if failed, known := in.Known(in.Failed(f)); known && failed {
		return out
	}
	return append(out, CodeNil)
}

// originCodes gives the codes that the variable of an error may have, if they are
// known.
func (in *Memory) originCodes(e client.Expr) (codes []int64, known bool) {
	v, ok := e.(*client.VarExpr)
	if !ok || len(in.origins[v.Name]) == 0 {
		return nil, false
	}
	for _, o := range in.origins[v.Name] {
		if o.codes == nil {
			return nil, false
		}
		codes = append(codes, o.codes...)
	}
	return codes, true
}

// noteOrigins records where the code of an error comes from.
func (in *Memory) noteOrigins(v string, edges []*Edge, vals []Value) {
	var list []errorOrigin
	for i, e := range edges {
		f := vals[i].(*Failure)
		st := in.St
		in.St = e.St
		o := errorOrigin{codes: in.codesOf(f), facts: e.St.Facts}
		// What the error itself implies where it is nil.
		if len(o.codes) > 1 && o.codes[len(o.codes)-1] == CodeNil {
			o.codes = o.codes[:len(o.codes)-1]
			list = append(list, o)
			in.St = e.St.Clone()
			in.Assume(client.Or(f.NoRows), false)
			in.Assume(client.Or(f.Other), false)
			o = errorOrigin{codes: []int64{CodeNil}, facts: in.St.Facts}
		}
		in.St = st
		list = append(list, o)
	}
	in.origins[v] = list
}

// noteChoice records that a variable is one of two constants, as a condition
// says.
func (in *Memory) noteChoice(v string, cond client.Expr, a, b Scalar) {
	x, ok := ConstOf(a)
	y, also := ConstOf(b)
	if !ok || !also || x.Kind != ir.KindInt || y.Kind != ir.KindInt {
		return
	}
	st := in.St
	var list []errorOrigin
	for i, c := range []ir.Value{x, y} {
		in.St = st.Clone()
		in.Assume(cond, i == 0)
		list = append(list, errorOrigin{codes: []int64{c.I}, facts: in.St.Facts})
	}
	in.St = st
	in.origins[v] = list
}

// maxValues bounds the constants that are told apart of which a variable holds one.
const maxValues = 8

// ConstantsOf gives the numbers or texts one of which a value is, if they are known.
func (in *Memory) ConstantsOf(v Value) ([]ir.Value, bool) {
	s, ok := Unbox(v).(Scalar)
	if !ok {
		return nil, false
	}
	switch e := s.E.(type) {
	case *client.Const:
		return []ir.Value{e.Value}, e.Value.Kind == ir.KindInt || e.Value.Kind == ir.KindText
	case *client.VarExpr:
		list, ok := in.values[e.Name]
		return list, ok
	default:
		return nil, false
	}
}

// noteValues records that a variable holds one of several values.
func noteValues(in *Memory, v string, vals ...Value) {
	var out []ir.Value
	for _, w := range vals {
		list, ok := in.ConstantsOf(w)
		if !ok {
			return
		}
		for _, c := range list {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	if len(out) <= maxValues {
		in.values[v] = out
	}
}
