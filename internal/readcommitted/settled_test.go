package readcommitted_test

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
)

// randomCommands draws a transaction. kinds are those that the program has for each table.
func randomCommands(r *rand.Rand, h habits) []command {
	if h.theme != "" && r.Intn(6) > 0 {
		return changedAtRandom(r, themes[h.theme](r))
	}
	kinds, bump := h.kinds, h.bump != (r.Intn(12) == 0)
	var out []command
	if h.guard.kind != "" && r.Intn(8) > 0 {
		out = append(out, h.guard)
	}
	tab, id, last := r.Intn(2), r.Intn(2), r.Intn(5) == 0
	for range 1 + r.Intn(4) {
		if r.Intn(2) == 0 { // else it goes on with the same row
			tab, id, last = r.Intn(2), r.Intn(2), r.Intn(5) == 0
		}
		c := command{kind: kinds[tab][r.Intn(len(kinds[tab]))], tab: tab, id: id, by: 1 + r.Intn(2), must: r.Intn(2) == 0, guard: r.Intn(5) == 0}
		switch c.kind {
		case "read", "lock", "share", "take", "touch", "nothing", "see", "absent", "skip", "skip share", "skip key", "none", "some":
		case "confirm":
			c.must = r.Intn(5) > 0
		default:
			c.must = false
		}
		c.bump = bump && slices.Contains([]string{"set", "add", "marked", "take", "all", "upsert", "batch"}, c.kind)
		switch c.kind {
		case "read", "see", "confirm", "number", "lock", "share", "set", "add", "marked", "take", "touch", "delete":
			c.last = last
		}
		if c.kind == "lock" && r.Intn(2) == 0 { // as most programs do
			c.guard, c.must = false, r.Intn(4) > 0
			out = append(out, c)
			c = command{kind: "set", tab: tab, id: c.id, by: c.by, last: c.last, bump: bump}
		}
		if c.kind == "see" && r.Intn(4) > 0 { // as those do who take no locks
			c.guard, c.must, c.last = false, r.Intn(4) > 0, false
			out = append(out, c)
			c = command{kind: "confirm", tab: tab, id: c.id, by: c.by, must: r.Intn(5) > 0, bump: false}
		}
		if c.kind == "absent" && r.Intn(2) == 0 {
			c.guard, c.must = false, r.Intn(4) > 0
			out = append(out, c)
			c = command{kind: "insert", tab: tab, id: c.id, by: c.by}
		}
		if strings.HasPrefix(c.kind, "skip") && r.Intn(4) > 0 { // as workers do
			c.guard = false
			out = append(out, c)
			c = command{kind: []string{"set", "add", "delete", "read"}[r.Intn(4)], tab: tab, id: id, by: c.by, last: c.kind != "skip key" || r.Intn(2) == 0}
		}
		if c.kind == "nothing" && r.Intn(2) == 0 {
			c.guard, c.must = false, false
			out = append(out, c)
			c = command{kind: []string{"read", "lock"}[r.Intn(2)], tab: tab, id: c.id, by: c.by}
		}
		if c.kind == "delete" && !c.last && slices.Contains(kinds[tab], "insert") && r.Intn(2) == 0 {
			out = append(out, c)
			c.kind = "insert"
		}
		out = append(out, c)
	}
	return out
}

// habits are what the transactions of a program have in common: what they do with its tables, a
// lock that most of them take first, and whether most updates count versions up.
type habits struct {
	kinds [2][]string
	guard command
	bump  bool
	theme string // of themes, or ""
}

// randomHabits draws them: a program that does everything says little.
func randomHabits(r *rand.Rand) habits {
	h := habits{kinds: randomKinds(r), bump: r.Intn(2) == 0}
	if names := slices.Sorted(maps.Keys(themes)); r.Intn(3) == 0 {
		h.theme = names[r.Intn(len(names))]
		for t := range h.kinds { // what the themes rest on
			h.kinds[t] = slices.DeleteFunc(h.kinds[t], func(k string) bool {
				return slices.Contains([]string{"set", "add", "marked", "take", "all", "upsert", "nothing", "batch"}, k) || r.Intn(2) == 0 && strings.HasPrefix(k, "insert")
			})
			h.kinds[t] = append(h.kinds[t], "bump")
		}
	}
	if r.Intn(2) == 0 {
		h.guard = []command{{kind: "number"}, {kind: "table"}, {kind: "lock", must: true}, {kind: "shared"}, {kind: "touch", must: r.Intn(4) > 0}}[r.Intn(5)]
		h.guard.tab, h.guard.id, h.guard.by = r.Intn(2), r.Intn(2), 1+r.Intn(2)
	}
	return h
}

