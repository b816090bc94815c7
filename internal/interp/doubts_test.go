package interp

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/testprog"
)

// TestDoubts runs a, which drops something, and b inside its window: the execution is in
// doubt exactly if what is dropped could keep one of them from committing. Locks of
// numbers could if b began when a had its lock, others if a began before b committed.
func TestDoubts(t *testing.T) {
	const lock = "dropped row lock 'l' (k) "
	for _, tc := range []struct {
		name, a, b string
		want       bool
	}{
		{"row that may be locked, written", lock + "from k r where r.k == 1 for update", "update k set v = 1 where k.k == 1", true},
		{"row that may be locked, other written", lock + "from k r where r.k == 1 for update", "update k set v = 1 where k.k == 2", false},
		{"row that may be locked, added", lock + "from k r for update", "insert k (k) values (9)", false},
		{"weaker lock, value written", lock + "from k r for key share", "update k set v = 1 where k.k == 1", false},
		{"weaker lock, row deleted", lock + "from k r where r.k == 4 for key share", "delete k where k.k == 4; cascade d d_p; cascade e e_d", true},
		{"first row, written", lock + "from k r order by r.k limit 1 for update", "update k set v = 1 where k.k == 1", true},
		{"first row, other written", lock + "from k r order by r.k limit 1 for update", "update k set v = 1 where k.k == 2", false},
		{"one of equal rows, written", lock + "from k r order by r.v limit 1 for update", "update k set v = 1 where k.k == 2", true},
		{"any row, written", lock, "update k set v = 1 where k.k == 1", true},
		{"any row, other table", lock, "update u set n = 1 where u.k == 1", false},
		{"any row of any table", "dropped row lock 'l' *", "update u set n = 1 where u.k == 1", true},
		{"own row", "insert k (k) values (9); " + lock + "from k r where r.k == 9 for update", "update k set v = 1 where k.k == 1", false},
		{"rolled back", "savepoint s; " + lock + "from k r for update; rollback to s", "update k set v = 1 where k.k == 1", false},
		{"branch that is not taken", "if 1 == 2 { " + lock + "from k r for update }", "update k set v = 1 where k.k == 1", false},
		{"table", "dropped table lock 'l' (k)", "update k set v = 1 where k.k == 1", true},
		{"table, rolled back", "savepoint s; dropped table lock 'l' (k); rollback to s", "update k set v = 1 where k.k == 1", false},
		{"other table", "dropped table lock 'l' (u)", "update k set v = 1 where k.k == 1", false},
		{"advisory lock of one", "dropped advisory lock 'l' *", "update k set v = 1 where k.k == 1", false},
		{"advisory lock of both", "dropped advisory lock 'l' *", "dropped advisory lock 'l' *; update k set v = 1 where k.k == 1", true},
		{"advisory lock of both, rolled back", "savepoint s; dropped advisory lock 'l' *; rollback to s", "dropped advisory lock 'l' *; update k set v = 1 where k.k == 1", true},
		{"advisory lock after the snapshot", "(x) := select r.v from k r where r.k == 2; dropped advisory lock 'l' *",
			"dropped advisory lock 'l' *; update k set v = 1 where k.k == 1", false},
		{"error", "dropped error 'e' (k)", "update u set n = 1 where u.k == 1", true},
		{"error on a condition that holds", "dropped error 'e' (k) from k r where r.k == 1", "update u set n = 1 where u.k == 1", true},
		{"error on a condition that fails", "dropped error 'e' (k) from k r where r.k == 9", "update u set n = 1 where u.k == 1", false},
	} {
		p := testprog.Parse(t, tables+"txn a { local x int; "+tc.a+"; (x) := select r.v from k r where r.k == 3 }\ntxn b { local x int; "+tc.b+" }\n"+
			"txn first { update e set v = 1 where e.k == 1 }")
		m := NewMachine(p, engine.Postgres())
		start := InitialDB(p)
		x := &Execution{Versions: []*DB{start}}
		for _, c := range []Committed{
			{Run: m.Run(&Instance{Txn: p.Txn("first"), ID: 3}, start, nil)},
			{Run: m.Run(&Instance{Txn: p.Txn("b"), ID: 2}, start, nil), Session: 1, Snapshot: 1},
			{Run: m.Run(&Instance{Txn: p.Txn("a"), ID: 1}, start, nil), Session: 2},
		} {
			if why := m.Extend(x, c); why != "" {
				t.Errorf("%s: %s", tc.name, why)
			}
		}
		if got := len(m.Doubts(x)) > 0; got != tc.want {
			t.Errorf("%s: in doubt = %v, want %v", tc.name, got, tc.want)
		}
		for i, snapshots := range [][2]int{{0, 0}, {1, 2}} {
			x.Txns[1].Snapshot, x.Txns[2].Snapshot = snapshots[0], snapshots[1]
			want := tc.want && (i == 0 && !strings.HasPrefix(tc.name, "advisory") || strings.HasPrefix(tc.name, "error"))
			if got := len(m.Doubts(x)) > 0; got != want {
				t.Errorf("%s: in doubt with snapshots %v = %v, want %v", tc.name, snapshots, got, want)
			}
		}
	}
}
