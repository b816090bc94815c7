package reach

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/instrument"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir"
)

func names(trace []Step) string {
	var out []string
	for _, s := range trace {
		out = append(out, s.String())
	}
	return strings.Join(out, " ")
}

// TestPrinted has programs where the figures of the paper, taken literally,
// give another verdict.
func TestPrinted(t *testing.T) {
	for _, tc := range []struct {
		name, src string
		want      Verdict
	}{
		// The special write (figure 3, line 5) wants x.event to be unset, but
		// the attacker itself has read x.
		{"the attacker reads what it writes", `program p
var x = 0, y = 0
process p1 { txn t1 { r := x; x := r + 1; s := y } }
process p2 { txn t2 { y := 1; r := x } }`, Reached},
		// The attacker's own read sets x.event, which the commit of a helper
		// (lines 17 to 19) takes for a read by the chain.
		{"the attacker reads its own write", `program p
var x = 0, y = 0
process p1 { txn t1 { x := 1; r := x; s := y } }
process p2 { txn t2 { y := 1 } }`, Unreachable},
		// The same for a helper: only a write that stays excludes.
		{"a helper rolls back", `program p
var x = 0, y = 0
process p1 { txn t1 { r := y; x := 1 } }
process p2 { txn t2 { y := 1; savepoint s; x := 2; rollback to s; r := x } }`, Reached},
	} {
		r := Explore(context.Background(), rewrite(t, testprog.Parse(t, tc.src), instrument.Options{Classic: true}), Options{})
		if r.Verdict != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, r.Verdict, tc.want)
		}
	}
}

// TestSessions goes through the kinds of sessions.
func TestSessions(t *testing.T) {
	const balance = `
domain 0..3
table acc (id int not null, bal int not null, key (id))
row acc (0, 1)
row acc (1, 1)
`
	for _, tc := range []struct {
		name, src string
		classic   bool
		want      Verdict
		trace     string
	}{
		{"any sessions", `program p` + balance + `
txn withdraw(id int not null) {
  local s int;
  (s) := select agg sum(a.bal) int from acc a;
  if s >= 2 { update acc a set bal = a.bal - 1 where a.id == id and a.bal > 0 }
}`, false, Reached, "withdraw(0) withdraw(1)"},
		{"any sessions, robust, decided for any number", `program p` + balance + `
txn withdraw(id int not null) {
  local s int;
  update acc a set bal = a.bal - 1 where a.id == id and a.bal > 0;
  (s) := select a.bal from acc a where a.id == id;
  emit s
}`, false, Unreachable, ""},
		{"a hidden key", `program p
domain 0..1
table log (rowid, what int not null)
txn once(w int not null) {
  local n int;
  (n) := select agg count(*) int from log l where l.what == w;
  if n == 0 { insert log (what) values (w) }
  emit n
}`, false, Reached, "once(0) once(0)"},
		{"two copies", `program p
var x = 0, y = 0
process p[2] { txn a { r := x; y := r + 1 } txn b { r := y; x := r + 1 } }`, true, Reached, "p:a() p:b() p:a()"},
		{"one copy", `program p
var x = 0, y = 0
process p { txn a { r := x; y := r + 1 } txn b { r := y; x := r + 1 } }`, false, Unreachable, ""},
		{"any number of copies", `program p
domain 0..1
var x = 0, y = 0
process p[*] { txn a { r := x; y := 1 } }
process q[*] { txn b { r := y; x := 1 } }`, false, Reached, "p:a() q:b()"},
		{"any number of copies, decided", `program p
domain 0..1
var x = 0, y = 0
process p[*] { txn a { r := x; x := 1 } }
process q[*] { txn b { r := y; y := 1 } }`, false, Unreachable, ""},
	} {
		p := testprog.Parse(t, tc.src)
		r := Explore(context.Background(), rewrite(t, p, instrument.Options{Classic: tc.classic}), Options{})
		if r.Verdict != tc.want || names(r.Trace) != tc.trace {
			t.Errorf("%s: %v %s %s, want %v %s", tc.name, r.Verdict, names(r.Trace), r.Reason, tc.want, tc.trace)
		}
	}
}

// TestBounds: every bound is named.
func TestBounds(t *testing.T) {
	counter := testprog.Parse(t, `program p
var x = 0
process p[*] { txn a { x := x + 1 } }`)
	done, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	for _, tc := range []struct {
		p    *ir.Program
		ctx  context.Context
		opt  Options
		want string
	}{
		{counter, context.Background(), Options{MaxTxns: 5}, "executions of more than 5 transactions"},
		{counter, context.Background(), Options{MaxStates: 7}, "more than 7 states"},
		{counter, done, Options{}, "context deadline exceeded"},
		{testprog.Parse(t, "program p\nvar x = 0\ntxn a(n int not null) { x := n }"), context.Background(), Options{}, "parameter n of a has no finite domain"},
		{testprog.Parse(t, "program p\nvar x = 0\ntxn a { n := *; x := n }"), context.Background(), Options{}, "a(): a havocked value has no finite domain"},
		{testprog.Parse(t, "program p\nvar x = 0\ntxn a { while true { x := 1 } }"), context.Background(), Options{}, "a(): the run exceeds the step bound"},
		{testprog.Parse(t, "program p\nvar x = 0\ntxn a { unmodelled * 'WITH' }"), context.Background(), Options{}, "a(): a statement is not modelled: WITH"},
	} {
		r := Explore(tc.ctx, tc.p, tc.opt)
		if r.Verdict != BoundHit || r.Reason != tc.want {
			t.Errorf("%v %q, want %q", r.Verdict, r.Reason, tc.want)
		}
	}
}

