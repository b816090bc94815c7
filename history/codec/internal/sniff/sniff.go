// Package sniff tells the format of a recorded history from the beginning of a file.
package sniff

import (
	"bytes"
	"encoding/binary"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrUnknown is what errors are that say why the format is not known.
var ErrUnknown = errors.New("the format is not known")

// reason says why.
type reason struct{ text string }

func (r *reason) Error() string        { return r.text }
func (r *reason) Is(target error) bool { return target == ErrUnknown }

// compactMagic is what files of the compact format begin with.
const compactMagic = "\x89rbh\r\n\x1a\n\x01"

// cobraRecord tells whether a record of Cobra begins with a letter.
func cobraRecord(c byte) bool { return bytes.IndexByte([]byte("SCWR"), c) >= 0 }

// WithoutMark gives the beginning of a file without the byte order mark that some editors write
// before a text in UTF-8.
func WithoutMark(h []byte) []byte {
	if text, ok := bytes.CutPrefix(h, []byte("\ufeff")); ok && !bytes.ContainsRune(text, 0) {
		return text
	}
	return h
}

// Format tells the format from the name of a file and its beginning.
func Format(name string, h []byte) (string, error) {
	unknown := func(why string) (string, error) { return "", &reason{why} }
	switch {
	case len(h) == 0:
		// Viper writes empty files for sessions without a transaction.
		if _, number := strings.CutPrefix(filepath.Base(name), "J"); number {
			return "viper", nil
		}
		return unknown("the file is empty")
	case bytes.HasPrefix(h, []byte("\xff\xfe")), bytes.HasPrefix(h, []byte("\xfe\xff")):
		return "", errors.New("this is a text in UTF-16; save it in UTF-8")
	case bytes.HasPrefix(h, []byte(compactMagic)):
		return "compact", nil
	case h[0] == 'S' && len(h) >= 10 && cobraRecord(h[9]) || h[0] == 'S' && len(h) >= 18 && cobraRecord(h[17]):
		return "cobra", nil
	case looksDbcop(h):
		return "dbcop", nil
	}
	text := bytes.TrimLeft(h, " \t\r\n,")
	for bytes.HasPrefix(text, []byte(";")) { // a comment of EDN
		_, rest, _ := bytes.Cut(text, []byte("\n"))
		text = bytes.TrimLeft(rest, " \t\r\n,")
		if len(text) == 0 {
			return "edn", nil
		}
	}
	begins := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if bytes.HasPrefix(text, []byte(p)) {
				return true
			}
		}
		return false
	}
	// What follows the opening bracket.
	inside := bytes.TrimLeft(text[min(1, len(text)):], " \t\r\n,;")
	switch {
	case begins("r(", "w("):
		return "plume", nil
	case looksYAML(text):
		return "dbcop-yaml", nil
	case begins("---") && bytes.HasPrefix(bytes.TrimLeft(text, "- \t\r\n"), []byte("[")):
		return "dbcop-text", nil // whose first session is empty
	case begins("r ", "w ", "r\t", "w\t", "---", "==="):
		return "awdit", nil
	case begins("INFO"), !begins("{", "[", "(", "#") && looksLogged(firstLine(text)):
		return "jepsen-log", nil
	case begins("//"):
		return "dbcop-text", nil
	case begins("n:") && bytes.Contains(text, []byte("\ne:")):
		return "", errors.New("this is a polygraph, which has no operations; expected a history")
	case begins("{") && bytes.HasPrefix(inside, []byte(`"`)):
		if looksElle(text) {
			return "elle-json", nil
		}
		if bytes.Contains(text, []byte(`"value"`)) && !bytes.Contains(text, []byte(`"events"`)) {
			return "viper", nil
		}
		return "dbcop-json", nil
	case begins("{", "(", "#"):
		return "edn", nil
	case begins("[") && bytes.HasPrefix(inside, []byte("{")):
		inside = bytes.TrimLeft(inside[1:], " \t\r\n")
		switch {
		case !bytes.HasPrefix(inside, []byte(`"`)):
			return "edn", nil
		case bytes.Contains(text, []byte(`"sts"`)) && bytes.Contains(text, []byte(`"cts"`)):
			return "chronos", nil
		}
		return "elle-json", nil
	case begins("[") && (bytes.Contains(firstLine(text), []byte(":=")) || bytes.Contains(firstLine(text), []byte("=="))):
		return "dbcop-text", nil
	case begins("["):
		return "edn", nil
	case len(text) == 0:
		return unknown("the file is blank")
	}
	return unknown("the format is not one that this program knows")
}

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return line
}

// looksElle tells whether an object of JSON may be an operation of Jepsen.
func looksElle(text []byte) bool {
	_, value, ok := bytes.Cut(text, []byte(`"type"`))
	value = bytes.TrimLeft(value, " \t\r\n:")
	return ok && slices.ContainsFunc([]string{`"invoke"`, `"ok"`, `"fail"`, `"info"`}, func(kind string) bool { return bytes.HasPrefix(value, []byte(kind)) })
}

// looksDbcop tells whether a file may be of dbcop: five numbers, and a string
// that is short and printable.
func looksDbcop(h []byte) bool {
	const at = 5 * 8
	if len(h) < at+8 {
		return false
	}
	for i := 0; i < at; i += 8 {
		if n := int64(binary.LittleEndian.Uint64(h[i:])); n < 0 || n >= 1<<40 {
			return false
		}
	}
	n := binary.LittleEndian.Uint64(h[at:])
	if n > 1<<16 {
		return false
	}
	info := h[at+8 : min(at+8+int(n), len(h))]
	return !bytes.ContainsFunc(info, func(r rune) bool { return r < ' ' })
}

// Logged gives what a line of a log of Jepsen says, without time, level, thread and logger. They are told apart
// by the logger, "jepsen.util", "jepsen.util:" or "jepsen.util -", or else by " - ".
func Logged(line []byte) []byte {
	if _, rest, ok := bytes.Cut(line, []byte("jepsen.util")); ok {
		rest = bytes.TrimLeft(bytes.TrimPrefix(rest, []byte(":")), " \t")
		return bytes.TrimPrefix(rest, []byte("- "))
	}
	if _, rest, ok := bytes.Cut(line, []byte(" - ")); ok {
		return rest
	}
	return line
}

// looksLogged tells whether a line may be one that Jepsen logs, after a time or without the
// name of a logger.
func looksLogged(line []byte) bool {
	fields := bytes.Fields(Logged(line))
	return len(fields) > 2 && slices.Contains([]string{":invoke", ":ok", ":fail", ":info"}, string(fields[1]))
}

// looksYAML tells whether a text may be YAML of dbcop: a mapping with data or sessions, or a
// list of lists of mappings.
func looksYAML(text []byte) bool {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("---\n")), " \t\r\n")
	first, _, colon := bytes.Cut(firstLine(text), []byte(":"))
	switch {
	case bytes.HasPrefix(text, []byte("- - ")):
		return bytes.Contains(text, []byte("events:")) || bytes.Contains(text, []byte("committed:"))
	case !colon || len(first) == 0 || !IsVariable(first):
		return false
	}
	return bytes.HasPrefix(text, []byte("data:")) || bytes.Contains(text, []byte("\ndata:"))
}

// IsVariable tells whether a text is the name of a variable: an integer, or letters, digits
// and underscores.
func IsVariable(name []byte) bool {
	if _, err := strconv.ParseInt(string(name), 10, 64); err == nil {
		return true
	}
	other := func(r rune) bool {
		return r == utf8.RuneError || r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return len(name) > 0 && !bytes.ContainsFunc(name, other)
}
