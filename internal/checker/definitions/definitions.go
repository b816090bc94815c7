// Package definitions compares what a checker says with the definitions of levels: a
// violation with package brute, which tries all orders, and a witness with package
// verify.
//
// The package is meant for tests only.
package definitions

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/verify"
	"github.com/txrobust/robust/isolation"
)

// Violates makes sure that a history violates by definition what a violation says: its
// level, and the levels that exclude its anomaly unless it is that of one choice, or it is not
// known what a key held initially. Checkers do
// not tell reads of predicates from those of items, and PL-2.99 is about items alone. The
// history is small enough for package brute.
func Violates(h *history.History, v checker.Violation) error {
	levels := []isolation.Level{v.Level}
	for _, l := range v.Anomaly.ExcludedBy() {
		if slices.Contains(brute.Levels(), l) && !v.OneChoice && !h.UnknownInitials() && (l != isolation.PL299 || !h.HasRanges()) {
			levels = append(levels, l)
		}
	}
	r, err := brute.Check(context.Background(), h, brute.Options{Levels: levels})
	if err != nil {
		return err
	}
	for _, a := range r.Answers {
		if a.Verdict != checker.Violated {
			return fmt.Errorf("a %s of %s, but %s is %s", v.Anomaly, v.Level, a.Level, a.Verdict)
		}
	}
	return nil
}

// Witnesses fails the test where a level is Satisfied, and the order and the snapshots
// that are given are no witness of it.
func Witnesses(t testing.TB, h *history.History, r *checker.Result) {
	t.Helper()
	for _, a := range r.Answers {
		if a.Verdict != checker.Satisfied {
			continue
		}
		if err := verify.Witness(h, a.Level, a.Order, a.Snapshots); err != nil {
			t.Errorf("the witness of %s: %v", a.Level, err)
		}
	}
}
