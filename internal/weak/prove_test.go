package weak_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/weak"
)

// TestProve proves programs of any number of sessions, or finds an execution where it does not:
// each case with its repaired twin.
func TestProve(t *testing.T) {
	const rows = "program p\ntable t (k int, v int not null, w int not null, key (k))\ntable u (k int, v int not null, key (k))\n"
	for _, c := range []struct{ name, text, robust, open string }{
		{"readers", "txn r (k int not null) { local x int; (x) := select t.v from t where t.k == k; emit x }", "cc pc psi si", ""},
		{"blind writers", "txn w (k int not null, x int not null) { update t set v = x where t.k == k }", "cc pc psi si", ""},
		{"counters", "txn inc (k int not null) { update t set v = t.v + 1 where t.k == k }", "psi si", ""},
		{"counters under a condition", "txn inc (k int not null) { update t set v = t.v + 1 where t.k == k and t.v < 5 }", "", "psi si"},
		{"readers of a column", `txn r (k int not null) { local x int; (x) := select t.v from t where t.k == k; emit x }
			txn w (k int not null, x int not null) { update t set v = x where t.k == k }`, "cc pc psi si", ""},
		{"readers of two columns, written together", `txn r (k int not null) { local x int; local y int; (x, y) := select t.v, t.w from t where t.k == k; emit x, y }
			txn w (k int not null, x int not null) { update t set v = x, w = x where t.k == k }`, "cc pc psi si", ""},
		{"readers of two columns, written apart", `txn r (k int not null) { local x int; local y int; (x, y) := select t.v, t.w from t where t.k == k; emit x, y }
			txn v (k int not null, x int not null) { update t set v = x where t.k == k }
			txn w (k int not null, x int not null) { update t set w = x where t.k == k }`, "pc psi si", ""},
		{"readers of two columns, written apart by upserts", `txn r (k int not null) { local x int; local y int; (x, y) := select t.v, t.w from t where t.k == k; emit x, y }
			txn v (k int not null, x int not null) { insert t (k, v, w) values (k, 0, 0) on conflict (k) do update o set v = x }
			txn w (k int not null, x int not null) { insert t (k, v, w) values (k, 0, 0) on conflict (k) do update o set w = x }`, "psi si", ""},
		{"readers of all rows", `txn r { local n int; (n) := select agg sum(t.v) int from t; emit n }
			txn w (k int not null, x int not null) { update t set v = x where t.k == k }`, "pc si", ""},
		{"updates of rows that may not be there", `txn a (x int not null) { update t set v = x where t.k == 0; update t set v = x where t.k == 1 }
			txn ins (k int not null) { insert t (k, v, w) values (k, 0, 0) }`, "si", ""},
		{"readers of two rows", `txn r { local x int; local y int; (x) := select t.v from t where t.k == 0; (y) := select t.v from t where t.k == 1; emit x, y }
			txn w (k int not null, x int not null) { update t set v = x where t.k == k }`, "pc si", ""},
		{"readers of two rows that write both", `txn r { local x int; local y int; (x) := select t.v from t where t.k == 0; (y) := select t.v from t where t.k == 1; emit x, y;
				update t set w = x where t.k == 0; update t set w = y where t.k == 1 }
			txn w (k int not null, x int not null) { update t set v = x where t.k == k }`, "psi si", ""},
		{"write skew", `txn a (k int not null) { local x int; (x) := select t.v from t where t.k == k; update u set v = x where u.k == k }
			txn b (k int not null) { local x int; (x) := select u.v from u where u.k == k; update t set v = x + 1 where t.k == k }`, "", ""},
		{"write skew with a common row", `txn a (k int not null) { local x int; (x) := select t.v from t where t.k == k; update u set v = x where u.k == k; update t set w = 1 where t.k == k }
			txn b (k int not null) { local x int; (x) := select u.v from u where u.k == k; update t set v = x + 1 where t.k == k; update u set v = u.v where u.k == k }`, "psi si", ""},
		{"rows are never found", `txn a (k int not null) { local x int; (x) := select t.v from t where t.k == k; emit x }
			txn b (k int not null) { update u set v = 1 where u.k == k }`, "cc pc psi si", ""},
		{"rows come", "txn a (k int not null) { insert t (k, v, w) values (k, 1, 1) }", "psi si", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, rows+c.text)
			if why := weak.Beyond(p); why != "" {
				t.Fatal(why)
			}
			var robust, open []string
			for _, m := range weak.Models() {
				if proof := weak.Prove(p, m, weak.ProveOptions{}); proof.Robust {
					robust = append(robust, m.String())
				} else if f, _, _ := weak.Find(t.Context(), p, m, weak.FindOptions{Init: schedules.AnyRows}); f == nil {
					open = append(open, m.String())
				} else {
					confirm(t, p, m, f.Sessions, f.Execution, true)
				}
			}
			if got := strings.Join(robust, " "); got != c.robust || strings.Join(open, " ") != c.open {
				t.Errorf("proved in %q, but must be in %q; neither in %v, but must be in %q", got, c.robust, open, c.open)
			}
		})
	}
}

// TestBeyond: what has no meaning in the models is said with its place, and its twin has one.
func TestBeyond(t *testing.T) {
	for _, c := range []struct{ name, text, why string }{
		{"unique key", "program p\ntable t (k int, v int, key (k), unique uv (v))\ntxn a { insert t (k, v) values (1, 1) }", "the unique key of t"},
		{"unique key that stays", "program p\ntable t (k int, v int, w int, key (k), unique uv (v))\ntxn a { update t set w = 1 where t.k == 1 }", ""},
		{"parents that go", "program p\ntable t (k int, key (k))\ntable c (k int, p int, key (k), foreign f (p) references t (k))\ntxn a { insert c (k, p) values (1, 1) }\ntxn b { delete t where t.k == 1 }", "the foreign key of c"},
		{"parents that stay", "program p\ntable t (k int, key (k))\ntable c (k int, p int, key (k), foreign f (p) references t (k))\ntxn a { insert c (k, p) values (1, 1) }\ntxn b { insert t (k) values (1) }", ""},
		{"row lock", "program p\ntable t (k int, key (k))\ntxn a { local x int; (x) := select t.k from t where t.k == 1 for update }", "a row lock has no meaning"},
		{"table lock", "program p\ntable t (k int, key (k))\ntxn a { lock t in exclusive; delete t where t.k == 1 }", "a lock has no meaning"},
		{"savepoint", "program p\nvar x = 0\ntxn a { savepoint s; x := 1; rollback to s }", "savepoints are not followed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if why := weak.Beyond(parse(t, c.text)); !strings.Contains(why, c.why) || (why == "") != (c.why == "") {
				t.Errorf("the reason is %q, but must say %q", why, c.why)
			}
		})
	}
}
