package codec

import (
	"encoding/binary"

	"github.com/txrobust/robust/history"
)

// cobraReader reads the logs of Cobra: one file per client, big-endian records
// of a letter and numbers of 64 bits:
//
//	'S' txn                           begin
//	'W' writeid key hash              write; hash is of the value
//	'R' writer txn, writeid key hash  read
//	'C' txn                           commit
//
// S and C may be followed by a clock time, in all records of a file or in none.
// Clients number their transactions. The write ids identify versions; those of
// the initial values are below, and those of a workload that has no ids.
type cobraReader struct{ b *history.Builder }

const (
	cobraInit = 0xbebeebee // the version that was loaded before the recording
	cobraNull = 0xdeadbeef // the row does not exist: nobody wrote it yet
	cobraNone = 0xabddefee // the workload gives no id: the value has to do
)

// cobraSizes are those of the records, with their letter and without times.
var cobraSizes = map[byte]int{'S': 9, 'C': 9, 'W': 25, 'R': 33}

func (r *cobraReader) file(in *input) error {
	b := r.b
	s := b.Session(sessionOfFile(in.name, "T"))
	timed, err := cobraTimed(in)
	if err != nil {
		return err
	}
	open, number := false, int64(0)
	for {
		at := in.offset()
		c, ok := in.peek()
		if !ok {
			break
		}
		size, ok := cobraSizes[c]
		if !ok {
			return in.byteErrorf(at, "the record begins with %q, expected S, W, R or C", c)
		}
		if timed && size == 9 {
			size += 8
		}
		rec := in.next(size)
		if len(rec) < size {
			return in.fault(in.byteErrorf(at, "the file ends within a record of %d bytes", size))
		}
		if open == (c == 'S') {
			return in.byteErrorf(at, "a record %c %s a transaction", c, map[bool]string{true: "within", false: "outside"}[open])
		}
		field := func(i int) int64 { return int64(binary.BigEndian.Uint64(rec[1+8*i:])) }
		switch c {
		case 'S':
			// Unknown until it commits: the log may have been cut off.
			t := b.Txn(s, history.Unknown)
			open, number = true, field(0)
			b.SetNumber(t, number)
			b.SetPlace(t, history.At(in.file, 1+at))
			if timed {
				b.SetStarted(t, field(1))
				b.SetBegin(t, field(1))
			}
		case 'C':
			if field(0) != number {
				return in.byteErrorf(at, "the transaction %d commits within %d", field(0), number)
			}
			open = false
			b.SetStatus(b.Current(), history.Committed)
			if timed {
				b.SetEnded(b.Current(), field(1))
				b.SetEnd(b.Current(), field(1))
			}
		case 'W':
			id, value := field(0), field(2)
			b.Write(b.IntKey(field(1)), b.IntValue(value))
			// An id that is the value says no more than the value.
			if id != cobraNone && id != value {
				b.SetVersion(b.IntValue(id))
			}
		case 'R':
			id, value := field(1), field(3)
			if id == cobraNull {
				b.Read(b.IntKey(field(2)), history.Initial)
				break
			}
			b.Read(b.IntKey(field(2)), b.IntValue(value))
			if id == cobraInit {
				b.SetVersion(history.Initial)
			} else if id != cobraNone && id != value {
				b.SetVersion(b.IntValue(id))
			}
		}
		if b.Err() != nil {
			return in.byteErrorf(at, "%v", b.Err())
		}
	}
	if timed {
		b.SetOrder(history.RealTime)
	}
	return in.err
}

// cobraTimed tells whether the records S and C of a file have times: only then
// a record begins where one with times ends. It looks at the first transaction.
func cobraTimed(in *input) (bool, error) {
	fits := func(extra int) (fits, whole bool) {
		at := 0
		for {
			for len(in.buf)-in.pos <= at && in.fill() {
			}
			if len(in.buf)-in.pos <= at {
				return true, false
			}
			c := in.buf[in.pos+at]
			size, ok := cobraSizes[c]
			if !ok {
				return false, false
			}
			if at += size; c == 'S' || c == 'C' {
				at += extra
			}
			if c == 'C' || at > bufferSize {
				// The next record has to begin here.
				for len(in.buf)-in.pos <= at && in.fill() {
				}
				return len(in.buf)-in.pos <= at || in.buf[in.pos+at] == 'S', true
			}
		}
	}
	without, _ := fits(0)
	with, whole := fits(8)
	return !without && with && whole, in.err
}
