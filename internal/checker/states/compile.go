package states

import (
	"math"
	"slices"

	"github.com/txrobust/robust/history"
)

// cell is what a key holds: the value of a register, the sum of a counter, a hash of the elements of
// a set.
type cell int64

// open is the cell of a register of which it is not known what it held initially. The first
// read decides.
const open = cell(math.MinInt64)

// demand is what a transaction found in a key when it began.
type demand struct {
	key  history.Key
	want cell
}

// effect is what a transaction leaves in a key.
type effect struct {
	key    history.Key
	how    history.Type
	amount cell
}

// apply gives what a key holds after an effect.
func (e effect) apply(c cell) cell {
	switch e.how {
	case history.Counter:
		return c + e.amount
	case history.Set:
		return c ^ e.amount
	}
	return e.amount
}

// txn is a transaction that committed, or may have.
type txn struct {
	id      history.Txn
	needs   []demand
	effects []effect // one of each key
	// optional: its outcome is unknown, so that it need not happen.
	optional bool
	// never: it read something that no state explains.
	never bool
	// blind: a snapshot and a commit in one step are as good as in two.
	blind bool
	rank  int64
}

// need adds what was found in a key. It tells whether that can be.
func (t *txn) need(d demand) bool {
	for _, n := range t.needs {
		if n.key == d.key {
			return n.want == d.want
		}
	}
	t.needs = append(t.needs, d)
	return true
}

// own is the effect of the transaction so far on a key, nil if there is none.
func (t *txn) own(k history.Key) *effect {
	if i := slices.IndexFunc(t.effects, func(e effect) bool { return e.key == k }); i >= 0 {
		return &t.effects[i]
	}
	return nil
}

// mixed is the finalizer of SplitMix64.
func mixed(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// element is what an element adds to the hash of a set.
func element(v history.Value) cell { return cell(mixed(uint64(v))) }

// initial is what a key holds initially.
func initial(h *history.History, k history.Key) cell {
	v := h.Value(history.Op(k))
	switch h.Type(k) {
	case history.Counter:
		n, _ := h.Amount(v)
		return cell(n)
	case history.Set:
		return 0
	}
	if v == history.NoValue {
		return open
	}
	return cell(v)
}

// compile says what a transaction needs and does.
func compile(h *history.History, id history.Txn, serial, exclusive bool) txn {
	t := txn{id: id, optional: h.Status(id) == history.Unknown}
	for o, end := h.Ops(id); o < end; o++ {
		t.never = t.never || !t.add(h, o)
	}
	t.blind = serial || !slices.ContainsFunc(t.needs, func(d demand) bool { return !exclusive || t.own(d.key) == nil })
	return t
}

// add adds an operation to a transaction. It tells whether that can be.
func (t *txn) add(h *history.History, o history.Op) bool {
	k, how := h.Key(o), h.Type(h.Key(o))
	own := t.own(k)
	if h.Kind(o).Writes() {
		e := effect{key: k, how: how, amount: cell(h.Value(o))}
		switch how {
		case history.Counter:
			n, _ := h.Amount(h.Value(o))
			e.amount = cell(n)
		case history.Set:
			e.amount = element(h.Value(o))
		}
		switch {
		case own == nil:
			t.effects = append(t.effects, e)
		case how == history.Register:
			own.amount = e.amount
		default:
			own.amount = e.apply(own.amount)
		}
		return true
	}
	if !h.Known(o) {
		return true
	}
	found, ok := shown(h, o)
	switch {
	case !ok:
		return false
	case own == nil:
	case how == history.Register:
		return own.amount == found
	case how == history.Counter:
		found -= own.amount
	default:
		found ^= own.amount
	}
	return t.need(demand{k, found})
}

// shown is the cell that a read returned; not ok if there is none.
func shown(h *history.History, o history.Op) (c cell, ok bool) {
	switch h.Kind(o) {
	case history.ReadCounter:
		n, ok := h.Amount(h.Value(o))
		return cell(n), ok
	case history.ReadSet:
		list := slices.Clone(h.List(o))
		slices.Sort(list)
		for i, v := range list {
			if i > 0 && v == list[i-1] {
				return 0, false
			}
			c ^= element(v)
		}
		return c, true
	}
	return cell(h.Value(o)), true
}

// unfit says why a history cannot be judged, if so.
func unfit(h *history.History) string {
	for k := range history.Key(h.NumKeys()) {
		v := h.Value(history.Op(k))
		switch h.Type(k) {
		case history.List:
			return "This method does not judge lists."
		case history.Set:
			if v != history.Initial {
				return "A set is not empty initially."
			}
		case history.Counter:
			if _, ok := h.Amount(v); !ok {
				return "It is not known what a counter was initially."
			}
		}
	}
	type addition struct {
		k history.Key
		v history.Value
	}
	added := map[addition]bool{}
	for o := history.Op(h.NumKeys()); o < history.Op(h.NumOps()); o++ { // behind those of the initial transaction
		switch {
		case h.Kind(o) == history.ReadRange && h.Known(o):
			return "This method does not judge ranges."
		case h.Version(o) != history.NoValue:
			return "The recording identifies versions, which this method does not look at."
		case h.Kind(o) == history.Add:
			a := addition{h.Key(o), h.Value(o)}
			if added[a] {
				return "An element is added to a set twice."
			}
			added[a] = true
		}
	}
	return ""
}
