package builtin

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// optional gives a truth value of a call that may be left out.
func optional(a []ir.Value, n int, otherwise bool) bool {
	if n < len(a) {
		return a[n].IsTrue()
	}
	return otherwise
}

// withPath is a function that changes a jsonb at the end of the path a[1].
func withPath(what func(a []ir.Value) value.PathChange) value.Evaluator {
	return ofJSON(func(j value.JSON, a []ir.Value) (ir.Value, error) {
		c := what(a)
		var by value.JSON
		if c != value.Remove {
			var err error
			if by, err = value.JSONOf(a[2]); err != nil {
				return ir.Null, err
			}
		}
		path := pathOf(a[1:2])
		switch {
		case j.IsScalar():
			return ir.Null, value.Failure("22023", "cannot change a path in scalar")
		case len(path) == 0, j.Size() == 0 && !c.Adds():
			return a[0], nil
		}
		out, err := j.Changed(path, c, by)
		if err != nil {
			return ir.Null, err
		}
		return out.Value(), nil
	})
}

func init() {
	set := withPath(func(a []ir.Value) value.PathChange {
		if optional(a, 3, true) {
			return value.Create
		}
		return value.ReplaceOnly
	})
	insert := withPath(func(a []ir.Value) value.PathChange {
		if optional(a, 3, false) {
			return value.InsertAfter
		}
		return value.InsertBefore
	})
	deleteKeys := ofJSON(func(j value.JSON, a []ir.Value) (ir.Value, error) {
		keys := slices.DeleteFunc(slices.Clone(a[1:]), ir.Value.IsNull)
		out, err := j.Without(pathOf(keys))
		if err != nil {
			return ir.Null, err
		}
		return out.Value(), nil
	})
	deletePath := withPath(func([]ir.Value) value.PathChange { return value.Remove })
	value.Define(map[string]value.Evaluator{
		"jsonb_set(jsonb,_text,jsonb,bool)":    set,
		"jsonb_insert(jsonb,_text,jsonb,bool)": insert,
		"jsonb_delete_path(jsonb,_text)":       deletePath,
		"jsonb_delete(jsonb,text)":             deleteKeys,
		"jsonb_delete(jsonb,_text)":            deleteKeys,
		"jsonb_delete(jsonb,int4)": ofJSON(func(j value.JSON, a []ir.Value) (ir.Value, error) {
			list, ok := j.V.([]value.JSON)
			if !ok {
				return ir.Null, value.Failure("22023", "cannot delete from object or scalar using integer index")
			}
			i := a[1].I
			if i < 0 {
				i += int64(len(list))
			}
			if i < 0 || i >= int64(len(list)) {
				return a[0], nil
			}
			return value.JSON{V: slices.Delete(list, int(i), int(i)+1)}.Value(), nil
		}),
		"jsonb_set_lax(jsonb,_text,jsonb,bool,text)": func(a []ir.Value) (ir.Value, error) { return setLax(a, set, deletePath) },
	})
}

// setLax is jsonb_set_lax, which says what a new value of NULL means.
func setLax(a []ir.Value, set, deletePath value.Evaluator) (ir.Value, error) {
	treatment := ir.Text("use_json_null")
	if len(a) > 4 {
		treatment = a[4]
	}
	if a[0].IsNull() || a[1].IsNull() || len(a) > 3 && a[3].IsNull() {
		return ir.Null, nil
	}
	if treatment.IsNull() {
		return ir.Null, value.Failure("22023", "null_value_treatment must not be null")
	}
	given := a[:min(len(a), 4)]
	if !a[2].IsNull() {
		return set(given)
	}
	switch treatment.S {
	case "raise_exception":
		return ir.Null, value.Failure("22004", "JSON value must not be null")
	case "use_json_null":
		given = slices.Clone(given)
		given[2] = value.JSON{}.Value()
		return set(given)
	case "delete_key":
		return deletePath(a[:2])
	case "return_target":
		return a[0], nil
	}
	return ir.Null, value.Failure("22023", "invalid null_value_treatment")
}
