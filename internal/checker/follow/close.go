package follow

import (
	"slices"

	"github.com/txrobust/robust/history"
)

// closePast closes the first transactions of an order that satisfies all levels that are
// still followed, so that at most keep of those that are open stay open. What the others
// read from before the last closed version is settled: the order says that it holds.
func (j *Judge) closePast(order, live []*txn, keep int) {
	tainted := j.taints(live)
	n := min(len(order), max(0, len(live)-keep))
	for i, t := range order[:n] {
		if tainted[t] {
			n = i
			break
		}
	}
	if n = j.spare(order[:n], tainted); n == 0 {
		j.closeRest(live, order)
		return
	}
	grown := map[int32]grew{}
	for _, t := range order[:n] {
		j.close(t, true, grown)
	}
	j.settle(live, order, tainted, grown)
	j.closeRest(live, order)
}

// spare gives how many of the first transactions of an order can be closed so that nothing is
// overwritten that a tainted transaction read.
func (j *Judge) spare(order []*txn, tainted map[*txn]bool) int {
	n := len(order)
	if len(tainted) == 0 {
		return n
	}
	place := map[*txn]int{}
	writes := map[int32][]int{}
	for i, t := range order {
		place[t] = i
		for at := range t.ops {
			if o := &t.ops[at]; o.writes() {
				writes[o.key] = append(writes[o.key], i)
			}
		}
	}
	for t := range tainted {
		for at := range t.ops {
			o := &t.ops[at]
			s := j.sourceOf(t, at)
			if o.writes() || s.origin != fromBase && s.origin != fromLive && s.origin != fromPending {
				continue
			}
			from, ok := place[s.txn]
			if !ok {
				from = -1 // the closed past, or behind the order
				if s.origin == fromLive {
					continue
				}
			}
			for _, i := range writes[o.key] {
				if i > from {
					n = min(n, i)
					break
				}
			}
		}
	}
	return n
}

// grew is what the closed past had left in a list before it grew.
type grew struct {
	length int
	sum    digest
}

// close closes a transaction.
func (j *Judge) close(t *txn, effective bool, grown map[int32]grew) {
	j.closings++
	j.epoch++
	t.closed, t.effective, t.pos = true, effective, j.closings
	s := &j.sessions[t.session]
	s.last = max(s.last, t.position)
	for i := range t.ops {
		o := &t.ops[i]
		if o.from = (source{}); !effective {
			continue
		}
		k := &j.keys[o.key]
		switch o.kind {
		case history.Write, history.Append:
			k.written = true
			if o.kind == history.Write {
				k.base = o.value
				continue
			}
			if _, ok := grown[o.key]; !ok {
				grown[o.key] = grew{k.length, k.sum}
			}
			k.length++
			k.sum = j.listSum(k.sum, []history.Name{o.value})
		}
	}
}

// settle settles what the open transactions of the order read from before the last closed
// versions. One of unknown outcome that is not among them can no longer have taken effect then.
func (j *Judge) settle(live, order []*txn, tainted map[*txn]bool, grown map[int32]grew) {
	in := setOf(order)
	for _, t := range live {
		for i := range t.ops {
			o := &t.ops[i]
			if t.closed || t.status == history.Aborted || o.writes() || o.unknown || o.settled {
				continue
			}
			if old, ok := grown[o.key]; ok && !j.agrees(o, old) {
				o.odd, o.asked = true, 0
			}
			before := o.from.origin
			s := j.sourceOf(t, i)
			if s.origin == fromPending && before != fromPending {
				s.origin = fromForgotten // it had a source, the last version of a key
			}
			switch s.origin {
			case fromClosed, fromForgotten, fromInitial:
				if !in[t] {
					j.close(t, false, nil)
					continue
				}
				if tainted[t] {
					j.loseAll("transaction %d (%s) read %s before it was overwritten, and what else it saw is not recorded yet", t.seq, j.where(t), j.keys[o.key].name)
				}
				o.settled, t.guarded, o.asked = true, true, 0
			}
		}
	}
}

// agrees tells whether a list read begins with the elements that were closed last.
func (j *Judge) agrees(o *op, old grew) bool {
	k := &j.keys[o.key]
	if o.odd || o.kind != history.ReadList {
		return true // sourceOf sees it
	}
	from, to := old.length-o.cut, k.length-o.cut
	if to > len(o.list) {
		return true // sourceOf sees it
	}
	return j.listSum(old.sum, o.list[from:to]) == k.sum
}

// closeRest closes what took no effect and is old: aborted transactions, those of unknown
// outcome from which nobody read, and those whose session went on in the closed past.
func (j *Judge) closeRest(live, order []*txn) {
	in := setOf(order)
	idle := 0
	for _, t := range slices.Backward(live) {
		if t.closed || in[t] {
			continue
		}
		old := j.seq-t.seq >= int64(j.o.Window/2)
		if t.status == history.Unknown {
			idle++
			old = j.sessions[t.session].last > t.position || old && idle > j.o.Window/4
		}
		if old {
			j.close(t, false, nil)
		}
	}
}

// forget forgets the closed transactions that were closed first, until so many are left. What
// they wrote can never be told from what was never written again.
func (j *Judge) forget(keep int) {
	var closed []*txn
	for _, t := range j.recent {
		if t.closed {
			closed = append(closed, t)
		}
	}
	if len(closed) <= keep {
		return
	}
	slices.SortFunc(closed, func(a, b *txn) int { return int(a.pos - b.pos) })
	gone := map[*txn]bool{}
	j.epoch++
	j.forgot = true
	for _, t := range closed[:len(closed)-keep] {
		gone[t] = true
		for i := range t.ops {
			o := &t.ops[i]
			if !o.writes() {
				continue
			}
			v := version{o.key, o.value}
			j.seen.add(v)
			if w := j.writers[v]; w != nil {
				if w.count--; w.count == 0 {
					delete(j.writers, v)
				} else if w.txn == t {
					w.txn = nil // one of the others, which count as several
				}
			}
		}
	}
	j.recent = slices.DeleteFunc(j.recent, func(t *txn) bool { return gone[t] })
}

func setOf(txns []*txn) map[*txn]bool {
	in := make(map[*txn]bool, len(txns))
	for _, t := range txns {
		in[t] = true
	}
	return in
}
