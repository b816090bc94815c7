package contract

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/txrobust/robust/isolation"
)

// weakLevels are those whose demands follow from who read from whom, stronger ones first.
func weakLevels() []isolation.Level {
	return []isolation.Level{isolation.CC, isolation.RA, isolation.RC}
}

// weakVerdict is what the links of a window say.
type weakVerdict struct {
	Window int
	// Open are the levels that the window does not satisfy as it is.
	Open []string
	// Grow are what the window should have, too, so that more is known.
	Grow []Interval
	// Cycles are transactions that seem to violate a level by themselves.
	Cycles [][]Pos
}

// weigh judges the windows of a group by their links.
func (j *Job) weigh(ctx context.Context, group int, blobs [][]byte) ([]byte, error) {
	nodes, links := map[int][]nodeRecord{}, map[int][]reader{}
	for _, b := range blobs {
		for r := reader(b); len(r) > 0; {
			w := int(r.uint())
			at, flags := r.pos(), r.uint()
			nodes[w] = append(nodes[w], nodeRecord{at, flags&2 != 0, flags&1 != 0, r.text()})
		}
	}
	files, err := j.readLinks(group)
	if err != nil {
		return nil, err
	}
	for _, b := range files {
		for r := reader(b); len(r) > 0; {
			w := int(r.uint())
			links[w] = append(links[w], r)
			l := linkReader{r: r}
			l.key(func(ID, bool) {}, func(ID, int, int, Pos) {})
			r = l.r
		}
	}
	var out []weakVerdict
	for _, w := range sortedKeys(nodes) {
		s := newSkeleton(nodes[w], links[w])
		delete(nodes, w)
		delete(links, w)
		v, err := s.verdict(ctx, j.Levels)
		if err != nil {
			return nil, err
		}
		v.Window = w
		out = append(out, *v)
	}
	return json.Marshal(out)
}

// verdict says which of some levels the window does not satisfy.
func (s *skeleton) verdict(ctx context.Context, levels []string) (*weakVerdict, error) {
	v := &weakVerdict{}
	base := s.base()
	order := s.topological(base)
	for _, l := range weakLevels() {
		if !slices.Contains(levels, l.String()) {
			continue
		}
		if s.odd || len(order) < len(s.at) {
			v.Open = append(v.Open, l.String())
			continue
		}
		var some []arc
		var err error
		if l == isolation.CC {
			some, err = s.causalArcs(ctx, order)
		} else {
			some = s.readArcs(l == isolation.RA)
		}
		if err != nil {
			return nil, err
		}
		fits := s.inside(v, &some)
		all := append(some, base...)
		if fits && len(s.topological(append(slices.Clip(all), s.closings()...))) == len(s.at) {
			return v, nil // and so are the weaker ones
		}
		v.Open = append(v.Open, l.String())
		if left := s.topological(all); len(left) < len(s.at) {
			s.addCycle(v, all, left)
		}
	}
	if len(order) < len(s.at) {
		s.addCycle(v, base, order)
	}
	return v, nil
}

// inside leaves out the arcs that lead out of the window: those to the initial version are violations, and for
// others the window has to grow. It tells whether there were none.
func (s *skeleton) inside(v *weakVerdict, arcs *[]arc) bool {
	n := len(*arcs)
	initial := false
	*arcs = slices.DeleteFunc(*arcs, func(a arc) bool {
		switch {
		case a.to >= 0:
			return false
		case a.to == initialNode:
			if !initial {
				v.Cycles = append(v.Cycles, s.positions(s.sight(a)))
			}
			initial = true
		default:
			from := s.outside[elsewhere-a.to]
			v.Grow = append(v.Grow, Interval{earlier(from, s.at[a.from]), later(from, s.at[a.from])})
		}
		return true
	})
	v.Grow = merge(v.Grow)
	return len(*arcs) == n
}

// topological gives an order along arcs of what is on no cycle, and not behind one.
func (s *skeleton) topological(arcs []arc) []int32 {
	next, targets := s.outgoing(arcs)
	into := make([]int32, len(s.at))
	for _, t := range targets {
		into[t]++
	}
	order := make([]int32, 0, len(s.at))
	for t := range into {
		if into[t] == 0 {
			order = append(order, int32(t))
		}
	}
	for i := 0; i < len(order); i++ {
		t := order[i]
		for _, u := range targets[next[t]:next[t+1]] {
			if into[u]--; into[u] == 0 {
				order = append(order, u)
			}
		}
	}
	return order
}

