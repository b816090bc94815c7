package contract

import (
	"encoding/json"

	"github.com/txrobust/robust/history"
)

// Facts about a transaction, for the part of it.
const (
	factEffective = 'e' // somebody read what it wrote
	factHard      = 'h' // what has to be judged if it took effect
	factUpper     = 'u' // its snapshot was taken before this version
	factLower     = 'l' // its snapshot was taken after this commit
)

// finding hands a fact to the part of a transaction.
func (j *Job) finding(out *batches, fact byte, p Pos, status history.Status, i Interval) {
	if fact == factLower && !j.stale[p.Txn] {
		return
	}
	x := uint64(p.Txn) * 0x9e3779b97f4a7c15
	w := out.to(j.Parts + int(x>>33%uint64(j.Parts)))
	*w = append(*w, fact)
	w.pos(p)
	w.uint(uint64(status))
	if fact != factEffective {
		w.pos(i.From)
	}
	if fact == factHard {
		w.pos(i.To)
	}
}

// explain compares the reads of a key with the candidate order.
func (j *Job) explain(k *keyed, out *batches) {
	k.resolve()
	for i := range k.reads {
		r := &k.reads[i]
		if r.from == noVersion {
			j.finding(out, factHard, r.at, r.status, r.span)
		} else if next, some := k.next(r); some && next.before(r.at) {
			j.finding(out, factUpper, r.at, r.status, Interval{From: next})
		}
	}
	for i := range k.writes {
		switch w := &k.writes[i]; {
		case w.status != history.Unknown:
		case w.read:
			j.finding(out, factEffective, w.at, w.status, Interval{})
		default:
			j.finding(out, factHard, w.at, w.status, Interval{w.at, k.disturbed(i)})
		}
	}
}

// bound says which commits the snapshots of transactions on older ones come after.
func (j *Job) bound(k *keyed, out *batches) {
	k.resolve()
	for i := range k.reads {
		if r := &k.reads[i]; r.from >= 0 {
			j.finding(out, factLower, r.at, r.status, Interval{From: k.writes[r.from].at})
		}
	}
	for n, i := range k.order {
		if w := &k.writes[i]; n > 0 {
			j.finding(out, factLower, w.at, w.status, Interval{From: k.writes[k.order[n-1]].at})
		}
	}
}

// disturbed is the last transaction that would not fit if version i, which nobody read, took
// effect after all.
func (k *keyed) disturbed(i int) Pos {
	w := &k.writes[i]
	last := w.at
	for n := len(k.reads) - 1; n >= 0 && w.at.before(k.reads[n].at); n-- {
		if r := &k.reads[n]; k.list || r.from < i {
			last = r.at
			break
		}
	}
	for n := i + 1; n < len(k.writes); n++ {
		if v := &k.writes[n]; v.status != history.Aborted {
			last = later(last, v.at)
			if v.status == history.Committed {
				break
			}
		}
	}
	return last
}

// mapSessions says that a snapshot comes after what the session committed before.
func (j *Job) mapSessions(h *shardHistory, out *batches) {
	for s := range history.Session(h.NumSessions()) {
		first, end := h.Txns(s)
		before, some := j.Before[h.number][h.sessionName(s)]
		for t := first; t < end; t++ {
			if h.Status(t) == history.Aborted {
				continue
			}
			p := h.pos(t)
			if some {
				j.finding(out, factLower, p, h.Status(t), Interval{From: before})
			}
			before, some = p, true
		}
	}
}

// facts are what is known of the transactions of a part.
type facts struct {
	// Hard are intervals that have to be judged, Pending those that have to be if a
	// transaction of unknown outcome took effect, Effective such that did.
	Hard      []Interval
	Pending   []pending
	Effective []ID
	// Bounds are the versions before which, or the commits after which, transactions on older
	// snapshots took these.
	Bounds []bound
}

type pending struct {
	Txn ID
	Interval
}

type bound struct {
	At      Pos
	Unknown bool
	Bound   Pos
}

// settle puts the facts about transactions together.
func (j *Job) settle(blobs [][]byte) ([]byte, error) {
	var out facts
	bounds := map[ID]int{}
	effective := map[ID]bool{}
	for _, b := range blobs {
		for r := reader(b); len(r) > 0; {
			fact := r[0]
			r.skip(1)
			p, unknown := r.pos(), history.Status(r.uint()) == history.Unknown
			switch fact {
			case factEffective:
				if !effective[p.Txn] {
					effective[p.Txn] = true
					out.Effective = append(out.Effective, p.Txn)
				}
			case factHard:
				from := r.pos()
				if i := (Interval{from, r.pos()}); unknown {
					out.Pending = append(out.Pending, pending{p.Txn, i})
				} else {
					out.Hard = append(out.Hard, i)
				}
			default:
				at := r.pos()
				i, some := bounds[p.Txn]
				if !some {
					bounds[p.Txn] = len(out.Bounds)
					out.Bounds = append(out.Bounds, bound{p, unknown, at})
				} else if b := &out.Bounds[i]; fact == factUpper {
					b.Bound = earlier(b.Bound, at)
				} else {
					b.Bound = later(b.Bound, at)
				}
			}
		}
	}
	out.Hard = merge(out.Hard)
	return json.Marshal(out)
}
