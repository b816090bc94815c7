package polysi

import (
	"slices"
	"sort"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/isolation"
)

// versions are what the transactions that took effect, or maybe did, wrote last to
// each key: those of key k are first[k] to first[k+1], sorted by transaction, the
// initial one first.
type versions struct {
	first []int32
	txn   []history.Txn
	key   []history.Key
	// next is the version that a transaction made that read this one and then
	// wrote the key, and prev the opposite; -1 if there is none.
	next, prev []int32
	// Readers are linked: reads from lastReader[v] on, by before.
	lastReader []int32
	before     []int32 // of reads
	read       []int32 // of reads: the version
}

func newVersions(r *reads) *versions {
	h := r.h
	keys := h.NumKeys()
	v := &versions{first: make([]int32, keys+1)}
	each := func(f func(k history.Key, t history.Txn)) {
		for t := range history.Txn(h.NumTxns()) {
			if !r.live[t] && !r.maybe[t] {
				continue
			}
			for o, end := h.Ops(t); o < end; o++ {
				if h.Kind(o).Writes() && r.writers.Final(o) {
					f(h.Key(o), t)
				}
			}
		}
	}
	each(func(k history.Key, _ history.Txn) { v.first[k+1]++ })
	for k := range keys {
		v.first[k+1] += v.first[k]
	}
	n := int(v.first[keys])
	v.txn, v.key = make([]history.Txn, n), make([]history.Key, n)
	at := slices.Clone(v.first[:keys])
	each(func(k history.Key, t history.Txn) { v.txn[at[k]], v.key[at[k]] = t, k; at[k]++ })
	v.next, v.prev, v.lastReader = filled(n), filled(n), filled(n)
	return v
}

// filled gives n times -1.
func filled(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = -1
	}
	return out
}

// of gives the version of a key that a transaction wrote, -1 if it wrote none.
func (v *versions) of(k history.Key, t history.Txn) int32 {
	lo, hi := v.first[k], v.first[k+1]
	i := lo + int32(sort.Search(int(hi-lo), func(i int) bool { return v.txn[lo+int32(i)] >= t }))
	if i < hi && v.txn[i] == t {
		return i
	}
	return -1
}

// chain is versions of a key of which each was made by a transaction that read the
// one before. Nothing comes between them.
type chain struct {
	head, tail int32 // versions
}

// readers calls f with the reads of a version, until it is false.
func (p *polygraph) readers(version int32, f func(read int32) bool) bool {
	for i := p.v.lastReader[version]; i >= 0; i = p.v.before[i] {
		if !f(i) {
			return false
		}
	}
	return true
}

// addReader makes read i one of a version.
func (p *polygraph) addReader(i, version int32) {
	p.v.before, p.v.read = append(p.v.before, p.v.lastReader[version]), append(p.v.read, version)
	p.v.lastReader[version] = i
}

// lostUpdate gives all reads to their versions, and links the versions that were
// made by reading and writing. If one version was updated twice like that an update
// was lost.
func (p *polygraph) lostUpdate() *checker.Violation {
	for i, x := range p.list {
		w := p.v.of(x.key, x.from)
		p.addReader(int32(i), w)
		t := p.h.TxnOf(x.op)
		u := p.v.of(x.key, t)
		if u < 0 || p.v.next[w] == u {
			continue
		}
		other := p.v.next[w]
		if other < 0 {
			// A transaction that read two versions has two before it, which is found
			// as a cycle.
			if p.v.prev[u] < 0 {
				p.v.next[w], p.v.prev[u] = u, w
			}
			continue
		}
		a, b := p.v.txn[other], t
		return &checker.Violation{
			Anomaly: anomalies.LostUpdate, Level: isolation.PLSI, Read: x.op, Key: x.key, Source: p.writeOf(w),
			Cycle: []checker.Edge{
				{Dependency: isolation.RW, From: b, To: a, Key: x.key, Read: x.op},
				{Dependency: isolation.WW, From: a, To: b, Key: x.key, Read: -1, Because: []checker.Edge{
					{Dependency: isolation.WW, From: b, To: a, Key: x.key, Read: -1},
					{Dependency: isolation.RW, From: a, To: b, Key: x.key, Read: p.readOf(a, x.key)},
				}},
			},
		}
	}
	return nil
}

// readOf gives the first definite read of a key in a transaction.
func (p *polygraph) readOf(t history.Txn, k history.Key) history.Op {
	for _, x := range p.list {
		if x.key == k && p.h.TxnOf(x.op) == t {
			return x.op
		}
	}
	return -1
}

// writeOf gives the operation that made a version.
func (p *polygraph) writeOf(version int32) history.Op {
	t, k := p.v.txn[version], p.v.key[version]
	for o, end := p.h.Ops(t); o < end; o++ {
		if p.h.Kind(o).Writes() && p.h.Key(o) == k && p.reads.writers.Final(o) {
			return o
		}
	}
	panic("polysi: a version was not written")
}
