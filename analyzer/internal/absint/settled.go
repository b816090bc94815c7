package absint

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
)

// maxSettled bounds how far values of package variables are followed into each other.
const maxSettled = 8

// settledAt gives what a package variable holds, or a field of one, that its initializer sets
// and nobody changes: constants, functions, and what is made of these.
func (in *interp) settledAt(addr ssa.Value, depth int) (memory.Value, bool) {
	g, path := program.FieldsOf(addr)
	if g == nil || depth > maxSettled {
		return nil, false
	}
	stores, ok := in.P.Settled(g)
	if !ok {
		return nil, false
	}
	return in.settled(stores, path, addr.Type().Underlying().(*types.Pointer).Elem(), depth)
}

// settled gives the value that stores make of a part of a variable.
func (in *interp) settled(stores map[string]ssa.Value, path string, t types.Type, depth int) (memory.Value, bool) {
	if v, ok := stores[path]; ok {
		return in.initial(v, depth)
	}
	ts, _ := in.P.Know.Layout.Parts(t)
	if _, isStruct := t.Underlying().(*types.Struct); !isStruct || ts == nil {
		return in.Zero(t), path != "" // a field that the literal leaves out
	}
	out := &memory.Aggregate{T: t}
	for i, part := range ts {
		v, ok := in.settled(stores, program.FieldPath(path, i), part, depth)
		if !ok {
			v = in.Fresh(part, "v", memory.Unknown)
		}
		out.Parts = append(out.Parts, v)
	}
	return out, true
}

// initial gives a value in an initializer.
func (in *interp) initial(v ssa.Value, depth int) (memory.Value, bool) {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil || v.Value.Kind() == constant.Unknown {
			return nil, false
		}
		return in.constant(v), true
	case *ssa.Function:
		return in.value(v), true
	case *ssa.MakeClosure:
		if len(v.Bindings) > 0 {
			return nil, false
		}
		return in.value(v.Fn), true
	case *ssa.Alloc:
		stores, ok := in.P.LiteralOf(v)
		if !ok || depth > maxSettled {
			return nil, false
		}
		w, ok := in.settled(stores, "", gotypes.Deref(v.Type()), depth+1)
		if !ok {
			return nil, false
		}
		c := in.Shared.Literals[v]
		if c == nil {
			c = in.NewCell(gotypes.Deref(v.Type()), "literal", memory.Unknown)
			in.Shared.Literals[v] = c
		}
		in.Store(c, w)
		return &memory.Pointer{To: c}, true
	case *ssa.ChangeType:
		return in.initial(v.X, depth)
	case *ssa.UnOp:
		if stores, ok := program.LiteralIn(v); ok && depth <= maxSettled {
			return in.settled(stores, "", v.Type(), depth+1)
		}
		return in.settledAt(v.X, depth+1)
	case *ssa.MakeMap:
		return initialMap(in, v, depth)
	case *ssa.Call:
		return in.initialCall(v, depth)
	}
	return nil, false
}

// initialMap gives a map that a literal makes, if its keys are constant texts.
func initialMap(in *interp, v *ssa.MakeMap, depth int) (memory.Value, bool) {
	var list []memory.Entry
	stores := 0
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			if stores++; r.Addr == v || stores > 1 {
				return nil, false
			}
		case *ssa.MapUpdate:
			key, isConst := r.Key.(*ssa.Const)
			if r.Map != v || !isConst || depth > maxSettled {
				return nil, false
			}
			text, isText := memory.ConstText(in.constant(key))
			e, ok := in.initial(r.Value, depth+1)
			if !isText || !ok || slices.ContainsFunc(list, func(e memory.Entry) bool { return e.Key == text }) {
				return nil, false
			}
			list = append(list, memory.Entry{Key: text, V: e})
		default:
			return nil, false
		}
	}
	if len(list) == 0 {
		return nil, false
	}
	slices.SortFunc(list, func(a, b memory.Entry) int { return strings.Compare(a.Key, b.Key) })
	return memory.NewMap(in.Memory, list), true
}

// initialList gives a list that a literal makes, such as the arguments of a call.
func (in *interp) initialList(v *ssa.Slice, depth int) (memory.Value, bool) {
	array, ok := v.X.(*ssa.Alloc)
	if !ok || v.Low != nil || v.High != nil || v.Max != nil {
		return nil, false
	}
	t, ok := array.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !ok || t.Len() > gotypes.MaxArray {
		return nil, false
	}
	elems := make([]memory.Value, t.Len())
	for _, r := range *array.Referrers() {
		at, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		index, ok := at.Index.(*ssa.Const)
		if !ok || len(*at.Referrers()) != 1 {
			return nil, false
		}
		s, ok := (*at.Referrers())[0].(*ssa.Store)
		if !ok {
			return nil, false
		}
		e, ok := in.initial(s.Val, depth)
		if !ok || elems[index.Int64()] != nil {
			return nil, false
		}
		elems[index.Int64()] = e
	}
	for i := range elems {
		if elems[i] == nil {
			elems[i] = in.Zero(t.Elem())
		}
	}
	return in.NewList(elems), true
}

// initialCall gives what a function makes of its arguments and of nothing else.
func (in *interp) initialCall(v *ssa.Call, depth int) (memory.Value, bool) {
	f := v.Call.StaticCallee()
	if f == nil || !in.P.Know.Constructors[gotypes.FullName(f)] {
		return nil, false
	}
	inv := &session.Invocation{C: &v.Call, At: v.Pos(), T: v.Type()}
	for _, a := range v.Call.Args {
		w, ok := in.initial(a, depth)
		if list, isList := a.(*ssa.Slice); isList { // of which nobody else has the array
			w, ok = in.initialList(list, depth)
		}
		if !ok {
			return nil, false
		}
		inv.Args = append(inv.Args, w)
	}
	return in.modelled(inv, gotypes.FullName(f))
}
