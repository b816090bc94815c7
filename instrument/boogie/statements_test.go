package boogie

import (
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/reach"
)

// TestStatements: each program reaches its error state or not, as it says, for
// Boogie and reach. They are what the litmus programs and applications lack.
func TestStatements(t *testing.T) {
	have(t)
	const rows = "table t (k int not null, a int, b text, key (k))\nrow t (1, 5, 'x')\nrow t (2, null, 'y')\nrow t (3, 5, 'x')\n"
	for _, tc := range []struct {
		reached   bool
		name, src string
	}{
		{true, "division truncates", "txn u { local r int; r := -7 / 2; assume r == -3 and -7 % 2 == -1 and 7 / -2 == -3 and 7 % -2 == 1; fail }"},
		{false, "division by zero aborts", "txn u { local r int; r := 0; r := 1 / r; fail }"},
		{true, "rationals", "txn u { local r num; r := 7.5; assume r / 2.0 == 3.75 and -r % 2.0 == -1.5; fail }"},
		{true, "three-valued", "txn u { local n bool; if n or not n { abort }; assume (n or true) and not (n and false); fail }"},
		{true, "counts", rows + "txn u { local n int; local s int; local d int; (n, s, d) := select agg count(*) int, agg sum(r.a) int, agg count(distinct r.a) int from t r; assume n == 3 and s == 10 and d == 1; fail }"},
		{true, "extremes", rows + "txn u { local m int; local x int; (m, x) := select agg min(r.k) int, agg max(r.a) int from t r where r.k > 1; assume m == 2 and x == 5; fail }"},
		{true, "none", rows + "txn u { local m int; (m) := select agg min(r.k) int from t r where r.k > 3; assume m is null; fail }"},
		{true, "first in order, nulls last", rows + "txn u { local m int; local f bool; (m) := select r.k from t r order by r.a, r.k desc found f; assume f and m == 3; fail }"},
		{true, "first in order, nulls first", rows + "txn u { local m int; (m) := select r.k from t r order by r.a desc; assume m == 2; fail }"},
		{false, "not the first", rows + "txn u { local m int; (m) := select r.k from t r order by r.k; assume m != 1; fail }"},
		{true, "loops", rows + "txn u { local k int; local s int; s := 0; foreach (k) := select r.k from t r order by r.k { if k == 2 { continue }; s := s * 10 + k }; assume s == 13; fail }"},
		{true, "loops see old rows", rows + "txn u { local k int; local s int; s := 0; foreach (k) := select r.k from t r where r.a == 5 { update t q set a = 0; s := s + k }; assume s == 4; fail }"},
		{true, "while", "txn u { local i int; i := 0; while i < 3 { i := i + 1 }; assume i == 3; fail }"},
		{true, "ranges", "txn u { local i int; local s int; s := 0; for i in reverse 3..1 { s := s * 10 + i }; assume s == 321; fail }"},
		{true, "updates", rows + "txn u { local n int; update t r set a = r.k * 2, b = 'z' where r.b == 'x'; (n) := select agg sum(r.a) int from t r where r.b == 'z'; assume n == 8; fail }"},
		{true, "an update that looks around", rows + "txn u { local n int; update t r set a = 1 where exists (from t q where q.k != r.k and q.a == r.a); (n) := select agg sum(r.a) int from t r; assume n == 2; fail }"},
		{true, "deletes", rows + "txn u { local n int; delete t r where r.a is null; (n) := select agg count(*) int from t r; assume n == 2; fail }"},
		{false, "keys are unique", rows + "txn u { insert t (k, a, b) values (3, 1, 'q'); fail }"},
		{true, "on conflict", rows + "txn u { local d bool; insert t (k, a) values (3, 4) on conflict (k) do update o set a = o.a + excluded.a where o.a > 4 done d; assume d and exists (from t r where r.k == 3 and r.a == 9); fail }"},
		{true, "savepoints", rows + "txn u { savepoint s; delete t r; rollback to s; assume exists (from t r where r.k == 2); fail }"},
		{false, "no savepoint", rows + "txn u { if exists (from t r where r.k == 9) { savepoint s }; rollback to s; fail }"},
		{false, "later savepoints end", rows + "txn u { savepoint s; savepoint z; rollback to s; rollback to z; fail }"},
		{false, "unique", "table t (k int not null, a int, key (k), unique t_a (a))\nrow t (1, 1)\nrow t (2, 2)\ntxn u { update t r set a = 1 where r.k == 2; fail }"},
		{true, "unique, not null", "table t (k int not null, a int, key (k), unique t_a (a))\nrow t (1, null)\ntxn u { insert t (k, a) values (2, null); fail }"},
		{false, "a parent is needed", "table p (k int not null, key (k))\ntable c (k int not null, p int, key (k), foreign c_p (p) references p (k))\nrow p (1)\ntxn u { insert c (k, p) values (1, 1); delete p r; fail }"},
		{false, "checks", "table t (k int not null, a int, key (k), check t_a t.a > 0)\ntxn u { insert t (k, a) values (1, null); insert t (k, a) values (2, 0); fail }"},
		{false, "domain", "domain 0..3\ntxn u (a int not null) { local r int; r := a + 1; assume r == 4; fail }"},
		{false, "fresh", "table t (k int not null, key (k))\nrow t (7)\ntxn u (fresh a int) { local f int; f := fresh; assume exists (from t r where r.k == f) or a == f; fail }"},
		{false, "opaque functions are functions", "txn u (a int not null) { assume opaque int f(a) != opaque int f(a); fail }"},
		{true, "opaque functions are not strict", "txn u { local a int; assume opaque int f(a) == opaque int f(null); fail }"},
		{true, "texts are ordered", "txn u { assume 'a' < 'b' and '' < 'a' and not 'ab' == 'a'; fail }"},
		{true, "times", "txn u (a time not null) { assume a + 1 - a == 1; fail }"},
		{true, "sessions", "process p[*] { txn a { reg r int; r := r + 1 } txn b { reg r int; assume r == 1; fail } }"},
		{true, "two sessions", "var x = 0\nprocess p[2] { txn a { r := x; x := r + 1 } txn b { r := x; assume r == 2; fail } }"},
		{false, "one session", "var x = 0\nprocess p { txn a { r := x; x := r + 1 } txn b { r := x; assume r == 2; fail } }"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := testprog.Parse(t, "program p\n"+tc.src)
			found, _, _, _ := agree(t, tc.name, p, 3, Options{Rows: 3, Values: testprog.Samples}, reach.Options{})
			if found != tc.reached {
				t.Errorf("reached %v", found)
			}
			// With quantifiers an error may be none, but none is missed.
			if !tc.reached || strings.Contains(tc.src, "agg count") || strings.Contains(tc.src, "agg sum") {
				return
			}
			text, err := Export(p, Options{Values: testprog.Samples})
			if err != nil {
				t.Fatal(err)
			}
			if fails, ok, _, said := verify(t, text, "8", 5*time.Minute); !ok || !fails {
				t.Errorf("with quantifiers the error state is not reached:\n%s", said)
			}
		})
	}
}