// TestAccept: a rejected trace is not the end.
// TestReferences: which rows the delayed transaction can write beside their parents.
func TestReferences(t *testing.T) {
	const src = `program p
domain 0..2
var x = 0, y = 0
table p (k int not null, key (k))
table c (id int not null, p int, key (id), foreign f (p) references p (k))
row c (1, null)
PARENT
process a { txn a { was := x; WRITE; y := was + 1 } }
process b { txn b { x := 1; HELPER } }
process c { txn c { seen_x := x; seen_y := y; emit seen_x, seen_y } }`
	for _, tc := range []struct {
		write, parent, helper string
		want                  Verdict
	}{
		{"insert c (id, p) values (2, null)", "", "", Reached},
		{"insert c (id, p) values (2, 1)", "", "", Unreachable},
		{"insert c (id, p) values (2, 1)", "", "insert p (k) values (1)", Unreachable},
		{"insert c (id, p) values (2, 1)", "row p (1)", "", Reached},
		{"update c set p = 1 where c.id == 1", "", "", Unreachable},
		{"update c set p = 1 where c.id == 1", "", "insert p (k) values (1)", Unreachable},
		{"update c set p = 1 where c.id == 1", "row p (1)", "", Reached},
	} {
		p := testprog.Parse(t, strings.NewReplacer("WRITE", tc.write, "PARENT", tc.parent, "HELPER", tc.helper).Replace(src))
		m := interp.NewMachine(p, engine.SI())
		if r := m.Explore(t.Context(), interp.Sessions(p, 1), interp.InitialDB(p), interp.Options{}); (r.Verdict == interp.Anomalous) != (tc.want == Reached) {
			t.Errorf("%s beside %q: interpretation says %v", tc.write, tc.parent+tc.helper, r.Verdict)
		}
		if r := Explore(t.Context(), rewritten(t, p, instrument.Options{}).Program, Options{}); r.Verdict != tc.want {
			t.Errorf("%s beside %q: %v %s, want %v", tc.write, tc.parent+tc.helper, r.Verdict, r.Reason, tc.want)
		}
	}
}

// TestStates: all values are tried, and states are the same only where the same can follow.
func TestStates(t *testing.T) {
	some := Options{Values: func(ir.Type) []ir.Value { return []ir.Value{ir.Int(7)} }}
	for _, tc := range []struct {
		name, src string
		opt       Options
		want      Verdict
	}{
		{"a parameter is NULL", "txn a(n int) { if n is null { fail } }", Options{}, Reached},
		{"a parameter is not NULL", "txn a(n int not null) { if n is null { fail } }", Options{}, Unreachable},
		{"a parameter is false", "txn a(b bool not null) { if not b { fail } }", Options{}, Reached},
		{"a parameter is true", "txn a(b bool not null) { if b { fail } }", Options{}, Reached},
		{"the last value of the domain", "txn a(n int not null) { if n == 2 { fail } }", Options{}, Reached},
		{"a value outside of the domain", "txn a(n int not null) { if n == 3 { fail } }", Options{}, Unreachable},
		{"another register", "process p { txn a { r := * } txn b { if r == 2 { fail } } }", Options{}, Reached},
		{"another place", "process p { txn a { x := 0 } txn b { x := 0 } txn c { fail } }", Options{}, Reached},
		{"another session to come", "process p { txn a { if x == 1 { fail }; x := 1 } } process q { txn b { x := 1 } }", Options{}, Reached},
		{"a second copy", "process p[2] { txn a { if x == 1 { fail }; x := 1 } }", Options{}, Reached},
		{"no second copy", "process p { txn a { if x == 1 { fail }; x := 1 } }", Options{}, Unreachable},
		{"as many transactions as may run", "process p { txn a { x := 1 } }", Options{MaxTxns: 1}, Unreachable},
		{"more transactions than may run", "process p[2] { txn a { x := 1 } }", Options{MaxTxns: 1}, BoundHit},
		{"some values of a text", "txn a(n text not null) { x := 1 }", some, BoundHit},
		{"some values of what has a domain", "txn a(n int not null) { x := 1 }", some, Unreachable},
	} {
		p := testprog.Parse(t, "program p\ndomain 0..2\nvar x = 0\n"+tc.src)
		if r := Explore(t.Context(), p, tc.opt); r.Verdict != tc.want {
			t.Errorf("%s: %v %s, want %v", tc.name, r.Verdict, r.Reason, tc.want)
		}
	}
}

