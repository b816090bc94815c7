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
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/symbolic"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
)

// closed is the program of exactly these instances on these rows: a process for
// each, with constants for parameters.
func closed(p *ir.Program, sessions []interp.Session, rows [][][]ir.Value) *ir.Program {
	out := &ir.Program{Name: p.Name, Domain: p.Domain}
	for i, t := range p.Tables {
		u := *t
		u.Rows = rows[i]
		out.Tables = append(out.Tables, &u)
	}
	q := *p
	q.Tables, q.Processes, q.Txns = out.Tables, nil, nil
	for i, s := range sessions {
		pr := &ir.Process{Name: fmt.Sprintf("p%d", i), Copies: 1}
		for k, in := range s {
			t := in.Txn
			c := &ir.Txn{Name: fmt.Sprintf("i%d%d_%s", i, k, t.Name), Locals: append([]ir.Local(nil), t.Locals...)}
			var sets []ir.Stmt
			for j, param := range t.Params {
				c.Locals = append(c.Locals, ir.Local{Name: param.Name, Type: param.Type})
				sets = append(sets, &ir.Assign{Var: param.Name, Expr: ir.C(in.Params[j])})
			}
			at := 0 // locking a table counts only before everything else
			for at < len(t.Body) {
				if _, ok := t.Body[at].(*ir.LockTable); !ok {
					break
				}
				at++
			}
			c.Body = append(append(append([]ir.Stmt(nil), t.Body[:at]...), sets...), t.Body[at:]...)
			out.Txns = append(out.Txns, c)
			pr.Txns = append(pr.Txns, c)
		}
		out.Processes = append(out.Processes, pr)
	}
	// Statements and constraints name the tables of p; those of the copy are
	// resolved by name.
	return progen.Copy(out)
}

// only is p with the templates of the sessions.
func only(p *ir.Program, sessions []interp.Session) *ir.Program {
	used := map[*ir.Txn]bool{}
	for _, s := range sessions {
		for _, in := range s {
			used[in.Txn] = true
		}
	}
	q := *p
	q.Txns = nil
	for _, t := range p.Txns {
		if used[t] {
			q.Txns = append(q.Txns, t)
		}
	}
	return progen.Copy(&q)
}

// maxExecutions bounds each exploration.
const maxExecutions = 3000

// explore goes through the executions of the program's processes.
func explore(p *ir.Program, m mode) interp.Result {
	machine := interp.NewMachine(p, m.engine)
	machine.MaxSteps = 200
	res := machine.Explore(context.Background(), interp.Sessions(p, 2), interp.InitialDB(p),
		interp.Options{Classic: m.classic, MaxExecutions: maxExecutions})
	if m.classic && res.Verdict == interp.Anomalous && rewrites(res.Anomaly) {
		return interp.Result{Verdict: interp.Undecided, Reason: "a row is written twice"}
	}
	return res
}

// smaller takes statements out as long as there is an anomaly.
func smaller(p *ir.Program, m mode) *ir.Program {
	p = progen.Copy(p)
	for again := true; again; {
		again = false
		for _, list := range progen.Lists(p) {
			for i := len(*list) - 1; i >= 0; i-- {
				if i >= len(*list) {
					continue
				}
				old := *list
				*list = append(old[:i:i], old[i+1:]...)
				if wellformed.Check(p) == nil && explore(p, m).Verdict == interp.Anomalous {
					again = true
					continue
				}
				*list = old
			}
		}
	}
	return progen.Copy(p)
}

// patience bounds the attempts with one program.
const patience = 4 * time.Second

// attempts proves p with bounded effort, in each way that suffices on its own:
// by rows, by cells, and now and then in full with facts that hold on the
// initial rows.
func attempts(t testing.TB, p *ir.Program, m mode, full bool) Verdict {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Logf("%s:\n%s", m.name, p)
			panic(r)
		}
	}()
	opt := Options{Engine: m.engine, Classic: m.classic, SessionOrder: m.sessions, MaxWindow: 2, MaxQuestions: 12, MaxWalks: 1, Limit: 60000}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if full {
		rows := make([][][]ir.Value, len(p.Tables))
		for i, table := range p.Tables {
			rows[i] = table.Rows
		}
		opt.MaxWindow, opt.MaxQuestions, opt.MaxWalks = 3, 40, 2
		opt.Initially = func(f *ir.Invariant) bool { return holds(p, m.engine, rows, []*ir.Invariant{f}) }
		res, err := Prove(ctx, p, opt)
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		return res.Verdict
	}
	if c := certificate(p, opt); c != "" {
		return Robust
	}
	lanes := []*lane{{limit: opt.Limit}} // the programs are many already
	verdict := Unknown
	for _, gran := range []symbolic.Granularity{symbolic.ByRow, symbolic.ByCell} {
		a := newAttempt(p, nil, opt, gran, lanes)
		a.quick = true
		if v := a.run(ctx).Verdict; v != Unknown {
			verdict = v
		}
		if verdict == Robust || m.classic {
			break
		}
	}
	return verdict
}

