package elle

import (
	"testing"

	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/isolation"
)

// TestBlindWrites has registers that are written without being read, in an order
// that only the reads of others allow; and the same with reads that no order allows.
func TestBlindWrites(t *testing.T) {
	for _, c := range []struct {
		name, text string
		serial     checker.Verdict
	}{
		// Session 0 writes 1 and later 2; between them session 1 writes 3, which
		// session 2 reads together with what only the first transaction wrote.
		{"one order", "w(1,1,0,0) w(2,1,0,0) w(1,2,0,1) w(1,3,1,2) r(1,3,2,3) r(2,1,2,3) r(1,2,2,4) r(1,2,3,5)", checker.Satisfied},
		{"readers of both", "w(1,1,0,0) w(1,2,1,1) r(1,1,2,2) r(1,2,3,3)", checker.Satisfied},
		{"its own version", "r(1,0,0,0) w(1,1,0,0) w(1,2,1,1) r(1,1,2,2) r(1,2,2,3)", checker.Satisfied},
		{"two orders", "w(1,1,0,0) w(1,2,1,1) r(1,1,2,2) r(1,2,2,3) r(1,2,3,4) r(1,1,3,5)", checker.Unknown},
	} {
		r, err := Check(t.Context(), historytest.Parse(t, c.text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Verdict(isolation.SER); got != c.serial {
			t.Errorf("%s: SER is %s, want %s (%s)", c.name, got, c.serial, r.Answer(isolation.SER).Why)
		}
	}
}
