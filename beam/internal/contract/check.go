package contract

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// Levels are those that can be judged, weaker ones first.
func Levels() []isolation.Level {
	return []isolation.Level{isolation.RC, isolation.RA, isolation.CC, isolation.SI, isolation.SER}
}

// Order says where the candidate order comes from.
type Order string

const (
	Auto   Order = "auto"   // stamps where all transactions have them, a merge otherwise
	Stamps Order = "stamps" // stamps of the ends of transactions
	Merge  Order = "merge"  // a topological merge of the sessions
)

// Options say what to judge, and within which bounds.
type Options struct {
	Levels []isolation.Level
	Order  Order
	// Parts divides keys and transactions; 0 chooses by the size of the input.
	Parts int
	// Slices is how many times the shards are read for a part of the keys each, which takes
	// that much less memory; 0 stands for 1.
	Slices int
	// WorkerOps bounds the operations of a window, which one worker judges in memory.
	WorkerOps int
	// Limit is how many anomalies of each kind a window lists.
	Limit   int
	Scratch string
	// Progress, if not nil, is told what begins.
	Progress func(string)
}

// LevelVerdict is the verdict about a level.
type LevelVerdict struct {
	Level   string `json:"level"`
	Verdict string `json:"verdict"` // accept, reject or unknown
	Why     string `json:"why,omitempty"`
}

// Result is what is known about a history.
type Result struct {
	Levels   []LevelVerdict `json:"levels"`
	Findings []Finding      `json:"anomalies"`
	Notes    []string       `json:"notes,omitempty"`
	Stats    Stats          `json:"stats"`
}

// Stats are figures of a check.
type Stats struct {
	Shards  int    `json:"shards"`
	Txns    int    `json:"transactions"`
	Ops     int    `json:"operations"`
	Order   Order  `json:"order"`
	Windows int    `json:"windows"`        // that were judged
	Largest int    `json:"largest_window"` // operations
	Passes  []Pass `json:"passes"`
}

// Pass is one job.
type Pass struct {
	Kind    Kind    `json:"kind"`
	Seconds float64 `json:"seconds"`
}

// Verdict is that of a level.
func (r *Result) Verdict(l isolation.Level) string {
	for _, x := range r.Levels {
		if x.Level == l.String() {
			return x.Verdict
		}
	}
	return isolation.Unknown.String()
}

// driver drives the jobs of a check.
type driver struct {
	Options
	runner  Runner
	shards  []Shard
	scans   []Scan
	before  []map[string]Pos
	ranked  bool
	back    []Interval
	hard    []Interval    // besides those of stale transactions
	stale   map[ID]*stale // transactions
	samples []Sample      // of all shards, with the operations up to each
	result  *Result
	// verdicts are the known ones, why reasons of unknown ones.
	verdicts map[isolation.Level]isolation.Verdict
	why      map[isolation.Level]string
}

func newDriver(runner Runner, shards []Shard, o Options) *driver {
	return &driver{Options: o, runner: runner, shards: shards, result: &Result{},
		verdicts: map[isolation.Level]isolation.Verdict{}, why: map[isolation.Level]string{}}
}

// Check judges a history that consists of shards. Sessions with one name in several shards are
// one session, which goes on in the order of the shards. The error is one of the input, or of
// the runner; a mistake in a shard is a *codec.Error where the runner is Local.
func Check(ctx context.Context, runner Runner, shards []Shard, o Options) (*Result, error) {
	d := newDriver(runner, shards, o)
	if err := d.check(ctx); err != nil {
		return nil, err
	}
	for _, l := range d.Levels {
		v := LevelVerdict{Level: l.String(), Verdict: d.verdicts[l].String()}
		if d.verdicts[l] == isolation.Unknown {
			v.Why = cmp.Or(d.why[l], "a window is unknown")
		}
		d.result.Levels = append(d.result.Levels, v)
	}
	d.result.Stats.Shards = len(shards)
	return d.result, nil
}

func (d *driver) check(ctx context.Context) error {
	if err := d.scan(ctx); err != nil {
		return err
	}
	for i, s := range d.scans {
		d.result.Notes = append(d.result.Notes, s.Notes...)
		if s.Beyond == "" {
			continue
		}
		if len(d.shards) == 1 {
			return d.single(ctx)
		}
		for _, l := range d.Levels {
			d.why[l] = fmt.Sprintf("%s: %s; robust history check judges such a history on one machine", d.shards[i].Path, s.Beyond)
		}
		return nil
	}
	if err := d.arrange(ctx); err != nil {
		return err
	}
	hard, err := d.suspect(ctx)
	if err != nil {
		return err
	}
	if len(hard) == 0 {
		d.decide(isolation.SER, isolation.Accept)
		return nil
	}
	if err := d.weaker(ctx, hard); err != nil {
		return err
	}
	if slices.Contains(d.Levels, isolation.SER) && d.verdicts[isolation.SER] == isolation.Unknown {
		return d.refine(ctx, hard, nil, []isolation.Level{isolation.SER})
	}
	return nil
}

