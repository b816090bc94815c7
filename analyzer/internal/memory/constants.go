package memory

import (
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

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
func (in *Memory) noteValues(v string, vals ...Value) {
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
