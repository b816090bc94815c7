package contract

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/txrobust/robust/isolation"
)

// rounds is how many times windows grow before there is one of everything.
const rounds = 3

// linkShare is how many times more operations a worker holds as links than as operations.
const linkShare = 10

// weak judges RC, RA and CC by links. A level that all windows satisfy so, the history satisfies. What
// seems to violate one is given to the checkers, and the level is violated if they say so. What stays
// open is left to refine.
func (d *driver) weak(ctx context.Context, windows []Interval) error {
	windows = merge(slices.Clone(windows))
	whole := []Interval{{Pos{Stamp: math.MinInt64}, Pos{Stamp: math.MaxInt64, Txn: math.MaxUint64}}}
	for round := 0; ; round++ {
		levels := d.open(slices.DeleteFunc(weakLevels(), func(l isolation.Level) bool { return !slices.Contains(d.Levels, l) }))
		if len(levels) == 0 {
			return nil
		}
		if round >= rounds {
			windows = whole
		}
		if d.WorkerOps > 0 && d.largest(windows) > linkShare*d.WorkerOps {
			return nil // smaller windows may be left to judge
		}
		facts, err := d.link(ctx, windows)
		if err != nil {
			return err
		}
		if len(facts.Bad) > 0 {
			return d.confirm(ctx, Job{Windows: d.smallest(merge(facts.Bad))})
		}
		if len(facts.Back) > 0 {
			windows = merge(append(windows, facts.Back...))
			continue
		}
		grow, err := d.weigh(ctx, windows, levels)
		if err != nil || slices.Equal(windows, whole) {
			return err
		}
		if larger := merge(append(slices.Clone(windows), grow...)); slices.Equal(larger, windows) {
			windows = whole
		} else {
			windows = larger
		}
	}
}

// largest is about how many operations the largest of some intervals has.
func (d *driver) largest(some []Interval) (ops int) {
	for _, i := range some {
		ops = max(ops, d.count(i))
	}
	return ops
}

// smallest gives as many intervals as a pass judges, those with the fewest operations.
func (d *driver) smallest(some []Interval) []Interval {
	slices.SortStableFunc(some, func(a, b Interval) int { return d.count(a) - d.count(b) })
	return merge(some[:min(len(some), batch)])
}

// link finds the links of windows.
func (d *driver) link(ctx context.Context, windows []Interval) (out linkFacts, err error) {
	j := Job{Kind: linking, Windows: windows, Slices: max(1, d.Slices)}
	for j.Slice = range j.Slices {
		blobs, err := d.run(ctx, j)
		if err != nil {
			return out, err
		}
		for _, b := range blobs {
			if len(b) == 0 {
				continue // the links of a group of windows are in a file
			}
			var f linkFacts
			if err := json.Unmarshal(b, &f); err != nil {
				return out, err
			}
			out.Back, out.Bad = append(out.Back, f.Back...), append(out.Bad, f.Bad...)
		}
	}
	return out, nil
}

// weigh judges windows by their links, and gives what they have to have, too, so that more is known.
func (d *driver) weigh(ctx context.Context, windows []Interval, levels []isolation.Level) (grow []Interval, err error) {
	j := Job{Kind: weighing, Windows: windows, Slices: max(1, d.Slices)}
	for _, l := range levels {
		j.Levels = append(j.Levels, l.String())
	}
	blobs, err := d.run(ctx, j)
	if err != nil {
		return nil, err
	}
	open := map[string]bool{}
	var cycles [][]Pos
	for _, b := range blobs {
		var all []weakVerdict
		if err := json.Unmarshal(b, &all); err != nil {
			return nil, err
		}
		for _, v := range all {
			for _, l := range v.Open {
				open[l] = true
			}
			grow, cycles = append(grow, v.Grow...), append(cycles, v.Cycles...)
		}
	}
	for _, l := range levels {
		if !open[l.String()] {
			d.decide(l, isolation.Accept)
		}
	}
	return grow, d.suspects(ctx, cycles)
}

// suspects asks the checkers about some transactions, the fewest first, where they do not lie
// among others that are asked about.
func (d *driver) suspects(ctx context.Context, some [][]Pos) error {
	slices.SortStableFunc(some, func(a, b []Pos) int { return len(a) - len(b) })
	var j Job
	for _, all := range some {
		i := Interval{all[0], all[0]}
		for _, p := range all {
			i = i.with(Interval{p, p})
		}
		if len(j.Windows) == batch || slices.ContainsFunc(j.Windows, i.meets) {
			continue
		}
		j.Windows = append(j.Windows, i)
		for _, p := range all {
			j.Only = append(j.Only, p.Txn)
		}
	}
	if len(j.Windows) == 0 {
		return nil
	}
	return d.confirm(ctx, j)
}

// confirm asks the checkers what the transactions of windows violate whatever others did.
func (d *driver) confirm(ctx context.Context, j Job) error {
	j.Kind, j.Open, j.Windows = judging, true, merge(j.Windows)
	for _, l := range d.open(Levels()) {
		j.Levels = append(j.Levels, l.String())
	}
	if err := d.touch(ctx, &j); err != nil {
		return err
	}
	blobs, err := d.run(ctx, j)
	if err != nil {
		return err
	}
	for _, b := range blobs {
		var v Verdict
		if err := json.Unmarshal(b, &v); err != nil {
			return err
		}
		d.result.Stats.Windows++
		d.result.Stats.Largest = max(d.result.Stats.Largest, v.Ops)
		if err := d.keep(&task{}, v); err != nil {
			return err
		}
	}
	return nil
}

// probe asks about windows of probeOps operations, of twice as many, and so on, probes in all, where one
// window has more than probeFrom.
const (
	probes    = 6
	probeOps  = 4_096
	probeFrom = 500_000
)

// probe asks about small parts of a history of which nearly everything is suspicious: mostly they show
// that snapshots do not explain it.
func (d *driver) probe(ctx context.Context, hard []Interval) error {
	if d.largest(hard) < probeFrom {
		return nil
	}
	var j Job
	for n := range probes {
		i, end := n*len(d.samples)/probes, (n+1)*len(d.samples)/probes
		w := Interval{d.samples[i].At, d.samples[i].At}
		for ops := 0; ops < probeOps<<n && i < end; i++ {
			w.To = d.samples[i].At
			ops += d.samples[i].Ops
		}
		j.Windows = append(j.Windows, w)
	}
	return d.confirm(ctx, j)
}
