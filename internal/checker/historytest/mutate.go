package historytest

import (
	"fmt"
	"math/rand/v2"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// Added is an operation on a register that a Mutation adds: a value of 0 is the initial
// one, which is only read.
type Added struct {
	Write bool
	Key   string
	Value int64
}

// Mutation is an anomaly on keys of its own, as operations of some transactions.
type Mutation struct {
	Name string
	Txns [][]Added
	// Level is the weakest that excludes it.
	Level isolation.Level
}

// Mutations are textbook anomalies.
func Mutations() []Mutation {
	read := func(k string, v int64) Added { return Added{Key: k, Value: v} }
	write := func(k string, v int64) Added { return Added{Write: true, Key: k, Value: v} }
	return []Mutation{
		{"lost update", [][]Added{{read("p", 0), write("p", 1)}, {read("p", 0), write("p", 2)}}, isolation.PLSI},
		{"long fork", [][]Added{
			{write("p", 1)}, {write("q", 1)}, {read("p", 1), read("q", 0)}, {read("p", 0), read("q", 1)},
		}, isolation.PLSI},
		{"G1c", [][]Added{{write("p", 1), read("q", 1)}, {write("q", 1), read("p", 1)}}, isolation.PLSI},
		{"G-SIb", [][]Added{{write("p", 1), write("q", 1)}, {read("p", 1), read("q", 0)}}, isolation.PLSI},
		{"write skew", [][]Added{{read("p", 0), write("q", 1)}, {read("q", 0), write("p", 1)}}, isolation.PL3},
	}
}

// Into adds the operations to committed transactions of a history of registers, which
// are chosen at random.
func (m Mutation) Into(h *history.History, r *rand.Rand) *history.History {
	where := map[history.Txn][]Added{}
	for _, i := range r.Perm(h.NumTxns() - 1) {
		if t := history.Txn(i + 1); len(where) < len(m.Txns) && h.Status(t) == history.Committed {
			where[t] = m.Txns[len(where)]
		}
	}
	b := history.NewBuilder()
	rebuild(b, h, where)
	return built(b)
}

// Beside adds the operations as new transactions, each in a session of its own.
func (m Mutation) Beside(h *history.History) *history.History {
	b := history.NewBuilder()
	rebuild(b, h, nil)
	for i, ops := range m.Txns {
		b.Txn(b.Session(history.String(fmt.Sprint("new", i))), history.Committed)
		add(b, ops)
	}
	return built(b)
}

// rebuild adds a history of registers to a builder, with more operations at the end of
// some transactions.
func rebuild(b *history.Builder, h *history.History, where map[history.Txn][]Added) {
	for s := range history.Session(h.NumSessions()) {
		session := b.Session(h.SessionName(s))
		for t, end := h.Txns(s); t < end; t++ {
			b.Txn(session, h.Status(t))
			for o, end := h.Ops(t); o < end; o++ {
				b.Op(h.Kind(o), b.Key(h.KeyName(h.Key(o))), b.Value(h.ValueName(h.Value(o))))
			}
			add(b, where[t])
		}
	}
}

func add(b *history.Builder, ops []Added) {
	for _, o := range ops {
		k, v := b.Key(history.String(o.Key)), history.Initial
		if o.Value != 0 {
			v = b.IntValue(o.Value)
		}
		if o.Write {
			b.Write(k, v)
		} else {
			b.Read(k, v)
		}
	}
}

func built(b *history.Builder) *history.History {
	h, err := b.Build()
	if err != nil {
		panic(fmt.Sprintf("historytest: %v", err))
	}
	return h
}
