package tail_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/follow"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/internal/checker/workload"
	"github.com/txrobust/robust/internal/tail"
	"github.com/txrobust/robust/isolation"
)

var random = historytest.RandomFlags("tail")

// chunks is a stream that comes in pieces of any size, with pauses.
type chunks struct {
	text []byte
	r    *rand.Rand
	wait bool
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.text) == 0 {
		return 0, io.EOF
	}
	if c.wait && c.r.IntN(40) == 0 {
		time.Sleep(120 * time.Millisecond) // so that what came is judged
	}
	n := min(len(c.text), len(p), 1+c.r.IntN(1+c.r.IntN(4000)))
	copy(p, c.text[:n])
	c.text = c.text[n:]
	return n, nil
}

// clients makes a history of a simulated database, with an anomaly in every other one.
func clients(t *testing.T, r *rand.Rand, name string) *history.History {
	t.Helper()
	levels := simdb.Levels()
	o := simdb.Options{Seed: r.Uint64(), Level: levels[r.IntN(len(levels))], Sessions: 1 + r.IntN(6), Txns: 20 + r.IntN(200), Lag: 1 + r.IntN(8),
		Aborts: 0.2 * r.Float64(), Unknowns: 0.05 * r.Float64(), Losses: 0.05 * r.Float64()}
	p := workload.Params{Ops: 1 + r.IntN(5), Keys: 2 + r.IntN(40), Reads: 0.2 + 0.7*r.Float64(), Dist: workload.Distribution(workload.Distributions()[r.IntN(3)])}
	var planted *simdb.Anomaly
	if all := simdb.Anomalies(); r.IntN(2) == 0 {
		planted = &all[r.IntN(len(all)-1)] // the last one needs times
	}
	w, err := workload.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	h, err := simdb.Run(t.Context(), o, w, p, planted)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestRandom follows recordings of clients, in all formats and in pieces of any size: the answer
// is that about the whole file, or unknown with a reason, and the same for all pieces.
func TestRandom(t *testing.T) {
	seed := random.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	same, unknown := map[isolation.Verdict]int{}, map[int]int{}
	windows := []int{16, 64, 512}
	for i := range random.Runs(60, 20) {
		h := clients(t, r, []string{"register", "rmw", "list-append"}[i%3])
		f := tail.Formats()[r.IntN(3)]
		text, _, err := codec.Bytes(t.Context(), h, f)
		if err != nil {
			if f = codec.EDN; i%3 != 2 { // plume has no lists
				t.Fatal(err)
			}
			if text, _, err = codec.Bytes(t.Context(), h, f); err != nil {
				t.Fatal(err)
			}
		}
		read, _, err := codec.Decode(t.Context(), bytes.NewReader(text), "whole", codec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		whole, err := judge.Check(t.Context(), read, judge.Options{Levels: follow.Levels()})
		if err != nil {
			t.Fatal(err)
		}
		window := windows[r.IntN(len(windows))]
		o := tail.Options{Name: "stream", Window: window, Input: bytes.NewReader(text)}
		at := fmt.Sprintf("seed %d, history %d, %s, window %d", seed, i, f, window)
		first, err := tail.Follow(t.Context(), o)
		if err != nil {
			t.Fatalf("%s: %v", at, err)
		}
		o.Input = &chunks{text, r, i%5 == 0}
		second, err := tail.Follow(t.Context(), o)
		if err != nil {
			t.Fatalf("%s: %v", at, err)
		}
		if !slices.Equal(first.Judgements, second.Judgements) || int(first.Txns) < read.NumTxns()-2 {
			t.Errorf("%s: %v, but in pieces: %v; %d of %d transactions", at, first.Judgements, second.Judgements, first.Txns, read.NumTxns()-1)
		}
		for _, g := range first.Judgements {
			want := whole.Judgement(g.Level).Verdict
			switch {
			case g.Verdict == isolation.Unknown && g.Why == "":
				t.Errorf("%s: %s is unknown without a reason", at, g.Level)
			case g.Verdict == isolation.Unknown:
				unknown[window]++
			case want != isolation.Unknown && g.Verdict != want:
				t.Errorf("%s: %s: %v %s, but the whole history: %v", at, g.Level, g.Verdict, g.Why, want)
			default:
				same[g.Verdict]++
			}
		}
	}
	t.Logf("accepted or rejected: %v; unknown by window: %v", same, unknown)
}

// TestLong: recordings in the order of the commits are decided with a window that is small beside
// them, with what their transactions of old snapshots read.
func TestLong(t *testing.T) {
	for _, c := range []struct {
		level, fails isolation.Level
		workload     string
	}{{isolation.SER, 0, "register"}, {isolation.SER, 0, "list-append"}, {isolation.SI, isolation.SER, "register"}, {isolation.SI, isolation.SER, "rmw"}} {
		w, err := workload.ByName(c.workload)
		if err != nil {
			t.Fatal(err)
		}
		h, err := simdb.Run(t.Context(), simdb.Options{Seed: 1, Level: c.level, Sessions: 8, Txns: 6000, Aborts: 0.02},
			w, workload.Params{Ops: 4, Keys: 100, Reads: 0.5, Dist: workload.Uniform}, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := codec.Bytes(t.Context(), h, codec.EDN)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tail.Follow(t.Context(), tail.Options{Name: "stream", Window: 256, Input: bytes.NewReader(text)})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range got.Judgements {
			want := isolation.Accept
			if c.fails != 0 && j.Level.Implies(c.fails) {
				want = isolation.Reject
			}
			if j.Verdict != want {
				t.Errorf("%s at %s: %s: %v %s", c.workload, c.level, j.Level, j.Verdict, j.Why)
			}
		}
	}
}

const write, read = "{:type :invoke, :process 1, :f :txn, :value [[:w x 1]]}\n{:type :ok, :process 1, :f :txn, :value [[:w x 1]]}\n",
	"{:type :ok, :process 2, :f :txn, :value [[:r x 1]]}\n"

// TestEnds: what a recording is that is cut off, or has other ends.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name, text string
		txns       int64
		complete   bool
		want       isolation.Verdict
		fault      string
	}{
		{"complete", write + read, 2, true, isolation.Accept, ""},
		{"the writer comes later", read + write, 2, true, isolation.Accept, ""},
		{"out of thin air", read, 1, true, isolation.Reject, ""},
		{"no end of line", write + strings.TrimSpace(read), 2, true, isolation.Accept, ""},
		{"cut off", write + read[:20], 1, false, isolation.Accept, ""},
		{"cut off, the writer is missing", read + write[:70], 2, false, isolation.Accept, ""},
		{"plume", "w(1,5,0,0)\nr(1,5,1,1)\n", 2, true, isolation.Accept, ""},
		{"plume, cut off", "r(1,5,1,1)\nr(1,5,1,2)\nw(1,5,0,", 2, false, isolation.Unknown, ""},
		{"plume, initial", "w(1,0,0,0)\nw(2,0,0,0)\nr(1,0,1,1)\nw(1,7,1,1)\nr(1,7,2,2)\n", 2, true, isolation.Accept, ""},
		{"plume, initial, and a reset", "w(1,0,0,0)\nw(1,7,1,1)\nr(1,7,2,2)\nr(1,0,2,3)\n", 3, true, isolation.Reject, ""},
		{"plume, not alone", "w(1,0,0,0)\nw(1,7,1,1)\nr(1,7,2,2)\nr(1,0,2,3)\nr(1,0,0,4)\n", 4, true, isolation.Unknown, ""},
		{"edn, and a reset", "{:type :ok, :process 1, :f :txn, :value [[:w x nil]]}\n" + strings.Replace(write[55:], "1, :f", "3, :f", 1) + read + strings.Replace(read, "1]]", "nil]]", 1), 4, true, isolation.Accept, ""},
		{"plume, goes on", "w(1,5,0,0)\nw(1,6,0,1)\nw(1,7,0,0)\n", 0, false, 0, "stream:3: the transaction 0 goes on"},
		{"plume, wrong", "w(1,5,0,0)\nw(1,6,x,1)\n", 0, false, 0, "stream:2: \"w(1,6,x,1)\", expected"},
		{"a vector", "[{:type :ok, :process 2, :f :txn, :value []}]", 0, false, 0, "begins no format that can be followed"},
		{"two lines", "{:type :ok,\n:process 2}\n", 0, false, 0, "stream:1: \"{:type :ok,\" is not a whole map"},
		{"a set", "{:type :ok, :process 2, :f :txn, :value [[:r 1 #{2}] [:add 1 2]]}\n", 0, false, 0, "can be followed"},
		{"two at once", "\n" + strings.Repeat(strings.SplitAfter(write, "\n")[0], 2), 0, false, 0, "stream:3: process 1 invokes an operation, but the one that it invoked in line 2 is not complete"},
		{"not what began", "\n{:type :invoke, :process 1, :f :read}\n\n{:type :ok, :process 1, :f :write, :value 1}\n", 0, false, 0, "stream:4: process 1 completes write, but line 2 began read"},
		{"nothing", "\n", 0, false, 0, "begins no format"},
	} {
		got, err := tail.Follow(t.Context(), tail.Options{Name: "stream", Input: strings.NewReader(c.text)})
		if err != nil || c.fault != "" {
			if err == nil || c.fault == "" || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v, want %q", c.name, err, c.fault)
			}
			continue
		}
		if got.Txns != c.txns || got.Complete != c.complete || got.Verdict() != c.want || got.Complete != (len(got.Notes) == 0) {
			t.Errorf("%s: %d transactions, complete %v, %v, notes %q; want %d, %v, %v", c.name, got.Txns, got.Complete, got.Verdict(), got.Notes, c.txns, c.complete, c.want)
		}
	}
}

