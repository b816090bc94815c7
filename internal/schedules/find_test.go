package schedules

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir/irtext"
)

// sessions gives each named transaction its own session.
func sessions(t testing.TB, p *ir.Program, names ...string) [][]*ir.Txn {
	t.Helper()
	var out [][]*ir.Txn
	for _, n := range names {
		txn := p.Txn(n)
		if txn == nil {
			t.Fatalf("there is no transaction %s", n)
		}
		out = append(out, []*ir.Txn{txn})
	}
	return out
}

func mustFind(t testing.TB, q Query) (*Anomaly, Stats) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	a, stats, err := Find(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	return a, stats
}

// TestBuilders starts from empty tables: other transactions must build the
// rows first.
func TestBuilders(t *testing.T) {
	p := testprog.Load(t, testprog.Path(t, "apps", "courseware"))
	for _, tries := range []int{0, -1} {
		q := Query{Program: p, Engine: engine.Postgres(), Sessions: sessions(t, p, "enroll_student", "remove_course"),
			Options: Options{Init: NoRows, Tries: tries}}
		a, stats := mustFind(t, q)
		t.Log(describeStats(stats))
		if a == nil {
			t.Fatal("no anomaly is found")
		}
		t.Logf("\n%s", describe(p, a))
		names := ""
		for _, c := range a.Calls {
			names += " " + c.Txn.Name
		}
		if len(a.Calls) != 4 || !strings.Contains(names, "add_course") || !strings.Contains(names, "register_student") {
			t.Errorf("the transactions are%s", names)
		}
		for i := range p.Tables {
			if len(a.Rows[i]) > 0 {
				t.Errorf("%s is not empty", p.Tables[i].Name)
			}
		}
	}
}

// TestFileRows starts from the rows that the program declares.
func TestFileRows(t *testing.T) {
	const src = `program on_call
table doctor (id int not null, working bool not null, key (id))
row doctor (1, true)
ROWS
txn leave(p_id int) {
  local other bool;
  other := exists (from doctor d where d.id != p_id and d.working);
  assume other;
  update doctor set working = false where doctor.id == p_id;
}
`
	for rows, want := range map[string]bool{"": false, "row doctor (2, true)": true, "row doctor (2, false)": false} {
		p := testprog.Parse(t, strings.Replace(src, "ROWS", rows, 1))
		for _, tries := range []int{0, -1} {
			q := Query{Program: p, Engine: engine.Postgres(), Sessions: sessions(t, p, "leave", "leave"),
				Options: Options{Init: FileRows, Tries: tries}}
			a, stats := mustFind(t, q)
			if (a != nil) != want {
				t.Errorf("with %q: found %v, expected %v; %s", rows, a != nil, want, describeStats(stats))
			}
		}
	}
}

// TestInvariants excludes the initial states that show the anomaly.
func TestInvariants(t *testing.T) {
	const src = `program pair
table t (id int not null, x int not null, key (id))
INVARIANT
txn move(a int, b int) {
  local v int;
  local ok bool;
  (v) := select t.x from t where t.id == a found ok;
  assume ok;
  update t set x = v where t.id == b;
}
`
	for invariant, want := range map[string]bool{"": true, "invariant (t r, t s) r.x == s.x": false} {
		p := testprog.Parse(t, strings.Replace(src, "INVARIANT", invariant, 1))
		for _, tries := range []int{0, -1} {
			q := Query{Program: p, Engine: engine.SI(), Sessions: sessions(t, p, "move", "move"), Options: Options{Tries: tries}}
			if a, stats := mustFind(t, q); (a != nil) != want {
				t.Errorf("with %q: found %v, expected %v; %s", invariant, a != nil, want, describeStats(stats))
			}
		}
	}
}

