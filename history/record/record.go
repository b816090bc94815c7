package record

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/txrobust/robust/history"
)

// Recorder records one history.
type Recorder struct {
	start time.Time
	clock atomic.Int64

	mu       sync.Mutex
	sessions []*Session
	initial  []op

	stream    io.Writer // or nil
	streamErr error
}

// New gives a recorder of an empty history.
func New() *Recorder { return &Recorder{start: time.Now()} }

// stamp is later than all stamps that were given before.
func (r *Recorder) stamp() stamp { return stamp{r.clock.Add(1), int64(time.Since(r.start))} }

type stamp struct{ order, nanoseconds int64 }

// Initial says what a key holds before the recording. It is nil if nothing is
// said.
func (r *Recorder) Initial(key, value any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.initial = append(r.initial, op{kind: history.Write, key: name(key), value: name(value)})
}

// Session is one client: its transactions follow one another.
type Session struct {
	r    *Recorder
	name string
	mu   sync.Mutex
	txns []*Txn
}

// Session adds a client. No two should have one name.
func (r *Recorder) Session(name string) *Session {
	s := &Session{r: r, name: name}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions = append(r.sessions, s)
	return s
}

// Txn is one transaction of a session.
type Txn struct {
	s          *Session
	label      string
	status     history.Status
	begin, end stamp
	ended      bool
	ops        []op
}

type op struct {
	kind       history.Kind
	key, value history.Name
	list       []history.Name
	low, high  history.Name
	live, dead []row
}

// Begin begins a transaction, before its first request. The label is for the
// reader of a report, and may be empty. A transaction of the session that was not
// ended has an unknown outcome.
func (s *Session) Begin(label string) *Txn {
	t := &Txn{s: s, label: label, status: history.Unknown}
	t.begin = s.r.line(":invoke", t)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.txns = append(s.txns, t)
	return t
}

// name makes a name of a key or value: of integers, of strings, of nil, and of
// anything else what fmt prints.
func name(v any) history.Name {
	switch v := v.(type) {
	case nil:
		return history.Name{}
	case int:
		return history.Int(int64(v))
	case int32:
		return history.Int(int64(v))
	case int64:
		return history.Int(v)
	case uint32:
		return history.Int(int64(v))
	case string:
		return history.String(v)
	case []byte:
		return history.String(string(v))
	}
	return history.String(fmt.Sprint(v))
}

func (t *Txn) add(o op) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.ended {
		panic("record: an operation of a transaction that has ended")
	}
	t.ops = append(t.ops, o)
}

// Read records that the key held the value; nil if it had none, or was no row.
func (t *Txn) Read(key, value any) {
	t.add(op{kind: history.Read, key: name(key), value: name(value)})
}

// Write records that the key was set to the value, not nil.
func (t *Txn) Write(key, value any) {
	t.add(op{kind: history.Write, key: name(key), value: name(value)})
}

// Insert records a new row.
func (t *Txn) Insert(key, value any) {
	t.add(op{kind: history.Insert, key: name(key), value: name(value)})
}

// Delete records that a row is gone. Who then finds no row reads nil.
func (t *Txn) Delete(key any) { t.add(op{kind: history.Delete, key: name(key)}) }

// Append records that an element was added to the end of a list.
func (t *Txn) Append(key, element any) {
	t.add(op{kind: history.Append, key: name(key), value: name(element)})
}

// ReadList records the elements of a list.
func (t *Txn) ReadList(key any, elements ...any) { t.many(history.ReadList, key, elements) }

// Add records that an element was added to a set.
func (t *Txn) Add(key, element any) {
	t.add(op{kind: history.Add, key: name(key), value: name(element)})
}

// ReadSet records the elements of a set.
func (t *Txn) ReadSet(key any, elements ...any) { t.many(history.ReadSet, key, elements) }

// Increment records that an amount was added to a counter.
func (t *Txn) Increment(key any, by int64) {
	t.add(op{kind: history.Increment, key: name(key), value: history.Int(by)})
}

