package interp

import (
	"context"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/testprog"
)

// explore runs one session per template (with the given parameters, or the
// processes) on the engine.
func explore(t testing.TB, src, eng string, opt Options, params ...[]ir.Value) Result {
	t.Helper()
	p := testprog.Parse(t, src)
	m := NewMachine(p, engine.ByName(eng))
	sessions := Sessions(p, 2)
	if sessions == nil {
		for i, txn := range p.Txns {
			in := &Instance{Txn: txn, ID: i}
			if i < len(params) {
				in.Params = params[i]
			}
			sessions = append(sessions, Session{in})
		}
	}
	return m.Explore(context.Background(), sessions, InitialDB(p), opt)
}

const (
	writeSkew = `program ws
var x = 0, y = 0
process p1 { txn t1 { r := y; x := 1 } }
process p2 { txn t2 { r := x; y := 1 } }`
	lostUpdate = `program lu
var x = 0
process p1 { txn t1 { r := x; x := r + 1 } }
process p2 { txn t2 { r := x; x := r + 1 } }`
	// Figure 2: write skew without the read of y.
	figure2 = `program fig2
var x = 0, y = 0
process p1 { txn t1 { x := 1 } }
process p2 { txn t2 { r := x; y := 1 } }`
	figure5 = `program fig5
var x = 0, y = 2
process p1 { txn t1 { if x > y { x := x - y } } }
process p2 { txn t2 { if y > x { y := y - x } } }`
	// Figure 11a: two transactions write the same value.
	figure11a = `program fig11a
var x = 0, y = 0, z = 0
process p1 { txn t1 { r := x; y := 1 } }
process p2 { txn t2 { x := 1; z := 1 } }
process p3 { txn t3 { z := 1; r := y } }`
	// Long fork is not possible at snapshot isolation; the read-only anomaly is.
	readOnly = `program ro
var x = 0, y = 0
process p1 { txn t1 { r := x; s := y; y := r + s - 11 } }
process p2 { txn t2 { x := 20 } }
process p3 { txn t3 { r := x; s := y } }`
	order = `program po
var x = 0, y = 0
process p1 { txn a { r := x; y := 1 } }
process p2 { txn b { x := 1 } txn c { r := y } }`
)

func TestExplore(t *testing.T) {
	for _, tc := range []struct {
		name, src        string
		classic, deflt   Verdict
		txns             int // transactions of the default anomaly
		withoutSessionSO Verdict
	}{
		{"write skew", writeSkew, Anomalous, Anomalous, 2, Anomalous},
		{"lost update", lostUpdate, Serializable, Serializable, 0, Serializable},
		{"figure 2", figure2, Serializable, Serializable, 0, Serializable},
		{"figure 5", figure5, Serializable, Serializable, 0, Serializable},
		{"figure 11a", figure11a, Anomalous, Serializable, 0, Serializable},
		{"read-only anomaly", readOnly, Anomalous, Anomalous, 3, Anomalous},
		{"session order", order, Anomalous, Anomalous, 3, Serializable},
	} {
		if r := explore(t, tc.src, "si", Options{Classic: true}); r.Verdict != tc.classic {
			t.Errorf("%s: classic: %v, want %v", tc.name, r.Verdict, tc.classic)
		}
		r := explore(t, tc.src, "si", Options{})
		if r.Verdict != tc.deflt {
			t.Errorf("%s: %v, want %v", tc.name, r.Verdict, tc.deflt)
		}
		if r.Anomaly != nil && len(r.Anomaly.Txns) != tc.txns {
			t.Errorf("%s: anomaly of %d transactions, want %d", tc.name, len(r.Anomaly.Txns), tc.txns)
		}
		if r := explore(t, tc.src, "si", Options{AnyOrder: true}); r.Verdict != tc.withoutSessionSO {
			t.Errorf("%s: without session order: %v, want %v", tc.name, r.Verdict, tc.withoutSessionSO)
		}
	}
}

