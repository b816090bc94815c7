package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/txrobust/robust/isolation"
)

// task is a window that has to be judged, at the levels that are open there.
type task struct {
	Interval
	open map[isolation.Level]bool
	ops  int
}

// batch is how many windows a pass judges at most: what the first ones violate need not be
// asked about the others.
const batch = 256

// refine judges windows, the smallest first, and makes larger ones of those that stay open.
func (d *driver) refine(ctx context.Context, hard, soft []Interval, levels []isolation.Level) error {
	pieces := merge(append(slices.Clone(hard), soft...))
	var tasks []task
	for _, p := range pieces {
		i, _ := slices.BinarySearchFunc(hard, p.From, func(x Interval, p Pos) int { return x.To.compare(p) })
		if i < len(hard) && hard[i].meets(p) {
			t := task{Interval: p, open: map[isolation.Level]bool{}}
			for _, l := range levels {
				t.open[l] = true
			}
			tasks = append(tasks, t)
		}
	}
	large := map[isolation.Level]bool{}
	for {
		tasks = d.feasible(tasks, large)
		if len(tasks) == 0 {
			break
		}
		n := min(len(tasks), batch)
		now, rest := slices.Clone(tasks[:n]), slices.Clone(tasks[n:])
		undecided, err := d.judge(ctx, now)
		if err != nil {
			return err
		}
		for i := range undecided {
			pieces = widen(append(pieces, undecided[i].Interval), nil)
		}
		tasks = d.regroup(append(undecided, rest...), pieces)
	}
	for _, l := range levels {
		if d.verdicts[l] == isolation.Unknown && !large[l] && d.why[l] == "" {
			d.decide(l, isolation.Accept)
		}
	}
	return nil
}

// feasible gives the windows that a worker can judge, the smallest first, with the levels that
// are still open.
func (d *driver) feasible(tasks []task, large map[isolation.Level]bool) []task {
	var out []task
	for _, t := range tasks {
		for l := range t.open {
			if d.verdicts[l] != isolation.Unknown || d.why[l] != "" && large[l] {
				delete(t.open, l)
			}
		}
		if len(t.open) == 0 {
			continue
		}
		if t.ops = d.count(t.Interval); d.WorkerOps > 0 && t.ops > d.WorkerOps {
			for l := range t.open {
				large[l] = true
				d.why[l] = fmt.Sprintf("the candidate order explains all but a window of about %d operations, and -worker-ops allows %d", t.ops, d.WorkerOps)
			}
			continue
		}
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b task) int { return a.ops - b.ops })
	return out
}

// count is about how many operations an interval has.
func (d *driver) count(i Interval) (ops int) {
	for _, s := range d.samples {
		if i.has(s.At) {
			ops += s.Ops
		}
	}
	return ops
}

// judge asks about windows, and gives those that stay open, larger than they were.
func (d *driver) judge(ctx context.Context, tasks []task) ([]task, error) {
	slices.SortFunc(tasks, func(a, b task) int { return a.From.compare(b.From) })
	j := Job{Kind: judging}
	asked := map[isolation.Level]bool{}
	for _, t := range tasks {
		j.Windows = append(j.Windows, t.Interval)
		for l := range t.open {
			asked[l] = true
		}
	}
	for _, l := range Levels() {
		if asked[l] {
			j.Levels = append(j.Levels, l.String())
		}
	}
	if err := d.touch(ctx, &j); err != nil {
		return nil, err
	}
	j.Whole = len(tasks) == 1 && d.everything(tasks[0].Interval)
	blobs, err := d.run(ctx, j)
	if err != nil {
		return nil, err
	}
	var undecided []task
	for _, b := range blobs {
		var v Verdict
		if err := json.Unmarshal(b, &v); err != nil {
			return nil, err
		}
		t := &tasks[v.Window]
		d.result.Stats.Windows++
		d.result.Stats.Largest = max(d.result.Stats.Largest, v.Ops)
		if err := d.keep(t, v); err != nil {
			return nil, err
		}
		for l, why := range v.Why {
			level, err := isolation.ParseLevel(l)
			if err != nil {
				return nil, err
			}
			d.why[level] = why
		}
		if len(t.open) > 0 && !j.Whole {
			t.Interval = d.grow(t.Interval, v)
			undecided = append(undecided, *t)
		}
	}
	return undecided, nil
}

// maxKeys bounds the keys that a job names.
const maxKeys = 1_000_000

// touch finds the keys of the windows of a job, so that no others have to be moved.
func (d *driver) touch(ctx context.Context, j *Job) error {
	blobs, err := d.run(ctx, Job{Kind: touching, Windows: j.Windows, Only: j.Only})
	if err != nil {
		return err
	}
	for _, b := range blobs {
		for r := reader(b); len(r) > 0; {
			j.Keys = append(j.Keys, []byte(r.text()))
		}
	}
	if len(j.Keys) > maxKeys {
		j.Keys = nil
	}
	return nil
}

// keep keeps what a window says.
func (d *driver) keep(t *task, v Verdict) error {
	for _, name := range v.Accepted {
		l, err := isolation.ParseLevel(name)
		if err != nil {
			return err
		}
		for _, x := range Levels() {
			if x == l || l.Implies(x) {
				delete(t.open, x)
			}
		}
	}
	for _, name := range v.Rejected {
		l, err := isolation.ParseLevel(name)
		if err != nil {
			return err
		}
		delete(t.open, l)
		d.decide(l, isolation.Reject)
	}
	d.result.Findings = append(d.result.Findings, v.Findings...)
	return nil
}

// everything tells whether an interval has all transactions.
func (d *driver) everything(i Interval) bool {
	out := func(p Pos) bool { return !i.has(p) }
	return !slices.ContainsFunc(d.samples, func(s Sample) bool { return out(s.At) }) &&
		!slices.ContainsFunc(d.scans, func(s Scan) bool { return out(s.First) })
}

// grow makes a window reach back to what it reads, and double its length at least.
func (d *driver) grow(i Interval, v Verdict) Interval {
	out := i
	if v.Reads {
		out.From = earlier(out.From, v.Source)
	}
	if d.count(out) >= 2*v.Ops && v.Ops > 0 {
		return out
	}
	at := func(p Pos) int {
		n, _ := slices.BinarySearchFunc(d.samples, p, func(s Sample, p Pos) int { return s.At.compare(p) })
		return n
	}
	from, to := at(i.From), at(i.To)
	by := max(1, to-from)
	if from-by <= 0 {
		out.From = Pos{Stamp: -1 << 63}
	} else {
		out.From = earlier(out.From, d.samples[from-by].At)
	}
	out.To = later(out.To, d.samples[min(len(d.samples)-1, to+by)].At)
	return out
}

// regroup makes one task of those that meet, or that have a piece in common.
func (d *driver) regroup(tasks []task, pieces []Interval) []task {
	var all []Interval
	for _, t := range tasks {
		all = append(all, t.Interval)
	}
	all = widen(all, pieces)
	out := make([]task, len(all))
	for i := range out {
		out[i] = task{Interval: all[i], open: map[isolation.Level]bool{}}
	}
	for _, t := range tasks {
		to := &out[find(all, t.From)]
		for l := range t.open {
			to.open[l] = true
		}
	}
	return out
}
