package acyclic

import (
	"cmp"
	"slices"
)

// labelled is an end of an edge, and the literal that makes the edge be there;
// always if there is none.
type labelled struct {
	node int32
	when Lit
}

const always Lit = -1

// adjacency is the edges at each node: all[first[n]:first[n+1]].
type adjacency struct {
	first []int32
	all   []labelled
}

func (a *adjacency) at(n int32) []labelled { return a.all[a.first[n]:a.first[n+1]] }

// adjacent sorts edges by one of their ends, or by anything else that key says.
func adjacent(n int, edges []conditional, key func(e conditional) int32, value func(e conditional) labelled) adjacency {
	a := adjacency{first: make([]int32, n+1), all: make([]labelled, len(edges))}
	for _, e := range edges {
		a.first[key(e)+1]++
	}
	for i := range n {
		a.first[i+1] += a.first[i]
	}
	at := slices.Clone(a.first[:n])
	for _, e := range edges {
		k := key(e)
		a.all[at[k]] = value(e)
		at[k]++
	}
	return a
}

// order keeps the edges that are there so far, and an order of the nodes that
// they follow.
type order struct {
	out, in  adjacency    // edges that are there in any case
	outs     [][]labelled // those added, by their first node
	ins      [][]labelled
	stack    []arc // those added, to be taken back
	place    []int32
	possible adjacency // all edges that may be added, by their first node

	// Of the last search: what it reached from the end of the edge, and from its
	// beginning against the edges, and by which edge.
	ahead, behind          []int32
	aheadRun, behindRun    []int32
	aheadBy, behindBy      []labelled
	run                    int32
	places                 []int32
	cost                   []int32
	frontier, nextFrontier []int32
	// work is how many edges were looked at so far.
	work int
}

// newOrder gives the order of a group. It is not ok if edges that are there in
// any case make a cycle.
func newOrder(g *group) (o *order, ok bool) {
	n := g.nodes
	known := make([]conditional, len(g.known))
	for i, a := range g.known {
		known[i] = conditional{a, always}
	}
	from := func(e conditional) int32 { return e.from }
	to := func(e conditional) int32 { return e.to }
	o = &order{
		out:      adjacent(n, known, from, func(e conditional) labelled { return labelled{e.to, e.when} }),
		in:       adjacent(n, known, to, func(e conditional) labelled { return labelled{e.from, e.when} }),
		possible: adjacent(n, g.edges, from, func(e conditional) labelled { return labelled{e.to, e.when} }),
		outs:     make([][]labelled, n), ins: make([][]labelled, n), place: make([]int32, n),
		aheadRun: make([]int32, n), behindRun: make([]int32, n),
		aheadBy: make([]labelled, n), behindBy: make([]labelled, n), cost: make([]int32, n),
	}
	missing := make([]int32, n)
	var ready []int32
	for i := range int32(n) {
		if missing[i] = o.in.first[i+1] - o.in.first[i]; missing[i] == 0 {
			ready = append(ready, i)
		}
	}
	for i := 0; i < len(ready); i++ {
		o.place[ready[i]] = int32(i)
		for _, e := range o.out.at(ready[i]) {
			if missing[e.node]--; missing[e.node] == 0 {
				ready = append(ready, e.node)
			}
		}
	}
	return o, len(ready) == n
}

// add adds an edge. If that closes a cycle the edge is not added, and the conditions
// of the cycle are given. Otherwise searched tells whether ahead and behind are what
// the edge connects.
func (o *order) add(a arc, when Lit) (cycle []Lit, searched bool) {
	if a.from == a.to {
		return []Lit{when}, false
	}
	if o.place[a.from] > o.place[a.to] {
		if !o.forward(a) {
			return append(o.shortest(a), when), false
		}
		o.backward(a)
		o.reorder()
		searched = true
	}
	o.outs[a.from] = append(o.outs[a.from], labelled{a.to, when})
	o.ins[a.to] = append(o.ins[a.to], labelled{a.from, when})
	o.stack = append(o.stack, a)
	return nil, searched
}

// undo takes back the edges that were added last, down to a number of them. The
// order stays: fewer edges follow it, too.
func (o *order) undo(n int) {
	for len(o.stack) > n {
		a := o.stack[len(o.stack)-1]
		o.stack = o.stack[:len(o.stack)-1]
		o.outs[a.from] = o.outs[a.from][:len(o.outs[a.from])-1]
		o.ins[a.to] = o.ins[a.to][:len(o.ins[a.to])-1]
	}
}