// rewrites reports whether a transaction writes some row more than once.
// Interpretation takes each of these writes for a dependency of the classic
// kind; proofs, as histories do, only the last.
func rewrites(x *interp.Execution) bool {
	for _, c := range x.Txns {
		seen := map[string]bool{}
		for _, op := range c.Run.Ops {
			k := fmt.Sprint(op.Table, " ", op.Key)
			if seen[k] {
				return true
			}
			seen[k] = true
		}
	}
	return false
}

// describe prints an execution: who read which version.
func describe(x *interp.Execution) string {
	var out []string
	for i, c := range x.Txns {
		out = append(out, fmt.Sprintf("version %d: %s on version %d", i+1, c.Run.Inst, c.Snapshot))
	}
	return strings.Join(out, "\n")
}

// tally counts what happened.
type tally struct {
	programs, anomalies, distinct, checks, full int
	verdicts                                    map[Verdict]int // of programs without an anomaly
	total, proving                              time.Duration
}

func (c *tally) String() string {
	return fmt.Sprintf("%d programs, %d with an anomaly (%d distinct, %d proofs tried, %d in full); of a sample of the others %d proved robust, %d suspicious, %d unknown (%v, of that proving %v)",
		c.programs, c.anomalies, c.distinct, c.checks, c.full, c.verdicts[Robust], c.verdicts[Suspicious], c.verdicts[Unknown],
		c.total.Round(time.Millisecond), c.proving.Round(time.Millisecond))
}

// add adds what another tally counted.
func (c *tally) add(o *tally) {
	c.programs += o.programs
	c.anomalies += o.anomalies
	c.distinct += o.distinct
	c.checks += o.checks
	c.full += o.full
	for v, n := range o.verdicts {
		c.verdicts[v] += n
	}
	c.total += o.total
	c.proving += o.proving
}

// source makes a random program, and if its transactions are templates, a way
// to pick instances and rows.
type source struct {
	name string
	make func(r *rand.Rand) *ir.Program
}

func sources(t testing.TB) []source {
	var seeds []*ir.Program
	for _, l := range testprog.LitmusPrograms(t) {
		if strings.HasPrefix(l.File, "s") || strings.HasPrefix(l.File, "fig1-w") || strings.HasPrefix(l.File, "read-only") {
			seeds = append(seeds, l.Program(t))
		}
	}
	mutants := func(p *ir.Program, r *rand.Rand) *ir.Program {
		for n := 1 + r.Intn(4); n > 0; n-- {
			p = progen.Mutant(r, p)
		}
		if len(p.Processes) > 0 && r.Intn(5) == 0 {
			p.Processes[r.Intn(len(p.Processes))].Copies = ir.Any
		}
		return p
	}
	accesses := func(r *rand.Rand) *ir.Program {
		o := progen.All
		o.Txns, o.Stmts, o.Loops = 3, 3, r.Intn(6) == 0
		return progen.Accesses(r, o)
	}
	return []source{
		{"mutants", func(r *rand.Rand) *ir.Program { return mutants(seeds[r.Intn(len(seeds))], r) }},
		{"accesses", accesses},
		{"mutants of accesses", func(r *rand.Rand) *ir.Program { return mutants(accesses(r), r) }},
		{"programs", func(r *rand.Rand) *ir.Program {
			o := progen.All
			o.Loops, o.Derived = r.Intn(4) == 0, r.Intn(2) == 0
			return progen.Program(r, o)
		}},
	}
}

// candidates gives closed programs to explore: p, or some instances of its
// templates on random rows, each with the templates used and whether a session
// runs two of them.
func candidates(r *rand.Rand, p *ir.Program, yield func(c, templates *ir.Program, sessions bool) bool) {
	if len(p.Processes) > 0 {
		yield(p, nil, false)
		return
	}
	for k := 0; k < 12; k++ {
		rows := progen.Rows(r, p, 3)
		sessions := progen.Instances(r, p, []int{2, 2, 3, 3, 3, 4}[r.Intn(6)])
		templates := only(p, sessions)
		for i, t := range templates.Tables {
			t.Rows = rows[i]
		}
		two := slices.ContainsFunc(sessions, func(s interp.Session) bool { return len(s) > 1 })
		if !yield(closed(p, sessions, rows), templates, two) {
			return
		}
	}
}

