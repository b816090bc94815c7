package absint

import (
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
)

// wholeField is a field of a struct that is one value here, such as a struct with a method Value.
type wholeField struct {
	to    *memory.Cell
	field int
	was   memory.Value // the struct in front of a store
}

// wholeAround gives the field that an address is one of, nil if there is none.
func wholeAround(in *interp, addr ssa.Value, value func(ssa.Value) memory.Value) *wholeField {
	at, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	p, ok := memory.Unbox(value(at.X)).(*memory.Pointer)
	if !ok || !p.To.Whole() || !gotypes.Storable(p.To.T) {
		return nil
	}
	return &wholeField{to: p.To, field: at.Field, was: in.Load(p.To)}
}

// storeInWhole gives a struct without parts the value that it has when a field of it is set: one that
// depends on what it was and on the value.
func storeInWhole(in *interp, f *wholeField, v memory.Value) {
	if f == nil {
		return
	}
	e := &client.Call{Name: "with field " + strconv.Itoa(f.field), Args: in.Exprs([]memory.Value{f.was, v})}
	in.St.Mem[f.to] = memory.Of(e, client.Any)
}
