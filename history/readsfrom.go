package history

import (
	"math/bits"
	"runtime"
	"sync"
)

// lazy is what is computed on first demand.
type lazy struct {
	sourcesOnce sync.Once
	sources     *Sources
	writersOnce sync.Once
	writers     *Writers
}

// Sources tells for every read which writes it may come from (the WR edges,
// before anything is known about levels): all operations of the history,
// whatever their transaction and its status, that wrote what was read to that
// key. Where the recording identifies versions the identity decides, otherwise
// the value. None is a read out of thin air; several are duplicate values, and
// the WR edge is a choice.
type Sources struct {
	h *History
	// The source of each operation: itself, or none, or ^(index of choice).
	// The same for the elements of lists and the rows of ranges.
	op, element, row []Op
	choices          [][]Op
	duplicates       bool
}

const noSource Op = -1 << 31

// several tells whether a source is a choice.
func several(w Op) bool { return noSource < w && w < 0 }

// Sources gives the index of reads, built once for all callers.
func (h *History) Sources() *Sources {
	h.sourcesOnce.Do(func() { h.sources = newSources(h) })
	return h.sources
}

// Of gives the writes that a Read may come from, in order; none for other
// operations and for results that are not known.
// The caller must not change it.
func (s *Sources) Of(o Op) []Op { return s.at(s.op, int(o)) }

// Element gives the writes that element i of what a ReadList or ReadSet returned
// may come from.
func (s *Sources) Element(o Op, i int) []Op {
	return s.at(s.element, int(s.h.listFirst[s.h.value[o]])+i)
}

// Row gives the writes that row i of what a ReadRange returned may come from;
// the dead rows follow the live ones.
func (s *Sources) Row(o Op, i int) []Op { return s.at(s.row, int(s.h.ranges[s.h.value[o]].first)+i) }

// One is the write that a Read must come from, if there is just one.
func (s *Sources) One(o Op) (w Op, ok bool) { w = s.op[o]; return w, w >= 0 }

// Duplicates tells whether some read has several sources.
func (s *Sources) Duplicates() bool { return s.duplicates }

func (s *Sources) at(column []Op, i int) []Op {
	switch w := column[i]; {
	case w >= 0:
		return column[i : i+1 : i+1]
	case w == noSource:
		return nil
	default:
		return s.choices[^w]
	}
}

func newSources(h *History) *Sources {
	s := &Sources{h: h, op: make([]Op, len(h.kind)), element: make([]Op, len(h.elements)), row: make([]Op, len(h.rowKeys))}
	for o := range s.op {
		s.op[o] = noSource
	}
	// Registers alone, without identities, are what large histories have.
	if h.version == nil {
		s.registers()
		if len(h.elements) == 0 && len(h.rowKeys) == 0 {
			return s
		}
	}
	byValue := newVersions(h, h.value, &s.choices)
	var byIdentity *versions
	if h.version != nil {
		byIdentity = newVersions(h, h.version, &s.choices)
	}
	find := func(x *versions, k Key, v Value) Op {
		w := x.find(k, v)
		s.duplicates = s.duplicates || several(w)
		return w
	}
	for o, kind := range h.kind {
		v := h.value[o]
		switch kind {
		case Read:
			if h.version == nil {
				continue // done
			}
			if id := h.Version(Op(o)); id != NoValue {
				s.op[o] = find(byIdentity, h.key[o], id)
			} else if v != NoValue {
				s.op[o] = find(byValue, h.key[o], v)
			}
		case ReadList, ReadSet:
			if v < 0 {
				continue
			}
			at := h.listFirst[v]
			for i := at; i < at+uint32(h.listLen[v]); i++ {
				if s.element[i] == 0 { // otherwise done: the list is shared
					s.element[i] = find(byValue, h.key[o], h.elements[i])
				}
			}
		case ReadRange:
			if v < 0 {
				continue
			}
			r := h.ranges[v]
			for i := r.first; i < r.first+uint32(r.live+r.dead); i++ {
				s.row[i] = find(byValue, h.rowKeys[i], h.rowValues[i])
			}
		}
	}
	return s
}