func randomKinds(r *rand.Rand) (out [2][]string) {
	all := []string{"skip", "skip share", "skip key", "batch", "see", "see", "countv", "countv", "none", "none", "some", "sum", "bump", "lock some", "share some", "absent", "number", "read", "lock", "share", "count", "set", "add", "marked", "take", "touch", "all", "insert", "upsert", "nothing", "delete"}
	for t := range out {
		for _, k := range all {
			if r.Intn(2) == 0 {
				out[t] = append(out[t], k)
			}
		}
		if out[t] == nil {
			out[t] = []string{"add"}
		}
	}
	return out
}

// programOf is the program in the text form of the IR, read.
func programOf(t *testing.T, txns [][]command) (*ir.Program, string) {
	var text strings.Builder
	text.WriteString("program random\ntable t0 ( id int not null, v int not null, w int not null, key (id) )\ntable t1 ( id int not null, v int not null, w int not null, key (id) )\n")
	for i, list := range txns {
		fmt.Fprintf(&text, "txn x%d() {\n  local a int;\n  local b int;\n  local n int;\n  local c int;\n  local h int;\n  local p int;\n  local g bool;\n  local m int;\n  local kept int[];\n  local taken bool;\n  local f bool;\n  local mark int;\n  mark := 0;\n", i)
		for _, c := range list {
			text.WriteString("  " + c.text() + "\n")
		}
		text.WriteString("}\n")
	}
	p := testprog.Parse(t, text.String())
	wellformed.Structure(p)
	for _, x := range p.Txns {
		ir.Walk(x.Body, func(s ir.Stmt) { ir.EditChildren(s, together) })
		x.Body = together(x.Body)
	}
	return p, text.String()
}

// together makes a count and the UPDATE after it, of the rows that are counted, one command
// that tells the client how many rows it has changed.
func together(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for i, s := range list {
		if x, ok := s.(*ir.Select); ok && slices.Equal(x.Into, []string{"c"}) {
			x.Skips = list[i+2].(*ir.Select).Locks[0].Mode
			for _, o := range list[i-1 : i+3] {
				ir.Number(o, s.Command())
			}
		}
		if x, ok := s.(*ir.Select); ok && len(x.Aggs) > 0 && x.Into[0] == "m" {
			x.Skips = ir.ForUpdate
			for _, o := range list[i-1 : i+3] {
				ir.Number(o, s.Command())
			}
		}
		if x, ok := s.(*ir.Select); ok && len(x.Aggs) > 0 && x.Into[0] == "n" {
			send := &ir.Send{Unknown: "not sent to a server", Table: x.Query.From[0].Table, Verb: ir.Updates, Count: "n"}
			ir.Number(send, s.Command())
			ir.Number(list[i+1], s.Command())
			out = append(out, send)
		}
		out = append(out, s)
	}
	return out
}

// randomRows draws rows to start with.
func randomRows(r *rand.Rand) rows {
	out := rows{}
	for tab := range 2 {
		for id := range 2 {
			if r.Intn(3) > 0 {
				out[place{tab, id}] = version{-1 - 2*tab - id, r.Intn(3), r.Intn(2)}
			}
		}
	}
	return out
}

// could says whether a transaction that has committed does what its standing says.
func could(w *world, i int, standing readcommitted.Standing) bool {
	s := w.sessions[i]
	before := w.states[len(w.states)-2]
	did := func(start rows, lenient bool) bool {
		o, _ := alone(s, start, lenient)
		return !o.failed && o.out == s.out && o.view(before).values() == w.now().values()
	}
	if standing == readcommitted.Atomic && (len(s.writes) > 0 || did(before, false)) {
		return did(before, false)
	}
	// Who writes nothing may have seen that a row is not there.
	return slices.ContainsFunc(w.states[s.begin:len(w.states)-1], func(start rows) bool { return did(start, standing == readcommitted.OneLook) })
}

