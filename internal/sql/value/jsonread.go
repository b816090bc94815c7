package value

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/txrobust/robust/internal/ir"
)

// JSONNode is a value of JSON with its text.
type JSONNode struct {
	Text string
	// Kind is '{', '[', '"', '0' for numbers, or the first letter of true, false and
	// null.
	Kind  byte
	keys  []string // the texts of the keys of an object, in quotes
	Items []JSONNode
}

type jsonError string

func (e jsonError) Error() string { return string(e) }

const errNoJSON = jsonError("no JSON")

// maxJSON bounds the nesting.
const maxJSON = 1000

// ReadJSON reads a text.
func ReadJSON(text string) (JSONNode, error) {
	r := &jsonReader{text: text}
	n, err := r.value(0)
	if err == nil {
		if r.space(); r.at < len(text) {
			err = errNoJSON
		}
	}
	return n, err
}

type jsonReader struct {
	text string
	at   int
}

func (r *jsonReader) space() {
	for r.at < len(r.text) && strings.IndexByte(" \t\n\r", r.text[r.at]) >= 0 {
		r.at++
	}
}

// take reads one character, behind spaces, if it is there.
func (r *jsonReader) take(c byte) bool {
	r.space()
	if r.at < len(r.text) && r.text[r.at] == c {
		r.at++
		return true
	}
	return false
}

var (
	jsonString = regexp.MustCompile(`^"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"`)
	jsonNumber = regexp.MustCompile(`^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`)
	jsonWord   = regexp.MustCompile(`^(?:true|false|null)`)
)

func (r *jsonReader) value(depth int) (JSONNode, error) {
	if depth > maxJSON {
		return JSONNode{}, ir.ErrNotKnown
	}
	r.space()
	if r.at == len(r.text) {
		return JSONNode{}, errNoJSON
	}
	start, rest := r.at, r.text[r.at:]
	n := JSONNode{Kind: rest[0]}
	var err error
	switch c := rest[0]; {
	case c == '{' || c == '[':
		r.at++
		err = r.container(&n, depth)
	case c == '"':
		err = r.token(jsonString)
	case c == '-' || c >= '0' && c <= '9':
		n.Kind = '0'
		err = r.token(jsonNumber)
	default:
		err = r.token(jsonWord)
	}
	n.Text = r.text[start:r.at]
	return n, err
}

// token reads a text of some form, which no letter or digit follows.
func (r *jsonReader) token(form *regexp.Regexp) error {
	s := form.FindString(r.text[r.at:])
	if s == "" {
		return errNoJSON
	}
	r.at += len(s)
	if s[0] != '"' && r.at < len(r.text) {
		if c := r.text[r.at]; IsAlphanumeric(rune(c)) || c == '_' || c == '.' || c == '-' || c == '+' || c >= 0x80 {
			return errNoJSON
		}
	}
	return nil
}

// container reads the rest of an object or array.
func (r *jsonReader) container(n *JSONNode, depth int) error {
	end := map[byte]byte{'{': '}', '[': ']'}[n.Kind]
	if r.take(end) {
		return nil
	}
	for {
		if n.Kind == '{' {
			r.space()
			from := r.at
			if r.at == len(r.text) || r.text[r.at] != '"' {
				return errNoJSON
			}
			if err := r.token(jsonString); err != nil {
				return err
			}
			n.keys = append(n.keys, r.text[from:r.at])
			if !r.take(':') {
				return errNoJSON
			}
		}
		item, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, item)
		switch {
		case r.take(end):
			return nil
		case !r.take(','):
			return errNoJSON
		}
	}
}

// unquoteJSON gives the text of a string in quotes.
func unquoteJSON(s string) (string, error) {
	var b strings.Builder
	s = s[1 : len(s)-1]
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if s[i] != 'u' {
			b.WriteByte(strings.NewReplacer("b", "\b", "f", "\f", "n", "\n", "r", "\r", "t", "\t").Replace(s[i : i+1])[0])
			continue
		}
		c, _ := strconv.ParseUint(s[i+1:i+5], 16, 16)
		i += 4
		r := rune(c)
		if utf16.IsSurrogate(r) {
			if !strings.HasPrefix(s[i+1:], `\u`) {
				return "", Failure("22P02", "invalid input syntax for type json")
			}
			low, _ := strconv.ParseUint(s[i+3:i+7], 16, 16)
			if r = utf16.DecodeRune(r, rune(low)); r == '\uFFFD' {
				return "", Failure("22P02", "invalid input syntax for type json")
			}
			i += 6
		}
		if r == 0 {
			return "", Failure("22P05", "unsupported Unicode escape sequence")
		}
		b.WriteRune(r)
	}
	return b.String(), nil
}

// JSONB gives the value as one of type jsonb.
func (n JSONNode) JSONB() (JSON, error) {
	switch n.Kind {
	case '{':
		members := map[string]JSON{}
		for i, item := range n.Items {
			key, err := unquoteJSON(n.keys[i])
			if err != nil {
				return JSON{}, err
			}
			if members[key], err = item.JSONB(); err != nil {
				return JSON{}, err
			}
		}
		return Object(members), nil
	case '[':
		list := []JSON{}
		for _, item := range n.Items {
			e, err := item.JSONB()
			if err != nil {
				return JSON{}, err
			}
			list = append(list, e)
		}
		return JSON{list}, nil
	case '"':
		s, err := unquoteJSON(n.Text)
		return JSON{s}, err
	case '0':
		r, ok := Rational(n.Text)
		if !ok || !isShortest(n.Text, number(r)) {
			return JSON{}, ir.ErrNotKnown // it is too long, or is shown with zeros at its end
		}
		return JSON{json.Number(number(r))}, nil
	case 'n':
		return JSON{nil}, nil
	}
	return JSON{n.Kind == 't'}, nil
}

// isShortest reports whether a server shows a number as its shortest form: jsonb keeps the digits
// behind the point that a number was written with.
func isShortest(text, shortest string) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	_, shown, _ := strings.Cut(shortest, ".")
	shift, _ := strconv.Atoi(exponent)
	return len(shown) == max(0, len(fraction)-shift)
}

// text gives the value as ->> does; false for null.
func (n JSONNode) AsText() (string, bool, error) {
	switch n.Kind {
	case 'n':
		return "", false, nil
	case '"':
		s, err := unquoteJSON(n.Text)
		return s, true, err
	}
	return n.Text, true, nil
}

// Field gives the value of a key, the last one of equal ones.
func (n JSONNode) Field(key string) (*JSONNode, error) {
	for i := len(n.keys) - 1; i >= 0; i-- {
		k, err := unquoteJSON(n.keys[i])
		if err != nil {
			return nil, ir.ErrNotKnown
		}
		if k == key {
			return &n.Items[i], nil
		}
	}
	return nil, nil
}

// Index gives an element of an array, from the end if i is negative.
func (n JSONNode) Index(i int64) *JSONNode {
	if n.Kind != '[' {
		return nil
	}
	if i < 0 {
		i += int64(len(n.Items))
	}
	if i < 0 || i >= int64(len(n.Items)) {
		return nil
	}
	return &n.Items[i]
}
