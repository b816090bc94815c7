package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Txn is a transaction of a history: 0 is the initial one, and the others follow
// session by session, in session order.
type Txn int32

// InitialTxn writes every key before everything else.
const InitialTxn Txn = 0

// Session is a session of a history, 0, 1, …; the initial transaction has none.
type Session int32

// NoSession is the session of the initial transaction.
const NoSession Session = -1

// Op is an operation of a history. The operations of one transaction are
// consecutive, in the order in which it executed them. Operation k is, for a key
// k, the initial write of k.
type Op int32

// Key is a key (object, variable, row, list) of a history: 0, 1, …
type Key int32

// Value is what an operation writes or reads: NoValue, Initial, or an interned
// name. Equal names are equal values, also of different keys.
type Value int32

const (
	// NoValue is that of a read whose result was not recorded. It says nothing.
	NoValue Value = -1
	// Initial is what every key holds before it is written, unless the
	// recording gives the key another initial value: null, an empty list or set,
	// a row that does not exist, a counter at zero.
	Initial Value = 0

	firstInt  Value = 1 // of the integer 0
	firstName Value = 1 << 30
)

// Status says how a transaction ended.
type Status uint8

const (
	// Committed is known to have committed.
	Committed Status = iota
	// Aborted is known not to have.
	Aborted
	// Unknown may have done either: the client did not learn it. If somebody
	// read its writes it did commit, and then its own reads count.
	Unknown
)

func (s Status) String() string {
	switch s {
	case Committed:
		return "committed"
	case Aborted:
		return "aborted"
	case Unknown:
		return "unknown"
	}
	panic(fmt.Sprintf("history: unknown status %d", uint8(s)))
}

// WithClockDrift gives the history of clients whose clocks may be apart by d at most,
// in the unit of the clock times: a transaction came first only if, by its clock, it
// had ended more than d before the other one began. It is nil where no clock times of
// clients were recorded.
func (h *History) WithClockDrift(d int64) *History {
	if h.order != RealTime || h.started == nil || d < 0 {
		return nil
	}
	out := &History{columns: h.columns}
	out.begin, out.end = slices.Clone(h.started), slices.Clone(h.ended)
	for t := range out.begin {
		if out.begin[t] == NoTime {
			out.begin[t] = NoBegin
		}
		switch end := h.ended[t]; {
		case end == NoTime, end > NoEnd-d, Txn(t) != InitialTxn && h.End(Txn(t)) == NoEnd:
			out.end[t] = NoEnd
		default:
			out.end[t] = end + d
		}
	}
	out.begin[InitialTxn], out.end[InitialTxn] = h.Begin(InitialTxn), h.End(InitialTxn)
	return out
}

// Kind is what an operation does.
type Kind uint8

const (
	Read        Kind = iota // of a register: Value
	Write                   // of a register: Value; also the initial write of any key
	Append                  // of the element Value to a list
	ReadList                // List
	Add                     // of the element Value to a set
	ReadSet                 // List, in no meaningful order
	Increment               // of a counter, by the integer Value
	ReadCounter             // the integer Value
	Insert                  // of a row that did not exist: Value; a write otherwise
	Delete                  // of a row: Value is the tombstone, Initial where tombstones have no identity
	ReadRange               // of rows: Range; it has no key
	numKinds
)

var kindNames = [numKinds]string{"read", "write", "append", "read-list", "add", "read-set", "increment", "read-counter", "insert", "delete", "read-range"}

func (k Kind) String() string { return kindNames[k] }

// Valid tells whether there is such a kind.
func (k Kind) Valid() bool { return k < numKinds }

// Writes tells whether operations of this kind create a version of their key.
func (k Kind) Writes() bool {
	const writes = 1<<Write | 1<<Append | 1<<Add | 1<<Increment | 1<<Insert | 1<<Delete
	return writes>>k&1 != 0
}

// Reads tells whether operations of this kind return something.
func (k Kind) Reads() bool { return !k.Writes() }

// Type is the data type of a key: what its operations are.
type Type uint8

const (
	Untyped Type = iota // never used by an operation
	Register
	List
	Set
	Counter
)

func (t Type) String() string {
	return [...]string{"untyped", "register", "list", "set", "counter"}[t]
}

// typeOf is the data type that operations of a kind need.
var typeOf = [numKinds]Type{
	Read: Register, Write: Register, Insert: Register, Delete: Register, ReadRange: Register,
	Append: List, ReadList: List, Add: Set, ReadSet: Set, Increment: Counter, ReadCounter: Counter,
}

// Order is the meaning of Begin and End.
type Order uint8

const (
	// NoOrder: nothing is known about which transaction came first.
	NoOrder Order = iota
	// RealTime: Begin and End are stamps of the clients, before the first
	// request and after the last answer.
	RealTime
	// Database: Begin and End are the stamps that the database gave to the
	// snapshot and to the commit.
	Database
)

