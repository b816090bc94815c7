package witness

import (
	"errors"
	"fmt"
)

// Confirm replays a witness on fresh interpreters and compares it with every
// serial order. An error says that the witness does not stand: a statement has
// another value, a transaction does not commit, or a serial order has the same
// outcome (for classic witnesses: the dependencies have no cycle).
func Confirm(e Evidence, w *Witness) error {
	b, err := newBuilder(&e)
	if err != nil {
		return err
	}
	again := b.schedule()
	if len(again) != len(w.Schedule) {
		return errors.New("witness: not confirmed: the replay has other events")
	}
	for i, m := range again {
		if ev := m.Event; ev != w.Schedule[i] {
			return fmt.Errorf("witness: not confirmed: event %d is %q by %s in the replay, not %q by %s",
				i+1, ev.Text, ev.Transaction, w.Schedule[i].Text, w.Schedule[i].Transaction)
		}
	}
	e.Execution = b.x
	if !e.serializable(b.m) {
		return nil
	}
	if e.Classic {
		return errors.New("witness: not confirmed: the dependencies have no cycle")
	}
	return errors.New("witness: not confirmed: a serial order has the same outcome")
}
