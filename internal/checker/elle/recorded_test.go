package elle

import (
	"fmt"
	"testing"

	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/isolation"
)

// TestRecordedLevels compares with the verdicts of other checkers on all recorded
// histories: nothing that they accept is violated, and nothing that they reject
// is satisfied.
func TestRecordedLevels(t *testing.T) {
	compared, agreed := 0, 0
	for _, rec := range historytest.Recordings(t) {
		if rec.Polygraph || len(rec.Levels) == 0 || testing.Short() && compared > 1000 {
			continue
		}
		h := rec.Read(t)
		r, err := Check(t.Context(), h, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for l, want := range rec.Levels {
			got := r.Verdict(l)
			compared++
			switch got {
			case checker.Unknown:
			case want:
				agreed++
			default:
				t.Errorf("%s: %s is %s (%s), the manifest says %s", rec.Path, l, got, r.Answer(l).Why, want)
			}
		}
	}
	t.Logf("%d verdicts compared, %d the same, the others unknown", compared, agreed)
	if compared < 1000 || agreed < compared/2 {
		t.Errorf("%d verdicts compared, %d the same", compared, agreed)
	}
}

// TestRecorded has what is found in histories of the sample, and in the recorded
// histories of Elle, elle-cli, Jepsen and Knossos, of which the manifest speaks in words: levels with their
// verdicts, and anomalies that must be there. Where a history is INVALID for
// another reason than isolation, docs/checkers.md says why the verdict is another
// one here.
func TestRecorded(t *testing.T) {
	sat, vio, unk := checker.Satisfied, checker.Violated, checker.Unknown
	for _, c := range []struct {
		path   string
		levels map[isolation.Level]checker.Verdict
		shows  []isolation.Anomaly
	}{
		{"handwritten/set.edn", verdictsOf(isolation.SSER, sat), nil},
		{"handwritten/set-lost.edn", verdictsOf(isolation.PL3, sat, isolation.RC, unk), nil},
		{"handwritten/counter.edn", verdictsOf(isolation.SSER, sat), nil},
		{"handwritten/cas.edn", verdictsOf(isolation.SSER, sat), nil},
		{"handwritten/cas-twice.log", verdictsOf(isolation.PL2Plus, vio, isolation.RC, sat), []isolation.Anomaly{anomalies.LostUpdate}},
		{"handwritten/mutex-held-twice.edn", verdictsOf(isolation.SSER, vio), nil},
		{"handwritten/stale-read.edn", verdictsOf(isolation.SER, sat, isolation.StrongSI, vio), []isolation.Anomaly{anomalies.GSingleRealtime}},
		{"handwritten/read-of-the-future.edn", verdictsOf(isolation.SER, sat, isolation.GSI, vio), []isolation.Anomaly{anomalies.G1cRealtime}},
		{"handwritten/write-skew.json", verdictsOf(isolation.StrongSI, sat, isolation.PL3, vio), []isolation.Anomaly{anomalies.G2Item}},
		{"handwritten/lost-update.edn", verdictsOf(isolation.PL2Plus, vio, isolation.RC, sat), []isolation.Anomaly{anomalies.LostUpdate}},
		{"list-patterns/edn/a-thin-air-read.edn", verdictsOf(isolation.CC, vio), []isolation.Anomaly{anomalies.ThinAirRead}},
		{"list-patterns/edn/b-G1a.edn", verdictsOf(isolation.CC, vio), []isolation.Anomaly{anomalies.G1a}},
		{"list-patterns/edn/c-future-read.edn", verdictsOf(isolation.CC, vio), []isolation.Anomaly{anomalies.FutureRead}},
		{"list-patterns/edn/d-not-my-own-write.edn", verdictsOf(isolation.CC, vio), []isolation.Anomaly{anomalies.NotMyOwnWrite}},
		{"list-patterns/edn/e-not-my-last-write.edn", verdictsOf(isolation.CC, vio), []isolation.Anomaly{anomalies.NotMyOwnWrite}},
		{"list-patterns/edn/f-G1b.edn", verdictsOf(isolation.CC, vio), []isolation.Anomaly{anomalies.G1b}},
		{"list-patterns/edn/g-cyclic-co.edn", verdictsOf(isolation.CC, vio), []isolation.Anomaly{anomalies.G1cProcess}},
		{"list-patterns/edn/h-non-monotonic-read-co.edn", verdictsOf(isolation.CC, vio), []isolation.Anomaly{anomalies.NonMonoReadCO}},
		{"list-patterns/edn/i-non-monotonic-read-ao.edn", verdictsOf(isolation.CC, vio), []isolation.Anomaly{anomalies.NonMonoReadCO}},
		{"list-patterns/edn/j-non-repeatable-read.edn", verdictsOf(isolation.CC, vio), []isolation.Anomaly{anomalies.NonRepeatableRead}},
		{"list-patterns/edn/k-fractured-read-co.edn", verdictsOf(isolation.CC, vio), []isolation.Anomaly{anomalies.FracturedReadAO}},
		{"list-patterns/edn/l-fractured-read-ao.edn", verdictsOf(isolation.CC, vio), []isolation.Anomaly{anomalies.FracturedReadAO}},
		{"list-patterns/edn/m-co-conflict-ao.edn", verdictsOf(isolation.CC, vio), []isolation.Anomaly{anomalies.COConflictAO}},
		{"list-patterns/edn/n-conflict-ao.edn", verdictsOf(isolation.CC, vio), []isolation.Anomaly{anomalies.COConflictAO}},
		{"postgresql/read-committed/lost-update.edn", verdictsOf(isolation.PLSI, vio), []isolation.Anomaly{anomalies.LostUpdate}},
		{"postgresql/repeatable-read/write-skew.rbh", verdictsOf(isolation.PL3, vio), []isolation.Anomaly{anomalies.G2Item}},
		{"mariadb/repeatable-read/lost-update.edn", verdictsOf(isolation.PLSI, vio), []isolation.Anomaly{anomalies.LostUpdate}},
		{"weak/elle/histories/huge-scc.edn", verdictsOf(isolation.SER, sat, isolation.SSSI, sat, isolation.StrongSI, vio, isolation.SSER, vio),
			[]isolation.Anomaly{anomalies.GSingleRealtime, anomalies.G2ItemRealtime}},
		{"weak/elle/histories/paper-example.edn", verdictsOf(isolation.SSER, vio, isolation.PL2Plus, vio, isolation.RC, sat), []isolation.Anomaly{anomalies.GSingleItem}},
		{"weak/elle/histories/si-without-g-single.edn", verdictsOf(isolation.SI, sat, isolation.PLSI, sat, isolation.PL299, vio), []isolation.Anomaly{anomalies.G2Item}},
		{"weak/elle-cli/histories/elle/paper-example.json", verdictsOf(isolation.SER, vio, isolation.PL2Plus, vio), []isolation.Anomaly{anomalies.GSingleItem}},
		{"strong/Viper-elle/elle/paper-example.json", verdictsOf(isolation.SER, vio, isolation.PLSI, vio), []isolation.Anomaly{anomalies.GSingleItem}},
		{"strong/Viper-elle/elle/list-append-gh-30.edn", verdictsOf(isolation.StrongSI, sat, isolation.PL3, vio), []isolation.Anomaly{anomalies.G2Item}},
		{"strong/Viper-elle/elle/rw-register.edn", verdictsOf(isolation.PL2, vio), []isolation.Anomaly{anomalies.ThinAirRead}},
		{"weak/C4/reproduce/viper/history3-4-1-2-aborted-read/history.edn", verdictsOf(isolation.PL2, vio, isolation.RC, vio), []isolation.Anomaly{anomalies.G1a, anomalies.IncompatibleOrder}},
		{"weak/C4/reproduce/viper/history5-4-7-read-ur-future-writes/history.edn", verdictsOf(isolation.PL2, vio, isolation.RC, vio),
			[]isolation.Anomaly{anomalies.FutureRead, anomalies.G1a, anomalies.G1c, anomalies.DuplicateElements, anomalies.DirtyUpdate}},
		{"weak/C4/testcase/elle/tap-a.edn", verdictsOf(isolation.RC, vio), []isolation.Anomaly{anomalies.ThinAirRead}},
		{"weak/C4/testcase/elle/tap-b.edn", verdictsOf(isolation.RC, vio), []isolation.Anomaly{anomalies.G1a}},
		{"weak/C4/testcase/elle/tap-c.edn", verdictsOf(isolation.RC, vio), []isolation.Anomaly{anomalies.FutureRead}},
		{"weak/C4/testcase/elle/tap-d.edn", verdictsOf(isolation.RC, vio), []isolation.Anomaly{anomalies.NotMyOwnWrite}},
		{"weak/C4/testcase/elle/tap-e.edn", verdictsOf(isolation.RC, vio), []isolation.Anomaly{anomalies.NotMyOwnWrite}},
		{"weak/C4/testcase/elle/tap-f.edn", verdictsOf(isolation.RC, vio), []isolation.Anomaly{anomalies.G1b}},
		{"weak/C4/testcase/elle/tap-g.edn", verdictsOf(isolation.RC, vio, isolation.PL3, sat), []isolation.Anomaly{anomalies.G1cProcess}},
		{"weak/C4/testcase/elle/tap-h.edn", verdictsOf(isolation.RC, vio), []isolation.Anomaly{anomalies.NonMonoReadCO}},
		{"weak/C4/testcase/elle/tap-i.edn", verdictsOf(isolation.RC, vio), []isolation.Anomaly{anomalies.NonMonoReadCO, anomalies.G0}},
		{"weak/C4/testcase/elle/tap-j.edn", verdictsOf(isolation.RC, vio), []isolation.Anomaly{anomalies.NotMyOwnWrite}},
		{"weak/C4/testcase/elle/tap-k.edn", verdictsOf(isolation.RC, sat, isolation.RA, vio), []isolation.Anomaly{anomalies.FracturedReadAO}},
		{"weak/C4/testcase/elle/tap-l.edn", verdictsOf(isolation.RA, vio), []isolation.Anomaly{anomalies.FracturedReadAO, anomalies.G0}},
		{"weak/C4/testcase/elle/tap-m.edn", verdictsOf(isolation.RA, sat, isolation.CC, vio), []isolation.Anomaly{anomalies.COConflictAO}},
		{"weak/C4/testcase/elle/tap-n.edn", verdictsOf(isolation.RC, vio), []isolation.Anomaly{anomalies.IncompatibleOrder}},
		{"weak/elle-cli/histories/custom/comments.edn", verdictsOf(isolation.PL2, vio), []isolation.Anomaly{anomalies.ThinAirRead, anomalies.GSingleRealtime}},
		{"weak/elle-cli/histories/jepsen/bank-neg.edn", verdictsOf(isolation.SSER, sat), nil},
		{"weak/elle-cli/histories/jepsen/bank-negative-balances.json", verdictsOf(isolation.PL2, vio), []isolation.Anomaly{anomalies.ThinAirRead}},
		{"weak/elle-cli/histories/jepsen/bank-tidb.edn", verdictsOf(isolation.PL2Plus, vio, isolation.PL2, unk), []isolation.Anomaly{anomalies.ReadSkew}},
		{"weak/elle-cli/histories/jepsen/counter.json", verdictsOf(isolation.SSER, sat), nil},
		{"weak/elle-cli/histories/jepsen/set.edn", verdictsOf(isolation.SSER, sat), nil},
		{"strong/Viper-elle/jepsen/bank.edn", verdictsOf(isolation.SSER, sat), nil},
		{"strong/Viper-elle/jepsen/bank.json", verdictsOf(isolation.SSER, sat), nil},
		{"strong/Viper-elle/jepsen/counter.edn", verdictsOf(isolation.SSER, sat), nil},
		{"strong/Viper-elle/jepsen/counter.json", verdictsOf(isolation.SSER, sat), nil},
		{"strong/Viper-elle/knossos/cas-register/good/memstress3-9.edn", verdictsOf(isolation.SSER, sat), nil},
		{"strong/Viper-elle/knossos/cas-register/good/memstress3-9.json", verdictsOf(isolation.SSER, sat), nil},
		{"strong/Viper-elle/knossos/cas-register/bad/bad-analysis.edn", verdictsOf(isolation.SSER, vio), []isolation.Anomaly{anomalies.ThinAirRead}},
		{"weak/elle-cli/histories/knossos/cas-register/bad/rethink-fail-minimal.edn", verdictsOf(isolation.SSER, vio), []isolation.Anomaly{anomalies.ThinAirRead}},
		// One register, and values that are written again and again: whether
		// that is linearizable is not a question of version orders.
		{"strong/Viper-elle/knossos/cas-register/bad/mongodb-v0-ack-rollback-6.edn", verdictsOf(isolation.SSER, unk), nil},
		{"strong/Viper-elle/knossos/cas-register/bad/rethink-fail-smaller.edn", verdictsOf(isolation.SSER, unk), nil},
		{"strong/Viper-elle/knossos/cas-register/bad/rethink-fail.edn", verdictsOf(isolation.SSER, unk), nil},
		{"strong/Viper-elle/knossos/mutex/bad/etcd.edn", verdictsOf(isolation.SSER, unk), nil},
		{"strong/Viper-elle/knossos/mutex/bad/etcd.json", verdictsOf(isolation.SSER, unk), nil},
		{"weak/elle-cli/histories/knossos/cas-register/bad/cas-failure.edn", verdictsOf(isolation.SSER, unk), nil},
		{"weak/elle-cli/histories/knossos/cas-register/bad/rethink-fail.edn", verdictsOf(isolation.SSER, unk), nil},
		{"weak/elle-cli/histories/knossos/mutex/bad/etcd.edn", verdictsOf(isolation.SSER, unk), nil},
		{"weak/elle-cli/histories/knossos/mutex/bad/etcd.json", verdictsOf(isolation.SSER, unk), nil},
	} {
		t.Run(c.path, func(t *testing.T) {
			h := historytest.Named(t, c.path).Read(t)
			r, err := Check(t.Context(), h, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for l, want := range c.levels {
				if got := r.Verdict(l); got != want {
					t.Errorf("%s is %s (%s), want %s", l, got, r.Answer(l).Why, want)
				}
			}
			for _, a := range c.shows {
				if r.Counts[a] == 0 {
					t.Errorf("no %s, only %v", a, fmt.Sprint(r.Counts))
				}
			}
		})
	}
}

// verdictsOf pairs levels with verdicts.
func verdictsOf(pairs ...any) map[isolation.Level]checker.Verdict {
	out := map[isolation.Level]checker.Verdict{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(isolation.Level)] = pairs[i+1].(checker.Verdict)
	}
	return out
}