// Stamps of transactions whose begin or end is not known. No transaction ends
// before one, or begins after the other.
const (
	NoBegin int64 = math.MinInt64
	NoEnd   int64 = math.MaxInt64
	// NoTime is the clock time that was not recorded.
	NoTime int64 = math.MinInt64
)

// History is a recorded history. It does not change once built, so that any
// number of goroutines may read it.
type History struct {
	columns
	lazy
}

// columns are what a history consists of.
type columns struct {
	// Of transactions, the initial one first. first has one more.
	first   []Op
	session []Session
	status  []Status
	number  []int64 // or nil
	labels  map[Txn]string
	begin   []int64 // or nil
	end     []int64
	started []int64 // clock times; or nil
	ended   []int64
	places  []Place // or nil
	order   Order

	// Of operations.
	kind    []Kind
	key     []Key
	value   []Value // of lists and ranges: their index
	version []Value // or nil
	txn     []Txn

	// Of list and set reads, and of the elements that they share.
	listFirst []uint32
	listLen   []int32
	elements  []Value

	// Of range reads, and of the rows that they return.
	ranges    []rangeRead
	rowKeys   []Key
	rowValues []Value

	sessions     []Txn // the first transaction; one more
	sessionNames []Name
	types        []Type
	given        []bool // initial value is in the recording; or nil
	keys, values table
	files        []File
	notes        []string
}

type rangeRead struct {
	low, high  Value // their names are values, for bounds need not be keys
	first      uint32
	live, dead int32
}

// File is one file that a history was read from.
type File struct {
	Name string
	// Binary files have places in bytes, others in lines.
	Binary bool
}

// Place is where something was recorded: a file, and there a line (from 1) or,
// in a binary file, an offset in bytes. The zero Place is unknown.
type Place int64

const placeBits = 44

// At makes a Place of the number of a file and of the line or 1 + offset.
func At(file int, line int64) Place { return Place(int64(file)<<placeBits | line) }

// NumTxns is the number of transactions, the initial one included.
func (h *History) NumTxns() int { return len(h.session) }

// NumOps is the number of operations, those of the initial transaction included.
func (h *History) NumOps() int { return len(h.kind) }

// NumKeys is the number of keys.
func (h *History) NumKeys() int { return len(h.types) }

// NumSessions is the number of sessions.
func (h *History) NumSessions() int { return len(h.sessionNames) }

// Txns gives the transactions of a session: first, first+1, …, end-1.
func (h *History) Txns(s Session) (first, end Txn) { return h.sessions[s], h.sessions[s+1] }

// SessionOf is the session of a transaction, NoSession for the initial one.
func (h *History) SessionOf(t Txn) Session { return h.session[t] }

// Position is the place of a transaction in its session, from 0.
func (h *History) Position(t Txn) int {
	if t == InitialTxn {
		return 0
	}
	return int(t - h.sessions[h.session[t]])
}

// Ops gives the operations of a transaction: first, first+1, …, end-1.
func (h *History) Ops(t Txn) (first, end Op) { return h.first[t], h.first[t+1] }

// TxnOf is the transaction of an operation.
func (h *History) TxnOf(o Op) Txn { return h.txn[o] }

// Status says how a transaction ended. The initial one is committed.
func (h *History) Status(t Txn) Status { return h.status[t] }

// Order says what Begin and End mean, NoOrder that there are none.
func (h *History) Order() Order { return h.order }

// Begin is the stamp at which a transaction began, NoBegin if not known. Only
// the order of stamps has a meaning.
func (h *History) Begin(t Txn) int64 {
	if h.begin == nil {
		return NoBegin
	}
	return h.begin[t]
}

// End is the stamp at which a transaction ended, NoEnd if not known.
func (h *History) End(t Txn) int64 {
	if h.end == nil {
		return NoEnd
	}
	return h.end[t]
}

// Precedes tells whether t is known to have ended before u began: the
// real-time order where Order is RealTime.
func (h *History) Precedes(t, u Txn) bool { return h.End(t) < h.Begin(u) }

// Clock gives the clock times at which a transaction began and ended, NoTime
// where they were not recorded. Clocks may differ between clients: order is what
// Begin and End say.
func (h *History) Clock(t Txn) (started, ended int64) {
	if h.started == nil {
		return NoTime, NoTime
	}
	return h.started[t], h.ended[t]
}

// Kind is what an operation does.
func (h *History) Kind(o Op) Kind { return h.kind[o] }

// Key is the key of an operation, -1 for a ReadRange.
func (h *History) Key(o Op) Key { return h.key[o] }

// Value is what an operation writes or reads. It has no meaning for reads of
// lists, sets and ranges, except that NoValue means the result is not known.
func (h *History) Value(o Op) Value { return h.value[o] }

// Known tells whether the result of a read was recorded.
func (h *History) Known(o Op) bool { return h.value[o] != NoValue }

