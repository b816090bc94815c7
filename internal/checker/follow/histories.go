package follow

import (
	"cmp"
	"slices"

	"github.com/txrobust/robust/history"
)

// part is a history of some transactions of the stream.
type part struct {
	h    *history.History
	txns []*txn // by number in h; nil for the initial one
	// reads are the versions that its reads saw.
	reads map[version]bool
}

// part builds the part from transactions and their operations.
func (j *Judge) part(txns []*txn, initial bool, ops func(b *history.Builder, t *txn, p *part)) (*part, error) {
	b := history.NewBuilder()
	file := b.File(j.o.File)
	p := &part{txns: []*txn{nil}, reads: map[version]bool{}}
	bySession := slices.Clone(txns)
	slices.SortStableFunc(bySession, func(x, y *txn) int { return cmp.Or(cmp.Compare(x.session, y.session), cmp.Compare(x.seq, y.seq)) })
	keys := map[int32]bool{}
	for _, t := range bySession {
		b.SetPlace(b.Txn(b.Session(j.sessions[t.session].name), t.status), history.At(file, t.place))
		b.SetNumber(history.Txn(len(p.txns)), t.seq)
		p.txns = append(p.txns, t)
		ops(b, t, p)
		for i := range t.ops {
			keys[t.ops[i].key] = true
		}
	}
	for k := range keys {
		if has := &j.keys[k]; initial && has.written && has.kind != history.List {
			b.SetInitial(b.Key(has.name), b.Value(has.base))
		}
	}
	var err error
	p.h, err = b.Build()
	return p, err
}

// afterPast is the history of the open transactions, in which the last versions of the closed
// past are the initial ones. ok is false if one read something else of the past.
func (j *Judge) afterPast(live []*txn, guards bool) (p *part, ok bool, err error) {
	ok = true
	p, err = j.part(live, true, func(b *history.Builder, t *txn, p *part) {
		guarded := map[int32]bool{}
		for i := range t.ops {
			if o := &t.ops[i]; guards && t.guarded && o.writes() && !guarded[o.key] {
				guarded[o.key] = true
				j.guard(b, o.key)
			}
		}
		for i := range t.ops {
			o := &t.ops[i]
			k := b.Key(j.keys[o.key].name)
			if o.writes() {
				b.Op(o.kind, k, b.Value(o.value))
				continue
			}
			s := source{}
			if !o.unknown && !o.settled {
				s = j.sourceOf(t, i)
			}
			list := j.keys[o.key].kind == history.List
			switch {
			case t.status == history.Aborted, s.origin == fromNowhere, s.origin == fromPending && !list:
				j.silent(b, o)
			case s.origin == fromClosed, s.origin == fromForgotten, s.origin == fromInitial:
				ok = false
				j.silent(b, o)
			case !list && s.origin == fromSeveral && j.uncertain(o):
				ok = false
				j.silent(b, o)
			case list:
				elements, begins := j.after(o)
				if o.kind == history.Read {
					elements, begins = nil, j.keys[o.key].length == 0
				}
				ok = ok && begins
				j.listRead(b, o, elements, func(v version) bool { return j.writers[v] != nil })
			default:
				b.Read(k, b.Value(o.value))
			}
		}
	})
	return p, ok, err
}

// uncertain tells whether a version of a register may have come from the closed past, which
// did not leave it.
func (j *Judge) uncertain(o *op) bool {
	k := &j.keys[o.key]
	if k.written && k.base == o.value {
		return false
	}
	w := j.writers[version{o.key, o.value}]
	return w == nil || w.txn == nil || w.txn.closed
}

// guard makes a transaction see what the closed past left of a key.
func (j *Judge) guard(b *history.Builder, key int32) {
	has := &j.keys[key]
	if k := b.Key(has.name); has.kind == history.List {
		b.List(history.ReadList, k, nil)
	} else {
		b.Read(k, b.Value(has.base))
	}
}

// silent adds a read that says nothing.
func (j *Judge) silent(b *history.Builder, o *op) {
	kind := history.Read
	if j.keys[o.key].kind == history.List {
		kind = history.ReadList
	}
	b.Op(kind, b.Key(j.keys[o.key].name), history.NoValue)
}

// listRead adds a read of a list with some of its elements.
func (j *Judge) listRead(b *history.Builder, o *op, elements []history.Name, keep func(version) bool) {
	var out []history.Value
	for _, e := range elements {
		if keep(version{o.key, e}) {
			out = append(out, b.Value(e))
		}
	}
	b.List(history.ReadList, b.Key(j.keys[o.key].name), out)
}

// remembered is the history of all transactions that are remembered, as far as their reads
// say what is true whatever was forgotten, and whatever is still to be recorded unless the
// recording is complete: what violates a level violates it in the whole history, too.
//
// A list read is one of the elements that are remembered. Who sees the last element of a list
// sees the others at SI and SER only: for weaker levels (versions is set) a read says nothing
// without its last element.
func (j *Judge) remembered(complete, versions bool) (*part, error) {
	return j.part(j.recent, false, func(b *history.Builder, t *txn, p *part) {
		for i := range t.ops {
			o := &t.ops[i]
			k := b.Key(j.keys[o.key].name)
			v := version{o.key, o.value}
			switch list := j.keys[o.key].kind == history.List; {
			case o.writes():
				b.Op(o.kind, k, b.Value(o.value))
			case o.unknown:
				j.silent(b, o)
			case list && j.says(t, i, complete, versions):
				j.listRead(b, o, o.list, func(v version) bool {
					keep := j.sure(v, complete)
					p.reads[v] = p.reads[v] || keep
					return keep
				})
			case list, j.seen.has(v), o.value.Kind != history.NilName && !j.sure(v, complete):
				j.silent(b, o)
			default:
				p.reads[v] = true
				b.Read(k, b.Value(o.value))
			}
		}
	})
}

// sure tells whether it is known who wrote a version: one who is remembered and nobody who is
// forgotten, or nobody at all.
func (j *Judge) sure(v version, complete bool) bool {
	return (j.writers[v] != nil || complete) && !j.seen.has(v)
}

// says tells whether a list read says something without the elements of whoever is not
// remembered.
func (j *Judge) says(t *txn, at int, complete, versions bool) bool {
	o := &t.ops[at]
	if o.doubted {
		return false
	}
	for _, e := range o.list {
		if v := (version{o.key, e}); j.writers[v] != nil && j.seen.has(v) {
			return false // perhaps one of them is forgotten
		}
	}
	if !versions || o.kind == history.Read {
		return true
	}
	last := len(o.list) - 1
	for i := at - 1; i >= 0 && last >= 0; i-- {
		if w := &t.ops[i]; w.writes() && w.key == o.key && w.value == o.list[last] {
			last-- // an own one
		}
	}
	if last < 0 {
		return o.cut == 0
	}
	return j.sure(version{o.key, o.list[last]}, complete)
}
