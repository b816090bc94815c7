package builtin

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/value"
)

// Convert gives the conversion of a value from one type to another one, by a cast of
// the server or an extension, or by way of the text form; nil where the value stays as
// it is. The modifier and the check of the target type are part of it. explicit says
// that the program writes the cast: see Coerce.
//
// The cast by a function of the catalog is that function. Casts by way of the text
// form have names of their own, such as "uuid<-text".
func Convert(from, to *value.Type, explicit bool) *ir.Function {
	convert, coerce := conversion(from, to), value.Coerce(to, explicit)
	switch {
	case convert == nil:
		return coerce
	case coerce == nil:
		return convert
	case convert.Eval == nil:
		return convert
	}
	name := convert.Name + " " + coerce.Name
	f := &ir.Function{Name: name, Strict: true, Partial: convert.Partial || coerce.Partial, Settings: convert.Settings, FailsOn: convert.FailsOn, Eval: func(a []ir.Value, t ir.Type) (ir.Value, error) {
		v, err := convert.Eval(a, t)
		if err != nil || v.IsNull() {
			return v, err
		}
		return coerce.Eval([]ir.Value{v}, t)
	}}
	if to.Checks() {
		f.FailsOn = []int{0}
		return f
	}
	return value.Interned(name, func() *ir.Function { return f })
}

// conversion gives the conversion between base types; nil if the value stays as it is.
func conversion(from, to *value.Type) *ir.Function {
	length := to.Length
	if to = to.Base(); from.Base().Identifier() == to.Identifier() {
		return nil
	}
	k := value.Builtin.Cast(from.Name, to.Name)
	switch {
	case k != nil && k.Method == 'f' && k.Args == "2":
		return integerToBits(from, length)
	case from.Elem != nil && to.Elem != nil:
		return arrayCast(from, to)
	case k != nil && k.Method == 'f':
		return castFunction(from, to, k)
	case k != nil && k.Method == 'b':
		return value.Relabeled(from, to)
	}
	return value.ThroughText(from, to)
}

// castFunction gives the cast by a function of the catalog.
func castFunction(from, to *value.Type, k *catalog.Cast) *ir.Function {
	arg := from.Name
	if arg == "cidr" {
		arg = "inet"
	}
	if to.Name == "oid" && from.Name == "int2" {
		return value.Relabeled(from, to)
	}
	return value.FunctionOf(k.Function+"("+arg+")", true, []*value.Type{from}, to)
}

// integerToBits gives the cast of an integer to bit(n), which takes the lowest bits.
func integerToBits(from *value.Type, n int) *ir.Function {
	to := &value.Type{Name: "bit", Length: max(n, 1)}
	return value.OwnCast(from, to, func(a []ir.Value) (ir.Value, error) {
		return value.Evaluators["bit("+from.Name+",int4)"]([]ir.Value{a[0], ir.Int(int64(to.Length))})
	})
}

// arrayCast casts each element.
func arrayCast(from, to *value.Type) *ir.Function {
	f := conversion(from.Elem, to.Elem)
	switch {
	case f == nil:
		return nil
	case f.Eval == nil:
		return value.OwnCast(from, to, nil)
	}
	return value.OwnCast(from, to, func(a []ir.Value) (ir.Value, error) {
		return value.Mapped(from, a[0], func(e ir.Value) (ir.Value, error) { return f.Eval([]ir.Value{e}, to.Elem.IR()) })
	})
}
