package weak_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/weak"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir/irtext"
)

var (
	programs = flag.Int("weak.programs", 150, "random programs of TestRandom")
	seed     = flag.Int64("weak.seed", 1, "the first seed of TestRandom")
)

// maxRandom bounds the executions of a random program.
const maxRandom = 6000

// random makes a program that has a meaning in the models, with instances and rows.
func random(r *rand.Rand) (*ir.Program, []interp.Session, *interp.DB) {
	if r.Intn(3) == 0 {
		p := short(r)
		init := interp.InitialDB(p)
		if r.Intn(4) == 0 {
			init = interp.NewDB(p, progen.Rows(r, p, 2))
		}
		return p, progen.Instances(r, p, 4), init
	}
	for {
		o := progen.Options{Loops: r.Intn(3) == 0, Nulls: r.Intn(3) == 0, Vars: r.Intn(4) == 0, Moves: r.Intn(4) == 0, Txns: 3, Stmts: 2 + r.Intn(2)}
		p := progen.Program(r, o)
		if !o.Vars && r.Intn(2) == 0 {
			p = progen.Accesses(r, o)
		}
		wellformed.Structure(p)
		if weak.Beyond(p) != "" {
			continue
		}
		rows := progen.Rows(r, p, 2)
		return p, progen.Instances(r, p, 2+r.Intn(2)), interp.NewDB(p, rows)
	}
}

// short makes a program of transactions that read or write a few rows by key, or several at once:
// four of them show what needs two readers and two writers.
func short(r *rand.Rand) *ir.Program {
	var b strings.Builder
	b.WriteString("program short\nvar x = 0, y = 0\ntable t (k int, a int not null, b int not null, key (k))\nrow t (0, 0, 0)\nrow t (1, 0, 0)\n")
	value := func() string { return []string{"1", "2", "r", "n + 1"}[r.Intn(4)] }
	key := func() string { return []string{"0", "1", "n", "n"}[r.Intn(4)] }
	for i := range 2 + r.Intn(2) {
		fmt.Fprintf(&b, "txn t%d (n int not null) { local r int; local s int; r := 0;\n", i)
		kind := r.Intn(3) // a reader, a writer, or both
		for k := range []int{2, 1, 2}[kind] + r.Intn(2) {
			v := []string{"x", "y"}[r.Intn(2)]
			col := []string{"a", "b"}[r.Intn(2)]
			n, writes := r.Intn(5), kind == 1 || kind == 2 && k > 0
			if kind == 1 && k == 0 {
				n = r.Intn(3)
			}
			switch {
			case n == 0 && writes:
				fmt.Fprintf(&b, "%s := %s;\n", v, value())
			case n == 1 && writes:
				fmt.Fprintf(&b, "update t set %s = %s where t.k == %s;\n", col, []string{value(), "t." + col + " + 1"}[r.Intn(2)], key())
			case n == 2 && writes:
				fmt.Fprintf(&b, []string{"insert t (k, a, b) values (%s, 1, 1);\n", "delete t where t.k == %s;\n",
					"insert t (k, a, b) values (%s, 1, 1) on conflict (k) do update o set a = o.a + 1;\n", "insert t (k, a, b) values (%s, 2, 2) on conflict (k) do update o set b = 2;\n"}[r.Intn(4)], key())
			case n == 3:
				fmt.Fprintf(&b, "r := %s; emit r;\n", v)
			default:
				fmt.Fprintf(&b, "(s) := select t.%s from t where t.k == %s; emit s;\n", col, key())
			}
		}
		b.WriteString("emit 1 }\n")
	}
	p, err := irtext.Parse("short", b.String())
	if err != nil {
		panic(fmt.Sprintf("%v\n%s", err, b.String()))
	}
	wellformed.Structure(p)
	return p
}

// result is what exploration gives of one model.
type result struct {
	outcomes  map[string]bool
	anomalous *interp.Execution
	complete  bool
}

// explore goes through all executions. some, if not nil, is given some of them.
func explore(t *testing.T, p *ir.Program, m weak.Model, sessions []interp.Session, init *interp.DB, some func(*interp.Execution)) result {
	t.Helper()
	out := result{outcomes: map[string]bool{}}
	n := 0
	r := weak.Explore(t.Context(), p, m, sessions, init, weak.Options{MaxExecutions: maxRandom, Visit: func(x *interp.Execution, anomalous bool) bool {
		out.outcomes[key(x)] = true
		if n++; n%97 == 1 {
			some(x)
		}
		return true
	}})
	out.anomalous, out.complete = r.Anomaly, r.Reason == ""
	return out
}

// key is the outcome of an execution with the transactions that it has.
func key(x *interp.Execution) string {
	var who []string
	for _, t := range x.Txns {
		who = append(who, fmt.Sprint(t.Session, ".", t.Index))
	}
	slices.Sort(who)
	return fmt.Sprint(who) + x.Outcome()
}

