package schedules

import "sort"

// order is an order of snapshots and commits of calls.
type order struct {
	// commits lists the calls in commit order.
	commits []int
	// snaps gives, per commit, how many commits its snapshot sees.
	snaps []int
}

// delayed counts the transactions with commits inside their window, and delay
// sums the lengths of the windows.
func (o order) delayed() (delayed, delay int) {
	for i, s := range o.snaps {
		if s < i {
			delayed++
			delay += i - s
		}
	}
	return
}

// oneDelayed is: the first call takes its snapshot, the others run one after
// another, and it commits.
func oneDelayed(n int) order {
	o := order{commits: make([]int, n), snaps: make([]int, n)}
	for i := 0; i < n-1; i++ {
		o.commits[i], o.snaps[i] = i+1, i
	}
	return o
}

// without is the order when the call at a position takes no part.
func (o order) without(pos int) order {
	gone := o.commits[pos]
	out := order{}
	for i, c := range o.commits {
		if i == pos {
			continue
		}
		if c > gone {
			c--
		}
		s := o.snaps[i]
		if s > pos {
			s--
		}
		out.commits = append(out.commits, c)
		out.snaps = append(out.snaps, s)
	}
	return out
}

// orders gives the orders in which something is delayed, those with few and
// short delays first, up to a bound. Calls of one session follow each other;
// calls with one kind are interchangeable if they are alone in their sessions.
// The first calls, builders of them, run one after another before the others.
// complete is false when the bound left some out.
func orders(session, kind []int, builders, bound int) (list []order, complete bool) {
	n := len(session)
	alone := make([]bool, n)
	for i := range session {
		alone[i] = true
		for k := range session {
			if k != i && session[k] == session[i] {
				alone[i] = false
			}
		}
	}
	complete = true
	// Enumerate by total delay, so that the bound keeps the simple ones.
	limit := (n - builders) * (n - builders - 1) / 2
	for want := 1; want <= limit; want++ {
		var level []order
		var rec func(o order, left int)
		rec = func(o order, left int) {
			if len(list)+len(level) > 20*bound {
				complete = false
				return
			}
			i := len(o.commits)
			if i == n {
				if left == 0 {
					level = append(level, order{append([]int(nil), o.commits...), append([]int(nil), o.snaps...)})
				}
				return
			}
			for c := 0; c < n; c++ {
				if i < builders && c != i || !available(o.commits, session, kind, alone, c) {
					continue
				}
				last := builders
				for j, d := range o.commits {
					if session[d] == session[c] && j+1 > last {
						last = j + 1
					}
				}
				for s := i; s >= min(last, i) && i-s <= left; s-- {
					rec(order{append(o.commits, c), append(o.snaps, s)}, left-(i-s))
				}
			}
		}
		rec(order{}, want)
		list = append(list, level...)
		if len(list) >= bound {
			complete = complete && want == limit && len(list) == bound
			break
		}
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		da, sa := a.delayed()
		db, sb := b.delayed()
		if da != db {
			return da < db
		}
		return sa < sb
	})
	return list[:min(len(list), bound)], complete
}

// available reports whether call c may commit next: it has not, those before
// it in its session have, and so has every interchangeable one before it.
func available(done, session, kind []int, alone []bool, c int) bool {
	is := func(d int) bool {
		for _, x := range done {
			if x == d {
				return true
			}
		}
		return false
	}
	if is(c) {
		return false
	}
	for d := 0; d < c; d++ {
		if is(d) {
			continue
		}
		if session[d] == session[c] || kind[d] == kind[c] && alone[d] && alone[c] {
			return false
		}
	}
	return true
}
