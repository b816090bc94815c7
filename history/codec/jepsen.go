package codec

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec/internal/ednode"
	"github.com/txrobust/robust/history/codec/internal/stringstore"
)

// jepsen makes a history of the operations that Jepsen records: each is an
// invocation and, usually, a completion by the same process.
type jepsen struct {
	b *history.Builder
	// processes by name; those whose names are small integers also by these.
	processes map[history.Name]*process
	small     [1 << 10]*process
	// nameless are the invocations without a process that are not complete, in
	// their order.
	nameless  []*pending
	free      []*pending
	position  int64
	lastIndex int64 // that an operation had, in lastLine
	lastLine  int
	invoked   bool // some operation has an invocation
	reordered bool // see Options
	elements  []history.Value
	strings   stringstore.Store
}

// process is a client.
type process struct {
	session history.Session
	open    *pending // its invocation without a completion, or nil
}

// pending is an invocation.
type pending struct {
	txn   history.Txn
	f     string
	value ednode.Tree // empty if the invocation has none
	key   history.Name
	line  int
}

func newJepsen(b *history.Builder) *jepsen {
	return &jepsen{b: b, processes: map[history.Name]*process{}}
}

// process gives the process of an event, nil if it has none.
func (j *jepsen) process(e event) *process {
	if !e.hasProcess {
		return nil
	}
	small := e.process.Kind == history.IntName && 0 <= e.process.Int && e.process.Int < int64(len(j.small))
	if small && j.small[e.process.Int] != nil {
		return j.small[e.process.Int]
	}
	p := j.processes[e.process]
	if p == nil {
		p = &process{session: j.b.Session(e.process)}
		j.processes[e.process] = p
	}
	if small {
		j.small[e.process.Int] = p
	}
	return p
}

// event is one line of the recording.
type event struct {
	kind       string // invoke, ok, fail or info
	f          string
	process    history.Name
	value      ednode.Node
	hasValue   bool
	hasProcess bool
	time       int64
	index      int64        // -1 if there is none
	invoked    bool         // the value is that of the invocation
	key        history.Name // of get, put and append
}

// types of events, so that parsing allocates nothing.
var eventKinds = []string{"invoke", "ok", "fail", "info"}

// parseEvent takes the fields that matter out of a map.
func parseEvent(m ednode.Node) (event, error) {
	e := event{time: history.NoTime, index: -1}
	if m.Shape() != ednode.MapNode {
		return e, fmt.Errorf("%s, expected a map of :type, :process, :f and :value", m.Shape())
	}
	for k := m.First(); k.In(m); {
		v := k.Next()
		switch {
		case k.Is("type"):
			if err := e.setKind(v); err != nil {
				return e, err
			}
		case k.Is("f"):
			e.f = intern(v)
		case k.Is("process"):
			e.process, e.hasProcess = v.Name(), v.Shape() != ednode.NilNode
		case k.Is("value"):
			e.value, e.hasValue = v, v.Shape() != ednode.NilNode
		case k.Is("key"):
			e.key = v.Name()
		case k.Is("time"):
			if v.Shape() == ednode.IntNode {
				e.time = v.Node().Num
			}
		case k.Is("index"):
			if v.Shape() == ednode.IntNode {
				e.index = v.Node().Num
			}
		}
		k = v.Next()
	}
	if e.kind == "" {
		return e, fmt.Errorf("an operation without :type")
	}
	return e, nil
}

func (e *event) setKind(v ednode.Node) error {
	for _, kind := range eventKinds {
		if v.Is(kind) {
			e.kind = kind
			return nil
		}
	}
	return fmt.Errorf("the :type %s, expected :invoke, :ok, :fail or :info", v)
}

// intern gives the words that occur often without an allocation.
func intern(v ednode.Node) string {
	for _, w := range []string{"txn", "read", "write", "cas", "add", "transfer"} {
		if v.Is(w) {
			return w
		}
	}
	return v.Word()
}

