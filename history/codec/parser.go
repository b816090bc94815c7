package codec

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/txrobust/robust/history/codec/internal/ednode"
)

// parser reads values of EDN, or of JSON.
type parser struct {
	*input
	json bool
	tree ednode.Tree
	deep int // how many collections are open within the value that is read
	open []opened
}

// opened is a collection that is being streamed, not read into a tree.
type opened struct {
	end   byte
	begun bool // something was read of it
	line  int
}

const maxDepth = 200

// space skips white space and comments. Commas are space in EDN.
func (p *parser) space() error {
	for {
		c, ok := p.peek()
		switch {
		case !ok:
			return p.err
		case c > '#' && c != ',' && c != ';':
			return nil
		case c == ' ' || c == '\n' || c == '\t' || c == '\r' || !p.json && (c == ',' || c == '\f'):
			p.skip()
		case c == ';' && !p.json:
			for ok && c != '\n' {
				p.skip()
				c, ok = p.peek()
			}
		case c == '#' && !p.json:
			if len(p.buf)-p.pos < 2 {
				p.fill()
			}
			if len(p.buf)-p.pos < 2 || p.buf[p.pos+1] != '_' {
				return p.err
			}
			p.pos += 2
			// What is discarded is read as any value, and forgotten.
			if p.deep++; p.deep > maxDepth {
				return p.errorf("values are nested more than %d deep", maxDepth)
			}
			size := p.tree.Size()
			if err := p.value(); err != nil {
				return err
			}
			p.tree.Cut(size)
			p.deep--
		default:
			return nil
		}
	}
}

// enter begins to stream a collection, if the next byte opens one of those
// given: "[" "(" or "{".
func (p *parser) enter(opens string) (ok bool, err error) {
	if err := p.space(); err != nil {
		return false, err
	}
	c, ok := p.peek()
	i := bytes.IndexByte([]byte(opens), c)
	if !ok || i < 0 {
		return false, nil
	}
	p.open = append(p.open, opened{end: closing(c), line: p.line})
	p.skip()
	return true, nil
}

func closing(c byte) byte {
	switch c {
	case '[':
		return ']'
	case '(':
		return ')'
	}
	return '}'
}

// more tells whether the collection that is streamed has another element (or in
// a map, another key), and leaves it if not.
func (p *parser) more() (bool, error) {
	last := &p.open[len(p.open)-1]
	if err := p.space(); err != nil {
		return false, err
	}
	c, ok := p.peek()
	switch {
	case !ok:
		return false, p.fault(p.errorf("the file ends within what line %d opened; expected %q", last.line, last.end))
	case c == last.end:
		p.skip()
		p.open = p.open[:len(p.open)-1]
		return false, nil
	case c == ']' || c == ')' || c == '}':
		return false, p.errorf("%q, expected %q", c, last.end)
	case !p.json || !last.begun:
		last.begun = true
		return true, nil
	case c != ',':
		return false, p.errorf("%q, expected a comma or %q", c, last.end)
	}
	p.skip()
	if err := p.space(); err != nil {
		return false, err
	}
	if c, ok := p.peek(); ok && c == last.end {
		return false, p.errorf("%q after a comma", c)
	}
	return true, nil
}

// key reads the key of a streamed map, and in JSON the colon.
func (p *parser) key() (string, error) {
	t, err := p.read()
	if err != nil {
		return "", err
	}
	if p.json && t.Shape() != ednode.StringNode {
		return "", p.errorf("%s as the key of an object, expected a string", t.Shape())
	}
	word := t.Word()
	return word, p.colon()
}

func (p *parser) colon() error {
	if !p.json {
		return nil
	}
	if err := p.space(); err != nil {
		return err
	}
	if c, ok := p.peek(); !ok || c != ':' {
		return p.fault(p.errorf("expected a colon after the key"))
	}
	p.skip()
	return nil
}

// end makes sure that nothing follows.
func (p *parser) end() error {
	if err := p.space(); err != nil {
		return err
	}
	if c, ok := p.peek(); ok {
		return p.errorf("%q after the end of the history", c)
	}
	return p.err
}

