package movers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/symbolic"
	"github.com/txrobust/robust/internal/testprog"
)

var random = testprog.RandomFlags(1500)

func mustProve(t testing.TB, p *ir.Program, opt Options) *Result {
	t.Helper()
	res, err := Prove(context.Background(), p, opt)
	if err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	return res
}

// holds evaluates a fact on concrete rows, by a transaction that assumes it.
func holds(p *ir.Program, eng *engine.Profile, rows [][][]ir.Value, facts []*ir.Invariant) bool {
	for _, f := range facts {
		q := *p
		probe := &ir.Txn{Name: "probe", Body: []ir.Stmt{&ir.Assume{Cond: ir.NotE(&ir.Exists{
			Query: ir.Query{From: f.From, Where: ir.NotE(f.Expr)}})}}}
		q.Txns = []*ir.Txn{probe}
		m := interp.NewMachine(&q, eng)
		if m.Run(&interp.Instance{Txn: probe}, interp.NewDB(&q, rows), nil).Blocked != "" {
			return false
		}
	}
	return true
}

// TestDeadLoop: a loop over one row, which is known to be gone in one of two
// states that are compared, is still the same loop.
func TestDeadLoop(t *testing.T) {
	p := testprog.Parse(t, `program dead
table t (k int, a int not null, key (k))
txn touch { local v int; foreach (v) := select r.k from t r where r.k == 1 { update t r set a = 1 where r.k == v } }
txn drop { delete t r where r.k == 1 }`)
	for _, e := range engine.All() {
		if !e.EqualWrites { // a second touch writes nothing
			continue
		}
		if res := mustProve(t, p, Options{Engine: e}); res.Verdict != Robust {
			t.Errorf("%s: %v %v, want robust: both write the row", e.Name, res.Verdict, res.Walks)
		}
	}
}

// TestMixedProcesses: what may follow in a window depends on all that a process
// of which there is one has run there, also where other processes have any
// number of sessions. first reaches mid too, but x0 cannot follow it then.
func TestMixedProcesses(t *testing.T) {
	const src = `program mixed
var u = 0, p = 0, m = 0, w = 0
process a { txn x0 { r := m; s := w } txn first { u := 1; p := 1 } }
process b[%[1]s] { txn mid { q := p; m := q } }
process c[%[1]s] { txn both { u := 1; p := 1 } }
process d[%[1]s] { txn late { t := u; w := 5 - t } }`
	for _, m := range modes {
		if m.classic {
			continue
		}
		if !anomaly(t, testprog.Parse(t, fmt.Sprintf(src, "1")), m) {
			t.Errorf("%s: there is no anomaly with a session of each", m.name)
		}
		if res := mustProve(t, testprog.Parse(t, fmt.Sprintf(src, "*")), Options{Engine: m.engine, MaxWindow: 2}); res.Verdict == Robust {
			t.Errorf("%s: proved, but late, both, mid, x0 is an anomaly", m.name)
		}
	}
}

// TestBounds: the result names the bound that ran out.
func TestBounds(t *testing.T) {
	p := testprog.Load(t, testprog.Path(t, "apps", "playlist-deletetrack"))
	for want, opt := range map[Bound]Options{BoundQuestions: {MaxQuestions: 1}, BoundSolver: {Limit: 1, MaxQuestions: 4}} {
		opt.Engine = engine.Postgres()
		if res := mustProve(t, p, opt); res.Verdict == Robust || !slices.Contains(res.Bounds, want) {
			t.Errorf("%v: %v, want %s", res.Verdict, res.Bounds, want)
		}
	}
}

// TestEqualWritesBlind: where equal writes exclude nobody, transactions that only
// write constants are not robust for a syntactic reason: each of the two may
// find one of its values there already.
func TestEqualWritesBlind(t *testing.T) {
	p := testprog.Parse(t, `program blind
var x = 1, y = 2
process p1 { txn t { x := 1; y := 1 } }
process p2 { txn u { x := 2; y := 2 } }`)
	if res := mustProve(t, p, Options{Engine: engine.SI()}); res.Verdict != Robust {
		t.Errorf("si: %v, want robust", res.Verdict)
	}
	m := mode{name: "mariadb", engine: engine.MariaDB()}
	if !anomaly(t, p, m) {
		t.Error("interpretation finds no anomaly")
	}
	if res := mustProve(t, p, Options{Engine: m.engine}); res.Verdict == Robust {
		t.Errorf("proved robust: %s", res.Certificate)
	}
}

// both checks that interpretation and proof on PostgreSQL say whether a program,
// with body in the place of %s, is robust.
func both(t *testing.T, src, body string, robust bool) {
	t.Helper()
	p := testprog.Parse(t, strings.Replace(src, "%s", body, 1))
	m := modes[2]
	if got := !anomaly(t, p, m); got != robust {
		t.Errorf("%s: interpretation says robust = %v", body, got)
	}
	if res := mustProve(t, p, Options{Engine: m.engine}); (res.Verdict == Robust) != robust {
		t.Errorf("%s: %v %v, want robust = %v", body, res.Verdict, res.Walks, robust)
	}
}