// registers finds the sources of all reads of registers, by value. It goes
// through the operations key by key, so that what it looks up is in the cache.
func (s *Sources) registers() {
	h := s.h
	takes := func(o int) bool {
		k := h.kind[o]
		return (k == Read || typeOf[k] == Register && k.Writes()) && h.value[o] != NoValue
	}
	first := make([]int32, len(h.types)+1)
	for o := range h.kind {
		if takes(o) {
			first[h.key[o]+1]++
		}
	}
	for k := range h.types {
		first[k+1] += first[k]
	}
	// Of each operation its value, its number, and whether it writes.
	packed := make([]uint64, first[len(h.types)])
	next := append([]int32(nil), first...)
	for o := range h.kind {
		if takes(o) {
			k := h.key[o]
			w := uint64(0)
			if h.kind[o] != Read {
				w = 1
			}
			packed[next[k]] = uint64(uint32(h.value[o]))<<32 | uint64(o)<<1 | w
			next[k]++
		}
	}
	// Stretches of keys at a time; the choices of each are numbered for themselves
	// at first.
	bounds := keyStretches(first)
	choices := make([][][]Op, len(bounds)-1)
	duplicates := make([]bool, len(choices))
	var wg sync.WaitGroup
	for i := range choices {
		wg.Go(func() {
			t := valueTable{s: s}
			for k := bounds[i]; k < bounds[i+1]; k++ {
				t.key(packed[first[k]:first[k+1]])
			}
			choices[i], duplicates[i] = t.choices, t.duplicates
		})
	}
	wg.Wait()
	for i, c := range choices {
		base := len(s.choices)
		s.choices = append(s.choices, c...)
		s.duplicates = s.duplicates || duplicates[i]
		if base == 0 || len(c) == 0 {
			continue
		}
		for _, p := range packed[first[bounds[i]]:first[bounds[i+1]]] {
			if o := packedOp(p); p&1 == 0 && several(s.op[o]) {
				s.op[o] -= Op(base)
			}
		}
	}
}

// keyStretches divides the keys among the processors, by operations: first are
// the numbers of their first ones.
func keyStretches(first []int32) []int {
	keys, total := len(first)-1, int64(first[len(first)-1])
	const few = 1 << 17 // too few to start goroutines for
	workers := 1
	if total >= few {
		workers = min(runtime.GOMAXPROCS(0), 8)
	}
	bounds := []int{0}
	for i := 1; i < workers; i++ {
		k := bounds[i-1]
		for k < keys && int64(first[k]) < total*int64(i)/int64(workers) {
			k++
		}
		bounds = append(bounds, k)
	}
	return append(bounds, keys)
}

func packedOp(p uint64) Op { return Op(uint32(p) >> 1) }

// valueTable finds what writes the values of one key after the other.
type valueTable struct {
	s          *Sources
	slots      []uint64 // 1 + value, and the source
	choices    [][]Op
	duplicates bool
}

// key takes the packed operations of a key.
func (x *valueTable) key(ops []uint64) {
	writes := 0
	for _, p := range ops {
		writes += int(p & 1)
	}
	size := bits.Len(uint(writes + writes/2 + 1))
	if len(x.slots) < 1<<size {
		x.slots = make([]uint64, 1<<size)
	}
	t := x.slots[:1<<size]
	clear(t)
	place := func(p uint64) int {
		i := int(p >> 32 * 0x9e3779b97f4a7c15 >> (64 - size))
		for t[i] != 0 && t[i]>>32 != p>>32+1 {
			if i++; i == len(t) {
				i = 0
			}
		}
		return i
	}
	for _, p := range ops {
		if p&1 == 0 {
			continue
		}
		i, o := place(p), packedOp(p)
		source := o
		if t[i] != 0 {
			if source = Op(uint32(t[i])); several(source) {
				x.choices[^source] = append(x.choices[^source], o)
			} else {
				x.choices = append(x.choices, []Op{source, o})
				source = Op(^(len(x.choices) - 1))
			}
		}
		t[i] = (p>>32+1)<<32 | uint64(uint32(source))
	}
	for _, p := range ops {
		if p&1 != 0 {
			continue
		}
		if i := place(p); t[i] != 0 {
			source := Op(uint32(t[i]))
			x.s.op[packedOp(p)] = source
			x.duplicates = x.duplicates || several(source)
		}
	}
}
