package history

import "slices"

// InitialRule says which first transaction of a recording is the initial one.
// Formats that write initial values out have no other mark for it.
type InitialRule uint8

const (
	// AllInitial: it writes nothing but Initial.
	AllInitial InitialRule = iota
	// AllKeys: it writes every key of the history.
	AllKeys
	// Marked: the recording says that it is.
	Marked
)

// TakeInitial makes the first transaction the initial one if it fits the rule,
// and is alone in the first session, committed, with one write of a register per
// key and nothing else. It must be called after everything was added.
//
// A transaction that only looks like that is taken, too, and so comes before
// all others. That is what the recorder of such a format means, and the only
// way to record it.
func (b *Builder) TakeInitial(rule InitialRule) bool {
	h := b.h
	if b.err != nil || len(h.session) < 2 || h.session[1] != 0 || slices.Contains(h.session[2:], 0) || h.status[1] != Committed {
		return false
	}
	values := map[Key]Value{}
	for i, t := range b.owner {
		end := Op(len(h.kind))
		if i+1 < len(b.start) {
			end = b.start[i+1]
		}
		if t != 1 {
			continue
		}
		for o := b.start[i]; o < end; o++ {
			k, v := h.key[o], h.value[o]
			if _, twice := values[k]; twice || h.kind[o] != Write || rule == AllInitial && v != Initial {
				return false
			}
			values[k] = v
		}
	}
	if len(values) == 0 || rule == AllKeys && len(values) != h.keys.len() {
		return false
	}
	for k, v := range values {
		b.SetInitial(k, v)
	}
	for i, t := range b.owner {
		switch {
		case t == 1:
			b.owner[i] = noTxn
		case t > 1:
			b.owner[i] = t - 1
		}
	}
	h.sessionNames = h.sessionNames[1:]
	h.session = without(h.session)
	for t := range h.session {
		if t > 0 {
			h.session[t]--
		}
	}
	h.status = without(h.status)
	h.number, h.begin, h.end = without(h.number), without(h.begin), without(h.end)
	h.started, h.ended, h.places = without(h.started), without(h.ended), without(h.places)
	labels := map[Txn]string{}
	for t, l := range h.labels {
		if t > 1 {
			labels[t-1] = l
		}
	}
	h.labels = labels
	return b.err == nil
}

// without drops the first recorded transaction from a column.
func without[T any](c []T) []T {
	if c == nil {
		return nil
	}
	return slices.Delete(c, 1, 2)
}
