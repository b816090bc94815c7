package scalars

import (
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/sql/value"
)

// expression is a regular expression that is known.
type expression struct {
	re *regexp.Regexp
	// inside matches behind the beginning of a text, where ^ does not match.
	inside *regexp.Regexp
	// classes: it depends on classes of characters, which the locale makes.
	classes bool
	// word: it looks at the character before a match.
	word bool
	// groups is the number of capturing groups; surely says that there is one way to
	// match them.
	groups int
	surely bool
	// lazy and quantifiers count the quantifiers.
	lazy, quantifiers int
	folded            bool
}

var (
	expressions     sync.Map
	expressionCount atomic.Int64
)

const maxExpressions = 1000

// expressionOf reads a regular expression; nil if it is not known.
func expressionOf(pattern string, folded bool) *expression {
	key := "c" + pattern
	if folded {
		key = "i" + pattern
	}
	if e, ok := expressions.Load(key); ok {
		return e.(*expression)
	}
	e := translateExpression(pattern, folded)
	if expressionCount.Add(1) <= maxExpressions {
		expressions.Store(key, e)
	}
	return e
}

// maxPattern bounds the length of regular expressions.
const maxPattern = 1000

// translateExpression writes a regular expression for package regexp.
func translateExpression(pattern string, folded bool) *expression {
	if len(pattern) > maxPattern || strings.HasPrefix(pattern, "***") || strings.HasPrefix(pattern, "(?") && !strings.HasPrefix(pattern, "(?:") {
		return nil
	}
	r := &expressionReader{rest: []rune(pattern), e: &expression{surely: true, folded: folded}}
	if !r.alternatives(0) || len(r.rest) > 0 {
		return nil
	}
	flags := "(?s)"
	if folded {
		if !Ascii(pattern) {
			return nil
		}
		flags = "(?si)"
	}
	out := r.out.String()
	re, err := regexp.Compile(flags + strings.ReplaceAll(out, anchor, `\A`))
	if err != nil {
		return nil
	}
	inside, err := regexp.Compile(flags + strings.ReplaceAll(out, anchor, `[^\x00-\x{10FFFF}]`))
	if err != nil {
		return nil
	}
	if r.e.lazy == 0 {
		re.Longest()
		inside.Longest()
	}
	r.e.re, r.e.inside = re, inside
	return r.e
}

// anchor stands for ^ while an expression is read.
const anchor = "\x00"

// expressionReader reads an expression and writes the one for package regexp.
type expressionReader struct {
	rest []rune
	out  strings.Builder
	e    *expression
}

func (r *expressionReader) peek() rune {
	if len(r.rest) == 0 {
		return -1
	}
	return r.rest[0]
}

func (r *expressionReader) next() rune {
	c := r.peek()
	if c >= 0 {
		r.rest = r.rest[1:]
	}
	return c
}

// maxDepth bounds the nesting of groups.
const maxDepth = 50

// alternatives reads branches up to a closing parenthesis or the end.
func (r *expressionReader) alternatives(depth int) bool {
	if depth > maxDepth {
		return false
	}
	for {
		if !r.branch(depth) {
			return false
		}
		if r.peek() != '|' {
			return true
		}
		r.next()
		r.e.surely = false // the branches might begin alike
		r.out.WriteByte('|')
	}
}

// branch reads a sequence of atoms, of which there is at least one.
func (r *expressionReader) branch(depth int) bool {
	some := false
	for c := r.peek(); c >= 0 && c != '|' && c != ')'; c = r.peek() {
		some = true
		group := c == '('
		quantifiable, ok := r.atom(depth)
		if !ok || !r.quantifier(quantifiable, group) {
			return false
		}
	}
	return some
}

// atom reads one atom, and says whether a quantifier may follow.
func (r *expressionReader) atom(depth int) (quantifiable, ok bool) {
	switch c := r.next(); c {
	case '(':
		return true, r.group(depth)
	case '[':
		return true, r.bracket()
	case '^':
		r.out.WriteString(anchor)
		return false, true
	case '$':
		r.out.WriteString(`\z`)
		return false, true
	case '.':
		r.out.WriteByte('.')
		return true, true
	case '\\':
		return r.escape()
	case '*', '+', '?', '{', ')', 0:
		return false, false
	default:
		r.out.WriteString(regexp.QuoteMeta(string(c)))
		return true, true
	}
}

func (r *expressionReader) group(depth int) bool {
	if r.peek() == '?' {
		r.next()
		if r.next() != ':' {
			return false
		}
		r.out.WriteString("(?:")
	} else {
		r.e.groups++
		r.out.WriteByte('(')
	}
	if !r.alternatives(depth+1) || r.next() != ')' {
		return false
	}
	r.out.WriteByte(')')
	return true
}

// classNames are the classes of the escapes and of brackets.
var classNames = map[rune]string{'d': "[:digit:]", 's': "[:space:]", 'w': "[:alnum:]_", 'D': "[:digit:]", 'S': "[:space:]", 'W': "[:alnum:]_"}

