package history

import (
	"fmt"
	"math"
)

// Builder makes a History. Transactions are started with Txn, in the order of
// their session; sessions may be interleaved. Operations belong to the
// transaction that was started or resumed last.
//
// What does not fit (a key of two data types, two initial values) is kept as
// Err, which a reader asks after every record to say where it was; the rest is
// the duty of the caller.
type Builder struct {
	h   *History
	err error

	// Stretches of operations of one transaction: txns[stretch[i]] owns those
	// from start[i] to start[i+1].
	owner []Txn
	start []Op

	names    map[Name]Session
	typed    []Type
	loose    []loose
	lists    []longest // of keys
	initials map[Key]Value
}

// NewBuilder gives a builder of an empty history.
func NewBuilder() *Builder {
	b := &Builder{h: &History{}, names: map[Name]Session{}}
	b.addTxn(NoSession, Committed)
	return b
}

// Err is the first thing that did not fit.
func (b *Builder) Err() error { return b.err }

func (b *Builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

// Session gives the session of a name, a new one if needed. The names of no two
// sessions are equal, except that every call for the nil name is a new session.
func (b *Builder) Session(name Name) Session {
	s, ok := b.names[name]
	if !ok || name.Kind == NilName {
		s = Session(len(b.h.sessionNames))
		b.h.sessionNames = append(b.h.sessionNames, name)
		b.names[name] = s
	}
	return s
}

// Txn starts a transaction: the last one so far of its session.
func (b *Builder) Txn(s Session, status Status) Txn {
	if s < 0 || int(s) >= len(b.h.sessionNames) {
		panic(fmt.Sprintf("history: session %d does not exist", s))
	}
	return b.addTxn(s, status)
}

func (b *Builder) addTxn(s Session, status Status) Txn {
	t := Txn(len(b.h.session))
	if t == math.MaxInt32 {
		panic("history: too many transactions")
	}
	h := b.h
	h.session = append(h.session, s)
	h.status = append(h.status, status)
	if h.number != nil {
		h.number = append(h.number, noNumber)
	}
	if h.begin != nil {
		h.begin, h.end = append(h.begin, NoBegin), append(h.end, NoEnd)
	}
	if h.started != nil {
		h.started, h.ended = append(h.started, NoTime), append(h.ended, NoTime)
	}
	if h.places != nil {
		h.places = append(h.places, 0)
	}
	b.Resume(t)
	return t
}

// noTxn owns operations that were taken away from theirs.
const noTxn Txn = -1

// Resume makes the operations that follow belong to t.
func (b *Builder) Resume(t Txn) {
	n := len(b.owner)
	if n > 0 && b.start[n-1] == Op(len(b.h.kind)) {
		b.owner[n-1] = t
		return
	}
	b.owner, b.start = append(b.owner, t), append(b.start, Op(len(b.h.kind)))
}

// Current is the transaction that operations belong to.
func (b *Builder) Current() Txn { return b.owner[len(b.owner)-1] }

// SetStatus says how a transaction ended.
func (b *Builder) SetStatus(t Txn, s Status) { b.h.status[t] = s }

// SetNumber says what the recording calls a transaction.
func (b *Builder) SetNumber(t Txn, n int64) {
	b.h.number = column(b.h.number, len(b.h.session), noNumber)
	b.h.number[t] = n
}

// SetLabel gives a transaction words for a reader.
func (b *Builder) SetLabel(t Txn, label string) {
	if b.h.labels == nil {
		b.h.labels = map[Txn]string{}
	}
	b.h.labels[t] = label
}

// SetOrder says what Begin and End mean: one thing for the whole history.
func (b *Builder) SetOrder(o Order) { b.h.order = o }

// SetBegin and SetEnd give the stamps of a transaction.
func (b *Builder) SetBegin(t Txn, at int64) { b.stamps(); b.h.begin[t] = at }
func (b *Builder) SetEnd(t Txn, at int64)   { b.stamps(); b.h.end[t] = at }

func (b *Builder) stamps() {
	b.h.begin = column(b.h.begin, len(b.h.session), NoBegin)
	b.h.end = column(b.h.end, len(b.h.session), NoEnd)
}

// SetStarted and SetEnded give the clock times of a transaction.
func (b *Builder) SetStarted(t Txn, at int64) { b.clocks(); b.h.started[t] = at }
func (b *Builder) SetEnded(t Txn, at int64)   { b.clocks(); b.h.ended[t] = at }

func (b *Builder) clocks() {
	b.h.started = column(b.h.started, len(b.h.session), NoTime)
	b.h.ended = column(b.h.ended, len(b.h.session), NoTime)
}

// ForgetOrder drops what SetBegin and SetEnd said.
func (b *Builder) ForgetOrder() { b.h.begin, b.h.end, b.h.order = nil, nil, NoOrder }

// SetPlace says where a transaction was recorded.
func (b *Builder) SetPlace(t Txn, p Place) {
	b.h.places = column(b.h.places, len(b.h.session), 0)
	b.h.places[t] = p
}

// File adds a file that places may name, and gives its number.
func (b *Builder) File(f File) int {
	b.h.files = append(b.h.files, f)
	return len(b.h.files) - 1
}

// Note adds an assumption about the recording.
func (b *Builder) Note(format string, args ...any) {
	b.h.notes = append(b.h.notes, fmt.Sprintf(format, args...))
}

// column makes an optional column, when its first value is set.
func column[T any](c []T, n int, absent T) []T {
	if c == nil {
		c = make([]T, n, max(n, 64))
		for i := range c {
			c[i] = absent
		}
	}
	return c
}

// Key gives the key of a name.
func (b *Builder) Key(name Name) Key { return Key(b.h.keys.intern(name)) }

// IntKey is Key(Int(n)), faster.
func (b *Builder) IntKey(n int64) Key { return Key(b.h.keys.int(n)) }

// KeyName is the name of a key.
func (b *Builder) KeyName(k Key) Name { return b.h.keys.name(int32(k)) }

// Value gives the value of a name; that of the nil name is Initial.
func (b *Builder) Value(name Name) Value {
	switch name.Kind {
	case NilName:
		return Initial
	case IntName:
		return b.IntValue(name.Int)
	}
	return firstName + Value(b.h.values.intern(name))
}

// IntValue is Value(Int(n)), faster.
func (b *Builder) IntValue(n int64) Value {
	if 0 <= n && n < int64(firstName-firstInt) {
		return firstInt + Value(n)
	}
	return firstName + Value(b.h.values.int(n))
}

// ValueName is the name of a value.
func (b *Builder) ValueName(v Value) Name { return b.h.ValueName(v) }

// SetInitial says what a register holds before everything else, or with NoValue
// of any key that this is not known.
func (b *Builder) SetInitial(k Key, v Value) {
	if v != NoValue {
		b.use(Write, k)
	}
	if b.initials == nil {
		b.initials = map[Key]Value{}
	}
	if old, ok := b.initials[k]; ok && old != v {
		b.fail("the key %s has two initial values, %s and %s", b.KeyName(k), b.ValueName(old), b.ValueName(v))
	}
	b.initials[k] = v
}

// Op adds an operation that has one value: a read or write of a register, an
// append, an insert, …; and any read whose result is not known.
func (b *Builder) Op(kind Kind, k Key, v Value) {
	b.use(kind, k)
	b.op(kind, k, v)
}

// Read and Write add an operation on a register.
func (b *Builder) Read(k Key, v Value)  { b.Op(Read, k, v) }
func (b *Builder) Write(k Key, v Value) { b.Op(Write, k, v) }

// SetVersion gives the last operation the identity of the version that it
// writes or reads.
func (b *Builder) SetVersion(v Value) {
	b.h.version = column(b.h.version, len(b.h.kind), NoValue)
	b.h.version[len(b.h.kind)-1] = v
}

// List adds a ReadList or ReadSet that returned elements, which it copies.
func (b *Builder) List(kind Kind, k Key, elements []Value) {
	b.use(kind, k)
	b.listOp(kind, k, elements)
}

// longest is the longest list that was read of a key so far.
type longest struct {
	list int32 // 1 + its number
	room int32 // elements that fit where it is, its own included
}

func (b *Builder) listOp(kind Kind, k Key, elements []Value) {
	h := b.h
	if int(k) >= len(b.lists) {
		b.lists = append(b.lists, make([]longest, len(h.keys.kind)-len(b.lists))...)
	}
	// Most reads of a list return a prefix of the longest read so far, or
	// extend it: prefixes are stored once.
	last, n, extends := &b.lists[k], 0, false
	if last.list != 0 {
		at := h.listFirst[last.list-1]
		n = int(h.listLen[last.list-1])
		same := equal(h.elements[at:at+uint32(min(n, len(elements)))], elements)
		switch {
		case same && len(elements) == n:
			b.op(kind, k, Value(last.list-1))
			return
		case same && len(elements) < n:
			b.op(kind, k, b.list(at, len(elements)))
			return
		case same && len(elements) <= int(last.room):
			copy(h.elements[at+uint32(n):], elements[n:])
			v := b.list(at, len(elements))
			last.list = int32(v) + 1
			b.op(kind, k, v)
			return
		}
		extends = same
	}
	room := len(elements)
	if extends { // as it will be again
		room *= 2
	}
	at := len(h.elements)
	if uint64(at)+uint64(room) > math.MaxUint32 || room > math.MaxInt32 {
		b.fail("the history has more than %d elements of lists", uint32(math.MaxUint32))
		return
	}
	h.elements = append(append(h.elements, elements...), make([]Value, room-len(elements))...)
	v := b.list(uint32(at), len(elements))
	if len(elements) > n || last.list == 0 {
		*last = longest{int32(v) + 1, int32(room)}
	}
	b.op(kind, k, v)
}

func (b *Builder) list(at uint32, n int) Value {
	b.h.listFirst = append(b.h.listFirst, at)
	b.h.listLen = append(b.h.listLen, int32(n))
	return Value(len(b.h.listLen) - 1)
}

// equal tells whether b begins with a.
func equal(a, b []Value) bool {
	// From the end, where lists of the same key differ.
	for i := len(a) - 1; i >= 0; i-- {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Range adds a ReadRange that returned r, which it copies.
func (b *Builder) Range(r Range) {
	h := b.h
	for _, ks := range [][]Key{r.LiveKeys, r.DeadKeys} {
		for _, k := range ks {
			b.use(ReadRange, k)
		}
	}
	if len(r.LiveKeys) != len(r.LiveValues) || len(r.DeadKeys) != len(r.DeadRows) {
		panic("history: a range has keys without values")
	}
	h.ranges = append(h.ranges, rangeRead{r.Low, r.High, uint32(len(h.rowKeys)), int32(len(r.LiveKeys)), int32(len(r.DeadKeys))})
	h.rowKeys = append(append(h.rowKeys, r.LiveKeys...), r.DeadKeys...)
	h.rowValues = append(append(h.rowValues, r.LiveValues...), r.DeadRows...)
	b.op(ReadRange, -1, Value(len(h.ranges)-1))
}

// UnknownRange adds a ReadRange whose result is not known.
func (b *Builder) UnknownRange() { b.op(ReadRange, -1, NoValue) }

func (b *Builder) op(kind Kind, k Key, v Value) {
	h := b.h
	if len(h.kind) >= math.MaxInt32-len(h.keys.kind) {
		b.fail("the history has more than %d operations", math.MaxInt32)
		return
	}
	h.kind = append(h.kind, kind)
	h.key = append(h.key, k)
	h.value = append(h.value, v)
	if h.version != nil {
		h.version = append(h.version, NoValue)
	}
}

// use notes that a key is used by an operation of a kind.
func (b *Builder) use(kind Kind, k Key) {
	if int(k) >= len(b.typed) {
		b.typed = append(b.typed, make([]Type, len(b.h.keys.kind)-len(b.typed))...)
	}
	switch want := typeOf[kind]; b.typed[k] {
	case want:
	case Untyped:
		if b.typed[k] = want; int(k) < len(b.loose) && misfit(b.loose[k], want) {
			b.fail("%s", b.misfits(k, want))
		}
	default:
		b.fail("the key %s is a %s, which has no %s; every key needs one data type", b.KeyName(k), b.typed[k], kind)
	}
}

// Build gives the history. The builder must not be used again.
func (b *Builder) Build() (*History, error) {
	if b.err != nil {
		return nil, b.err
	}
	if err := b.settle(); err != nil {
		return nil, err
	}
	h := b.h
	b.h = nil
	h.types = append(b.typed, make([]Type, h.keys.len()-len(b.typed))...)
	if err := b.moveOps(h, renumber(h)); err != nil {
		return nil, err
	}
	h.keys.forget()
	h.values.forget()
	return h, nil
}

// renumber makes the transactions of each session consecutive, and gives the new
// numbers of the old ones.
func renumber(h *History) (renamed []Txn) {
	n := len(h.session)
	h.sessions = make([]Txn, len(h.sessionNames)+1)
	for _, s := range h.session[1:] {
		h.sessions[s+1]++
	}
	next := Txn(1)
	for s := range h.sessions {
		next += h.sessions[s]
		h.sessions[s] = next
	}
	order := make([]Txn, n) // the old number of each
	at := append([]Txn(nil), h.sessions...)
	renamed = make([]Txn, n)
	for t := 1; t < n; t++ {
		s := h.session[t]
		order[at[s]], renamed[t] = Txn(t), at[s]
		at[s]++
	}
	h.session = permute(h.session, order)
	h.status = permute(h.status, order)
	h.number = permute(h.number, order)
	h.begin, h.end = permute(h.begin, order), permute(h.end, order)
	h.started, h.ended = permute(h.started, order), permute(h.ended, order)
	h.places = permute(h.places, order)
	if h.labels != nil {
		labels := make(map[Txn]string, len(h.labels))
		for t, l := range h.labels {
			labels[renamed[t]] = l
		}
		h.labels = labels
	}
	return renamed
}

// moveOps moves the operations to their transactions, after those of the initial
// one. renamed has the new numbers of transactions.
func (b *Builder) moveOps(h *History, renamed []Txn) error {
	keys, n := h.keys.len(), len(h.session)
	h.first = make([]Op, n+1)
	b.start = append(b.start, Op(len(h.kind)))
	dropped := 0
	for i, t := range b.owner {
		if n := b.start[i+1] - b.start[i]; t == noTxn {
			dropped += int(n)
		} else {
			h.first[renamed[t]+1] += n
		}
	}
	if h.first[1] != 0 {
		return fmt.Errorf("an operation belongs to no transaction")
	}
	h.first[1] = Op(keys)
	for t := 1; t <= n-1; t++ {
		h.first[t+1] += h.first[t]
	}
	to := append([]Op(nil), h.first...)
	moves := make([]Op, len(b.owner))
	for i, t := range b.owner {
		if moves[i] = -1; t != noTxn {
			moves[i] = to[renamed[t]]
			to[renamed[t]] += b.start[i+1] - b.start[i]
		}
	}
	h.kind = move(h.kind, b.start, moves, keys-dropped)
	h.key = move(h.key, b.start, moves, keys-dropped)
	h.value = move(h.value, b.start, moves, keys-dropped)
	if h.version != nil {
		h.version = move(h.version, b.start, moves, keys-dropped)
	}
	for k := range keys {
		h.kind[k], h.key[k], h.value[k] = Write, Key(k), Initial
		if h.version != nil {
			h.version[k] = Initial
		}
	}
	if b.initials != nil {
		h.given = make([]bool, keys)
		for k, v := range b.initials {
			h.given[k], h.value[k] = true, v
		}
	}
	h.txn = make([]Txn, len(h.kind))
	for t := 1; t < n; t++ {
		for o := h.first[t]; o < h.first[t+1]; o++ {
			h.txn[o] = Txn(t)
		}
	}
	return nil
}

// permute gives the column in a new order, where order has the old numbers.
func permute[T any](c []T, order []Txn) []T {
	if c == nil {
		return nil
	}
	out := make([]T, len(order))
	for i, t := range order {
		out[i] = c[t]
	}
	return out
}

// move copies the stretches of a column that begin at start to the places of to,
// after room for the initial operations.
func move[T any](c []T, start, to []Op, room int) []T {
	out := make([]T, len(c)+room)
	for i, at := range to {
		if at >= 0 {
			copy(out[at:], c[start[i]:start[i+1]])
		}
	}
	return out
}

// SessionOf is the session of a transaction.
func (b *Builder) SessionOf(t Txn) Session { return b.h.session[t] }

// SessionName is the name of a session.
func (b *Builder) SessionName(s Session) Name { return b.h.sessionNames[s] }
