package check_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/report"
)

// mixture has a write skew of a and b, and others.
const mixture = `program mixture
table t (k int not null, v int not null, key (k))
table s (k int not null, v int not null, key (k))
txn a { (r) := select t.v from t where t.k == 1; update t set v = r + 1 where t.k == 2 }
txn b { (r) := select t.v from t where t.k == 2; update t set v = r + 2 where t.k == 1 }
txn c { (r) := select s.v from s where s.k == 1; emit r }
`

// TestMixtures: where some run at SERIALIZABLE, and what stands in the way of a proof then.
func TestMixtures(t *testing.T) {
	for _, tc := range []struct {
		name, more string
		of         map[string]levels.Level
		want       report.Verdict
	}{
		{"the skew at SERIALIZABLE", "", map[string]levels.Level{"c": levels.RepeatableRead}, report.Robust},
		{"one of it lowered", "", map[string]levels.Level{"a": levels.RepeatableRead}, report.NotRobust},
		{"the other one lowered", "", map[string]levels.Level{"b": levels.RepeatableRead}, report.NotRobust},
		{"what is settled at READ COMMITTED", "", map[string]levels.Level{"c": levels.ReadCommitted}, report.Robust},
		{"what is not settled at READ COMMITTED", `
txn d { (r) := select s.v from s where s.k == 1; update s set v = r + 1 where s.k == 1 }
`, map[string]levels.Level{"d": levels.ReadCommitted}, report.NotRobust},
		{"a key that is freed and taken", `
txn gone(k int not null) { delete s where s.k == k }
txn again(k int not null) { (r) := select t.v from t where t.k == 1; insert s (k, v) values (k, r) }
`, map[string]levels.Level{"c": levels.RepeatableRead}, report.Unknown},
		{"a key that is only taken", `
txn again(k int not null) { (r) := select t.v from t where t.k == 3; insert s (k, v) values (k, r) }
`, map[string]levels.Level{"c": levels.RepeatableRead}, report.Robust},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := testprog.Parse(t, mixture+tc.more)
			rep, err := check.Check(t.Context(), p, check.Options{Engine: engine.Postgres(), Isolation: levels.AtSerializable, Levels: tc.of})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Verdict != tc.want {
				t.Errorf("%s, want %s: %+v", rep.Verdict, tc.want, rep.Open)
			}
			if rep.Verdict == report.Robust && !strings.HasPrefix(rep.Proof.Method, "every dangerous structure") {
				t.Errorf("the proof is another one: %s", rep.Proof.Method)
			}
		})
	}
}

// TestRefusable: SERIALIZABLE refuses an execution only if a dangerous structure of it runs there. Two
// transactions that are not concurrent, or of which one only reads, are none.
func TestRefusable(t *testing.T) {
	p := testprog.Load(t, testprog.Path(t, "apps", "smallbank"))
	for _, low := range []string{"balance", "write_check", "transact_saving"} {
		rep, err := check.Check(t.Context(), p, check.Options{Engine: engine.Postgres(), Isolation: levels.AtSerializable, Levels: map[string]levels.Level{low: levels.RepeatableRead}})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Verdict != report.NotRobust || len(rep.Confirmed()) == 0 {
			t.Errorf("%s at REPEATABLE READ: %s", low, rep.Verdict)
		}
	}
	// Two that overwrite each other's reads may be refused.
	rep, err := check.Check(t.Context(), testprog.Parse(t, mixture+`
txn gone(k int not null) { delete s where s.k == k }
txn again(k int not null) { (r) := select t.v from t where t.k == 3; insert s (k, v) values (k, r) }
`), check.Options{Engine: engine.Postgres(), Isolation: levels.AtSerializable})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Verdict != report.Unknown || len(rep.Findings) == 0 || rep.Findings[0].Status != report.Suspected {
		t.Errorf("%s: %+v", rep.Verdict, rep.Findings)
	}
}

// TestSeveralLevels: a lock that protects at READ COMMITTED settles nothing where the source may ask
// for REPEATABLE READ instead.
func TestSeveralLevels(t *testing.T) {
	for _, tc := range []struct {
		above []string
		want  bool
	}{{nil, true}, {[]string{"repeatable read"}, false}} {
		p := testprog.Parse(t, `program p
table t (k int not null, v int not null, key (k))
table m (k int not null, n int not null, key (k))
txn a { (x) := select m.n from m where m.k == 1 for update; if x is null { abort }; (r) := select t.v from t where t.k == 1; update t set v = r + 1 where t.k == 2 }
txn b { (x) := select m.n from m where m.k == 1 for update; if x is null { abort }; (r) := select t.v from t where t.k == 2; update t set v = r + 2 where t.k == 1 }
`)
		for _, x := range p.Txns {
			x.Level, x.Above = "read committed", tc.above
		}
		rep, err := check.Check(t.Context(), p, check.Options{Engine: engine.Postgres(), Isolation: levels.AtCode})
		if err != nil {
			t.Fatal(err)
		}
		if got := rep.Verdict == report.Robust; got != tc.want {
			t.Errorf("with %v above: %s", tc.above, rep.Verdict)
		}
	}
}