func TestAccept(t *testing.T) {
	p := testprog.Parse(t, `program p
var x = 0
process p { txn a { x := 1; fail } }
process q { txn b { assume exists (from x where x.v == 0); x := 2; fail } }`)
	r := Explore(context.Background(), p, Options{Accept: func(trace []Step) bool { return trace[0].Run.Inst.Txn.Name == "b" }})
	if r.Verdict != Reached || r.Rejected != 1 || names(r.Trace) != "q:b()" {
		t.Errorf("%v %s, %d rejected", r.Verdict, names(r.Trace), r.Rejected)
	}
}

// TestLimits keeps the cases where the instrumentation of row programs and
// interpretation differ, one for every reason that the documentation of package
// instrument gives.
func TestLimits(t *testing.T) {
	const rows = `
domain 0..2
table t (k int not null, a int not null, b int not null, key (k))
table u (k int not null, key (k))
row t (0, 0, 0)
row t (1, 1, 1)
`
	for _, tc := range []struct {
		name, src string
		classic   bool
		anomaly   bool // what interpretation says
		reached   bool
	}{
		{"a correlated subquery", `program p` + rows + `
process p { txn a { update t r set a = 1 where r.k == 0 and not exists (from u e where e.k == r.k) } }
process q { txn b { insert u (k) values (0); emit select r.a from t r where r.k == 0 } }`, false, true, false},
		{"a later writer after a join", `program p` + rows + `
row u (0)
process p { txn a { emit select r.b from t r, u e where e.k == r.k and r.a == 2; update t r set a = 2 where r.k == 1 } }
process q { txn b { update t r set a = 2 where r.k == 0 } }
process s { txn c { emit select r.k, r.a from t r } }`, true, true, false},
		{"inserted and deleted again", `program p` + rows + `
process p { txn a { emit select r.a from t r where r.k == 0; insert u (k) values (1); delete u x where x.k == 1 } }
process q { txn b { update t r set a = 1 where r.k == 0 } }
process s { txn c { emit select r.a from t r; emit select x.k from u x } }`, true, true, false},
		{"undone by a savepoint", `program p` + rows + `
process p { txn a { local v int; savepoint s; (v) := select r.a from t r where r.k == 0; rollback to s; emit v; insert u (k) values (1) } }
process q { txn b { update t r set a = 1 where r.k == 0 } }
process s { txn c { emit select r.a from t r; emit select x.k from u x } }`, false, true, false},
		{"a sum over other rows is the same", `program p` + rows + `
process p { txn a { emit select r.a from t r where r.k == 1; update t r set a = 1 where r.k == 0 } }
process q { txn b { local s int; update t r set a = 2 where r.k == 1; (s) := select agg sum(r.b) int from t r where r.a != 0; emit s } }`, false, false, true},
		{"another witness of exists", `program p` + rows + `
process p { txn a { emit select r.a from t r where r.k == 1; insert u (k) values (1) } }
process q { txn b { update t r set a = 2 where r.k == 1; insert u (k) values (0); emit exists (from u x) } }`, false, false, true},
	} {
		p := testprog.Parse(t, tc.src)
		m := interp.NewMachine(p, engine.SI())
		want := m.Explore(context.Background(), interp.Sessions(p, 1), interp.InitialDB(p), interp.Options{Classic: tc.classic})
		if (want.Verdict == interp.Anomalous) != tc.anomaly {
			t.Errorf("%s: interpretation says %v", tc.name, want.Verdict)
		}
		inst := rewritten(t, p, instrument.Options{Classic: tc.classic})
		r := Explore(context.Background(), inst.Program, Options{})
		if r.Verdict == BoundHit || (r.Verdict == Reached) != tc.reached {
			t.Errorf("%s: %v %s", tc.name, r.Verdict, r.Reason)
		}
		// A wrong claim is rejected by its replay.
		r = Explore(context.Background(), inst.Program, Options{Accept: func(trace []Step) bool { return confirmed(m, inst, p, trace, tc.classic) }})
		if r.Verdict == Reached || tc.reached && r.Rejected == 0 {
			t.Errorf("%s: after replay: %v, %d rejected", tc.name, r.Verdict, r.Rejected)
		}
	}
}

// TestLabelled: choices and loops of the labelled form do not depend on the
// domain of the integers.
func TestLabelled(t *testing.T) {
	for _, domain := range []string{"", "domain 0..7\n", "domain 5..7\n"} {
		p := testprog.Parse(t, "program p\n"+domain+`var x = 5
process q { txn t {
  a: skip; goto b;
  b: r := x; goto c;
  c: assume r == 5; goto d;
  c: assume r == 6; goto e;
  d: x := 6; goto b;
  e: skip; goto end;
} }
process s { txn u { assume x == 6; fail } }`)
		if r := Explore(context.Background(), p, Options{}); r.Verdict != Reached || names(r.Trace) != "q:t() s:u()" {
			t.Errorf("%q: %v %s %s", domain, r.Verdict, names(r.Trace), r.Reason)
		}
	}
}
