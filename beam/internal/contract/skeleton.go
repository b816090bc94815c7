package contract

import (
	"cmp"
	"context"
	"slices"
)

// skeleton is a window without keys and values: transactions, sessions, and links.
// Transactions are numbered by position; those of unknown outcome from which nobody read are left out.
type skeleton struct {
	at       []Pos
	session  []int32
	sessions [][]int32 // the transactions of each, in its order
	turn     []int32   // the place of a transaction in its session
	odd      bool      // a transaction does not see its own writes
	// witness names for each transaction of unknown outcome a transaction that read from it; it is noNode for all other transactions.
	witness []int32

	keys    []linkedKey
	reads   [][]linkedRead // by reader, in the order of its operations
	outside []Pos
}

// linkedKey is a key in a window.
type linkedKey struct {
	writers []int32 // lists: in the order of the versions, as far as it is known
	chained int     // how many are in that order
	last    int32   // the writer of the last version that is read elsewhere, or none
	reads   []keyRead
}

type keyRead struct{ reader, from int32 }

type linkedRead struct {
	key, op, from int32
}

// Sources of reads that are no transaction of the window: none of a linkedKey, the initial version,
// and outside[elsewhere-from].
const (
	noNode      = -1
	initialNode = -1
	elsewhere   = -2
)

// nodeRecord is what mapNodes wrote of a transaction.
type nodeRecord struct {
	at           Pos
	unknown, odd bool
	session      string
}

// newSkeleton numbers transactions and decodes links.
func newSkeleton(nodes []nodeRecord, links []reader) *skeleton {
	slices.SortFunc(nodes, func(a, b nodeRecord) int { return a.at.compare(b.at) })
	effective := map[ID]bool{}
	for _, r := range links {
		(&linkReader{r: r}).key(func(id ID, read bool) {
			if read {
				effective[id] = true
			}
		}, func(ID, int, int, Pos) {})
	}
	s := &skeleton{}
	number := make(map[ID]int32, len(nodes))
	names := map[string]int32{}
	for _, n := range nodes {
		if n.unknown && !effective[n.at.Txn] {
			continue
		}
		x, some := names[n.session]
		if !some {
			x = int32(len(s.sessions))
			names[n.session], s.sessions = x, append(s.sessions, nil)
		}
		t := int32(len(s.at))
		number[n.at.Txn] = t
		s.at, s.session, s.odd = append(s.at, n.at), append(s.session, x), s.odd || n.odd
		if s.witness = append(s.witness, noNode); n.unknown {
			s.witness[t] = t
		}
		s.sessions[x] = append(s.sessions[x], t)
	}
	s.turn, s.reads = make([]int32, len(s.at)), make([][]linkedRead, len(s.at))
	for _, all := range s.sessions {
		slices.SortFunc(all, func(a, b int32) int { return cmp.Compare(s.at[a].Txn, s.at[b].Txn) })
		for i, t := range all {
			s.turn[t] = int32(i)
		}
	}
	for _, r := range links {
		s.addKey(r, number)
	}
	for t, all := range s.reads {
		slices.SortFunc(all, func(a, b linkedRead) int { return cmp.Compare(a.op, b.op) })
		for _, r := range all {
			if r.from >= 0 && s.witness[r.from] == r.from {
				s.witness[r.from] = int32(t)
			}
		}
	}
	return s
}

// addKey decodes the links of a key.
func (s *skeleton) addKey(r reader, number map[ID]int32) {
	l := &linkReader{r: r}
	k := linkedKey{last: noNode}
	var made []int32 // the writers by their number in the window; noNode if a writer took no effect
	l.key(func(id ID, _ bool) {
		t, some := number[id]
		if !some {
			t = noNode
		}
		made = append(made, t)
		if some {
			k.writers = append(k.writers, t)
			if len(made) <= l.chained {
				k.chained++
			}
		}
		if len(made) == l.last {
			k.last = t
		}
	}, func(id ID, op, from int, source Pos) {
		t, some := number[id]
		if !some {
			return
		}
		by := int32(initialNode)
		switch {
		case from == fromOutside:
			by = elsewhere - int32(len(s.outside))
			s.outside = append(s.outside, source)
		case from >= fromInside:
			by = made[from-fromInside]
		}
		s.reads[t] = append(s.reads[t], linkedRead{int32(len(s.keys)), int32(op), by})
		k.reads = append(k.reads, keyRead{t, by})
	})
	s.keys = append(s.keys, k)
}