// TestUndoneInsert: what is rolled back has been checked all the same. insert
// could only succeed after drop, whose deletion it does not see. Without it,
// reader only reads.
func TestUndoneInsert(t *testing.T) {
	const src = `program undone
table t (k int not null, a int not null, key (k))
row t (0, 7)
process p1 { txn drop { delete t where t.k == 0 } }
process p2 { txn reader { savepoint s; %s; rollback to s; (r) := select t.a from t where t.k == 0 } }`
	for _, tc := range []struct {
		body   string
		robust bool
	}{{"insert t (k, a) values (0, 1)", false}, {"update t set a = 1 where t.k == 0", true}} {
		both(t, src, tc.body, tc.robust)
	}
}

// TestLateLock: LOCK TABLE excludes others only if nothing has been read before,
// in whatever statement.
func TestLateLock(t *testing.T) {
	const src = `program late
table t (k int not null, v int not null, key (k))
row t (0, 0)
row t (1, 0)
process p1 { txn a { %s assume w; update t set v = 1 where t.k == 1 } }
process p2 { txn b { lock t in exclusive; (n) := select t.v from t where t.k == 1; assume n == 0; update t set v = 1 where t.k == 0 } }`
	const read = "exists (from t where t.k == 0 and t.v == 0)"
	for _, tc := range []struct {
		body   string
		robust bool
	}{
		{"lock t in exclusive; w := " + read + ";", true},
		{"w := " + read + "; lock t in exclusive;", false},
		{"if " + read + " { w := true }; lock t in exclusive;", false},
		{"w := true; assume " + read + "; lock t in exclusive;", false},
		{"w := true; emit " + read + "; lock t in exclusive;", false},
	} {
		both(t, src, tc.body, tc.robust)
	}
}

// TestUndoneLoop: what a rollback to a savepoint undoes is no write, even in a
// loop whose rounds are apart.
func TestUndoneLoop(t *testing.T) {
	const program = `program undone_loop
table x (
  k int not null,
  v int not null,
  key (k)
)
var z int = 0
txn undone {
  local i int;
  savepoint before;
  for i in 1 .. 3 {
    update x r set v = r.v + 1 where r.k == i;
  }
  rollback to before;
  %s
}
txn delayed {
  emit select n.v from z n;
  update x r set v = 5 where r.k == 1;
}
txn first {
  update z n set v = n.v + 1;
  update x r set v = 7 where r.k == 2;
}
`
	for _, c := range []struct {
		after string
		want  Verdict
	}{{"", Robust}, {"emit select r.v from x r where r.k <= 3;", Suspicious}} {
		p := testprog.Parse(t, fmt.Sprintf(program, c.after))
		if res := mustProve(t, p, Options{Engine: engine.Postgres(), MaxWindow: 1}); res.Verdict != c.want {
			t.Errorf("with %q: %v, want %v: %v", c.after, res.Verdict, c.want, res.Walks)
		}
	}
}

// TestLargeQuestion: a question that takes too many steps to be stated is not
// answered, and it is not the solver that is short of effort. Loops whose number of
// rounds is open, one inside another, around statements of which nothing is known, make
// such questions.
func TestLargeQuestion(t *testing.T) {
	body := "unmodelled * 'x'; unmodelled * 'y'"
	for i := range 5 {
		body = fmt.Sprintf("while n > %d { %s; n := * }", i, body)
	}
	p := testprog.Parse(t, `program large
table a (k int, v int not null, key (k))
table b (k int, v int not null, key (k))
txn t (m int) { local n int; n := m; `+body+` }
txn u { update a r set v = 1 where r.k == 1 }`)
	res := mustProve(t, p, Options{Engine: engine.Postgres()})
	if res.Verdict == Robust || !strings.Contains(res.Reason, symbolic.TooLarge) || slices.Contains(res.Bounds, BoundSolver) {
		t.Errorf("%v: %s %v", res.Verdict, res.Reason, res.Bounds)
	}
	if res.Stats.Queries == 0 {
		t.Error("what can be asked about u was not asked")
	}
}

// TestStatedWithinBound: the bound on the steps of a question is what keeps it from
// being answered.
func TestStatedWithinBound(t *testing.T) {
	p := testprog.Parse(t, `program small
table a (k int, v int not null, key (k))
txn t (i int) { local x int; (x) := select r.v from a r where r.k == i; update a r set v = x + 1 where r.k == i }`)
	for _, c := range []struct {
		steps int
		want  Verdict
	}{{0, Robust}, {1, Unknown}} {
		if res := mustProve(t, p, Options{Engine: engine.Postgres(), maxSteps: c.steps}); res.Verdict != c.want {
			t.Errorf("%d steps: %v (%s), want %v", c.steps, res.Verdict, res.Reason, c.want)
		}
	}
}