// TestSettled: what is settled does, in every execution with waiting, what it would do at the
// moment of its commit, or on one snapshot.
func TestSettled(t *testing.T) {
	r := onServer.Source(t)
	count := map[readcommitted.Standing]int{}
	wrong, commits, waited := 0, 0, 0
	for range 60 * onServer.Runs() {
		kinds := randomHabits(r)
		txns := [][]command{randomCommands(r, kinds), randomCommands(r, kinds), randomCommands(r, kinds)}
		p, text := programOf(t, txns)
		settled := readcommitted.Settle(p, func(*ir.Txn) bool { return true })
		for _, s := range settled {
			count[s.Standing]++
		}
		for range 3 {
			which := []int{r.Intn(3), r.Intn(3), r.Intn(3)}[:2+r.Intn(2)]
			start := randomRows(r)
			w := &world{states: []rows{start}}
			for _, k := range which {
				w.sessions = append(w.sessions, newSession(txns[k]))
			}
			ends := 60
			w.everything(r, &ends, func(w *world, i int) {
				commits++
				x := p.Txns[which[i]]
				switch standing := settled[x].Standing; {
				case standing == readcommitted.Unsettled:
					if !could(w, i, readcommitted.Atomic) && !could(w, i, readcommitted.OneLook) {
						wrong++
					}
				case !could(w, i, standing):
					t.Fatalf("%s is %d from %s, and has %q with %s after %s\n%s", x.Name, standing, start.values(), w.sessions[i].out, w.now().values(), w.states[len(w.states)-2].values(), text)
				}
			}, func(w *world) {
				if slices.ContainsFunc(w.sessions, func(s *session) bool { return s.begin != len(w.states)-1 }) {
					waited++
				}
			})
		}
	}
	t.Logf("atomic %d, one look %d, unsettled %d; %d commits, %d of unsettled ones that are neither; %d executions with others inside",
		count[readcommitted.Atomic], count[readcommitted.OneLook], count[readcommitted.Unsettled], commits, wrong, waited)
	if count[readcommitted.Atomic] == 0 || count[readcommitted.OneLook] == 0 || wrong == 0 {
		t.Error("the test says little")
	}
}

// serial reports whether a serial order of the transactions that have committed has their
// outcome.
func serial(w *world, start rows) bool {
	var try func(left []int, now rows) bool
	try = func(left []int, now rows) bool {
		if len(left) == 0 {
			return now.values() == w.now().values()
		}
		return slices.ContainsFunc(left, func(i int) bool {
			s, next := alone(w.sessions[i], now, false)
			rest := slices.DeleteFunc(slices.Clone(left), func(k int) bool { return k == i })
			return !s.failed && s.out == w.sessions[i].out && try(rest, next)
		})
	}
	return try(w.order, start)
}

// TestSettledVerdicts: what is robust at READ COMMITTED has, with waits and three
// transactions, outcomes of serial orders only.
func TestSettledVerdicts(t *testing.T) {
	r := rand.New(rand.NewSource(onServer.Seed(t) + 1)) // of the programs of seed 1 itself, none showed an outcome of no serial order
	robustly, others, wrong, ends := 0, 0, 0, 0
	for range 3 * onServer.Runs() {
		kinds := randomHabits(r)
		txns := [][]command{randomCommands(r, kinds), randomCommands(r, kinds)}
		p, text := programOf(t, txns)
		rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres(), Isolation: "rc"}})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if rep.Verdict != robust.Robust {
			others++
		} else {
			robustly++
		}
		for range 4 {
			which := []int{r.Intn(2), r.Intn(2), r.Intn(2)}[:2+r.Intn(2)]
			start := randomRows(r)
			w := &world{states: []rows{start}}
			for _, k := range which {
				w.sessions = append(w.sessions, newSession(txns[k]))
			}
			most := 80
			w.everything(r, &most, func(*world, int) {}, func(w *world) {
				ends++
				is := serial(w, start)
				if !is {
					wrong++
				}
				if rep.Verdict == robust.Robust && !is {
					t.Fatalf("%v from %s ends with %s\n%s", w.order, start.values(), w.now().values(), text)
				}
			})
		}
	}
	t.Logf("%d robust, %d not; %d executions, of those that are not robust %d without a serial order", robustly, others, ends, wrong)
	if robustly == 0 || wrong == 0 {
		t.Error("the test says little")
	}
}