const tables = `program t
table k (k int, v int, w int, key (k))
table c (k int, p int, key (k), foreign c_p (p) references k (k))
table u (k int, n int, key (k), unique u_n (n))
table d (k int, p int, v int, key (k), foreign d_p (p) references k (k) on delete cascade)
table e (k int, d int, v int, key (k), foreign e_d (d) references d (k) on delete set null)
table y (k int, f int, t int, up int, key (k), exclude x_x (a, b) where a.f < b.t and b.f < a.t and a.up == 1 and b.up == 1)
row y (1, 0, 3, 1)
row y (2, 6, 9, 1)
row k (1, 0, 0)
row k (2, 0, 0)
row k (3, 0, 0)
row k (4, 0, 0)
row c (7, 2)
row u (1, 5)
row d (1, 3, 0)
row d (2, 4, 0)
row e (1, 1, 0)
`

// TestPostgresExclusions has one case per modelled fact of the profile: two
// transactions, a with the older snapshot, b inside its window, and whether
// both commit on PostgreSQL and in the plain model.
func TestPostgresExclusions(t *testing.T) {
	const (
		lock1 = "(x) := select r.v from k r where r.k == 1 for update; rollback to s; "
		lock2 = "(x) := select r.v from k r where r.k == 2 for update; "
		waits = "update k set v = 2 where k.k == 2; savepoint s; "
	)
	const drop = "delete k where k.k == 3; cascade d d_p; cascade e e_d"
	for _, tc := range []struct {
		name, a, b   string
		postgres, si bool
	}{
		{"same row, other column", "update k set v = 1 where k.k == 1", "update k set w = 1 where k.k == 1", false, false},
		{"other row", "update k set v = 1 where k.k == 1", "update k set w = 1 where k.k == 2", true, true},
		{"same values", "update k set v = 0 where k.k == 1", "update k set v = 0 where k.k == 1", false, false},
		{"lock rolled back", "savepoint s; (x) := select r.v from k r where r.k == 1 for update; rollback to s", "update k set v = 1 where k.k == 1", true, true},
		{"lock rolled back, what is kept before in the way", waits + lock1, lock2 + "update k set v = 1 where k.k == 1", false, true},
		{"write rolled back, what is kept before in the way", waits + "update k set v = 2 where k.k == 1; rollback to s", lock2 + "update k set v = 1 where k.k == 1", false, true},
		{"insertion rolled back, what is kept before in the way", waits + "insert k (k, v) values (5, 2); rollback to s", lock2 + "insert k (k, v) values (5, 1)", false, true},
		{"lock rolled back, what is kept after in the way", "savepoint s; " + lock1 + "update k set v = 2 where k.k == 2", lock2 + "update k set v = 1 where k.k == 1", true, true},
		{"lock rolled back, kept locks that go together", "(x) := select r.v from k r where r.k == 2 for share; savepoint s; " + lock1,
			"(x) := select r.v from k r where r.k == 2 for share; update k set v = 1 where k.k == 1", true, true},
		{"lock rolled back, kept locks that do not", "(x) := select r.v from k r where r.k == 2 for share; savepoint s; " + lock1, lock2 + "update k set v = 1 where k.k == 1", false, true},
		{"lock rolled back, the other's too", waits + lock1, "savepoint s; " + lock2 + "rollback to s; update k set v = 1 where k.k == 1", true, true},
		{"lock of another row rolled back", waits + "(x) := select r.v from k r where r.k == 3 for update; rollback to s", lock2 + "update k set v = 1 where k.k == 1", true, true},
		{"lock rolled back, a lock that is kept after", "savepoint s; " + lock1 + lock2, lock2 + "update k set v = 1 where k.k == 1", true, true},
		{"outer and inner savepoint", "savepoint o; update k set v = 2 where k.k == 2; savepoint s; " + lock1 + "rollback to o", lock2 + "update k set v = 1 where k.k == 1", true, true},
		{"absent row", "update k set v = 1 where k.k == 9", "update k set v = 1 where k.k == 9", true, true},
		{"rolled back", "savepoint s; update k set v = 1 where k.k == 1; rollback to s", "update k set v = 1 where k.k == 1", true, true},
		{"for update, then update", "(x) := select r.v from k r where r.k == 1 for update", "update k set v = 1 where k.k == 1", false, true},
		{"for share, then update", "(x) := select r.v from k r where r.k == 1 for share", "update k set v = 1 where k.k == 1", false, true},
		{"for key share, then update", "(x) := select r.v from k r where r.k == 1 for key share", "update k set v = 1 where k.k == 1", true, true},
		{"for key share, then delete", "(x) := select r.v from k r where r.k == 1 for key share", "delete k where k.k == 1; cascade d d_p; cascade e e_d", false, true},
		{"for key share, then key update", "(x) := select r.n from u r where r.k == 1 for key share", "update u set n = 6 where u.k == 1", false, true},
		{"update, then for update", "update k set v = 1 where k.k == 1", "(x) := select r.v from k r where r.k == 1 for update", true, true},
		{"delete inside insert", "insert k (k, v) values (2, 1)", "delete c; delete k where k.k == 2; cascade d d_p; cascade e e_d", true, false},
		{"insert and insert", "insert k (k, v) values (5, 1)", "insert k (k, v) values (5, 2)", false, false},
		{"unique and unique", "insert u (k, n) values (3, 6)", "insert u (k, n) values (4, 6)", false, false},
		{"unique freed", "insert u (k, n) values (3, 5)", "update u set n = 8 where u.k == 1", true, false},
		{"exclusion and exclusion", "insert y (k, f, t, up) values (3, 3, 5, 1)", "insert y (k, f, t, up) values (4, 4, 6, 1)", false, false},
		{"exclusion beside another", "insert y (k, f, t, up) values (3, 3, 5, 1)", "insert y (k, f, t, up) values (4, 5, 6, 1)", true, true},
		{"exclusion of some rows", "insert y (k, f, t, up) values (3, 3, 5, 1)", "insert y (k, f, t, up) values (4, 3, 5, 0)", true, true},
		{"exclusion with NULL", "insert y (k, f, t, up) values (3, 3, null, 1)", "insert y (k, f, t, up) values (4, 4, 5, 1)", true, true},
		{"exclusion by an update", "insert y (k, f, t, up) values (3, 3, 5, 1)", "update y set t = 4 where y.k == 1", false, false},
		{"exclusion by two updates", "update y set t = 5 where y.k == 1", "update y set f = 4 where y.k == 2", false, false},
		{"excluded row deleted", "insert y (k, f, t, up) values (3, 2, 5, 1)", "delete y where y.k == 1", true, false},
		{"excluded row moved", "insert y (k, f, t, up) values (3, 2, 5, 1)", "update y set t = 1 where y.k == 1", true, false},
		{"excluded row off", "insert y (k, f, t, up) values (3, 2, 5, 1)", "update y set up = 0 where y.k == 1", true, false},
		{"own rows excluded", "savepoint s; delete y where y.k == 1; insert y (k, f, t, up) values (3, 0, 3, 1); rollback to s", "update k set v = 1 where k.k == 1", true, true},
		{"own row in the way", "insert y (k, f, t, up) values (3, 3, 5, 1); insert y (k, f, t, up) values (4, 4, 6, 1)", "update k set v = 1 where k.k == 1", false, false},
		{"on conflict, excluded row came", "insert y (k, f, t, up) values (3, 3, 5, 1) on conflict do nothing", "insert y (k, f, t, up) values (4, 4, 6, 1)", false, false},
		{"on conflict, excluded row went", "insert y (k, f, t, up) values (3, 2, 5, 1) on conflict do nothing", "delete y where y.k == 1", true, true},
		{"child and parent", "insert c (k, p) values (1, 1)", "delete k where k.k == 1; cascade d d_p; cascade e e_d", false, false},
		{"parent and child", "delete k where k.k == 1; cascade d d_p; cascade e e_d", "insert c (k, p) values (1, 1)", false, false},
		{"child and parent's column", "insert c (k, p) values (1, 1)", "update k set v = 3 where k.k == 1", true, true},
		{"parent whose child went", "delete k where k.k == 2; cascade d d_p; cascade e e_d", "delete c where c.k == 7", true, true},
		{"child whose parent came", "insert c (k, p) values (1, 5)", "insert k (k, v) values (5, 3)", false, false},
		{"on conflict, row came", "insert k (k, v) values (5, 1) on conflict (k) do nothing", "insert k (k, v) values (5, 3)", false, false},
		{"on conflict, row went", "insert k (k, v) values (2, 1) on conflict (k) do nothing", "delete c; delete k where k.k == 2; cascade d d_p; cascade e e_d", true, true},
		{"on conflict update, row changed", "insert k (k, v) values (1, 1) on conflict (k) do update r set v = 5", "update k set v = 3 where k.k == 1", false, false},
		{"on conflict nothing, row changed", "insert k (k, v) values (1, 1) on conflict (k) do nothing", "update k set v = 3 where k.k == 1", true, true},
		{"parent, child deleted", drop, "delete d where d.k == 1; cascade e e_d", true, true},
		{"parent, child moved", drop, "update d set p = 4 where d.k == 1", true, true},
		{"parent, child changed", drop, "update d set v = 1 where d.k == 1", false, false},
		{"parent, child changed and deleted", drop, "update d set v = 1 where d.k == 1; delete d where d.k == 1; cascade e e_d", true, true},
		{"parent, child added", drop, "insert d (k, p) values (3, 3)", false, false},
		{"parent, child moved in", drop, "update d set p = 3 where d.k == 2", false, false},
		{"parent, grandchild deleted", drop, "delete e", true, true},
		{"parent, grandchild changed", drop, "update e set v = 1 where e.k == 1", false, false},
		{"parent, child of the grandchild moved", drop, "update d set p = 4 where d.k == 1; update e set v = 1 where e.k == 1", true, true},
		{"child changed, parent", "update d set v = 1 where d.k == 1", drop, false, false},
		{"child of another parent, parent", "update d set v = 1 where d.k == 2", drop, true, true},
		{"two parents", "delete k where k.k == 4; cascade d d_p; cascade e e_d", drop, true, true},
		{"rows locked", "lock from k r where r.k > 0 for share", "update k set v = 1 where k.k == 1", false, true},
		{"first row locked, the other written", "lock from k r order by r.k limit 1 for share", "update k set v = 1 where k.k == 2", true, true},
		{"first row locked and written", "lock from k r order by r.k limit 1 for share", "update k set v = 1 where k.k == 1", false, true},
		{"one of equal rows locked", "lock from k r where r.k < 3 order by r.v limit 1 for share", "update k set v = 1 where k.k == 1", true, true},
		{"as many rows locked as are equal", "lock from k r where r.k < 3 order by r.v limit 2 for share", "update k set v = 1 where k.k == 1", false, true},
		{"no rows locked", "lock from k r limit 0 for update", "update k set v = 1 where k.k == 1", true, true},
		{"parent of a join locked", "lock from c s, k r where s.p == r.k for share of r", "update k set v = 1 where k.k == 2", false, true},
		{"child of a join locked", "lock from c s, k r where s.p == r.k for share of s", "update k set v = 1 where k.k == 2", true, true},
		{"stronger of two locks", "lock from c s, k r where s.p == r.k for key share for share of r", "update k set v = 1 where k.k == 2", false, true},
		{"first round", "foreach (x) := select r.k from k r order by r.k for share { break }", "update k set v = 1 where k.k == 2", true, true},
		{"first round, with rows ahead", "foreach (x) := select r.k from k r order by r.k for share ahead { break }", "update k set v = 1 where k.k == 2", false, true},
		{"lock table first", "lock k in exclusive; (x) := select r.v from k r where r.k == 1", "update k set v = 3 where k.k == 1", false, true},
		{"lock table after the snapshot", "(x) := select r.v from k r where r.k == 1; lock k in exclusive", "update k set v = 3 where k.k == 1", true, true},
		{"lock table against a read", "lock k in exclusive; (x) := select r.v from k r where r.k == 1", "(x) := select r.v from k r where r.k == 1", true, true},
	} {
		for eng, want := range map[string]bool{"postgres": tc.postgres, "si": tc.si} {
			p := testprog.Parse(t, tables+"txn a { local x int; "+tc.a+" }\ntxn b { local x int; "+tc.b+" }")
			m := NewMachine(p, engine.ByName(eng))
			v0 := InitialDB(p)
			b := m.Run(&Instance{Txn: p.Txn("b"), ID: 2}, v0, nil)
			v1, why := m.Commit(b, v0, nil)
			if why != "" {
				t.Errorf("%s: b alone: %s", tc.name, why)
				continue
			}
			both := false
			for _, a := range m.Runs(&Instance{Txn: p.Txn("a"), ID: 1}, v0, nil, false) {
				if _, why := m.Commit(a, v1, []*Run{b}); why == "" {
					both = true
				}
			}
			if both != want {
				t.Errorf("%s on %s: both commit = %v, want %v", tc.name, eng, both, want)
			}
		}
	}
}

