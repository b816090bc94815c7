package movers

import (
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/symbolic"
	"github.com/txrobust/robust/internal/testprog"
)

// TestCertificates: each reason applies to the programs that have it, and not where one
// thing is otherwise.
func TestCertificates(t *testing.T) {
	const head = "program p\nvar x = 0, y = 0, z = 0\ntable t (k int, n int, key (k))\ntable part (k int, n int, key (k), unique some (n) where part.k > 0)\n"
	const blind, steady, single, common = "reads anything", "only rows that it writes", "a single shared variable", "always writes x"
	si, maria := engine.SI(), engine.MariaDB()
	for _, c := range []struct {
		name, program string
		opt           Options
		want          string // a part of the certificate, "" for none
	}{
		{"blind writes", "txn a { x := 1; y := 1 } txn b { y := 2; z := 2 }", Options{Engine: si}, blind},
		{"blind writes, of which equal ones exclude nobody", "txn a { x := 1; y := 1 } txn b { y := 2; z := 2 }", Options{Engine: maria}, ""},
		{"a write of what was there", "txn a { update x set v = x.v + 1; y := 1 } txn b { update z set v = z.v + 1 }", Options{Engine: si}, steady},
		{"insertions", "txn a { insert t (k) values (1); y := 1 } txn b { insert t (k) values (1); z := 2 }", Options{Engine: si}, steady},
		{"insertions beside a partial key", "txn a { insert part (k, n) values (1, 1); y := 1 } txn b { insert part (k, n) values (2, 1); z := 2 }", Options{Engine: si}, ""},
		{"insertions beside others", "txn a { insert t (k) values (1); y := 1 } txn b { insert t (k) values (1); z := y }", Options{Engine: si}, ""},
		{"all write x", "txn a { r := y; x := r } txn b { r := z; x := r; y := r }", Options{Engine: si}, common},
		{"all write x, which equal writes do not exclude", "txn a { r := y; x := r } txn b { r := z; x := r; y := r }", Options{Engine: maria}, ""},
		{"all write x, one of them only where it is something", "txn a { r := y; update x set v = 1 where x.v == 0; z := r } txn b { r := z; x := r; y := r }", Options{Engine: si}, ""},
		{"all write x but on a path that ends", "txn a { r := y; z := r; if r == 1 { return }; x := r } txn b { r := z; x := r; y := r }", Options{Engine: si}, ""},
		{"all write x, and one takes it back", "txn a { r := y; savepoint s; x := r; rollback to s; z := r } txn b { r := z; x := r; y := r }", Options{Engine: si}, ""},
		{"one variable each", "txn a { r := x; if r > 0 { x := 1 } } txn b { r := y; if r > 0 { y := 1 } }", Options{Engine: maria}, single},
		{"one variable each, in sessions with an order", "txn a { r := x; if r > 0 { x := 1 } } txn b { r := y; if r > 0 { y := 1 } }", Options{Engine: maria, SessionOrder: true}, ""},
		{"one variable each, in processes", "process p1 { txn a { r := x; if r > 0 { x := 1 } } txn c { r := y; emit r } } process p2 { txn b { r := y; if r > 0 { y := 1 } } txn d { r := x; emit r } }", Options{Engine: maria}, ""},
		{"a variable and rows", "txn a { r := x; if r > 0 { insert t (k) values (1) } } txn b { r := x; if r > 0 { x := 1 } }", Options{Engine: maria}, ""},
		{"a variable that is read and one that is written", "txn a { r := x; if r > 0 { y := 1 } } txn b { r := y; if r > 0 { x := 1 } }", Options{Engine: maria}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := certificate(testprog.Parse(t, head+c.program), c.opt)
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("the certificate is %q, want %q", got, c.want)
			}
		})
	}
}

