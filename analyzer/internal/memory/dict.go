package memory

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/hole"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// Dict is a map with texts as keys. Its cell holds *entries as long as they are
// known. None, if not nil, says when the map is nil.
type Dict struct {
	C    *Cell
	None client.Expr
}

// Entries are what a map holds, in the order of the keys.
type Entries struct{ list []Entry }

// Entry is a value in a map. when, if not nil, says whether it is there.
type Entry struct {
	Key  string
	V    Value
	When client.Expr
}

// HiddenType is the type of cells whose contents no variable of the program has.
var HiddenType types.Type = types.Typ[types.UnsafePointer]

// MakeMap makes a map whose entries are known as long as its keys are.
func (in *Memory) MakeMap(v *ssa.MakeMap) (Value, bool) {
	m, ok := v.Type().Underlying().(*types.Map)
	if !ok || gotypes.KindOf(m.Key()) != client.Text {
		return nil, false
	}
	d := &Dict{C: in.NewCell(HiddenType, "map", Zeroed)}
	in.St.Mem[d.C] = &Entries{}
	return d, true
}

// NewMap makes a map with entries, in the order of their keys.
func NewMap(in *Memory, list []Entry) *Dict {
	d := &Dict{C: in.NewCell(HiddenType, "map", Zeroed)}
	in.St.Mem[d.C] = &Entries{list}
	return d
}

// EntriesOf gives what a map holds, if that is known.
func (in *Memory) EntriesOf(v Value) ([]Entry, bool) {
	d, ok := Unbox(v).(*Dict)
	if !ok {
		if IsNilValue(Unbox(v)) {
			return nil, true
		}
		return nil, false
	}
	e, ok := in.St.Mem[d.C].(*Entries)
	if !ok {
		return nil, false
	}
	var list []Entry
	for _, x := range e.list {
		if is, known := in.Known(x.When); x.When != nil && known {
			if !is {
				continue
			}
			x.When = nil
		}
		list = append(list, x)
	}
	return list, true
}

// MapUpdate sets an entry of a map; k nil stands for one that is not known. It
// reports whether it is known what the map holds then.
func (in *Memory) MapUpdate(m, k, v Value) bool {
	d, ok := Unbox(m).(*Dict)
	if !ok {
		return false
	}
	for _, a := range d.C.Alias {
		in.St.Mem[a] = in.Fresh(HiddenType, "map", Unknown)
	}
	list, known := in.EntriesOf(d)
	key, isConst := ConstOf(Unbox(k))
	if !known || !isConst || key.Kind != ir.KindText {
		for _, e := range list {
			in.EmitValue(e.V)
		}
		in.St.Mem[d.C] = in.Fresh(HiddenType, "map", Unknown)
		return false
	}
	list = slices.Clone(list)
	at, found := slices.BinarySearchFunc(list, key.S, func(e Entry, s string) int {
		switch {
		case e.Key < s:
			return -1
		case e.Key > s:
			return 1
		}
		return 0
	})
	switch {
	case v == nil && found:
		list = slices.Delete(list, at, at+1)
	case v == nil:
	case found:
		list[at] = Entry{Key: key.S, V: v}
	default:
		list = slices.Insert(list, at, Entry{Key: key.S, V: v})
	}
	in.St.Mem[d.C] = &Entries{list}
	return true
}

// MapLookup gives an entry of a map, with whether there is one, if that is known.
func (in *Memory) MapLookup(m, k Value, elem types.Type) (v Value, has client.Expr, ok bool) {
	list, known := in.EntriesOf(m)
	key, isConst := ConstOf(Unbox(k))
	if _, isDict := Unbox(m).(*Dict); !isDict || !known || !isConst {
		return nil, nil, false
	}
	for _, e := range list {
		if e.Key == key.S {
			return e.V, client.True, e.When == nil
		}
	}
	return in.Zero(elem), client.False, true
}

// MapLen gives the number of entries, if that is known.
func (in *Memory) MapLen(d *Dict) (client.Expr, bool) {
	list, ok := in.EntriesOf(d)
	for _, e := range list {
		ok = ok && e.When == nil
	}
	return ConstInt(int64(len(list))), ok
}

