package contract

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/txrobust/robust/history"
)

// Scan is what is known of a shard before its operations are compared.
type Scan struct {
	Shard, Txns, Ops int
	Stamped          bool
	Beyond           string // see beyond
	First            Pos    // of all transactions
	Notes            []string
	Sessions         []SessionScan
	// Backward are pairs of transactions of a session that the candidate order
	// has the other way round, as intervals.
	Backward []Interval
	Sample   []Sample
	// Numbers are those of the transactions of a split, which no other split may have.
	Numbers []NumberRange
}

// NumberRange is From, From+1, …, To.
type NumberRange struct{ From, To int64 }

// SessionScan is a session in a shard: its last position in the candidate order, by the
// order of the session and by the candidate order, and its first one.
type SessionScan struct {
	Name             []byte
	First, Last, Max Pos
	Min              Pos
}

// Sample says how many operations a shard has up to a position.
type Sample struct {
	At  Pos
	Ops int
}

const samples = 1024

// scan reads a shard.
func (j *Job) scan(ctx context.Context, number int) ([]byte, error) {
	h, err := j.open(ctx, number)
	if err != nil {
		return nil, err
	}
	out := Scan{Shard: number, Txns: h.NumTxns() - 1, Ops: h.NumOps() - h.NumKeys(), Notes: h.Notes(), Beyond: beyond(h.History)}
	out.Stamped = h.Order() != history.NoOrder
	places := make([]Sample, 0, out.Txns)
	for s := range history.Session(h.NumSessions()) {
		first, end := h.Txns(s)
		seen, scan := false, SessionScan{Name: []byte(h.sessionName(s))}
		for t := first; t < end; t++ {
			p := h.pos(t)
			o, last := h.Ops(t)
			places = append(places, Sample{p, int(last - o)})
			if h.Status(t) == history.Committed && h.Order() != history.NoOrder && h.End(t) == history.NoEnd {
				out.Stamped = false
			}
			if h.Status(t) == history.Aborted {
				continue
			}
			if !seen {
				scan.First, scan.Min, scan.Max, seen = p, p, p, true
			} else if p.before(scan.Max) {
				out.Backward = append(out.Backward, Interval{p, scan.Max})
			}
			scan.Last, scan.Min, scan.Max = p, earlier(scan.Min, p), later(scan.Max, p)
		}
		if seen {
			out.Sessions = append(out.Sessions, scan)
		}
	}
	out.Backward = merge(out.Backward)
	slices.SortFunc(places, func(a, b Sample) int { return a.At.compare(b.At) })
	if len(places) > 0 {
		out.First = places[0].At
	}
	step, ops := max(1, len(places)/samples), 0
	for i, p := range places {
		ops += p.Ops
		if i%step == step-1 || i == len(places)-1 {
			out.Sample = append(out.Sample, Sample{p.At, ops})
		}
	}
	if h.To > 0 {
		out.Numbers = numbers(h.History)
	}
	return json.Marshal(out)
}

// numbers are those of the transactions of a history, sorted.
func numbers(h *history.History) (out []NumberRange) {
	var all []int64
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		if n, ok := h.Number(t); ok {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	for _, n := range all {
		if last := len(out) - 1; last >= 0 && out[last].To == n-1 {
			out[last].To = n
		} else {
			out = append(out, NumberRange{n, n})
		}
	}
	return out
}
