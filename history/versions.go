package history

import "math/bits"

// versions is a hash table of what was written: from key and value, or key and
// identity, to the operation. Open addressing keeps it at 12 bytes a slot.
type versions struct {
	shift   uint
	slots   []uint64 // 1 + key and value; 0 is empty
	ops     []Op
	choices *[][]Op
}

// newVersions indexes the writes that reads return, by a column of values or
// identities. Several writes of one value become a choice.
func newVersions(h *History, column []Value, choices *[][]Op) *versions {
	n := 0
	for _, kind := range h.kind {
		if returned(kind) {
			n++
		}
	}
	size := bits.Len(uint(n + n/2 + 1))
	x := &versions{shift: uint(64 - size), slots: make([]uint64, 1<<size), ops: make([]Op, 1<<size), choices: choices}
	for o, kind := range h.kind {
		if !returned(kind) || column[o] == NoValue {
			continue
		}
		if o < len(h.types) && h.types[h.key[o]] != Register {
			continue // an empty list or set has no element
		}
		x.add(slot(h.key[o], column[o]), Op(o))
	}
	return x
}

// returned tells whether reads return what operations of this kind write.
// Increments have no identity.
func returned(k Kind) bool { return k.Writes() && k != Increment }

func slot(k Key, v Value) uint64 { return uint64(uint32(k))<<32 | uint64(uint32(v)) + 1 }

// place is the slot that holds the key, or the empty one where it belongs.
func (x *versions) place(key uint64) int {
	// Multiplication by the golden ratio spreads consecutive values.
	i := int(key * 0x9e3779b97f4a7c15 >> x.shift)
	for x.slots[i] != 0 && x.slots[i] != key {
		if i++; i == len(x.slots) {
			i = 0
		}
	}
	return i
}

func (x *versions) add(key uint64, o Op) {
	i := x.place(key)
	if x.slots[i] == 0 {
		x.slots[i], x.ops[i] = key, o
		return
	}
	if w := x.ops[i]; several(w) {
		(*x.choices)[^w] = append((*x.choices)[^w], o)
	} else {
		*x.choices = append(*x.choices, []Op{w, o})
		x.ops[i] = Op(^(len(*x.choices) - 1))
	}
}

func (x *versions) find(k Key, v Value) Op {
	i := x.place(slot(k, v))
	if x.slots[i] == 0 {
		return noSource
	}
	return x.ops[i]
}

// Writers tells which operations wrote a key.
type Writers struct {
	first []int32
	ops   []Op
	final []bool
}

// Writers gives the index of writes, built once for all callers.
func (h *History) Writers() *Writers {
	h.writersOnce.Do(func() { h.writers = newWriters(h) })
	return h.writers
}

// Of gives all operations that write a key, whatever their transaction and its
// status, in order: the initial write first. The caller must not change it.
func (w *Writers) Of(k Key) []Op { return w.ops[w.first[k]:w.first[k+1]:w.first[k+1]] }

// Final tells whether an operation is the last of its transaction that writes
// its key: the only version that others may read.
func (w *Writers) Final(o Op) bool { return w.final[o] }

func newWriters(h *History) *Writers {
	keys := h.NumKeys()
	w := &Writers{first: make([]int32, keys+1), final: make([]bool, len(h.kind))}
	n := 0
	for o, kind := range h.kind {
		if kind.Writes() {
			w.first[h.key[o]+1]++
			n++
		}
	}
	for k := range keys {
		w.first[k+1] += w.first[k]
	}
	w.ops = make([]Op, n)
	at := append([]int32(nil), w.first...)
	seen := make([]Txn, keys) // the last transaction that wrote the key, from the end
	for k := range seen {
		seen[k] = -1
	}
	for o, kind := range h.kind {
		if kind.Writes() {
			k := h.key[o]
			w.ops[at[k]] = Op(o)
			at[k]++
		}
	}
	for o := len(h.kind) - 1; o >= 0; o-- {
		if h.kind[o].Writes() {
			k := h.key[o]
			w.final[o], seen[k] = seen[k] != h.txn[o], h.txn[o]
		}
	}
	return w
}