// linkReader decodes what encodeLinks wrote after the number of the window.
type linkReader struct {
	r             reader
	list          bool
	chained, last int
}

func (l *linkReader) key(write func(id ID, read bool), read func(id ID, op, from int, source Pos)) {
	l.list = l.r.uint() == 1
	l.chained, l.last = int(l.r.uint()), int(l.r.uint())
	for range l.r.uint() {
		id := l.r.id()
		write(id, l.r.uint() == 1)
	}
	for range l.r.uint() {
		id, op, from := l.r.id(), int(l.r.uint()), int(l.r.uint())
		var source Pos
		if from == fromOutside {
			source = l.r.pos()
		}
		read(id, op, from, source)
	}
}

// before is the transaction of the session before t, or noNode.
func (s *skeleton) before(t int32) int32 {
	if n := s.turn[t]; n > 0 {
		return s.sessions[s.session[t]][n-1]
	}
	return noNode
}

// arc says that from comes before to: because reader, which saw from, read what to overwrites it with,
// or because of session order and reads, of list elements, or of reads elsewhere.
type arc struct {
	from, to int32
	reader   int32 // or one of the reasons below
}

const (
	known   = -1 // session order, and reads
	closing = -2 // a version that is read elsewhere is the last
	listed  = -3 // the order of list elements; less: the reader listed-1-reader shows it
)

// base gives the arcs of session order, reads and lists.
func (s *skeleton) base() (out []arc) {
	for t := range int32(len(s.at)) {
		if p := s.before(t); p != noNode {
			out = append(out, arc{p, t, known})
		}
		for _, r := range s.reads[t] {
			if r.from >= 0 {
				out = append(out, arc{r.from, t, known})
			}
		}
	}
	for i := range s.keys {
		k := &s.keys[i]
		if k.chained == 0 {
			continue
		}
		shown := map[int32]int32{} // by the last transaction that is
		for _, r := range k.reads {
			shown[r.from] = r.reader
		}
		reader := int32(noNode)
		for n := len(k.writers) - 1; n > 0; n-- {
			if r, some := shown[k.writers[n]]; some && n < k.chained {
				reader = r
			}
			out = append(out, arc{k.writers[min(n, k.chained)-1], k.writers[n], listed - 1 - reader})
		}
	}
	return out
}

// closings gives the arcs to versions that are read elsewhere.
func (s *skeleton) closings() (out []arc) {
	for i := range s.keys {
		k := &s.keys[i]
		for _, w := range k.writers {
			if k.last != noNode && k.chained == 0 && w != k.last {
				out = append(out, arc{w, k.last, closing})
			}
		}
	}
	return out
}

// readArcs gives the arcs that RC, or RA, concludes.
func (s *skeleton) readArcs(atomic bool) (out []arc) {
	wrote := make([][]int32, len(s.at)) // keys
	for i := range s.keys {
		for _, w := range s.keys[i].writers {
			if n := len(wrote[w]); n == 0 || wrote[w][n-1] != int32(i) {
				wrote[w] = append(wrote[w], int32(i))
			}
		}
	}
	for t := range int32(len(s.at)) {
		byKey := map[int32][]linkedRead{}
		for _, r := range s.reads[t] {
			byKey[r.key] = append(byKey[r.key], r)
		}
		seen := map[int32]bool{}
		for _, r := range s.reads[t] {
			if r.from < 0 || seen[r.from] {
				continue
			}
			seen[r.from] = true
			for _, key := range wrote[r.from] {
				for _, o := range byKey[key] {
					if o.from != r.from && (atomic || o.op > r.op) {
						out = append(out, arc{r.from, o.from, t})
					}
				}
			}
		}
		if !atomic {
			continue
		}
		for key, all := range byKey {
			w := s.keys[key].lastOf(s, s.session[t], s.turn[t])
			for _, o := range all {
				if w != noNode && o.from != w {
					out = append(out, arc{w, o.from, t})
				}
			}
		}
	}
	return out
}

