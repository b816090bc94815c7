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
			continue
		}
		next, some := k.next(r)
		switch stale := some && next.before(r.at); {
		case stale && j.Kind == serial:
			j.finding(out, factHard, r.at, r.status, Interval{next, r.at})
		case stale:
			j.finding(out, factUpper, r.at, r.status, Interval{From: next})
		}
		if r.from >= 0 && j.Kind == snapshots {
			j.finding(out, factLower, r.at, r.status, Interval{From: k.writes[r.from].at})
		}
	}
	for n, i := range k.order {
		w := &k.writes[i]
		if w.status == history.Unknown {
			j.finding(out, factEffective, w.at, w.status, Interval{})
		}
		if n > 0 && j.Kind == snapshots {
			j.finding(out, factLower, w.at, w.status, Interval{From: k.writes[k.order[n-1]].at})
		}
	}
	for i := range k.writes {
		if w := &k.writes[i]; w.status == history.Unknown && !w.read {
			j.finding(out, factHard, w.at, w.status, Interval{w.at, k.disturbed(i)})
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

// Suspicion are the intervals of the candidate order that a job finds: Hard ones have to be
// judged, Soft ones are those of transactions on older snapshots, and must not be cut.
type Suspicion struct{ Hard, Soft []Interval }

// settle puts the facts about transactions together.
func (j *Job) settle(blobs [][]byte) ([]byte, error) {
	type txn struct {
		at           Pos
		status       history.Status
		effective    bool
		hard         []Interval
		upper, lower Pos
		bound, after bool
	}
	all := map[ID]*txn{}
	for _, b := range blobs {
		for r := reader(b); len(r) > 0; {
			fact := r[0]
			r.skip(1)
			p, status := r.pos(), history.Status(r.uint())
			t := all[p.Txn]
			if t == nil {
				t = &txn{at: p, status: status}
				all[p.Txn] = t
			}
			switch fact {
			case factEffective:
				t.effective = true
			case factHard:
				from := r.pos()
				t.hard = append(t.hard, Interval{from, r.pos()})
			case factUpper:
				if at := r.pos(); !t.bound || at.before(t.upper) {
					t.upper, t.bound = at, true
				}
			case factLower:
				if at := r.pos(); !t.after || t.lower.before(at) {
					t.lower, t.after = at, true
				}
			}
		}
	}
	var out Suspicion
	for _, t := range all {
		if t.status == history.Unknown && !t.effective {
			continue
		}
		out.Hard = append(out.Hard, t.hard...)
		if !t.bound {
			continue
		}
		if span := (Interval{t.upper, t.at}); t.after && !t.lower.before(t.upper) {
			out.Hard = append(out.Hard, span)
		} else {
			out.Soft = append(out.Soft, span)
		}
	}
	out.Hard, out.Soft = merge(out.Hard), merge(out.Soft)
	return json.Marshal(out)
}