// escape reads what stands behind a backslash.
func (r *expressionReader) escape() (quantifiable, ok bool) {
	switch c := r.next(); c {
	case 'd', 's', 'w':
		r.e.classes = true
		r.out.WriteString("[" + classNames[c] + "]")
		return true, true
	case 'D', 'S', 'W':
		r.e.classes = true
		r.out.WriteString("[^" + classNames[c] + "]")
		return true, true
	case 'n', 't', 'r', 'f', 'v':
		r.out.WriteString(`\` + string(c))
		return true, true
	case 'y':
		r.e.classes, r.e.word = true, true
		r.out.WriteString(`\b`)
		return false, true
	case 'A':
		r.out.WriteString(anchor)
		return false, true
	case 'Z':
		r.out.WriteString(`\z`)
		return false, true
	default:
		if c < 0 || c >= utf8.RuneSelf || c == '_' || value.IsAlphanumeric(c) {
			return false, false
		}
		r.out.WriteString(regexp.QuoteMeta(string(c)))
		return true, true
	}
}

// bracket reads a set of characters.
func (r *expressionReader) bracket() bool {
	r.out.WriteByte('[')
	if r.peek() == '^' {
		r.out.WriteRune(r.next())
	}
	last := rune(-1) // a character that may begin a range
	for first := true; ; first = false {
		c := r.next()
		switch {
		case c < 0 || c == 0:
			return false
		case c == ']' && !first:
			r.out.WriteByte(']')
			return true
		case c == '[':
			if p := r.peek(); p == '.' || p == '=' || p == ':' && !r.className() {
				return false
			} else if p == ':' {
				last = -1
				continue
			}
		case c == '-' && !first && r.peek() != ']':
			if last < 0 || !r.rangeEnd(last) {
				return false
			}
			last = -1
			continue
		case c == '\\':
			if c = r.next(); classNames[c] != "" && c >= 'a' {
				r.e.classes = true
				r.out.WriteString(classNames[c])
				last = -1
				continue
			}
			if strings.ContainsRune("ntrfv", c) {
				c = map[rune]rune{'n': '\n', 't': '\t', 'r': '\r', 'f': '\f', 'v': '\v'}[c]
			} else if c < 0 || c >= utf8.RuneSelf || c == '_' || value.IsAlphanumeric(c) {
				return false
			}
		}
		r.out.WriteString(quoteInBracket(c))
		last = c
	}
}

// quoteInBracket writes a character of a set.
func quoteInBracket(c rune) string {
	if strings.ContainsRune(`\]^-[`, c) {
		return `\` + string(c)
	}
	return string(c)
}

// rangeEnd reads the end of a range of characters. Ranges follow the collation if
// they are not of digits or of letters of one case.
func (r *expressionReader) rangeEnd(from rune) bool {
	to := r.next()
	if to == '\\' || to == '[' || !value.IsAlphanumeric(from) || !value.IsAlphanumeric(to) || to < from || kindOf(from) != kindOf(to) {
		return false
	}
	r.out.WriteString("-" + string(to))
	return true
}

func kindOf(c rune) int {
	switch {
	case c <= '9':
		return 0
	case c <= 'Z':
		return 1
	}
	return 2
}

var bracketClasses = map[string]bool{"alpha": true, "digit": true, "alnum": true, "upper": true, "lower": true, "space": true,
	"punct": true, "blank": true, "xdigit": true}

// className reads the name of a class in a set, behind "[".
func (r *expressionReader) className() bool {
	name, _, ok := strings.Cut(string(r.rest[1:min(len(r.rest), 12)]), ":]")
	if !ok || !bracketClasses[name] || r.e.folded && (name == "upper" || name == "lower") {
		return false
	}
	r.e.classes = true
	r.rest = r.rest[len(name)+3:]
	r.out.WriteString("[:" + name + ":]")
	return true
}

// quantifier reads a quantifier, if there is one.
func (r *expressionReader) quantifier(allowed, group bool) bool {
	var q string
	switch c := r.peek(); c {
	case '*', '+', '?':
		q = string(r.next())
	case '{':
		end := strings.IndexRune(string(r.rest), '}')
		if end < 0 || !bounds.MatchString(string(r.rest[:end+1])) {
			return false
		}
		q = string(r.rest[:end+1])
		r.rest = r.rest[end+1:]
	default:
		return true
	}
	if !allowed {
		return false
	}
	r.e.quantifiers++
	if r.peek() == '?' {
		q += string(r.next())
		r.e.lazy++
	}
	if group {
		r.e.surely = false
	}
	r.out.WriteString(q)
	return !strings.ContainsRune("*+?{", r.peek()) || r.peek() < 0
}

// bounds are the quantifiers with numbers, which the server allows up to 255.
var bounds = regexp.MustCompile(`^\{(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])(?:,(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])?)?\}$`)

// tells reports whether the expression is known for a text. matched says that it
// matters which part matches, and groups which parts the groups match.
func (e *expression) tells(s string, matched, groups bool) bool {
	switch {
	case e == nil, len(s) > value.MaxSize:
		return false
	case (e.classes || e.folded) && !Ascii(s):
		return false
	case matched && e.lazy > 0 && (e.quantifiers > 1 || !e.surely):
		return false
	case groups && e.groups > 0 && (!e.surely || e.lazy > 0):
		return false
	}
	return true
}

// find gives the positions of the next match at or after a byte of a text; nil if
// there is none.
func (e *expression) find(s string, from int) []int {
	re := e.re
	if from > 0 {
		re = e.inside
	}
	m := re.FindStringSubmatchIndex(s[from:])
	for i := range m {
		if m[i] >= 0 {
			m[i] += from
		}
	}
	return m
}

// each calls yield with the matches in a text.
func (e *expression) each(s string, yield func(m []int) bool) { e.from(s, 0, yield) }

// from calls yield with the matches at or after a byte of a text, until it returns
// false. After an empty match the search goes on a character later.
func (e *expression) from(s string, from int, yield func(m []int) bool) {
	for from <= len(s) {
		m := e.find(s, from)
		if m == nil || !yield(m) {
			return
		}
		from = m[1]
		if m[0] == m[1] {
			_, n := utf8.DecodeRuneInString(s[from:])
			from += max(n, 1)
		}
	}
}
