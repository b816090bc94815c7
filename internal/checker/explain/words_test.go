package explain

import (
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/isolation"
)

// sample is a history with one operation of each kind, in one transaction of each
// data type.
func sample(t *testing.T) *history.History {
	t.Helper()
	b := history.NewBuilder()
	s := b.Session(history.String("a"))
	x, one, two := b.Key(history.String("x")), b.IntValue(1), b.IntValue(2)
	b.SetNumber(b.Txn(s, history.Committed), 7)
	b.Write(x, one)
	b.Read(x, one)
	b.Op(history.Insert, x, two)
	b.Op(history.Delete, x, history.Initial)
	b.Read(x, history.NoValue)
	b.Range(history.Range{Low: one, High: two})
	b.Txn(s, history.Committed)
	l := b.Key(history.String("l"))
	b.Op(history.Append, l, one)
	b.List(history.ReadList, l, []history.Value{one, two})
	long := make([]history.Value, longList+1)
	for i := range long {
		long[i] = b.IntValue(int64(i))
	}
	b.List(history.ReadList, l, long)
	c := b.Key(history.String("c"))
	b.Op(history.Increment, c, one)
	b.Op(history.ReadCounter, c, one)
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestOpWords(t *testing.T) {
	h := sample(t)
	want := []string{
		"write x = 1", "read x = 1", "insert x = 2", "delete x", "read x = ?", "read 1 to 2",
		"append 1 to l", "read l = [1 2]", "read l = [… 1 2 3 4 5 6 7 8 9 10 11 12]", "increment c by 1", "read c = 1",
	}
	o, _ := h.Ops(1)
	for i, w := range want {
		if got := OpWords(h, o+history.Op(i)); got != w {
			t.Errorf("operation %d is %q, want %q", i, got, w)
		}
	}
}

func TestEdgeWords(t *testing.T) {
	h := sample(t)
	for _, c := range []struct {
		dependency isolation.Dependency
		from       history.Txn
		want       string
	}{
		{isolation.SO, 1, "T7 comes before Sa.2 in session a."},
		{isolation.SO, 0, "The initial transaction T⊥ comes before all others."},
		{isolation.RT, 1, "T7 had ended before Sa.2 began."},
		{isolation.RW, 1, "Sa.2 overwrites the version of x that T7 read."},
	} {
		e := checker.Edge{Dependency: c.dependency, From: c.from, To: 2, Key: 0, Read: -1}
		if got := Edge(h, e); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestCandidates: where a value was written twice, a sentence says so, and names who may have
// written it; and a key without a name is called by its type.
func TestCandidates(t *testing.T) {
	build := func(values ...int64) *history.History {
		b := history.NewBuilder()
		k := b.Key(history.Name{})
		for i, v := range values {
			b.SetNumber(b.Txn(b.Session(history.Int(int64(i))), history.Committed), int64(i+1))
			b.Write(k, b.IntValue(v))
		}
		b.SetNumber(b.Txn(b.Session(history.Int(100)), history.Committed), 100)
		b.Read(k, b.IntValue(7))
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	for _, c := range []struct {
		values     []int64
		wr, rw, op string
	}{
		{[]int64{7, 8}, "T100 (read the register = 7) reads what T1 wrote.", "T2 overwrites the version of the register that T100 read.", "read the register = 7"},
		{[]int64{7, 7}, "T100 (read the register = 7) reads what T1 wrote (T2 wrote the same value, so that this is one of 2 choices).",
			"T2 overwrites the version of the register that T100 read (that of one of T1 and T2, which all wrote the same value).", "read the register = 7"},
		{[]int64{7, 7, 7, 7, 7, 7, 7}, "T100 (read the register = 7) reads what T1 wrote (T2, T3, T4, T5, T6 and 1 more wrote the same value, so that this is one of 7 choices).",
			"T2 overwrites the version of the register that T100 read (that of one of T1, T2, T3, T4, T5 and 2 more, which all wrote the same value).", "read the register = 7"},
	} {
		h := build(c.values...)
		reader := history.Txn(h.NumTxns() - 1)
		o, _ := h.Ops(reader)
		if got := Edge(h, checker.Edge{Dependency: isolation.WR, From: 1, To: reader, Read: o}); got != c.wr {
			t.Errorf("got %q, want %q", got, c.wr)
		}
		if got := Edge(h, checker.Edge{Dependency: isolation.RW, From: reader, To: 2, Read: o}); got != c.rw {
			t.Errorf("got %q, want %q", got, c.rw)
		}
		if got := OpWords(h, o); got != c.op {
			t.Errorf("got %q, want %q", got, c.op)
		}
	}
}
