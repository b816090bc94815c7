package readcommitted_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir"
)

// randomCommands draws a transaction. kinds are those that the program has for each table.
func randomCommands(r *rand.Rand, kinds [2][]string) []command {
	var out []command
	tab, id, last := r.Intn(2), r.Intn(2), r.Intn(5) == 0
	for range 1 + r.Intn(4) {
		if r.Intn(2) == 0 { // else it goes on with the same row
			tab, id, last = r.Intn(2), r.Intn(2), r.Intn(5) == 0
		}
		c := command{kind: kinds[tab][r.Intn(len(kinds[tab]))], tab: tab, id: id, by: 1 + r.Intn(2), must: r.Intn(2) == 0, guard: r.Intn(5) == 0}
		switch c.kind {
		case "read", "lock", "share", "take", "nothing":
		default:
			c.must = false
		}
		switch c.kind {
		case "read", "lock", "share", "set", "add", "marked", "take", "delete":
			c.last = last
		}
		if c.kind == "lock" && r.Intn(2) == 0 { // as most programs do
			c.guard, c.must = false, r.Intn(4) > 0
			out = append(out, c)
			c = command{kind: "set", tab: tab, id: c.id, by: c.by, last: c.last}
		}
		if c.kind == "delete" && !c.last && slices.Contains(kinds[tab], "insert") && r.Intn(2) == 0 {
			out = append(out, c)
			c.kind = "insert"
		}
		out = append(out, c)
	}
	return out
}

// randomKinds draws what a program does with its tables: one with everything says little.
func randomKinds(r *rand.Rand) (out [2][]string) {
	all := []string{"read", "lock", "share", "count", "set", "add", "marked", "take", "all", "insert", "upsert", "nothing", "delete"}
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
		fmt.Fprintf(&text, "txn x%d() {\n  local a int;\n  local n int;\n  local f bool;\n", i)
		for _, c := range list {
			text.WriteString("  " + c.text() + "\n")
		}
		text.WriteString("}\n")
	}
	p := testprog.Parse(t, text.String())
	wellformed.Structure(p)
	for _, x := range p.Txns {
		ir.Walk(x.Body, func(s ir.Stmt) {
			for _, list := range append(ir.Children(s), nil) {
				together(list)
			}
		})
		together(x.Body)
	}
	return p, text.String()
}

// together makes a count and the UPDATE after it, of the rows that are counted, one command.
func together(list []ir.Stmt) {
	for i, s := range list {
		if x, ok := s.(*ir.Select); ok && len(x.Aggs) > 0 && x.Into[0] == "n" {
			ir.Number(list[i+1], s.Command())
		}
	}
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
func could(w *world, i int, list []command, standing readcommitted.Standing) bool {
	s := w.sessions[i]
	before := w.states[len(w.states)-2]
	did := func(start rows, lenient bool) bool {
		o, _ := alone(list, start, lenient)
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
		kinds := randomKinds(r)
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
					if !could(w, i, txns[which[i]], readcommitted.Atomic) && !could(w, i, txns[which[i]], readcommitted.OneLook) {
						wrong++
					}
				case !could(w, i, txns[which[i]], standing):
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
