package value

import (
	"math"
	"slices"

	"github.com/txrobust/robust/ir"
)

// pathChange is what happens at the end of a path.
type pathChange uint8

const (
	create pathChange = iota // replace, or add what is not there
	replaceOnly
	insertBefore
	insertAfter
	remove
)

// adds reports whether something is added where the path leads to nothing.
func (c pathChange) adds() bool { return c == create || c == insertBefore || c == insertAfter }

// changed gives the value with a change at the end of a path, which is not empty.
func (j JSON) changed(path []string, c pathChange, by JSON) (JSON, error) {
	return j.changedAt(path, 1, c, by)
}

// changedAt is changed; path is what is left of the path behind the step before
// number depth.
func (j JSON) changedAt(path []string, depth int, c pathChange, by JSON) (JSON, error) {
	switch x := j.V.(type) {
	case []JSON:
		return changedList(x, path, depth, c, by)
	case JSONObject:
		members := x.members()
		old, exists := members[path[0]]
		switch last := len(path) == 1; {
		case !exists && last && c.adds(), exists && last && (c == create || c == replaceOnly):
			members[path[0]] = by
		case exists && last && c == remove:
			delete(members, path[0])
		case exists && last:
			return j, failure("22023", "cannot replace existing key")
		case exists:
			v, err := old.changedAt(path[1:], depth+1, c, by)
			if err != nil {
				return j, err
			}
			members[path[0]] = v
		}
		return Object(members), nil
	}
	return j, nil
}

// changedList is changedAt for an array.
func changedList(list []JSON, path []string, depth int, c pathChange, by JSON) (JSON, error) {
	i, ok := arrayIndex(path[0])
	if !ok {
		return JSON{}, failure("22P02", "path element at position %d is not an integer: %q", depth, path[0])
	}
	n := int64(len(list))
	before := i < -n // the index of nothing before the list
	if i < 0 {
		i += n
	}
	if before {
		i = math.MinInt64
	}
	list = slices.Clone(list)
	last := len(path) == 1
	switch exists := i >= 0 && i < n; {
	case !exists && last && c.adds() && (before || n == 0):
		list = append([]JSON{by}, list...)
	case !exists && last && c.adds():
		list = append(list, by)
	case !exists:
	case !last:
		v, err := list[i].changedAt(path[1:], depth+1, c, by)
		if err != nil {
			return JSON{}, err
		}
		list[i] = v
	case c == insertBefore:
		list = slices.Insert(list, int(i), by)
	case c == insertAfter:
		list = slices.Insert(list, int(i)+1, by)
	case c == remove:
		list = slices.Delete(list, int(i), int(i)+1)
	default:
		list[i] = by
	}
	return JSON{list}, nil
}

// size is the number of parts.
func (j JSON) size() int {
	switch x := j.V.(type) {
	case []JSON:
		return len(x)
	case JSONObject:
		return len(x)
	}
	return 1
}

// optional gives a truth value of a call that may be left out.
func optional(a []ir.Value, n int, otherwise bool) bool {
	if n < len(a) {
		return a[n].IsTrue()
	}
	return otherwise
}

// withPath is a function that changes a jsonb at the end of the path a[1].
func withPath(what func(a []ir.Value) pathChange) evaluator {
	return ofJSON(func(j JSON, a []ir.Value) (ir.Value, error) {
		c := what(a)
		var by JSON
		if c != remove {
			var err error
			if by, err = jsonOf(a[2]); err != nil {
				return ir.Null, err
			}
		}
		path := pathOf(a[1:2])
		switch {
		case j.isScalar():
			return ir.Null, failure("22023", "cannot change a path in scalar")
		case len(path) == 0, j.size() == 0 && !c.adds():
			return a[0], nil
		}
		out, err := j.changed(path, c, by)
		if err != nil {
			return ir.Null, err
		}
		return out.Value(), nil
	})
}

// without takes keys of an object, or elements of an array that are such strings,
// away.
func (j JSON) without(keys []string) (JSON, error) {
	switch x := j.V.(type) {
	case []JSON:
		return JSON{slices.DeleteFunc(slices.Clone(x), func(e JSON) bool {
			s, ok := e.V.(string)
			return ok && slices.Contains(keys, s)
		})}, nil
	case JSONObject:
		return JSON{slices.DeleteFunc(slices.Clone(x), func(m JSONMember) bool { return slices.Contains(keys, m.Key) })}, nil
	}
	return j, failure("22023", "cannot delete from scalar")
}

func init() {
	set := withPath(func(a []ir.Value) pathChange {
		if optional(a, 3, true) {
			return create
		}
		return replaceOnly
	})
	insert := withPath(func(a []ir.Value) pathChange {
		if optional(a, 3, false) {
			return insertAfter
		}
		return insertBefore
	})
	deleteKeys := ofJSON(func(j JSON, a []ir.Value) (ir.Value, error) {
		keys := slices.DeleteFunc(slices.Clone(a[1:]), ir.Value.IsNull)
		out, err := j.without(pathOf(keys))
		if err != nil {
			return ir.Null, err
		}
		return out.Value(), nil
	})
	deletePath := withPath(func([]ir.Value) pathChange { return remove })
	define(map[string]evaluator{
		"jsonb_set(jsonb,_text,jsonb,bool)":    set,
		"jsonb_insert(jsonb,_text,jsonb,bool)": insert,
		"jsonb_delete_path(jsonb,_text)":       deletePath,
		"jsonb_delete(jsonb,text)":             deleteKeys,
		"jsonb_delete(jsonb,_text)":            deleteKeys,
		"jsonb_delete(jsonb,int4)": ofJSON(func(j JSON, a []ir.Value) (ir.Value, error) {
			list, ok := j.V.([]JSON)
			if !ok {
				return ir.Null, failure("22023", "cannot delete from object or scalar using integer index")
			}
			i := a[1].I
			if i < 0 {
				i += int64(len(list))
			}
			if i < 0 || i >= int64(len(list)) {
				return a[0], nil
			}
			return JSON{slices.Delete(list, int(i), int(i)+1)}.Value(), nil
		}),
		"jsonb_set_lax(jsonb,_text,jsonb,bool,text)": func(a []ir.Value) (ir.Value, error) { return setLax(a, set, deletePath) },
	})
}

// setLax is jsonb_set_lax, which says what a new value of NULL means.
func setLax(a []ir.Value, set, deletePath evaluator) (ir.Value, error) {
	treatment := ir.Text("use_json_null")
	if len(a) > 4 {
		treatment = a[4]
	}
	if a[0].IsNull() || a[1].IsNull() || len(a) > 3 && a[3].IsNull() {
		return ir.Null, nil
	}
	if treatment.IsNull() {
		return ir.Null, failure("22023", "null_value_treatment must not be null")
	}
	given := a[:min(len(a), 4)]
	if !a[2].IsNull() {
		return set(given)
	}
	switch treatment.S {
	case "raise_exception":
		return ir.Null, failure("22004", "JSON value must not be null")
	case "use_json_null":
		given = slices.Clone(given)
		given[2] = JSON{}.Value()
		return set(given)
	case "delete_key":
		return deletePath(a[:2])
	case "return_target":
		return a[0], nil
	}
	return ir.Null, failure("22023", "invalid null_value_treatment")
}
