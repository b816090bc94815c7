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
	err := inChunks(in, func() func([]byte, *[]awditLine) int { return awditLines }, func(lines *[]awditLine) error {
		for i, l := range *lines {
			if err := r.add(in, in.line+i, l); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for {
		text, ok := in.text()
		if !ok {
			break
		}
		l, ok := parseAWDIT(text)
		if !ok {
			return in.lineErrorf("%s, expected \"r key value\" or \"w key value\" of integers, or a line of - or =", show(bytes.TrimSpace(text)))
		}
		if err := r.add(in, in.line-1, l); err != nil {
			return err
		}
	}
	if in.err != nil {
		return in.err
	}
	r.b.TakeInitial(history.AllKeys)
	return nil
}

// awditLine is a line: r or w, - or = for a ruler, or 0 if it is blank.
type awditLine struct {
	what       byte
	key, value int64
}

// awditLines parses lines, up to one that is none.
func awditLines(text []byte, out *[]awditLine) int {
	lines := (*out)[:0]
	at := 0
	for at < len(text) {
		row, _, _ := bytes.Cut(text[at:], []byte{'\n'})
		l, ok := parseAWDIT(row)
		if !ok {
			break
		}
		lines, at = append(lines, l), min(at+len(row)+1, len(text))
	}
	*out = lines
	return at
}

func parseAWDIT(text []byte) (l awditLine, ok bool) {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0:
		return l, true
	case rule(text, '-') || rule(text, '='):
		return awditLine{what: text[0]}, true
	}
	return awditFields(text)
}

func (r *awditReader) add(in *input, line int, l awditLine) error {
	b := r.b
	switch l.what {
	case 0:
		return nil
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

// awditFields parses an operation.
func awditFields(b []byte) (l awditLine, ok bool) {
	if len(b) < 2 || b[0] != 'r' && b[0] != 'w' || b[1] != ' ' && b[1] != '\t' {
		return l, false
	}
	k := bytes.TrimLeft(b[1:], " \t")
	i := bytes.IndexAny(k, " \t")
	if i < 0 {
		return l, false
	}
	l.what = b[0]
	if l.key, ok = parseInt(k[:i]); !ok {
		return l, false
	}
	l.value, ok = parseInt(bytes.TrimSpace(k[i:]))
	return l, ok
}
