package movers

import (
	"testing"

	"github.com/txrobust/robust/internal/testprog"
)

// TestNullVariable: a shared variable that becomes NULL is none that keeps its value.
// take is delayed: it read x before book, and its booking has room after cancel only.
func TestNullVariable(t *testing.T) {
	const program = `program p
var x = 0
table booking (id int, arrives int not null, leaves int not null, seen int, key (id),
	exclude twice (a, b) where a.arrives < b.leaves and b.arrives < a.leaves)
process p1 { txn take {
	r := x
	insert booking (id, arrives, leaves, seen) values (2, 2, 5, r)
} }
process p2 { txn book {
	local n int
	x := n + 0
	insert booking (id, arrives, leaves) values (1, 4, 7)
} }
process p3 { txn cancel {
	taken := exists (from booking b where b.id == 1)
	assume taken
	emit select n.v from x n
	delete booking b where b.id == 1
} }
`
	if v := attempts(t, testprog.Parse(t, program), modes[1], false); v == Robust {
		t.Error("it is proved robust, but take between book and cancel is an anomaly")
	}
}
