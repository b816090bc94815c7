package schedules

import (
	"slices"
	"sort"
)

// Order is an order of snapshots and commits of calls.
type Order struct {
	// Commits lists the calls in commit order, as numbers of the transactions
	// of all sessions, one session after the other.
	Commits []int
	// Snapshots gives, per commit, how many commits its snapshot sees.
	Snapshots []int
	// Cut, if not 0, makes it an order at READ COMMITTED: the last to commit is
	// interrupted at this cut (interp.Machine.Interrupt), and the others run there. With Waits
	// it is the number of a snapshot in which it waits for the only other one (interp.Machine.Wait).
	Cut   int
	Waits bool
}

// delayed counts the transactions with commits inside their window, and delay
// sums the lengths of the windows.
func (o Order) delayed() (delayed, delay int) {
	for i, s := range o.Snapshots {
		if s < i {
			delayed++
			delay += i - s
		}
	}
	return
}

// OneDelayed is: the first of n calls takes its snapshot, the others run one
// after another, and the first commits.
func OneDelayed(n int) Order {
	o := Order{Commits: make([]int, n), Snapshots: make([]int, n)}
	for i := 0; i < n-1; i++ {
		o.Commits[i], o.Snapshots[i] = i+1, i
	}
	return o
}

// after is the order with n other calls, the first ones, running one after
// another before.
func (o Order) after(n int) Order {
	out := Order{}
	for i := 0; i < n; i++ {
		out.Commits, out.Snapshots = append(out.Commits, i), append(out.Snapshots, i)
	}
	for i := range o.Commits {
		out.Commits, out.Snapshots = append(out.Commits, o.Commits[i]+n), append(out.Snapshots, o.Snapshots[i]+n)
	}
	return out
}

// without is the order when the call at a position takes no part.
func (o Order) without(pos int) Order {
	gone := o.Commits[pos]
	out := Order{}
	for i, c := range o.Commits {
		if i == pos {
			continue
		}
		if c > gone {
			c--
		}
		s := o.Snapshots[i]
		if s > pos {
			s--
		}
		out.Commits = append(out.Commits, c)
		out.Snapshots = append(out.Snapshots, s)
	}
	return out
}

// orders gives the orders in which something is delayed, those with few and
// short delays first, up to a bound. Calls of one session follow each other;
// calls with one kind are interchangeable if they are alone in their sessions.
// The first calls, builders of them, run one after another before the others.
// complete is false when the bound left some out.
func orders(session, kind []int, builders, bound int) (list []Order, complete bool) {
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
		var level []Order
		var rec func(o Order, left int)
		rec = func(o Order, left int) {
			if len(list)+len(level) > 20*bound {
				complete = false
				return
			}
			i := len(o.Commits)
			if i == n {
				if left == 0 {
					level = append(level, Order{Commits: slices.Clone(o.Commits), Snapshots: slices.Clone(o.Snapshots)})
				}
				return
			}
			for c := 0; c < n; c++ {
				if i < builders && c != i || !available(o.Commits, session, kind, alone, c) {
					continue
				}
				last := builders
				for j, d := range o.Commits {
					if session[d] == session[c] && j+1 > last {
						last = j + 1
					}
				}
				for s := i; s >= min(last, i) && i-s <= left; s-- {
					rec(Order{Commits: append(o.Commits, c), Snapshots: append(o.Snapshots, s)}, left-(i-s))
				}
			}
		}
		rec(Order{}, want)
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
