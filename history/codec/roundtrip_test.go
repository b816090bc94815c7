package codec

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
)

// memory keeps the files of a history that is written.
type memory struct {
	names []string
	files map[string]*bytes.Buffer
}

func (m *memory) create(name string) (io.WriteCloser, error) {
	if _, twice := m.files[name]; twice {
		return nil, fmt.Errorf("%s is written twice", name)
	}
	b := &bytes.Buffer{}
	m.names, m.files[name] = append(m.names, name), b
	return nopCloser{b}, nil
}

func (m *memory) streams() []stream {
	var out []stream
	slices.SortFunc(m.names, func(a, b string) int { return int(fileNumber(a) - fileNumber(b)) })
	for _, n := range m.names {
		out = append(out, stream{n, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(m.files[n].Bytes())), nil }})
	}
	return out
}

func (m *memory) String() string {
	var b strings.Builder
	for _, n := range m.names {
		text := m.files[n].String()
		fmt.Fprintf(&b, "== %s\n%s\n", n, text[:min(len(text), 3000)])
	}
	return b.String()
}

// write writes a history to memory.
func write(t testing.TB, h *history.History, f Format) (*memory, []string, error) {
	t.Helper()
	g, err := writable(f)
	if err != nil {
		t.Fatal(err)
	}
	m := &memory{files: map[string]*bytes.Buffer{}}
	losses, err := g.encode(t.Context(), h, m.create)
	return m, losses, err
}

// thereAndBack writes a history and reads it back, the format being told. If
// nothing was lost it has to be the same. It gives what was read, or nil if the
// format cannot hold the history.
func thereAndBack(t testing.TB, h *history.History, f Format) (back *history.History, losses []string) {
	t.Helper()
	m, losses, err := write(t, h, f)
	if err != nil {
		if !strings.Contains(err.Error(), "choose another format") {
			t.Fatalf("%s: %v", f, err)
		}
		return nil, nil
	}
	if len(m.names) == 0 {
		return nil, nil // a folder without sessions
	}
	back, _, err = decode(t.Context(), m.streams(), Options{Format: f})
	if err != nil {
		t.Fatalf("%s: reading back: %v\n%s", f, err, m)
	}
	if err := back.Check(); err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	if d := history.Diff(h, back); d != "" && len(losses) == 0 {
		t.Fatalf("%s: differs silently: %s\n%s", f, d, m)
	}
	return back, losses
}

func writableFormats() []Format {
	var out []Format
	for _, n := range Names(true) {
		out = append(out, Format(n))
	}
	return out
}

// shapeOf says which features a random history has.
type features struct {
	kinds             []history.Kind
	names, initial    bool
	statuses          bool
	order             history.Order
	versions, numbers bool
	values            bool // some are not known
}