// lastOf gives the last writer of a key in a session before a place of it.
func (k *linkedKey) lastOf(s *skeleton, session, turn int32) int32 {
	last := int32(noNode)
	for _, w := range k.writers {
		if s.session[w] == session && s.turn[w] < turn && (last == noNode || s.turn[last] < s.turn[w]) {
			last = w
		}
	}
	return last
}

// memoryOfClocks bounds the clocks that are held at a time, in numbers of four bytes.
const memoryOfClocks = 64 << 20

// causalArcs gives the arcs that CC concludes: for each version and session, from the last writer there that a
// reader of the version sees. order is one of the transactions along session order and reads. Clocks
// are computed for some sessions at a time.
func (s *skeleton) causalArcs(ctx context.Context, order []int32) (out []arc, err error) {
	for i := range s.keys {
		k := &s.keys[i]
		slices.SortFunc(k.reads, func(a, b keyRead) int { return cmp.Compare(a.from, b.from) })
	}
	columns := min(len(s.sessions), max(1, memoryOfClocks/max(1, len(s.at))))
	clocks := make([]int32, columns*len(s.at))
	for lo := 0; lo < len(s.sessions); lo += columns {
		hi := min(lo+columns, len(s.sessions))
		for _, t := range order {
			row := clocks[int(t)*columns : (int(t)+1)*columns]
			clear(row)
			s.see(row, clocks, columns, s.before(t))
			for _, r := range s.reads[t] {
				s.see(row, clocks, columns, r.from)
			}
			if x := int(s.session[t]); x >= lo && x < hi {
				row[x-lo] = s.turn[t] + 1
			}
		}
		for i := range s.keys {
			out = s.keyArcs(out, &s.keys[i], clocks, columns, lo, hi)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *skeleton) see(row, clocks []int32, columns int, from int32) {
	if from < 0 {
		return
	}
	for i, n := range clocks[int(from)*columns : (int(from)+1)*columns] {
		row[i] = max(row[i], n)
	}
}

// keyArcs gives the arcs to the versions of a key from writers of the sessions lo to hi.
func (s *skeleton) keyArcs(out []arc, k *linkedKey, clocks []int32, columns, lo, hi int) []arc {
	if len(k.reads) == 0 {
		return out
	}
	var writers []int32
	for _, w := range k.writers {
		if x := int(s.session[w]); x >= lo && x < hi {
			writers = append(writers, w)
		}
	}
	slices.SortFunc(writers, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.session[a], s.session[b]), cmp.Compare(s.turn[a], s.turn[b]))
	})
	for len(writers) > 0 {
		x := s.session[writers[0]]
		n := 1
		for n < len(writers) && s.session[writers[n]] == x {
			n++
		}
		for reads := k.reads; len(reads) > 0; {
			from, most, reader := reads[0].from, int32(0), int32(noNode)
			for len(reads) > 0 && reads[0].from == from {
				t := reads[0].reader
				sees := clocks[int(t)*columns+int(x)-lo]
				if s.session[t] == x {
					sees = s.turn[t] // not itself
				}
				if sees > most {
					most, reader = sees, t
				}
				reads = reads[1:]
			}
			i, _ := slices.BinarySearchFunc(writers[:n], most, func(w, most int32) int { return cmp.Compare(s.turn[w], most) })
			if i > 0 && writers[i-1] != from {
				out = append(out, arc{writers[i-1], from, reader})
			}
		}
		writers = writers[n:]
	}
	return out
}
