package crosscheck

import (
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/c4"
	"github.com/txrobust/robust/internal/checker/elle"
	"github.com/txrobust/robust/internal/checker/polysi"
	"github.com/txrobust/robust/internal/checker/verify"
	"github.com/txrobust/robust/internal/checker/viper"
	"github.com/txrobust/robust/isolation"
)

// Judge is a checker of recorded histories.
type Judge struct {
	Name string
	// Forms are the histories that it is asked about, Levels the levels.
	Forms  []Form
	Levels []isolation.Level
	// Check judges a history of at most MaxTxns transactions (0: of any number) at
	// one level.
	Check   func(ctx context.Context, h *history.History, l isolation.Level) (Opinion, error)
	MaxTxns int
	// Explains says that a rejection is one only with the transactions that show it.
	Explains bool
}

// Opinion is what a checker says.
type Opinion struct {
	checker.Answer
	// Anomalies are those that it explains.
	Anomalies []Anomaly
}

// Anomaly is what a checker found.
type Anomaly struct {
	Kind isolation.Anomaly
	// Txns are those of a cycle in its order, or the one whose reads are wrong.
	Txns []history.Txn
}

var registers = []Form{Registers, Constraints}

// Judges are all checkers, each by itself: none knows what another one says. What
// they share with the analysis that found a witness is nothing but the history.
func Judges() []Judge {
	return []Judge{
		{Name: "polysi", Forms: registers, Levels: polysi.Levels(), Check: func(ctx context.Context, h *history.History, l isolation.Level) (Opinion, error) {
			return opinion(polysi.Check(ctx, h, polysi.Options{Levels: []isolation.Level{l}, Workers: 1}))
		}},
		{Name: "viper", Forms: registers, Levels: viper.Levels(), Check: func(ctx context.Context, h *history.History, l isolation.Level) (Opinion, error) {
			return opinion(viper.Check(ctx, h, viper.Options{Levels: []isolation.Level{l}}))
		}},
		{Name: "c4", Forms: registers, Levels: c4.Levels(), Check: func(ctx context.Context, h *history.History, l isolation.Level) (Opinion, error) {
			return opinion(c4.Check(ctx, h, c4.Options{Levels: []isolation.Level{l}}))
		}},
		{Name: "brute", Forms: Forms(), Levels: brute.Levels(), MaxTxns: bruteTxns, Check: func(ctx context.Context, h *history.History, l isolation.Level) (Opinion, error) {
			return opinion(brute.Check(ctx, h, brute.Options{Levels: []isolation.Level{l}}))
		}},
		{Name: "elle", Forms: []Form{Lists}, Levels: isolation.Levels(), Check: askElle, Explains: true},
	}
}

// bruteTxns are the most transactions of which all orders are tried: with more it
// takes seconds.
const bruteTxns = 8

// opinion is that of a checker which was asked about one level.
func opinion(r *checker.Result, err error) (Opinion, error) {
	if err != nil {
		return Opinion{}, err
	}
	out := Opinion{Answer: r.Answers[0]}
	for _, v := range r.Violations {
		a := Anomaly{Kind: v.Anomaly}
		for _, e := range v.Cycle {
			a.Txns = append(a.Txns, e.From)
		}
		out.Anomalies = append(out.Anomalies, a)
	}
	return out, nil
}

func askElle(ctx context.Context, h *history.History, l isolation.Level) (Opinion, error) {
	r, err := elle.Check(ctx, h, elle.Options{Levels: []isolation.Level{l}})
	if err != nil {
		return Opinion{}, err
	}
	out := Opinion{Answer: r.Answers[0]}
	for _, a := range r.Anomalies {
		out.Anomalies = append(out.Anomalies, Anomaly{Kind: a.Form, Txns: a.Txns})
	}
	return out, nil
}

// ask asks a judge about a history. A witness of Satisfied with snapshots is
// executed before it counts.
func (j *Judge) ask(ctx context.Context, h *history.History, l isolation.Level) (Opinion, error) {
	if n := h.NumTxns() - 1; j.MaxTxns > 0 && n > j.MaxTxns {
		return Opinion{Answer: checker.Answer{Level: l, Why: fmt.Sprintf("the history has %d transactions, and %d are the most of which all orders are tried", n, j.MaxTxns)}}, nil
	}
	o, err := j.Check(ctx, h, l)
	if err != nil {
		return o, err
	}
	if o.Verdict == checker.Satisfied && o.Snapshots != nil {
		if err := verify.Witness(h, l, o.Order, o.Snapshots); err != nil {
			return o, fmt.Errorf("the order of transactions that it gives does not fit: %w", err)
		}
	}
	return o, nil
}

func (j *Judge) judges(f Form, l isolation.Level) bool {
	return slices.Contains(j.Forms, f) && slices.Contains(j.Levels, l)
}
