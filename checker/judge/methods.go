package judge

import (
	"context"
	"fmt"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/adya"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/c4"
	"github.com/txrobust/robust/internal/checker/commute"
	"github.com/txrobust/robust/internal/checker/elle"
	"github.com/txrobust/robust/internal/checker/polysi"
	"github.com/txrobust/robust/internal/checker/prefixes"
	"github.com/txrobust/robust/internal/checker/states"
	"github.com/txrobust/robust/internal/checker/viper"
	"github.com/txrobust/robust/isolation"
)

// method is one checker.
type method struct {
	name string
	// levels are those that it may decide.
	levels []isolation.Level
	// shares: its levels share their work, so that it is asked about all of them
	// as soon as about one.
	shares bool
	// fits tells whether it is asked about a history. If not, why is what an unknown
	// verdict says; empty if it is no wonder.
	fits func(h *history.History) (ok bool, why string)
	run  func(ctx context.Context, h *history.History, levels []isolation.Level, o Options) (*finding, error)
}

// methods are the checkers, in the order in which they are asked.
var methods = []method{
	{"sessions", []isolation.Level{isolation.SSSI, isolation.StrongSI, isolation.SSER}, true, timed, runSessions},
	{"c4", c4.Levels(), true, unique, runC4},
	{"polysi", polysi.Levels(), true, huge, runPolysi},
	{"elle", isolation.Levels(), true, always, runElle},
	{"states", states.Levels(), false, crowded, acceptStates},
	{"c4", c4.Levels(), true, repeated, runC4},
	{"polysi", polysi.Levels(), true, repeated, runPolysiShortly},
	{"states", states.Levels(), false, few, runStates},
	{"polysi", polysi.Levels(), true, always, runPolysi},
	{"viper", viper.Levels(), true, always, runViper},
	{"adya", adya.Levels(), false, always, runAdya},
	{"commute", commute.Levels(), true, commuting, runCommute},
	{"states", states.Levels(), false, commuting, runStates},
	{"prefixes", prefixes.Levels(), true, commuting, runPrefixes},
	{"brute", brute.Levels(), false, small, runBrute},
}

// finding is what one checker found.
type finding struct {
	answers   []checker.Answer
	anomalies []Anomaly
	counts    map[isolation.Anomaly]int
	notes     []string
}

// unique tells whether every read comes from one write, and repeated whether it does
// not. Then c4 has to search, and elle goes first.
func unique(h *history.History) (bool, string) { return !h.Sources().Duplicates(), "" }

func repeated(h *history.History) (bool, string) { return h.Sources().Duplicates(), "" }

func always(*history.History) (bool, string) { return true, "" }

// found takes what a checker found that has nothing to add to its violations.
func found(h *history.History, name string, r *checker.Result) *finding {
	f := &finding{answers: r.Answers, counts: r.Counts}
	for _, v := range r.Violations {
		f.anomalies = append(f.anomalies, ofViolation(h, name, v))
	}
	return f
}

func runC4(ctx context.Context, h *history.History, levels []isolation.Level, o Options) (*finding, error) {
	r, err := c4.Check(ctx, h, c4.Options{Levels: levels, First: o.First, Limit: o.Limit})
	if err != nil {
		return nil, err
	}
	return found(h, "c4", r), nil
}

// runPolysi gives what was found before the time was over, too.
func runPolysi(ctx context.Context, h *history.History, levels []isolation.Level, _ Options) (*finding, error) {
	r, err := polysi.Check(ctx, h, polysi.Options{Levels: levels})
	return found(h, "polysi", r), err
}

// runPolysiShortly leaves what takes a long search to others, who may know more.
func runPolysiShortly(ctx context.Context, h *history.History, levels []isolation.Level, _ Options) (*finding, error) {
	r, err := polysi.Check(ctx, h, polysi.Options{Levels: levels, Conflicts: 20_000})
	return found(h, "polysi", r), err
}

// few tells whether values were written over and over, to registers.
func few(h *history.History) (bool, string) {
	ok, _ := repeated(h)
	return ok && states.Fits(h), ""
}

// runStates rejects no levels of snapshots where there are sets: by definition two adds to a set exclude each other, but
// a database that keeps the elements in rows lets them overlap.
func runStates(ctx context.Context, h *history.History, levels []isolation.Level, _ Options) (*finding, error) {
	return statesBut(ctx, h, levels, func(l isolation.Level) (bool, string) {
		return !l.Implies(isolation.SER) && l != isolation.PC && hasSets(h),
			"By definition two adds to a set exclude each other; in a database that keeps the elements in rows they may overlap."
	})
}

// acceptStates leaves it to others to reject, who name anomalies.
func acceptStates(ctx context.Context, h *history.History, levels []isolation.Level, _ Options) (*finding, error) {
	return statesBut(ctx, h, levels, func(isolation.Level) (bool, string) { return true, "" })
}