// forward finds what is after the end of an edge and not after its beginning in
// the order. It is false if the beginning is reached.
func (o *order) forward(a arc) bool {
	o.run++
	o.ahead = append(o.ahead[:0], a.to)
	o.aheadRun[a.to] = o.run
	limit := o.place[a.from]
	for i := 0; i < len(o.ahead); i++ {
		n := o.ahead[i]
		for _, list := range [2][]labelled{o.out.at(n), o.outs[n]} {
			o.work += len(list)
			for _, e := range list {
				if e.node == a.from {
					return false
				}
				if o.place[e.node] < limit && o.aheadRun[e.node] != o.run {
					o.aheadRun[e.node], o.aheadBy[e.node] = o.run, labelled{n, e.when}
					o.ahead = append(o.ahead, e.node)
				}
			}
		}
	}
	return true
}

// backward finds what is before the beginning of an edge and not before its end.
func (o *order) backward(a arc) {
	o.behind = append(o.behind[:0], a.from)
	o.behindRun[a.from] = o.run
	limit := o.place[a.to]
	for i := 0; i < len(o.behind); i++ {
		n := o.behind[i]
		for _, list := range [2][]labelled{o.in.at(n), o.ins[n]} {
			o.work += len(list)
			for _, e := range list {
				if o.place[e.node] > limit && o.behindRun[e.node] != o.run {
					o.behindRun[e.node], o.behindBy[e.node] = o.run, labelled{n, e.when}
					o.behind = append(o.behind, e.node)
				}
			}
		}
	}
}

// reorder puts what is behind before what is ahead, in the places that both have.
func (o *order) reorder() {
	byPlace := func(x, y int32) int { return cmp.Compare(o.place[x], o.place[y]) }
	slices.SortFunc(o.ahead, byPlace)
	slices.SortFunc(o.behind, byPlace)
	o.places = o.places[:0]
	for _, list := range [2][]int32{o.behind, o.ahead} {
		for _, n := range list {
			o.places = append(o.places, o.place[n])
		}
	}
	slices.Sort(o.places)
	i := 0
	for _, list := range [2][]int32{o.behind, o.ahead} {
		for _, n := range list {
			o.place[n] = o.places[i]
			i++
		}
	}
}

// shortest gives the conditions of a path from the end of an edge to its beginning,
// as few as possible.
func (o *order) shortest(a arc) []Lit {
	o.run++
	limit := o.place[a.from]
	o.aheadRun[a.to], o.cost[a.to] = o.run, 0
	o.frontier = append(o.frontier[:0], a.to)
	for cost := int32(0); len(o.frontier) > 0; cost++ {
		o.nextFrontier = o.nextFrontier[:0]
		for i := 0; i < len(o.frontier); i++ {
			n := o.frontier[i]
			if o.cost[n] != cost {
				continue // it was reached in a cheaper way
			}
			if n == a.from {
				return o.conditions(a)
			}
			for _, list := range [2][]labelled{o.out.at(n), o.outs[n]} {
				o.work += len(list)
				for _, e := range list {
					to := cost
					if e.when != always {
						to++
					}
					if o.place[e.node] > limit || o.aheadRun[e.node] == o.run && o.cost[e.node] <= to {
						continue
					}
					o.aheadRun[e.node], o.cost[e.node], o.aheadBy[e.node] = o.run, to, labelled{n, e.when}
					if to == cost {
						o.frontier = append(o.frontier, e.node)
					} else {
						o.nextFrontier = append(o.nextFrontier, e.node)
					}
				}
			}
		}
		o.frontier, o.nextFrontier = o.nextFrontier, o.frontier
	}
	panic("acyclic: the path of a cycle is gone")
}

// conditions gives those of the path that was found from the end of an edge to
// its beginning.
func (o *order) conditions(a arc) []Lit {
	var out []Lit
	for n := a.from; n != a.to; n = o.aheadBy[n].node {
		if l := o.aheadBy[n].when; l != always && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// closing calls close for every undecided edge from what is ahead to what is
// behind, with the conditions of the path that it would close.
func (o *order) closing(added arc, when Lit, undecided func(l Lit) bool, close func(l Lit, path []Lit)) {
	for _, n := range o.ahead {
		o.work += len(o.possible.at(n))
		for _, e := range o.possible.at(n) {
			if o.behindRun[e.node] != o.run || !undecided(e.when) {
				continue
			}
			path := []Lit{when}
			take := func(l Lit) {
				if l != always && !slices.Contains(path, l) {
					path = append(path, l)
				}
			}
			for m := n; m != added.to; m = o.aheadBy[m].node {
				take(o.aheadBy[m].when)
			}
			for m := e.node; m != added.from; m = o.behindBy[m].node {
				take(o.behindBy[m].when)
			}
			close(e.when, path)
		}
	}
}
