package polysi

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/isolation"
)

// checkViolations makes sure of the edges of all violations: that the operations are
// there that they speak of, that cycles are closed, and that reasons are of the forms
// that they may have.
func checkViolations(h *history.History, r *checker.Result) error {
	for _, v := range r.Violations {
		if len(v.Cycle) == 0 && v.Read < 0 && r.Answer(v.Level).Why == "" {
			return fmt.Errorf("a violation of %s says nothing", v.Level)
		}
		if err := checkPath(h, v.Cycle, true); err != nil {
			return fmt.Errorf("%s: %w", v.Anomaly, err)
		}
	}
	return nil
}

func checkPath(h *history.History, path []checker.Edge, closed bool) error {
	for i, e := range path {
		if next := path[(i+1)%len(path)]; e.To != next.From && (closed || i+1 < len(path)) {
			return fmt.Errorf("an edge ends at %d, and the next begins at %d", e.To, next.From)
		}
		if err := checkEdge(h, e, closed); err != nil {
			return err
		}
	}
	return nil
}

// checkEdge makes sure of an edge. One of a closed cycle must not be a supposition.
func checkEdge(h *history.History, e checker.Edge, closed bool) error {
	wrong := func(what string) error {
		return fmt.Errorf("%s %d to %d of key %d: %s", e.Dependency, e.From, e.To, e.Key, what)
	}
	switch e.Dependency {
	case isolation.SO:
		if e.From != history.InitialTxn && (h.SessionOf(e.From) != h.SessionOf(e.To) || e.From >= e.To) {
			return wrong("is no session order")
		}
		return nil
	case isolation.WR:
		if h.TxnOf(e.Read) != e.To || !wrote(h, e.From, e.Key) {
			return wrong("is no read from a writer")
		}
		return nil
	case isolation.RW:
		if h.TxnOf(e.Read) != e.From || !wrote(h, e.To, e.Key) {
			return wrong("is no read and no write")
		}
		if len(e.Because) == 0 {
			return nil
		}
		if b := e.Because[0]; len(e.Because) > 1 || b.Dependency != isolation.WW || b.To != e.To {
			return wrong("has a strange reason")
		}
		return checkEdge(h, e.Because[0], closed)
	case isolation.WW:
		if !wrote(h, e.From, e.Key) || !wrote(h, e.To, e.Key) {
			return wrong("is not of two writers")
		}
	default:
		return wrong("is of another kind")
	}
	if len(e.Because) == 0 {
		if closed {
			return wrong("is only supposed")
		}
		return nil
	}
	first, last := e.Because[0], e.Because[len(e.Because)-1]
	switch rest := e.Because[1:]; {
	case first.Dependency == isolation.WR && len(rest) > 0 && rest[len(rest)-1].To == first.To:
		if err := checkEdge(h, first, false); err != nil {
			return err
		}
		return checkPath(h, rest, false)
	case first.Dependency == isolation.WW && first.Read < 0 && len(first.Because) == 0 && len(rest) > 0:
		if first.To == rest[0].From {
			rest = e.Because
		}
		if last.To != rest[0].From {
			return wrong("the cycle of its reasons is open")
		}
		return checkPath(h, rest, false)
	}
	return checkPath(h, e.Because, false)
}

func wrote(h *history.History, t history.Txn, k history.Key) bool {
	for o, end := h.Ops(t); o < end; o++ {
		if h.Kind(o).Writes() && h.Key(o) == k {
			return true
		}
	}
	return false
}

