package movers

import (
	"context"
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/walk"
)

// surveyed is a program with what a Survey says of it.
type surveyed struct {
	p    *ir.Program
	m    mode
	safe map[*ir.Txn]bool
	sets [][]*ir.Txn
}

// survey makes a Survey with little effort. anomaly gives what is taken for the anomaly of a
// walk, nil for an open one, and known are sets that are known before. It is nil where the
// program is proved, or too large.
func survey(ctx context.Context, t testing.TB, p *ir.Program, m mode, known [][]*ir.Txn, anomaly func(*walk.Walk) []*ir.Txn) *surveyed {
	t.Helper()
	rows := make([][][]ir.Value, len(p.Tables))
	for i, table := range p.Tables {
		rows[i] = table.Rows
	}
	res, err := Prove(ctx, p, Options{Engine: m.engine, Classic: m.classic, MaxWindow: 2, MaxQuestions: 12, MaxWalks: 1, Limit: 60000,
		Initially: func(f *ir.Invariant) bool { return holds(p, m.engine, rows, []*ir.Invariant{f}) }})
	if err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	var mu sync.Mutex
	s := res.Survey(ctx, SurveyOptions{Effort: 40_000, Known: known, Suspect: func(_ context.Context, w *walk.Walk, _ []*ir.Invariant) []*ir.Txn {
		mu.Lock()
		defer mu.Unlock()
		return anomaly(w)
	}})
	if res.Verdict == Robust || s == nil || ctx.Err() != nil {
		return nil
	}
	out := &surveyed{p: p, m: m, safe: map[*ir.Txn]bool{}, sets: s.Anomalies}
	for _, w := range s.Open {
		out.sets = append(out.sets, w.Templates())
	}
	for _, x := range p.Txns {
		out.safe[x] = s.Uncovered[x] == nil && !slices.ContainsFunc(out.sets, func(set []*ir.Txn) bool { return slices.Contains(set, x) })
	}
	for x := range s.Uncovered { // by itself
		out.sets = append(out.sets, []*ir.Txn{x})
	}
	return out
}

// part picks templates among which there is no set, the safe ones first.
func (s *surveyed) part(r *rand.Rand) (out []*ir.Txn) {
	list := slices.Clone(s.p.Txns)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	slices.SortStableFunc(list, func(a, b *ir.Txn) int {
		if s.safe[a] == s.safe[b] {
			return 0
		} else if s.safe[a] {
			return -1
		}
		return 1
	})
	for _, x := range list {
		with := append(slices.Clone(out), x)
		if !slices.ContainsFunc(s.sets, func(set []*ir.Txn) bool {
			return !slices.ContainsFunc(set, func(y *ir.Txn) bool { return !slices.Contains(with, y) })
		}) {
			out = with
		}
	}
	return out
}

// sessions are random instances of some templates, or for processes what these have of
// them, each with the rows to start from.
func (s *surveyed) sessions(r *rand.Rand, of []*ir.Txn, n int) (out []interp.Session) {
	if len(s.p.Processes) > 0 {
		for _, list := range interp.Sessions(s.p, 2) {
			if list = slices.DeleteFunc(list, func(in *interp.Instance) bool { return !slices.Contains(of, in.Txn) }); len(list) > 0 {
				out = append(out, list)
			}
		}
		return out
	}
	q := *s.p
	q.Txns = of
	for _, list := range progen.Instances(r, &q, n) {
		for _, in := range list {
			out = append(out, interp.Session{in})
		}
	}
	return out
}

// explore goes through executions.
func (s *surveyed) explore(ctx context.Context, sessions []interp.Session, apart func(*ir.Txn) bool) interp.Result {
	machine := interp.NewMachine(s.p, s.m.engine)
	machine.MaxSteps = 200
	res := machine.Explore(ctx, sessions, interp.InitialDB(s.p), interp.Options{Classic: s.m.classic, MaxExecutions: maxExecutions, Apart: apart})
	if s.m.classic && res.Verdict == interp.Anomalous && rewrites(res.Anomaly) {
		return interp.Result{Verdict: interp.Undecided}
	}
	return res
}

