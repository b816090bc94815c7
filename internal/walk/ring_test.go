package walk

import (
	"testing"

	"github.com/txrobust/robust/ir"
)

// TestRing: walks have one ring exactly when they go round through the same transactions in one direction.
func TestRing(t *testing.T) {
	a, b, c := &ir.Txn{Name: "a"}, &ir.Txn{Name: "b"}, &ir.Txn{Name: "c"}
	of := func(delayed *ir.Txn, helpers ...*ir.Txn) string {
		w := &Walk{Delayed: delayed}
		for _, h := range helpers {
			w.Helpers = append(w.Helpers, Helper{Txn: h})
		}
		return w.Ring()
	}
	for _, x := range []struct {
		one, other string
		same       bool
	}{
		{of(a, b, c), of(b, c, a), true},
		{of(a, b, c), of(c, a, b), true},
		{of(a, b, c), of(a, c, b), false},
		{of(a, b, a, c), of(a, c, a, b), true},
		{of(a, a, b, c), of(a, b, a, c), false},
		{of(a, b), of(a, b, b), false},
		{of(a), of(b), false},
	} {
		if (x.one == x.other) != x.same {
			t.Errorf("%s and %s: same ring: %t, want %t", x.one, x.other, x.one == x.other, x.same)
		}
	}
}