// TestNames: the textbook anomalies get their names, and the weakest level that they
// violate.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		name, text string
		anomaly    isolation.Anomaly
		level      isolation.Level
	}{
		{"lost update", "r(1,0,0,0) w(1,1,0,0) r(1,0,1,1) w(1,2,1,1)", anomalies.LostUpdate, isolation.PLSI},
		{"long fork", "w(1,1,0,0) w(2,1,1,1) r(1,1,2,2) r(2,0,2,2) r(1,0,3,3) r(2,1,3,3)", anomalies.LongFork, isolation.PLSI},
		{"write skew", "r(1,0,0,0) r(2,0,0,0) w(1,1,0,0) r(1,0,1,1) r(2,0,1,1) w(2,1,1,1)", anomalies.WriteSkew, isolation.PL3},
		{"read-only anomaly", "r(1,0,0,0) r(2,0,0,0) w(2,20,1,1) r(1,0,2,2) r(2,20,2,2) w(1,11,0,0)", anomalies.ReadOnlyAnomaly, isolation.PL3},
		{"circular information flow", "w(1,1,0,0) r(2,1,0,0) w(2,1,1,1) r(1,1,1,1)", anomalies.G1c, isolation.PLSI},
		{"circular by sessions", "r(1,1,0,0) w(1,1,0,1)", anomalies.CyclicCO, isolation.SI},
		{"read skew", "w(1,1,0,0) w(2,1,0,0) r(1,0,1,1) r(2,1,1,1)", anomalies.ReadSkew, isolation.PLSI},
		{"causality", "w(1,1,0,0) r(1,1,1,1) w(2,1,1,1) r(2,1,2,2) r(1,0,2,2)", anomalies.COConflictAO, isolation.PLSI},
		{"causality of later versions", "w(1,1,0,0) r(1,1,0,1) w(1,2,0,1) w(2,1,0,2) r(2,1,1,3) r(1,1,1,4)", anomalies.COConflictAO, isolation.SI},
		{"own session missed", "w(1,1,0,0) r(1,0,0,1)", anomalies.COConflictAO, isolation.SI},
		{"non-repeatable read", "w(1,1,0,0) r(1,0,1,1) r(1,1,1,1)", anomalies.NonRepeatableRead, isolation.PLSI},
		{"aborted read", "w(1,1,0,-1) r(1,1,1,1)", anomalies.G1a, isolation.PLSI},
		{"intermediate read", "w(1,1,0,0) w(1,2,0,0) r(1,1,1,1)", anomalies.G1b, isolation.PLSI},
		{"thin air", "r(1,1,0,0)", anomalies.ThinAirRead, isolation.PLSI},
		{"own write missed", "w(1,1,0,0) w(1,2,1,1) r(1,1,1,1)", anomalies.NotMyOwnWrite, isolation.PLSI},
		{"own last write missed", "w(1,1,0,0) w(1,2,0,0) r(1,1,0,0)", anomalies.NotMyLastWrite, isolation.PLSI},
		{"own future", "r(1,1,0,0) w(1,1,0,0)", anomalies.FutureRead, isolation.PLSI},
	} {
		h := historytest.Parse(t, c.text)
		got, err := agree(h, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, v := range got.Violations {
			if v.Anomaly != c.anomaly || v.Level != c.level {
				t.Errorf("%s is %s and violates %s, want %s and %s\n%s", c.name, v.Anomaly, v.Level, c.anomaly, c.level, tell(h, got))
			}
		}
		if len(got.Violations) == 0 {
			t.Errorf("%s: no violation", c.name)
		}
	}
}

// TestWords has what is told of recorded violations of databases.
func TestWords(t *testing.T) {
	for path, want := range map[string]string{
		"handwritten/lost-update.txt": `T1 overwrites the version of 1 that T2 read.
If T2 had written 1 before T1 there would be a cycle (T2 –WW 1→ T1 –RW 1→ T2): so T1 wrote 1 before T2.`,
		"postgresql/read-committed/lost-update.edn": `S0.1 overwrites the version of 0 that S1.1 read.
If S1.1 had written 0 before S0.1 there would be a cycle (S1.1 –WW 0→ S0.1 –RW 0→ S1.1): so S0.1 wrote 0 before S1.1.`,
		// The lost update of Galera: figure 5 of PolySI.
		"strong/VeriStrong/table2/si/polysi/galera/galera.txt": `T3 overwrites the version of 0 that T8 read.
If T8 had written 0 before T3 there would be a cycle (T8 –WW 0→ T3 –RW 0→ T8): so T3 wrote 0 before T8.`,
		// The causality violation of YugabyteDB.
		"strong/VeriStrong/table2/si/polysi/yugabyte/history.bincode": `S1.6 comes before S1.7 (S1.6 –SO→ S1.7), and both write 1: so S1.6 wrote 1 before S1.7.
S1.7 overwrites the version of 1 that S1.9 read.
S1.7 comes before S1.9 in session 1.`,
	} {
		t.Run(path, func(t *testing.T) {
			h := historytest.Named(t, path).Read(t)
			r, err := Check(context.Background(), h, Options{Levels: []isolation.Level{isolation.SI}})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Violations) != 1 {
				t.Fatalf("%d violations", len(r.Violations))
			}
			if got := strings.Join(explain.Violation(h, r.Violations[0])[1:], "\n"); got != want {
				t.Errorf("%s\nwant:\n%s", got, want)
			}
		})
	}
}