// TestMinimal checks that nothing superfluous is left in an anomaly.
func TestMinimal(t *testing.T) {
	const src = `program skew
table t (id int not null, x int, note text, key (id))
table other (id int not null, t_id int, key (id), foreign other_t (t_id) references t (id))
txn swap(a int, b int) {
  local v int;
  (v) := select t.x from t where t.id == a;
  update t set x = v + 1 where t.id == b;
}
txn look(a int) {
  emit select t.x, t.note from t where t.id == a;
}
`
	p := testprog.Parse(t, src)
	for _, tries := range []int{0, -1} {
		q := Query{Program: p, Engine: engine.Postgres(), Sessions: sessions(t, p, "swap", "look", "swap"),
			Options: Options{Tries: tries}}
		a, stats := mustFind(t, q)
		if a == nil {
			t.Fatalf("no anomaly is found: %s", describeStats(stats))
		}
		t.Logf("%s\n%s", describeStats(stats), describe(p, a))
		if len(a.Calls) != 2 {
			t.Errorf("%d transactions where two do", len(a.Calls))
		}
		if n := len(a.Rows[0]) + len(a.Rows[1]); n != 2 {
			t.Errorf("%d rows where two do", n)
		}
		for _, r := range a.Rows[0] {
			for _, v := range r {
				if v.IsNull() || v.Kind == ir.KindInt && (v.I < 0 || v.I > 3) {
					t.Errorf("%v is not simple", r)
				}
			}
		}
	}
}

// TestThreeRows needs more rows than most anomalies do.
func TestThreeRows(t *testing.T) {
	p := testprog.Parse(t, `program on_call
table doctor (id int not null, working bool not null, key (id))
txn leave(p_id int) {
  local n int;
  (n) := select agg count(*) int from doctor d where d.working;
  assume n > 2;
  update doctor set working = false where doctor.id == p_id;
}
`)
	for _, tries := range []int{0, -1} {
		q := Query{Program: p, Engine: engine.Postgres(), Sessions: sessions(t, p, "leave", "leave"), Expected: []Order{OneDelayed(2)}, Options: Options{Tries: tries}}
		a, stats := mustFind(t, q)
		if a == nil {
			t.Fatalf("no anomaly is found: %s", describeStats(stats))
		}
		t.Logf("%s\n%s", describeStats(stats), describe(p, a))
		if len(a.Rows[0]) != 3 {
			t.Errorf("%d rows where three do", len(a.Rows[0]))
		}
	}
}

// TestSerialUnmodelled: a serial order that ends in a statement that is not modelled
// may have the same outcome, so that there is no anomaly to report.
func TestSerialUnmodelled(t *testing.T) {
	const src = `program unclear
table t (id int not null, x int not null, key (id))
txn move(a int, b int) {
  local v int;
  local ok bool;
  (v) := select t.x from t where t.id == a found ok;
  assume ok;
  if v == 1 { unmodelled (t) 'something' }
  update t set x = 1 where t.id == b;
}
`
	p := testprog.Parse(t, src)
	for _, tries := range []int{0, -1} {
		q := Query{Program: p, Engine: engine.Postgres(), Sessions: sessions(t, p, "move", "move"), Options: Options{Tries: tries}}
		a, stats := mustFind(t, q)
		if a != nil {
			t.Errorf("an anomaly is claimed:\n%s", describe(p, a))
		}
		if !strings.Contains(stats.Bounded, "not modelled") {
			t.Errorf("the reason is %q", stats.Bounded)
		}
	}
}