func value(s string) []ir.Value {
	var out []ir.Value
	for _, f := range strings.Fields(s) {
		n := int64(0)
		for _, c := range f {
			n = n*10 + int64(c-'0')
		}
		out = append(out, ir.Int(n))
	}
	return out
}

// TestStatements executes one transaction and compares what it emits, as the
// text form of the values.
func TestStatements(t *testing.T) {
	const schema = `program s
table a (k int, v int, s text, key (k))
row a (1, 10, 'x')
row a (2, 20, null)
row a (3, 20, 'z')
txn t(p int) { local i int; local j int; local b bool; local s text; local q num; local arr int[]
`
	for _, tc := range []struct{ name, body, want string }{
		{"by key", "(i) := select r.v from a r where r.k == p found b; emit i, b", "20 true"},
		{"absent", "(i) := select r.v from a r where r.k == 9 found b; emit i, b", "null false"},
		{"first by order", "(i) := select r.k from a r order by r.v desc, r.k; emit i", "2"},
		{"nulls last", "(i) := select r.k from a r order by r.s desc; emit i", "2"},
		{"count", "(i, j) := select agg count(*) int, agg count(r.s) int from a r; emit i, j", "3 2"},
		{"sum distinct", "(i, j) := select agg sum(distinct r.v) int, agg max(r.v) int from a r; emit i, j", "30 20"},
		{"sum of none", "(i, j) := select agg sum(r.v) int, agg count(*) int from a r where r.k > 5; emit i, j", "null 0"},
		{"rows", "emit select r.k, r.s from a r where r.v == 20", "2 null|3 'z'"},
		{"rows by order", "emit select r.k from a r order by r.k desc limit 2", "3|2"},
		{"join", "emit select r.k, q.k from a r, a q where r.v == q.v and r.k < q.k", "2 3"},
		{"exists", "emit exists (from a r where r.v > 15 and exists (from a q where q.k == r.k + 1))", "true"},
		{"null logic", "emit null == 1, not (null == 1), null == 1 or true, null == 1 and false, null is null, null is 1", "null null true false true false"},
		{"null in where", "emit select r.k from a r where not r.s == 'x'", "3"},
		{"case", "emit (if null == 1 then 1 else 2)", "2"},
		{"while", "i := 0; j := 0; while i < 5 { i := i + 1; if i == 2 { continue }; if i == 4 { break }; j := j + i }; emit i, j", "4 4"},
		{"for reverse", "j := 0; for i in reverse 3..1 { j := j * 10 + i }; emit j", "321"},
		{"labels", "j := 0; block out { for i in 1..3 label l { while true { j := j + 1; continue l } }; if j == 3 { break out }; j := 9 }; emit j", "3"},
		{"foreach", "j := 0; foreach (i) := select r.k from a r order by r.k { j := j * 10 + i; update a set v = 0 where a.k == i }; (i) := select agg sum(r.v) int from a r; emit j, i", "123 0"},
		{"foreach sees its start", "foreach (i) := select r.k from a r found b { insert a (k) values (i + 10) }; (i) := select agg count(*) int from a r; emit i, b", "6 true"},
		{"own writes", "update a set v = a.v + 1 where a.v == 20; delete a where a.k == 1; emit select r.k, r.v from a r", "2 21|3 21"},
		{"savepoint", "savepoint s1; delete a; rollback to s1; (i) := select agg count(*) int from a r; emit i", "3"},
		{"upsert", "insert a (k, v) values (1, 7) on conflict (k) do update o set v = o.v + excluded.v done b; (i) := select r.v from a r where r.k == 1; emit i, b", "17 true"},
		{"upsert not wanted", "insert a (k, v) values (1, 7) on conflict do update o set v = 0 where o.v > 99 done b; emit b", "false"},
		{"insert done", "insert a (k, v) values (4, 7) on conflict do nothing done b; emit b", "true"},
		{"division", "emit 7 / 2, -7 / 2, -7 % 3", "3 -3 -1"},
		{"rationals", "q := 1; emit q / 3 + 1, 0.5 + 1", "num '4/3' 1.5"},
		{"arrays", "arr := array '{4,5}'; emit elem(arr, 2), len(arr), elem(arr, 3)", "5 2 null"},
		{"text", "emit concat(upper('ab'), left('xyz', 2)), length('é')", "'ABxy' 1"},
		{"opaque", "emit opaque text f(1, 'a')", "'f(1, ''a'')'"},
		{"return", "emit 1; return; emit 2", "1"},
		{"fresh", "i := fresh; j := fresh; emit i == j", "false"},
	} {
		p := testprog.Parse(t, schema+tc.body+" }")
		m := NewMachine(p, engine.Postgres())
		m.Trace = true
		run := m.Run(&Instance{Txn: p.Txns[0], Params: value("2")}, InitialDB(p), nil)
		var got []string
		for _, s := range run.Steps {
			for _, r := range s.Emitted {
				var row []string
				for _, v := range r {
					row = append(row, v.String())
				}
				got = append(got, strings.Join(row, " "))
			}
		}
		if g := strings.Join(got, "|"); g != tc.want || run.Blocked != "" {
			t.Errorf("%s: emits %q, want %q (blocked: %q)", tc.name, g, tc.want, run.Blocked)
		}
	}
}

