package analyzer

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// dict is a map with texts as keys. Its cell holds *entries as long as they are
// known.
type dict struct{ c *cell }

// entries are what a map holds, in the order of the keys.
type entries struct{ list []entry }

// entry is a value in a map. when, if not nil, says whether it is there.
type entry struct {
	key  string
	v    value
	when client.Expr
}

// hiddenType is the type of cells whose contents no variable of the program has.
var hiddenType types.Type = types.Typ[types.UnsafePointer]

// makeMap makes a map whose entries are known as long as its keys are.
func (in *interp) makeMap(v *ssa.MakeMap) (value, bool) {
	m, ok := v.Type().Underlying().(*types.Map)
	if !ok || kindOf(m.Key()) != client.Text {
		return nil, false
	}
	d := &dict{in.newCell(hiddenType, "map", zeroed)}
	in.st.mem[d.c] = &entries{}
	return d, true
}

// entriesOf gives what a map holds, if that is known.
func (in *interp) entriesOf(v value) ([]entry, bool) {
	d, ok := unbox(v).(*dict)
	if !ok {
		if isNilValue(unbox(v)) {
			return nil, true
		}
		return nil, false
	}
	e, ok := in.st.mem[d.c].(*entries)
	if !ok {
		return nil, false
	}
	return e.list, true
}

// mapUpdate sets an entry of a map; k nil stands for one that is not known. It
// reports whether it is known what the map holds then.
func (in *interp) mapUpdate(m, k, v value) bool {
	d, ok := unbox(m).(*dict)
	if !ok {
		return false
	}
	for _, a := range d.c.alias {
		in.st.mem[a] = in.fresh(hiddenType, "map", unknown)
	}
	list, known := in.entriesOf(d)
	key, isConst := constOf(unbox(k))
	if !known || !isConst || key.Kind != ir.KindText {
		for _, e := range list {
			in.emitValue(e.v)
		}
		in.st.mem[d.c] = in.fresh(hiddenType, "map", unknown)
		return false
	}
	list = slices.Clone(list)
	at, found := slices.BinarySearchFunc(list, key.S, func(e entry, s string) int {
		switch {
		case e.key < s:
			return -1
		case e.key > s:
			return 1
		}
		return 0
	})
	switch {
	case v == nil && found:
		list = slices.Delete(list, at, at+1)
	case v == nil:
	case found:
		list[at] = entry{key: key.S, v: v}
	default:
		list = slices.Insert(list, at, entry{key: key.S, v: v})
	}
	in.st.mem[d.c] = &entries{list}
	return true
}

// mapLookup gives an entry of a map, with whether there is one, if that is known.
func (in *interp) mapLookup(m, k value, elem types.Type) (v value, has client.Expr, ok bool) {
	list, known := in.entriesOf(m)
	key, isConst := constOf(unbox(k))
	if _, isDict := unbox(m).(*dict); !isDict || !known || !isConst {
		return nil, nil, false
	}
	for _, e := range list {
		if e.key == key.S {
			return e.v, client.True, e.when == nil
		}
	}
	return in.zero(elem), client.False, true
}

// joinEntries joins what a map holds on several paths. An entry that is not on
// all of them gets a condition.
func (in *interp) joinEntries(edges []*edge, vals []value) (value, bool) {
	if !allOf[*entries](vals) {
		return nil, false
	}
	var keys []string
	for _, v := range vals {
		for _, e := range v.(*entries).list {
			if !slices.Contains(keys, e.key) {
				keys = append(keys, e.key)
			}
		}
	}
	slices.Sort(keys)
	out := &entries{}
	for _, k := range keys {
		var has []*entry
		var list []value
		for _, v := range vals {
			l := v.(*entries).list
			at := slices.IndexFunc(l, func(e entry) bool { return e.key == k })
			if at < 0 {
				has, list = append(has, nil), append(list, scalar{client.C(ir.Null), client.Any})
				continue
			}
			has, list = append(has, &l[at]), append(list, l[at].v)
		}
		e := entry{key: k, when: in.joinWhen(edges, func(i int) client.Expr {
			if has[i] == nil {
				return client.False
			}
			return has[i].when
		})}
		e.v = in.joinEntry(k, edges, has, list)
		out.list = append(out.list, e)
	}
	return out, true
}

