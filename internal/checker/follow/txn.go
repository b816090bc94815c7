package follow

import (
	"fmt"

	"github.com/txrobust/robust/history"
)

// Txn is a transaction of the stream. Those of a session come in session order.
type Txn struct {
	Session history.Name
	Status  history.Status
	// Place is the line in which it was recorded, from 1, or in a binary file 1 + the
	// offset in bytes.
	Place int64
	// Open is how many transactions of the stream had ended when the oldest one began that
	// had begun when this one ended, and goes on; 0 if that is not known.
	Open int64
	Ops  []Op
}

// Op is an operation of a Txn.
type Op struct {
	Kind history.Kind // Read, Write, Append or ReadList
	Key  history.Name
	// Value is what a Read or Write or Append has; the nil name is what the key held
	// initially.
	Value history.Name
	// List is what a ReadList returned.
	List []history.Name
	// Unknown reads have no result.
	Unknown bool
}

// txn is a transaction that is remembered.
type txn struct {
	session  int32
	position int32 // in its session
	status   history.Status
	seq      int64 // in the stream, from 1
	place    int64
	ops      []op
	// closed transactions have their place in the order of the past for ever: pos. They are
	// effective unless they were aborted, or nobody knows what became of them.
	closed, effective bool
	pos               int64
	node              int32 // while an order is looked for: its node, or -1
	// guarded: its snapshot is in the closed past, so that nobody may have written what it
	// writes before it.
	guarded bool
}

// op is an operation of a txn.
type op struct {
	kind    history.Kind
	unknown bool // a read without a result
	// settled: what the read demands is known to hold for ever.
	settled bool
	key     int32
	value   history.Name
	// list are the elements that a ReadList returned, without the first cut ones.
	list []history.Name
	cut  int
	// odd: a ReadList that does not begin with what the closed past left in the list.
	odd bool
	// from is the source of a read as it was in an epoch of the judge.
	from  source
	asked int64
	// doubted: an element that was left out may have been appended again.
	doubted bool
}

// writes tells whether the operation makes a version.
func (o *op) writes() bool { return o.kind.Writes() }

// key is what is known about a key.
type key struct {
	name history.Name
	kind history.Type // Register or List, or Untyped
	// written: the closed past wrote it. Of a register base is its last value then; of a
	// list its elements are so many, with a hash of them all.
	written bool
	base    history.Name
	length  int
	sum     digest
}

// session is what is known about a session.
type session struct {
	name history.Name
	next int32 // position of its next transaction
	last int32 // position of the last closed transaction, -1 if there is none
}

// take makes a txn of a Txn. The error says what cannot be followed.
func (j *Judge) take(in Txn) (*txn, error) {
	s := j.sessionOf(in.Session)
	j.seq++
	t := &txn{session: s, position: j.sessions[s].next, status: in.Status, seq: j.seq, place: in.Place, node: -1, ops: make([]op, 0, len(in.Ops))}
	j.sessions[s].next++
	for _, o := range in.Ops {
		k := j.keyOf(o.Key)
		out := op{kind: o.Kind, key: k, value: o.Value, unknown: o.Unknown}
		if initial, ok := j.initials[k]; ok && initial == o.Value {
			out.value = history.Name{}
		}
		want := history.Untyped
		switch o.Kind {
		case history.Write:
			want = history.Register
		case history.Read:
			if o.Value.Kind != history.NilName && !o.Unknown {
				want = history.Register
			}
		case history.Append:
			want = history.List
		case history.ReadList:
			if len(o.List) > 0 {
				want = history.List
			}
			if !o.Unknown {
				j.cutList(&out, o.List)
			}
		default:
			return nil, fmt.Errorf("a %s, but only reads and writes of registers, and appends to and reads of lists can be followed; check the whole file without -follow", o.Kind)
		}
		switch has := &j.keys[k]; {
		case want == history.Untyped || has.kind == want:
		case has.kind == history.Untyped:
			has.kind = want
		default:
			return nil, fmt.Errorf("the key %s is a %s, which has no %s; every key needs one data type", has.name, has.kind, o.Kind)
		}
		t.ops = append(t.ops, out)
	}
	return t, nil
}

func (j *Judge) keyOf(n history.Name) int32 {
	k, ok := j.keyIndex[n]
	if !ok {
		k = int32(len(j.keys))
		j.keyIndex[n] = k
		j.keys = append(j.keys, key{name: n})
	}
	return k
}

func (j *Judge) sessionOf(n history.Name) int32 {
	s, ok := j.sessionIndex[n]
	if !ok {
		s = int32(len(j.sessions))
		j.sessionIndex[n] = s
		j.sessions = append(j.sessions, session{name: n, last: -1})
	}
	return s
}

// cutList takes the result of a list read: it leaves out elements at the beginning that the
// closed past explains and whose writers are forgotten.
func (j *Judge) cutList(o *op, list []history.Name) {
	k := &j.keys[o.key]
	o.list = list
	if k.length == 0 {
		return
	}
	if len(list) < k.length || j.listSum(digest{}, list[:k.length]) != k.sum {
		o.odd = true
		return
	}
	for o.cut < k.length && j.writers[version{o.key, list[o.cut]}] == nil {
		o.cut++
	}
	o.list = append([]history.Name(nil), list[o.cut:]...)
}

// after gives the elements of a list read behind the closed past; ok is false if it does not
// begin with it.
func (j *Judge) after(o *op) (list []history.Name, ok bool) {
	skip := j.keys[o.key].length - o.cut
	if o.odd || skip > len(o.list) {
		return nil, false
	}
	return o.list[skip:], true
}
