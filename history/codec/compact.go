package codec

import "hash/crc32"

// compactMagic begins a file in the compact format: a byte that is no text, a
// name, line ends that a transfer as text would change, and the version.
const compactMagic = "\x89rbh\r\n\x1a\n\x01"

// The records of the compact format; see the package's documentation.
const (
	recKey     = 'K'
	recName    = 'V'
	recSession = 'S'
	recOrder   = 'O'
	recNote    = 'N'
	recInitial = 'I'
	recTxn     = 'T'
	recEnd     = 'E'
)

// What a transaction has, beside its status in the two lowest bits.
const (
	hasNumber = 4 << iota
	hasBegin
	hasEnd
	hasStarted
	hasEnded
	hasLabel
)

const hasVersion = 0x80 // of an operation

// Values are 0 for NoValue, 1 for Initial, and then even for names that were
// defined and odd for integers of up to 62 bits.
const (
	codeNone    = 0
	codeInitial = 1
	codeName    = 2
	codeInt     = 3
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// zigzag makes small numbers of both signs small.
func zigzag(n int64) uint64   { return uint64(n<<1) ^ uint64(n>>63) }
func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }
