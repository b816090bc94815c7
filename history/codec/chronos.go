package codec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec/internal/ednode"
)

// chronosReader reads the JSON of Chronos: an array of
//
//	{"tid": n, "sid": n, "sts": {"p": n, "l": n}, "cts": {"p": n, "l": n},
//	 "ops": [{"t": "w"|"r"|"a", "k": key, "v": value}, …]}
//
// sts and cts are the stamps that the database gave to the snapshot and to the
// commit: physical time, then a counter, which may be missing with the braces. The types are
// also write, read and append, in any case. Numbers may be strings, which Chronos takes for the
// numbers. The value null, or none, is the initial one. A transaction that is called
// initial has initial values; where there is none, nobody reads null, and 0 is read but never
// written, all keys were 0, as with the flag of Chronos for that.
type chronosReader struct {
	b      *history.Builder
	keys   []history.Key // in the order of their first use
	known  map[history.Key]bool
	marked bool
	// Of registers: somebody reads null, reads 0, or writes 0.
	nulls, readsZero, writesZero bool
	elements                     []history.Value
}

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
		if s.txn != history.InitialTxn {
			r.b.SetPlace(s.txn, history.At(in.file, int64(line)))
			all = append(all, s)
		}
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
	tid, named := m.Get("tid")
	if named && tid.Is("initial") {
		return history.InitialTxn, begin, end, r.initial(ops)
	}
	t = b.Txn(b.Session(number(sid)), history.Committed)
	if n := number(tid); named && n.Kind == history.IntName {
		b.SetNumber(t, n.Int)
	} else if named {
		b.SetLabel(t, tid.Word())
	}
	for op := ops.First(); op.In(ops); op = op.Next() {
		if err := r.operation(op); err != nil {
			return 0, begin, end, err
		}
	}
	return t, begin, end, b.Err()
}

// initial takes the values that keys held before all transactions.
func (r *chronosReader) initial(ops ednode.Node) error {
	r.marked = true
	for op := ops.First(); op.In(ops); op = op.Next() {
		kind, key, value, err := chronosOp(op)
		if err != nil {
			return err
		}
		if kind != "w" {
			return fmt.Errorf("%s in the initial transaction, expected a write", ednode.Clip(op))
		}
		r.b.SetInitial(r.key(key), r.b.Value(value))
	}
	return r.b.Err()
}

// chronosOp takes an operation apart: w, r or a, its key, and its value, which is nil if it is
// not there or a list.
func chronosOp(op ednode.Node) (kind string, key, value history.Name, err error) {
	t, ok := op.Get("t")
	k, ok2 := op.Get("k")
	v, ok3 := op.Get("v")
	if ok {
		kind = map[string]string{"w": "w", "write": "w", "r": "r", "read": "r", "a": "a", "append": "a"}[strings.ToLower(t.Word())]
	}
	if kind == "" || !ok2 || kind == "a" && !ok3 {
		return "", key, value, fmt.Errorf("the operation %s, expected {\"t\": \"w\", \"r\" or \"a\", \"k\": key, \"v\": value}", ednode.Clip(op))
	}
	if ok3 && v.Shape() != ednode.ListNode {
		value = number(v)
	}
	return kind, number(k), value, nil
}

// number is a name in which a string of digits is the number.
func number(a ednode.Node) history.Name {
	n := a.Name()
	if n.Kind == history.StringName {
		if i, ok := parseInt([]byte(n.Text)); ok {
			return history.Int(i)
		}
	}
	return n
}

func (r *chronosReader) operation(op ednode.Node) error {
	b := r.b
	kind, key, value, err := chronosOp(op)
	if err != nil {
		return err
	}
	k, zero := r.key(key), value == history.Int(0)
	list, ok := op.Get("v")
	switch {
	case kind == "a":
		r.nulls = true // lists begin empty
		b.Op(history.Append, k, b.Value(value))
	case kind == "w":
		r.writesZero = r.writesZero || zero
		b.Write(k, b.Value(value))
	case ok && list.Shape() == ednode.ListNode:
		r.elements = r.elements[:0]
		for e := list.First(); e.In(list); e = e.Next() {
			r.elements = append(r.elements, b.Value(number(e)))
		}
		b.ReadMany(k, r.elements)
	default:
		r.nulls, r.readsZero = r.nulls || value.Kind == history.NilName, r.readsZero || zero
		b.ReadAny(k, b.Value(value))
	}
	return b.Err()
}

func (r *chronosReader) key(name history.Name) history.Key {
	k := r.b.Key(name)
	if !r.known[k] {
		if r.known == nil {
			r.known = map[history.Key]bool{}
		}
		r.known[k] = true
		r.keys = append(r.keys, k)
	}
	return k
}

// takeZero makes 0 the initial value of all keys, if the recording looks like that.
func (r *chronosReader) takeZero() {
	if r.marked || r.nulls || !r.readsZero || r.writesZero {
		return
	}
	for _, k := range r.keys {
		r.b.SetInitial(k, r.b.IntValue(0))
	}
	r.b.Note("The value 0, which is read but never written, is taken for what all keys held initially.")
}

func (a hybrid) compare(b hybrid) int { return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(a.l, b.l)) }

func stamp(m ednode.Node, key string) (hybrid, error) {
	s, ok := m.Get(key)
	if p, isMap := s, ok && s.Shape() == ednode.MapNode; ok {
		l, counted := s, false
		if isMap {
			p, ok = s.Get("p")
			l, counted = s.Get("l")
			ok = ok && counted
		}
		h, zero := number(p), history.Int(0)
		if counted {
			zero = number(l)
		}
		if ok && h.Kind == history.IntName && zero.Kind == history.IntName {
			return hybrid{h.Int, zero.Int}, nil
		}
	}
	return hybrid{}, fmt.Errorf("no stamp %q: {\"p\": physical, \"l\": logical}, or a number", key)
}
