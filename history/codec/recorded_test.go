package codec_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/historytest"
)

// TestRecorded reads every recorded history, and finds its format.
func TestRecorded(t *testing.T) {
	for _, r := range historytest.Recordings(t) {
		h, f, err := codec.Read(t.Context(), []string{r.File}, codec.Options{})
		if r.Polygraph {
			if err == nil || !strings.Contains(err.Error(), "polygraph") {
				t.Errorf("%s: error %v, expected that it is a polygraph", r.Path, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s (%s): %v", r.Path, r.Format, err)
			continue
		}
		if f != r.Format {
			t.Errorf("%s: taken for %s, but it is %s", r.Path, f, r.Format)
		}
		if err := h.Check(); err != nil {
			t.Errorf("%s: %v", r.Path, err)
		}
	}
}

// TestRecordedThereAndBack writes all recorded histories in all formats and
// reads them back. What was lost once is not lost again: a second time there
// and back gives the same history, whatever the losses are called.
func TestRecordedThereAndBack(t *testing.T) {
	total, faithful := map[codec.Format]int{}, map[codec.Format]int{}
	for _, r := range historytest.Recordings(t) {
		if r.Polygraph {
			continue
		}
		h, from := r.Read(t), r.Format
		for _, f := range codec.WritableFormats() {
			if h.NumOps() > 4_000 && f != codec.Compact && f != from || h.NumOps() > 1500 && testing.Short() {
				continue
			}
			back, losses := codec.ThereAndBack(t, h, f)
			if back == nil {
				continue
			}
			if total[f]++; len(losses) == 0 {
				faithful[f]++
			}
			if f == codec.Compact && len(losses) > 0 {
				t.Errorf("%s: the compact format loses %s", r.Path, losses)
			}
			bank := strings.Contains(r.Path, "bank")                                                      // which begins with money of which nothing is known
			nameless := strings.Contains(strings.Join(losses, ""), "names of sessions")                   // no :process
			converted := f == codec.Dbcop && strings.Contains(strings.Join(losses, ""), "initial values") // they get the value 0
			unread := strings.Contains(strings.Join(losses, ""), "no values of EDN")                      // what nobody got of an append
			if f == from && len(losses) > 0 && !bank && !unread && !(nameless && f == codec.EDN) && !converted {
				t.Errorf("%s: its own format %s loses %s", r.Path, f, losses)
			}
			again, _ := codec.ThereAndBack(t, back, f)
			if again == nil {
				t.Errorf("%s: read from %s, but not written there", r.Path, f)
			} else if d := history.Diff(back, again); d != "" {
				t.Errorf("%s: in %s the second time: %s", r.Path, f, d)
			}
		}
	}
	for _, f := range codec.WritableFormats() {
		t.Logf("%s: %d histories, %d of them without a loss", f, total[f], faithful[f])
		if total[f] == 0 {
			t.Errorf("no history was written in %s", f)
		}
	}
}

// TestChunksRecorded reads the recorded histories, and mutants of them.
func TestChunksRecorded(t *testing.T) {
	mutants, seed := codec.Mutants()
	t.Logf("-codec.mutants %d -codec.seed %d", mutants, seed)
	const most = 1 << 16
	n := 0
	for _, r := range historytest.Recordings(t) {
		if r.Polygraph || !codec.Chunked(r.Format) {
			continue
		}
		f := r.Format
		text, err := os.ReadFile(r.File)
		if err != nil {
			t.Fatal(err)
		}
		n++
		if len(text) > most {
			if f != codec.EDN {
				continue
			}
			if mutants <= 3 {
				text = text[:most]
			}
		}
		codec.SameReading(t, text, f)
		rnd := rand.New(rand.NewPCG(seed, uint64(n)))
		text = text[:min(len(text), 4096)]
		for range mutants {
			codec.SameReading(t, codec.Mutant(rnd, text), f)
		}
	}
	if n == 0 {
		t.Error("nothing was read")
	}
}

// TestLibrary compares the parser with a library for EDN on all recorded
// histories in EDN: both have to read the same values.
func TestLibrary(t *testing.T) {
	n := 0
	for _, r := range historytest.Recordings(t) {
		if r.Polygraph || r.Format != codec.EDN {
			continue
		}
		data, err := os.ReadFile(r.File)
		if err != nil {
			t.Fatal(err)
		}
		n++
		codec.CompareWithLibrary(t, r.Path, data)
	}
	if n == 0 {
		t.Error("no history in EDN")
	}
}
