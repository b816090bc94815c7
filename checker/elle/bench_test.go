package elle

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/txrobust/robust/checker"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/isolation"
)

// recording writes what Jepsen would of a serializable database with lists, as in
// section 6.1 of the paper: transactions of one to five operations on 100 lists, of
// which each is appended to 100 times, and replaced with a new one then. ops
// bounds the number of operations.
func recording(w io.Writer, ops, sessions int) error {
	out := bufio.NewWriterSize(w, 1<<16)
	rng := rand.New(rand.NewPCG(1, 2))
	const active, appends = 100, 100
	keys := make([]int, active)
	lists := make([][]byte, active) // as text
	count := make([]int, active)
	for i := range keys {
		keys[i] = i
	}
	next := active
	var invoke, ok []byte
	type open struct{ ok []byte }
	running := make([]open, sessions)
	for done := 0; done < ops; {
		p := rng.IntN(sessions)
		if r := &running[p]; r.ok != nil {
			out.Write(r.ok)
			r.ok = nil
		}
		invoke = append(append(invoke[:0], "{:type :invoke, :f :txn, :process "...), strconv.Itoa(p)...)
		ok = append(append(ok[:0], "{:type :ok, :f :txn, :process "...), strconv.Itoa(p)...)
		invoke, ok = append(invoke, ", :value ["...), append(ok, ", :value ["...)
		for range 1 + rng.IntN(5) {
			done++
			i := rng.IntN(active)
			if rng.IntN(2) == 0 {
				op := fmt.Sprintf("[:r %d ", keys[i])
				invoke = append(append(invoke, op...), "nil] "...)
				ok = append(append(append(append(ok, op...), '['), lists[i]...), "]] "...)
				continue
			}
			count[i]++
			op := fmt.Sprintf("[:append %d %d] ", keys[i], count[i])
			invoke, ok = append(invoke, op...), append(ok, op...)
			lists[i] = strconv.AppendInt(append(lists[i], ' '), int64(count[i]), 10)
			if count[i] == appends {
				keys[i], lists[i], count[i] = next, nil, 0
				next++
			}
		}
		out.Write(append(invoke, "]}\n"...))
		running[p].ok = append([]byte(nil), append(ok, "]}\n"...)...)
	}
	for _, r := range running {
		out.Write(r.ok)
	}
	return out.Flush()
}

// checkRecording checks a recording, and makes sure of the result.
func checkRecording(b testing.TB, h *history.History, levels []isolation.Level) {
	r, err := Check(b.Context(), h, Options{Levels: levels})
	if err != nil {
		b.Fatal(err)
	}
	for _, a := range r.Answers {
		if a.Verdict != checker.Satisfied {
			b.Fatalf("%s is %s: %s", a.Level, a.Verdict, a.Why)
		}
	}
}

// BenchmarkListAppend reads a recording and checks all levels, and only
// serializability without sessions, which needs no real time.
func BenchmarkListAppend(b *testing.B) {
	for _, ops := range []int{10_000, 100_000, 1_000_000} {
		var text bytes.Buffer
		if err := recording(&text, ops, 20); err != nil {
			b.Fatal(err)
		}
		read := func(b *testing.B) *history.History {
			h, _, err := codec.Decode(b.Context(), bytes.NewReader(text.Bytes()), "history.edn", codec.Options{Format: codec.EDN})
			if err != nil {
				b.Fatal(err)
			}
			return h
		}
		rate := func(b *testing.B, h *history.History) {
			b.ReportMetric(float64(h.NumOps())*float64(b.N)/b.Elapsed().Seconds(), "ops/s")
		}
		b.Run(fmt.Sprintf("read-and-check/%d", ops), func(b *testing.B) {
			var h *history.History
			for b.Loop() {
				h = read(b)
				checkRecording(b, h, nil)
			}
			rate(b, h)
		})
		b.Run(fmt.Sprintf("check/%d", ops), func(b *testing.B) {
			h := read(b)
			for b.Loop() {
				checkRecording(b, h, nil)
			}
			rate(b, h)
		})
		b.Run(fmt.Sprintf("check-PL-3/%d", ops), func(b *testing.B) {
			h := read(b)
			for b.Loop() {
				checkRecording(b, h, []isolation.Level{isolation.PL3})
			}
			rate(b, h)
		})
	}
}