// random makes a history with some features.
func random(seed uint64, f features) *history.History {
	rnd := rand.New(rand.NewPCG(seed, 7))
	b := history.NewBuilder()
	name := func(n int) history.Name {
		if !f.names {
			return history.Int(int64(n))
		}
		texts := []string{"x", "a b", `q"\`, "ü", "1", "\n\t\x01", "nil", ":k"}
		switch n % 5 {
		case 0:
			return history.Int(int64(n) - 3)
		case 1:
			return history.String(texts[n%len(texts)])
		case 2:
			return history.Name{Kind: history.KeywordName, Text: fmt.Sprintf("k%d", n)}
		case 3:
			return history.Name{Kind: history.TextName, Text: fmt.Sprintf("%d.5", n)}
		}
		return history.Int(int64(n) << 40)
	}
	key := func() history.Key { return b.Key(name(rnd.IntN(4))) }
	types := map[history.Key]history.Kind{}
	clock := int64(0)
	number := int64(0)
	if f.order != history.NoOrder {
		b.SetOrder(f.order)
	}
	for s := range 1 + rnd.IntN(3) {
		session := b.Session(history.Int(int64(s)))
		if f.names {
			session = b.Session(name(s))
		}
		for range rnd.IntN(4) {
			t := b.Txn(session, history.Committed)
			if f.statuses {
				b.SetStatus(t, history.Status(rnd.IntN(3)))
			}
			if f.numbers {
				b.SetNumber(t, number)
				number++
			}
			if f.order != history.NoOrder {
				clock += int64(rnd.IntN(3))
				if rnd.IntN(9) > 0 {
					b.SetBegin(t, clock)
				}
				clock += int64(rnd.IntN(3))
				if rnd.IntN(9) > 0 {
					b.SetEnd(t, clock)
				}
				if rnd.IntN(2) == 0 {
					b.SetStarted(t, 100+clock)
					b.SetEnded(t, 105+clock)
				}
			}
			for range rnd.IntN(4) {
				k, kind := key(), f.kinds[rnd.IntN(len(f.kinds))]
				if had, ok := types[k]; ok && typeName(had) != typeName(kind) && kind != history.ReadRange {
					kind = had
				} else if kind != history.ReadRange {
					types[k] = kind
				}
				value := func() history.Value {
					if rnd.IntN(8) == 0 {
						return history.Initial
					}
					return b.Value(name(1 + rnd.IntN(9)))
				}
				switch {
				case kind == history.ReadRange:
					if had, ok := types[k]; ok && typeName(had) != "register" {
						continue
					}
					types[k] = history.Read
					b.Range(history.Range{Low: value(), High: value(), LiveKeys: []history.Key{k}, LiveValues: []history.Value{value()}})
				case kind == history.Increment || kind == history.ReadCounter:
					b.Op(kind, k, b.IntValue(int64(rnd.IntN(9))-4))
				case kind.Reads() && f.values && rnd.IntN(6) == 0:
					b.Op(kind, k, history.NoValue)
				case kind == history.ReadList || kind == history.ReadSet:
					var list []history.Value
					for range rnd.IntN(4) {
						list = append(list, value())
					}
					b.List(kind, k, list)
				default:
					b.Op(kind, k, value())
					if f.versions && rnd.IntN(2) == 0 {
						b.SetVersion(b.IntValue(int64(rnd.IntN(20))))
					}
				}
			}
		}
	}
	if f.initial {
		for k, kind := range types {
			if typeName(kind) == "register" && rnd.IntN(2) == 0 {
				b.SetInitial(k, b.Value(name(rnd.IntN(5))))
			}
		}
	}
	h, err := b.Build()
	if err != nil {
		panic(err)
	}
	return h
}

func typeName(k history.Kind) string {
	switch k {
	case history.Append, history.ReadList:
		return "list"
	case history.Add, history.ReadSet:
		return "set"
	case history.Increment, history.ReadCounter:
		return "counter"
	}
	return "register"
}

// TestRandomThereAndBack does the same with random histories that have every
// feature that the model has.
func TestRandomThereAndBack(t *testing.T) {
	registers := []history.Kind{history.Read, history.Write}
	rows := append(registers, history.Insert, history.Delete, history.ReadRange)
	elle := append(registers, history.Append, history.ReadList, history.Add, history.ReadSet, history.Increment, history.ReadCounter)
	faithful := map[Format]int{}
	seeds := uint64(800)
	if testing.Short() {
		seeds = 150
	}
	for seed := range seeds {
		rnd := rand.New(rand.NewPCG(seed, 8))
		coin := func() bool { return rnd.IntN(3) == 0 }
		f := features{kinds: [][]history.Kind{registers, rows, elle}[rnd.IntN(3)], names: coin(), initial: coin(), statuses: coin(),
			versions: coin(), numbers: coin(), values: coin()}
		if coin() {
			f.order = history.Order(rnd.IntN(3))
		}
		h := random(seed, f)
		for _, g := range writableFormats() {
			func() {
				defer func() {
					if t.Failed() {
						t.Logf("seed %d, features %+v", seed, f)
					}
				}()
				back, losses := thereAndBack(t, h, g)
				if back == nil {
					return
				}
				if len(losses) == 0 {
					faithful[g]++
				} else if g == Compact {
					t.Fatalf("the compact format loses %s", losses)
				}
				again, more := thereAndBack(t, back, g)
				if again == nil {
					t.Fatalf("read from %s, but not written there", g)
				}
				if d := history.Diff(back, again); d != "" {
					t.Fatalf("in %s the second time: %s (%s)", g, d, more)
				}
			}()
		}
	}
	for _, g := range writableFormats() {
		t.Logf("%s: %d without a loss", g, faithful[g])
		// A history from AWDIT has the initial values of all keys, which these have not.
		if faithful[g] == 0 && g != AWDIT {
			t.Errorf("every history loses something in %s", g)
		}
	}
}

// TestCancelled: a context ends reading and writing.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Decode(ctx, strings.NewReader("w(1,1,0,0)\n"), "x", Options{}); err != context.Canceled {
		t.Errorf("reading: %v", err)
	}
	h := random(1, features{kinds: []history.Kind{history.Write}})
	var b bytes.Buffer
	for h.NumTxns() < 2 {
		h = random(uint64(h.NumTxns()+7), features{kinds: []history.Kind{history.Write}})
	}
	_, err := Write(ctx, &b, h, Plume)
	if h.NumTxns() > 1024 && err == nil {
		t.Error("writing was not cancelled")
	}
}
