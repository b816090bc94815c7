package history

import "sync"

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
		s.op[o] = noSource
		v := h.value[o]
		switch kind {
		case Read:
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
