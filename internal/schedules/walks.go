package schedules

import (
	"context"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/commits"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/walk"
)

// Processes gives the sessions of the program's processes, with n copies of
// those that may have any number.
func Processes(p *ir.Program, n int) [][]*ir.Txn {
	var out [][]*ir.Txn
	for _, pr := range p.Processes {
		copies := pr.Copies
		if copies == ir.Any {
			copies = n
		}
		for i := 0; i < copies; i++ {
			out = append(out, pr.Txns)
		}
	}
	return out
}

// WalkOptions direct FromWalks.
type WalkOptions struct {
	// Helpers bounds the transactions besides the delayed one (default 4).
	Helpers int
	// SessionOrder also tries consecutive helpers in one session.
	SessionOrder bool
	// MaxQueries bounds what is made (default 60).
	MaxQueries int
}

// FromWalks gives the queries that a proof's remaining walks suggest, likely
// ones first: the transactions of each walk; these with one more, since what
// makes a walk an anomaly may be a transaction that is not on it
// (docs/soundness.md, S1); and those of two walks together. base gives the
// program, the engine and the options of all of them.
//
// A program with processes has one query, which runs all of its sessions: any
// of them may stop early.
func FromWalks(base Query, walks []*walk.Walk, opt WalkOptions) []Query {
	if opt.Helpers == 0 {
		opt.Helpers = 4
	}
	if opt.MaxQueries == 0 {
		opt.MaxQueries = 60
	}
	if len(base.Program.Processes) > 0 {
		base.Sessions, base.Expected = Processes(base.Program, 2), nil
		return []Query{base}
	}
	c := &collector{base: base, opt: opt, seen: map[string]bool{}, tables: map[*ir.Txn]footprint{}}
	for _, t := range base.Program.Txns {
		if commits.Of(t).Never() {
			c.stuck = append(c.stuck, t)
		}
	}
	walks = slices.DeleteFunc(slices.Clone(walks), func(w *walk.Walk) bool { return !c.closed(w) })
	slices.SortStableFunc(walks, func(a, b *walk.Walk) int { return len(a.Helpers) - len(b.Helpers) })
	for _, w := range walks {
		c.walk(w)
	}
	// One more: first those that are on some walk.
	suspects := map[*ir.Txn]bool{}
	for _, w := range walks {
		for _, t := range w.Templates() {
			suspects[t] = true
		}
	}
	for _, suspect := range []bool{true, false} {
		for _, w := range walks {
			if c.full() {
				return c.out
			}
			for _, t := range base.Program.Txns {
				if suspects[t] == suspect && c.related(t, w.Templates()) {
					c.add(append(alone(w.Templates()), []*ir.Txn{t}), between(expected(w)))
				}
			}
		}
	}
	for i, a := range walks {
		for _, b := range walks[:i] {
			if c.full() {
				return c.out
			}
			c.add(alone(union(a.Templates(), b.Templates())), nil)
		}
	}
	return c.out
}

type collector struct {
	base  Query
	opt   WalkOptions
	stuck []*ir.Txn // that never commit
	seen  map[string]bool
	out   []Query
	// tables are those of the transactions that were looked at.
	tables map[*ir.Txn]footprint
}

// full reports whether no more queries are made.
func (c *collector) full() bool { return len(c.out) >= c.opt.MaxQueries }

// maxOnWalk is the largest number of transactions of a walk of which its own order is
// tried, whatever WalkOptions.Helpers is.
const maxOnWalk = 12

// add makes a query, unless there is one with the same sessions. Sessions end
// before a transaction that never commits.
func (c *collector) add(sessions [][]*ir.Txn, expected []Order) {
	c.within(c.opt.Helpers+1, sessions, expected)
}

