package movers

import (
	"slices"
	"testing"

	"github.com/txrobust/robust/internal/testprog"
)

// TestTouch: which templates affect which, by what they touch.
func TestTouch(t *testing.T) {
	p := testprog.Parse(t, `program touch
var x = 0, y = 0
table t (k int not null, a int not null, b int not null, key (k))
table c (id int not null, o int, key (id), foreign f (o) references t (k))
txn read_a(k int) { (r) := select s.a from t s where s.k == k }
txn read_ab(k int) { (r) := select s.a from t s where s.k == k and s.b == 0 }
txn lock_a(k int) { (r) := select s.a from t s where s.k == k for update }
txn set_a(k int) { update t set a = 1 where t.k == k }
txn set_b(k int) { update t set b = 1 where t.k == k }
txn add(k int) { insert t (k, a, b) values (k, 0, 0) }
txn drop(k int) { delete t where t.k == k }
txn child(id int, k int) { insert c (id, o) values (id, k) }
txn read_c(id int) { (r) := select s.o from c s where s.id == id }
txn any_c(k int) { if exists (from c s where s.o == k) { y := 1 } }
txn read_x { r := x }
txn set_x { x := 1 }`)
	list := nodes(p, false)
	footprints(p, list, Options{})
	near := newNeighbours(list)
	affecting := map[string][]string{
		"read_a":  {"set_a", "add", "drop"},
		"read_ab": {"set_a", "set_b", "add", "drop"},
		"lock_a":  {"set_a", "set_b", "add", "drop"},
		"set_a":   {"set_a", "set_b", "add", "drop", "child"}, // changing a parent looks for children
		"child":   {"set_a", "set_b", "add", "drop", "child"},
		"drop":    {"set_a", "set_b", "add", "drop", "child"},
		"read_c":  {"child"},
		"any_c":   {"child", "any_c"},
		"read_x":  {"set_x"},
		"set_x":   {"set_x"},
	}
	for i, n := range list {
		want, ok := affecting[n.txn.Name]
		if !ok {
			continue
		}
		var got []string
		for _, k := range near.affecting[i] {
			got = append(got, list[k].txn.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is affected by %v, want %v", n.txn.Name, got, want)
		}
		for _, k := range near.affecting[i] {
			if !slices.Contains(near.meeting[k], i) || !slices.Contains(near.meeting[i], k) {
				t.Errorf("%s and %s do not meet", n.txn.Name, list[k].txn.Name)
			}
		}
	}
	footprints(p, list, Options{SessionOrder: true})
	if near := newNeighbours(list); len(near.affecting[0]) != len(list) {
		t.Error("sessions relate transactions that touch nothing in common")
	}
}
