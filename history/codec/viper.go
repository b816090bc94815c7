package codec

import (
	"fmt"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec/internal/ednode"
)

// viperReader reads the logs of Viper: one file per session, one transaction a
// line, {"value": [operation, …]}, with operations
//
//	["w", key, value, success]
//	["r", key, value, is dead]
//	["i", key, value, value read, is dead, success]      insert
//	["d", key, tombstone, value read, is dead, success]  delete
//	["range", low, high, [live], [dead]]
//
// Rows of a range are {"id": key, "val": value} or [key, value]; null is the
// initial value and, as a bound, none. An insert and a delete have read the row
// before if they say so. What did not succeed has no effect. A first line with
// "isInitial": true has the initial values.
type viperReader struct {
	b      *history.Builder
	marked bool
	nulls  bool // somebody read null
}

func (r *viperReader) file(in *input) error {
	p := &parser{input: in, json: true}
	s, marked := history.NoSession, false
	session := func() {
		if s == history.NoSession {
			s = r.b.Session(sessionOfFile(in.name, "J"))
		}
	}
	for {
		if err := p.space(); err != nil {
			return err
		}
		if _, ok := p.peek(); !ok {
			if !marked { // an empty file is a session, too
				session()
			}
			return in.err
		}
		line, m, err := p.located()
		if err != nil {
			return err
		}
		ops, ok := m.Get("value")
		if !ok || ops.Shape() != ednode.ListNode {
			return in.errorAt(line, 0, "%s, expected {\"value\": [operation, …]}", ednode.Clip(m))
		}
		initial, ok := m.Get("isInitial")
		if ok && string(initial.Text()) == "true" {
			if r.marked {
				return in.errorAt(line, 0, "a second initial transaction")
			}
			r.marked, marked = true, true
			if err := r.initial(ops); err != nil {
				return in.errorAt(line, 0, "%v", err)
			}
			continue
		}
		session()
		r.b.SetPlace(r.b.Txn(s, history.Committed), history.At(in.file, int64(line)))
		for op := ops.First(); op.In(ops); op = op.Next() {
			err := r.operation(op)
			if err == nil {
				err = r.b.Err()
			}
			if err != nil {
				return in.errorAt(line, 0, "%v", err)
			}
		}
	}
}

// initial takes the writes of the initial transaction.
func (r *viperReader) initial(ops ednode.Node) error {
	for op := ops.First(); op.In(ops); op = op.Next() {
		f := fields(op)
		if len(f) < 3 || !f[0].Is("w") && !f[0].Is("i") {
			return fmt.Errorf("%s in the initial transaction, expected a write", ednode.Clip(op))
		}
		r.b.SetInitial(r.b.Key(f[1].Name()), r.b.Value(f[2].Name()))
	}
	return r.b.Err()
}

func fields(a ednode.Node) []ednode.Node {
	if a.Shape() != ednode.ListNode {
		return nil
	}
	var out []ednode.Node
	for c := a.First(); c.In(a); c = c.Next() {
		out = append(out, c)
	}
	return out
}

func (r *viperReader) operation(op ednode.Node) error {
	b := r.b
	f := fields(op)
	no := func(i int) bool { return i < len(f) && string(f[i].Text()) == "false" }
	read := func(k history.Key, v ednode.Node) {
		r.nulls = r.nulls || v.Shape() == ednode.NilNode
		b.Read(k, b.Value(v.Name()))
	}
	switch {
	case len(f) < 3:
	case f[0].Is("w"):
		if !no(3) {
			b.Write(b.Key(f[1].Name()), b.Value(f[2].Name()))
		}
		return nil
	case f[0].Is("r"):
		read(b.Key(f[1].Name()), f[2])
		return nil
	case f[0].Is("i") || f[0].Is("d"):
		k := b.Key(f[1].Name())
		if len(f) > 4 {
			read(k, f[3])
		}
		if no(5) || len(f) == 4 && no(3) {
			return nil
		}
		kind := history.Insert
		if f[0].Is("d") {
			kind = history.Delete
		}
		b.Op(kind, k, b.Value(f[2].Name()))
		return nil
	case f[0].Is("range") && len(f) >= 5:
		g := history.Range{Low: b.Value(f[1].Name()), High: b.Value(f[2].Name())}
		var err error
		if g.LiveKeys, g.LiveValues, err = r.rows(f[3]); err != nil {
			return err
		}
		if g.DeadKeys, g.DeadRows, err = r.rows(f[4]); err != nil {
			return err
		}
		b.Range(g)
		return nil
	}
	return fmt.Errorf("the operation %s, expected [\"w\"|\"r\"|\"i\"|\"d\", key, value, …] or [\"range\", low, high, [live], [dead]]", ednode.Clip(op))
}

func (r *viperReader) rows(list ednode.Node) (keys []history.Key, values []history.Value, err error) {
	if list.Shape() != ednode.ListNode {
		return nil, nil, fmt.Errorf("the rows %s, expected an array", ednode.Clip(list))
	}
	for row := list.First(); row.In(list); row = row.Next() {
		key, ok := row.Get("id")
		value, ok2 := row.Get("val")
		if f := fields(row); len(f) == 2 {
			key, value, ok, ok2 = f[0], f[1], true, true
		}
		if !ok || !ok2 {
			return nil, nil, fmt.Errorf("the row %s, expected {\"id\": key, \"val\": value} or [key, value]", ednode.Clip(row))
		}
		keys = append(keys, r.b.Key(key.Name()))
		values = append(values, r.b.Value(value.Name()))
	}
	return keys, values, nil
}
