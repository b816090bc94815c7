package elle

import (
	"math/rand/v2"
	"testing"

	"github.com/txrobust/robust/history"
)

// randomHistory makes a history in which reads return anything that was written,
// now or later, by whomever: most of it is nonsense, and so finds what simulated
// databases do not.
func randomHistory(t testing.TB, rng *rand.Rand, typ history.Type) *history.History {
	t.Helper()
	b := history.NewBuilder()
	txns, keys, ops := 2+rng.IntN(4), 1+rng.IntN(2), 1+rng.IntN(3)
	sessions := make([]history.Session, 1+rng.IntN(3))
	for i := range sessions {
		sessions[i] = b.Session(history.Int(int64(i)))
	}
	for k := range keys {
		b.IntKey(int64(k))
	}
	type op struct {
		read  bool
		key   history.Key
		value history.Value
	}
	plan := make([][]op, txns)
	written := make([][]history.Value, keys)
	next := int64(0)
	for i := range plan {
		for range 1 + rng.IntN(ops) {
			o := op{read: rng.IntN(2) == 0, key: history.Key(rng.IntN(keys))}
			if !o.read {
				if next++; rng.IntN(30) == 0 {
					next-- // a value that is written twice
				}
				o.value = b.IntValue(next)
				written[o.key] = append(written[o.key], o.value)
			}
			plan[i] = append(plan[i], o)
		}
	}
	// The order of most reads of lists, so that they agree.
	for _, vs := range written {
		if rng.IntN(3) == 0 {
			rng.Shuffle(len(vs), func(i, j int) { vs[i], vs[j] = vs[j], vs[i] })
		}
	}
	stamped := rng.IntN(2) == 0
	if stamped {
		b.SetOrder(history.RealTime)
	}
	now := int64(0)
	for _, os := range plan {
		status := history.Committed
		switch rng.IntN(10) {
		case 0:
			status = history.Aborted
		case 1:
			status = history.Unknown
		}
		txn := b.Txn(sessions[rng.IntN(len(sessions))], status)
		if stamped {
			b.SetBegin(txn, now+int64(rng.IntN(2)))
			now += int64(1 + rng.IntN(3))
			if status != history.Unknown {
				b.SetEnd(txn, now+int64(rng.IntN(4)))
			}
		}
		for _, o := range os {
			vs := written[o.key]
			switch {
			case o.read && typ == history.List:
				list := append([]history.Value(nil), vs[:rng.IntN(len(vs)+1)]...)
				if len(list) > 1 && rng.IntN(8) == 0 {
					rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				}
				b.List(history.ReadList, o.key, list)
			case o.read:
				v := history.Initial
				if n := rng.IntN(len(vs) + 1); n < len(vs) {
					v = vs[n]
				}
				b.Read(o.key, v)
			case typ == history.List:
				b.Op(history.Append, o.key, o.value)
			default:
				b.Write(o.key, o.value)
			}
		}
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}