func TestBlocked(t *testing.T) {
	const schema = `program s
domain 0..9
table a (k int, v int not null, key (k), check small a.v < 8)
table c (k int, p int, key (k), foreign fk (p) references a (k))
row a (1, 1)
row c (1, 1)
txn t { local i int; local b bool; local s text
`
	for _, tc := range []struct{ body, want string }{
		{"insert a (k, v) values (1, 2)", "a row with this key exists in a"},
		{"insert a (k, v) values (2, null)", "null in column a.v"},
		{"update a set v = 8", "check small is violated"},
		{"update a set v = 20", "a value leaves the domain"},
		{"insert c (k, p) values (2, 2)", "foreign key fk is violated"},
		{"delete a", "foreign key fk is violated"},
		{"i := 1 / (1 - 1)", "division by zero"},
		{"i := 5 + 5", "a value leaves the domain"},
		{"assume 1 == null", "an assumption does not hold"},
		{"abort", "the transaction rolls back"},
		{"while true { i := 1 }", TooLong},
		{"s := 'a'; while true { s := concat(s, s) }", TooLong},
		{"unmodelled * 'WITH'", "a statement is not modelled: WITH"},
	} {
		p := testprog.Parse(t, schema+tc.body+" }")
		m := NewMachine(p, engine.Postgres())
		db := InitialDB(p)
		run := m.Runs(&Instance{Txn: p.Txns[0]}, db, nil, true)[0]
		if _, why := m.Commit(run, db, nil); why != tc.want {
			t.Errorf("%s: %q, want %q", tc.body, why, tc.want)
		}
	}
}

