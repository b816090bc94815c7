package codec

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec/internal/ednode"
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
	err := p.each(func(line int, m ednode.Node) (err error) {
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

func (r *chronosReader) txn(m ednode.Node) (t history.Txn, begin, end hybrid, err error) {
	b := r.b
	sid, ok := m.Get("sid")
	ops, ok2 := m.Get("ops")
	if !ok || !ok2 || ops.Shape() != ednode.ListNode {
		return 0, begin, end, fmt.Errorf("%s, expected {\"tid\", \"sid\", \"sts\", \"cts\", \"ops\"}", ednode.Clip(m))
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
	t = b.Txn(b.Session(sid.Name()), history.Committed)
	if tid, ok := m.Get("tid"); ok {
		if tid.Shape() == ednode.IntNode {
			b.SetNumber(t, tid.Node().Num)
		} else {
			b.SetLabel(t, tid.Word())
		}
	}
	for op := ops.First(); op.In(ops); op = op.Next() {
		kind, ok := op.Get("t")
		key, ok2 := op.Get("k")
		value, ok3 := op.Get("v")
		switch {
		case ok && ok2 && ok3 && kind.Is("w"):
			b.Write(b.Key(key.Name()), b.Value(value.Name()))
		case ok && ok2 && ok3 && kind.Is("r"):
			b.Read(b.Key(key.Name()), b.Value(value.Name()))
		default:
			return 0, begin, end, fmt.Errorf("the operation %s, expected {\"t\": \"w\" or \"r\", \"k\": key, \"v\": value}", ednode.Clip(op))
		}
	}
	return t, begin, end, b.Err()
}

func (a hybrid) compare(b hybrid) int { return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(a.l, b.l)) }

func stamp(m ednode.Node, key string) (hybrid, error) {
	s, ok := m.Get(key)
	if ok {
		p, ok := s.Get("p")
		l, ok2 := s.Get("l")
		if ok && ok2 && p.Shape() == ednode.IntNode && l.Shape() == ednode.IntNode {
			return hybrid{p.Node().Num, l.Node().Num}, nil
		}
	}
	return hybrid{}, fmt.Errorf("no stamp %q: {\"p\": physical, \"l\": logical}", key)
}