// TestCompactCutOff: a recording in the compact format without its end is not complete, and one
// that was changed is faulty.
func TestCompactCutOff(t *testing.T) {
	h := clients(t, rand.New(rand.NewPCG(1, 1)), "register")
	text, _, err := codec.Bytes(t.Context(), h, codec.Compact)
	if err != nil {
		t.Fatal(err)
	}
	for n := 20; n < len(text); n += 97 {
		got, err := tail.Follow(t.Context(), tail.Options{Name: "stream", Input: bytes.NewReader(text[:n])})
		if err != nil && !strings.Contains(err.Error(), "there is no transaction") || err == nil && got.Complete {
			t.Errorf("%d of %d bytes: %v, %+v", n, len(text), err, got)
		}
	}
	text[len(text)/2] ^= 1
	if _, err := tail.Follow(t.Context(), tail.Options{Name: "stream", Input: bytes.NewReader(text)}); err == nil {
		t.Error("a changed file is taken")
	}
}

// TestGrows follows a file that grows, is moved away, and goes on in another one.
func TestGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.edn")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	add := func(text string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(text)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Error(err)
			cancel() // what is waited for never comes
		}
	}
	add(write[:30])
	step := 0
	o := tail.Options{Path: path, Name: path, Progress: func(txns, _ int64) {
		switch {
		case step == 0 && txns == 1:
			if err := os.Rename(path, path+".1"); err != nil {
				t.Error(err)
			}
			add(read)
		case step == 1 && txns == 2:
			cancel()
		default:
			return
		}
		step++
	}}
	var writer sync.WaitGroup
	writer.Go(func() { add(write[30:]) }) // the first piece alone is too short to show anything
	got, err := tail.Follow(ctx, o)
	writer.Wait()
	if err != nil || got.Txns != 2 || got.Complete || got.Verdict() != isolation.Accept {
		t.Errorf("%v, %+v", err, got)
	}
}