// TestSubquery: a subquery of an UPDATE that reads the row which is changed is not computed
// again after a wait, while what the UPDATE returns is of the newest row.
func TestSubquery(t *testing.T) {
	p := testprog.Parse(t, "program p\ntable t ( id int not null, v int not null, key (id) )\ntxn x(a int not null) {\n local n int;\n"+
		"(n) := select t.v from t where t.id == a; update t set v = n + 1 where t.id == a;\n}")
	wellformed.Structure(p)
	x := p.Txns[0]
	ir.Number(x.Body[1], x.Body[0].Command())
	for into, want := range map[string]readcommitted.Standing{"n": readcommitted.Atomic, "other": readcommitted.Unsettled} {
		send := &ir.Send{Unknown: "not sent to a server", Table: p.Tables[0], Verb: ir.Updates, Into: []string{into}}
		ir.Number(send, x.Body[0].Command())
		q := *p
		y := *x
		y.Body = append([]ir.Stmt{send}, x.Body...)
		q.Txns = []*ir.Txn{&y}
		if got := readcommitted.Settle(&q, func(*ir.Txn) bool { return true })[&y]; got.Standing != want {
			t.Errorf("returned into %s: %d (%s), want %d", into, got.Standing, got.Reason, want)
		}
	}
}

// TestKnownRows: a row that was read before tells which lock guards it, if what was read stays.
func TestKnownRows(t *testing.T) {
	const tables = `program p
		table g ( id int not null, v int not null, key (id) )
		table j ( id int not null, g int not null, st int not null, key (id) )
		txn fin(k int not null) { local n int; local v int; local f bool;
			(v) := select g.v from g where g.id == k for update found f; if not f { abort; }
			(n) := select agg sum(j.st) int from j where j.g == k; update g set v = v + n where g.id == k; }
		`
	const lock = " (v) := select g.v from g where g.id == x for update found f; if not f { abort; }"
	for _, tc := range []struct {
		name, body, more string
		want             bool
	}{
		{"the row is there for good", "(x) := select j.g from j where j.id == a;" + lock + " update j set st = 1 where j.id == a;", "", true},
		{"another row is changed", "(x) := select j.g from j where j.id == a;" + lock + " update j set st = 1 where j.id == a + 1;", "", false},
		{"another group is locked", "(x) := select j.g from j where j.id == a; x := x + 1;" + lock + " update j set st = 1 where j.id == a;", "", false},
		{"the group is locked afterwards", "(x) := select j.g from j where j.id == a; update j set st = 1 where j.id == a;" + lock, "", true},
		{"a row that matched", "(x) := select j.g from j where j.id == a and j.st == 0 found f; if not f { abort; }" + lock + " delete j where j.id == a;", "", true},
		{"a row that may not have matched", "x := a; (x) := select j.g from j where j.id == a and j.st == 0;" + lock + " delete j where j.id == a;", "", false},
		{"a row that others insert, and that was found", "(x) := select j.g from j where j.id == a found f; if not f { abort; }" + lock + " update j set st = 1 where j.id == a;",
			"txn add(a int not null, x int not null) { local v int; local f bool;" + lock + " insert j (id, g, st) values (a, x, 0); }", true},
		{"a row that may have come since", "(x) := select j.g from j where j.id == a;" + lock + " update j set st = 1 where j.id == a;",
			"txn add(a int not null, x int not null) { local v int; local f bool;" + lock + " insert j (id, g, st) values (a, x, 0); }", false},
		{"a row that may be another one by now", "(x) := select j.g from j where j.id == a found f; if not f { abort; }" + lock + " delete j where j.id == a;",
			"txn add(a int not null, x int not null) { local v int; local f bool;" + lock + " insert j (id, g, st) values (a, x, 0); }", false},
		{"a row that changes its group", "(x) := select j.g from j where j.id == a found f; if not f { abort; }" + lock + " update j set st = 1 where j.id == a;",
			"txn go(a int not null, x int not null) { local v int; local f bool;" + lock + " update j set g = x where j.id == a; }", false},
		{"a row that is locked first", "(x) := select j.g from j where j.id == a for update found f; if not f { abort; }" + lock + " delete j where j.id == a;",
			"txn add(a int not null, x int not null) { local v int; local f bool;" + lock + " insert j (id, g, st) values (a, x, 0); }", true},
		{"the group is another one on a path", "(x) := select j.g from j where j.id == a; if a > 3 { x := 1; }" + lock + " update j set st = 1 where j.id == a;", "", false},
	} {
		p := testprog.Parse(t, tables+tc.more+"\ntxn x(a int not null) {\n local x int;\n local v int;\n local f bool;\n"+tc.body+"\n}")
		wellformed.Structure(p)
		s := readcommitted.Settle(p, func(*ir.Txn) bool { return true })[p.Txn("fin")]
		if is := s.Standing == readcommitted.Atomic; is != tc.want {
			t.Errorf("%s: %d (%s), want atomic: %v", tc.name, s.Standing, s.Reason, tc.want)
		}
	}
}