// read reads one value. It is valid until the next call.
func (p *parser) read() (ednode.Node, error) {
	p.tree.Clear()
	return p.readMore()
}

// readMore reads one value, and leaves those before valid.
func (p *parser) readMore() (ednode.Node, error) {
	a := ednode.Node{T: &p.tree, I: len(p.tree.Nodes)}
	return a, p.value()
}

// located reads a value, and gives the line on which it begins.
func (p *parser) located() (line int, a ednode.Node, err error) {
	if err := p.space(); err != nil {
		return 0, ednode.Node{}, err
	}
	line = p.line
	a, err = p.read()
	return line, a, err
}

// each reads the rest of the collection that is streamed, and gives f its elements
// with the lines on which they begin.
func (p *parser) each(f func(line int, a ednode.Node) error) error {
	for {
		more, err := p.more()
		if err != nil || !more {
			return err
		}
		line, a, err := p.located()
		if err != nil {
			return err
		}
		if err := f(line, a); err != nil {
			return err
		}
	}
}

func (p *parser) value() error {
	if err := p.space(); err != nil {
		return err
	}
	c, ok := p.peek()
	if !ok {
		return p.fault(p.errorf("the file ends where a value is expected"))
	}
	switch c {
	case '[':
		return p.collection(ednode.ListNode)
	case '{':
		return p.collection(ednode.MapNode)
	case '"':
		return p.string()
	}
	if !p.json {
		switch c {
		case '(':
			return p.collection(ednode.ListNode)
		case '#':
			return p.dispatch()
		case '\\':
			return p.atom()
		case '^', '@', '`', '~', '\'':
			return p.errorf("%q, expected a value of EDN", c)
		}
	}
	if c == ')' || c == ']' || c == '}' {
		return p.errorf("%q, expected a value", c)
	}
	if (c == '-' || '0' <= c && c <= '9') && p.integer() {
		return nil
	}
	return p.atom()
}

// dispatch reads what follows # in EDN: a set, or a value with a tag, which
// does not matter.
func (p *parser) dispatch() error {
	p.skip()
	c, ok := p.peek()
	switch {
	case !ok:
		return p.fault(p.errorf("the file ends after #"))
	case c == '{':
		return p.collection(ednode.SetNode)
	case c == '#': // ##NaN, ##Inf
		p.skip()
		if _, ok := p.peek(); !ok {
			return p.fault(p.errorf("the file ends after ##"))
		}
		return p.atom()
	case !symbolic(c):
		return p.errorf("%q after #, expected a set or a tag", c)
	}
	if p.deep++; p.deep > maxDepth {
		return p.errorf("values are nested more than %d deep", maxDepth)
	}
	size := p.tree.Size()
	if err := p.atom(); err != nil {
		return err
	}
	p.tree.Cut(size)
	err := p.value()
	p.deep--
	return err
}

// collection reads a collection; the next byte opens it.
func (p *parser) collection(s ednode.Shape) error {
	if p.deep++; p.deep > maxDepth {
		return p.errorf("values are nested more than %d deep", maxDepth)
	}
	i := p.tree.Add(ednode.Cell{Shape: s})
	open, _ := p.peek()
	line := p.line
	p.skip()
	end := closing(open)
	for n := 0; ; n++ {
		if err := p.space(); err != nil {
			return err
		}
		c, ok := p.peek()
		if !ok {
			return p.fault(p.errorf("the file ends within what line %d opened; expected %q", line, end))
		}
		if c == end && (s != ednode.MapNode || n%2 == 0) {
			p.skip()
			break
		}
		if p.json && n > 0 {
			want := byte(',')
			if s == ednode.MapNode && n%2 == 1 {
				want = ':'
			}
			if c != want {
				return p.errorf("%q, expected %q", c, want)
			}
			p.skip()
		}
		child := len(p.tree.Nodes)
		if err := p.value(); err != nil {
			return err
		}
		if p.json && s == ednode.MapNode && n%2 == 0 && p.tree.Nodes[child].Shape != ednode.StringNode {
			return p.errorf("%s as the key of an object, expected a string", p.tree.Nodes[child].Shape)
		}
	}
	p.tree.Nodes[i].Size = int32(len(p.tree.Nodes) - i)
	p.deep--
	return nil
}

