package contract

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
)

// version is what a transaction writes to a key: the last of values is what others may read
// of a register, all of them, in order, of a list.
type version struct {
	at     Pos
	status history.Status
	values []string
	// read tells that some read is taken to come from it.
	read bool
}

// observation is what a transaction reads of a key.
type observation struct {
	at     Pos
	status history.Status
	list   bool
	op     int // number of the operation, for links
	values []string
	// from is the version that it is taken to come from, initialVersion, or
	// noVersion where the candidate order has none; then span are all transactions
	// that matter.
	from int
	span Interval
}

const (
	initialVersion = -1
	noVersion      = -2
)

// keyed is all that is done to a key.
type keyed struct {
	key     string
	list    bool
	initial string
	given   bool          // initial is recorded
	writes  []version     // by position
	reads   []observation // by position
	// writers are the versions that have a value, by number, last tells where it is the last.
	writers map[string][]source
	// order are the versions that took effect, and elements those of a list, with
	// the number of the version of each.
	order    []int
	elements []string
	owner    []int
}

type source struct {
	version int
	last    bool
}

const (
	isWrite = 1 << iota
	isList
	isInitial
	isNumbered // the number of the operation follows
	statusBit  = iota
)

// mapKeys hands every access to the part of its key.
func (j *Job) mapKeys(h *shardHistory, out *batches) {
	record := func(k history.Key, p Pos, status history.Status, flags uint64, values []string, op int) {
		w := out.to(partOf(h.names[k], j.Parts))
		w.text(h.names[k])
		w.pos(p)
		if j.Kind == linking && flags&isWrite == 0 {
			flags |= isNumbered
		}
		w.uint(uint64(status)<<statusBit | flags)
		w.texts(values)
		if flags&isNumbered != 0 {
			w.uint(uint64(op))
		}
	}
	for k := range history.Key(h.NumKeys()) {
		if h.wanted[k] && h.InitialGiven(k) {
			record(k, Pos{}, history.Committed, isInitial, []string{encodeName(h.ValueName(h.Value(history.Op(k))))}, 0)
		}
	}
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		p, status := h.pos(t), h.Status(t)
		some, odd := h.accesses(t)
		for _, a := range some {
			flags := uint64(0)
			if a.write {
				flags |= isWrite
			} else if status == history.Aborted {
				continue
			}
			if a.list {
				flags |= isList
			}
			record(a.key, p, status, flags, a.values, a.op)
		}
		if odd && status != history.Aborted && j.Kind == serial {
			j.finding(out, factHard, p, status, Interval{p, p})
		}
	}
}

// eachKey groups what mapKeys wrote.
func eachKey(blobs [][]byte, do func(*keyed) error) error {
	all := map[string]*keyed{}
	for _, b := range blobs {
		for r := reader(b); len(r) > 0; {
			name := r.text()
			k := all[name]
			if k == nil {
				k = &keyed{key: name}
				all[name] = k
			}
			at, flags, values := r.pos(), r.uint(), r.texts()
			status, op := history.Status(flags>>statusBit), 0
			if flags&isNumbered != 0 {
				op = int(r.uint())
			}
			switch {
			case flags&isInitial != 0:
				if k.given && k.initial != values[0] {
					return fmt.Errorf("the shards give the key %s two initial values, %s and %s; expected one", decodeName(name), decodeName(k.initial), decodeName(values[0]))
				}
				k.initial, k.given = values[0], true
			case flags&isWrite != 0:
				k.writes = append(k.writes, version{at: at, status: status, values: values})
			default:
				k.reads = append(k.reads, observation{at: at, status: status, list: flags&isList != 0, op: op, values: values})
			}
			k.list = k.list || flags&isList != 0
		}
	}
	for _, name := range sortedKeys(all) {
		k := all[name]
		delete(all, name)
		if err := do(k); err != nil {
			return err
		}
	}
	return nil
}

// index sorts what is done to a key, and finds the writers of values.
func (k *keyed) index() {
	slices.SortFunc(k.writes, func(a, b version) int { return a.at.compare(b.at) })
	slices.SortFunc(k.reads, func(a, b observation) int { return a.at.compare(b.at) })
	k.writers = make(map[string][]source, len(k.writes))
	for i, w := range k.writes {
		for n, v := range w.values {
			k.writers[v] = append(k.writers[v], source{i, n == len(w.values)-1})
		}
	}
	for i := range k.reads {
		r := &k.reads[i]
		if k.list && !r.list {
			r.list = true
			if len(r.values) == 1 && r.values[0] == "" {
				r.values = nil // nothing, of a list
			}
		}
	}
}

// resolve finds what reads come from, in the candidate order.
func (k *keyed) resolve() {
	k.index()
	for i := range k.reads {
		r := &k.reads[i]
		if k.list {
			for _, v := range r.values {
				for _, s := range k.writers[v] {
					k.writes[s.version].read = true
				}
			}
		} else {
			k.resolveRegister(r)
		}
	}
	for i, w := range k.writes {
		if w.status == history.Committed || w.status == history.Unknown && w.read {
			k.order = append(k.order, i)
		}
	}
	if !k.list {
		return
	}
	for _, i := range k.order {
		for _, v := range k.writes[i].values {
			k.elements, k.owner = append(k.elements, v), append(k.owner, i)
		}
	}
	for i := range k.reads {
		k.resolveList(&k.reads[i])
	}
}

// resolveRegister chooses the last write before a read that wrote what it read.
func (k *keyed) resolveRegister(r *observation) {
	r.from, r.span = noVersion, Interval{r.at, r.at}
	for _, s := range k.writers[r.values[0]] {
		w := &k.writes[s.version]
		if s.last && w.status != history.Aborted && w.at.before(r.at) {
			r.from = max(r.from, s.version)
		}
		r.span = r.span.with(Interval{w.at, w.at})
	}
	switch {
	case r.from >= 0:
		k.writes[r.from].read = true
	case r.values[0] == k.initial:
		r.from = initialVersion
	}
}

// resolveList compares a read with the elements in the candidate order.
func (k *keyed) resolveList(r *observation) {
	r.span = Interval{r.at, r.at}
	n := 0
	for n < len(r.values) && n < len(k.elements) && r.values[n] == k.elements[n] {
		n++
	}
	whole := n == len(r.values)
	if whole && n == 0 {
		r.from = initialVersion
		return
	}
	if whole {
		r.from = k.owner[n-1]
		between := n < len(k.owner) && k.owner[n] == r.from
		if !between && k.writes[r.from].at.before(r.at) {
			return
		}
		n = slices.Index(k.owner, r.from)
	}
	r.from = noVersion
	if n < len(k.owner) {
		at := k.writes[k.owner[n]].at
		r.span = r.span.with(Interval{at, at})
	}
	for _, v := range r.values[n:] {
		for _, s := range k.writers[v] {
			at := k.writes[s.version].at
			r.span = r.span.with(Interval{at, at})
		}
	}
}

// next gives the first version after what a read comes from that somebody else wrote; ok is
// false if it is the last.
func (k *keyed) next(r *observation) (p Pos, ok bool) {
	i, _ := slices.BinarySearch(k.order, r.from+1)
	for ; i < len(k.order); i++ {
		if at := k.writes[k.order[i]].at; at.Txn != r.at.Txn {
			return at, true
		}
	}
	return Pos{}, false
}