// TestWhether: rows that go away change nothing where a transaction commits only if it has found none, and rows that
// come, only if it has found some.
func TestWhether(t *testing.T) {
	const tables = `program p
		table g ( id int not null, v int not null, key (id) )
		table j ( id int not null, g int not null, st int not null, key (id) )
		table b ( g int not null, key (g) )
		txn add(k int not null, a int not null) { local v int; local f bool;
			(v) := select g.v from g where g.id == k for update found f; if not f { abort; } insert j (id, g, st) values (a, k, 0); }
		txn drop(a int not null) { delete j where j.id == a; }
		`
	const free = "txn free(a int not null) { update j set st = 0 where j.id == a; }"
	const lock = "(v) := select g.v from g where g.id == a for update found f; if not f { abort; } "
	const set = " update g set v = 1 where g.id == a;"
	for _, tc := range []struct {
		name, body, more string
		want             bool
	}{
		{"a count", lock + "(n) := select agg count(*) int from j where j.g == a; if n > 0 { abort; }" + set, "", true},
		{"a count that is at least 1", lock + "(n) := select agg count(*) int from j where j.g == a; if 1 <= n { abort; }" + set, "", true},
		{"a count that is not 0", lock + "(n) := select agg count(*) int from j where j.g == a; if n != 0 { abort; }" + set, "", true},
		{"a count, which is shown", lock + "(n) := select agg count(*) int from j where j.g == a; if n > 0 { abort; } emit n;" + set, "", true},
		{"a count that may be 1", lock + "(n) := select agg count(*) int from j where j.g == a; if n > 1 { abort; }" + set, "", false},
		{"a count that must not be 0", lock + "(n) := select agg count(*) int from j where j.g == a; if n == 0 { abort; }" + set, "", false},
		{"a row", lock + "(n) := select 1 from j where j.g == a found f; if f { abort; }" + set, "", true},
		{"a row that must be there", lock + "(n) := select 1 from j where j.g == a found f; if not f { abort; }" + set, "", false},
		{"a row, in a condition", lock + "if exists (from j where j.g == a) { abort; }" + set, "", true},
		{"a row, in a condition, which has another branch", lock + "if exists (from j where j.g == a) { emit 1; } else { emit 0; }" + set, "", false},
		{"a row of two tables", lock + "if exists (from j, b where j.g == a and b.g == j.g) { abort; }" + set, "txn ban(a int not null) { delete b where b.g == a; }", true},
		{"a row of two tables, of which one comes", lock + "if exists (from j, b where j.g == a and b.g == j.g) { abort; }" + set, "txn ban(a int not null) { insert b (g) values (a); }", false},
		{"a row without another one", lock + "if exists (from j where j.g == a and not exists (from b where b.g == j.g)) { abort; }" + set, "txn ban(a int not null) { delete b where b.g == a; }", false},
		{"a row that comes to match", lock + "if exists (from j where j.g == a and j.st == 0) { abort; }" + set, free, false},
		{"a row that changes, and matches as before", lock + "if exists (from j where j.g == a) { abort; }" + set, free, true},
		{"no lock", "if exists (from j where j.g == a) { abort; }" + set, "", false},
		{"a row that is inserted then", "(n) := select 1 from j where j.g == a found f; if f { abort; } insert j (id, g, st) values (a, a, 0);" + set, "", false},
		{"nothing else, where there is none", "(n) := select 1 from j where j.g == a found f; if f { abort; }", "", true},
		{"a row found, where none goes", lock + "(n) := select 1 from b where b.g > a found f; if not f { abort; }" + set, "txn ban(a int not null) { insert b (g) values (a); }", true},
		{"which row is found, where none goes", lock + "(n) := select b.g from b where b.g > a found f; if not f { abort; } emit n;" + set, "txn ban(a int not null) { insert b (g) values (a); }", false},
		{"how many are found, where none goes", lock + "(n) := select agg count(*) int from b where b.g > a; if n == 0 { abort; } emit n;" + set, "txn ban(a int not null) { insert b (g) values (a); }", false},
	} {
		p := testprog.Parse(t, tables+tc.more+"\ntxn x(a int not null) {\n local n int;\n local v int;\n local f bool;\n"+tc.body+"\n}")
		wellformed.Structure(p)
		s := readcommitted.Settle(p, func(*ir.Txn) bool { return true })[p.Txn("x")]
		if is := s.Standing != readcommitted.Unsettled; is != tc.want {
			t.Errorf("%s: %d (%s), want settled: %v", tc.name, s.Standing, s.Reason, tc.want)
		}
	}
}