// joinEntry joins the values of an entry on the paths that have it, with the type
// that they have in the map.
func (in *interp) joinEntry(name string, edges []*edge, has []*entry, list []value) value {
	var t types.Type
	var some []*edge
	var vals []value
	for i, h := range has {
		if h == nil {
			continue
		}
		if b, ok := list[i].(box); ok {
			if t == nil {
				t = b.t
			} else if !types.Identical(t, b.t) {
				t = types.NewInterfaceType(nil, nil)
			}
		}
		some, vals = append(some, edges[i]), append(vals, list[i])
	}
	v := vals[0]
	if len(some) > 1 {
		v = in.join(name, nil, some, vals)
	}
	if t != nil && !types.IsInterface(t) {
		return box{unbox(v), t}
	}
	return v
}

// joinWhen makes a condition of those on several paths; nil stands for one that
// always holds.
func (in *interp) joinWhen(edges []*edge, of func(i int) client.Expr) client.Expr {
	first := of(0)
	equal := true
	for i := range edges {
		equal = equal && sameWhen(of(i), first)
	}
	if equal {
		if isTrue(first) {
			return nil
		}
		return first
	}
	v := in.temp("has", client.Bool, false)
	for i, e := range edges {
		in.ahead(e, func() {
			w := of(i)
			if w == nil {
				w = client.True
			}
			in.set(v, w)
		})
	}
	return client.V(v)
}

func sameWhen(a, b client.Expr) bool {
	if a == nil {
		a = client.True
	}
	if b == nil {
		b = client.True
	}
	return sameExpr(a, b)
}

// joinDicts joins several maps: the result is a new one.
func (in *interp) joinDicts(edges []*edge, vals []value) (value, bool) {
	if !allOf[*dict](vals) {
		return nil, false
	}
	list := make([]value, len(vals))
	d := &dict{in.newCell(hiddenType, "map", zeroed)}
	for i, v := range vals {
		c := v.(*dict).c
		d.c.alias = append(d.c.alias, c)
		list[i] = edges[i].st.mem[c]
	}
	joined, ok := in.joinEntries(edges, list)
	if !ok {
		for i, e := range edges {
			in.ahead(e, func() { in.emitValue(vals[i]) })
		}
		joined = scalar{client.C(ir.Null), client.Any}
	}
	in.joined[d.c] = joined
	return d, true
}

func sameEntries(a, b *entries) bool {
	return slices.EqualFunc(a.list, b.list, func(x, y entry) bool {
		return x.key == y.key && sameWhen(x.when, y.when) && same(unbox(x.v), unbox(y.v))
	})
}

// mapLen gives the number of entries, if that is known.
func (in *interp) mapLen(d *dict) (client.Expr, bool) {
	list, ok := in.entriesOf(d)
	for _, e := range list {
		ok = ok && e.when == nil
	}
	return constInt(int64(len(list))), ok
}

// nextEntry gives what a range loop over a map with texts in it has next: one of
// the entries, if there is one.
func (in *interp) nextEntry(x value) (tuple, bool) {
	list, known := in.entriesOf(x)
	if _, isDict := unbox(x).(*dict); !isDict || !known || len(list) == 0 || len(list) > maxTexts {
		return nil, false
	}
	var keys, texts []string
	by := map[string][]string{}
	for _, e := range list {
		s, ok := unbox(e.v).(scalar)
		if !ok || s.kind != client.Text {
			return nil, false
		}
		in.emitExpr(s.e)
		keys, by[e.key] = append(keys, e.key), in.textsOf(s.e)
		for _, t := range by[e.key] {
			if !slices.Contains(texts, t) {
				texts = append(texts, t)
			}
		}
	}
	key := in.newVar("key", client.Text, false, unknown)
	item := in.newVar("item", client.Text, false, unknown)
	in.texts[key] = keys
	if len(texts) <= maxTexts {
		in.texts[item], in.pairs[item] = texts, pair{key, by}
	}
	more := in.newVar("more", client.Bool, false, unknown)
	return tuple{scalar{client.V(more), client.Bool}, scalar{client.V(key), client.Text}, scalar{client.V(item), client.Text}}, true
}
