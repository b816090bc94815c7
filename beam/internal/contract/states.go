package contract

import (
	"github.com/txrobust/robust/history"
)

// keyState is what a window needs to know of a key from the transactions around it.
type keyState struct {
	key  string
	list bool
	// first is the initial version of the history, before the one that the window
	// begins with: a value, or the elements of a list.
	first  string
	before []string
	// closing is what is read after the window, of the elements of a list those that the
	// window appended.
	closing []string
	closes  bool
	// outside are values that are read in the window and were written outside of it.
	outside []string
	// source is the first transaction that the window reads from.
	source Pos
	reads  bool
}

const (
	bodyRecord  = 'b'
	stateRecord = 'k'
)

// states hands the states of a key to the windows that touch it.
func (j *Job) states(k *keyed, out *batches) {
	k.resolve()
	reads, writes := map[int]bool{}, map[int]bool{}
	for i := range k.reads {
		if w := j.window(k.reads[i].at); w >= 0 {
			reads[w] = true
		}
	}
	for i := range k.writes {
		if w := j.window(k.writes[i].at); w >= 0 {
			reads[w] = true
			writes[w] = writes[w] || k.writes[i].status != history.Aborted
		}
	}
	for _, w := range sortedKeys(reads) {
		s := k.state(j.Windows[w], func(p Pos) bool { return j.window(p) == w })
		s.closes = s.closes && writes[w] && !j.Whole
		s.encode(out.to(j.Parts + w))
	}
}

// state finds what a window needs to know. inside tells which transactions are in it.
func (k *keyed) state(w Interval, inside func(Pos) bool) keyState {
	s := keyState{key: k.key, list: k.list, first: k.initial}
	var last string
	if !k.list {
		s.before, last = []string{k.initial}, k.initial
	}
	for _, i := range k.order {
		v := &k.writes[i]
		switch value := v.values[len(v.values)-1]; {
		case w.To.before(v.at):
		case k.list && v.at.before(w.From):
			s.before = append(s.before, v.values...)
		case k.list:
			s.closing = append(s.closing, v.values...)
		case v.at.before(w.From):
			s.before[0] = value
			fallthrough
		default:
			last = value
		}
	}
	if !k.list {
		s.closing = []string{last}
	}
	outside := map[string]bool{}
	for i := range k.reads {
		r := &k.reads[i]
		if w.To.before(r.at) {
			s.closes = s.closes || k.list || r.values[0] == last
			continue
		}
		if !inside(r.at) {
			continue
		}
		if r.from >= 0 {
			s.needs(k.writes[r.from].at)
		} else if r.from == noVersion {
			s.needs(r.span.From)
		}
		for _, v := range r.values {
			for _, x := range k.writers[v] {
				if !inside(k.writes[x.version].at) {
					outside[v] = true
				}
			}
		}
	}
	s.outside = sortedKeys(outside)
	return s
}

func (s *keyState) needs(p Pos) {
	if !s.reads || p.before(s.source) {
		s.source, s.reads = p, true
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (s *keyState) encode(w *writer) {
	*w = append(*w, stateRecord)
	w.text(s.key)
	w.uint(bit(s.list))
	w.text(s.first)
	w.texts(s.before)
	w.uint(bit(s.closes))
	if s.closes {
		w.texts(s.closing)
	}
	w.texts(s.outside)
	w.uint(bit(s.reads))
	if s.reads {
		w.pos(s.source)
	}
}

func decodeState(r *reader) *keyState {
	s := &keyState{key: r.text(), list: r.uint() == 1, first: r.text(), before: r.texts()}
	if s.closes = r.uint() == 1; s.closes {
		s.closing = r.texts()
	}
	s.outside = r.texts()
	if s.reads = r.uint() == 1; s.reads {
		s.source = r.pos()
	}
	return s
}

// body is a transaction of a window, with its operations as they were recorded.
type body struct {
	session  string
	at       ID
	status   history.Status
	number   int64
	numbered bool
	position int // in its session and shard, from 1
	place    string
	ops      []operation
}

type operation struct {
	kind   history.Kind
	known  bool
	key    string
	values []string
}

// mapTouched hands the keys of windows to one part.
func (j *Job) mapTouched(h *shardHistory, out *batches) {
	some := make([]bool, h.NumKeys())
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		if j.window(h.pos(t)) < 0 {
			continue
		}
		first, end := h.Ops(t)
		for o := first; o < end; o++ {
			some[h.Key(o)] = true
		}
	}
	for k, touched := range some {
		if touched {
			out.to(j.Parts).text(h.names[k])
		}
	}
}

// gather gives each text of blobs once.
func gather(blobs [][]byte) []byte {
	seen := map[string]bool{}
	var out writer
	for _, b := range blobs {
		for r := reader(b); len(r) > 0; {
			if s := r.text(); !seen[s] {
				seen[s] = true
				out.text(s)
			}
		}
	}
	return out
}

// mapBodies hands the transactions of windows to them.
func (j *Job) mapBodies(h *shardHistory, out *batches) {
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		i := j.window(h.pos(t))
		if i < 0 {
			continue
		}
		w := out.to(j.Parts + i)
		*w = append(*w, bodyRecord)
		w.text(h.sessionName(h.SessionOf(t)))
		w.uint(uint64(makeID(h.number, t)))
		w.uint(uint64(h.Status(t)))
		n, numbered := h.Number(t)
		w.uint(bit(numbered))
		w.int(n)
		w.uint(uint64(h.History.Position(t) + 1))
		w.text(h.place(h.History, t))
		first, end := h.Ops(t)
		w.uint(uint64(end - first))
		for o := first; o < end; o++ {
			w.uint(uint64(h.Kind(o)))
			w.uint(bit(h.Known(o)))
			w.text(h.names[h.Key(o)])
			if h.Kind(o) == history.ReadList {
				w.uint(uint64(len(h.List(o))))
				for _, e := range h.List(o) {
					w.text(encodeName(h.ValueName(e)))
				}
			} else {
				w.texts([]string{encodeName(h.ValueName(h.Value(o)))})
			}
		}
	}
}

func decodeBody(r *reader) *body {
	b := &body{session: r.text(), at: ID(r.uint()), status: history.Status(r.uint())}
	b.numbered = r.uint() == 1
	b.number = r.int()
	b.position = int(r.uint())
	b.place = r.text()
	b.ops = make([]operation, r.uint())
	for i := range b.ops {
		b.ops[i] = operation{history.Kind(r.uint()), r.uint() == 1, r.text(), r.texts()}
	}
	return b
}
