package polysi

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

// hostile are histories that are hard in one way or another.
var hostile = []struct {
	name string
	o    simdb.Options
}{
	{"blind writes of one key", simdb.Options{Level: isolation.SER, Sessions: 50, Txns: 600, Ops: 1, Keys: 1, Reads: 0.02}},
	{"a session for each transaction", simdb.Options{Level: isolation.SI, Sessions: 500, Txns: 500, Ops: 3, Keys: 2, Reads: 0.2}},
	{"few long sessions", simdb.Options{Level: isolation.SER, Sessions: 3, Txns: 500, Ops: 4, Keys: 2, Reads: 0.1}},
	{"few keys", simdb.Options{Level: isolation.SI, Sessions: 30, Txns: 300, Ops: 4, Keys: 5, Reads: 0.3, Lag: 20}},
	{"few values", simdb.Options{Level: isolation.SER, Sessions: 20, Txns: 200, Ops: 3, Keys: 2, Reads: 0.5, Duplicates: true}},
	{"a fault", simdb.Options{Level: isolation.SI, Sessions: 20, Txns: 600, Ops: 5, Keys: 50, Reads: 0.5, Lag: 20, Faults: 0.002}},
	{"few values and faults", simdb.Options{Level: isolation.PC, Sessions: 10, Txns: 150, Ops: 3, Keys: 3, Reads: 0.5, Duplicates: true, Faults: 0.1}},
}

// countdown is a context that ends when it was looked at some number of times.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// TestCountdown: whenever the time is over, the check ends without looking at it often again,
// what is decided stays decided, and the rest is unknown.
func TestCountdown(t *testing.T) {
	for _, c := range hostile {
		c.o.Seed = 1
		h := simdb.Generate(c.o)
		whole, err := Check(context.Background(), h, Options{Levels: Levels(), Conflicts: 500})
		if err != nil {
			t.Fatal(err)
		}
		ends := 0
		for n := int64(0); ; n = n*4 + 1 {
			ctx := &countdown{Context: context.Background()}
			ctx.left.Store(n)
			r, err := Check(ctx, h, Options{Levels: Levels(), Conflicts: 500})
			if err == nil {
				break
			}
			ends++
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("%s, after %d looks: %v", c.name, n, err)
			}
			if more := -ctx.left.Load(); more > 100 {
				t.Errorf("%s: it goes on for %d looks after %d", c.name, more, n)
			}
			for i, a := range r.Answers {
				if a.Verdict == checker.Unknown && a.Why == "" || a.Verdict != checker.Unknown && a.Verdict != whole.Answers[i].Verdict {
					t.Errorf("%s, after %d looks: %s is %s: %s", c.name, n, a.Level, a.Verdict, a.Why)
				}
			}
		}
		t.Logf("%s: %d ends", c.name, ends)
		if ends < 3 {
			t.Errorf("%s: the time was hardly ever looked at", c.name)
		}
	}
}

// TestMemory: with less and less memory a verdict becomes unknown, never another one, and what is taken
// is below the bound.
func TestMemory(t *testing.T) {
	h := simdb.Generate(simdb.Options{Seed: 1, Level: isolation.SI, Sessions: 900, Txns: 2000, Ops: 3, Keys: 10, Reads: 0.3, Lag: 20})
	unknown := 0
	for _, megabytes := range []int64{1, 4, 64} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		peak := watchHeap()
		r, err := Check(context.Background(), h, Options{Levels: []isolation.Level{isolation.SI}, Memory: megabytes << 20, Conflicts: 500})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		most := max(peak(), after.HeapAlloc)
		a := r.Answer(isolation.SI)
		switch a.Verdict {
		case checker.Violated:
			t.Errorf("%d MB: %s", megabytes, a.Verdict)
		case checker.Unknown:
			unknown++
		case checker.Satisfied:
			verifyAll(t, h, r)
		}
		// What is garbage already counts, too.
		if taken := int64(most) - int64(before.HeapAlloc); taken > 4*megabytes<<20+16<<20 {
			t.Errorf("%d MB: it took %d MB", megabytes, taken>>20)
		}
		t.Logf("%d MB: %s %s", megabytes, a.Verdict, a.Why)
	}
	if unknown == 0 {
		t.Error("no bound was reached")
	}
}

// watchHeap samples the size of the heap until the function that it gives is called, which gives
// the largest sample.
func watchHeap() func() uint64 {
	stop, peak := make(chan struct{}), make(chan uint64)
	go func() {
		most := uint64(0)
		for {
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(2 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
	}()
	return func() uint64 {
		close(stop)
		return <-peak
	}
}

// TestNoSearch: histories as those of TPC-C, and others where each write comes after a read of the key,
// need no search.
func TestNoSearch(t *testing.T) {
	need := func(name string, h *history.History, level isolation.Level) {
		c := newCheck(context.Background(), h, Options{Levels: []isolation.Level{level}})
		r, err := c.run()
		if err != nil {
			t.Fatal(err)
		}
		if s := c.stats[level]; r.Verdict(level) != checker.Satisfied || s.pairs > 0 || s.conflicts > 0 {
			t.Errorf("%s of %s: %s with %+v", name, level, r.Verdict(level), s)
		}
		verifyAll(t, h, r)
	}
	levels := []isolation.Level{isolation.SI, isolation.SER}
	for _, l := range levels {
		need("updates", updates(t, l, 3000, 1000), l)
		need("hot updates", updates(t, l, 1000, 3), l)
	}
	t.Run("TPC-C", func(t *testing.T) {
		for _, l := range levels {
			need("TPC-C", historytest.Foreign(t, "strong/VeriStrong/fig5/tpcc-1k").Read(t), l)
		}
	})
}

// updates makes a history whose transactions read what they write: of SER in the order of commits, or of SI from a
// snapshot that may be old, as far as nobody wrote the same since.
func updates(t *testing.T, level isolation.Level, txns, keys int) *history.History {
	var text strings.Builder
	value := make([]int, keys)   // now
	changed := make([]int, keys) // by which transaction
	old := make([]int, keys)
	for i := 1; i <= txns; i++ {
		write, other, session := (i*7919)%keys, (i*104729+1)%keys, i%20
		fmt.Fprintf(&text, "r(%d,%d,%d,%d)\n", write, value[write], session, i)
		seen := value[other]
		if level == isolation.SI && changed[other] == i-1 && i%20 != (i-1)%20 && other != write {
			seen = old[other] // its snapshot is one commit behind
		}
		if other != write {
			fmt.Fprintf(&text, "r(%d,%d,%d,%d)\n", other, seen, session, i)
		}
		fmt.Fprintf(&text, "w(%d,%d,%d,%d)\n", write, i, session, i)
		old[write], value[write], changed[write] = value[write], i, i
	}
	return historytest.Parse(t, text.String())
}
