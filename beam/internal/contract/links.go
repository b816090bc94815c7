package contract

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/txrobust/robust/history"
)

// Links are what RC, RA and CC need to know of a key: who wrote it, and from whom each read
// comes. They have numbers of transactions, and neither keys nor values.

// linkFacts is what the passes over keys find beside the links.
type linkFacts struct {
	// Back are intervals that a window should have and none has: of reads from a later position,
	// of list elements that are the other way round, and from a version that a read
	// does not show to the reader.
	Back []Interval
	// Bad are reads that come from no version.
	Bad []Interval
}

// linksFile has the links of a group of windows, from one slice of the keys: an empty file where
// no key matters.
func linksFile(scratch string, slice, group int) string {
	return filepath.Join(scratch, fmt.Sprintf("links-%d-%d", slice, group))
}

// groups is how many workers share the windows.
func (j *Job) groups() int { return min(len(j.Windows), j.Parts) }

// link finds the version that each read comes from: where several have its value, the last one
// before it in the candidate order. It puts lists into the order that was read, and
// gives how many versions were read so.
func (k *keyed) link() (seen int, bad []Interval) {
	k.index()
	for i := range k.reads {
		r := &k.reads[i]
		value, some := "", true
		if !k.list {
			value = r.values[0]
		} else if some = len(r.values) > 0; some {
			value = r.values[len(r.values)-1]
		}
		r.from, r.span = noVersion, Interval{r.at, r.at}
		if !some || !k.list && value == k.initial {
			r.from = initialVersion
		}
		if !some {
			continue
		}
		for _, s := range k.writers[value] {
			w := &k.writes[s.version]
			r.span = r.span.with(Interval{w.at, w.at})
			if !s.last || w.status == history.Aborted || w.at.Txn == r.at.Txn {
				continue
			}
			if w.at.before(r.at) || r.from == noVersion {
				r.from = s.version
			}
		}
		if r.from == noVersion {
			bad = append(bad, r.span)
		} else if r.from >= 0 {
			k.writes[r.from].read = true
		}
	}
	if k.list {
		return k.arrangeList(bad)
	}
	return 0, bad
}

// arrangeList puts the versions of a list into the order that the longest read shows.
func (k *keyed) arrangeList(bad []Interval) (int, []Interval) {
	var longest *observation
	for i := range k.reads {
		if r := &k.reads[i]; longest == nil || len(r.values) > len(longest.values) {
			longest = r
		}
	}
	var order []int // versions as they were read
	place := make([]int, len(k.writes))
	for n := 0; longest != nil && n < len(longest.values); {
		from := k.writers[longest.values[n]]
		if len(from) != 1 || !startsWith(longest.values[n:], k.writes[from[0].version].values) || place[from[0].version] > 0 {
			bad = append(bad, longest.span)
			break
		}
		order = append(order, from[0].version)
		place[from[0].version] = len(order)
		k.writes[from[0].version].read = true
		n += len(k.writes[from[0].version].values)
	}
	for i := range k.reads {
		r := &k.reads[i]
		if !startsWith(longest.values, r.values) {
			bad = append(bad, r.span.with(longest.span))
		}
	}
	seen := len(order)
	for i := range k.writes {
		if place[i] == 0 {
			order = append(order, i)
			place[i] = len(order)
		}
	}
	writes := make([]version, len(order))
	for n, i := range order {
		writes[n] = k.writes[i]
	}
	k.writes = writes
	for i := range k.reads {
		if r := &k.reads[i]; r.from >= 0 {
			r.from = place[r.from] - 1
		}
	}
	return seen, bad
}

func startsWith(list, prefix []string) bool {
	return len(prefix) <= len(list) && slices.Equal(list[:len(prefix)], prefix)
}

// links hands the links of a key to the windows that need them.
func (j *Job) links(k *keyed, out *batches) {
	seen, bad := k.link()
	rest := j.Parts + j.groups()
	for _, i := range bad {
		out.to(rest).fact('b', i)
	}
	back := func(late, early Pos) {
		if w := find(j.Windows, early); early.before(late) && (w < 0 || w != find(j.Windows, late)) {
			out.to(rest).fact('w', Interval{early, late})
		}
	}
	inside := map[int]*keyLinks{}
	at := func(p Pos) *keyLinks {
		w := find(j.Windows, p)
		if w >= 0 && inside[w] == nil {
			inside[w] = &keyLinks{last: -1}
		}
		return inside[w]
	}
	for i := range k.writes {
		v := &k.writes[i]
		if v.status == history.Aborted {
			continue
		}
		if l := at(v.at); l != nil {
			l.writes = append(l.writes, i)
		}
		if n := min(i, seen); n > 0 {
			back(k.writes[n-1].at, v.at)
		}
	}
	for i := range k.reads {
		r := &k.reads[i]
		if r.from == noVersion {
			continue
		}
		if next, some := k.follower(r); some {
			back(r.at, next)
		}
		if r.from >= 0 {
			from := k.writes[r.from].at
			back(from, r.at)
			if l := at(from); l != nil && l != at(r.at) && l.last < r.from {
				l.last = r.from
			}
		}
		if l := at(r.at); l != nil {
			l.reads = append(l.reads, i)
		}
	}
	for _, w := range sortedKeys(inside) {
		if l := inside[w]; k.matters(l) {
			k.encodeLinks(l, seen, w, out.to(j.Parts+w%j.groups()))
		}
	}
}