// TestArguments checks what Find rejects.
func TestArguments(t *testing.T) {
	p := testprog.Parse(t, "program p\nvar x = 0\ntxn a { x := 1 }\n")
	if _, _, err := Find(context.Background(), Query{Program: p, Engine: engine.SI(), Sessions: sessions(t, p, "a")}); err == nil {
		t.Error("one transaction is accepted")
	}
	if _, _, err := Find(context.Background(), Query{Program: p, Engine: engine.SI(), Sessions: sessions(t, p, "a", "a"), Expected: []Order{OneDelayed(3)}}); err == nil {
		t.Error("an order of another number of transactions is accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Find(ctx, Query{Program: p, Engine: engine.SI(), Sessions: sessions(t, p, "a", "a")}); err == nil {
		t.Error("a cancelled search reports no error")
	}
	labelled, err := irtext.Parse("labelled", "program p\nvar x = 0\nprocess q { txn a { l: x := 1; goto end; } }\n")
	if err != nil {
		t.Fatal(err)
	}
	query := Query{Program: labelled, Engine: engine.SI(), Sessions: sessions(t, labelled, "a", "a")}
	if _, _, err := Find(context.Background(), query); err == nil || !strings.Contains(err.Error(), "wellformed.Structure") {
		t.Errorf("a labelled transaction: %v", err)
	}
	if _, err := NewCuts(context.Background(), query); err == nil {
		t.Error("a labelled transaction is accepted for cuts")
	}
}

// TestOrders counts orders, and checks that they are different and possible.
func TestOrders(t *testing.T) {
	for _, c := range []struct {
		session, kind []int
		builders      int
		want          int
	}{
		{[]int{0, 1}, []int{0, 1}, 0, 2},
		{[]int{0, 1}, []int{0, 0}, 0, 1},
		{[]int{0, 0}, []int{0, 1}, 0, 0},
		{[]int{0, 1, 2}, []int{0, 1, 2}, 0, 30},        // 3! commit orders, 1·2·3 snapshots, without the serial ones
		{[]int{0, 1, 2, 3}, []int{0, 1, 2, 3}, 0, 552}, // 24·24 - 24
		{[]int{-1, -2, 0, 1}, []int{0, 0, 1, 2}, 2, 2}, // builders first
		{[]int{0, 1, 1}, []int{0, 1, 2}, 0, 6},         // 2 + 4 + 3 snapshots, without 3 serial ones
	} {
		list, complete := orders(c.session, c.kind, c.builders, 600)
		if !complete {
			t.Errorf("%v: not complete", c.session)
		}
		seen := map[string]bool{}
		for _, o := range list {
			if d, _ := o.delayed(); d == 0 {
				t.Errorf("%v: %v has no delay", c.session, o)
			}
			key := ""
			for i := range o.Commits {
				key += string(rune('0'+o.Commits[i])) + string(rune('0'+o.Snapshots[i]))
			}
			if seen[key] {
				t.Errorf("%v: %v comes twice", c.session, o)
			}
			seen[key] = true
		}
		if len(list) != c.want {
			t.Errorf("%v of kinds %v: %d orders, expected %d", c.session, c.kind, len(list), c.want)
		}
	}
}

// TestAnyOrder takes the order within sessions away, which the anomaly needs.
func TestAnyOrder(t *testing.T) {
	p := testprog.ParseFile(t, testprog.Path(t, "litmus", "session-order.litmus"))
	for _, anyOrder := range []bool{false, true} {
		a, stats := mustFind(t, Query{Program: p, Engine: engine.SI(), Sessions: Processes(p, 1),
			Options: Options{Init: FileRows, AnyOrder: anyOrder}})
		if (a == nil) != anyOrder {
			t.Errorf("any order %v: found %v", anyOrder, a != nil)
		}
		if stats.Exhausted != (a == nil) {
			t.Errorf("any order %v: exhausted is %v", anyOrder, stats.Exhausted)
		}
	}
}

// TestDeterministic: the same query gives the same anomaly, as far as the
// concrete search finds it. The solver's models may change from run to run.
func TestDeterministic(t *testing.T) {
	first := ""
	for i := 0; i < 2; i++ {
		p := testprog.Load(t, testprog.Path(t, "apps", "smallbank"))
		q := Query{Program: p, Engine: engine.Postgres(), Sessions: sessions(t, p, "write_check", "transact_saving", "balance"), Expected: []Order{OneDelayed(3)}}
		a, stats := mustFind(t, q)
		if a == nil || stats.Found != "random" {
			t.Fatalf("the concrete search finds no anomaly: %s", describeStats(stats))
		}
		if text := describe(p, a); i == 0 {
			first = text
		} else if text != first {
			t.Errorf("first\n%s\nthen\n%s", first, text)
		}
	}
}