func (s *surveyed) String() string {
	var safe []string
	for _, x := range s.p.Txns {
		if s.safe[x] {
			safe = append(safe, x.Name)
		}
	}
	var sets []string
	for _, set := range s.sets {
		var list []string
		for _, x := range set {
			list = append(list, x.Name)
		}
		sets = append(sets, strings.Join(list, " "))
	}
	return fmt.Sprintf("%s: safe: %v; sets: %q\n%s", s.m.name, safe, sets, s.p)
}

// surveyCounts counts what happened.
type surveyCounts struct{ programs, safe, parts, beside, anomalies atomic.Int64 }

// check makes sure that no execution contradicts a survey.
func (s *surveyed) check(t *testing.T, r *rand.Rand, seed int64, n *surveyCounts) {
	n.programs.Add(1)
	for _, x := range s.p.Txns {
		if s.safe[x] {
			n.safe.Add(1)
		}
	}
	some := s.around(r)
	for try := 0; try < 8; try++ {
		part := s.part(r)
		among := slices.DeleteFunc(slices.Clone(some), func(list interp.Session) bool {
			return slices.ContainsFunc(list, func(in *interp.Instance) bool { return !slices.Contains(part, in.Txn) })
		})
		if len(part) > 0 && (len(among) < 2 || try > 3) {
			among = s.sessions(r, part, []int{2, 3, 3, 4}[r.Intn(4)])
		}
		if n.parts.Add(1); s.explore(t.Context(), among, nil).Verdict == interp.Anomalous {
			t.Errorf("seed %d: transactions among which there is no set have an anomaly:\n%s\n%s", seed, describe(s.explore(t.Context(), among, nil).Anomaly), s)
		}
		n.beside.Add(1)
		if s.explore(t.Context(), some, nil).Verdict == interp.Anomalous {
			n.anomalies.Add(1)
			if res := s.explore(t.Context(), some, func(x *ir.Txn) bool { return !s.safe[x] }); res.Verdict == interp.Anomalous {
				t.Errorf("seed %d: safe transactions with others that run apart have an anomaly:\n%s\n%s", seed, describe(res.Anomaly), s)
			}
		}
		if len(s.p.Processes) > 0 {
			return
		}
		some = s.around(r)
	}
}

// around are sessions of the transactions of a set, with one more.
func (s *surveyed) around(r *rand.Rand) (out []interp.Session) {
	if len(s.sets) == 0 || len(s.p.Processes) > 0 {
		return s.sessions(r, s.p.Txns, 3)
	}
	set := s.sets[r.Intn(len(s.sets))]
	for _, x := range set[:min(len(set), 3)] {
		out = append(out, s.sessions(r, []*ir.Txn{x}, 1)...)
	}
	return append(out, s.sessions(r, s.p.Txns, max(1, 3-len(out)))...)
}

// TestSafeAgainstExploration holds what is said of safe transactions against all
// executions of random programs (docs/soundness.md, 10). Each program has a seed of its
// own, so that it comes again with -seed and -runs 1.
func TestSafeAgainstExploration(t *testing.T) {
	first := random.Seed(t)
	list := sources(t)
	var next atomic.Int64
	var group sync.WaitGroup
	var n surveyCounts
	runs := int64(max(random.Runs()/25, 1))
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for !t.Failed() {
				k := next.Add(1) - 1
				if k >= runs {
					return
				}
				seed := first + k
				r := rand.New(rand.NewSource(seed))
				if s := randomSurvey(t, r, list); s != nil {
					s.check(t, r, seed, &n)
				}
			}
		})
	}
	group.Wait()
	t.Logf("of %d programs %d were surveyed, with %d safe transactions; %d parts and %d programs with others apart explored; %d of the latter have an anomaly where these do not run apart",
		runs, n.programs.Load(), n.safe.Load(), n.parts.Load(), n.beside.Load(), n.anomalies.Load())
	if runs > 50 && (n.safe.Load() == 0 || n.parts.Load() == 0 || n.anomalies.Load() == 0) {
		t.Error("one of the cases never came up: the test says little")
	}
}

