package contract

import "slices"

// Interval is a part of the candidate order, both ends included.
type Interval struct{ From, To Pos }

func (i Interval) has(p Pos) bool { return !p.before(i.From) && !i.To.before(p) }

// meets tells whether two intervals share a position.
func (i Interval) meets(j Interval) bool { return !j.To.before(i.From) && !i.To.before(j.From) }

func (i Interval) with(j Interval) Interval {
	return Interval{earlier(i.From, j.From), later(i.To, j.To)}
}

// merge gives the connected parts of the union of intervals, sorted. It reuses the memory of in.
func merge(in []Interval) []Interval {
	slices.SortFunc(in, func(a, b Interval) int { return a.From.compare(b.From) })
	out := in[:0]
	for _, i := range in {
		if n := len(out); n > 0 && out[n-1].meets(i) {
			out[n-1].To = later(out[n-1].To, i.To)
		} else {
			out = append(out, i)
		}
	}
	return out
}

// find gives the number of the interval that has a position, or -1. The intervals are
// sorted and do not meet.
func find(all []Interval, p Pos) int {
	i, found := slices.BinarySearchFunc(all, p, func(x Interval, p Pos) int { return x.From.compare(p) })
	if !found {
		i--
	}
	if i >= 0 && all[i].has(p) {
		return i
	}
	return -1
}

// widen makes intervals cover each of the others that they meet, until they do.
func widen(some, others []Interval) []Interval {
	some = merge(some)
	for {
		var all []Interval
		for _, o := range others {
			i, _ := slices.BinarySearchFunc(some, o.From, func(x Interval, p Pos) int { return x.To.compare(p) })
			if i < len(some) && some[i].meets(o) && (o.From.before(some[i].From) || some[i].To.before(o.To)) {
				all = append(all, o)
			}
		}
		if len(all) == 0 {
			return some
		}
		some = merge(append(slices.Clone(some), all...))
	}
}