// symbolic tells whether a byte may be part of an atom.
func symbolic(c byte) bool { return !ednode.Delimiters[c] }

// integer reads an integer of at most 18 digits that is in the buffer together
// with what ends it, which is what most atoms are. It tells whether it did.
func (p *parser) integer() bool {
	b := p.buf[p.pos:]
	i, negative := 0, b[0] == '-'
	if negative {
		i = 1
	}
	first, n := i, int64(0)
	for ; i < len(b) && i-first < 18; i++ {
		d := b[i] - '0'
		if d > 9 {
			break
		}
		n = 10*n + int64(d)
	}
	if i == first || i == len(b) || !ednode.Delimiters[b[i]] || p.json && b[first] == '0' && i-first > 1 {
		return false
	}
	if negative {
		n = -n
	}
	p.tree.Add(ednode.Cell{Shape: ednode.IntNode, Size: 1, Num: n})
	p.pos += i
	return true
}

// atom reads a number, a keyword, a symbol or a word like true.
func (p *parser) atom() error {
	n := 0
	first := p.buf[p.pos]
	for {
		for p.pos+n < len(p.buf) && symbolic(p.buf[p.pos+n]) && !(p.json && p.buf[p.pos+n] == ':') {
			n++
		}
		if first == '\\' && n == 1 && p.pos+n < len(p.buf) {
			n++ // a character that is a delimiter, such as \[
			continue
		}
		if p.pos+n < len(p.buf) || !p.fill() {
			break
		}
	}
	if p.err != nil {
		return p.err
	}
	b := p.buf[p.pos : p.pos+n]
	if n == 0 {
		return p.errorf("%q, expected a value", first)
	}
	if first == '-' || first == '+' || '0' <= first && first <= '9' {
		if err := p.number(b); err != nil {
			return err
		}
		p.pos += n
		return nil
	}
	if n > 1 && b[1] == '\n' { // a character
		p.line++
		p.bol = p.offset() + 2
	}
	switch {
	case string(b) == "nil" && !p.json, string(b) == "null" && p.json:
		p.tree.Add(ednode.Cell{Shape: ednode.NilNode, Size: 1})
	case string(b) == "true" || string(b) == "false":
		p.tree.Leaf(ednode.BoolNode, b)
	case p.json:
		return p.errorf("%s, expected a value of JSON", show(b))
	case first == ':':
		if n == 1 || !utf8.Valid(b) {
			return p.errorf("%s, expected a keyword", show(b))
		}
		p.tree.Leaf(ednode.KeywordNode, b[1:])
	default:
		if !utf8.Valid(b) {
			return p.errorf("%s is no text", show(b))
		}
		p.tree.Leaf(ednode.SymbolNode, b)
	}
	p.pos += n
	return nil
}

