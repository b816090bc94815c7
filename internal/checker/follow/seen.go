package follow

import (
	"hash/maphash"

	"github.com/txrobust/robust/history"
)

// seen remembers which versions were written by transactions that are forgotten. It may
// say yes of a version that nobody wrote, but never no of one that somebody did: a yes
// makes a verdict unknown at worst.
type seen struct {
	seed   maphash.Seed
	layers [][]uint64
	room   int // versions that the last layer still takes
}

const (
	seenFirst   = 1 << 14 // words of 64 bits in the first layer
	seenLargest = 1 << 23 // and in the largest: 64 MB
	seenHashes  = 8
	bitsEach    = 16 // for each version
)

func newSeen() *seen { return &seen{seed: maphash.MakeSeed()} }

// version is a value of a key, or an element of a list.
type version struct {
	key   int32
	value history.Name
}

func (s *seen) hash(v version) uint64 { return maphash.Comparable(s.seed, v) }

// add takes a version.
func (s *seen) add(v version) {
	if s.room == 0 {
		size := seenFirst
		if n := len(s.layers); n > 0 {
			size = min(2*len(s.layers[n-1]), seenLargest)
		}
		if n := len(s.layers); n == 0 || len(s.layers[n-1]) < seenLargest {
			s.layers = append(s.layers, make([]uint64, size))
			s.room = size * 64 / bitsEach
		} else {
			s.room = 1 // the largest layer takes all that follow
		}
	}
	s.room--
	layer := s.layers[len(s.layers)-1]
	each(s.hash(v), layer, func(word *uint64, bit uint64) bool { *word |= bit; return true })
}

// has tells whether a version may have been added.
func (s *seen) has(v version) bool {
	h := s.hash(v)
	for _, layer := range s.layers {
		all := true
		each(h, layer, func(word *uint64, bit uint64) bool { all = *word&bit != 0; return all })
		if all {
			return true
		}
	}
	return false
}

// each gives f the bits of a layer that stand for a hash, until f says no.
func each(h uint64, layer []uint64, f func(word *uint64, bit uint64) bool) {
	low, step := h, h>>32|1
	bits := uint64(len(layer)) * 64
	for range seenHashes {
		at := low % bits
		if !f(&layer[at/64], 1<<(at%64)) {
			return
		}
		low += step
	}
}
