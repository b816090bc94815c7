// Package adya decides Adya's levels PL-2, PL-2L, PL-2+ and PL-2.99 of registers and
// ranges, by a search for orders of the versions.
//
// # Method
//
// A history satisfies one of these levels if the versions of each key can be ordered so
// that the direct serialization graph has no cycle that the level excludes. The graph
// begins with what is known: the initial versions come first, and a read follows the
// transaction that it reads from. Two transactions that write a key are ordered if a path of
// read and write dependencies leads from one to the other. For all others
// the search tries both orders.
//
// A read of one version whose transaction follows another writer of the key in a way that
// the level does not allow to miss makes that writer the earlier one. Such conclusions
// are drawn before each guess, so that most histories need few guesses.
//
// Reads of values that were written twice are guesses, too. A transaction of unknown
// outcome takes effect if a read comes from it.
//
// # Levels
//
//   - PL-2 excludes cycles of read and write dependencies (G1c).
//   - PL-2L also excludes G-monotonic: a transaction misses, with a read, a version of a
//     transaction on which it depended already by what it read or wrote before.
//   - PL-2+ also excludes G-single: a cycle with exactly one anti-dependency.
//   - PL-2.99 excludes G2-item: a cycle with an anti-dependency on an item. A range reads the
//     rows that it lists as items, and of the other keys the predicate.
//
// # Limits
//
// MaxTxns transactions, and a number of guesses: beyond them the verdict is Unknown. So it is
// where reads of lists, sets and counters count, or where it is not known what a register
// held initially.
//
// # Source
//
// Adya, "Weak Consistency: A Generalized Theory and Optimistic Implementations for
// Distributed Transactions" (PhD thesis, MIT, 1999), chapters 3 and 4.
package adya

import (
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/outcomes"
	"github.com/txrobust/robust/isolation"
)

const (
	// MaxTxns is how many transactions a history may have.
	MaxTxns = 100
	// defaultGuesses is how many guesses the search for one level makes.
	defaultGuesses = 50_000
)

// Options say what to check.
type Options struct {
	// Levels are those to decide, Levels() if empty.
	Levels []isolation.Level
	// Guesses bounds the search; 0 stands for a default.
	Guesses int
}

// Levels are those that this checker decides, weaker ones first.
func Levels() []isolation.Level {
	return []isolation.Level{isolation.PL2, isolation.PL2L, isolation.PL2Plus, isolation.PL299}
}

// Check decides levels. The error is that of the context.
func Check(ctx context.Context, h *history.History, o Options) (*checker.Result, error) {
	if len(o.Levels) == 0 {
		o.Levels = Levels()
	}
	if o.Guesses == 0 {
		o.Guesses = defaultGuesses
	}
	return outcomes.Check(ctx, h, o.Levels, func(ctx context.Context, h *history.History, levels []isolation.Level) (*checker.Result, error) {
		r := &checker.Result{Counts: map[isolation.Anomaly]int{}}
		f := collect(h)
		for _, l := range levels {
			a, err := f.decide(ctx, l, o.Guesses)
			if err != nil {
				return nil, err
			}
			r.Answers = append(r.Answers, a)
		}
		return r, nil
	})
}

// decide decides one level.
func (f *facts) decide(ctx context.Context, l isolation.Level, guesses int) (checker.Answer, error) {
	a := checker.Answer{Level: l}
	switch {
	case !slices.Contains(Levels(), l):
		a.Why = fmt.Sprintf("%s is not a level that this method decides.", l)
	case f.wrong:
		a.Verdict, a.Why = checker.Violated, "A read returned what no version of its key that it may come from holds."
	case f.unjudged != "":
		a.Why = f.unjudged
	default:
		s := &search{ctx: ctx, facts: f, level: l, left: guesses}
		switch g := s.try(f.start()); {
		case ctx.Err() != nil:
			return a, ctx.Err()
		case g != nil:
			a.Verdict, a.Order = checker.Satisfied, g.order()
		case s.left < 0:
			a.Why = fmt.Sprintf("No orders of the versions were found that fit, after %d guesses.", guesses)
		default:
			a.Verdict, a.Why = checker.Violated, "No orders of the versions fit."
		}
	}
	return a, nil
}
