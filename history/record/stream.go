package record

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/txrobust/robust/history"
)

// Stream writes what is recorded from now on to w as EDN of Jepsen, a line when a transaction
// begins and one when it ends, so that robust history check -follow can judge it at once. It
// must be called before the first transaction. Initial values, range reads, inserts and deletes
// are not in that format; then, and if a write fails, StreamErr says so, and no more is written.
func (r *Recorder) Stream(w io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stream = w
	if len(r.initial) > 0 {
		r.streamErr = fmt.Errorf("EDN has no initial values")
	}
}

// StreamErr is why the stream ended early, nil if it did not.
func (r *Recorder) StreamErr() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.streamErr
}

// line writes that a transaction begins or ends, and gives the stamp of that: lines are in the
// order of the stamps.
func (r *Recorder) line(kind string, t *Txn) stamp {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.stamp()
	if r.stream == nil || r.streamErr != nil {
		return at
	}
	b := append([]byte("{:type "), kind...)
	b = appendString(append(b, ", :process "...), t.s.name)
	b = strconv.AppendInt(append(b, ", :time "...), at.nanoseconds, 10)
	b = append(b, ", :f :txn"...)
	if kind != ":invoke" {
		b = append(b, ", :value ["...)
		for i, o := range t.ops {
			if i > 0 {
				b = append(b, ' ')
			}
			if b, r.streamErr = o.edn(b); r.streamErr != nil {
				return at
			}
		}
		b = append(b, ']')
	}
	_, r.streamErr = r.stream.Write(append(b, "}\n"...))
	return at
}

// edn appends an operation.
func (o op) edn(b []byte) ([]byte, error) {
	f := map[history.Kind]string{history.Read: ":r", history.ReadList: ":r", history.ReadSet: ":r", history.ReadCounter: ":r",
		history.Write: ":w", history.Append: ":append", history.Add: ":add", history.Increment: ":inc"}[o.kind]
	if f == "" {
		return b, fmt.Errorf("EDN has no %s", o.kind)
	}
	b = appendName(append(append(append(b, '['), f...), ' '), o.key)
	b = append(b, ' ')
	switch o.kind {
	case history.ReadList, history.ReadSet:
		open := map[history.Kind]string{history.ReadList: "[", history.ReadSet: "#{"}[o.kind]
		b = append(b, open...)
		for i, e := range o.list {
			if i > 0 {
				b = append(b, ' ')
			}
			b = appendName(b, e)
		}
		b = append(b, map[string]byte{"[": ']', "#{": '}'}[open])
	default:
		b = appendName(b, o.value)
	}
	return append(b, ']'), nil
}

// appendName appends a name: those of a recording are nil, integers or strings.
func appendName(b []byte, n history.Name) []byte {
	switch n.Kind {
	case history.NilName:
		return append(b, "nil"...)
	case history.IntName:
		return strconv.AppendInt(b, n.Int, 10)
	}
	return appendString(b, n.Text)
}

// appendString appends a string; the escapes of JSON are those of EDN.
func appendString(b []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic("record: a string has no JSON: " + err.Error())
	}
	return append(b, text...)
}
