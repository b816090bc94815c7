package gormmodel

import (
	"go/types"
	"reflect"
)

func structTag(tag string) string { return reflect.StructTag(tag).Get("gorm") }

// isColumn reports whether values of a type go to one column.
func isColumn(t types.Type, tags map[string]string) bool {
	if tags["TYPE"] != "" || tags["SERIALIZER"] != "" || tags["JSON"] != "" || isTime(t) {
		return true
	}
	for _, name := range []string{"Value", "GormDataType", "GormValue"} {
		if hasMethod(t, name) {
			return true
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Slice:
		return isByte(u.Elem())
	case *types.Array:
		return isByte(u.Elem())
	case *types.Struct: // what time.Time is made of
		return u.NumFields() == 3 && u.Field(0).Name() == "wall" && u.Field(2).Name() == "loc"
	}
	return false
}

func isByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

func deref(t types.Type) types.Type {
	t = types.Unalias(t)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return types.Unalias(p.Elem())
	}
	return t
}

// kind gives what a basic type is: types.IsInteger and so on, 0 for other types.
func kind(t types.Type) types.BasicInfo {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return 0
	}
	for _, k := range []types.BasicInfo{types.IsInteger, types.IsFloat, types.IsString, types.IsBoolean} {
		if b.Info()&k != 0 {
			return k
		}
	}
	return 0
}

func isInteger(t types.Type) bool { return kind(deref(t)) == types.IsInteger }

func isTime(t types.Type) bool { return isNamed(t, "time", "Time") }

func isNamed(t types.Type, path, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path
}

// hasMethod reports whether values of t, or pointers to them, have a method.
func hasMethod(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	o, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), true, n.Obj().Pkg(), name)
	_, isFunc := o.(*types.Func)
	return isFunc
}
