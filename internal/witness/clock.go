package witness

import (
	"time"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// The times of a witness in which somebody looks at the clock: what is later than the
// clock is far in the future, and the clock itself shows some day.
var (
	someDay   = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	farFuture = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
)

// Timed moves the points in time of the evidence such that it holds at the time of a
// real server, if that is possible: what is later than all clocks goes to the far future.
// Only the order of times and which are equal matters to most programs; where that is
// not enough, the evidence stays as it is.
func (e Evidence) Timed() Evidence {
	m := e.Machine()
	m.Trace = true
	x, err := e.replay(m, sameEffect(&e))
	if err != nil {
		return e
	}
	first, last, any := clocks(x)
	if !any {
		return e
	}
	const day = int64(24 * time.Hour / time.Microsecond)
	days := func(us int64) int64 { return us / day * day } // so that days stay days
	clock := func(v ir.Value) ir.Value {
		if v.Kind == ir.KindTime {
			return ir.Time(v.I - days(first) + days(someDay))
		}
		return v
	}
	data := func(v ir.Value) ir.Value {
		if v.Kind == ir.KindTime && v.I > last {
			return ir.Time(v.I - days(last) + days(farFuture))
		}
		return v
	}
	next := e
	next.Rows = nil
	for _, table := range e.Rows {
		next.Rows = append(next.Rows, moveAll(table, data))
	}
	next.Sessions = nil
	for _, list := range e.Sessions {
		var s interp.Session
		for _, in := range list {
			c := *in
			c.Params = move(in.Params, data)
			if old := in.Havoc; old != nil {
				c.Havoc = func(site *ir.Havoc, n int) (ir.Value, bool) {
					v, ok := old(site, n)
					if site.Of != "" {
						return clock(v), ok
					}
					return data(v), ok
				}
			}
			s = append(s, &c)
		}
		next.Sessions = append(next.Sessions, s)
	}
	y, err := next.replay(next.Machine(), func(i int, r *interp.Run) bool { return r.Blocked == "" && len(r.Ops) == len(x.Txns[i].Run.Ops) })
	if err != nil {
		return e
	}
	next.Execution = y
	if next.serializable(next.Machine()) {
		return e
	}
	return next
}

// clocks gives the first and the last time that the database tells.
func clocks(x *interp.Execution) (first, last int64, any bool) {
	for i := range x.Txns {
		run := x.Txns[i].Run
		for k := range run.Steps {
			h, is := run.Steps[k].Stmt.(*ir.Havoc)
			if !is || h.Of == "" || h.Fresh {
				continue
			}
			for _, l := range run.Steps[k].Locals {
				if l.Value.Kind != ir.KindTime {
					continue
				}
				if !any || l.Value.I < first {
					first = l.Value.I
				}
				if !any || l.Value.I > last {
					last = l.Value.I
				}
				any = true
			}
		}
	}
	return first, last, any
}

func move(row []ir.Value, how func(ir.Value) ir.Value) []ir.Value {
	out := make([]ir.Value, len(row))
	for i, v := range row {
		out[i] = how(v)
	}
	return out
}

func moveAll(rows [][]ir.Value, how func(ir.Value) ir.Value) [][]ir.Value {
	var out [][]ir.Value
	for _, r := range rows {
		out = append(out, move(r, how))
	}
	return out
}
