package codec

import (
	"bytes"

	"github.com/txrobust/robust/history"
)

// awditReader reads the test format of AWDIT: lines "r key value" and "w key
// value"; a line of dashes ends a transaction, one of equals signs a session. No
// value is initial by itself: the initial transaction, if there is one, is the
// only one of the first session, and writes every key.
type awditReader struct{ b *history.Builder }

func (r *awditReader) file(in *input) error {
	b := r.b
	var session history.Session
	inSession, inTxn, sessions := false, false, int64(0)
	for {
		text, ok := in.text()
		if !ok {
			break
		}
		text = bytes.TrimSpace(text)
		switch {
		case len(text) == 0:
			continue
		case rule(text, '-'):
			inTxn = false
			continue
		case rule(text, '='):
			inSession, inTxn = false, false
			continue
		}
		write, key, value, ok := awditFields(text)
		if !ok {
			return in.lineErrorf("%s, expected \"r key value\" or \"w key value\" of integers, or a line of - or =", show(text))
		}
		if !inSession {
			session, inSession = b.Session(history.Int(sessions)), true
			sessions++
		}
		if !inTxn {
			inTxn = true
			b.SetPlace(b.Txn(session, history.Committed), history.At(in.file, int64(in.line-1)))
		}
		if write {
			b.Write(b.IntKey(key), b.IntValue(value))
		} else {
			b.Read(b.IntKey(key), b.IntValue(value))
		}
		if b.Err() != nil {
			return in.lineErrorf("%v", b.Err())
		}
	}
	if in.err != nil {
		return in.err
	}
	b.TakeInitial(history.AllKeys)
	return nil
}

// rule tells whether a line is a ruler of three or more of a character.
func rule(b []byte, c byte) bool { return len(b) >= 3 && len(bytes.Trim(b, string(c))) == 0 }

func awditFields(b []byte) (write bool, key, value int64, ok bool) {
	if len(b) < 2 || b[0] != 'r' && b[0] != 'w' || b[1] != ' ' && b[1] != '\t' {
		return false, 0, 0, false
	}
	k := bytes.TrimLeft(b[1:], " \t")
	i := bytes.IndexAny(k, " \t")
	if i < 0 {
		return false, 0, 0, false
	}
	key, ok = parseInt(k[:i])
	if !ok {
		return false, 0, 0, false
	}
	value, ok = parseInt(bytes.TrimSpace(k[i:]))
	return b[0] == 'w', key, value, ok
}
