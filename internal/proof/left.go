package proof

import "slices"

// Left is the walks of one delayed vertex that contain no refuted piece.
type Left struct {
	a       *walks
	delayed int
}

// Left gives the walks of a delayed vertex that the refuted pieces leave. Pieces of other
// vertices' walks are left out.
func (n *Graph) Left(delayed int, refuted []Question) *Left {
	return &Left{n.without(delayed, refuted), delayed}
}

// leg is a step of a walk: an element, from a place to another one. There closes is that
// the walk may end.
type leg struct {
	to     place
	elem   Element
	closes bool
}

// legs gives the steps from a place; before is the newest element there, nil at the
// beginning.
func (l *Left) legs(from place, before *Element) []leg {
	a := l.a
	follow := a.near.affecting(l.delayed)
	if before != nil {
		follow = a.near.meeting(before.Vertex)
	}
	var out []leg
	for _, v := range follow {
		for _, kind := range []Kind{Atomic, Issued} {
			if kind == Issued && from.issued {
				continue
			}
			ran, ok := a.runs(l.delayed, from.ran, v, kind)
			if !ok {
				continue
			}
			to := place{a.step(from.state, letter{v, kind}), v, kind == Issued, ran}
			if a.dead[to.state] {
				continue
			}
			_, near := slices.BinarySearch(a.near.meeting(l.delayed), v)
			out = append(out, leg{to, Element{v, kind}, near && !a.dead[a.step(to.state, end)]})
		}
	}
	return out
}

// begin is where walks begin; ok is false where there are none.
func (l *Left) begin() (p place, ok bool) {
	if l.a.dead[0] {
		return p, false
	}
	p = place{state: l.a.step(0, start), newest: -1, issued: true}
	return p, !l.a.dead[p.state]
}

// element is the newest element at a place, nil at the beginning.
func (p place) element() *Element {
	switch {
	case p.newest < 0:
		return nil
	case p.issued:
		return &Element{p.newest, Issued}
	}
	return &Element{p.newest, Atomic}
}

// Through says of each vertex whether it is on some walk, the delayed one included.
func (l *Left) Through() []bool {
	on := make([]bool, len(l.a.vertices))
	first, ok := l.begin()
	if !ok {
		return on
	}
	before := map[place][]place{}
	var live []place
	queue := []place{first}
	seen := map[place]bool{first: true}
	closed := map[place]bool{}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		for _, g := range l.legs(p, p.element()) {
			before[g.to] = append(before[g.to], p)
			if !seen[g.to] {
				seen[g.to] = true
				queue = append(queue, g.to)
			}
			if g.closes && !closed[g.to] {
				closed[g.to] = true
				live = append(live, g.to)
			}
		}
	}
	if len(live) > 0 {
		on[l.delayed] = true
	}
	for len(live) > 0 {
		p := live[0]
		live = live[1:]
		if p.newest >= 0 {
			on[p.newest] = true
		}
		for _, b := range before[p] {
			if !closed[b] {
				closed[b] = true
				live = append(live, b)
			}
		}
	}
	return on
}

// Wanted says which walk is looked for.
type Wanted struct {
	// Without are sets of transactions of which the elements of the walk have none as a
	// whole.
	Without [][]string
	// Places bounds the places that are looked at.
	Places int
}

// sought is where the search for a wanted walk is: mask has the transactions that were met
// of those that sets are made of.
type sought struct {
	place
	mask string
}

// Find gives a shortest walk that is wanted, nil if there is none. bounded says that the
// places ran out first.
func (l *Left) Find(want Wanted) (out []Element, bounded bool) {
	first, ok := l.begin()
	if !ok {
		return nil, false
	}
	m := newMasks(want.Without)
	type visit struct {
		sought
		before int
	}
	visits := []visit{{sought{first, m.none()}, -1}}
	seen := map[sought]bool{visits[0].sought: true}
	for at := 0; at < len(visits); at++ {
		if at >= want.Places {
			return nil, true
		}
		v := visits[at]
		for _, g := range l.legs(v.place, v.element()) {
			next := sought{place: g.to}
			if next.mask, ok = m.with(v.mask, l.a.vertices[g.elem.Vertex].Name); !ok || seen[next] {
				continue
			}
			seen[next] = true
			visits = append(visits, visit{next, at})
			if !g.closes {
				continue
			}
			for k := len(visits) - 1; k > 0; k = visits[k].before {
				out = append(out, *visits[k].element())
			}
			slices.Reverse(out)
			return out, false
		}
	}
	return nil, false
}

// masks follow which members of some sets were met.
type masks struct {
	bit  map[string]int
	sets [][]string
	of   map[string][]int // the sets that have a member
}

func newMasks(sets [][]string) *masks {
	m := &masks{bit: map[string]int{}, sets: sets, of: map[string][]int{}}
	for i, set := range sets {
		for _, x := range set {
			if _, known := m.bit[x]; !known {
				m.bit[x] = len(m.bit)
			}
			m.of[x] = append(m.of[x], i)
		}
	}
	return m
}

func (m *masks) none() string { return string(make([]byte, (len(m.bit)+7)/8)) }

func (m *masks) has(mask, x string) bool { return mask[m.bit[x]/8]&(1<<(m.bit[x]%8)) != 0 }

// with adds a member; ok is false where a set is complete then.
func (m *masks) with(mask, x string) (out string, ok bool) {
	k, known := m.bit[x]
	if !known || m.has(mask, x) {
		return mask, true
	}
	b := []byte(mask)
	b[k/8] |= 1 << (k % 8)
	out = string(b)
	for _, i := range m.of[x] {
		if !slices.ContainsFunc(m.sets[i], func(y string) bool { return !m.has(out, y) }) {
			return out, false
		}
	}
	return out, true
}