// atSnapshot gives the outcomes that package interp finds at snapshot isolation.
func atSnapshot(t *testing.T, p *ir.Program, sessions []interp.Session, init *interp.DB) result {
	t.Helper()
	out := result{outcomes: map[string]bool{}}
	m := interp.NewMachine(p, engine.SI())
	complete := interp.Options{MaxExecutions: maxRandom, Refused: func(x *interp.Execution) bool { out.outcomes[key(x)] = true; return false }}
	r := m.Explore(t.Context(), sessions, init, complete)
	out.anomalous = r.Anomaly
	out.complete = r.Reason == "" && r.Anomaly == nil // it ends with the first anomaly
	return out
}

// TestRandom compares the models with each other, snapshot isolation with package interp, proofs
// with exploration, and the histories of executions with the definitions of levels.
func TestRandom(t *testing.T) {
	counts := map[string]int{}
	for s := *seed; s < *seed+int64(*programs); s++ {
		if t.Failed() {
			break
		}
		r := rand.New(rand.NewSource(s))
		p, sessions, init := random(r)
		counts["programs"]++
		results := map[weak.Model]result{}
		for _, m := range weak.Models() {
			results[m] = explore(t, p, m, sessions, init, func(x *interp.Execution) { recorded(t, s, p, m, x, counts) })
			compareProof(t, s, p, m, results[m], counts)
			if x := results[m].anomalous; x != nil && s%8 == 0 {
				counts["confirmed"]++
				confirm(t, p, m, sessions, x, false)
			}
		}
		for _, m := range weak.Models() {
			for _, n := range weak.Models() {
				if m.Implies(n) && results[n].complete {
					within(t, s, p, m.String(), n.String(), results[m], results[n])
				}
			}
		}
		si := atSnapshot(t, p, sessions, init)
		if ours := results[weak.SI]; ours.complete {
			within(t, s, p, "package interp", "si", si, ours)
			if si.complete {
				counts["equal to interp"]++
				within(t, s, p, "si", "package interp", ours, si)
			}
			if si.anomalous != nil != (ours.anomalous != nil) && (si.complete || si.anomalous != nil) {
				t.Errorf("seed %d: package interp finds an anomaly: %t, and package weak: %t\n%s", s, si.anomalous != nil, ours.anomalous != nil, p)
			}
		}
	}
	t.Logf("seeds from %d: %v", *seed, counts)
	if counts["programs"] >= 100 && (counts["proved cc"] == 0 || counts["anomalies cc"] == 0 || counts["histories"] == 0) {
		t.Errorf("the programs show too little: %v", counts)
	}
}

// compareProof makes sure that nothing is proved of which there is an anomaly.
func compareProof(t *testing.T, s int64, p *ir.Program, m weak.Model, got result, counts map[string]int) {
	t.Helper()
	proof := weak.Prove(p, m, weak.ProveOptions{SessionOrder: true})
	if got.anomalous != nil {
		counts["anomalies "+m.String()]++
	}
	if proof.Robust {
		counts["proved "+m.String()]++
		again(t, s, p, m)
		if got.anomalous != nil {
			t.Errorf("seed %d: proved for %s, but there is an anomaly\n%s", s, m.Long(), p)
		}
	} else if len(proof.Cycle) == 0 {
		t.Errorf("seed %d: %s: neither proved nor a cycle", s, m)
	}
}

// again explores other calls and rows of a program that is proved.
func again(t *testing.T, s int64, p *ir.Program, m weak.Model) {
	t.Helper()
	r := rand.New(rand.NewSource(s))
	for n := 2; n <= 4; n++ {
		x := weak.Explore(t.Context(), p, m, progen.Instances(r, p, n), interp.NewDB(p, progen.Rows(r, p, 2)), weak.Options{MaxExecutions: 1000})
		if x.Verdict == interp.Anomalous {
			t.Errorf("seed %d: proved for %s, but there is an anomaly of other calls\n%s", s, m.Long(), p)
		}
	}
}

// within makes sure that the outcomes of one model are outcomes of another one.
func within(t *testing.T, s int64, p *ir.Program, small, large string, a, b result) {
	t.Helper()
	for o := range a.outcomes {
		if !b.outcomes[o] {
			t.Errorf("seed %d: an outcome of %s is none of %s: %q\n%s", s, small, large, o, p)
			return
		}
	}
}

// recorded makes sure that the history of an execution is one of the levels of its model.
func recorded(t *testing.T, s int64, p *ir.Program, m weak.Model, x *interp.Execution, counts map[string]int) {
	t.Helper()
	traced, err := weak.Traced(p, m, x)
	if err != nil {
		t.Errorf("seed %d: %s: %v\n%s", s, m, err, p)
		return
	}
	h, err := weak.History(p, traced)
	if err != nil {
		t.Errorf("seed %d: %s: %v", s, m, err)
		return
	}
	counts["histories"]++
	accepts(t, s, p, m, h)
}

func accepts(t *testing.T, s int64, p *ir.Program, m weak.Model, h *history.History) {
	t.Helper()
	r, err := brute.Check(context.Background(), h, brute.Options{Levels: m.Levels()})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range r.Answers {
		if a.Verdict != checker.Satisfied {
			t.Errorf("seed %d: an execution at %s is not one of %s: %s %s\n%s", s, m, a.Level, a.Verdict, a.Why, p)
		}
	}
}