// statesBut asks states, and leaves levels open that it rejects where leave says so, and why.
func statesBut(ctx context.Context, h *history.History, levels []isolation.Level, leave func(isolation.Level) (bool, string)) (*finding, error) {
	r, err := states.Check(ctx, h, states.Options{Levels: levels})
	if err != nil {
		return nil, err
	}
	for i, a := range r.Answers {
		if open, why := leave(a.Level); open && a.Verdict == checker.Violated {
			r.Answers[i] = checker.Answer{Level: a.Level, Why: why}
		}
	}
	return found(h, "states", r), nil
}

func hasSets(h *history.History) bool {
	for k := range history.Key(h.NumKeys()) {
		if h.Type(k) == history.Set {
			return true
		}
	}
	return false
}

// huge tells whether a history has so many transactions that elle, which names more anomalies, comes
// after polysi. It must be one of registers, whose reads each come from one write.
func huge(h *history.History) (bool, string) {
	const most = 200_000
	ok, _ := unique(h)
	for k := range history.Key(h.NumKeys()) {
		ok = ok && (h.Type(k) == history.Register || h.Type(k) == history.Untyped)
	}
	return ok && h.NumTxns() > most, ""
}

// crowded tells whether reads of registers may come from eight writes, in the mean: then an order of the
// transactions is found sooner than orders of the writes.
func crowded(h *history.History) (bool, string) {
	const most = 8
	if ok, _ := few(h); !ok {
		return false, ""
	}
	reads, writes := 0, 0
	for o := range history.Op(h.NumOps()) {
		if n := len(h.Sources().Of(o)); n > 0 {
			reads, writes = reads+1, writes+n
		}
	}
	return writes >= most*reads, ""
}

// runViper gives what was found before the time was over, too.
func runViper(ctx context.Context, h *history.History, levels []isolation.Level, _ Options) (*finding, error) {
	r, err := viper.Check(ctx, h, viper.Options{Levels: levels})
	return found(h, "viper", r), err
}

func runAdya(ctx context.Context, h *history.History, levels []isolation.Level, _ Options) (*finding, error) {
	r, err := adya.Check(ctx, h, adya.Options{Levels: levels})
	if err != nil {
		return nil, err
	}
	return found(h, "adya", r), nil
}

// commuting tells whether a history has sets and counters only.
func commuting(h *history.History) (bool, string) { return commute.Fits(h), "" }

func runCommute(ctx context.Context, h *history.History, levels []isolation.Level, _ Options) (*finding, error) {
	r, err := commute.Check(ctx, h, commute.Options{Levels: levels})
	if err != nil {
		return nil, err
	}
	return found(h, "commute", r), nil
}

func runPrefixes(ctx context.Context, h *history.History, levels []isolation.Level, _ Options) (*finding, error) {
	r, err := prefixes.Check(ctx, h, prefixes.Options{Levels: levels})
	if err != nil {
		return nil, err
	}
	return found(h, "prefixes", r), nil
}

func runElle(ctx context.Context, h *history.History, levels []isolation.Level, o Options) (*finding, error) {
	limit := o.Limit
	if o.First {
		limit = 1
	}
	r, err := elle.Check(ctx, h, elle.Options{Levels: levels, Instances: limit})
	if err != nil {
		return nil, err
	}
	f := &finding{answers: r.Answers, counts: map[isolation.Anomaly]int{}, notes: r.Notes}
	listed := map[isolation.Anomaly]int{}
	for _, a := range r.Anomalies {
		f.anomalies = append(f.anomalies, ofElle(a))
		f.counts[a.Form]++
		listed[a.Kind]++
	}
	for i, a := range f.answers {
		if a.Verdict == checker.Violated {
			f.answers[i].Why = "Shown by " + a.Why
		}
	}
	for kind, n := range r.Counts {
		if more := n - listed[kind]; more > 0 {
			f.counts[kind] += more // which forms they have is not known
		}
	}
	return f, nil
}

// What brute is asked about: it tries every order, outcome and source.
const (
	bruteTxns = 8
	bruteFree = 3 // keys of which it is not known what they held initially
)

// small tells whether a history is small enough for brute.
func small(h *history.History) (bool, string) {
	n, free := 0, 0
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		if h.Status(t) != history.Aborted {
			n++
		}
	}
	for k := range history.Key(h.NumKeys()) {
		if h.Value(history.Op(k)) == history.NoValue {
			free++
		}
	}
	switch {
	case n > bruteTxns:
		return false, fmt.Sprintf("The history has %d transactions, and %d are the most of which all orders are tried.", n, bruteTxns)
	case free > bruteFree:
		return false, fmt.Sprintf("It is not known what %d keys held initially, and %d are the most for which all values are tried.", free, bruteFree)
	}
	return true, ""
}

func runBrute(ctx context.Context, h *history.History, levels []isolation.Level, _ Options) (*finding, error) {
	r, err := brute.Check(ctx, h, brute.Options{Levels: levels})
	if err != nil {
		return nil, err
	}
	for i, a := range r.Answers {
		if a.Verdict == checker.Violated {
			r.Answers[i].Why = "None of all commit orders fits."
		}
	}
	return &finding{answers: r.Answers}, nil
}
