package readcommitted_test

import (
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
)

// TestEndsAlike: a read without a lock is void where it only decides between two endings of one outcome.
func TestEndsAlike(t *testing.T) {
	const tables = `program p
		table t ( id int not null, v int not null, w int not null, key (id) )
		table u ( id int not null, name int not null, key (id), unique u_name (name) )
		`
	const (
		change = "txn change(a int not null, b int not null) { update t set v = b where t.id == a; }"
		gone   = "txn gone(a int not null) { delete t where t.id == a; }"
		read   = "(x) := select t.v from t where t.id == a; "
		few    = read + "if x is null or x < q { emit 0; return; } "
		take   = "(n) := select agg count(*) int from t where t.id == a and t.v >= q; update t set v = t.v - q where t.id == a and t.v >= q; "
		none   = "if n == 0 { emit 0; return; } "
		unless = "(x) := select 1 from t where t.id == a found f; if f { emit 0; return; } "
		put    = "insert t (id, v, w) values (a, q, q) on conflict (id) do nothing done g; "
		get    = "(x) := select u.id from u where u.name == a found f; if f { emit x; return; } "
		make   = "insert u (id, name) values (b, a) on conflict (name) do nothing; (y) := select u.id from u where u.name == a found g; "
	)
	for _, tc := range []struct {
		name, body, more string
		want             bool
	}{
		{"both endings say no", few + take + none + "emit 1;", "", true},
		{"they say different things", few + take + "if n == 0 { emit 2; return; } emit 1;", "", false},
		{"one says nothing", few + take + "if n == 0 { return; } emit 1;", "", false},
		{"one says more", few + take + "if n == 0 { emit 0; emit 0; return; } emit 1;", "", false},
		{"one aborts", read + "if x is null or x < q { abort; } " + take + none + "emit 1;", "", false},
		{"something was said before", "emit q; " + few + take + none + "emit 1;", "", true},
		{"something is said between", few + "emit 5; " + take + none + "emit 1;", "", false},
		{"something is written before", "update t set w = 1 where t.id == b; " + few + take + none + "emit 1;", "", false},
		{"something is written between", few + "update t set w = 1 where t.id == b; " + take + none + "emit 1;", "", false},
		{"something is written at the end", few + take + "if n == 0 { update t set w = 1 where t.id == b; emit 0; return; } emit 1;", "", false},
		{"something is written at the other end", read + "if x is null or x < q { update t set w = 1 where t.id == b; emit 0; return; } " + take + none + "emit 1;", "", false},
		{"something is written in a loop", few + "n := 2; while n > 0 { n := n - 1; update t set w = 1 where t.id == n; } " + take + none + "emit 1;", "", false},
		{"something is said in a loop", "n := q; while n > 0 { n := n - 1; emit 0; } " + few + take + none + "emit 1;", "", false},
		{"something else is read between", few + "(y) := select t.v from t where t.id == b; emit y; " + take + none + "emit 1;", "", false},
		{"it shows what it has read", few + take + "if n == 0 { emit x; return; } emit 1;", "", false},
		{"the other end shows what it has read", read + "if x is null or x < q { emit x; return; } " + take + none + "emit 1;", "", false},
		{"it may fail by what it has read", read + "if x is null or 10 / x < q { emit 0; return; } " + take + none + "emit 1;", "", false},
		{"the rows go", few + take + none + "emit 1;", gone, true},
		{"unless it is there", unless + put + "if not g { emit 0; return; } emit 1;", "", true},
		{"unless it is there, with a row beside it", unless + "insert u (id, name) values (q, q); " + put + "if not g { emit 0; return; } emit 1;", "", false},
		{"two rows are read and shown", "(x) := select t.v from t where t.id == a; (y) := select t.v from t where t.id == b; emit x; emit y;", "", false},
		{"unless it is there, and else", unless + put + "if not g { emit 2; return; } emit 1;", "", false},
		{"unless it is there, of rows that go", unless + put + "if not g { emit 0; return; } emit 1;", gone, false},
		{"unless another one is there", "(x) := select 1 from t where t.id == b found f; if f { emit 0; return; } " + put + "if not g { emit 0; return; } emit 1;", "", false},
		{"get or create", get + make + "if not g { abort; } emit y;", "", true},
		{"get or create, and show another one", get + make + "if not g { abort; } emit b;", "", false},
		{"get or create of rows that go", get + make + "if not g { abort; } emit y;", "txn goes(a int not null) { delete u where u.id == a; }", false},
		{"get or create of keys that move", get + make + "if not g { abort; } emit y;", "txn moves(a int not null, b int not null) { update u set name = b where u.id == a; }", false},
		{"get or create, of another name", get + "insert u (id, name) values (b, b) on conflict (name) do nothing; (y) := select u.id from u where u.name == a found g; if not g { abort; } emit y;", "", false},
	} {
		p := testprog.Parse(t, tables+change+tc.more+"\ntxn x(a int not null, b int not null, q int not null) {\n local x int;\n local y int;\n local n int;\n local f bool;\n local g bool;\n"+tc.body+"\n}")
		wellformed.Structure(p)
		x := p.Txn("x")
		for i, s := range x.Body { // the count is that of the UPDATE
			if c, ok := s.(*ir.Select); ok && len(c.Aggs) > 0 {
				send := &ir.Send{Unknown: "not sent to a server", Table: p.Tables[0], Verb: ir.Updates, Count: "n"}
				ir.Number(send, s.Command())
				ir.Number(x.Body[i+1], s.Command())
				x.Body = append(append(append([]ir.Stmt{}, x.Body[:i]...), send), x.Body[i:]...)
				break
			}
		}
		s := readcommitted.Settle(p, func(*ir.Txn) bool { return true })[x]
		if is := s.Standing == readcommitted.Atomic; is != tc.want {
			t.Errorf("%s: %d (%s), want atomic: %v", tc.name, s.Standing, s.Reason, tc.want)
		}
		x.Locals[2].Kept = true // n, which the next transaction of the process has
		if s := readcommitted.Settle(p, func(*ir.Txn) bool { return true })[x]; s.Standing == readcommitted.Atomic {
			t.Errorf("%s: atomic although the endings leave different locals", tc.name)
		}
	}
}