// TestSteady: which transactions would do the same with a snapshot taken at their commit.
func TestSteady(t *testing.T) {
	const head = `program p
var x = 0, y = 0
table kept (k int, n int, fixed int, key (k))
table grows (k int, n int, key (k))
table goes (k int, n int, fixed int, key (k))
table part (k int, n int, act bool, key (k), unique some (n) where part.act)
txn others { update kept set n = 1; insert grows (k) values (1); delete goes where goes.k == 1; y := 1 }
`
	for _, c := range []struct {
		name, body string
		want       bool
	}{
		{"it writes what it finds by what nobody writes", "update kept set n = kept.n + 1 where kept.fixed == 1", true},
		{"it finds rows by what others write", "update kept set n = 1 where kept.n == 0", false},
		{"it reads what nobody writes", "(r) := select s.fixed from kept s where s.k == 1; x := r", true},
		{"it reads what others write", "(r) := select s.n from kept s where s.k == 1; x := r", false},
		{"it finds by what others write what nobody writes", "(r) := select s.fixed from kept s where s.n == 1; x := r", false},
		{"it reads where rows come", "(r) := select s.n from grows s where s.k == 1; x := r", false},
		{"it reads where rows go", "(r) := select s.fixed from goes s where s.k == 1; x := r", false},
		{"it writes where rows come", "update grows set n = 1 where grows.k == 1", false},
		{"its subquery finds what others write", "update kept set n = 1 where kept.fixed == 1 and exists (from kept s where s.n == 2)", false},
		{"its subquery finds what nobody writes", "update kept set n = 1 where kept.fixed == 1 and exists (from kept s where s.fixed == 2)", true},
		{"it inserts where no key is freed", "insert grows (k, n) values (2, 2)", true},
		{"it inserts where a key is freed", "insert goes (k, n) values (2, 2)", false},
		{"it inserts beside a partial key", "insert part (k, n, act) values (2, 2, true)", false},
		{"it inserts, or updates", "insert kept (k, n) values (2, 2) on conflict (k) do update z set n = 3", true},
		{"it inserts, or updates by what is there", "insert kept (k, n) values (2, 2) on conflict (k) do update z set n = 3 where z.n == 0", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := testprog.Parse(t, head+"txn t { "+c.body+" }")
			code := prepare.Of(p)
			if got := steady(code, p.Txn("t"), Options{Engine: engine.SI()}); got != c.want {
				t.Errorf("steady is %t", got)
			}
			for _, opt := range []Options{{Engine: engine.SI(), Classic: true}, {Engine: engine.MariaDB()}} {
				if steady(code, p.Txn("t"), opt) {
					t.Errorf("it is steady with %s, classic: %t", opt.Engine.Name, opt.Classic)
				}
			}
		})
	}
}

// TestRevivedBy: who may see a row that another transaction has deleted beside the one
// with its key that it has inserted.
func TestRevivedBy(t *testing.T) {
	const tables = "program p\ntable u (k int, v int, key (k))\ntable o (k int, key (k))\ntable t (k int, n int, o int, key (k), foreign t_o (o) references o (k) on delete cascade)\n"
	const drop, cascade = "txn drop { delete t where t.k == 1 }\n", "txn drop { delete o where o.k == 1; cascade t t_o }\n"
	const insert, look = "insert t (k, n) values (1, 1)", "(r) := select agg count(*) int from t s; emit r"
	for _, c := range []struct {
		name, others, txn string
		want              bool
	}{
		{"it looks after it has inserted", drop, "txn t { local r int; " + insert + "; " + look + " }", true},
		{"it looks before", drop, "txn t { local r int; " + look + "; " + insert + " }", false},
		{"nobody deletes", "", "txn t { local r int; " + insert + "; " + look + " }", false},
		{"a cascade deletes", cascade, "txn t { local r int; " + insert + "; " + look + " }", true},
		{"it looks before in each round", drop, "txn t { local r int; local i int; while i < 2 { " + look + "; " + insert + "; i := i + 1 } }", true},
		{"the key is new", drop, "txn t(fresh k int) { local r int; insert t (k, n) values (k, 1); " + look + " }", false},
		{"something else is new", drop, "txn t(fresh n int) { local r int; insert t (k, n) values (1, n); " + look + " }", true},
		{"an UPDATE looks", drop, "txn t { " + insert + "; update u set v = 1 where exists (from t s where s.n == 1) }", true},
		{"an UPDATE writes only", drop, "txn t { " + insert + "; update t set n = 2 where t.k == 1 }", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := revived(testprog.Parse(t, tables+c.txn+"\n"+c.others)); (got != "") != c.want {
				t.Errorf("revived is %q, want one: %t", got, c.want)
			}
		})
	}
}