// randomSurvey makes a random program with rows, and a Survey of it. What is taken for an
// anomaly does not matter: any sets do, as long as they cover what is left.
func randomSurvey(t testing.TB, r *rand.Rand, list []source) *surveyed {
	m := append(modes, mode{name: "mariadb", engine: engine.MariaDB()})[[]int{0, 1, 1, 1, 2, 2, 2, 2, 3}[r.Intn(9)]]
	var p *ir.Program
	switch k := r.Intn(10); {
	case k < 8:
		p = skews(t, r)
	case k < 9:
		o := progen.All
		o.Txns, o.Stmts = 4, 2
		p = progen.Accesses(r, o)
	default:
		p = list[r.Intn(len(list))].make(r)
	}
	if len(p.Processes) == 0 && p.Name != "skews" {
		for i, rows := range progen.Rows(r, p, 3) {
			p.Tables[i].Rows = rows
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	choose := rand.New(rand.NewSource(r.Int63()))
	var known [][]*ir.Txn
	for range choose.Intn(3) {
		known = append(known, []*ir.Txn{p.Txns[choose.Intn(len(p.Txns))], p.Txns[choose.Intn(len(p.Txns))]})
	}
	return survey(ctx, t, p, m, known, func(w *walk.Walk) []*ir.Txn {
		on := w.Templates()
		switch choose.Intn(3) {
		case 0:
			return on
		case 1: // the delayed one with one of the others
			return []*ir.Txn{on[0], on[1+choose.Intn(len(on)-1)]}
		}
		return nil
	})
}

// skews makes a program of templates that read some rows by their keys and write some.
func skews(t testing.TB, r *rand.Rand) *ir.Program {
	var b strings.Builder
	b.WriteString("program skews\ntable t (k int not null, v int not null, w int not null, key (k))\n")
	for k := range 4 {
		fmt.Fprintf(&b, "row t (%d, 0, 0)\n", k)
	}
	col := func() string { return []string{"v", "v", "v", "w"}[r.Intn(4)] }
	for i := range 4 + r.Intn(3) {
		fmt.Fprintf(&b, "txn t%d() { ", i)
		keys := r.Perm(4)
		reads := 1 + r.Intn(2)
		for j := range reads {
			fmt.Fprintf(&b, "(r%d) := select t.%s from t where t.k == %d; ", j, col(), keys[j])
		}
		for j := range []int{0, 1, 1, 2, 2}[r.Intn(5)] {
			k := keys[min(reads+j, 3)]
			if r.Intn(6) == 0 {
				k = keys[0]
			}
			fmt.Fprintf(&b, "update t set %s = r0 + %d where t.k == %d; ", col(), 1+i, k)
		}
		if r.Intn(2) == 0 {
			fmt.Fprintf(&b, "emit r0, r%d; ", reads-1)
		}
		b.WriteString("}\n")
	}
	return testprog.Parse(t, b.String())
}

// TestSurvey: the set of an anomaly covers longer walks around its transactions, and no
// others.
func TestSurvey(t *testing.T) {
	const skew = `program p
table t (k int not null, v int not null, key (k))
txn a(x int not null) { (r) := select t.v from t where t.k == 1; update t set v = r where t.k == 2 }
txn b(x int not null) { (r) := select t.v from t where t.k == 2; update t set v = r where t.k == 1 }
txn reads(x int not null) { (r) := select t.v from t where t.k == 1; emit r }
txn apart(x int not null) { update t set v = x where t.k == 3 }
`
	for _, tc := range []struct {
		more, safe string
		known      []string // of two letters
	}{
		{"", "reads apart", nil},
		// It touches nothing that others do.
		{"txn c(x int not null) { (r) := select t.v from t where t.k == 4; update t set v = r where t.k == 5 }\n", "reads apart c", nil},
		// It is delayed around c and d, one after the other: the set of these two does not cover that.
		{"txn c(x int not null) { (r) := select t.v from t where t.k == 4; update t set v = r where t.k == 5; update t set v = r where t.k == 6 }\n" +
			"txn d(x int not null) { (r) := select t.v from t where t.k == 5; (s) := select t.v from t where t.k == 7; update t set v = s where t.k == 4; emit r }\n" +
			"txn around(x int not null) { (r) := select t.v from t where t.k == 6; update t set v = x where t.k == 7; emit r }\n", "reads apart", []string{"cd"}},
	} {
		p := testprog.Parse(t, skew+tc.more)
		var known [][]*ir.Txn
		for _, names := range tc.known {
			known = append(known, []*ir.Txn{p.Txn(names[:1]), p.Txn(names[1:])})
		}
		s := survey(t.Context(), t, p, modes[2], known, func(*walk.Walk) []*ir.Txn { return nil })
		if s == nil {
			t.Fatal("it is proved")
		}
		var safe []string
		for _, x := range p.Txns {
			if s.safe[x] {
				safe = append(safe, x.Name)
			}
		}
		if got := strings.Join(safe, " "); got != tc.safe {
			t.Errorf("safe: %q, want %q\n%s", got, tc.safe, s)
		}
	}
}

// TestSurveyFacts: what is refuted by facts counts unless they may be broken.
func TestSurveyFacts(t *testing.T) {
	p := testprog.Parse(t, `program p
table t (k int not null, v int not null, key (k))
table u (k int not null, v int not null, key (k))
invariant (t r) r.v >= 0
txn a { (r) := select t.v from t where t.k == 1; if r < 0 { update t set v = 3 where t.k == 2 } }
txn b { (r) := select t.v from t where t.k == 2; if r < 0 { update t set v = 5 where t.k == 1 } }
txn c { (r) := select u.v from u where u.k == 1; update u set v = r where u.k == 2 }
txn d { (r) := select u.v from u where u.k == 2; update u set v = r where u.k == 1 }
`)
	for noFacts, want := range map[bool]string{false: "c d", true: "a b c d"} {
		res := mustProve(t, p, Options{Engine: engine.Postgres(), MaxWindow: 2})
		s := res.Survey(t.Context(), SurveyOptions{Effort: 100_000, NoFacts: noFacts, Suspect: func(context.Context, *walk.Walk, []*ir.Invariant) []*ir.Txn { return nil }})
		var open []string
		for _, w := range s.Open {
			for _, x := range w.Templates() {
				open = append(open, x.Name)
			}
		}
		slices.Sort(open)
		if got := strings.Join(slices.Compact(open), " "); got != want || len(s.Uncovered) > 0 {
			t.Errorf("without facts: %v: open are %q, want %q; %v are not covered", noFacts, got, want, s.Uncovered)
		}
	}
}

// TestSurveyTime: where there is no time, nobody is called safe who was not asked about.
func TestSurveyTime(t *testing.T) {
	p := testprog.Load(t, testprog.Path(t, "apps", "smallbank"))
	res := mustProve(t, p, Options{Engine: engine.Postgres(), Scout: func(context.Context, *walk.Walk, []*ir.Invariant) bool { return true }})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := res.Survey(ctx, SurveyOptions{Effort: 100_000})
	if len(s.Open) > 0 || len(s.Uncovered) < 3 {
		t.Errorf("open are %v, not covered %v", s.Open, s.Uncovered)
	}
}

// TestConnected: a chain of templates that touch something in common connects.
func TestConnected(t *testing.T) {
	p := testprog.Parse(t, `program p
var x = 0, y = 0, z = 0
txn a { x := 1 }
txn b { r := x; y := r }
txn c { r := y; emit r }
txn d { r := z; z := r + 1 }
`)
	got := Connected(p, Options{Engine: engine.SI()}, []*ir.Txn{p.Txn("a")})
	if len(got) != 3 || got[p.Txn("c")] != p.Txn("a") || got[p.Txn("d")] != nil {
		t.Errorf("connected with a: %v", got)
	}
}