// trial is what the programs of one goroutine are counted in.
type trial struct {
	t      *testing.T
	r      *rand.Rand // of the program
	seed   int64      // of r
	list   []source
	counts map[string]*tally
	seen   map[string]bool
}

func newTrial(t *testing.T, list []source) *trial {
	x := &trial{t: t, list: list, counts: map[string]*tally{}, seen: map[string]bool{}}
	for _, s := range list {
		x.counts[s.name] = &tally{verdicts: map[Verdict]int{}}
	}
	return x
}

// program makes one random program, looks for an anomaly of it, and makes sure
// that what has one is not proved.
func (x *trial) program(seed int64) {
	r := rand.New(rand.NewSource(seed))
	x.r, x.seed = r, seed
	s := x.list[[]int{0, 0, 0, 0, 0, 1, 1, 2, 2, 3}[r.Intn(10)]]
	m := append(modes, mode{name: "mariadb", engine: engine.MariaDB()})[[]int{0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3}[r.Intn(11)]]
	c := x.counts[s.name]
	c.programs++
	start := time.Now()
	defer func() { c.total += time.Since(start) }()
	p := s.make(r)
	found := false
	candidates(r, p, func(k, templates *ir.Program, sessions bool) bool {
		res := explore(k, m)
		if res.Verdict != interp.Anomalous {
			return true
		}
		found = true
		x.check(c, k, m, "its instances", res.Anomaly)
		if templates != nil && r.Intn(2) == 0 {
			ordered := m
			ordered.sessions = sessions
			x.check(c, templates, ordered, "its templates", res.Anomaly)
		}
		if r.Intn(2) == 0 {
			x.check(c, smaller(k, m), m, "instances with the statements that it needs", res.Anomaly)
		}
		return false
	})
	if found {
		c.anomalies++
	} else if r.Intn(40) == 0 {
		c.verdicts[x.attempt(c, p, m, false)]++
	}
}

// check makes sure that a program with an anomaly is not proved.
func (x *trial) check(c *tally, p *ir.Program, m mode, what string, anomaly *interp.Execution) {
	key := fmt.Sprint(m.name, m.sessions, p)
	if x.seen[key] {
		return
	}
	x.seen[key] = true
	c.distinct++
	full := x.r.Intn(12) == 0
	if full {
		c.full++
	}
	c.checks++
	if x.attempt(c, p, m, full) == Robust {
		x.t.Errorf("seed %d, %s: %s are proved robust (in full: %v), but there is an anomaly:\n%s\n%s", x.seed, m.name, what, full, describe(anomaly), p)
	}
}

func (x *trial) attempt(c *tally, p *ir.Program, m mode, full bool) Verdict {
	start := time.Now()
	defer func() { c.proving += time.Since(start) }()
	return attempts(x.t, p, m, full)
}

// TestAgainstExploration looks for anomalies of random programs by exhaustive
// interpretation, and makes sure that none that has one is proved robust: not
// the instances alone, not what is left when statements are taken out that the
// anomaly does not need, and not the templates for any sessions. Each program
// has a seed of its own, so that it comes again with -seed and -runs 1.
func TestAgainstExploration(t *testing.T) {
	first := random.Seed(t)
	list := sources(t)
	deadline, bounded := t.Deadline()
	var next atomic.Int64
	var group sync.WaitGroup
	trials := make([]*trial, runtime.GOMAXPROCS(0))
	for i := range trials {
		x := newTrial(t, list)
		trials[i] = x
		group.Go(func() {
			for !t.Failed() && (!bounded || time.Until(deadline) > 20*time.Second) {
				n := next.Add(1) - 1
				if n >= int64(random.Runs()) {
					return
				}
				x.program(first + n)
			}
		})
	}
	group.Wait()
	proved, anomalies := 0, 0
	for _, s := range list {
		c := &tally{verdicts: map[Verdict]int{}}
		for _, x := range trials {
			c.add(x.counts[s.name])
		}
		t.Logf("%s: %s", s.name, c)
		proved += c.verdicts[Robust]
		anomalies += c.anomalies
	}
	if random.Runs() > 100 && (proved == 0 || anomalies == 0) {
		t.Error("one of the verdicts never came up: the test says little")
	}
}
