package contract

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
)

// The candidate order of a recording without stamps is a topological merge of the sessions:
// one worker gets who reads from whom and who writes which key, as numbers without names and
// values, and takes the transactions first that take away nothing that is still to be read.
// It is a guess: whatever it gets wrong is judged.

const (
	orderSession = 's'
	orderKey     = 'k'
)

// relate hands who reads from whom of a key to the worker that orders.
func (j *Job) relate(k *keyed, out *batches) {
	k.index()
	readers := make([][]ID, len(k.writes)+1) // the last are those of the initial version
	for i := range k.reads {
		r := &k.reads[i]
		value, some := k.initial, true
		if !k.list {
			value = r.values[0]
		} else if some = len(r.values) > 0; some {
			value = r.values[len(r.values)-1]
		}
		from := k.writers[value]
		switch {
		case some && len(from) == 1 && k.writes[from[0].version].at.Txn != r.at.Txn:
			readers[from[0].version] = append(readers[from[0].version], r.at.Txn)
		case !some || len(from) == 0:
			readers[len(k.writes)] = append(readers[len(k.writes)], r.at.Txn)
		}
	}
	w := out.to(j.Parts)
	*w = append(*w, orderKey)
	w.uint(uint64(len(readers)))
	for i, ids := range readers {
		writer := ID(0)
		if i < len(k.writes) && (k.writes[i].status == history.Committed || len(ids) > 0) {
			writer = k.writes[i].at.Txn
		}
		w.uint(uint64(writer))
		w.uint(uint64(len(ids)))
		for _, id := range ids {
			w.uint(uint64(id))
		}
	}
}

// mapOrder hands the sessions to the worker that orders.
func (j *Job) mapOrder(h *shardHistory, out *batches) {
	for s := range history.Session(h.NumSessions()) {
		first, end := h.Txns(s)
		w := out.to(j.Parts)
		*w = append(*w, orderSession)
		w.text(h.sessionName(s))
		w.uint(uint64(makeID(h.number, first)))
		w.uint(uint64(end - first))
	}
}

// merger is the worker that orders. Transactions are numbered densely.
type merger struct {
	number   map[ID]int32
	sessions [][]ID
	reads    [][]use // by transaction
	writes   [][]use // the number of the version is its own
	current  []int32 // the version that a key has, by key
	pending  []int32 // readers of a version that are still to come
	maker    []int32 // of a version; -1 for the initial one
	done     []bool
}

type use struct{ key, version int32 }

// load decodes what relate and mapOrder wrote.
func (m *merger) load(blobs [][]byte) {
	type piece struct {
		name  string
		first ID
		n     int
	}
	var pieces []piece
	type keyBlob struct{ r reader }
	var keys []keyBlob
	for _, b := range blobs {
		for r := reader(b); len(r) > 0; {
			tag := r[0]
			r.skip(1)
			if tag == orderSession {
				pieces = append(pieces, piece{r.text(), ID(r.uint()), int(r.uint())})
				continue
			}
			keys = append(keys, keyBlob{r})
			for range r.uint() {
				r.uint()
				for range r.uint() {
					r.uint()
				}
			}
		}
	}
	slices.SortFunc(pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.first, b.first))
	})
	m.number = map[ID]int32{}
	for i, p := range pieces {
		if i == 0 || p.name != pieces[i-1].name {
			m.sessions = append(m.sessions, nil)
		}
		s := &m.sessions[len(m.sessions)-1]
		for n := range p.n {
			m.number[p.first+ID(n)] = int32(len(m.number))
			*s = append(*s, p.first+ID(n))
		}
	}
	m.reads, m.writes, m.done = make([][]use, len(m.number)), make([][]use, len(m.number)), make([]bool, len(m.number))
	for i := range keys {
		m.loadKey(&keys[i].r)
	}
}

func (m *merger) loadKey(r *reader) {
	key, n := int32(len(m.current)), int(r.uint())
	for range n {
		v, maker := int32(len(m.pending)), ID(r.uint())
		readers := r.uint()
		m.pending, m.maker = append(m.pending, int32(readers)), append(m.maker, -1)
		for range readers {
			t := m.number[ID(r.uint())]
			m.reads[t] = append(m.reads[t], use{key, v})
		}
		if maker != 0 {
			t := m.number[maker]
			m.maker[v] = t
			m.writes[t] = append(m.writes[t], use{key, v})
		}
	}
	m.current = append(m.current, int32(len(m.pending)-1)) // the initial one
}

// cost says how far a transaction is from what may come next: 0 fits, and more takes more away.
func (m *merger) cost(t int32) int {
	cost := 0
	for _, u := range m.reads[t] {
		if by := m.maker[u.version]; by >= 0 && !m.done[by] {
			return 1 << 30
		}
		if m.current[u.key] != u.version {
			cost += 1 << 10 // too late
		}
	}
	for _, u := range m.writes[t] {
		pending := m.pending[m.current[u.key]]
		for _, r := range m.reads[t] {
			if r == (use{u.key, m.current[u.key]}) {
				pending--
			}
		}
		cost += int(pending)
	}
	return cost
}

func (m *merger) execute(t int32) {
	for _, u := range m.reads[t] {
		m.pending[u.version]--
	}
	for _, u := range m.writes[t] {
		m.current[u.key] = u.version
	}
	m.done[t] = true
}

// run gives the order: the rank of every transaction.
func (m *merger) run() []int64 {
	rank := make([]int64, len(m.number))
	heads := make([]int, len(m.sessions))
	for n := int64(1); n <= int64(len(rank)); {
		best, least := -1, 0
		moved := false
		for s, ids := range m.sessions {
			for heads[s] < len(ids) {
				t := m.number[ids[heads[s]]]
				if cost := m.cost(t); cost > 0 {
					if best < 0 || cost < least {
						best, least = s, cost
					}
					break
				}
				m.execute(t)
				rank[t] = n
				n++
				heads[s]++
				moved = true
			}
		}
		if !moved && best >= 0 {
			t := m.number[m.sessions[best][heads[best]]]
			m.execute(t)
			rank[t] = n
			n++
			heads[best]++
		}
	}
	return rank
}

// arrange finds the order, and writes a file for each shard.
func (j *Job) arrange(blobs [][]byte) error {
	m := &merger{}
	m.load(blobs)
	rank := m.run()
	shards := make([][]int64, len(j.Shards))
	for id, t := range m.number {
		if id.shard() >= len(shards) {
			return fmt.Errorf("contract: there is no shard %d", id.shard())
		}
		s := &shards[id.shard()]
		if n := int(id.txn()); n >= len(*s) {
			*s = append(*s, make([]int64, n+1-len(*s))...)
		}
		(*s)[id.txn()] = rank[t]
	}
	for i, ranks := range shards {
		var w writer
		for _, r := range ranks[min(1, len(ranks)):] {
			w.int(r)
		}
		if err := ReplaceFile(ranksFile(j.Scratch, i), w); err != nil {
			return err
		}
	}
	return nil
}