// add adds one line of the recording.
func (j *jepsen) add(e event, line int, place history.Place) error {
	if e.index >= 0 && !j.reordered {
		if e.index < j.lastIndex {
			return fmt.Errorf("the :index %d follows %d in line %d; sort the operations by their indices", e.index, j.lastIndex, j.lastLine)
		}
		j.lastIndex, j.lastLine = e.index, line
	}
	if e.process.Text == "nemesis" {
		return nil // it is no client
	}
	if e.hasValue && ednode.Keyed(e.value, e.f, e.kind == "invoke") {
		return fmt.Errorf("the :value %s of a %s is a key and a value; independent keys are not read, write a file for each key", ednode.Clip(e.value), e.f)
	}
	j.position++
	if e.kind == "invoke" {
		return j.invoke(e, line, place)
	}
	who := j.process(e)
	p := j.find(who, e)
	if p == nil {
		// A completion alone: when it began is not known.
		p = j.begin(who, e, line, place)
	} else if p.f != "" && e.f != "" && p.f != e.f {
		return fmt.Errorf("process %s completes %s, but line %d began %s", e.process, e.f, p.line, p.f)
	}
	if e.f == "" {
		e.f = p.f
	}
	if err := p.matches(e); err != nil {
		return err
	}
	e.key = p.key
	switch e.kind {
	case "ok":
		j.b.SetEnd(p.txn, j.position)
	case "fail":
		j.b.SetStatus(p.txn, history.Aborted)
		j.b.SetEnd(p.txn, j.position)
	case "info":
		j.b.SetStatus(p.txn, history.Unknown)
	}
	if e.time != history.NoTime {
		j.b.SetEnded(p.txn, e.time)
	}
	if (e.kind != "ok" || !e.hasValue && e.f != "read") && len(p.value.Nodes) > 0 && !j.observed(e, p) {
		// What such an operation was about, its invocation says, but not what it
		// read.
		e.value, e.hasValue, e.invoked = p.value.Root(), true, true
	}
	j.free = append(j.free, p)
	return j.operations(p.txn, e)
}

// matches makes sure that a successful completion is one of its invocation: with the same
// operations, keys and written values. Only results of reads are new.
func (p *pending) matches(e event) error {
	if e.kind == "ok" && e.key.Kind != history.NilName && e.key != p.key {
		return fmt.Errorf("the completion of key %s, expected that of %s, which line %d invoked", e.key, p.key, p.line)
	}
	if e.kind != "ok" || !e.hasValue || len(p.value.Nodes) == 0 || e.f == "read" || e.f == "get" {
		return nil
	}
	if invoked := p.value.Root(); !ednode.Completes(invoked, e.value) {
		return fmt.Errorf("the completion %s, expected what line %d invoked, %s, with results of reads", ednode.Clip(e.value), p.line, ednode.Clip(invoked))
	}
	return nil
}

// observed tells whether a transaction of unknown outcome says what it read: as its
// invocation, with results.
func (j *jepsen) observed(e event, p *pending) bool {
	return e.kind == "info" && e.hasValue && e.value.Shape() == ednode.ListNode && isTxn(e) && ednode.Completes(p.value.Root(), e.value)
}

// isTxn tells whether an event is a transaction of operations with keys.
func isTxn(e event) bool {
	return e.f == "txn" || e.f == "" && e.hasValue && e.value.Shape() == ednode.ListNode
}

// begin starts a transaction.
func (j *jepsen) begin(who *process, e event, line int, place history.Place) *pending {
	var s history.Session
	if who != nil {
		s = who.session
	} else {
		// Without a process nothing is known about the order of sessions.
		s = j.b.Session(history.Name{})
	}
	p := &pending{}
	if n := len(j.free); n > 0 {
		p, j.free = j.free[n-1], j.free[:n-1]
	}
	p.txn, p.f, p.key, p.line = j.b.Txn(s, history.Committed), e.f, e.key, line
	p.value.Nodes = p.value.Nodes[:0]
	j.b.SetPlace(p.txn, place)
	return p
}

func (j *jepsen) invoke(e event, line int, place history.Place) error {
	who := j.process(e)
	if who != nil && who.open != nil {
		return fmt.Errorf("process %s invokes an operation, but the one that it invoked in line %d is not complete", e.process, who.open.line)
	}
	p := j.begin(who, e, line, place)
	if e.hasValue {
		e.value.CopyTo(&p.value)
	}
	j.b.SetBegin(p.txn, j.position)
	if e.time != history.NoTime {
		j.b.SetStarted(p.txn, e.time)
	}
	j.invoked = true
	if who != nil {
		who.open = p
	} else {
		j.nameless = append(j.nameless, p)
	}
	return nil
}