// ReadCounter records the value of a counter.
func (t *Txn) ReadCounter(key any, value int64) {
	t.add(op{kind: history.ReadCounter, key: name(key), value: history.Int(value)})
}

func (t *Txn) many(kind history.Kind, key any, elements []any) {
	o := op{kind: kind, key: name(key), list: make([]history.Name, len(elements))}
	for i, e := range elements {
		o.list[i] = name(e)
	}
	t.add(o)
}

// Commit ends a transaction of which the database said that it committed.
func (t *Txn) Commit() { t.finish(history.Committed) }

// Abort ends a transaction of which it is certain that it did not commit: the
// client rolled it back, or the database said so.
func (t *Txn) Abort() { t.finish(history.Aborted) }

// Unknown ends a transaction whose outcome the client did not learn.
func (t *Txn) Unknown() { t.finish(history.Unknown) }

func (t *Txn) finish(s history.Status) {
	if t.ended {
		panic("record: a transaction ends twice")
	}
	end := t.s.r.line(map[history.Status]string{history.Committed: ":ok", history.Aborted: ":fail", history.Unknown: ":info"}[s], t)
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.status, t.end, t.ended = s, end, true
}

// History gives what was recorded so far. It fails if a key is used as two data
// types.
func (r *Recorder) History() (*history.History, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := history.NewBuilder()
	b.SetOrder(history.RealTime)
	for _, o := range r.initial {
		b.SetInitial(b.Key(o.key), b.Value(o.value))
	}
	for _, s := range r.sessions {
		s.mu.Lock()
		session := b.Session(history.String(s.name))
		for _, t := range s.txns {
			t.build(b, session)
		}
		s.mu.Unlock()
	}
	return b.Build()
}

func (t *Txn) build(b *history.Builder, s history.Session) {
	txn := b.Txn(s, t.status)
	if t.label != "" {
		b.SetLabel(txn, t.label)
	}
	b.SetBegin(txn, t.begin.order)
	b.SetStarted(txn, t.begin.nanoseconds)
	if t.ended && t.status != history.Unknown {
		b.SetEnd(txn, t.end.order)
	}
	if t.ended {
		b.SetEnded(txn, t.end.nanoseconds)
	}
	for _, o := range t.ops {
		o.build(b)
	}
}

// ReadRange records the rows from low to high, each a key and its value: those that live,
// and the tombstones of those that were deleted. A key in neither never had a row.
func (t *Txn) ReadRange(low, high any, live, dead [][2]any) {
	t.add(op{kind: history.ReadRange, low: name(low), high: name(high), live: named(live), dead: named(dead)})
}

// Bury records that a row was replaced by a tombstone, which range reads return.
func (t *Txn) Bury(key, tombstone any) {
	t.add(op{kind: history.Delete, key: name(key), value: name(tombstone)})
}

// row is a row that a range read found, or its tombstone.
type row struct{ key, value history.Name }

func named(rows [][2]any) []row {
	var out []row
	for _, r := range rows {
		out = append(out, row{name(r[0]), name(r[1])})
	}
	return out
}

func (o op) build(b *history.Builder) {
	switch o.kind {
	case history.ReadList, history.ReadSet:
		elements := make([]history.Value, len(o.list))
		for i, e := range o.list {
			elements[i] = b.Value(e)
		}
		b.List(o.kind, b.Key(o.key), elements)
	case history.ReadRange:
		r := history.Range{Low: b.Value(o.low), High: b.Value(o.high)}
		for _, x := range o.live {
			r.LiveKeys, r.LiveValues = append(r.LiveKeys, b.Key(x.key)), append(r.LiveValues, b.Value(x.value))
		}
		for _, x := range o.dead {
			r.DeadKeys, r.DeadRows = append(r.DeadKeys, b.Key(x.key)), append(r.DeadRows, b.Value(x.value))
		}
		b.Range(r)
	default:
		b.Op(o.kind, b.Key(o.key), b.Value(o.value))
	}
}