// TestIncompleteSerial: where a serial order cannot be followed to its end,
// nothing is an anomaly.
func TestIncompleteSerial(t *testing.T) {
	const skew = `program ws
var x = 0, y = 0
process p1 { txn t1 { r := y; x := 1 } }
process p2 { txn t2 { local h int; r := x; if r == 1 { %s }; y := 1 } }`
	for _, tc := range []struct{ body, want string }{
		{"s := 1", ""},
		{"abort", ""}, // that order does not exist
		{"while true { s := 1 }", TooLong},
		{"h := *; s := h", NotFinite},
		{"unmodelled * 'WITH'", "a statement is not modelled: WITH"},
	} {
		src := strings.Replace(skew, "%s", tc.body, 1)
		res := explore(t, src, "si", Options{})
		if tc.want == "" {
			if res.Verdict != Anomalous {
				t.Errorf("%s: %v (%s), want an anomaly", tc.body, res.Verdict, res.Reason)
			}
			continue
		}
		if res.Verdict != Undecided || res.Anomaly != nil || !strings.HasSuffix(res.Reason, "t2(): "+tc.want) {
			t.Errorf("%s: %v (%s), want undecided (%s)", tc.body, res.Verdict, res.Reason, tc.want)
		}
		if res := explore(t, src, "si", Options{Classic: true}); res.Verdict != Anomalous {
			t.Errorf("%s: %v, want a cycle of dependencies, which needs no serial order", tc.body, res.Verdict)
		}
	}
}

