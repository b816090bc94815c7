package memory

import (
	"github.com/txrobust/robust/internal/client"
)

// maxFunctions bounds the functions that are told apart of which a value is one.
const maxFunctions = 8

// joinFunctions joins functions: the result is one of them.
func (in *Memory) joinFunctions(name string, edges []*Edge, vals []Value) (Value, bool) {
	var fns []*Closure
	var index []client.Expr
	for _, v := range vals {
		from := ConstInt(int64(len(fns)))
		switch v := v.(type) {
		case *Closure:
			fns, index = append(fns, v), append(index, from)
		case *OneOf:
			fns, index = append(fns, v.Fns...), append(index, Op("+", v.Index, from))
		default:
			return nil, false
		}
	}
	if len(fns) > maxFunctions {
		return nil, false
	}
	v := in.Temp(name, client.Int, false)
	for i, e := range edges {
		in.Ahead(e, func() { in.Set(v, index[i]) })
	}
	return &OneOf{client.V(v), fns}, true
}
