package polysi

import "slices"

// sort orders the nodes so that all edges are followed. It is false if there is a
// cycle.
func (p *polygraph) sort() bool {
	n := len(p.txnOf)
	first := make([]int32, n+1)
	missing := make([]int32, n)
	for i := range p.edges {
		first[p.edges[i].from+1]++
		missing[p.edges[i].to]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	to := make([]int32, len(p.edges))
	at := slices.Clone(first[:n])
	for i := range p.edges {
		e := &p.edges[i]
		to[at[e.from]] = e.to
		at[e.from]++
	}
	p.topology = p.topology[:0]
	for i := range int32(n) {
		if missing[i] == 0 {
			p.topology = append(p.topology, i)
		}
	}
	for i := 0; i < len(p.topology); i++ {
		node := p.topology[i]
		for _, m := range to[first[node]:first[node+1]] {
			if missing[m]--; missing[m] == 0 {
				p.topology = append(p.topology, m)
			}
		}
	}
	if len(p.topology) < n {
		return false
	}
	p.tick(first, to)
	return true
}

// tick computes for every node and strand the last node of the strand that
// reaches it; -1 if there is none. Nodes reach themselves.
func (p *polygraph) tick(first, to []int32) {
	n, s := len(p.txnOf), p.strands
	if p.clocks == nil {
		if p.o.noClocks || 4*int64(n)*int64(s) > p.o.Memory/2 {
			return
		}
		p.clocks = make([]int32, n*s)
		for i := range p.clocks {
			p.clocks[i] = -1
		}
	}
	// Clocks only grow from round to round.
	for _, node := range p.topology {
		clock := p.clocks[int(node)*s : int(node)*s+s]
		if own := &clock[p.strand[node]]; *own < node {
			*own = node
		}
		for _, m := range to[first[node]:first[node+1]] {
			later := p.clocks[int(m)*s : int(m)*s+s]
			for i, x := range clock {
				if x > later[i] {
					later[i] = x
				}
			}
		}
	}
}

// reaches tells whether a path is known from one node to another. False says
// nothing if there are no clocks.
func (p *polygraph) reaches(from, to int32) bool {
	if p.clocks == nil {
		return from == to
	}
	return p.clocks[int(to)*p.strands+int(p.strand[from])] >= from
}
