package polysi

// sort orders the nodes so that all edges are followed. It is false if there is a
// cycle.
func (p *polygraph) sort() bool {
	n := len(p.txnOf)
	p.after = newLists(n, len(p.edges), func(i int) int { return int(p.edges[i].from) }, func(i int) int32 { return p.edges[i].to })
	missing := make([]int32, n)
	for _, m := range p.after.all {
		missing[m]++
	}
	p.topology = p.topology[:0]
	for i := range int32(n) {
		if missing[i] == 0 {
			p.topology = append(p.topology, i)
		}
	}
	for i := 0; i < len(p.topology); i++ {
		for _, m := range p.after.at(int(p.topology[i])) {
			if missing[m]--; missing[m] == 0 {
				p.topology = append(p.topology, m)
			}
		}
	}
	return len(p.topology) == n
}

// maxStrands bounds the time that the clocks may take: with more strands the search does without.
const maxStrands = 1000

// tick computes for every node and strand the last node of the strand that
// reaches it; -1 if there is none. Nodes reach themselves.
func (p *polygraph) tick() {
	n, s := len(p.txnOf), p.strands
	if p.clocks == nil {
		if p.o.noClocks || s > maxStrands || 4*int64(n)*int64(s) > p.room() {
			return
		}
		p.clocks = make([]int32, n*s)
		for i := range n {
			if p.stopped() {
				return
			}
			for j := range s {
				p.clocks[i*s+j] = -1
			}
		}
	}
	p.grown = make([]bool, n)
	// Clocks only grow from round to round: what does not has nothing new to say, except along new edges.
	started := make([]bool, n)
	for i := len(p.edges) - 1; i >= 0 && p.edges[i].round == p.round; i-- {
		started[p.edges[i].from] = true
	}
	for _, node := range p.topology {
		clock := p.clocks[int(node)*s : int(node)*s+s]
		if own := &clock[p.strand[node]]; *own < node {
			*own = node
		} else if !p.grown[node] && !started[node] {
			continue
		}
		if p.stopped() {
			return
		}
		for _, m := range p.after.at(int(node)) {
			p.grown[m] = join(p.clocks[int(m)*s:int(m)*s+s], clock) || p.grown[m]
		}
	}
}

// join makes a clock know what another one knows, and tells whether it grew.
func join(clock, other []int32) bool {
	grown := false
	for i, x := range other {
		if x > clock[i] {
			clock[i], grown = x, true
		}
	}
	return grown
}

// reaches tells whether a path is known from one node to another. False says
// nothing if there are no clocks.
func (p *polygraph) reaches(from, to int32) bool {
	if p.clocks == nil {
		return from == to
	}
	return p.clocks[int(to)*p.strands+int(p.strand[from])] >= from
}
