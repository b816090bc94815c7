package readcommitted_test

import (
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
)

// TestFacts: what follows from whether a row was found decides conditions, and paths that cannot be do not count.
func TestFacts(t *testing.T) {
	const tables = `program p
		table t ( id int not null, v int not null, w int, key (id) )
		txn change(a int not null, b int not null) { update t set v = t.v + 1, w = b where t.id == a; }
		txn add(a int not null, b int not null) { insert t (id, v, w) values (a, b, b); }
		txn gone(a int not null) { delete t where t.id == a; }
		`
	const (
		lock  = "(y) := select t.v from t where t.id == a for update found g; if not g { abort; } "
		save  = "(n) := select agg count(*) int from t where t.id == a; update t set w = y where t.id == a; if n == 0 { insert t (id, v, w) values (a, y, y) on conflict (id) do update t set w = excluded.w; }"
		read  = "(x) := select t.v from t where t.id == a found f; "
		other = "(x) := select t.v from t where t.id == b; emit x; emit y;"
		rows  = "(n) := select 1 from t where t.id == a and t.v == y for update found g; if not g { abort; } update t set w = b, v = t.v + 1 where t.id == a;"
	)
	for _, tc := range []struct {
		name, body string
		want       bool
	}{
		{"a row that is locked is counted", lock + save, true},
		{"a row that is not locked is counted", "(y) := select t.v from t where t.id == a found g; if not g { abort; } " + save, false},
		{"a row that may be absent is counted", "(y) := select t.v from t where t.id == a for update found g; " + save, false},
		{"what is done where no row is counted", lock + "(n) := select agg count(*) int from t where t.id == a; if n == 0 { " + other + " }", true},
		{"a row that it has deleted itself is counted", lock + "delete t where t.id == a; (n) := select agg count(*) int from t where t.id == a; if n == 0 { " + other + " }", false},
		{"another row is counted", lock + "(n) := select agg count(*) int from t where t.id == b; if n == 0 { insert t (id, v, w) values (b, y, y) on conflict (id) do update t set w = excluded.w; }", false},
		{"only rows with a value are counted", lock + "(n) := select agg count(*) int from t where t.id == a and t.w > 3; if n == 0 { update t set w = 1 where t.id == a; }", true},
		{"a default where a NULL was read", read + "if not f { abort; } if x is null { y := 0; } else { y := x; } " + rows, true},
		{"a default where a NULL may be read", "(x) := select t.w from t where t.id == a found f; if not f { abort; } if x is null { y := 0; } else { y := x; } " + rows, false},
		{"a condition that is one of two", read + "if not f { abort; } if (if f then x else 0) is null { emit 1; y := 0; } else { y := x; } " + rows, true},
		{"a default where the row may be absent", read + "if x is null { y := 0; } else { y := x; } n := 0; update t set v = y + 1 where t.id == a;", false},
	} {
		p := testprog.Parse(t, tables+"\ntxn x(a int not null, b int not null) {\n local x int;\n local y int;\n local n int;\n local f bool;\n local g bool;\n"+tc.body+"\n}")
		wellformed.Structure(p)
		s := readcommitted.Settle(p, func(*ir.Txn) bool { return true })[p.Txn("x")]
		if is := s.Standing == readcommitted.Atomic; is != tc.want {
			t.Errorf("%s: %d (%s), want atomic: %v", tc.name, s.Standing, s.Reason, tc.want)
		}
	}
}