// follower gives the next version after what a read comes from that somebody else wrote.
func (k *keyed) follower(r *observation) (p Pos, ok bool) {
	for i := r.from + 1; i < len(k.writes); i++ {
		if v := &k.writes[i]; v.status != history.Aborted && v.at.Txn != r.at.Txn {
			return v.at, true
		}
	}
	return Pos{}, false
}

// keyLinks are those of a key in a window: numbers of versions and reads, and the last
// version that is read elsewhere, or -1.
type keyLinks struct {
	writes, reads []int
	last          int
}

// matters tells whether links of a window say anything.
func (k *keyed) matters(l *keyLinks) bool {
	switch len(l.writes) {
	case 0:
		return false
	case 1:
		return len(l.reads) > 0 || k.writes[l.writes[0]].status == history.Unknown
	}
	return true
}

const (
	fromInitial = iota
	fromOutside
	fromInside // and more: the number of the version in the window
)

func (k *keyed) encodeLinks(l *keyLinks, seen, window int, w *writer) {
	w.uint(uint64(window))
	number := make(map[int]int, len(l.writes))
	chained, last := 0, 0
	for n, i := range l.writes {
		number[i] = n
		if i < seen {
			chained++
		}
		if i == l.last {
			last = n + 1
		}
	}
	w.uint(bit(k.list))
	w.uint(uint64(chained))
	w.uint(uint64(last))
	w.uint(uint64(len(l.writes)))
	for _, i := range l.writes {
		w.id(k.writes[i].at.Txn)
		w.uint(bit(k.writes[i].read))
	}
	w.uint(uint64(len(l.reads)))
	for _, i := range l.reads {
		r := &k.reads[i]
		w.id(r.at.Txn)
		w.uint(uint64(r.op))
		n, in := number[r.from]
		switch {
		case r.from == initialVersion:
			w.uint(fromInitial)
		case !in:
			w.uint(fromOutside)
			w.pos(k.writes[r.from].at)
		default:
			w.uint(uint64(fromInside + n))
		}
	}
}

func (w *writer) fact(tag byte, i Interval) {
	*w = append(*w, tag)
	w.pos(i.From)
	w.pos(i.To)
}

// keepLinks writes the links of a group of windows where the worker finds them that judges the windows.
func (j *Job) keepLinks(part int, blobs [][]byte) ([]byte, error) {
	if group := part - j.Parts; group < j.groups() {
		var all []byte
		for _, b := range blobs {
			all = append(all, b...)
		}
		return nil, ReplaceFile(linksFile(j.Scratch, j.Slice, group), all)
	}
	var out linkFacts
	for _, b := range blobs {
		for r := reader(b); len(r) > 0; {
			tag := r[0]
			r.skip(1)
			i := Interval{r.pos(), r.pos()}
			if tag == 'b' {
				out.Bad = append(out.Bad, i)
			} else {
				out.Back = append(out.Back, i)
			}
		}
	}
	return json.Marshal(out)
}

// mapNodes hands the transactions of windows to the workers that judge these.
func (j *Job) mapNodes(h *shardHistory, out *batches) {
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		p := h.pos(t)
		i := find(j.Windows, p)
		if i < 0 || h.Status(t) == history.Aborted {
			continue
		}
		_, odd := h.accesses(t)
		w := out.to(j.Parts + i%j.groups())
		w.uint(uint64(i))
		w.pos(p)
		w.uint(bit(h.Status(t) == history.Unknown)<<1 | bit(odd))
		w.text(h.sessionName(h.SessionOf(t)))
	}
}

// readLinks gives the links of a group of windows.
func (j *Job) readLinks(group int) (out [][]byte, err error) {
	for slice := range max(1, j.Slices) {
		b, err := os.ReadFile(linksFile(j.Scratch, slice, group))
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}