// arrange finds the candidate order, and what of the sessions it has the other way round.
func (d *driver) arrange(ctx context.Context) error {
	if err := d.divided(); err != nil {
		return err
	}
	if err := d.order(ctx); err != nil {
		return err
	}
	d.sessions()
	return nil
}

// weaker judges the levels but SER. suspicious are the intervals that no serial execution explains.
func (d *driver) weaker(ctx context.Context, suspicious []Interval) error {
	if !slices.ContainsFunc(d.Levels, func(l isolation.Level) bool { return l != isolation.SER }) {
		return nil
	}
	hard, soft, err := d.older(ctx)
	if err != nil {
		return err
	}
	if len(hard) == 0 {
		d.decide(isolation.SI, isolation.Accept)
		return nil
	}
	if err := d.weak(ctx, suspicious); err != nil {
		return err
	}
	open := func() []isolation.Level {
		return slices.DeleteFunc(d.open(d.Levels), func(l isolation.Level) bool { return l == isolation.SER })
	}
	if len(open()) > 0 {
		if err := d.probe(ctx, hard); err != nil {
			return err
		}
	}
	if len(open()) == 0 {
		return nil
	}
	return d.refine(ctx, hard, soft, open())
}

// open gives the levels that are not decided.
func (d *driver) open(levels []isolation.Level) []isolation.Level {
	return slices.DeleteFunc(slices.Clone(levels), func(l isolation.Level) bool { return d.verdicts[l] != isolation.Unknown })
}

// decide keeps a verdict, and what follows from it.
func (d *driver) decide(l isolation.Level, v isolation.Verdict) {
	for _, x := range Levels() {
		if v == isolation.Accept && (l == x || l.Implies(x)) || v == isolation.Reject && (l == x || x.Implies(l)) {
			d.verdicts[x] = v
		}
	}
}

// run executes a job.
func (d *driver) run(ctx context.Context, j Job) ([][]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if d.Progress != nil {
		d.Progress(string(j.Kind))
	}
	j.Shards, j.Parts, j.Scratch, j.Ranked, j.Limit = d.shards, d.parts(), d.Scratch, d.ranked, max(1, d.Limit)
	start := time.Now()
	out, err := d.runner.Run(ctx, j)
	d.result.Stats.Passes = append(d.result.Stats.Passes, Pass{j.Kind, time.Since(start).Seconds()})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (d *driver) parts() int {
	if d.Parts > 0 {
		return d.Parts
	}
	return min(1024, 1+d.result.Stats.Ops/250_000)
}

// scan looks at all shards.
func (d *driver) scan(ctx context.Context) error {
	blobs, err := d.run(ctx, Job{Kind: scanning})
	if err != nil {
		return err
	}
	d.scans, d.samples = make([]Scan, len(d.shards)), nil
	s := &d.result.Stats
	s.Txns, s.Ops = 0, 0
	for _, b := range blobs {
		var one Scan
		if err := json.Unmarshal(b, &one); err != nil {
			return err
		}
		d.scans[one.Shard] = one
		s.Txns, s.Ops = s.Txns+one.Txns, s.Ops+one.Ops
		last := 0
		for _, x := range one.Sample {
			d.samples = append(d.samples, Sample{x.At, x.Ops - last})
			last = x.Ops
		}
	}
	slices.SortFunc(d.samples, func(a, b Sample) int { return a.At.compare(b.At) })
	return nil
}

// divided makes sure that no transaction is in two splits of a file.
func (d *driver) divided() error {
	type in struct {
		NumberRange
		path string
	}
	var all []in
	for i, s := range d.scans {
		for _, r := range s.Numbers {
			all = append(all, in{r, d.shards[i].Path})
		}
	}
	slices.SortFunc(all, func(a, b in) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.From, b.From)) })
	for i := 1; i < len(all); i++ {
		if all[i].path == all[i-1].path && all[i].From <= all[i-1].To {
			return fmt.Errorf("%s: the operations of transaction %d are apart, expected them one after the other where a file is split; use -split 0", all[i].path, all[i].From)
		}
	}
	return nil
}

// order chooses the candidate order, and computes it if there are no stamps.
func (d *driver) order(ctx context.Context) error {
	stamped := true
	for i, s := range d.scans {
		stamped = stamped && s.Stamped
		if !s.Stamped && d.Order == Stamps {
			return fmt.Errorf("%s has transactions without the time of their end; use -order auto, or record the times", d.shards[i].Path)
		}
	}
	d.result.Stats.Order = Stamps
	if stamped && d.Order != Merge {
		return nil
	}
	d.result.Stats.Order = Merge
	if _, err := d.run(ctx, Job{Kind: ordering}); err != nil {
		return err
	}
	d.ranked = true
	return d.scan(ctx)
}