// number reads an integer that fits 64 bits, or something else that begins like
// a number and is kept as text: a fraction, a ratio, a large integer, a symbol
// such as -.
func (p *parser) number(b []byte) error {
	if n, ok := parseInt(b); ok {
		if p.json && (b[0] == '+' || len(bytes.TrimLeft(b, "-")) > 1 && bytes.TrimLeft(b, "-")[0] == '0') {
			return p.errorf("%s, expected a number of JSON", show(b))
		}
		p.tree.Add(ednode.Cell{Shape: ednode.IntNode, Size: 1, Num: n})
		return nil
	}
	if p.json {
		if _, err := strconv.ParseFloat(string(b), 64); err != nil && !isRange(err) || bytes.ContainsAny(b, "_xXiInNpP") || b[0] == '+' {
			return p.errorf("%s, expected a number of JSON", show(b))
		}
		p.tree.Leaf(ednode.FloatNode, b)
		return nil
	}
	if !utf8.Valid(b) {
		return p.errorf("%s, expected a number", show(b))
	}
	if n, ok := parseInt(bytes.TrimSuffix(b, []byte("N"))); ok {
		p.tree.Add(ednode.Cell{Shape: ednode.IntNode, Size: 1, Num: n})
		return nil
	}
	switch digits := bytes.TrimSuffix(bytes.TrimLeft(b, "+-"), []byte("N")); {
	case (b[0] == '-' || b[0] == '+') && (len(b) == 1 || b[1] < '0' || b[1] > '9'):
		p.tree.Leaf(ednode.SymbolNode, b)
	case len(bytes.Trim(digits, "0123456789")) == 0: // a large integer, which N may say
		p.tree.Leaf(ednode.FloatNode, bytes.TrimSuffix(bytes.TrimPrefix(b, []byte("+")), []byte("N")))
	default:
		p.tree.Leaf(ednode.FloatNode, b)
	}
	return nil
}

func isRange(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

// parseInt reads a decimal integer of 64 bits.
func parseInt(b []byte) (int64, bool) {
	i, negative := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		i, negative = 1, b[0] == '-'
	}
	if i == len(b) || len(b)-i > 19 {
		return 0, false
	}
	n := uint64(0)
	for ; i < len(b); i++ {
		d := b[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = 10*n + uint64(d)
	}
	if negative {
		return -int64(n), n <= 1<<63
	}
	return int64(n), n < 1<<63
}

// string reads a string; the next byte is its quote.
func (p *parser) string() error {
	p.skip()
	from := len(p.tree.Text)
	line := p.line
	for {
		// What needs no attention, up to the end of the buffer.
		n := 0
		for _, c := range p.buf[p.pos:] {
			if c == '"' || c == '\\' || c < ' ' {
				break
			}
			n++
		}
		p.tree.Text = append(p.tree.Text, p.buf[p.pos:p.pos+n]...)
		p.pos += n
		c, ok := p.peek()
		switch {
		case !ok:
			return p.fault(p.errorf("the file ends within the string of line %d", line))
		case c == '"':
			p.skip()
			if !utf8.Valid(p.tree.Text[from:]) {
				return p.errorf("the string is not UTF-8")
			}
			p.tree.Add(ednode.Cell{Shape: ednode.StringNode, Size: 1, From: int32(from), To: int32(len(p.tree.Text))})
			return nil
		case c == '\\':
			p.skip()
			if err := p.escape(); err != nil {
				return err
			}
		case p.json && c < ' ':
			return p.errorf("%q in a string of JSON, expected an escape", c)
		case len(p.tree.Text)-from > maxLine:
			return p.errorf("more than %d bytes in one string", maxLine)
		case c < ' ':
			p.tree.Text = append(p.tree.Text, c)
			p.skip()
		}
	}
}

func (p *parser) escape() error {
	c, ok := p.peek()
	if !ok {
		return p.fault(p.errorf("the file ends within a string"))
	}
	p.skip()
	const from, to = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if i := bytes.IndexByte([]byte(from), c); i >= 0 {
		p.tree.Text = append(p.tree.Text, to[i])
		return nil
	}
	if c != 'u' {
		return p.errorf(`\%c in a string, which is no escape`, c)
	}
	r, err := p.hex()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) {
		if b := p.next(2); string(b) != `\u` {
			return p.errorf(`half of a surrogate pair, expected \u`)
		}
		low, err := p.hex()
		if err != nil {
			return err
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return p.errorf("no surrogate pair")
		}
	}
	p.tree.Text = utf8.AppendRune(p.tree.Text, r)
	return nil
}

func (p *parser) hex() (rune, error) {
	b := p.next(4)
	n, err := strconv.ParseUint(string(b), 16, 16)
	if err != nil || len(b) < 4 {
		return 0, p.fault(p.errorf(`\u%s, expected four hexadecimal digits`, show(b)))
	}
	return rune(n), nil
}