// TestLockedSets: rows that are all locked stay as they are while none comes to match.
func TestLockedSets(t *testing.T) {
	const tables = `program p
		table g ( id int not null, v int not null, key (id) )
		table j ( id int not null, g int not null, st int not null, key (id) )
		txn work(a int not null) { update j set st = j.st + 1 where j.id == a; }
		txn drop(a int not null) { delete j where j.id == a; }
		`
	const (
		lock  = "lock from j where j.g == a for update; "
		sum   = "(n) := select agg sum(j.st) int from j where j.g == a; emit n; update g set v = 1 where g.id == 1;"
		comes = "txn add(a int not null, k int not null) { insert j (id, g, st) values (a, k, 0); }"
		moves = "txn move(a int not null, k int not null) { update j set g = k where j.id == a; }"
		group = "txn add(k int not null, a int not null) { local v int; local f bool; (v) := select g.v from g where g.id == k for update found f; if not f { abort; } insert j (id, g, st) values (a, k, 0); }"
		both  = "(v) := select g.v from g where g.id == a for update found f; if not f { abort; } "
	)
	for _, tc := range []struct {
		name, body, more string
		want             bool
	}{
		{"all rows that are read are locked", lock + sum, "", true},
		{"a share of the lock", "lock from j where j.g == a for share; " + sum, "", true},
		{"a lock that lets rows change", "lock from j where j.g == a for key share; " + sum, "", false},
		{"some of the rows that are locked", lock + "(n) := select agg sum(j.st) int from j where j.g == a and j.st > 0; emit n; update g set v = 1 where g.id == 1;", "", true},
		{"more rows than are locked", "lock from j where j.g == a and j.st > 0 for update; " + sum, "", false},
		{"other rows than are locked", "lock from j where j.g == a + 1 for update; " + sum, "", false},
		{"locked after they are read", "(n) := select agg sum(j.st) int from j where j.g == a; emit n; " + lock + "update g set v = 1 where g.id == 1;", "", false},
		{"locked on one path", "if a > 3 { " + lock + "} " + sum, "", false},
		{"locked on both paths", "if a > 3 { " + lock + "} else { " + lock + "} " + sum, "", true},
		{"rows that come", lock + sum, comes, false},
		{"rows that come to match", lock + sum, moves, false},
		{"rows that come under a lock", both + lock + sum, group, true},
		{"rows that come under a lock, which is taken later", lock + both + sum, group, false},
		{"rows of a list, which may come", "lock from j where j.id == a or j.id == 7 for update; (n) := select agg sum(j.st) int from j where j.id == 7; emit n; (n) := select agg sum(j.st) int from j where j.id == a; emit n;", comes, false},
		{"rows of a list", "lock from j where j.id == a or j.id == 7 for update; (n) := select agg sum(j.st) int from j where j.id == 7; emit n; (n) := select agg sum(j.st) int from j where j.id == a; emit n;", "", true},
		{"rows that all are written", "update j set st = 0 where j.g == a; " + sum, "", true},
		{"rows of which another one is written", "update j set st = 0 where j.g == a and j.id > 3; " + sum, "", false},
		{"one of the locked rows", lock + "(n) := select j.st from j where j.id == 3 and j.g == a found f; if not f { abort; } emit n; update g set v = 1 where g.id == 1;", "", true},
		{"two lists", "lock from j where j.g == a or j.g == 7 for update; " + sum, "", true},
		{"a list that is not locked", "lock from j where j.g == a for update; (n) := select agg sum(j.st) int from j where j.g == a or j.g == 7; emit n; update g set v = 1 where g.id == 1;", "", false},
	} {
		p := testprog.Parse(t, tables+tc.more+"\ntxn x(a int not null) {\n local n int;\n local v int;\n local f bool;\n"+tc.body+"\n}")
		wellformed.Structure(p)
		s := readcommitted.Settle(p, func(*ir.Txn) bool { return true })[p.Txn("x")]
		if is := s.Standing == readcommitted.Atomic; is != tc.want {
			t.Errorf("%s: %d (%s), want atomic: %v", tc.name, s.Standing, s.Reason, tc.want)
		}
	}
}

