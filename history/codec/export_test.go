package codec

import "slices"

// What tests of package codec_test need, which read the recorded histories with a package
// that imports this one.
var (
	ThereAndBack       = thereAndBack
	WritableFormats    = writableFormats
	SameReading        = sameReading
	Mutant             = mutant
	CompareWithLibrary = compareWithLibrary
)

// Mutants gives how many mutants of a history are read, and their seed.
func Mutants() (n int, seed uint64) { return *mutants, *mutantSeed }

// Chunked tells whether a format is read in chunks.
func Chunked(f Format) bool { return slices.Contains(chunked, f) }