// Version is the identity that the recording gives to the version that an
// operation writes or reads, NoValue if it gives none. Versions with one
// identity are one, whatever their value.
func (h *History) Version(o Op) Value {
	if h.version == nil {
		return NoValue
	}
	return h.version[o]
}

// List is what a ReadList or ReadSet returned: nothing where it is not Known.
// The caller must not change it.
func (h *History) List(o Op) []Value {
	n := h.value[o]
	if n < 0 {
		return nil
	}
	at := h.listFirst[n]
	return h.elements[at : at+uint32(h.listLen[n]) : at+uint32(h.listLen[n])]
}

// UnknownInitials tells whether it is not known what some key held initially.
func (h *History) UnknownInitials() bool { return slices.Contains(h.value[:len(h.types)], NoValue) }

// HasRanges tells whether some operation reads a range whose result is known.
func (h *History) HasRanges() bool { return len(h.ranges) > 0 }

// Range is what a ReadRange returned: the rows from Low to High that live, and
// the tombstones of those that do not, as keys and values of the same length.
//
// A key between Low and High that is in neither was never written when the range
// was read: it had its initial version.
type Range struct {
	Low, High            Value
	LiveKeys, DeadKeys   []Key
	LiveValues, DeadRows []Value
}

// Range is the result of a ReadRange that is Known. The caller must not change it.
func (h *History) Range(o Op) Range {
	r := h.ranges[h.value[o]]
	m := r.first + uint32(r.live)
	e := m + uint32(r.dead)
	return Range{
		Low: r.low, High: r.high,
		LiveKeys: h.rowKeys[r.first:m:m], LiveValues: h.rowValues[r.first:m:m],
		DeadKeys: h.rowKeys[m:e:e], DeadRows: h.rowValues[m:e:e],
	}
}

// Between tells whether a key is one that a range read asked for. Integers are
// ordered as such, other names by their text, and integers come before them; a
// bound that is Initial does not bind.
func (h *History) Between(k Key, r Range) bool {
	name := h.KeyName(k)
	return (r.Low == Initial || compare(h.ValueName(r.Low), name) <= 0) &&
		(r.High == Initial || compare(name, h.ValueName(r.High)) <= 0)
}

func compare(a, b Name) int {
	if (a.Kind == IntName) != (b.Kind == IntName) {
		if a.Kind == IntName {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.Int, b.Int), cmp.Compare(a.Text, b.Text))
}

// Type is the data type of a key.
func (h *History) Type(k Key) Type { return h.types[k] }

// InitialGiven tells whether the recording says what the key held initially. If
// so it may be any value, or NoValue where the recording says that it is not
// known; otherwise it is Initial.
func (h *History) InitialGiven(k Key) bool { return h.given != nil && h.given[k] }

// KeyName is what a key is called in the recording.
func (h *History) KeyName(k Key) Name { return h.keys.name(int32(k)) }

// ValueName is what a value or version is called in the recording: nil for
// Initial and NoValue.
func (h *History) ValueName(v Value) Name {
	switch {
	case v <= Initial:
		return Name{}
	case v < firstName:
		return Int(int64(v - firstInt))
	}
	return h.values.name(int32(v - firstName))
}

// Amount is the integer that a value is. Initial counts as 0.
func (h *History) Amount(v Value) (n int64, ok bool) {
	if Initial < v && v < firstName {
		return int64(v - firstInt), true
	}
	name := h.ValueName(v)
	return name.Int, name.Kind == IntName || v == Initial
}

// SessionName is what a session is called in the recording, nil if it has no name.
func (h *History) SessionName(s Session) Name { return h.sessionNames[s] }

// Number is what a transaction is called in a recording that numbers them.
func (h *History) Number(t Txn) (n int64, ok bool) {
	if h.number == nil || h.number[t] == noNumber {
		return 0, false
	}
	return h.number[t], true
}

const noNumber = math.MinInt64

// Label is the words that a recording has for a transaction, such as the name
// of the procedure; empty for most.
func (h *History) Label(t Txn) string { return h.labels[t] }

// Place is where a transaction was recorded.
func (h *History) Place(t Txn) Place {
	if h.places == nil {
		return 0
	}
	return h.places[t]
}

// Files are what the history was read from.
func (h *History) Files() []File { return h.files }

// Notes are what a reader assumed about the recording, in whole sentences: who
// shows a verdict should show them, too.
func (h *History) Notes() []string { return h.notes }

// Locate prints a place: "file:line", or "file, byte n"; empty if unknown.
func (h *History) Locate(p Place) string { return locate(h.files, p) }

func locate(files []File, p Place) string {
	file, line := int(p>>placeBits), int64(p)&(1<<placeBits-1)
	switch {
	case line == 0 || file >= len(files):
		return ""
	case files[file].Binary:
		return fmt.Sprintf("%s, byte %d", files[file].Name, line-1)
	}
	return fmt.Sprintf("%s:%d", files[file].Name, line)
}