// TestChoices counts the runs that nondeterminism gives.
func TestChoices(t *testing.T) {
	p := testprog.Parse(t, `program s
domain 0..2
table a (k int, v int, key (k))
row a (1, 1)
row a (2, 1)
row a (0, 2)
txn t { local i int; local j int; i := *; (j) := select r.k from a r order by r.v; emit i, j }
txn f { local i int; foreach (i) := select r.k from a r { emit i } }`)
	m := NewMachine(p, engine.SI())
	if n := len(m.Runs(&Instance{Txn: p.Txn("t")}, InitialDB(p), nil, true)); n != 6 {
		t.Errorf("t has %d runs, want 3 values times 2 equal rows", n)
	}
	outs := map[string]bool{}
	for _, r := range m.Runs(&Instance{Txn: p.Txn("f")}, InitialDB(p), nil, true) {
		outs[r.Outputs] = true
	}
	if len(outs) != 6 {
		t.Errorf("f has %d orders, want 6", len(outs))
	}
}

// TestTooManyChoices: what is beyond Machine.MaxRuns leaves an exploration and serial
// orders undecided, and ends an execution at READ COMMITTED. With as many runs as there
// are, nothing is left out.
func TestTooManyChoices(t *testing.T) {
	p := testprog.Parse(t, `program s
table a (k int, key (k))
row a (1)
row a (2)
row a (3)
var x = 0
txn f { local i int; foreach (i) := select r.k from a r { emit i } }
txn w { local n int; n := x; x := n + 1 }`)
	for _, tc := range []struct {
		max  int
		want string
	}{{5, TooMany}, {6, ""}} {
		m := NewMachine(p, engine.SI())
		m.MaxRuns = tc.max
		in := &Instance{Txn: p.Txn("f")}
		runs := m.Runs(in, InitialDB(p), nil, true)
		if last := runs[len(runs)-1]; last.Blocked != tc.want || (last.Undecided() == "") != (tc.want == "") {
			t.Errorf("%d runs: the last one is blocked by %q, want %q", tc.max, last.Blocked, tc.want)
		}
		if missing := m.Serial([]Session{{in}}, InitialDB(p), true, func(*Execution) bool { return true }); (missing == "") != (tc.want == "") {
			t.Errorf("%d runs: serial orders are missing because of %q", tc.max, missing)
		}
		if r := m.Explore(t.Context(), []Session{{in}, {&Instance{Txn: p.Txn("w"), ID: 1}}}, InitialDB(p), Options{}); (r.Verdict == Undecided) != (tc.want != "") {
			t.Errorf("%d runs: the exploration is %v", tc.max, r.Verdict)
		}
		n := 0
		_, why := m.Interrupt(in, nil, InitialDB(p), 1, func(*Execution) bool { n++; return true })
		if n != tc.max || (why == "") != (tc.want == "") {
			t.Errorf("%d runs: %d executions at READ COMMITTED, undecided: %q", tc.max, n, why)
		}
	}
}

