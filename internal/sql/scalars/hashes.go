package scalars

import (
	"math/bits"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// jenkins is the state of lookup3.
type jenkins struct{ a, b, c uint32 }

// mix mixes the state.
func (h *jenkins) mix() {
	h.a -= h.c
	h.a ^= bits.RotateLeft32(h.c, 4)
	h.c += h.b
	h.b -= h.a
	h.b ^= bits.RotateLeft32(h.a, 6)
	h.a += h.c
	h.c -= h.b
	h.c ^= bits.RotateLeft32(h.b, 8)
	h.b += h.a
	h.a -= h.c
	h.a ^= bits.RotateLeft32(h.c, 16)
	h.c += h.b
	h.b -= h.a
	h.b ^= bits.RotateLeft32(h.a, 19)
	h.a += h.c
	h.c -= h.b
	h.c ^= bits.RotateLeft32(h.b, 4)
	h.b += h.a
}

// final mixes the state for the last time.
func (h *jenkins) final() {
	h.c ^= h.b
	h.c -= bits.RotateLeft32(h.b, 14)
	h.a ^= h.c
	h.a -= bits.RotateLeft32(h.c, 11)
	h.b ^= h.a
	h.b -= bits.RotateLeft32(h.a, 25)
	h.c ^= h.b
	h.c -= bits.RotateLeft32(h.b, 16)
	h.a ^= h.c
	h.a -= bits.RotateLeft32(h.c, 4)
	h.b ^= h.a
	h.b -= bits.RotateLeft32(h.a, 14)
	h.c ^= h.b
	h.c -= bits.RotateLeft32(h.b, 24)
}

// seeded begins a hash of n bytes.
func seeded(n int, seed uint64) *jenkins {
	start := 0x9e3779b9 + uint32(n) + 3923095
	h := &jenkins{start, start, start}
	if seed != 0 {
		h.a += uint32(seed >> 32)
		h.b += uint32(seed)
		h.mix()
	}
	return h
}

// hashBytes gives the 64 bits of a hash of bytes.
func hashBytes(k []byte, seed uint64) uint64 {
	h := seeded(len(k), seed)
	word := func(i int) uint32 {
		return uint32(k[i]) | uint32(k[i+1])<<8 | uint32(k[i+2])<<16 | uint32(k[i+3])<<24
	}
	for ; len(k) >= 12; k = k[12:] {
		h.a += word(0)
		h.b += word(4)
		h.c += word(8)
		h.mix()
	}
	for i, x := range k { // the lowest byte of c is not used
		switch shift := uint(i % 4 * 8); {
		case i < 4:
			h.a += uint32(x) << shift
		case i < 8:
			h.b += uint32(x) << shift
		default:
			h.c += uint32(x) << (shift + 8)
		}
	}
	h.final()
	return uint64(h.b)<<32 | uint64(h.c)
}

// hashWord gives the 64 bits of a hash of an integer.
func hashWord(x uint32, seed uint64) uint64 {
	h := seeded(4, seed)
	h.a += x
	h.final()
	return uint64(h.b)<<32 | uint64(h.c)
}

// foldedWord makes one word of an int8, the same as of an equal int4.
func foldedWord(x int64) uint32 {
	high := uint32(x >> 32)
	if x < 0 {
		high = ^high
	}
	return uint32(x) ^ high
}

func init() {
	hashes := func(name, arg string, hash func(v ir.Value, seed uint64) uint64) {
		value.Define(map[string]value.Evaluator{
			name + "(" + arg + ")": value.Pure(func(a []ir.Value) ir.Value { return ir.Int(int64(int32(hash(a[0], 0)))) }),
			name + "extended(" + arg + ",int8)": value.Pure(func(a []ir.Value) ir.Value {
				return ir.Int(int64(hash(a[0], uint64(a[1].I))))
			}),
		})
	}
	ofBytes := func(v ir.Value, seed uint64) uint64 { return hashBytes([]byte(v.S), seed) }
	ofWord := func(v ir.Value, seed uint64) uint64 { return hashWord(uint32(int32(v.I)), seed) }
	hashes("hashtext", "text", ofBytes)
	hashes("hashname", "name", ofBytes)
	hashes("hashbpchar", "bpchar", ofBytes)
	hashes("hashint2", "int2", ofWord)
	hashes("hashint4", "int4", ofWord)
	hashes("hashoid", "oid", func(v ir.Value, seed uint64) uint64 { return hashWord(uint32(v.I), seed) })
	hashes("hashint8", "int8", func(v ir.Value, seed uint64) uint64 { return hashWord(foldedWord(v.I), seed) })
}
