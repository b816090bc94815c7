package history

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func build(t testing.TB, b *Builder) *History {
	t.Helper()
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Check(); err != nil {
		t.Fatal(err)
	}
	return h
}

// TestInterleaved: operations of interleaved sessions come out session by
// session, with the initial writes first.
func TestInterleaved(t *testing.T) {
	b := NewBuilder()
	s, r := b.Session(String("s")), b.Session(String("r"))
	x, y := b.Key(String("x")), b.IntKey(7)
	t1 := b.Txn(s, Committed)
	b.Write(x, b.IntValue(1))
	t2 := b.Txn(r, Aborted)
	b.Read(x, Initial)
	b.Resume(t1)
	b.Write(y, b.IntValue(-5))
	t3 := b.Txn(s, Unknown)
	b.SetNumber(t3, 30)
	b.SetNumber(t1, 10)
	b.SetLabel(t2, "second")
	b.SetBegin(t2, 5)
	b.SetEnd(t1, 4)
	b.Read(y, NoValue)
	if b.Current() != t3 {
		t.Errorf("current transaction %d", b.Current())
	}
	h := build(t, b)

	if n := h.NumTxns(); n != 4 {
		t.Fatalf("%d transactions", n)
	}
	got := ""
	for txn := range Txn(h.NumTxns()) {
		n, _ := h.Number(txn)
		got += fmt.Sprintf("%d %d.%d %s %d %q %s\n", txn, h.SessionOf(txn), h.Position(txn), h.Status(txn), n, h.Label(txn), strings.Join(words(h, txn), ", "))
	}
	want := `0 -1.0 committed 0 "" write "x" nil, write 7 nil
1 0.0 committed 10 "" write "x" 1, write 7 -5
2 0.1 unknown 30 "" read 7 = ?
3 1.0 aborted 0 "second" read "x" = nil
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if !h.Precedes(1, 3) || h.Precedes(3, 1) || h.Precedes(2, 3) || h.Precedes(1, 2) {
		t.Error("stamps went to other transactions")
	}
	if h.Type(Key(x)) != Register || h.SessionName(1) != String("r") {
		t.Error("names or types are lost")
	}
}

func TestTypes(t *testing.T) {
	b := NewBuilder()
	b.Txn(b.Session(Int(0)), Committed)
	b.Op(Append, b.IntKey(3), b.IntValue(1))
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	b.Read(b.IntKey(3), b.IntValue(1))
	if b.Err() == nil || !strings.Contains(b.Err().Error(), "the key 3 is a list, which has no read") {
		t.Errorf("error %v", b.Err())
	}
	if _, err := b.Build(); err == nil {
		t.Error("built")
	}

	b = NewBuilder()
	b.SetInitial(b.IntKey(1), b.IntValue(4))
	b.SetInitial(b.IntKey(1), b.IntValue(5))
	if b.Err() == nil {
		t.Error("two initial values")
	}
}

func TestValues(t *testing.T) {
	b := NewBuilder()
	names := []Name{{}, Int(0), Int(1), Int(-1), Int(1<<30 - 2), Int(1<<30 - 1), Int(1 << 30), Int(1 << 62), Int(-1 << 63),
		String(""), String("1"), {Kind: KeywordName, Text: "x"}, String("x"), {Kind: TextName, Text: "x"}}
	seen := map[Value]Name{}
	for range 2 {
		for _, n := range names {
			v := b.Value(n)
			if other, ok := seen[v]; ok && other != n {
				t.Errorf("%v and %v are both %d", n, other, v)
			}
			seen[v] = n
			if b.ValueName(v) != n {
				t.Errorf("%v became %v", n, b.ValueName(v))
			}
		}
	}
	if len(seen) != len(names) {
		t.Errorf("%d values of %d names", len(seen), len(names))
	}
	h := build(t, b)
	for _, c := range []struct {
		n    Name
		want int64
		ok   bool
	}{{Int(-1), -1, true}, {Int(1 << 62), 1 << 62, true}, {Name{}, 0, true}, {Int(0), 0, true}, {String("1"), 0, false}} {
		for v, n := range seen {
			if n == c.n {
				if got, ok := h.Amount(v); got != c.want || ok != c.ok {
					t.Errorf("amount of %v: %d, %v", n, got, ok)
				}
			}
		}
	}
}

// TestSources: aborted, duplicate, absent, initial and identified versions.
func TestSources(t *testing.T) {
	b := NewBuilder()
	s := b.Session(Int(0))
	x, y, z := b.IntKey(0), b.IntKey(1), b.IntKey(2)
	one, two := b.IntValue(1), b.IntValue(2)
	b.SetInitial(z, two)
	b.Txn(s, Aborted) // operations 3 to 5
	b.Write(x, one)
	b.Write(x, two)
	b.Write(y, one)
	b.Txn(s, Committed) // 6 to 8
	b.Write(x, one)
	b.Write(y, one)
	b.SetVersion(b.IntValue(77))
	b.Op(Delete, z, Initial)
	b.Txn(b.Session(Int(1)), Committed) // 9
	for _, r := range []struct {
		k Key
		v Value
	}{{x, one}, {x, two}, {x, Initial}, {z, Initial}, {z, two}, {y, two}, {x, NoValue}} {
		b.Read(r.k, r.v)
	}
	b.Read(y, two) // 16: the identity counts, not the value
	b.SetVersion(b.IntValue(77))
	b.Read(y, one)
	b.SetVersion(Initial)
	b.Read(y, one)
	b.SetVersion(b.IntValue(78))
	h := build(t, b)
	src := h.Sources()
	for i, want := range [][]Op{{3, 6}, {4}, {0}, {8}, {2}, nil, nil, {7}, {1}, nil} {
		if got := src.Of(Op(9 + i)); !slices.Equal(got, want) {
			t.Errorf("%s: %d, want %d", h.Words(Op(9+i)), got, want)
		}
	}
	if !src.Duplicates() {
		t.Error("no duplicates")
	}
	if w, ok := src.One(10); w != 4 || !ok {
		t.Errorf("one: %d, %v", w, ok)
	}
	if _, ok := src.One(9); ok {
		t.Error("one of two")
	}
	w := h.Writers()
	if got := w.Of(x); !slices.Equal(got, []Op{0, 3, 4, 6}) {
		t.Errorf("writers %d", got)
	}
	for o, want := range []bool{true, true, true, false, true, true, true, true, true, false} {
		if w.Final(Op(o)) != want {
			t.Errorf("operation %d: final %v", o, !want)
		}
	}
}

func TestListsShare(t *testing.T) {
	b := NewBuilder()
	s := b.Session(Int(0))
	b.Txn(s, Committed)
	k, l := b.IntKey(0), b.IntKey(1)
	v := make([]Value, 10)
	for i := range v {
		v[i] = b.IntValue(int64(i))
		b.Op(Append, k, v[i])
	}
	b.Op(Append, l, v[3])
	lists := [][]Value{v[:4], v[:2], v[:4], {}, v[:8], v[:7], {v[1], v[0]}, v[:9], {v[0], v[2], v[1]}, v, v[:9]}
	for _, l := range lists {
		b.List(ReadList, k, l)
	}
	b.List(ReadList, l, v[3:4])
	b.Op(ReadList, l, NoValue)
	h := build(t, b)
	if n := len(h.elements); n != 4+2*8+2+3+1 { // with room for the next ones
		t.Errorf("%d elements are stored", n)
	}
	first := Op(2 + 11)
	for i, want := range lists {
		if got := h.List(first + Op(i)); !slices.Equal(got, want) {
			t.Errorf("list %d is %d, want %d", i, got, want)
		}
		for j, v := range want {
			if got := h.Sources().Element(first+Op(i), j); len(got) != 1 || h.Value(got[0]) != v || h.Key(got[0]) != k {
				t.Errorf("list %d, element %d: sources %d", i, j, got)
			}
		}
	}
	if got := h.Sources().Element(first+Op(len(lists)), 0); !slices.Equal(got, []Op{12}) {
		t.Errorf("the element of the other list is from %d", got)
	}
	last := Op(h.NumOps() - 1)
	if h.Known(last) || h.List(last) != nil {
		t.Error("the unknown list is known")
	}
}

func TestRanges(t *testing.T) {
	b := NewBuilder()
	b.Txn(b.Session(Int(0)), Committed)
	x, y := b.IntKey(10), b.IntKey(20)
	b.Op(Insert, x, b.IntValue(1))
	b.Op(Insert, y, b.IntValue(2))
	b.Op(Delete, y, b.IntValue(3))
	b.Range(Range{Low: b.IntValue(5), High: b.IntValue(30), LiveKeys: []Key{x}, LiveValues: []Value{b.IntValue(1)}, DeadKeys: []Key{y}, DeadRows: []Value{b.IntValue(3)}})
	h := build(t, b)
	o := Op(h.NumOps() - 1)
	if got := h.Words(o); got != "read-range 5–30 = 10:1 dead 20:3" {
		t.Error(got)
	}
	for i, want := range []Op{2, 4} {
		if got := h.Sources().Row(o, i); !slices.Equal(got, []Op{want}) {
			t.Errorf("row %d: %d", i, got)
		}
	}
}

// TestRandom compares what a builder makes of random histories, built in a
// random interleaving, with lists of lists, and the sources with a search
// through all operations.
func TestRandom(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		type op struct {
			kind Kind
			k, v int
		}
		n := 1 + rnd.IntN(4)
		want := make([][][]op, n)
		b := NewBuilder()
		var open []Txn // of sessions
		for s := range n {
			b.Session(Int(int64(s)))
			open = append(open, 0)
		}
		for range rnd.IntN(60) {
			s := rnd.IntN(n)
			if open[s] == 0 || rnd.IntN(4) == 0 {
				open[s] = b.Txn(Session(s), Committed)
				want[s] = append(want[s], nil)
			}
			b.Resume(open[s])
			o := op{Kind(rnd.IntN(2)), rnd.IntN(3), rnd.IntN(8)}
			b.Op(o.kind, b.IntKey(int64(o.k)), b.IntValue(int64(o.v)))
			last := len(want[s]) - 1
			want[s][last] = append(want[s][last], o)
		}
		h := build(t, b)
		for s := range Session(n) {
			first, end := h.Txns(s)
			if int(end-first) != len(want[s]) {
				t.Fatalf("seed %d: session %d has %d transactions, want %d", seed, s, end-first, len(want[s]))
			}
			for txn := first; txn < end; txn++ {
				o, end := h.Ops(txn)
				for i, w := range want[s][txn-first] {
					k, v := h.KeyName(h.Key(o+Op(i))).Int, h.ValueName(h.Value(o+Op(i))).Int
					if got := (op{h.Kind(o + Op(i)), int(k), int(v)}); got != w || o+Op(i) >= end {
						t.Fatalf("seed %d: operation %v, want %v", seed, got, w)
					}
				}
			}
		}
		for o := range Op(h.NumOps()) {
			var sources []Op
			for w := range Op(h.NumOps()) {
				if h.Kind(o) == Read && h.Kind(w) == Write && h.Key(w) == h.Key(o) && h.Value(w) == h.Value(o) {
					sources = append(sources, w)
				}
			}
			if got := h.Sources().Of(o); !slices.Equal(got, sources) {
				t.Fatalf("seed %d: %s comes from %d, want %d", seed, h.Words(o), got, sources)
			}
		}
		if d := Diff(h, h); d != "" {
			t.Fatalf("seed %d: differs from itself: %s", seed, d)
		}
	}
}

func TestDiff(t *testing.T) {
	make := func(change func(*Builder, Txn)) *History {
		b := NewBuilder()
		s := b.Session(Int(1))
		b.Txn(s, Committed)
		b.Write(b.IntKey(1), b.IntValue(1))
		t := b.Txn(s, Committed)
		b.SetNumber(t, 3)
		change(b, t)
		h, err := b.Build()
		if err != nil {
			panic(err)
		}
		return h
	}
	plain := make(func(*Builder, Txn) {})
	for name, change := range map[string]func(*Builder, Txn){
		"status":  func(b *Builder, t Txn) { b.SetStatus(t, Aborted) },
		"op":      func(b *Builder, t Txn) { b.Read(b.IntKey(1), Initial) },
		"number":  func(b *Builder, t Txn) { b.SetNumber(t, 4) },
		"order":   func(b *Builder, t Txn) { b.SetOrder(RealTime) },
		"stamp":   func(b *Builder, t Txn) { b.SetEnd(t, 4); b.SetBegin(1, 5) },
		"clock":   func(b *Builder, t Txn) { b.SetStarted(t, 4) },
		"initial": func(b *Builder, t Txn) { b.SetInitial(b.IntKey(1), b.IntValue(9)) },
		"session": func(b *Builder, t Txn) { b.Session(Int(4)) },
		"txn":     func(b *Builder, t Txn) { b.Txn(0, Committed) },
	} {
		if d := Diff(plain, make(change)); d == "" {
			t.Errorf("%s: no difference", name)
		}
	}
	if d := Diff(plain, make(func(b *Builder, t Txn) { b.IntKey(100); b.SetPlace(t, At(0, 3)) })); d != "" {
		t.Errorf("an unused key and a place: %s", d)
	}
}

func TestPlaces(t *testing.T) {
	b := NewBuilder()
	b.File(File{Name: "a.txt"})
	f := b.File(File{Name: "b.bin", Binary: true})
	s := b.Session(Name{})
	if b.Session(Name{}) == s {
		t.Error("sessions without a name are one")
	}
	t1, t2, t3 := b.Txn(s, Committed), b.Txn(s, Committed), b.Txn(s, Committed)
	b.SetPlace(t1, At(0, 12))
	b.SetPlace(t2, At(f, 1+100))
	h := build(t, b)
	for txn, want := range map[Txn]string{t1: "a.txt:12", t2: "b.bin, byte 100", t3: ""} {
		if got := h.Locate(h.Place(txn)); got != want {
			t.Errorf("transaction %d at %q", txn, got)
		}
	}
}

// TestCheck: a damaged history does not pass.
func TestCheck(t *testing.T) {
	for name, damage := range map[string]func(h *History){
		"key":     func(h *History) { h.key[len(h.key)-1] = 5 },
		"value":   func(h *History) { h.value[len(h.key)-1] = -7 },
		"name":    func(h *History) { h.value[len(h.key)-1] = firstName + 100 },
		"kind":    func(h *History) { h.kind[len(h.key)-1] = numKinds },
		"type":    func(h *History) { h.kind[len(h.key)-1] = Append },
		"session": func(h *History) { h.session[1] = 1 },
		"first":   func(h *History) { h.first[1]-- },
		"txn":     func(h *History) { h.txn[len(h.txn)-1]-- },
		"column":  func(h *History) { h.status = h.status[1:] },
		"initial": func(h *History) { h.value[0] = 3 },
		"list":    func(h *History) { h.listFirst, h.listLen = []uint32{3}, []int32{1} },
	} {
		b := NewBuilder()
		b.Txn(b.Session(Int(0)), Committed)
		b.Write(b.IntKey(0), b.IntValue(1))
		h := build(t, b)
		damage(h)
		if h.Check() == nil {
			t.Errorf("%s: passes", name)
		}
	}
}

// large builds the size of the largest histories that the design asks for.
func large(txns, ops int) *Builder {
	b := NewBuilder()
	rnd := rand.New(rand.NewPCG(1, 2))
	var sessions []Session
	for s := range 25 {
		sessions = append(sessions, b.Session(Int(int64(s))))
	}
	n := int64(0)
	last := make([]Value, 10000)
	for t := range txns {
		b.SetNumber(b.Txn(sessions[t%25], Committed), int64(t))
		for range ops {
			i := rnd.IntN(len(last))
			if rnd.IntN(2) == 0 {
				n++
				last[i] = b.IntValue(n)
				b.Write(b.IntKey(int64(i)), last[i])
			} else {
				b.Read(b.IntKey(int64(i)), last[i])
			}
		}
	}
	return b
}

// TestMemory: a history of 1M transactions with 8M operations and its index take
// less than a gigabyte together with all garbage of making them.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a history of 8M operations")
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	h := build(t, large(1_000_000, 8))
	h.Sources()
	runtime.ReadMemStats(&after)
	t.Logf("%d MB allocated in all", (after.TotalAlloc-before.TotalAlloc)>>20)
	runtime.GC()
	runtime.ReadMemStats(&after)
	held := (after.HeapAlloc - before.HeapAlloc) >> 20
	sys := after.HeapSys >> 20
	t.Logf("%d MB held, %d MB from the system", held, sys)
	if held > 300 || sys > 1000 {
		t.Errorf("%d MB are held and %d MB were needed", held, sys)
	}
	runtime.KeepAlive(h)
}

func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		build(b, large(100_000, 8))
	}
}

func BenchmarkSources(b *testing.B) {
	h := build(b, large(100_000, 8))
	for b.Loop() {
		newSources(h)
	}
}

func BenchmarkWriters(b *testing.B) {
	h := build(b, large(100_000, 8))
	for b.Loop() {
		newWriters(h)
	}
}

// TestAllocations: loops over a history allocate nothing.
func TestAllocations(t *testing.T) {
	h := build(t, large(100, 8))
	src := h.Sources()
	if n := testing.AllocsPerRun(10, func() {
		reads := 0
		for txn := range Txn(h.NumTxns()) {
			o, end := h.Ops(txn)
			for ; o < end; o++ {
				reads += len(src.Of(o))
			}
		}
		if reads == 0 {
			panic("no reads")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestSourcesOfMany compares the sources that several goroutines find with those
// by definition, where some values were written twice.
func TestSourcesOfMany(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	b := NewBuilder()
	s := b.Session(Int(0))
	const keys, values = 50, 1 << 13
	for range 40_000 {
		b.Txn(s, Committed)
		for range 4 {
			k, v := b.IntKey(rnd.Int64N(keys)), b.IntValue(rnd.Int64N(values))
			if rnd.IntN(2) == 0 {
				b.Read(k, v)
			} else {
				b.Write(k, v)
			}
		}
	}
	h := build(t, b)
	type version struct {
		k Key
		v Value
	}
	writes := map[version][]Op{}
	for o := range Op(h.NumOps()) {
		if h.Kind(o).Writes() {
			v := version{h.Key(o), h.Value(o)}
			writes[v] = append(writes[v], o)
		}
	}
	for o := range Op(h.NumOps()) {
		if h.Kind(o) == Read && !slices.Equal(h.Sources().Of(o), writes[version{h.Key(o), h.Value(o)}]) {
			t.Fatalf("the sources of %s are %d, want %d", h.Words(o), h.Sources().Of(o), writes[version{h.Key(o), h.Value(o)}])
		}
	}
	if !h.Sources().Duplicates() {
		t.Error("no duplicates")
	}
}

// TestClockDrift moves the ends, and only those that are known.
func TestClockDrift(t *testing.T) {
	b := NewBuilder()
	b.SetOrder(RealTime)
	stamps := [][4]int64{{1, 2, 90, 100}, {3, 4, 105, 110}, {5, NoEnd, 120, 125}, {6, 7, NoTime, NoTime}}
	for i, x := range stamps {
		txn := b.Txn(b.Session(Int(int64(i))), Committed)
		b.SetBegin(txn, x[0])
		b.SetEnd(txn, x[1])
		b.SetStarted(txn, x[2])
		b.SetEnded(txn, x[3])
	}
	h := build(t, b)
	for _, c := range []struct {
		drift    int64
		t, u     Txn
		precedes bool
	}{{0, 1, 2, true}, {4, 1, 2, true}, {5, 1, 2, false}, {5, 1, 3, true}, {0, 2, 1, false}, {0, 3, 4, false}, {0, 1, 4, false}, {math.MaxInt64, 1, 3, false}} {
		if got := h.WithClockDrift(c.drift).Precedes(c.t, c.u); got != c.precedes {
			t.Errorf("drift %d: transaction %d precedes %d: %v", c.drift, c.t, c.u, got)
		}
	}
	if !h.Precedes(1, 2) || h.Begin(1) != 1 {
		t.Error("the history has changed")
	}
	if build(t, NewBuilder()).WithClockDrift(1) != nil {
		t.Error("a history without times has a drift")
	}
}
