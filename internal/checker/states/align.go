package states

import (
	"context"
	"math"
	"slices"

	"github.com/txrobust/robust/history"
)

const (
	alignments = 40 // rounds
	nearby     = 8  // transactions of a lane on both sides that move together
)

// aligned ranks the transactions by a guess that is made better by what was read: a read was soon after a
// write of what it returned. The nearest such write pulls the transactions near the reader, and is pulled
// with those near it.
func aligned(ctx context.Context, p *problem, guess func(history.Txn) int64) func(history.Txn) int64 {
	p.rank(guess)
	at := make([][]float64, len(p.lanes))
	size := 0
	for i, l := range p.lanes {
		for _, t := range l.txns {
			at[i] = append(at[i], float64(t.rank))
			size = max(size, int(t.id)+1)
		}
	}
	gap := p.overwritten() / 2
	for round := 0; round < alignments && ctx.Err() == nil; round++ {
		pull, pulls := zeros(at), zeros(at)
		for i, l := range p.lanes {
			for n, t := range l.txns {
				for _, d := range t.needs {
					j, m, off := p.nearest(at, content{d.key, d.want}, i, n, gap)
					if j < 0 {
						continue
					}
					pull[i][n], pulls[i][n] = pull[i][n]+off, pulls[i][n]+1
					pull[j][m], pulls[j][m] = pull[j][m]-off, pulls[j][m]+1
				}
			}
		}
		for i := range at {
			move(at[i], pull[i], pulls[i])
		}
	}
	ranks := make([]int64, size)
	for i, l := range p.lanes {
		for n, t := range l.txns {
			ranks[t.id] = int64(at[i][n] * 1000)
		}
	}
	return func(t history.Txn) int64 { return ranks[t] }
}

// overwritten is after how many transactions a register is overwritten, in the mean.
func (p *problem) overwritten() float64 {
	writes := 1
	for _, u := range p.uses {
		for _, places := range u.left {
			writes += len(places)
		}
	}
	return float64(p.total/2*len(p.initial)) / float64(writes)
}

func zeros(like [][]float64) [][]float64 {
	out := make([][]float64, len(like))
	for i := range like {
		out[i] = make([]float64, len(like[i]))
	}
	return out
}

// nearest is the transaction that left a content and is nearest to a gap before a reader, and how far the
// reader is too early. The lane is -1 if there is none.
func (p *problem) nearest(at [][]float64, c content, lane, place int, gap float64) (inLane, inPlace int, off float64) {
	inLane, off = -1, math.Inf(1)
	u := p.uses[c]
	if u == nil {
		return
	}
	for j, places := range u.left {
		// Of one lane those around the place count.
		i, _ := slices.BinarySearchFunc(places, at[lane][place]-gap, func(m int32, x float64) int {
			if at[j][m] < x {
				return -1
			}
			return 1
		})
		for _, m := range places[max(0, i-1):min(len(places), i+1)] {
			if by := at[j][m] + gap - at[lane][place]; math.Abs(by) < math.Abs(off) && (j != lane || int(m) < place) {
				inLane, inPlace, off = j, int(m), by
			}
		}
	}
	return inLane, inPlace, off
}

// move moves the transactions of a lane by half of what pulls those nearby, and keeps them in order.
func move(at, pull, pulls []float64) {
	sum, n := 0.0, 0.0
	for i := range min(nearby, len(at)) {
		sum, n = sum+pull[i], n+pulls[i]
	}
	last := math.Inf(-1)
	for i := range at {
		if j := i + nearby; j < len(at) {
			sum, n = sum+pull[j], n+pulls[j]
		}
		if j := i - nearby - 1; j >= 0 {
			sum, n = sum-pull[j], n-pulls[j]
		}
		if n > 0 {
			at[i] += sum / n / 2
		}
		at[i] = max(at[i], last)
		last = at[i]
	}
}