// sessions finds where sessions go on in other shards.
func (d *driver) sessions() {
	d.before = make([]map[string]Pos, len(d.shards))
	last := map[string]SessionScan{}
	for i, scan := range d.scans {
		d.before[i] = map[string]Pos{}
		d.back = append(d.back, scan.Backward...)
		for _, s := range scan.Sessions {
			name := string(s.Name)
			if l, ok := last[name]; ok {
				d.before[i][name] = l.Last
				if s.Min.before(l.Max) {
					d.back = append(d.back, Interval{s.Min, l.Max})
				}
				s.Max = later(s.Max, l.Max)
			}
			last[name] = s
		}
	}
	d.back = merge(d.back)
}

// facts runs a job for each slice of the keys.
func (d *driver) facts(ctx context.Context, j Job) (out []facts, err error) {
	j.Slices = max(1, d.Slices)
	for j.Slice = range j.Slices {
		blobs, err := d.run(ctx, j)
		if err != nil {
			return nil, err
		}
		for _, b := range blobs {
			var f facts
			if err := json.Unmarshal(b, &f); err != nil {
				return nil, err
			}
			out = append(out, f)
		}
	}
	return out, nil
}

// suspect finds the intervals that no serial execution in the candidate order explains.
func (d *driver) suspect(ctx context.Context) ([]Interval, error) {
	some, err := d.facts(ctx, Job{Kind: serial})
	if err != nil {
		return nil, err
	}
	effective := map[ID]bool{}
	d.hard, d.stale = slices.Clone(d.back), map[ID]*stale{}
	for _, f := range some {
		for _, id := range f.Effective {
			effective[id] = true
		}
	}
	for _, f := range some {
		d.hard = append(d.hard, f.Hard...)
		for _, p := range f.Pending {
			if effective[p.Txn] {
				d.hard = append(d.hard, p.Interval)
			}
		}
		for _, b := range f.Bounds {
			if b.Unknown && !effective[b.At.Txn] {
				continue
			}
			if s := d.stale[b.At.Txn]; s != nil {
				s.From = earlier(s.From, b.Bound)
			} else {
				d.stale[b.At.Txn] = &stale{Interval: Interval{b.Bound, b.At}}
			}
		}
	}
	d.hard = merge(d.hard)
	all := slices.Clone(d.hard)
	for _, s := range d.stale {
		all = append(all, s.Interval)
	}
	return merge(all), nil
}

// stale is a transaction that read older versions: from the first that it did not see to itself.
type stale struct {
	Interval
	after Pos // the last commit that it has to see
	some  bool
}

// older finds the intervals that no execution on snapshots explains, which have to be judged,
// and those of transactions on older snapshots, which must not be cut.
func (d *driver) older(ctx context.Context) (hard, soft []Interval, err error) {
	hard = slices.Clone(d.hard)
	if len(d.stale) == 0 {
		return hard, nil, nil
	}
	var w writer
	for id := range d.stale {
		w.id(id)
	}
	if err := ReplaceFile(staleFile(d.Scratch), w); err != nil {
		return nil, nil, err
	}
	some, err := d.facts(ctx, Job{Kind: snapshots, Before: d.before})
	if err != nil {
		return nil, nil, err
	}
	for _, f := range some {
		for _, b := range f.Bounds {
			s := d.stale[b.At.Txn]
			if !s.some || s.after.before(b.Bound) {
				s.after, s.some = b.Bound, true
			}
		}
	}
	for _, s := range d.stale {
		if s.some && !s.after.before(s.From) {
			hard = append(hard, s.Interval)
		} else {
			soft = append(soft, s.Interval)
		}
	}
	return merge(hard), merge(soft), nil
}

// single judges a history that is more than registers and lists on this machine.
func (d *driver) single(ctx context.Context) error {
	if d.WorkerOps > 0 && d.result.Stats.Ops > d.WorkerOps {
		for _, l := range d.Levels {
			d.why[l] = fmt.Sprintf("%s, so that one worker would have to judge %d operations, and -worker-ops allows %d", d.scans[0].Beyond, d.result.Stats.Ops, d.WorkerOps)
		}
		return nil
	}
	h, err := d.shards[0].read(ctx, false)
	if err != nil {
		return err
	}
	r, err := judge.Check(ctx, h, judge.Options{Levels: d.Levels, Limit: max(1, d.Limit)})
	if err != nil {
		return err
	}
	d.result.Stats.Order = ""
	for _, j := range r.Judgements {
		d.verdicts[j.Level] = j.Verdict
		d.why[j.Level] = j.Why
	}
	w := &window{Job: &Job{}}
	numbers := make([]*body, h.NumTxns())
	sh := &shardHistory{Shard: d.shards[0], History: h}
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		numbers[t] = &body{session: sh.sessionName(h.SessionOf(t)), position: h.Position(t) + 1, place: sh.place(h, t)}
	}
	for _, a := range r.Anomalies {
		d.result.Findings = append(d.result.Findings, w.finding(h, numbers, a))
	}
	return nil
}