// find gives the invocation that an event completes, nil if there is none, and
// forgets it.
func (j *jepsen) find(who *process, e event) *pending {
	if who != nil {
		p := who.open
		who.open = nil
		return p
	}
	for i, p := range j.nameless {
		if p.f == e.f && (!e.hasValue || len(p.value.Nodes) == 0 || ednode.Completes(p.value.Root(), e.value)) {
			j.nameless = append(j.nameless[:i], j.nameless[i+1:]...)
			return p
		}
	}
	return nil
}

// finish ends the recording: what was not completed may have happened.
func (j *jepsen) finish() (line int, err error) {
	for _, who := range j.processes {
		if who.open != nil {
			j.nameless = append(j.nameless, who.open)
		}
	}
	slices.SortFunc(j.nameless, func(p, q *pending) int { return cmp.Compare(p.txn, q.txn) })
	for _, p := range j.nameless {
		j.b.SetStatus(p.txn, history.Unknown)
		e := event{kind: "info", f: p.f, key: p.key}
		if len(p.value.Nodes) > 0 {
			e.value, e.hasValue = p.value.Root(), true
		}
		if err := j.operations(p.txn, e); err != nil {
			return p.line, err
		}
	}
	if err := j.strings.Finish(j.b); err != nil {
		return 0, err
	}
	if j.invoked {
		j.b.SetOrder(history.RealTime)
	} else {
		j.b.ForgetOrder()
	}
	return 0, nil
}

// operations adds the operations of a completed transaction.
func (j *jepsen) operations(t history.Txn, e event) error {
	b := j.b
	b.Resume(t)
	known := e.kind == "ok"
	switch {
	case isTxn(e):
		if !e.hasValue {
			return b.Err() // a transaction without operations
		}
		if e.value.Shape() != ednode.ListNode {
			return fmt.Errorf("%s as the :value of a transaction, expected a vector of operations", e.value.Shape())
		}
		for op := e.value.First(); op.In(e.value); op = op.Next() {
			if err := j.operation(op, e); err != nil {
				return err
			}
		}
	case e.f == "read":
		object := j.object()
		switch {
		case !known:
			b.ReadAny(object, history.NoValue)
		case !e.hasValue:
			b.ReadAny(object, history.Initial)
		case e.value.Shape() == ednode.MapNode:
			return j.balances(e.value)
		default:
			return j.read(object, e.value)
		}
	case e.f == "write" || e.f == "add":
		if !e.hasValue {
			return fmt.Errorf("a %s without a :value", e.f)
		}
		if e.f == "write" {
			b.WriteAny(j.object(), b.Value(e.value.Name()))
		} else {
			b.AddAny(j.object(), b.Value(e.value.Name()))
		}
	case e.f == "cas":
		if !e.hasValue || e.value.Shape() != ednode.ListNode || e.value.Count() != 2 {
			return fmt.Errorf("a cas whose :value is not [old new]")
		}
		old, next := e.value.First(), e.value.First().Next()
		j.swap(e, b.Value(old.Name()), b.Value(next.Name()))
	case e.f == "acquire" || e.f == "release":
		// A mutex is a register that is held or, as initially, is not.
		held := b.Value(history.Name{Kind: history.KeywordName, Text: "held"})
		before, after := history.Initial, held
		if e.f == "release" {
			before, after = after, before
		}
		j.swap(e, before, after)
	case e.f == "transfer":
		return j.transfer(e)
	case e.f == "get" || e.f == "put" || e.f == "append":
		return j.strings.Add(stringstore.Op{Txn: t, F: e.f, Key: e.key, Ended: e.kind, Known: known && !e.invoked}, e.value)
	default:
		return fmt.Errorf("the operation %q, expected :f to be txn, read, write, cas, add, acquire, release, transfer, get, put or append", e.f)
	}
	return b.Err()
}

// swap adds a compare-and-set. If it took effect, it found what it expected, also where the
// outcome is not known.
func (j *jepsen) swap(e event, old, next history.Value) {
	if e.kind == "fail" {
		old = history.NoValue
	}
	j.b.Read(j.object(), old)
	j.b.Write(j.object(), next)
}

