package symbolic

import (
	"testing"

	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/testprog"
)

// TestNullable finds the shared variables that may become NULL.
func TestNullable(t *testing.T) {
	for _, c := range []struct {
		body     string
		nullable bool
	}{
		{"r := y; x := r + 1", false},
		{"local r int; x := r + 0", true},
		{"local r int; if y == 0 { r := 1 } x := r", true},
		{"local r int; if y == 0 { r := 1 } else { r := y } x := r", false},
		{"local r int; r := 0; while r < 3 { r := r + 1 } x := r", false},
		{"local r int; i := y; while i < 3 { r := 1; i := i + 1 } x := r", true},
		{"local s int; r := 0; i := y; while i < 3 { x := r; r := s; i := i + 1 }", true},
		{"r := * null; x := r", true},
		{"r := *; x := r", false},
		{"local r int; y := r; x := y", true},
		{"update x set v = x.v + 1", false},
		{"local r int; update x set v = x.v + r", true},
	} {
		p := testprog.Parse(t, "program p\nvar x = 0, y = 0\ntxn t { "+c.body+" }")
		if got := prepare.Of(p).Nullable[p.Table("x")]; got != c.nullable {
			t.Errorf("%s: x may be NULL: %v", c.body, got)
		}
	}
}
