package codec

import (
	"bytes"

	"github.com/txrobust/robust/history"
)

// awditReader reads the test format of AWDIT: lines "r key value" and "w key
// value"; a line of dashes ends a transaction, one of equals signs a session. No
// value is initial by itself: the initial transaction, if there is one, is the
// only one of the first session, and writes every key.
type awditReader struct {
	b                *history.Builder
	sessions         int64
	session          history.Session
	inSession, inTxn bool
}

func (r *awditReader) file(in *input) error {
	err := readLines(in, (*awditLine).parse, func(line int, l awditLine) error { return r.add(in, line, l) },
		"\"r key value\" or \"w key value\" of integers of 64 bits, or a line of - or =")
	if err == nil && r.b.TakeInitial(history.AllKeys) {
		r.b.Note("The first session, which is one transaction that writes every key, is taken for the initial transaction.")
	}
	return err
}

// awditLine is a line: r or w, or - or = for a ruler.
type awditLine struct {
	what       byte
	key, value int64
}

// parse parses a line, which may be blank.
func (l *awditLine) parse(text []byte) (blank, ok bool) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return true, true
	}
	l.what = text[0]
	return false, rule(text, '-') || rule(text, '=') || l.fields(text)
}

func (r *awditReader) add(in *input, line int, l awditLine) error {
	b := r.b
	switch l.what {
	case '-':
		r.inTxn = false
		return nil
	case '=':
		r.inSession, r.inTxn = false, false
		return nil
	}
	if !r.inSession {
		r.session, r.inSession = b.Session(history.Int(r.sessions)), true
		r.sessions++
	}
	if !r.inTxn {
		r.inTxn = true
		b.SetPlace(b.Txn(r.session, history.Committed), history.At(in.file, int64(line)))
	}
	if l.what == 'w' {
		b.Write(b.IntKey(l.key), b.IntValue(l.value))
	} else {
		b.Read(b.IntKey(l.key), b.IntValue(l.value))
	}
	if b.Err() != nil {
		return in.errorAt(line, 0, "%v", b.Err())
	}
	return nil
}

// rule tells whether a line is a ruler of three or more of a character.
func rule(b []byte, c byte) bool { return len(b) >= 3 && len(bytes.Trim(b, string(c))) == 0 }

// fields parses an operation.
func (l *awditLine) fields(b []byte) (ok bool) {
	if len(b) < 2 || b[0] != 'r' && b[0] != 'w' || b[1] != ' ' && b[1] != '\t' {
		return false
	}
	k := bytes.TrimLeft(b[1:], " \t")
	i := bytes.IndexAny(k, " \t")
	if i < 0 {
		return false
	}
	if l.key, ok = parseInt(k[:i]); !ok {
		return false
	}
	l.value, ok = parseInt(bytes.TrimSpace(k[i:]))
	return ok
}