// within is add for at most so many transactions.
func (c *collector) within(most int, sessions [][]*ir.Txn, expected []Order) {
	sessions, expected = c.withoutStuck(sessions, expected)
	n := 0
	var names []string
	for _, list := range sessions {
		n += len(list)
		name := ""
		for _, t := range list {
			name += t.Name + ";"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	key := strings.Join(names, ",")
	if n < 2 || n > most || c.seen[key] || c.full() {
		return
	}
	c.seen[key] = true
	q := c.base
	if n > c.opt.Helpers+1 {
		q.Options.Orders = -1
	}
	q.Sessions, q.Expected = sessions, expected
	c.out = append(c.out, q)
}

// withoutStuck ends sessions before a transaction that never commits.
func (c *collector) withoutStuck(sessions [][]*ir.Txn, expected []Order) ([][]*ir.Txn, []Order) {
	var kept [][]*ir.Txn
	var gone []int // calls
	n := 0
	for _, list := range sessions {
		end := slices.IndexFunc(list, func(t *ir.Txn) bool { return slices.Contains(c.stuck, t) })
		if end < 0 {
			end = len(list)
		}
		if end > 0 {
			kept = append(kept, list[:end])
		}
		for i := end; i < len(list); i++ {
			gone = append(gone, n+i)
		}
		n += len(list)
	}
	if len(gone) == 0 {
		return sessions, expected
	}
	var orders []Order
	for _, o := range expected {
		for _, call := range slices.Backward(gone) {
			o = o.without(slices.Index(o.Commits, call))
		}
		if d, _ := o.delayed(); d > 0 {
			orders = append(orders, o)
		}
	}
	return kept, orders
}

// expected is the order that follows from a walk: the delayed transaction comes
// first and commits after the atomic helpers; those that are only issued in its
// window commit after it.
func expected(w *walk.Walk) Order {
	var o, late Order
	for i, h := range w.Helpers {
		if h.Kind == walk.Issued {
			late.Commits = append(late.Commits, i+1)
			late.Snapshots = append(late.Snapshots, len(o.Commits))
			continue
		}
		o.Snapshots = append(o.Snapshots, len(o.Commits))
		o.Commits = append(o.Commits, i+1)
	}
	o.Commits = append(append(o.Commits, 0), late.Commits...)
	o.Snapshots = append(append(o.Snapshots, 0), late.Snapshots...)
	return o
}

// between gives the orders in which one more call runs, as a whole, between two
// commits of the others.
func between(o Order) []Order {
	var out []Order
	n := len(o.Commits)
	for pos := n; pos >= 0; pos-- {
		x := Order{Commits: slices.Insert(slices.Clone(o.Commits), pos, n), Snapshots: slices.Insert(slices.Clone(o.Snapshots), pos, pos)}
		for i := pos + 1; i <= n; i++ {
			// A snapshot that a delayed one takes here sees the new one no more.
			if s := x.Snapshots[i]; s > pos || s == i-1 {
				x.Snapshots[i]++
			}
		}
		if d, _ := x.delayed(); d > 0 {
			out = append(out, x)
		}
	}
	return out
}

// walk makes the queries of one walk.
func (c *collector) walk(w *walk.Walk) {
	c.within(max(maxOnWalk, c.opt.Helpers+1), alone(w.Templates()), []Order{expected(w)})
	if !c.opt.SessionOrder {
		return
	}
	// Every way to put consecutive helpers into one session.
	for cuts := 0; cuts < 1<<max(0, len(w.Helpers)-1); cuts++ {
		sessions := alone([]*ir.Txn{w.Delayed})
		for i, h := range w.Helpers {
			if i > 0 && cuts&(1<<(i-1)) != 0 {
				last := len(sessions) - 1
				sessions[last] = append(sessions[last], h.Txn)
			} else {
				sessions = append(sessions, []*ir.Txn{h.Txn})
			}
		}
		c.add(sessions, nil)
	}
}

// alone gives every transaction its own session.
func alone(list []*ir.Txn) [][]*ir.Txn {
	var out [][]*ir.Txn
	for _, t := range list {
		out = append(out, []*ir.Txn{t})
	}
	return out
}

// union is the smallest list that has all of a and all of b, repetitions
// included.
func union(a, b []*ir.Txn) []*ir.Txn {
	out := slices.Clone(a)
	left := slices.Clone(a)
	for _, t := range b {
		if i := slices.Index(left, t); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else {
			out = append(out, t)
		}
	}
	return out
}

// related reports whether a transaction touches a table that one of the others
// writes, or writes one that they touch.
func (c *collector) related(t *ir.Txn, others []*ir.Txn) bool {
	return slices.ContainsFunc(others, func(o *ir.Txn) bool {
		a, b := c.footprint(t), c.footprint(o)
		return a.meets(b) || b.meets(a)
	})
}

// closed reports whether a walk can be a cycle as far as its tables tell: each
// transaction of it is related to another one.
func (c *collector) closed(w *walk.Walk) bool {
	list := w.Templates()
	for i, t := range list {
		if !c.related(t, slices.Concat(list[:i], list[i+1:])) {
			return false
		}
	}
	return true
}

// footprint is the tables of a transaction.
type footprint struct{ touches, writes map[*ir.Table]bool }

// meets reports whether the other one writes a table that this one touches.
func (f footprint) meets(other footprint) bool {
	for t := range other.writes {
		if f.touches[t] {
			return true
		}
	}
	return false
}

func (c *collector) footprint(t *ir.Txn) footprint {
	if f, ok := c.tables[t]; ok {
		return f
	}
	f := footprint{map[*ir.Table]bool{}, map[*ir.Table]bool{}}
	ir.Walk(t.Body, func(s ir.Stmt) {
		for _, src := range ir.Reads(s) {
			f.touches[src.Table] = true
		}
		if u := ir.Written(s); u != nil {
			f.touches[u], f.writes[u] = true, true
			for _, v := range c.base.Program.Tables { // foreign keys look for rows, too
				f.touches[v] = f.touches[v] || u.RefersTo(v) || v.RefersTo(u)
			}
		}
		if touchesAll(s) {
			for _, u := range c.base.Program.Tables {
				f.touches[u], f.writes[u] = true, true
			}
		}
	})
	c.tables[t] = f
	return f
}

// minEffort is the least Options.Effort of a query of several.
const minEffort = 100000

// FindAny searches the queries, and gives the first anomaly: in a first round
// with little effort for each, then with all that their options allow. They
// share the Effort of one.
func FindAny(ctx context.Context, queries []Query) (*Anomaly, Stats, error) {
	var total Stats
	for _, quick := range []bool{true, false} {
		bounded := ""
		for _, q := range queries {
			if quick && len(queries) == 1 {
				break // the second round has it all
			}
			q.Options.Quick = q.Options.Quick || quick
			q.Options.Effort = max(q.Options.withDefaults().Effort/len(queries), minEffort)
			a, stats, err := Find(ctx, q)
			total.Add(stats)
			if stats.Bounded != "" {
				bounded = stats.Bounded
			}
			if a != nil || err != nil {
				return a, total, err
			}
		}
		total.Bounded = bounded
	}
	total.Exhausted = total.Exhausted && len(queries) == 1
	return nil, total, nil
}