// TestCuts: at READ COMMITTED others run between two commands, if they need not wait.
func TestCuts(t *testing.T) {
	const read = "(n) := select r.v from k r where r.k == 1"
	for _, tc := range []struct {
		name, a, b string
		cuts       int // with executions
	}{
		{"one command", read + "; " + read, "update k set v = 1 where k.k == 1", 1},
		{"two commands", read + "; " + read, "update k set v = 1 where k.k == 1", 2},
		{"a loop that locks its rows", "foreach (n) := select r.k from k r where r.k > 1 for update { update k set v = n where k.k == n }; " + read, "update k set v = 1 where k.k == 1", 2},
		{"a loop", "foreach (n) := select r.k from k r where r.k > 1 { update k set v = n where k.k == n }; " + read, "update k set v = 1 where k.k == 1", 3},
		{"the other would wait for a write", "update k set v = 2 where k.k == 1; " + read, "update k set v = 1 where k.k == 1", 0},
		{"the other writes elsewhere", "update k set v = 2 where k.k == 2; " + read, "update k set v = 1 where k.k == 1", 2},
		{"ON CONFLICT of the other would wait for a deletion", "delete k where k.k == 1; " + read, "insert k (k) values (1) on conflict do nothing", 0},
		{"ON CONFLICT before, and a deletion", "insert k (k) values (1) on conflict do nothing; " + read, "delete k where k.k == 1", 2},
	} {
		p := testprog.Parse(t, "program p\ntable k (k int, v int, key (k))\nrow k (1, 0)\nrow k (2, 0)\ntxn a { local n int; "+tc.a+"; emit n }\ntxn b { "+tc.b+" }")
		if tc.name == "one command" {
			for _, s := range p.Txn("a").Body[:2] {
				s.(*ir.Select).Cmd = 1
			}
		}
		m := NewMachine(p, engine.Postgres())
		found := 0
		for cut := 1; ; cut++ {
			n := 0
			more, why := m.Interrupt(&Instance{Txn: p.Txn("a")}, []*Instance{{Txn: p.Txn("b"), ID: 1}}, InitialDB(p), cut, func(*Execution) bool { n++; return true })
			if why != "" {
				t.Errorf("%s: %s", tc.name, why)
			}
			if n > 0 {
				found++
			}
			if !more {
				break
			}
		}
		if found != tc.cuts {
			t.Errorf("%s: %d cuts have executions, want %d", tc.name, found, tc.cuts)
		}
	}
}

func TestDependencies(t *testing.T) {
	r := explore(t, writeSkew, "si", Options{Classic: true})
	p := testprog.Parse(t, writeSkew)
	m := NewMachine(p, engine.SI())
	cycle := Cycle(2, m.Dependencies(r.Anomaly, true, true))
	if len(cycle) != 2 || cycle[0].Kind != RW || cycle[1].Kind != RW {
		t.Errorf("write skew: %v", cycle)
	}
}

// TestInnerSavepoint: rolling back to a savepoint ends those set after it.
func TestInnerSavepoint(t *testing.T) {
	p := testprog.Parse(t, "program p\nvar x = 0\ntxn t { savepoint a; x := 1; savepoint b; rollback to a; rollback to b }")
	run := NewMachine(p, engine.Postgres()).Run(&Instance{Txn: p.Txns[0]}, InitialDB(p), nil)
	if want := "there is no savepoint b"; run.Blocked != want {
		t.Errorf("blocked: %q, want %q", run.Blocked, want)
	}
}
