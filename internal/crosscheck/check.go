package crosscheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/isolation"
)

// Judgement is what one checker says of the history of a witness.
type Judgement struct {
	Checker string `json:"checker"`
	// History is the form of the history that it was shown.
	History Form   `json:"history"`
	Level   string `json:"level"`
	// Expected and Verdict are accept or reject; the latter may be unknown, which
	// contradicts nothing.
	Expected string `json:"expected"`
	Verdict  string `json:"verdict"`
	// Anomaly is the name of what it found, and Transactions the labels of the
	// cycle: the one of the witness if it found that, too.
	Anomaly      string   `json:"anomaly,omitempty"`
	Transactions []string `json:"transactions,omitempty"`
	// Why says why the verdict is unknown, or wrong by itself.
	Why string `json:"why,omitempty"`
	// MS is how many milliseconds it took.
	MS float64 `json:"ms"`
	// fault says that what the checker gave is wrong by itself.
	fault bool
}

// Agrees reports whether the judgement contradicts nothing.
func (j *Judgement) Agrees() bool {
	return !j.fault && (j.Verdict == j.Expected || j.Verdict == isolation.Unknown.String())
}

// String is the judgement in words.
func (j *Judgement) String() string {
	s := fmt.Sprintf("%s: %s %s (%s)", j.Checker, j.Verdict, j.Level, j.History)
	if j.Anomaly != "" {
		s += ", " + j.Anomaly
	}
	if len(j.Transactions) > 0 {
		s += " of " + strings.Join(j.Transactions, ", ")
	}
	if j.Why != "" {
		s += ": " + j.Why
	}
	if !j.Agrees() {
		s += " — expected: " + j.Expected
	}
	return s
}

// Expectation is what the history of a witness has to be.
type Expectation struct {
	History Form
	Level   isolation.Level
	Verdict isolation.Verdict
}

// Expectations are those of the history of a trace: it is one of the level that it
// ran at, and of what that implies, and no serial order explains it.
func (t *Trace) Expectations() []Expectation {
	out := []Expectation{{Registers, isolation.SI, isolation.Accept}, {Registers, isolation.CC, isolation.Accept}}
	switch t.Isolation {
	case "si":
	case "rc", witness.InnoDB:
		out = []Expectation{{Registers, isolation.RC, isolation.Accept}}
	default:
		panic("crosscheck: unknown level " + t.Isolation)
	}
	if !t.Classic { // else perhaps only the order of versions shows it
		f := Registers
		if t.late() {
			f = Constraints
		}
		out = append(out, Expectation{f, isolation.SER, isolation.Reject})
	}
	return append(out, Expectation{Lists, isolation.SER, isolation.Reject})
}

// timeLimit is for all judges of one witness, which take milliseconds.
const timeLimit = 30 * time.Second

// Check shows the history of a witness, of which t is the trace, to judges, and
// compares what they say with what is expected. The error is a *Disagreement.
func Check(ctx context.Context, w *witness.Witness, t *Trace, judges []Judge) ([]Judgement, error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	out := []Judgement{}
	var cycle []string
	for _, e := range w.Cycle {
		cycle = append(cycle, e.From)
	}
	slices.Sort(cycle)
	histories := map[Form]*history.History{}
	for _, e := range t.Expectations() {
		h := histories[e.History]
		if h == nil {
			var err error
			if h, err = t.History(e.History); err != nil {
				return out, fmt.Errorf("crosscheck: the trace is no history: %w", err)
			}
			histories[e.History] = h
		}
		for i := range judges {
			j := &judges[i]
			if !j.judges(e.History, e.Level) {
				continue
			}
			start := time.Now()
			o, err := j.ask(ctx, h, e.Level)
			judged := judgement(j, e, o, err)
			judged.MS = float64(time.Since(start).Microseconds()) / 1000
			judged.name(t, h, o, cycle)
			if j.Explains && judged.Verdict == isolation.Reject.String() && len(judged.Transactions) == 0 {
				judged.Why, judged.fault = "it does not say what shows that", true
			}
			out = append(out, judged)
		}
	}
	if slices.ContainsFunc(out, func(j Judgement) bool { return !j.Agrees() }) {
		return out, &Disagreement{Witness: w, Trace: t, Judgements: out}
	}
	return out, nil
}

// judgement compares what a judge said with what is expected.
func judgement(j *Judge, e Expectation, o Opinion, err error) Judgement {
	out := Judgement{Checker: j.Name, History: e.History, Level: e.Level.String(), Expected: e.Verdict.String(), Why: o.Why}
	v := isolation.Unknown
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		out.Why = "the time ran out"
	case err != nil:
		out.Why, out.fault = err.Error(), true
	default:
		switch o.Verdict {
		case checker.Satisfied:
			v = isolation.Accept
		case checker.Violated:
			v = isolation.Reject
		case checker.Unknown:
		default:
			panic(fmt.Sprintf("crosscheck: unknown verdict %d", o.Verdict))
		}
	}
	if out.Verdict = v.String(); v != isolation.Unknown && !out.fault {
		out.Why = ""
	}
	return out
}

// name adds the anomaly that the judge found: the one of the cycle of the witness,
// whose labels are sorted, or else the first.
func (j *Judgement) name(t *Trace, h *history.History, o Opinion, cycle []string) {
	for i, a := range o.Anomalies {
		labels := t.cycle(h, a.Txns)
		same := len(labels) > 0 && slices.Equal(slices.Sorted(slices.Values(labels)), cycle)
		if i == 0 || same {
			j.Anomaly, j.Transactions = a.Kind.String(), labels
		}
		if same {
			return
		}
	}
}

// cycle gives the labels of transactions. The one that reads the rows at the end
// has none.
func (t *Trace) cycle(h *history.History, txns []history.Txn) []string {
	var out []string
	for _, x := range txns {
		n, _ := h.Number(x)
		for i := range t.Txns {
			if int64(t.Txns[i].Number) == n {
				out = append(out, t.Txns[i].Label)
			}
		}
	}
	return out
}

// Disagreement is the error that a judge contradicts what is expected of the
// history of a witness, or that it has none: a fault of this program, in what found the
// witness or in the judge.
type Disagreement struct {
	Witness *witness.Witness
	// Trace is nil where there is no history, for the reason Why.
	Trace      *Trace
	Why        error
	Judgements []Judgement
}

func (d *Disagreement) Error() string {
	if d.Trace == nil {
		return "an execution that was found has no history, which is a fault of this program: " + d.Why.Error()
	}
	var parts []string
	for i := range d.Judgements {
		if j := &d.Judgements[i]; !j.Agrees() {
			parts = append(parts, j.String())
		}
	}
	return "the checkers of histories disagree with an execution that was found, which is a fault of this program: " + strings.Join(parts, "; ")
}