// outgoing gives the targets of arcs, and where those of each transaction begin.
func (s *skeleton) outgoing(arcs []arc) (next, targets []int32) {
	next = make([]int32, len(s.at)+1)
	for _, a := range arcs {
		next[a.from+1]++
	}
	for t := range s.at {
		next[t+1] += next[t]
	}
	targets = make([]int32, len(arcs))
	at := slices.Clone(next)
	for _, a := range arcs {
		targets[at[a.from]] = a.to
		at[a.from]++
	}
	return next, targets
}

// tries is how many arcs addCycle looks for a short cycle through.
const tries = 64

// addCycle adds the transactions of a short cycle, with what the arcs on it come from.
func (s *skeleton) addCycle(v *weakVerdict, arcs []arc, acyclic []int32) {
	left := make([]bool, len(s.at))
	for i := range left {
		left[i] = true
	}
	for _, t := range acyclic {
		left[t] = false
	}
	within := make([]arc, 0, len(arcs))
	for _, a := range arcs {
		if left[a.from] && left[a.to] {
			within = append(within, a)
		}
	}
	into := make([][]arc, len(s.at))
	for _, a := range within {
		into[a.to] = append(into[a.to], a)
	}
	var best []arc
	n := 0
	for _, a := range within {
		if s.at[a.from].before(s.at[a.to]) {
			continue // skip arcs that lead forward: every cycle has an arc that leads back
		}
		if p := path(into, a.to, a.from); p != nil && (best == nil || len(p) < len(best)) {
			best = append(p, a)
		}
		if n++; n == tries && best != nil {
			break
		}
	}
	var out []int32
	for _, a := range best {
		out = append(out, s.sight(a)...)
	}
	if len(out) > 0 {
		v.Cycles = append(v.Cycles, s.positions(out))
	}
}

// path gives a shortest path, or nil: the arcs into each transaction are given.
func path(into [][]arc, from, to int32) []arc {
	by := map[int32]arc{to: {}}
	queue := []int32{to}
	for len(queue) > 0 {
		t := queue[0]
		queue = queue[1:]
		if t == from {
			var out []arc
			for ; t != to; t = by[t].to {
				out = append(out, by[t])
			}
			return out
		}
		for _, a := range into[t] {
			if _, seen := by[a.from]; !seen {
				by[a.from] = a
				queue = append(queue, a.from)
			}
		}
	}
	return nil
}

// sight gives the transactions that an arc comes from: its ends, and for a concluded one the reader with the reads and
// sessions through which it saw the first one.
func (s *skeleton) sight(a arc) []int32 {
	out := []int32{a.from}
	if a.to >= 0 {
		out = append(out, a.to)
	}
	if a.reader < listed {
		return append(out, listed-1-a.reader)
	}
	if a.reader < 0 {
		return out
	}
	out = append(out, a.reader)
	by := map[int32]int32{a.reader: noNode}
	for queue := []int32{a.reader}; len(queue) > 0; queue = queue[1:] {
		t := queue[0]
		if t == a.from {
			for ; t != noNode; t = by[t] {
				out = append(out, t)
			}
			break
		}
		visit := func(u int32) {
			if _, seen := by[u]; u >= 0 && !seen {
				by[u] = t
				queue = append(queue, u)
			}
		}
		visit(s.before(t))
		for _, r := range s.reads[t] {
			visit(r.from)
		}
	}
	return out
}

// positions gives those of some transactions, and of those from which it is known that they took effect.
func (s *skeleton) positions(some []int32) []Pos {
	for i := 0; i < len(some); i++ {
		if w := s.witness[some[i]]; w >= 0 && !slices.Contains(some, w) {
			some = append(some, w)
		}
	}
	slices.Sort(some)
	var out []Pos
	for _, t := range slices.Compact(some) {
		out = append(out, s.at[t])
	}
	return out
}