// TestSettle: what is settled, case by case, each fault with its mend.
func TestSettle(t *testing.T) {
	const tables = `program p
		table t ( id int not null, v int not null, w int not null, key (id) )
		table u ( id int not null, v int not null, key (id) )
		table c ( id int not null, t int, key (id), foreign fk (t) references t (id) )
		table n ( id int not null, v int not null, key (id) )
		table m ( id int not null, u int not null, key (id), foreign fk (u) references u (id) )
		txn number(a int not null) { local b bool; insert n (id, v) values (a, 0); if a > 3 { dropped advisory lock 'x' * number (1); } else { dropped advisory lock 'x' * number (1); } }
		txn refer(a int not null, b int not null) { insert m (id, u) values (a, b); (b) := select u.id from u where u.id == b for update; }
		txn grow(a int not null) { insert t (id, v, w) values (a, 0, 0); }
		txn shrink(a int not null) { delete t where t.id == a; }
		txn change(a int not null) { update t set v = t.v + 1 where t.id == a; update u set v = u.v + 1 where u.id == a; }
		`
	for _, tc := range []struct {
		name, body string
		want       readcommitted.Standing
	}{
		{"a row is locked, or nothing is committed", "(x) := select t.v from t where t.id == a for update found f; if not f { abort; } update t set v = x + 1 where t.id == a;", readcommitted.Atomic},
		{"a row is locked, or else comes meanwhile", "(x) := select t.v from t where t.id == a for update found f; update t set v = x + 1 where t.id == a;", readcommitted.Unsettled},
		{"the same where no row comes", "(x) := select u.v from u where u.id == a for update found f; update u set v = x + 1 where u.id == a;", readcommitted.Atomic},
		{"the row is read without a lock", "(x) := select u.v from u where u.id == a found f; if not f { abort; } update u set v = x + 1 where u.id == a;", readcommitted.Unsettled},
		{"the lock lets the row change", "(x) := select u.v from u where u.id == a for key share found f; if not f { abort; } update u set v = x + 1 where u.id == a;", readcommitted.Unsettled},
		{"the lock is on another row by now", "(x) := select u.v from u where u.id == y for update found f; if not f { abort; } (y) := select u.v from u where u.id == y; emit y; update u set v = 0 where u.id == a;", readcommitted.Atomic},
		{"the key is another one by now", "(y) := select t.v from t where t.id == y for update found f; if not f { abort; } (x) := select t.w + t.v from t where t.id == y; emit x; update t set v = 0 where t.id == a;", readcommitted.Unsettled},
		{"the flag is another one by now", "(x) := select t.v from t where t.id == a for update found f; f := true; if not f { abort; } update t set v = x where t.id == a;", readcommitted.Unsettled},
		{"the flag goes through another local", "(x) := select t.v from t where t.id == a for update found f; g := f; if not g { abort; } update t set v = x where t.id == a;", readcommitted.Atomic},
		{"one branch goes on", "(x) := select t.v from t where t.id == a for update found f; if x is null { if a > 3 { abort; } } update t set v = 0 where t.id == 1;", readcommitted.Unsettled},
		{"one statement by a condition that changes", "update t set v = 0 where t.id == a and t.v > 3;", readcommitted.Atomic},
		{"one statement by what others change", "update u set v = 0 where u.v > 3;", readcommitted.Unsettled},
		{"all rows, of which none comes", "update u set v = u.v + 1;", readcommitted.Atomic},
		{"all rows, of which some come", "update t set v = t.v + 1;", readcommitted.Unsettled},
		{"a row by what stays, and not held where that is not so", "update u set v = 1 where u.id == a; (x) := select u.v from u where u.id == a; emit x;", readcommitted.Atomic},
		{"a subquery", "update u set v = 1 where u.id == a and exists (from t where t.v > 0);", readcommitted.Unsettled},
		{"one look, and a new row", "(x) := select agg sum(t.v) int from t; insert c (id) values (x);", readcommitted.OneLook},
		{"one look, and a row with a parent that may be new", "(x) := select agg sum(t.v) int from t; insert c (id, t) values (x, a);", readcommitted.Unsettled},
		{"two looks", "(x) := select agg sum(t.v) int from t; (y) := select agg sum(t.v) int from t; emit x, y;", readcommitted.Unsettled},
		{"a look in a loop", "while a > 0 { (x) := select agg sum(t.v) int from t; emit x; }", readcommitted.Unsettled},
		{"rows with a parent", "insert c (id, t) values (a, a);", readcommitted.Atomic},
		{"what is in the way, and goes before an insertion", "insert t (id, v, w) values (a, 0, 0) on conflict (id) do nothing done f; emit f; if f { abort; } insert t (id, v, w) values (a, 1, 1);", readcommitted.Unsettled},
		{"what is in the way of an insertion, and one that follows only if nothing was", "insert t (id, v, w) values (a, 0, 0) on conflict (id) do nothing done f; if not f { abort; } insert t (id, v, w) values (a, 1, 1);", readcommitted.Atomic},
		{"a row that is missing, and then inserted", "(x) := select t.v from t where t.id == a found f; if f { abort; } insert t (id, v, w) values (a, 1, 1);", readcommitted.Atomic},
		{"a lock in a loop", "while a > 0 { (x) := select t.v from t where t.id == a for update found f; if not f { abort; } }", readcommitted.Atomic},
		{"a lock in a loop that may miss", "while a > 0 { (x) := select t.v from t where t.id == a for update found f; }", readcommitted.Unsettled},
		{"a way out of a loop", "while a > 0 { (x) := select t.v from t where t.id == a for update found f; if not f { break; } } update u set v = 0;", readcommitted.Unsettled},
		{"a number is locked in one branch alone", "if a > 0 { dropped advisory lock 'x' * number (1); } (x) := select agg count(*) int from n where n.v == 0; update u set v = x where u.id == a;", readcommitted.Unsettled},
		{"a number is locked on every path", "if a > 0 { dropped advisory lock 'x' * number (1); } else { dropped advisory lock 'x' * number (1); } (x) := select agg count(*) int from n where n.v == 0; update u set v = x where u.id == a;", readcommitted.Atomic},
		{"another number is locked", "dropped advisory lock 'x' * number (2); (x) := select agg count(*) int from n where n.v == 0; update u set v = x where u.id == a;", readcommitted.Unsettled},
		{"a number is locked, and shared", "dropped advisory lock 'x' * number (1) shared; (x) := select agg count(*) int from n where n.v == 0; emit x; (x) := select agg count(*) int from n where n.v == 1; emit x;", readcommitted.Atomic},
		{"the row that stands for others is locked by another name", "y := a; (x) := select u.v from u where u.id == y for update found f; if not f { abort; } (x) := select agg count(*) int from m where m.u == a; emit x; update u set v = x where u.id == a;", readcommitted.Atomic},
		{"the row that stands for others is another one", "y := a + 1; (x) := select u.v from u where u.id == y for update found f; if not f { abort; } (x) := select agg count(*) int from m where m.u == a; emit x; update u set v = x where u.id == a;", readcommitted.Unsettled},
		{"more is done where the row is there", "(x) := select t.v from t where t.id == a for update found f; if f { update u set v = x where u.id == a; }", readcommitted.Atomic},
		{"more is done where it is not there", "(x) := select t.v from t where t.id == a for update found f; if f { update u set v = x where u.id == a; } else { update u set v = 0 where u.id == a; }", readcommitted.Unsettled},
		{"more is done in both cases", "(x) := select t.v from t where t.id == a for update found f; if f { update t set v = 0 where t.id == a; } update u set v = 0 where u.id == a;", readcommitted.Unsettled},
		{"more was done before", "update u set v = 0 where u.id == a; (x) := select t.v from t where t.id == a for update found f; if f { update t set v = 0 where t.id == a; }", readcommitted.Unsettled},
		{"one of two rows is looked for in each branch", "if a > 0 { (x) := select t.v from t where t.id == a for update found f; } else { (x) := select t.v from t where t.id == 7 for update found f; }", readcommitted.Atomic},
		{"two rows are looked for where the first is not there", "(x) := select t.v from t where t.id == a for update found f; if not f { (x) := select t.v from t where t.id == 7 for update found f; }", readcommitted.Unsettled},
		{"a row that is held is read where another one is not there", "(x) := select t.v from t where t.id == a for update found f; lock from u where u.id == a for update; (y) := select u.v from u where u.id == a; if f { update t set v = y where t.id == a; } else { emit y; }", readcommitted.Unsettled},
		{"a subquery of a wider table", "update u set v = (if exists (from t where t.id == a and t.w > 0) then 1 else 0) where u.id == a;", readcommitted.Unsettled},
		{"nothing is committed in a savepoint", "savepoint s; update u set v = 1; rollback to s;", readcommitted.Unsettled},
	} {
		p := testprog.Parse(t, tables+"txn x(a int not null) {\n local x int;\n local y int;\n local f bool;\n local g bool;\n"+tc.body+"\n}")
		wellformed.Structure(p)
		if got := readcommitted.Settle(p, func(*ir.Txn) bool { return true })[p.Txn("x")]; got.Standing != tc.want {
			t.Errorf("%s: %d (%s), want %d", tc.name, got.Standing, got.Reason, tc.want)
		}
	}
}
