package verify

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// demands are what a level demands of a witness.
type demands struct {
	sessions, exclusive, serial, realTime, recent bool
}

var levels = map[isolation.Level]demands{
	isolation.PC:       {sessions: true},
	isolation.SI:       {sessions: true, exclusive: true},
	isolation.SER:      {sessions: true, serial: true},
	isolation.PLSI:     {exclusive: true},
	isolation.PL3:      {serial: true},
	isolation.GSI:      {realTime: true, exclusive: true},
	isolation.SSSI:     {sessions: true, realTime: true, exclusive: true},
	isolation.StrongSI: {sessions: true, realTime: true, exclusive: true, recent: true},
	isolation.SSER:     {sessions: true, realTime: true, serial: true},
}

// Levels are those whose witnesses can be verified.
func Levels() []isolation.Level {
	var out []isolation.Level
	for l := range levels {
		out = append(out, l)
	}
	slices.Sort(out)
	return out
}

// Witness makes sure that a history satisfies a level with a commit order and the
// snapshots of its transactions: snapshots[i] is how many of order came before order[i]
// began. The error says what does not fit.
func Witness(h *history.History, l isolation.Level, order []history.Txn, snapshots []int32) error {
	d, ok := levels[l]
	if !ok {
		return fmt.Errorf("%s has no snapshots", l)
	}
	if len(snapshots) != len(order) {
		return fmt.Errorf("there are %d snapshots for %d transactions", len(snapshots), len(order))
	}
	if err := complete(h, order); err != nil {
		return err
	}
	if err := d.realTimes(h, order, snapshots); err != nil {
		return err
	}
	e := newExecution(h)
	begins := beginsAt(snapshots)
	for i, t := range order {
		for _, j := range begins[i] {
			if err := e.read(order[j]); err != nil {
				return err
			}
		}
		if err := d.allow(e, t, i, int(snapshots[i])); err != nil {
			return err
		}
		e.write(t, i)
	}
	return nil
}

// beginsAt sorts the transactions by their snapshots. None may see itself or later ones.
func beginsAt(snapshots []int32) [][]int32 {
	out := make([][]int32, len(snapshots))
	for i, s := range snapshots {
		out[s] = append(out[s], int32(i))
	}
	return out
}

// complete makes sure of the transactions in the order.
func complete(h *history.History, order []history.Txn) error {
	in := make([]bool, h.NumTxns())
	for _, t := range order {
		switch {
		case t <= history.InitialTxn || int(t) >= h.NumTxns():
			return fmt.Errorf("transaction %d does not belong into the order", t)
		case in[t]:
			return fmt.Errorf("transaction %d is twice in the order", t)
		case h.Status(t) == history.Aborted:
			return fmt.Errorf("transaction %d was aborted", t)
		}
		in[t] = true
	}
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		if h.Status(t) == history.Committed && !in[t] {
			return fmt.Errorf("transaction %d is not in the order", t)
		}
	}
	return nil
}

// realTimes makes sure of the order against the stamps, and that snapshots are
// within it.
func (d demands) realTimes(h *history.History, order []history.Txn, snapshots []int32) error {
	// ends[i] is the earliest end of those from i on.
	ends := make([]int64, len(order)+1)
	ends[len(order)] = history.NoEnd
	for i := len(order) - 1; i >= 0; i-- {
		t := order[i]
		switch {
		case snapshots[i] < 0 || int(snapshots[i]) > i:
			return fmt.Errorf("transaction %d commits as number %d and has %d in its snapshot", t, i, snapshots[i])
		case d.realTime && ends[i+1] < h.Begin(t):
			return fmt.Errorf("transaction %d is before another one that had ended before it began", t)
		}
		ends[i] = min(ends[i+1], h.End(t))
	}
	for i, t := range order {
		if d.recent && ends[snapshots[i]] < h.Begin(t) {
			return fmt.Errorf("the snapshot of transaction %d does not have all that had ended before it began", t)
		}
	}
	return nil
}

// allow makes sure of the snapshot of a transaction that commits as number i.
func (d demands) allow(e *execution, t history.Txn, i, snapshot int) error {
	h := e.h
	if d.serial && snapshot != i {
		return fmt.Errorf("transaction %d does not see all that is before it", t)
	}
	if d.sessions {
		s := h.SessionOf(t)
		if last := e.last[s]; last >= 0 && (h.Position(t) < e.position[s] || last >= snapshot) {
			return fmt.Errorf("transaction %d does not see the one before it in its session", t)
		}
	}
	for o, end := h.Ops(t); d.exclusive && o < end; o++ {
		if h.Kind(o).Writes() && e.written[h.Key(o)] >= snapshot {
			return fmt.Errorf("transaction %d and one that it does not see write %s", t, h.KeyName(h.Key(o)))
		}
	}
	return nil
}
