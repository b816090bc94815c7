package schedules

import (
	"math/big"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// maxShrinks bounds the situations that are tried to make one smaller, and maxFollowed
// the runs that this takes where each is compared with the serial orders of many calls.
const (
	maxShrinks  = 1200
	maxFollowed = 30_000
)

// shrinker makes an anomaly smaller: fewer calls, rows and delays, then simpler
// values. Every step is confirmed.
type shrinker struct {
	s    *search
	f    *found
	left int
}

func (s *search) shrink(f *found) {
	k := &shrinker{s, f, maxShrinks}
	s.followed = 0
	if f.o.Cut == 0 {
		k.dropCalls()
		k.simplerOrder()
	}
	k.dropRows()
	k.reparent()
	k.dropRows()
	k.rename()
	k.flatten()
	k.rename()
	k.cells()
	k.dropRows()
	k.trimHavocs()
}

// try takes a smaller anomaly if it is one.
func (k *shrinker) try(sit *situation, list ...Order) bool {
	if k.left <= 0 || k.s.followed > maxFollowed || k.s.ctx.Err() != nil {
		return false
	}
	k.left--
	k.s.stats.Shrinks++
	if !k.s.possible(sit) {
		return false
	}
	j := k.s.judge(sit)
	for _, o := range list {
		if v, _, _ := j.decide(o); v == anomalous {
			k.f.sit, k.f.o = sit, o
			return true
		}
	}
	return false
}

// change tries the situation with a change made by f, which reports whether
// there was anything to change.
func (k *shrinker) change(f func(sit *situation) bool) bool {
	sit := k.f.sit.clone()
	return f(sit) && k.try(sit, k.f.o)
}

// orders gives all orders of a situation's calls.
func (k *shrinker) orders(calls []*Call) []Order {
	session, kind := make([]int, len(calls)), make([]int, len(calls))
	for i, c := range calls {
		session[i], kind[i] = c.Session, i
	}
	list, _ := orders(session, kind, 0, defaultOrders)
	return list
}

// dropCalls leaves out calls, in the order as it is or in any other.
func (k *shrinker) dropCalls() {
	for pos := 0; pos < len(k.f.o.Commits); {
		if len(k.f.o.Commits) == 2 {
			return
		}
		c := k.f.o.Commits[pos]
		sit := k.f.sit.clone()
		sit.calls = slices.Delete(sit.calls, c, c+1)
		list := []Order{k.f.o.without(pos)}
		if len(sit.calls) <= MaxCalls {
			list = append(list, k.orders(sit.calls)...)
		}
		if k.try(sit, list...) {
			pos = 0
		} else {
			pos++
		}
	}
}

// simplerOrder finds an order with fewer or shorter delays for the same values,
// or an expected one.
func (k *shrinker) simplerOrder() {
	if len(k.f.sit.calls) == len(k.s.calls) && k.s.builders == 0 && k.try(k.f.sit, k.s.q.Expected...) {
		return
	}
	delayed, delay := k.f.o.delayed()
	list := slices.DeleteFunc(k.orders(k.f.sit.calls), func(o Order) bool {
		d, n := o.delayed()
		return d > delayed || d == delayed && n >= delay
	})
	if len(list) > 0 {
		k.try(k.f.sit, list...)
	}
}

// dropRows leaves out rows, children before their parents.
func (k *shrinker) dropRows() {
	if k.s.opt.Init != AnyRows {
		return
	}
	for _, t := range slices.Backward(k.s.parentsFirst) {
		if k.s.program.Tables[t].Var {
			continue
		}
		for r := 0; r < len(k.f.sit.rows[t]); {
			if !k.change(func(sit *situation) bool {
				sit.rows[t] = slices.Delete(sit.rows[t], r, r+1)
				return true
			}) {
				r++
			}
		}
	}
}

// cell is a place of a value.
type cell struct {
	v *ir.Value
	// typ is its type, key says that it identifies something: simple identities
	// count from one, other simple values from zero.
	typ valueType
	key bool
	// class identifies the sort of values it holds; nil for elements of
	// arrays.
	class any
}

// visit goes through the values that may be chosen.
func (k *shrinker) visit(sit *situation, f func(cell)) {
	if k.s.opt.Init == AnyRows {
		for i, t := range k.s.program.Tables {
			for _, row := range sit.rows[i] {
				for c := range row {
					if t.Columns[c].Generated == nil {
						f(k.rowCell(t, row, c))
					}
				}
			}
		}
	}
	for _, call := range sit.calls {
		for i, p := range call.Txn.Params {
			f(cell{&call.Params[i], valueType{p.Type, p.Domain}, true, k.s.code.LocalClass(k.s.twin[call.Txn], p.Name)})
		}
		for _, site := range k.s.havocs[call.Txn] {
			t := k.s.types[site]
			for i := range call.Havocs[site] {
				f(cell{&call.Havocs[site][i], t, false, k.s.code.LocalClass(k.s.twin[call.Txn], site.Var)})
			}
		}
	}
}

func (k *shrinker) rowCell(t *ir.Table, row []ir.Value, c int) cell {
	key := t.IsKey(c)
	for _, fk := range t.ForeignKeys {
		key = key || slices.Contains(fk.Columns, c)
	}
	return cell{&row[c], columnType(t, c), key, k.s.code.ColumnClass(t, c)}
}

// simple gives the simplest values of a type, identities counted from one.
func (k *shrinker) simple(s valueType, key bool) []ir.Value {
	list := k.ofType(s.t, key)
	if s.d == nil {
		return list
	}
	if list = slices.DeleteFunc(list, func(v ir.Value) bool { return !s.d.Fits(v) }); len(list) < 2 {
		list = s.samples(6)
	}
	return list
}

// ofType is simple for all values of a type.
func (k *shrinker) ofType(t ir.Type, key bool) []ir.Value {
	var out []ir.Value
	first := int64(0)
	if key {
		first = 1
	}
	for i := first; i < first+6; i++ {
		switch t.Kind {
		case ir.KindInt:
			out = append(out, ir.Int(i))
		case ir.KindNum:
			out = append(out, ir.Num(big.NewRat(i, 1)))
		case ir.KindTime:
			out = append(out, moment(i))
		case ir.KindText:
			out = append(out, ir.Text(letters(int(i-first))))
		case ir.KindOpaque:
			out = append(out, ir.Opaque(letters(int(i-first))))
		}
	}
	if t.Kind == ir.KindBool {
		out = append(out, ir.Bool(false), ir.Bool(true))
	}
	out = slices.DeleteFunc(out, func(v ir.Value) bool { return !inDomain(k.s.program, v) })
	if key && t.Kind == ir.KindInt && inDomain(k.s.program, ir.Int(0)) {
		out = append(out, ir.Int(0))
	}
	return out
}

// name is a value together with the class of the cells that hold it, or with
// everyone's if all is true.
type name struct {
	v     ir.Value
	class any
	all   bool
}

// use is how a name is used.
type use struct {
	name
	s   valueType
	key bool
}

// each goes through values, those inside arrays included, and replaces them.
func (k *shrinker) each(sit *situation, f func(v ir.Value, s valueType, key bool, class any) ir.Value) {
	k.visit(sit, func(c cell) {
		switch {
		case c.v.IsNull():
		case c.typ.t.Kind == ir.KindArray:
			elems := c.v.Elems(c.typ.t.Elem)
			for i, e := range elems {
				elems[i] = f(e, valueType{t: ir.Type{Kind: c.typ.t.Elem}}, true, nil)
			}
			*c.v = ir.Array(elems)
		default:
			*c.v = f(*c.v, c.typ, c.key, c.class)
		}
	})
}

// uses lists the values in use, by class or (all) only by value, in order.
func (k *shrinker) uses(all bool) []use {
	var list []use
	k.each(k.f.sit, func(v ir.Value, s valueType, key bool, class any) ir.Value {
		n := name{v, class, all}
		if all {
			n.class = nil
		}
		for i := range list {
			if list[i].name == n {
				list[i].key = list[i].key || key
				return v
			}
		}
		list = append(list, use{n, s, key})
		return v
	})
	slices.SortStableFunc(list, func(a, b use) int {
		if a.v.Kind != b.v.Kind {
			return int(a.v.Kind) - int(b.v.Kind)
		}
		return ir.Compare(a.v, b.v)
	})
	return list
}

// rename replaces values wherever they are, so that equal ones stay equal:
// first all of a kind at once, in their order; then one by one, everywhere, and
// then in the cells of one class.
func (k *shrinker) rename() {
	by := map[name]ir.Value{}
	count := map[ir.Kind]int{}
	for _, u := range k.uses(true) {
		if list := k.simple(u.s, u.key); count[u.v.Kind] < len(list) && u.v.Kind != ir.KindBool {
			by[u.name] = list[count[u.v.Kind]]
		}
		count[u.v.Kind]++
	}
	k.change(func(sit *situation) bool { return k.replace(sit, by) })
	for _, all := range []bool{true, false} {
		for _, u := range k.uses(all) {
			for _, v := range k.simple(u.s, u.key) {
				if v == u.v || k.change(func(sit *situation) bool { return k.replace(sit, map[name]ir.Value{u.name: v}) }) {
					break
				}
				// What is in arrays may be of the same class.
				if !all && k.change(func(sit *situation) bool {
					return k.replace(sit, map[name]ir.Value{u.name: v, {u.v, nil, false}: v})
				}) {
					break
				}
			}
		}
	}
}

// replace substitutes values, and reports whether anything changed. Rows that
// get one key become one row.
func (k *shrinker) replace(sit *situation, by map[name]ir.Value) bool {
	changed := false
	k.each(sit, func(v ir.Value, _ valueType, _ bool, class any) ir.Value {
		w, ok := by[name{v, nil, true}]
		if !ok {
			w, ok = by[name{v, class, false}]
		}
		if !ok || w == v {
			return v
		}
		changed = true
		return w
	})
	for i, t := range k.s.program.Tables {
		seen := map[string]bool{}
		if changed && !t.Var && k.s.opt.Init == AnyRows {
			sit.rows[i] = slices.DeleteFunc(sit.rows[i], func(row []ir.Value) bool {
				key := keyText(t, row)
				double := seen[key]
				seen[key] = true
				return double
			})
		}
	}
	return changed
}

// reparent lets children refer to an earlier parent, so that the other one may
// go.
func (k *shrinker) reparent() {
	if k.s.opt.Init != AnyRows {
		return
	}
	for i, t := range k.s.program.Tables {
		for _, fk := range t.ForeignKeys {
			ref := k.s.program.TableIndex(fk.Ref)
			for r := range k.f.sit.rows[i] {
				for to := range k.f.sit.rows[ref] {
					same := true
					k.change(func(sit *situation) bool {
						row := sit.rows[i][r]
						for n, c := range fk.Columns {
							v := sit.rows[ref][to][fk.RefColumns[n]]
							same = same && row[c] == v
							row[c] = v
						}
						return !same
					})
					if same {
						break
					}
				}
			}
		}
	}
}

// simplest gives the simplest value of a cell, or its own where there is none.
func (k *shrinker) simplest(c cell) ir.Value {
	if list := k.simple(c.typ, c.key); len(list) > 0 {
		return list[0]
	}
	return *c.v
}

// flatten makes the columns that are no keys simple, for all rows of a table
// at once.
func (k *shrinker) flatten() {
	if k.s.opt.Init != AnyRows {
		return
	}
	for i, t := range k.s.program.Tables {
		k.change(func(sit *situation) bool {
			changed := false
			for _, row := range sit.rows[i] {
				for c := range row {
					if x := k.rowCell(t, row, c); !x.key && t.Columns[c].Generated == nil {
						v := k.simplest(x)
						changed = changed || v != *x.v
						*x.v = v
					}
				}
			}
			return changed
		})
	}
}

// cells makes single values simple.
func (k *shrinker) cells() {
	n := 0
	k.visit(k.f.sit, func(cell) { n++ })
	for i := 0; i < n; i++ {
		for choice := 0; ; choice++ {
			more := false
			done := k.change(func(sit *situation) bool {
				at, changed := 0, false
				k.visit(sit, func(c cell) {
					if at == i {
						if v, ok := k.simpler(c, choice); ok {
							*c.v, changed, more = v, true, true
						}
					}
					at++
				})
				return changed
			})
			if done || !more {
				break
			}
		}
	}
}

// simpler gives the n-th simpler value for a cell.
func (k *shrinker) simpler(c cell, n int) (ir.Value, bool) {
	var list []ir.Value
	if c.typ.t.Kind == ir.KindArray {
		if c.v.IsNull() {
			return ir.Array(nil), n == 0
		}
		elems := c.v.Elems(c.typ.t.Elem)
		for i := range elems {
			list = append(list, ir.Array(slices.Delete(slices.Clone(elems), i, i+1)))
		}
	} else {
		for i, v := range k.simple(c.typ, c.key) {
			if v == *c.v || i == 3 {
				break
			}
			list = append(list, v)
		}
	}
	if n < len(list) {
		return list[n], true
	}
	return ir.Null, false
}

// trimHavocs leaves out values that are those of a havoc that was not chosen.
func (k *shrinker) trimHavocs() {
	for _, c := range k.f.sit.calls {
		for _, site := range k.s.havocs[c.Txn] {
			list := c.Havocs[site]
			for len(list) > 0 && list[len(list)-1] == k.s.zeroOf(c.Txn, site.Var) {
				list = list[:len(list)-1]
			}
			if len(list) == 0 {
				delete(c.Havocs, site)
			} else {
				c.Havocs[site] = list
			}
		}
	}
}
