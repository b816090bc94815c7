package collect

import (
	"context"
	"fmt"

	"github.com/txrobust/robust/history/record"
)

// tx is a transaction that runs on a database and is recorded: a workload.Tx.
type tx struct {
	s   *session
	ctx context.Context
	t   *record.Txn
}

// request gives a request its time.
func (t *tx) request(f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(t.ctx, t.s.r.Patience)
	defer cancel()
	return f(ctx)
}

// looks says how the keys of an operation are read.
var looks = map[Op]Op{
	Read: Read, Write: Read, Append: ReadList, ReadList: ReadList, Add: ReadSet, ReadSet: ReadSet,
	Increment: ReadCounter, ReadCounter: ReadCounter, Put: Scan, Bury: Scan,
}

// do sends a request, and records what came of it. What was written is recorded before the
// answer is known: it may take effect.
func (t *tx) do(r Request) (Answer, error) {
	t.recordWrite(r)
	if look, ok := looks[r.Op]; ok {
		t.s.r.mu.Lock()
		t.s.r.used[r.Key] = look
		t.s.r.mu.Unlock()
	}
	var a Answer
	err := t.request(func(ctx context.Context) (err error) {
		a, err = t.s.conn.Do(ctx, r)
		return err
	})
	if err == nil {
		t.recordRead(r, a)
	}
	return a, err
}

func (t *tx) recordWrite(r Request) {
	switch r.Op {
	case Write, Put:
		t.t.Write(r.Key, r.Value)
	case Bury:
		t.t.Bury(r.Key, r.Value)
	case Append:
		t.t.Append(r.Key, r.Value)
	case Add:
		t.t.Add(r.Key, r.Value)
	case Increment:
		t.t.Increment(r.Key, r.Value)
	case Read, ReadList, ReadSet, ReadCounter, Scan:
	default:
		panic(fmt.Sprintf("collect: unknown request %s", r.Op))
	}
}

func (t *tx) recordRead(r Request, a Answer) {
	switch r.Op {
	case Read:
		if a.Found {
			t.t.Read(r.Key, a.Value)
		} else {
			t.t.Read(r.Key, nil)
		}
	case ReadList:
		t.t.ReadList(r.Key, list(a.Elements)...)
	case ReadSet:
		t.t.ReadSet(r.Key, list(a.Elements)...)
	case ReadCounter:
		t.t.ReadCounter(r.Key, a.Value)
	case Scan:
		var live, dead [][2]any
		for _, x := range a.Rows {
			if row := [2]any{x.Key, x.Value}; x.Dead {
				dead = append(dead, row)
			} else {
				live = append(live, row)
			}
		}
		t.t.ReadRange(r.Key, r.High, live, dead)
	case Write, Append, Add, Increment, Put, Bury:
	}
}

func list(elements []int64) []any {
	out := make([]any, len(elements))
	for i, e := range elements {
		out[i] = e
	}
	return out
}

// fresh is a value that nobody has written.
func (t *tx) fresh() int64 { return t.s.r.value.Add(1) }

// update sends a request that writes.
func (t *tx) update(op Op, key, value, data int64) error {
	_, err := t.do(Request{Op: op, Key: key, Value: value, Data: data})
	return err
}

// query sends a request that reads.
func (t *tx) query(op Op, key, high int64) error {
	_, err := t.do(Request{Op: op, Key: key, High: high})
	return err
}

func (t *tx) Read(key int64) (int64, error) {
	a, err := t.do(Request{Op: Read, Key: key})
	return a.Data, err
}

func (t *tx) Write(key, data int64) error   { return t.update(Write, key, t.fresh(), data) }
func (t *tx) Append(key int64) error        { return t.update(Append, key, t.fresh(), 0) }
func (t *tx) ReadList(key int64) error      { return t.query(ReadList, key, 0) }
func (t *tx) Add(key int64) error           { return t.update(Add, key, t.fresh(), 0) }
func (t *tx) ReadSet(key int64) error       { return t.query(ReadSet, key, 0) }
func (t *tx) Increment(key, by int64) error { return t.update(Increment, key, by, 0) }
func (t *tx) ReadCounter(key int64) error   { return t.query(ReadCounter, key, 0) }
func (t *tx) Put(key int64) error           { return t.update(Put, key, t.fresh(), 0) }
func (t *tx) Bury(key int64) error          { return t.update(Bury, key, t.fresh(), 0) }
func (t *tx) Scan(low, high int64) error    { return t.query(Scan, low, high) }
