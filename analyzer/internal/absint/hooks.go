package absint

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
)

// hooks are methods that the standard library, drivers and encoders call of values that they get as any.
var hooks = map[string]bool{"String": true, "GoString": true, "Error": true, "Format": true, "MarshalJSON": true, "MarshalText": true, "MarshalBinary": true,
	"MarshalXML": true, "MarshalYAML": true, "UnmarshalJSON": true, "UnmarshalText": true, "GobEncode": true, "LogValue": true, "Scan": true, "Value": true,
	"EncodeText": true, "EncodeBinary": true, "TextValue": true, "Int64Value": true, "ScanText": true, "ScanInt64": true, "MarshalLog": true}

// callsBack says that a function which is not read may do anything in the open transaction if it gets a value whose
// methods use the database and that holds the transaction: fmt calls String.
func callsBack(in *interp, inv *session.Invocation) {
	if in.Trace != nil || in.St == nil || !in.IsOpen() {
		return
	}
	name, sig := callee(inv)
	if name == "" {
		return
	}
	own := len(inv.Args) - sig.Params().Len()
	if inv.C.IsInvoke() || own < 0 {
		own = min(1, max(own, 0))
	}
	for i, a := range inv.Args[min(own, len(inv.Args)):] {
		var to types.Type
		if i < sig.Params().Len() {
			to = sig.Params().At(i).Type()
		}
		if f := hookOf(in, a, to, strings.Contains(name, "/template.")); f != nil {
			in.Unknown("a call of " + name + ", which may call " + session.FunctionName(f) + " with the transaction")
			return
		}
	}
}

// callee gives the full name and the type of the function that a call leads to, "" if that is one which is read.
func callee(inv *session.Invocation) (string, *types.Signature) {
	if inv.C.IsInvoke() {
		return inv.C.Method.FullName(), inv.C.Signature()
	}
	c, ok := memory.Unbox(inv.Fn).(*memory.Closure)
	if !ok || c.Fn == nil || len(c.Fn.Blocks) > 0 || c.Bound != nil {
		return "", nil
	}
	return gotypes.FullName(c.Fn), c.Fn.Signature
}

// hookOf gives a method that uses the database, of a part of a value which holds the open transaction, and which code
// that gets the value as the type to may call; nil if there is none. Templates call all methods.
func hookOf(in *interp, v memory.Value, to types.Type, all bool) (found *ssa.Function) {
	in.Holds(v, func(w memory.Value) bool {
		var t types.Type
		switch w := w.(type) {
		case *memory.Pointer:
			t = types.NewPointer(w.To.T)
		case *memory.Aggregate:
			t = w.T
		}
		if t == nil || gotypes.NamedOf(t) == nil || !in.P.IsOwnStruct(t) {
			return false
		}
		f := methodThat(in, t, to, all)
		if f != nil && in.Holds(w, memory.IsLive) {
			found = f
		}
		return found != nil
	})
	return found
}

// methodThat gives a method of a type that uses the database and that code which is not read may call.
func methodThat(in *interp, t, to types.Type, all bool) *ssa.Function {
	var i *types.Interface
	if to != nil {
		i, _ = to.Underlying().(*types.Interface)
	}
	set := types.NewMethodSet(t)
	for k := range set.Len() {
		m, ok := set.At(k).Obj().(*types.Func)
		if !ok || !all && !hooks[m.Name()] && !declares(i, m.Name()) {
			continue
		}
		if f := in.P.MethodOf(t, m); f != nil && in.P.Matters(f) {
			return f
		}
	}
	return nil
}

// declares reports whether an interface has a method with a name.
func declares(i *types.Interface, name string) bool {
	if i == nil {
		return false
	}
	o, _, _ := types.LookupFieldOrMethod(i, false, nil, name)
	return o != nil
}
