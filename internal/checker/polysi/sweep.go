package polysi

import (
	"sort"
	"sync"
	"sync/atomic"

	"github.com/txrobust/robust/history"
)

// sweep looks for chains that have to be before others of their key, where anything changed that
// shows that. Several sweepers work at a time, each on some of the keys.
func (p *polygraph) sweep() {
	const keysAtOnce = 64
	changed := p.changedKeys()
	parts := make([][]edge, (len(p.chains)+keysAtOnce-1)/keysAtOnce)
	var next atomic.Int32
	var wg sync.WaitGroup
	for range min(p.o.Workers, len(parts)) {
		wg.Go(func() {
			s := &sweeper{polygraph: p}
			for i := int(next.Add(1)) - 1; i < len(parts); i = int(next.Add(1)) - 1 {
				s.edges = nil
				for k := i * keysAtOnce; k < min((i+1)*keysAtOnce, len(p.chains)); k++ {
					if p.ctx.Err() != nil {
						return
					}
					if changed == nil || changed[k] {
						s.key(history.Key(k))
					}
				}
				parts[i] = s.edges
			}
		})
	}
	wg.Wait()
	for _, edges := range parts {
		p.edges = append(p.edges, edges...)
	}
	clear(p.fresh)
}

// changedKeys tells of which keys writers or readers know more than in the round before; nil stands
// for all keys.
func (p *polygraph) changedKeys() []bool {
	if p.round == 1 {
		return nil
	}
	out := make([]bool, len(p.chains))
	for k := range p.fresh {
		out[k] = true
	}
	for n, grown := range p.grown {
		if !grown {
			continue
		}
		for o, end := p.h.Ops(p.txnOf[n]); o < end; o++ {
			k := p.h.Key(o)
			if k < 0 {
				return nil // a range reads many keys
			}
			out[k] = true
		}
	}
	return out
}

// sweeper looks for chains of one key after the other.
type sweeper struct {
	*polygraph
	edges     []edge // that it found
	ends      []ends
	stretches []stretch
	rows      []row
	known     []int
}

// ends are the nodes of a chain: where its head begins and commits, and where its tail commits.
type ends struct{ begin, head, tail int32 }

// stretch is the chains of a key whose heads are in one strand.
type stretch struct{ from, to, strand int }

// row is the clock of a node, as an index, and what it says about its own strand: what comes before it.
type row struct {
	clock      int
	strand     int
	beforeSelf int32
}

// key looks for chains of a key. For every chain and every strand only the last one that has to be
// before it is of interest, and only if it is not before the chain's own predecessor in its strand, too: the
// other edges follow.
func (s *sweeper) key(k history.Key) {
	chains := s.chains[k]
	if len(chains) < 2 {
		return
	}
	s.describe(chains)
	all := s.round == 1 || s.fresh[k]
	for own, st := range s.stretches {
		s.known = append(s.known[:0], make([]int, len(s.stretches))...)
		for i := st.from; i < st.to; i++ {
			if i > st.from && all {
				s.put(chains, i-1, i)
			}
			if !all && !s.knowsMore(chains[i]) {
				continue
			}
			s.read(chains[i])
			if i+1 < st.to && s.before(i+1, st.strand) {
				s.put(chains, i+1, i)
			}
			for other, earlier := range s.stretches {
				if other != own {
					s.compare(chains, i, other, earlier)
				}
			}
		}
	}
}

// compare finds the chains of a strand that have to be before the chain that was read.
func (s *sweeper) compare(chains []chain, i, other int, earlier stretch) {
	old := earlier.from + s.known[other]
	if old == earlier.to || !s.before(old, earlier.strand) {
		return // as usual
	}
	j := old + 1
	j += sort.Search(earlier.to-j, func(n int) bool { return !s.before(j+n, earlier.strand) })
	s.known[other] = j - earlier.from
	s.put(chains, j-1, i)
}

// describe notes the nodes of chains, and in which strands they are.
func (s *sweeper) describe(chains []chain) {
	s.ends, s.stretches = s.ends[:0], s.stretches[:0]
	for i, c := range chains {
		e := ends{s.beginOf(c.head), s.commitOf(c.head), s.commitOf(c.tail)}
		s.ends = append(s.ends, e)
		strand := int(s.strand[e.begin])
		if n := len(s.stretches); n == 0 || s.stretches[n-1].strand != strand {
			s.stretches = append(s.stretches, stretch{i, i, strand})
		}
		s.stretches[len(s.stretches)-1].to++
	}
}

// knowsMore tells whether the end of a chain, or a reader of it, knows more than in the round before.
func (s *sweeper) knowsMore(c chain) bool {
	return s.grown[s.commitOf(c.tail)] || !s.readers(c.tail, func(i int32) bool { return !s.grown[s.readAt[i]] })
}

// read notes what the end of a chain and its readers know.
func (s *sweeper) read(c chain) {
	tail := s.commitOf(c.tail)
	s.rows = append(s.rows[:0], row{clock: int(tail) * s.strands, strand: -1})
	s.readers(c.tail, func(i int32) bool {
		n := s.readAt[i]
		s.rows = append(s.rows, row{int(n) * s.strands, int(s.strand[n]), n - 1})
		return true
	})
}

// before tells whether chain y, whose head is in some strand, has to be before the chain that was
// read, for in the other order there would be a cycle: y begins before that ends, or who reads
// the end of that knows the begin of y.
func (s *sweeper) before(y, strand int) bool {
	if s.clocks[s.rows[0].clock+strand] >= s.ends[y].begin {
		return true
	}
	for _, r := range s.rows[1:] {
		last := s.clocks[r.clock+strand]
		if r.strand == strand {
			last = r.beforeSelf // a reader may have written y itself
		}
		if last >= s.ends[y].head {
			return true
		}
	}
	return false
}

// put adds the edges by which chain y is before chain x, as far as they are not
// known: WW, and RW from the readers of the end of y.
func (s *sweeper) put(chains []chain, y, x int) {
	if from, to := s.ends[y].tail, s.ends[x].begin; !s.reaches(from, to) {
		s.add(from, to, ordered, chains[y].tail, chains[x].head)
	}
	to := s.ends[x].head
	s.readers(chains[y].tail, func(i int32) bool {
		if from := s.readAt[i]; from != s.ends[x].begin && !s.reaches(from, to) {
			s.add(from, to, overtaken, i, chains[x].head)
		}
		return true
	})
}

func (s *sweeper) add(from, to int32, why reason, ref, other int32) {
	s.edges = append(s.edges, edge{from, to, ref, other, s.round, why})
}
