package schema

import (
	"maps"
	"slices"
)

// directory has the objects of one kind, by all the names without a schema that they ever had.
type directory[T object] map[string][]T

// object is what DDL declares with a schema and a name.
type object interface {
	comparable
	called() *Named
}

func (o *Named) called() *Named { return o }

// Name gives an object a schema and a name from some moment on.
func (d directory[T]) Name(o T, schema, name string, since moment) {
	n := o.called()
	n.Names = append(n.Names, Calling{since, schema, name})
	if !slices.Contains(d[name], o) {
		d[name] = append(d[name], o)
	}
}

// named gives the objects that have a name at a moment, in any schema.
func (d directory[T]) named(name string, m moment) []T {
	return Without(d[name], func(o T) bool {
		_, n, there := o.called().at(m)
		return !there || n != name
	})
}

// in gives the objects that have a name in a schema at a moment.
func (d directory[T]) in(schema, name string, m moment) []T {
	return Without(d[name], func(o T) bool { return !o.called().Called(schema, name, m) })
}

// InSchema gives all objects of a schema at a moment, by their names.
func (d directory[T]) InSchema(schema string, m moment) []T {
	var out []T
	for _, name := range slices.Sorted(maps.Keys(d)) {
		out = append(out, d.in(schema, name, m)...)
	}
	return out
}

// first gives the first element of a list, nothing if there is none.
func first[T any](list []T) (x T) {
	if len(list) > 0 {
		x = list[0]
	}
	return x
}
