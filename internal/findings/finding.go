package findings

import (
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// onInnoDB is the class of executions of InnoDB without innodb_snapshot_isolation.
const onInnoDB report.Class = "innodb"

// distributed is the class of executions of models of distributed stores.
const distributed report.Class = "distributed"

// NewFinding describes a witness. read gives the statements for the fingerprint;
// with nil, these do not count for it.
func NewFinding(w *witness.Witness, opaque []string, read Sources) report.Finding {
	f := report.Finding{Class: report.SnapshotIsolation, Status: report.Confirmed, Kind: w.Kind, Cycle: []string{}, Edges: w.Cycle, Witness: w, Opaque: opaque, Repairs: []string{}, Validation: []crosscheck.Judgement{}}
	for _, e := range w.Cycle {
		f.Cycle = append(f.Cycle, e.FromName)
	}
	if len(w.Cycle) == 0 {
		for _, t := range w.Transactions {
			f.Cycle = append(f.Cycle, t.Name)
		}
	}
	if w.Plan != nil {
		f.Depends = w.Plan.Depends
	}
	switch w.Isolation {
	case levels.AtReadCommitted:
		f.Class, f.Repairs = report.ReadCommittedOnly, repairs(w)
	case levels.AtParallelSnapshot, levels.AtPrefix, levels.AtCausal:
		f.Class, f.Repairs = distributed, repairsInStore(w)
	case witness.InnoDB:
		f.Repairs = repairsOnInnoDB(w)
		if e := engine.ByName(w.Engine); e != nil && e.Weaker != "" {
			f.Class = onInnoDB
		}
	}
	f.Code, f.Fingerprint = codes.Of(f.Kind, f.Class == report.ReadCommittedOnly), fingerprint(&f, read)
	return f
}

// repairs are changes that remove an anomaly at READ COMMITTED.
func repairs(w *witness.Witness) []string {
	who := w.Transactions[0].Name // it is the one that is interrupted
	retry := "running " + who + " at REPEATABLE READ, with another attempt after SQLSTATE 40001"
	at := ""
	for _, e := range w.Cycle {
		if e.From == w.Transactions[0].Label && e.Type == "RW" {
			at = " at " + e.FromPosition.Short()
		}
	}
	lock := "FOR UPDATE in the SELECT" + at + " of " + who
	if other := w.Transactions[1].Name; other != who && len(w.Transactions) == 2 {
		lock += ", and in " + other + " where it reads before it writes"
	}
	switch w.Kind {
	case witness.LostUpdate:
		return []string{lock, "one UPDATE that computes the new value from the current one, in place of reading it" + at, retry}
	case witness.NonRepeatableRead:
		if !slices.ContainsFunc(w.Schedule, func(e witness.Event) bool { return e.Kind == witness.Write && e.Transaction == w.Transactions[0].Label }) {
			return []string{"one statement that reads all of it at once", retry}
		}
		return []string{lock, "one statement in place of two: the condition in the WHERE of the UPDATE", retry}
	case witness.PhantomRead, witness.ReadSkew:
		switch late, row := overwrites(w); {
		case late && row:
			return []string{lock, retry}
		case late:
			return []string{"a lock of one row that stands for the set (SELECT … FOR UPDATE), in both, before they read", retry}
		}
		return []string{"one statement that reads all of it at once", retry}
	case witness.WriteSkew:
		return []string{lock, "running both at SERIALIZABLE"}
	case witness.PhantomWriteSkew:
		return []string{"a lock of one row that stands for the set (SELECT … FOR UPDATE), in both, before they read", "running both at SERIALIZABLE"}
	case witness.ReadOnlyAnomaly, witness.LongCycle:
		return []string{"a lock of what " + who + " reads" + at + " (FOR SHARE), or of a row that stands for it, until it commits", "running all of them at SERIALIZABLE"}
	case witness.Other:
		return []string{"running both at SERIALIZABLE"}
	}
	panic("findings: no repair for " + string(w.Kind) + " at READ COMMITTED")
}

// overwrites reports whether the transaction that is interrupted writes where the cycle comes back to
// it, so that no single statement can read all that it depends on; and whether what it has read is a
// row that is there, which it can lock.
func overwrites(w *witness.Witness) (late, row bool) {
	a := w.Transactions[0].Label
	for _, e := range w.Cycle {
		row = row || e.From == a && e.Type == "RW" && len(e.Columns) > 0
		late = late || e.To == a && slices.ContainsFunc(w.Schedule, func(x witness.Event) bool {
			return x.Transaction == a && x.Kind == witness.Write && x.Position == e.ToPosition
		})
	}
	return late, row
}

// repairsInStore are changes that remove an anomaly in a distributed store.
func repairsInStore(w *witness.Witness) []string {
	var out []string
	switch {
	case w.Kind == witness.LongFork:
		out = append(out, "a store with snapshot isolation or prefix consistency: all see the writes in one order")
	case w.Kind == witness.LostUpdate:
		out = append(out, "a store with snapshot isolation or parallel snapshot isolation: of two that write a row, one sees the other")
	}
	if w.Isolation == levels.AtParallelSnapshot {
		out = append(out, "a write of one common row in all of these transactions, so that of any two one sees the other")
	}
	return append(out, "running these transactions one after the other at one place (SERIALIZABLE)")
}

// repairsOnInnoDB are changes that remove an anomaly on InnoDB.
func repairsOnInnoDB(w *witness.Witness) []string {
	who, at := w.Transactions[0].Name, "" // it is the one that is interrupted
	for _, e := range w.Cycle {
		if e.From == w.Transactions[0].Label && e.Type == "RW" {
			at = " at " + e.FromPosition.Short()
		}
	}
	lock := "FOR UPDATE in the SELECT" + at + " of " + who
	for _, t := range w.Transactions[1:] {
		if t.Name != who {
			lock += ", and in " + t.Name + " where it reads before it writes"
			break
		}
	}
	out := []string{lock}
	switch w.Kind {
	case witness.LostUpdate, witness.NonRepeatableRead:
		out = append(out, "one UPDATE that computes the new value from the current one, with what has to hold in its WHERE, in place of reading"+at)
	case witness.PhantomWriteSkew, witness.PhantomRead:
		out = append(out, "a constraint that states the rule (UNIQUE)")
	default: // the lock is the simplest
	}
	return append(out, "running all of them at SERIALIZABLE, with another attempt after error 1213")
}
