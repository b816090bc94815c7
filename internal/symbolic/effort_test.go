package symbolic

import (
	"context"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/testprog"
)

// TestWithin: what takes too many steps, or too long, ends, and no question about
// what was made is answered then, even where its terms contradict each other.
func TestWithin(t *testing.T) {
	body := ""
	for range checkEvery {
		body += "y := 1 - y;\n"
	}
	p := testprog.Parse(t, "program p\nvar x = 0\ntxn t { local y int\n"+body+" }")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		max  int
		want string
	}{
		{"without bound", t.Context(), 0, ""},
		{"within the bound", t.Context(), checkEvery, ""},
		{"beyond it", t.Context(), checkEvery - 1, TooLarge},
		{"the context has ended", ended, 0, context.Canceled.Error()},
	} {
		w := NewWorld(prepare.Of(p), smt.NewBuilder(), engine.Postgres())
		made := false
		stopped := w.Within(c.ctx, c.max, func() {
			w.NewInstance(p.Txns[0], "t").Run(w.Base("s"))
			made = true
		})
		if stopped != c.want || made != (c.want == "") {
			t.Errorf("%s: %q, to the end: %v; want %q", c.name, stopped, made, c.want)
		}
		ans := w.Ask(t.Context(), smt.NewSolver(), w.B.False())
		if (ans.Result == smt.Unsat) != (c.want == "") || ans.Reason != c.want {
			t.Errorf("%s: asked, %v %q", c.name, ans.Result, ans.Reason)
		}
	}
}

// TestWithinPanics: faults are not taken for the end of an effort.
func TestWithinPanics(t *testing.T) {
	w := NewWorld(prepare.Of(testprog.Parse(t, "program p\nvar x = 0\ntxn t { x := 1 }")), smt.NewBuilder(), engine.Postgres())
	defer func() {
		if r := recover(); r != "a fault" {
			t.Errorf("recovered %v", r)
		}
	}()
	w.Within(t.Context(), 1, func() { panic("a fault") })
	t.Error("the fault was lost")
}
