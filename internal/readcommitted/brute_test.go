package readcommitted_test

import (
	"fmt"
	"maps"
	"math/rand"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir"
)

// op is a command of a tiny language over a table t (id, v), which is executed here
// by other code than the interpreter's.
type op struct {
	kind   string // read, lock, count, set, add, insert, delete
	id, by int
	guard  bool // only if the last value read is positive
}

func (o op) text() string {
	s := map[string]string{
		"read":   fmt.Sprintf("(a) := select t.v from t where t.id == %d;", o.id),
		"lock":   fmt.Sprintf("(a) := select t.v from t where t.id == %d for update;", o.id),
		"count":  "(a) := select agg count(*) int from t;",
		"set":    fmt.Sprintf("update t set v = a + %d where t.id == %d;", o.by, o.id),
		"add":    fmt.Sprintf("update t set v = t.v + %d where t.id == %d;", o.by, o.id),
		"insert": fmt.Sprintf("insert t (id, v) values (%d, %d);", o.id, o.by),
		"delete": fmt.Sprintf("delete t where t.id == %d;", o.id),
	}[o.kind]
	if o.kind == "read" || o.kind == "lock" || o.kind == "count" {
		s += " emit a;"
	}
	if o.guard {
		return "if a > 0 { " + s + " }"
	}
	return s
}

// state is the rows by id, result what a transaction left: what it read, last and in
// all, and the rows that it wrote (nil: deleted) or locked. failed says that it has
// no outcome.
type state map[int]int

type result struct {
	last   *int
	reads  string
	wrote  map[int]*int
	locked map[int]bool
	failed bool
}

// over gives the state with what a transaction wrote.
func (s state) over(r *result) state {
	out := maps.Clone(s)
	for id, v := range r.wrote {
		if delete(out, id); v != nil {
			out[id] = *v
		}
	}
	return out
}

// step runs a command on the committed rows, which have those of the transaction
// itself over them.
func (r *result) step(o op, committed state) {
	if r.failed || o.guard && (r.last == nil || *r.last <= 0) {
		return
	}
	rows := committed.over(r)
	v, there := rows[o.id]
	put := func(v int) { r.wrote[o.id] = &v }
	switch o.kind {
	case "read", "lock":
		if r.last = nil; there {
			r.last = &v
			r.locked[o.id] = r.locked[o.id] || o.kind == "lock"
		}
		r.observe()
	case "count":
		n := len(rows)
		r.last = &n
		r.observe()
	case "set":
		if r.failed = there && r.last == nil; there && !r.failed {
			put(*r.last + o.by)
		}
	case "add":
		if there {
			put(v + o.by)
		}
	case "insert":
		if r.failed = there; !there {
			put(o.by)
		}
	case "delete":
		if there {
			r.wrote[o.id] = nil
		}
	}
}

func run(ops []op, committed state) *result {
	r := &result{wrote: map[int]*int{}, locked: map[int]bool{}}
	for _, o := range ops {
		r.step(o, committed)
	}
	return r
}

// observe returns what was read last to the client.
func (r *result) observe() {
	if r.last == nil {
		r.reads += "null "
		return
	}
	r.reads += fmt.Sprint(*r.last, " ")
}

// anomalous reports whether b, running at some cut of a from a state, gives an
// outcome of no serial order.
func anomalous(a, b []op, init state) bool {
	outcomes := map[string]bool{}
	serial := func(first, second []op, swapped bool) {
		x := run(first, init)
		mid := init.over(x)
		y := run(second, mid)
		if x.failed || y.failed {
			return
		}
		if end := mid.over(y); swapped {
			outcomes[y.reads+"; "+x.reads+fmt.Sprint(end)] = true
		} else {
			outcomes[x.reads+"; "+y.reads+fmt.Sprint(end)] = true
		}
	}
	serial(a, b, false)
	serial(b, a, true)
	for cut := 1; cut <= len(a); cut++ {
		x := run(a[:cut], init)
		y := run(b, init)
		waits := false
		for _, m := range []map[int]bool{x.touched(), x.locked} {
			for id := range m {
				_, wrote := y.wrote[id]
				waits = waits || m[id] && (wrote || y.locked[id])
			}
		}
		if x.failed || y.failed || waits {
			continue
		}
		now := init.over(y)
		for _, o := range a[cut:] {
			x.step(o, now)
		}
		if !x.failed && !outcomes[x.reads+"; "+y.reads+fmt.Sprint(now.over(x))] {
			return true
		}
	}
	return false
}

// touched are the rows that a transaction wrote.
func (r *result) touched() map[int]bool {
	out := map[int]bool{}
	for id := range r.wrote {
		out[id] = true
	}
	return out
}

func randomOps(r *rand.Rand) []op {
	var out []op
	for range 2 + r.Intn(3) {
		kinds := []string{"read", "read", "lock", "count", "set", "set", "add", "insert", "delete"}
		out = append(out, op{kinds[r.Intn(len(kinds))], r.Intn(4) / 3, r.Intn(2), r.Intn(4) == 0})
	}
	return out
}

// TestBrute compares the search with an execution of all small states by other
// code: what that finds anomalous is found, and what is found is anomalous.
func TestBrute(t *testing.T) {
	r := onServer.Source(t)
	found, none := 0, 0
	for range 5 * onServer.Runs() {
		a, b := randomOps(r), randomOps(r)
		var text strings.Builder
		text.WriteString("program random\ntable t ( id int not null, v int not null, key (id) )\n")
		for i, ops := range [][]op{a, b} {
			fmt.Fprintf(&text, "txn t%d() {\n  local a int;\n", i)
			for _, o := range ops {
				text.WriteString("  " + o.text() + "\n")
			}
			text.WriteString("}\n")
		}
		p := testprog.Parse(t, text.String())
		wellformed.Structure(p)
		res, err := readcommitted.Search(t.Context(), readcommitted.Query{Program: p, Engine: engine.Postgres(), AnyOrder: true,
			Interrupts: func(x *ir.Txn) bool { return x == p.Txns[0] }})
		if err != nil {
			t.Fatal(err)
		}
		got := map[*ir.Txn]bool{}
		ops := map[*ir.Txn][]op{p.Txns[0]: a, p.Txns[1]: b}
		for _, x := range res.Anomalies {
			init := state{}
			for _, row := range x.Rows[0] {
				init[int(row[0].I)] = int(row[1].I)
			}
			other := x.Calls[0].Txn
			got[other] = true
			if !anomalous(a, ops[other], init) {
				t.Errorf("no anomaly of t0 interrupted by %s from %v, as was found\n%s", other.Name, init, text.String())
			}
		}
		for other, ops := range ops {
			want := false
			for x := range 16 {
				init := state{}
				for id, v := range []int{x % 4, x / 4} {
					if v < 3 {
						init[id] = v
					}
				}
				// The search draws states on which each comes to its end by itself.
				ends := !run(a, init).failed && !run(ops, init).failed
				want = want || ends && anomalous(a, ops, init)
			}
			switch {
			case want && !got[other]:
				t.Errorf("the anomaly of t0 interrupted by %s was not found\n%s", other.Name, text.String())
			case got[other]:
				found++
			default:
				none++
			}
		}
	}
	t.Logf("%d pairs with an anomaly, %d without", found, none)
	if found == 0 || none == 0 {
		t.Error("the test says little")
	}
}
