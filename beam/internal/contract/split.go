package contract

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/txrobust/robust/history/codec"
)

// Split divides a file into shards of about so many bytes, if its format allows that: text of
// Plume, of which each line is an operation with its session and transaction. All others are
// one shard. size 0 divides nothing.
func Split(path string, format codec.Format, size int64) ([]Shard, error) {
	whole := []Shard{{Path: path, Format: format}}
	info, err := os.Stat(path)
	if err != nil || size <= 0 || info.IsDir() || info.Size() <= size || format != codec.Guess && format != codec.Plume {
		return whole, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	var out []Shard
	now := Shard{Path: path, Format: codec.Plume}
	var at int64
	var txn []byte
	for lines := 0; ; lines++ {
		line, err := in.ReadSlice('\n')
		if len(line) > 0 && !plumeLine(line) {
			return whole, nil
		}
		switch {
		case errors.Is(err, io.EOF):
			now.To = at + int64(len(line))
			return append(out, now), nil
		case err != nil:
			return whole, nil // a line that is longer than any of the format
		}
		this := transactionOf(line)
		if at-now.From >= size && !bytes.Equal(this, txn) {
			now.To = at
			out = append(out, now)
			now = Shard{Path: path, Format: codec.Plume, From: at, Lines: lines}
		}
		txn = append(txn[:0], this...)
		at += int64(len(line))
	}
}

// plumeLine tells whether a line looks like an operation, or is blank.
func plumeLine(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || len(line) > 3 && (line[0] == 'r' || line[0] == 'w') && line[1] == '(' && line[len(line)-1] == ')'
}

// transactionOf is the session and the transaction of a line.
func transactionOf(line []byte) []byte {
	i := bytes.LastIndexByte(line, ',')
	return line[max(0, bytes.LastIndexByte(line[:max(0, i)], ',')):]
}