// NextEntry gives what a range loop over a map with texts in it has next: one of
// the entries, if there is one.
func (in *Memory) NextEntry(x Value) (Tuple, bool) {
	list, known := in.EntriesOf(x)
	if _, isDict := Unbox(x).(*Dict); !isDict || !known || len(list) == 0 || len(list) > hole.MaxTexts {
		return nil, false
	}
	var keys, texts []string
	by := map[string][]string{}
	for _, e := range list {
		s, ok := Unbox(e.V).(Scalar)
		if !ok || s.Kind != client.Text {
			return nil, false
		}
		in.EmitExpr(s.E)
		keys, by[e.Key] = append(keys, e.Key), in.TextsOf(s.E)
		for _, t := range by[e.Key] {
			if !slices.Contains(texts, t) {
				texts = append(texts, t)
			}
		}
	}
	key := in.NewVar("key", client.Text, false, Unknown)
	item := in.NewVar("item", client.Text, false, Unknown)
	in.Texts[key] = keys
	if len(texts) <= hole.MaxTexts {
		in.Texts[item], in.Pairs[item] = texts, Pair{key, by}
	}
	more := in.NewVar("more", client.Bool, false, Unknown)
	return Tuple{Scalar{client.V(more), client.Bool}, Scalar{client.V(key), client.Text}, Scalar{client.V(item), client.Text}}, true
}

// joinEntries joins what a map holds on several paths. An entry that is not on
// all of them gets a condition.
func (in *Memory) joinEntries(edges []*Edge, vals []Value) (Value, bool) {
	if !AllOf[*Entries](vals) {
		return nil, false
	}
	var keys []string
	for _, v := range vals {
		for _, e := range v.(*Entries).list {
			if !slices.Contains(keys, e.Key) {
				keys = append(keys, e.Key)
			}
		}
	}
	slices.Sort(keys)
	out := &Entries{}
	for _, k := range keys {
		var has []*Entry
		var list []Value
		for _, v := range vals {
			l := v.(*Entries).list
			at := slices.IndexFunc(l, func(e Entry) bool { return e.Key == k })
			if at < 0 {
				has, list = append(has, nil), append(list, Scalar{client.C(ir.Null), client.Any})
				continue
			}
			has, list = append(has, &l[at]), append(list, l[at].V)
		}
		e := Entry{Key: k, When: in.JoinWhen(edges, func(i int) client.Expr {
			if has[i] == nil {
				return client.False
			}
			return has[i].When
		})}
		e.V = in.joinEntry(k, edges, has, list)
		out.list = append(out.list, e)
	}
	return out, true
}

// joinEntry joins the values of an entry on the paths that have it, with the type
// that they have in the map.
func (in *Memory) joinEntry(name string, edges []*Edge, has []*Entry, list []Value) Value {
	var t types.Type
	var some []*Edge
	var vals []Value
	for i, h := range has {
		if h == nil {
			continue
		}
		if b, ok := list[i].(Box); ok {
			if t == nil {
				t = b.T
			} else if !types.Identical(t, b.T) {
				t = types.NewInterfaceType(nil, nil)
			}
		}
		some, vals = append(some, edges[i]), append(vals, list[i])
	}
	v := vals[0]
	if len(some) > 1 {
		v = in.Join(name, nil, some, vals)
	}
	if t != nil && !types.IsInterface(t) {
		return Box{Unbox(v), t}
	}
	return v
}

// joinDicts joins several maps, some of which may be nil: the result is a new one.
func (in *Memory) joinDicts(edges []*Edge, vals []Value) (Value, bool) {
	if !slices.ContainsFunc(vals, func(v Value) bool { _, ok := v.(*Dict); return ok }) ||
		slices.ContainsFunc(vals, func(v Value) bool { _, ok := v.(*Dict); return !ok && !IsNilValue(v) }) {
		return nil, false
	}
	list := make([]Value, len(vals))
	d := &Dict{C: in.NewCell(HiddenType, "map", Zeroed)}
	for i, v := range vals {
		m, ok := v.(*Dict)
		if !ok {
			list[i] = &Entries{}
			continue
		}
		c := m.C
		d.C.Alias = append(d.C.Alias, c)
		list[i] = edges[i].St.Mem[c]
	}
	joined, ok := in.joinEntries(edges, list)
	if !ok {
		for i, e := range edges {
			in.Ahead(e, func() { in.EmitValue(vals[i]) })
		}
		joined = Scalar{client.C(ir.Null), client.Any}
	}
	in.Joined[d.C] = joined
	return joinNone(in, d, edges, vals), true
}

// SameKey reports whether two keys of a context are equal, if that is known.
func SameKey(a, b Value) (equal, known bool) {
	x, ok := a.(Box)
	y, also := b.(Box)
	switch {
	case !ok || !also:
		return false, false
	case !types.Identical(x.T, y.T):
		return false, true
	case Same(x, y):
		return true, true
	}
	c, ok := ConstOf(x.V)
	d, also := ConstOf(y.V)
	return false, ok && also && c != d
}

func sameEntries(a, b *Entries) bool {
	return slices.EqualFunc(a.list, b.list, func(x, y Entry) bool {
		return x.Key == y.Key && sameWhen(x.When, y.When) && Same(Unbox(x.V), Unbox(y.V))
	})
}
