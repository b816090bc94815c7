package codec

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
)

// chronosReader reads the JSON of Chronos: an array of
//
//	{"tid": n, "sid": n, "sts": {"p": n, "l": n}, "cts": {"p": n, "l": n},
//	 "ops": [{"t": "w"|"r", "k": key, "v": value}, …]}
//
// sts and cts are the stamps that the database gave to the snapshot and to the
// commit: physical time, then a counter. The value null is the initial one.
type chronosReader struct{ b *history.Builder }

// hybrid is a stamp of a hybrid logical clock.
type hybrid struct{ p, l int64 }

func (r *chronosReader) file(in *input) error {
	p := &parser{input: in, json: true}
	if ok, err := p.enter("["); err != nil || !ok {
		return firstOf(err, p.errorf("expected an array of transactions"))
	}
	type stamps struct {
		txn        history.Txn
		begin, end hybrid
	}
	var all []stamps
	err := p.each(func(line int, m at) (err error) {
		s := stamps{}
		if s.txn, s.begin, s.end, err = r.txn(m); err != nil {
			return in.errorAt(line, 0, "%v", err)
		}
		r.b.SetPlace(s.txn, history.At(in.file, int64(line)))
		all = append(all, s)
		return nil
	})
	if err != nil {
		return err
	}
	if err := p.end(); err != nil {
		return err
	}
	// The model has one number per stamp: its place in the order of all.
	var order []hybrid
	for _, s := range all {
		order = append(order, s.begin, s.end)
	}
	slices.SortFunc(order, hybrid.compare)
	order = slices.Compact(order)
	for _, s := range all {
		begin, _ := slices.BinarySearchFunc(order, s.begin, hybrid.compare)
		end, _ := slices.BinarySearchFunc(order, s.end, hybrid.compare)
		r.b.SetBegin(s.txn, int64(begin))
		r.b.SetEnd(s.txn, int64(end))
	}
	r.b.SetOrder(history.Database)
	return nil
}

func (r *chronosReader) txn(m at) (t history.Txn, begin, end hybrid, err error) {
	b := r.b
	sid, ok := m.get("sid")
	ops, ok2 := m.get("ops")
	if !ok || !ok2 || ops.shape() != listNode {
		return 0, begin, end, fmt.Errorf("%s, expected {\"tid\", \"sid\", \"sts\", \"cts\", \"ops\"}", clip(m))
	}
	if begin, err = stamp(m, "sts"); err != nil {
		return 0, begin, end, err
	}
	if end, err = stamp(m, "cts"); err != nil {
		return 0, begin, end, err
	}
	if end.compare(begin) < 0 {
		return 0, begin, end, fmt.Errorf("the transaction commits (cts) before it begins (sts)")
	}
	t = b.Txn(b.Session(sid.name()), history.Committed)
	if tid, ok := m.get("tid"); ok {
		if tid.shape() == intNode {
			b.SetNumber(t, tid.node().num)
		} else {
			b.SetLabel(t, tid.word())
		}
	}
	for op := ops.first(); op.in(ops); op = op.next() {
		kind, ok := op.get("t")
		key, ok2 := op.get("k")
		value, ok3 := op.get("v")
		switch {
		case ok && ok2 && ok3 && kind.is("w"):
			b.Write(b.Key(key.name()), b.Value(value.name()))
		case ok && ok2 && ok3 && kind.is("r"):
			b.Read(b.Key(key.name()), b.Value(value.name()))
		default:
			return 0, begin, end, fmt.Errorf("the operation %s, expected {\"t\": \"w\" or \"r\", \"k\": key, \"v\": value}", clip(op))
		}
	}
	return t, begin, end, b.Err()
}

func (a hybrid) compare(b hybrid) int { return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(a.l, b.l)) }

func stamp(m at, key string) (hybrid, error) {
	s, ok := m.get(key)
	if ok {
		p, ok := s.get("p")
		l, ok2 := s.get("l")
		if ok && ok2 && p.shape() == intNode && l.shape() == intNode {
			return hybrid{p.node().num, l.node().num}, nil
		}
	}
	return hybrid{}, fmt.Errorf("no stamp %q: {\"p\": physical, \"l\": logical}", key)
}
