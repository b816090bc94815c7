package readcommitted_test

import (
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
)

// TestRechecks: a read without a lock that decides only whether the transaction aborts counts as none, if the row that is
// locked later would let it pass as well.
func TestRechecks(t *testing.T) {
	const tables = `program p
		table t ( id int not null, v int not null, w int, key (id) )
		txn change(a int not null, b int not null) { update t set v = b, w = b where t.id == a; }
		`
	const (
		gone  = "txn gone(a int not null) { delete t where t.id == a; }"
		comes = "txn gone(a int not null, b int not null) { delete t where t.id == a; insert t (id, v, w) values (a, b, b); }"
		read  = "(x) := select t.v from t where t.id == a found f; "
		lock  = "(y) := select t.v from t where t.id == a for update found g; if not g { abort; } "
		take  = "(n) := select 1 from t where t.id == a and t.v >= q for update found g; if not g { abort; } update t set v = t.v - q where t.id == a;"
	)
	for _, tc := range []struct {
		name, body, more string
		want             bool
	}{
		{"the same condition", read + "if x < q { abort; } " + lock + "if y < q { abort; } update t set v = y - q where t.id == a;", "", true},
		{"the condition of the lock", read + "if x < q { abort; } " + take, "", true},
		{"turned around", read + "if q > x { abort; } " + take, "", true},
		{"denied", read + "if not (x >= q) { abort; } " + take, "", true},
		{"one of two conditions", read + "if x < q { abort; } (n) := select 1 from t where t.id == a and t.v >= q and t.w > 0 for update found g; if not g { abort; }", "", true},
		{"one condition of two", read + "if x < q or x > 7 { abort; } " + take, "", false},
		{"a weaker condition", read + "if x < q { abort; } (n) := select 1 from t where t.id == a and t.v >= 0 for update found g; if not g { abort; }", "", false},
		{"another column", read + "if x < q { abort; } (n) := select 1 from t where t.id == a and t.w >= q for update found g; if not g { abort; }", "", false},
		{"no condition", read + "if x < q { abort; } " + lock + "update t set v = y - q where t.id == a;", "", false},
		{"one condition, which holds where both pass", read + lock + "if y < q { abort; } if x < q { abort; } update t set v = y - q where t.id == a;", "", true},
		{"another row", read + "if x < q { abort; } (y) := select t.v from t where t.id == b for update found g; if not g { abort; } if y < q { abort; } update t set v = 0 where t.id == b;", "", false},
		{"the row may be absent", read + "if x < q { abort; } (y) := select t.v from t where t.id == a for update found g; if y < q { abort; } if g { update t set v = y - q where t.id == a; }", gone, false},
		{"the row goes and comes", read + "if x < q { abort; } " + lock + "if y < q { abort; } update t set v = y - q where t.id == a;", comes, true},
		{"the value is shown", read + "if x < q { abort; } " + lock + "if y < q { abort; } emit x;", "", false},
		{"the value is written", read + "if x < q { abort; } " + lock + "if y < q { abort; } update t set v = x - q where t.id == a;", "", false},
		{"the value is written by another name", read + "n := x - q; if x < q { abort; } " + lock + "if y < q { abort; } update t set v = n where t.id == a;", "", false},
		{"the value is written on one path", read + "n := 1; if q > 3 { n := x; } if x < q { abort; } " + lock + "if y < q { abort; } emit n;", "", false},
		{"it decides something else", read + "if x < q { emit 1; } " + lock + "if y < q { abort; } update t set v = 1 where t.id == a;", "", false},
		{"it ends the transaction", read + "if x < q { return; } " + lock + "if y < q { abort; } update t set v = 1 where t.id == a;", "", true},
		{"it ends it later", read + "if x < q { emit x; if k > 2 { return; } else { abort; } } " + lock + "if y < q { abort; } update t set v = 1 where t.id == a;", "", true},
		{"it ends it on one path", read + "if x < q { if k > 2 { return; } } " + lock + "if y < q { abort; } update t set v = 1 where t.id == a;", "", false},
		{"it has written when it ends it", read + "update t set v = 1 where t.id == b; if x < q { return; } " + lock + "if y < q { abort; } update t set v = 1 where t.id == a;", "", false},
		{"it writes before it ends it", read + "if x < q { update t set v = 1 where t.id == b; return; } " + lock + "if y < q { abort; } update t set v = 1 where t.id == a;", "", false},
		{"it ends it behind the lock by what it has read", read + lock + "if x < q { return; } if y < q { abort; } update t set v = 1 where t.id == a;", "", false},
		{"it ends it behind the lock by what both are", read + lock + "if y < q { return; } if x < q { return; } update t set v = 1 where t.id == a;", "", false},
		{"NULL ends it where the column has none", read + "if x is null or x < q { return; } " + take, "", true},
		{"NULL ends it where the column may have one", "(x) := select t.w from t where t.id == a found f; if x is null or x < q { return; } " + lock + "if y < q { abort; } update t set v = 1 where t.id == a;", "", false},
		{"the row is written between", read + "if x < q { abort; } update t set v = t.v + q where t.id == a; " + take, "", false},
		{"NULL passes", "(x) := select t.w from t where t.id == a found f; if x < q { abort; } (n) := select 1 from t where t.id == a and t.w >= q for update found g; if not g { abort; } update t set v = 1 where t.id == a;", "", true},
		{"NULL does not pass", "(x) := select t.w from t where t.id == a found f; if x < q or x is null { abort; } (y) := select t.w from t where t.id == a for update found g; if not g { abort; } if y < q { abort; } update t set v = 1 where t.id == a;", "", false},
		{"the row was looked for by more", "(x) := select t.v from t where t.id == a and t.w > 0 found f; if not f { abort; } " + lock + "update t set v = 1 where t.id == a;", "", false},
		{"only whether it is there", read + "if not f { abort; } " + lock + "update t set v = 1 where t.id == a;", gone, true},
		{"a condition by numbers that change", "(x) := select t.v from t where t.id == a found f; n := 3; while n > 0 { n := n - 1; if x < n { abort; } } " + lock + "if y < n { abort; } update t set v = 1 where t.id == a;", "", false},
		{"a local that is another one by then", "(x) := select t.v from t where t.id == a found f; if x < q { abort; } q := q + 1; " + lock + "if y < q { abort; } update t set v = 1 where t.id == a;", "", false},
	} {
		p := testprog.Parse(t, tables+tc.more+"\ntxn x(a int not null, b int not null, k int not null) {\n local x int;\n local y int;\n local n int;\n local q int;\n local f bool;\n local g bool;\n q := k;"+tc.body+"\n}")
		wellformed.Structure(p)
		s := readcommitted.Settle(p, func(*ir.Txn) bool { return true })[p.Txn("x")]
		if is := s.Standing == readcommitted.Atomic; is != tc.want {
			t.Errorf("%s: %d (%s), want atomic: %v", tc.name, s.Standing, s.Reason, tc.want)
		}
	}
}