// operation adds one operation of a transaction: [f key value].
func (j *jepsen) operation(op ednode.Node, e event) error {
	b := j.b
	if op.Shape() != ednode.ListNode || op.Count() != 3 {
		return fmt.Errorf("the operation %s, expected a vector of function, key and value", op)
	}
	f, key := op.First(), op.First().Next()
	value := key.Next()
	k := j.key(key)
	switch {
	case f.Is("r") && (e.invoked || e.kind == "fail" || e.kind == "info" && value.Shape() == ednode.NilNode):
		b.ReadAny(k, history.NoValue)
	case f.Is("r"):
		return j.read(k, value)
	case f.Is("w"):
		b.Write(k, b.Value(value.Name()))
	case f.Is("append"):
		b.Op(history.Append, k, b.Value(value.Name()))
	case f.Is("add"):
		b.Op(history.Add, k, b.Value(value.Name()))
	case f.Is("inc"):
		if value.Shape() != ednode.IntNode {
			return fmt.Errorf("an increment by %s, expected an integer", value)
		}
		b.Op(history.Increment, k, b.IntValue(value.Node().Num))
	default:
		return fmt.Errorf("the operation %s, expected :r, :w, :append, :add or :inc", op)
	}
	return b.Err()
}

// object is the one key of histories that have no keys.
func (j *jepsen) object() history.Key { return j.b.Key(history.Name{}) }

func (j *jepsen) key(a ednode.Node) history.Key {
	if a.Shape() == ednode.IntNode {
		return j.b.IntKey(a.Node().Num)
	}
	return j.b.Key(a.Name())
}

// read adds a read that returned v.
func (j *jepsen) read(k history.Key, v ednode.Node) error {
	b := j.b
	switch v.Shape() {
	case ednode.ListNode, ednode.SetNode:
		j.elements = j.elements[:0]
		for c := v.First(); c.In(v); c = c.Next() {
			if c.Shape() == ednode.IntNode {
				j.elements = append(j.elements, b.IntValue(c.Node().Num))
			} else {
				j.elements = append(j.elements, b.Value(c.Name()))
			}
		}
		if v.Shape() == ednode.SetNode {
			b.List(history.ReadSet, k, j.elements)
		} else {
			b.ReadMany(k, j.elements)
		}
	case ednode.IntsNode:
		j.elements = j.elements[:0]
		for _, n := range v.Ints() {
			j.elements = append(j.elements, b.IntValue(n))
		}
		b.ReadMany(k, j.elements)
	case ednode.IntNode:
		b.ReadAny(k, b.IntValue(v.Node().Num))
	default:
		b.ReadAny(k, b.Value(v.Name()))
	}
	return b.Err()
}

// balances adds the reads of all accounts of a bank. What is in them at first is
// not recorded.
func (j *jepsen) balances(m ednode.Node) error {
	for k := m.First(); k.In(m); {
		v := k.Next()
		key := j.account(k)
		if v.Shape() == ednode.NilNode {
			j.b.Op(history.ReadCounter, key, history.NoValue)
		} else if v.Shape() == ednode.IntNode {
			j.b.Op(history.ReadCounter, key, j.b.IntValue(v.Node().Num))
		} else {
			return fmt.Errorf("the balance %s, expected an integer", v)
		}
		k = v.Next()
	}
	return j.b.Err()
}

// account is the key of an account. The keys of objects in JSON are strings.
func (j *jepsen) account(a ednode.Node) history.Key {
	name := a.Name()
	if name.Kind == history.StringName {
		if n, ok := parseInt([]byte(name.Text)); ok {
			name = history.Int(n)
		}
	}
	k := j.b.Key(name)
	j.b.SetInitial(k, history.NoValue)
	return k
}

// transfer adds what a transfer between accounts does: two increments.
func (j *jepsen) transfer(e event) error {
	var from, to, amount ednode.Node
	if e.hasValue && e.value.Shape() == ednode.MapNode {
		for k := e.value.First(); k.In(e.value); {
			v := k.Next()
			switch {
			case k.Is("from"):
				from = v
			case k.Is("to"):
				to = v
			case k.Is("amount"):
				amount = v
			}
			k = v.Next()
		}
	}
	if from.T == nil || to.T == nil || amount.T == nil || amount.Shape() != ednode.IntNode {
		return fmt.Errorf("a transfer whose :value does not have :from, :to and :amount")
	}
	n := amount.Node().Num
	j.b.Op(history.Increment, j.account(from), j.b.IntValue(-n))
	j.b.Op(history.Increment, j.account(to), j.b.IntValue(n))
	return j.b.Err()
}