// TestTouchAll: what statements touch that name no columns, or nothing.
func TestTouchAll(t *testing.T) {
	p := testprog.Parse(t, `program touch
var x = 0
table t (k int, a int, b int, key (k))
table o (k int, key (k))
table c (id int, o int, key (id), foreign f (o) references o (k) on delete cascade)
table free (k int, key (k))
txn read_t { local r int; (r) := select s.a from t s where s.k == 1; emit r }
txn lock_t { lock t in exclusive; x := 1 }
txn anything { unmodelled * 'DO' }
txn something { unmodelled (t) 'DO' }
txn looks { unmodelled read (t) 'WITH' }
txn child { insert c (id, o) values (1, 1) }
txn drop { delete o where o.k == 1; cascade c f }
txn parent { insert o (k) values (1) }
txn other { insert free (k) values (1) }
txn upsert { insert t (k, a) values (1, 1) on conflict (k) do update z set a = excluded.b }
txn set_b { update t set b = 1 where t.k == 1 }`)
	list := nodes(p, true)
	footprints(p, list, Options{Engine: engine.Postgres()})
	near := newNeighbours(list)
	number := map[string]int{}
	for i, n := range list {
		number[n.txn.Name] = i
	}
	for _, c := range []struct {
		who, whom string
		want      bool // who affects whom
	}{
		{"lock_t", "read_t", true}, {"lock_t", "other", false},
		{"anything", "read_t", true}, {"anything", "other", true}, {"anything", "child", true}, {"other", "anything", true},
		{"something", "read_t", true}, {"something", "other", false}, {"other", "something", false},
		{"set_b", "looks", true}, {"looks", "set_b", false}, {"set_b", "read_t", false},
		{"parent", "child", true}, {"child", "drop", true}, {"drop", "child", true}, {"parent", "drop", true}, {"other", "drop", false},
		{"set_b", "upsert", true},
	} {
		if got := slices.Contains(near.affecting[number[c.whom]], number[c.who]); got != c.want {
			t.Errorf("%s affects %s: %t", c.who, c.whom, got)
		}
	}
	// The cascade alone, without the deletion before it.
	fk := &p.Tables[3].ForeignKeys[0]
	act := &ir.Txn{Name: "act", Body: []ir.Stmt{&ir.Cascade{Table: p.Tables[3], Key: 0}}}
	for _, name := range []string{fk.Ref.Name, fk.Ref.Name + "!"} {
		if !touches(p, act, false).reads[name] {
			t.Errorf("an action does not depend on %s", name)
		}
	}
}

// TestMayBreakBy: which templates are asked whether they keep a fact.
func TestMayBreakBy(t *testing.T) {
	p := testprog.Parse(t, `program p
table o (k int, v int, key (k))
table t (k int, n int, m int, o int, key (k), foreign t_o (o) references o (k) on delete set null)
table free (k int, key (k))
invariant (t a) a.n >= 0 or a.o == 1
invariant (t a) exists (from o s where s.k == a.n)
txn insert_t { insert t (k, n) values (1, 1) }
txn delete_t { delete t where t.k == 1 }
txn set_n { update t set n = 1 where t.k == 1 }
txn set_m { update t set m = 1 where t.k == 1 }
txn insert_o { insert o (k) values (1) }
txn delete_o { delete o where o.k == 1; cascade t t_o }
txn set_v { update o set v = 1 where o.k == 1 }
txn anything { unmodelled * 'DO' }
txn something { unmodelled (t) 'DO' }
txn reads { unmodelled read * 'WITH' }
txn elsewhere { unmodelled (free) 'DO' }`)
	of := map[string][2]bool{
		"insert_t": {true, true}, "delete_t": {false, false}, "set_n": {true, true}, "set_m": {false, false},
		"insert_o": {false, true}, "delete_o": {true, true}, "set_v": {false, true},
		"anything": {true, true}, "something": {true, true}, "reads": {false, false}, "elsewhere": {false, false},
	}
	for _, txn := range p.Txns {
		for i, inv := range p.Invariants {
			if got := mayBreak(txn, inv); got != of[txn.Name][i] {
				t.Errorf("%s may break %s: %t", txn.Name, FactString(inv), got)
			}
		}
	}
	// The halves of delete_o alone.
	all := p.Txn("delete_o").Body
	for i, want := range [][2]bool{{false, true}, {true, false}} {
		for k, inv := range p.Invariants {
			if got := mayBreak(&ir.Txn{Name: "half", Body: all[i : i+1]}, inv); got != want[k] {
				t.Errorf("statement %d of delete_o may break %s: %t", i+1, FactString(inv), got)
			}
		}
	}
}

// TestFactsFall: a fact that is kept only while another one holds goes with that one.
func TestFactsFall(t *testing.T) {
	for _, c := range []struct {
		name, breaks string
		facts        int
	}{
		{"a is as b, which nobody breaks", "txn keeps { update t set b = 1 where t.k == 1 }", 3},
		{"a is as b, which may be negative", "txn breaks { update t set b = -1 where t.k == 1 }", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := testprog.Parse(t, `program p
table t (k int, a int, b int, key (k))
txn copies { update t set a = t.b where t.k == 1 }
txn adds { insert t (k, a, b) values (1, 1, 1) }
`+c.breaks)
			opt := Options{Engine: engine.SI(), Limit: 2000000, maxSteps: symbolic.MaxSteps}
			facts, _, err := induct(t.Context(), p, opt, newLanes(opt), signs(p))
			if err != nil {
				t.Fatal(err)
			}
			if len(facts) != c.facts {
				for _, f := range facts {
					t.Log(FactString(f))
				}
				t.Errorf("there are %d facts, want %d", len(facts), c.facts)
			}
		})
	}
}