// TestShorter: a file that is written anew is no continuation.
func TestShorter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.edn")
	if err := os.WriteFile(path, []byte(write+read), 0o600); err != nil {
		t.Fatal(err)
	}
	o := tail.Options{Path: path, Name: path, Progress: func(int64, int64) {
		if err := os.WriteFile(path, []byte(read), 0o600); err != nil {
			t.Error(err)
		}
	}}
	if _, err := tail.Follow(t.Context(), o); err == nil || !strings.Contains(err.Error(), "became shorter") {
		t.Error(err)
	}
}

// TestUntilIdle: a recording is complete when nothing comes any more.
func TestUntilIdle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.edn")
	if err := os.WriteFile(path, []byte(read), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := tail.Follow(t.Context(), tail.Options{Path: path, Name: path, UntilIdle: 100 * time.Millisecond})
	if err != nil || !got.Complete || got.Verdict() != isolation.Reject {
		t.Errorf("%v, %+v", err, got)
	}
}

// TestAppears: a recording may begin after it is followed, within -until-idle.
func TestAppears(t *testing.T) {
	follow := func(path string, idle string) (isolation.Verdict, error) {
		var c tail.Command
		fs := flag.NewFlagSet("", flag.ContinueOnError)
		c.Declare(fs)
		if err := fs.Parse([]string{"-follow", "-until-idle", idle}); err != nil {
			t.Fatal(err)
		}
		return c.Run(t.Context(), io.Discard, io.Discard, path, tail.Asked{Levels: []isolation.Level{isolation.SER}})
	}
	path := filepath.Join(t.TempDir(), "late.edn")
	failed := make(chan error, 1)
	time.AfterFunc(100*time.Millisecond, func() {
		failed <- os.WriteFile(path, []byte("{:type :ok, :process 2, :f :txn, :value [[:w 1 2]]}\n"), 0o644)
	})
	v, err := follow(path, "3s")
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	if err != nil || v != isolation.Accept {
		t.Errorf("a file that appears: %v, %v", v, err)
	}
	if _, err := follow(filepath.Join(t.TempDir(), "never.edn"), "100ms"); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a file that is not there: %v", err)
	}
	empty := filepath.Join(t.TempDir(), "empty.edn")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := follow(empty, "100ms"); err == nil || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("an empty file: %v", err)
	}
}

// TestIndices: indices of a recording are no obstacle, although the judge gets each transaction as a whole.
func TestIndices(t *testing.T) {
	const text = `{:type :invoke, :f :txn, :value [[:append 1 1]], :process 0, :index 0}
{:type :invoke, :f :txn, :value [[:r 1 nil]], :process 1, :index 1}
{:type :ok, :f :txn, :value [[:append 1 1]], :process 0, :index 2}
{:type :ok, :f :txn, :value [[:r 1 [1]]], :process 1, :index 3}
`
	got, err := tail.Follow(t.Context(), tail.Options{Input: strings.NewReader(text), Name: "x"})
	if err != nil || got.Txns != 2 || got.Verdict() != isolation.Accept {
		t.Errorf("%v, %+v", err, got)
	}
}
