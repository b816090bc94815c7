package demo

import (
	"context"
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/weak"
	"github.com/txrobust/robust/internal/witness"
)

// stored is what the calls of a scene do in a distributed store.
type stored struct {
	name string // psi, pc or cc
	// witness is an execution that no serial order explains, or nil. confirmed are the checkers
	// of histories that decided.
	witness   *witness.Witness
	confirmed []string
	tried     int // executions
}

// stored goes through the executions of the calls in a model of distributed stores.
func (c *cast) stored(ctx context.Context, name string) (*stored, error) {
	model, _ := weak.Parse(name)
	if why := weak.Beyond(c.program); why != "" {
		return nil, ir.Errorf(c.calls[0].Txn.Pos, "the scene has no meaning in a store with %s: %s", model.Long(), why)
	}
	var sessions []interp.Session
	for _, in := range c.calls {
		sessions = append(sessions, interp.Session{in})
	}
	r := weak.Explore(ctx, c.program, model, sessions, interp.NewDB(c.program, c.rows), weak.Options{AnyOrder: true, MaxExecutions: maxExecutions})
	out := &stored{name: name, tried: r.Executions}
	switch r.Verdict {
	case interp.Undecided:
		return nil, fmt.Errorf("the executions at %s could not all be interpreted: %s", model.Long(), r.Reason)
	case interp.Serializable:
		return out, nil
	}
	found := &weak.Found{Rows: c.rows, Sessions: sessions, Execution: r.Anomaly}
	w, judged, err := found.Confirm(ctx, c.program, model, true, crosscheck.Judges())
	if err != nil {
		return nil, err
	}
	out.witness = w
	out.confirmed = deciding(judged)
	return out, nil
}

// tell shows the execution in a store.
func (s *stored) tell(t *teller) {
	t.heading("In a distributed store with " + levels.Model(s.name))
	w := s.witness
	t.ask("Do all executions of the same calls have the outcome of a serial order?", w == nil, "")
	if w == nil {
		t.para("", "", fmt.Sprintf("All %d executions of the calls have the outcome of a serial order.", s.tried))
		return
	}
	t.para("", "", fmt.Sprintf("The same calls have an execution that no serial order explains (%s). A transaction sees what its place of the store has heard of:", w.Kind))
	t.print("", "")
	var labels, who []string
	for i := range w.Transactions {
		labels, who = append(labels, w.Transactions[i].Label), append(who, call(&w.Transactions[i]))
	}
	l := newLanes(labels, width)
	t.heads(&l, who)
	for i, e := range eventSteps(w) {
		t.said(&l, i+1, e.label, e.text)
	}
	t.print("", "")
	for _, e := range w.Cycle {
		t.para("", "- ", e.Text)
	}
	t.print("", "")
	t.para("", "", fmt.Sprintf("No serial order does that: %d were compared. Confirmed by the checkers of histories %s.", w.Orders, strings.Join(s.confirmed, ", ")))
}
