package codec

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/txrobust/robust/history"
)

// workload makes a serial history of registers, or of lists if lists is set.
func workload(txns int, lists bool) *history.History {
	const sessions, ops, keys = 25, 8, 1000
	rnd := rand.New(rand.NewPCG(1, 2))
	b := history.NewBuilder()
	b.SetOrder(history.RealTime)
	last := make([]history.Value, keys)
	contents := make([][]history.Value, keys)
	for s := range sessions {
		b.Session(history.Int(int64(s)))
	}
	n := int64(0)
	for t := range txns {
		txn := b.Txn(history.Session(t%sessions), history.Committed)
		b.SetBegin(txn, int64(2*t))
		b.SetEnd(txn, int64(2*t+1))
		for range ops {
			k := rnd.IntN(keys)
			key := b.IntKey(int64(k))
			write := rnd.IntN(2) == 0
			n++
			v := b.IntValue(n)
			switch {
			case lists && write:
				if len(contents[k]) > 16 { // Jepsen uses up keys
					contents[k] = nil
				}
				key = b.IntKey(int64(k) + n/50_000*keys)
				b.Op(history.Append, key, v)
				contents[k] = append(contents[k], v)
			case lists:
				b.List(history.ReadList, b.IntKey(int64(k)+n/50_000*keys), contents[k])
			case write:
				b.Write(key, v)
				last[k] = v
			default:
				b.Read(key, last[k])
			}
		}
	}
	h, err := b.Build()
	if err != nil {
		panic(err)
	}
	return h
}

// cpu is the processor time of this process so far, which unlike the elapsed
// time does not depend on what else the machine does.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// perSecond reports operations per second of processor time since start.
func perSecond(b *testing.B, ops int, start time.Duration) {
	b.ReportMetric(float64(ops)*float64(b.N)/(cpu(b)-start).Seconds()/1e6, "Mops/cpu-s")
}

// BenchmarkRead reads a history of 160,000 operations in each format.
func BenchmarkRead(b *testing.B) {
	for _, f := range writableFormats() {
		for _, lists := range []bool{false, true} {
			h := workload(20_000, lists)
			name := fmt.Sprintf("%s/lists=%v", f, lists)
			m := &memory{files: map[string]*bytes.Buffer{}}
			g, _ := f.find()
			if _, err := g.encode(b.Context(), h, m.create); err != nil {
				continue // no lists
			}
			size := 0
			for _, file := range m.files {
				size += file.Len()
			}
			b.Run(name, func(b *testing.B) {
				b.SetBytes(int64(size))
				start := cpu(b)
				for b.Loop() {
					if _, _, err := decode(b.Context(), m.streams(), Options{Format: f}); err != nil {
						b.Fatal(err)
					}
				}
				perSecond(b, h.NumOps()-h.NumKeys(), start)
			})
		}
	}
}

// BenchmarkWrite writes the same histories.
func BenchmarkWrite(b *testing.B) {
	for _, f := range writableFormats() {
		h := workload(20_000, false)
		g, _ := f.find()
		b.Run(string(f), func(b *testing.B) {
			start := cpu(b)
			for b.Loop() {
				_, err := g.encode(b.Context(), h, func(string) (io.WriteCloser, error) { return nopCloser{io.Discard}, nil })
				if err != nil {
					b.Fatal(err)
				}
			}
			perSecond(b, h.NumOps()-h.NumKeys(), start)
		})
	}
}

// BenchmarkElleJSON reads what elle-cli reads.
func BenchmarkElleJSON(b *testing.B) {
	line := `{"index":7,"type":"ok","process":3,"time":11142323154,"f":"txn","value":[["append",253,1],["r",255,[1,3,4]],["append",256,2]]}`
	in := "[" + strings.Repeat(line+",\n", 20_000) + line + "]"
	b.SetBytes(int64(len(in)))
	start := cpu(b)
	for b.Loop() {
		if _, _, err := Decode(b.Context(), strings.NewReader(in), "x", Options{Format: ElleJSON}); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b, 3*20_001, start)
}
