package polysi

import (
	"context"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// polygraph is a generalized polygraph of one level: nodes, edges that are known,
// and for every key chains of versions whose order is to be found.
type polygraph struct {
	ctx      context.Context
	h        *history.History
	reads    *reads
	o        Options
	level    isolation.Level
	sessions bool // the order of sessions counts
	serial   bool // transactions begin where they commit

	v    *versions
	list []read // the definite ones: those of reads, and open ones that were settled
	open []openRead
	// readAt are the nodes at which the definite reads are.
	readAt []int32

	// begin and commit are the nodes of transactions, -1 for those that did not take
	// effect. They are one node if nothing can come between them.
	begin, commit []int32
	txnOf         []history.Txn
	// Nodes are numbered strand by strand: a strand is nodes of which each is after
	// the one before. A session is one.
	strand  []int32
	strands int
	chains  [][]chain // of keys, sorted by the node where the head begins
	edges   []edge
	clocks  []int32 // nil if they would take too much memory
	grown   []bool  // of nodes: the clock grew since the round before
	// fresh are keys with reads that became definite since then.
	fresh    map[history.Key]bool
	topology []int32 // all nodes, in an order that the edges follow
	after    lists   // of nodes: those that the edges lead to
	round    int32
	// hopeless: an open read has no writer left that it may come from.
	hopeless bool
	// initials are open reads that turned out to be of the initial version.
	initials []openRead
	stats    stats
	calls    int  // of stopped
	over     bool // the time
}

// stats is what deciding a level took.
type stats struct {
	rounds    int // schedules that were tried
	pairs     int // of chains whose order was searched for
	conflicts int // of the search
	gaveUp    bool
}

// reason says what an edge comes from.
type reason uint8

const (
	inside    reason = iota // begin before commit
	session                 // SO
	fromRead                // WR: ref is the read
	updated                 // RW: ref is the read, of a version that was updated
	ordered                 // WW: ref and other are versions of which the first one is before
	overtaken               // RW: ref is the read, other the version after the one that was read
)

// edge is one that is known to be there.
type edge struct {
	from, to   int32
	ref, other int32
	round      int32
	why        reason
}

func newPolygraph(ctx context.Context, h *history.History, r *reads, o Options, l isolation.Level) *polygraph {
	p := &polygraph{
		ctx: ctx, h: h, reads: r, o: o, level: l, v: newVersions(r),
		sessions: l == isolation.SI || l == isolation.SER, serial: l == isolation.SER || l == isolation.PL3,
		list: slices.Clip(r.list), open: slices.Clone(r.open), fresh: map[history.Key]bool{},
	}
	p.v.before, p.v.read, p.readAt = make([]int32, 0, len(p.list)), make([]int32, 0, len(p.list)), make([]int32, 0, len(p.list))
	return p
}

// room is about how many bytes of the memory are left that may be taken.
func (p *polygraph) room() int64 {
	const (
		nodeBytes      = 160 // in the polygraph and in a schedule
		versionBytes   = 60
		edgeBytes      = 2*24 + 8 // edges grow by copying
		candidateBytes = 12
	)
	candidates := 0
	for _, x := range p.open {
		candidates += len(x.from)
	}
	return p.o.Memory - nodeBytes*int64(len(p.txnOf)) - versionBytes*int64(len(p.v.txn)) - edgeBytes*int64(len(p.edges)) -
		candidateBytes*int64(candidates) - 4*int64(len(p.clocks))
}

// build numbers the nodes and adds what is known from the start.
func (p *polygraph) build() {
	p.numberNodes()
	p.sessionEdges()
	for i, x := range p.list {
		p.readEdges(int32(i), x)
	}
	p.makeChains()
}

// numberNodes numbers the nodes, strand by strand.
func (p *polygraph) numberNodes() {
	n := p.h.NumTxns()
	p.begin, p.commit = filled(n), filled(n)
	split := p.splitTxns()
	strand := int32(0)
	place := func(t history.Txn) {
		p.begin[t] = int32(len(p.txnOf))
		p.commit[t] = p.begin[t]
		if split[t] {
			p.commit[t]++
		}
		for range p.commit[t] - p.begin[t] + 1 {
			p.txnOf = append(p.txnOf, t)
			p.strand = append(p.strand, strand)
		}
	}
	place(history.InitialTxn)
	if p.sessions {
		for s := range history.Session(p.h.NumSessions()) {
			strand++
			for t, end := p.h.Txns(s); t < end; t++ {
				if p.reads.live[t] || p.reads.maybe[t] {
					place(t)
				}
			}
		}
	} else {
		for _, path := range p.readPaths() {
			strand++
			for _, t := range path {
				place(t)
			}
		}
	}
	p.strands = int(strand) + 1
}

// splitTxns tells which transactions need two nodes: at the levels of snapshots, those
// that read and write. Who only reads may as well commit at once, and who only
// writes may as well begin late.
func (p *polygraph) splitTxns() []bool {
	split := make([]bool, p.h.NumTxns())
	if p.serial {
		return split
	}
	writes := make([]bool, len(split))
	for _, t := range p.v.txn {
		writes[t] = true
	}
	for _, x := range p.list {
		split[p.h.TxnOf(x.op)] = true
	}
	for _, x := range p.open {
		split[p.h.TxnOf(x.op)] = true
	}
	for t := range split {
		split[t] = split[t] && writes[t] && t != int(history.InitialTxn)
	}
	return split
}

// readPaths divides the transactions, without the initial one, into paths of which
// each transaction reads from the one before.
func (p *polygraph) readPaths() [][]history.Txn {
	n := p.h.NumTxns()
	next := make([]history.Txn, n)
	prev := make([]history.Txn, n)
	// The other end of the path of a transaction that is at one.
	end := make([]history.Txn, n)
	for t := range end {
		end[t] = history.Txn(t)
	}
	for _, x := range p.list {
		t := p.h.TxnOf(x.op)
		if x.from == history.InitialTxn || next[x.from] != 0 || prev[t] != 0 || end[x.from] == t {
			continue
		}
		next[x.from], prev[t] = t, x.from
		first, last := end[x.from], end[t]
		end[first], end[last] = last, first
	}
	var out [][]history.Txn
	for t := history.Txn(1); int(t) < n; t++ {
		if prev[t] != 0 || !p.reads.live[t] && !p.reads.maybe[t] {
			continue
		}
		var path []history.Txn
		for u := t; u != 0; u = next[u] {
			path = append(path, u)
		}
		out = append(out, path)
	}
	return out
}

func (p *polygraph) add(from, to int32, why reason, ref, other int32) {
	p.edges = append(p.edges, edge{from, to, ref, other, p.round, why})
}

// sessionEdges adds the order within transactions, that of sessions, and that the
// initial transaction comes first.
func (p *polygraph) sessionEdges() {
	last := history.Txn(0)
	for n := 1; n < len(p.txnOf); n++ {
		t := p.txnOf[n]
		if p.begin[t] != int32(n) {
			p.add(int32(n)-1, int32(n), inside, 0, 0)
			continue
		}
		// Where strands are no sessions the edge inside is of reads.
		if p.sessions && p.strand[n] == p.strand[n-1] {
			p.add(p.commit[last], int32(n), session, 0, 0)
		} else {
			p.add(0, int32(n), session, 0, 0)
		}
		last = t
	}
}

// readEdges adds what a definite read shows: WR, and RW to who updated the version.
func (p *polygraph) readEdges(i int32, x read) {
	t := p.h.TxnOf(x.op)
	p.readAt = append(p.readAt, p.begin[t])
	if x.from != history.InitialTxn {
		p.add(p.commit[x.from], p.begin[t], fromRead, i, 0)
	}
	if u := p.v.next[p.v.read[i]]; u >= 0 && p.v.txn[u] != t {
		p.add(p.begin[t], p.commit[p.v.txn[u]], updated, i, u)
	}
}

// makeChains finds the chains of the versions that are there for sure.
func (p *polygraph) makeChains() {
	p.chains = make([][]chain, p.h.NumKeys())
	for k := range p.chains {
		first, end := p.v.first[k], p.v.first[k+1]
		for v := first; v < end; v++ {
			if p.v.prev[v] >= 0 || p.reads.maybe[p.v.txn[v]] {
				continue
			}
			c := chain{v, v}
			for p.v.next[c.tail] >= 0 {
				c.tail = p.v.next[c.tail]
			}
			p.chains[k] = append(p.chains[k], c)
		}
		slices.SortFunc(p.chains[k], func(a, b chain) int { return int(p.beginOf(a.head) - p.beginOf(b.head)) })
	}
}

func (p *polygraph) beginOf(version int32) int32   { return p.begin[p.v.txn[version]] }
func (p *polygraph) commitOf(version int32) int32  { return p.commit[p.v.txn[version]] }
func (p *polygraph) reader(read int32) history.Txn { return p.h.TxnOf(p.list[read].op) }
