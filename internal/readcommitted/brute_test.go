package readcommitted_test

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
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

// anomalous reports whether the others, running one after the other at some cut of a from a state, give an
// outcome of no serial order.
func anomalous(a []op, others [][]op, init state) bool {
	outcomes := map[string]bool{}
	all := append([][]op{a}, others...)
	reads := make([]string, len(all))
	var serial func(done int, now state)
	serial = func(done int, now state) {
		if done == 1<<len(all)-1 {
			outcomes[fmt.Sprint(reads, now)] = true
			return
		}
		for i, ops := range all {
			if done&(1<<i) != 0 {
				continue
			}
			if x := run(ops, now); !x.failed {
				reads[i] = x.reads
				serial(done|1<<i, now.over(x))
			}
		}
	}
	serial(0, init)
	for cut := 1; cut <= len(a); cut++ {
		x := run(a[:cut], init)
		now, stops := init, x.failed
		for i, ops := range others {
			y := run(ops, now)
			stops = stops || y.failed || x.holds(y)
			now, reads[1+i] = now.over(y), y.reads
		}
		if stops {
			continue
		}
		for _, o := range a[cut:] {
			x.step(o, now)
		}
		if reads[0] = x.reads; !x.failed && !outcomes[fmt.Sprint(reads, now.over(x))] {
			return true
		}
	}
	return false
}

// holds reports whether another transaction would wait for a row that this one has written or locked.
func (r *result) holds(y *result) bool {
	for _, m := range []map[int]bool{r.touched(), r.locked} {
		for id := range m {
			if _, wrote := y.wrote[id]; m[id] && (wrote || y.locked[id]) {
				return true
			}
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

func randomOps(r *rand.Rand, least int) []op {
	var out []op
	for range least + r.Intn(3) {
		kinds := []string{"read", "read", "lock", "count", "set", "set", "add", "insert", "delete"}
		out = append(out, op{kinds[r.Intn(len(kinds))], r.Intn(4) / 3, r.Intn(2), r.Intn(4) == 0})
	}
	return out
}

// TestBrute compares the search with an execution of all small states by other
// code, for all chains of three transactions: what that finds anomalous is found, and what is found is anomalous.
func TestBrute(t *testing.T) {
	r := onServer.Source(t)
	found, longer, only, none := 0, 0, 0, 0
	for range 5 * onServer.Runs() {
		ops := [][]op{randomOps(r, 2), randomOps(r, 1), randomOps(r, 1)}
		var text strings.Builder
		text.WriteString("program random\ntable t ( id int not null, v int not null, key (id) )\n")
		for i, ops := range ops {
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
		var got [][]int
		for _, x := range res.Anomalies {
			init := state{}
			for _, row := range x.Rows[0] {
				init[int(row[0].I)] = int(row[1].I)
			}
			var others []int
			for _, c := range x.Calls[:len(x.Calls)-1] {
				others = append(others, slices.Index(p.Txns, c.Txn))
			}
			got = append(got, others)
			if len(others) > 1 {
				only++
			}
			if !anomalous(ops[0], chosen(ops, others), init) {
				t.Errorf("no anomaly of t0 interrupted by %v from %v, as was found\n%s", others, init, text.String())
			}
		}
		for _, others := range chains() {
			has := slices.ContainsFunc(got, func(g []int) bool { return within(g, others) })
			switch {
			case has && len(others) == 1:
				found++
			case has:
				longer++
			case possible(ops, others):
				t.Errorf("the anomaly of t0 interrupted by %v was not found\n%s", others, text.String())
			default:
				none++
			}
		}
	}
	t.Logf("%d pairs with an anomaly, %d longer chains (%d without one of two in them), %d without", found, longer, only, none)
	if found == 0 || only == 0 || none == 0 {
		t.Error("the test says little")
	}
}

// chains are all lists of up to MaxHelpers of three templates, short ones first.
func chains() [][]int {
	out, last := [][]int{}, [][]int{nil}
	for range readcommitted.MaxHelpers {
		var next [][]int
		for _, l := range last {
			for i := range 3 {
				next = append(next, append(slices.Clone(l), i))
			}
		}
		out, last = append(out, next...), next
	}
	return out
}

// within reports whether the first list with t0 is part of the second one with t0, in any order.
func within(part, whole []int) bool {
	rest := slices.Clone(whole)
	for _, x := range part {
		i := slices.Index(rest, x)
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return true
}

func chosen(ops [][]op, list []int) [][]op {
	var out [][]op
	for _, i := range list {
		out = append(out, ops[i])
	}
	return out
}

// possible reports whether there is an anomaly from a small state. The search draws states on which each of two comes to its end by
// itself.
func possible(ops [][]op, others []int) bool {
	for x := range 16 {
		init := state{}
		for id, v := range []int{x % 4, x / 4} {
			if v < 3 {
				init[id] = v
			}
		}
		ends := !run(ops[0], init).failed && !run(ops[others[0]], init).failed
		if ends && anomalous(ops[0], chosen(ops, others), init) {
			return true
		}
	}
	return false
}
