package plpgsql

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
)

// Error is a syntax error at a byte offset of the body.
type Error struct {
	Offset int
	Msg    string
}

func (e *Error) Error() string { return e.Msg }

// maxDepth bounds the nesting of statements, so that no input can exhaust
// the stack.
const maxDepth = 200

// maxBranches bounds the branches of IF and CASE, those around included: each
// is nested in the one before.
const maxBranches = 1000

type parser struct {
	src   string
	toks  []pg.Token
	i     int
	depth int
	// branches is how many there are of the IFs and CASEs around.
	branches int
}

// Parse reads a function body. The error is an *Error.
func Parse(src string) (body *Body, err error) {
	all, err := pg.Scan(src)
	if err != nil {
		e := err.(*pg.Error)
		return nil, &Error{e.Offset, e.Msg}
	}
	p := &parser{src: src}
	for _, t := range all {
		if t.Kind != pg.Comment {
			p.toks = append(p.toks, t)
		}
	}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			body, err = nil, e
		}
	}()
	body = p.body()
	markLast([]Stmt{body.Block}, true)
	return body, nil
}

func (p *parser) fail(at int, format string, args ...any) {
	panic(&Error{at, fmt.Sprintf(format, args...)})
}

// unexpected fails at the current token.
func (p *parser) unexpected(want string) {
	if p.atEnd() {
		p.fail(len(p.src), "the function body ends where %s should follow", want)
	}
	t := p.toks[p.i]
	p.fail(t.Start, "expected %s, found %q", want, p.src[t.Start:t.End])
}

func (p *parser) atEnd() bool { return p.i >= len(p.toks) }

// peek gives the n-th token from here; the zero Token beyond the end.
func (p *parser) peek(n int) pg.Token {
	if p.i+n < len(p.toks) && p.i+n >= 0 {
		return p.toks[p.i+n]
	}
	return pg.Token{Kind: pg.Comment, Start: len(p.src), End: len(p.src)}
}

func is(t pg.Token, text string) bool {
	return (t.Kind == pg.Word || t.Kind == pg.Punct) && t.Text == text
}

func (p *parser) is(text string) bool { return is(p.peek(0), text) }

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.i++
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.unexpected(quote(text))
	}
}

func quote(text string) string {
	if text == ";" {
		return `";"`
	}
	b := []byte(text)
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

func (p *parser) place() At { return At(p.peek(0).Start) }

func isName(t pg.Token) bool { return t.Kind == pg.Word || t.Kind == pg.Quoted }

func (p *parser) name(what string) string {
	t := p.peek(0)
	if !isName(t) || reserved[t.Text] && t.Kind == pg.Word {
		p.unexpected(what)
	}
	p.i++
	return t.Text
}

// reserved are PL/pgSQL's reserved words, which name no variable.
var reserved = map[string]bool{"all": true, "begin": true, "by": true, "case": true, "declare": true, "else": true,
	"end": true, "execute": true, "for": true, "foreach": true, "from": true, "if": true, "in": true, "into": true,
	"loop": true, "not": true, "null": true, "or": true, "then": true, "to": true, "using": true, "when": true, "while": true}

// dotted reads a name such as rec.field, or $1.
func (p *parser) dotted(what string) Name {
	n := Name{At: p.peek(0).Start}
	if t := p.peek(0); t.Kind == pg.Param {
		p.i++
		n.Parts = []string{t.Text}
		return n
	}
	n.Parts = []string{p.name(what)}
	for p.is(".") && isName(p.peek(1)) {
		n.Parts = append(n.Parts, p.peek(1).Text)
		p.i += 2
	}
	return n
}

func (p *parser) body() *Body {
	b := &Body{}
	for p.accept("#") {
		option := p.name("an option")
		value := p.name("the option's value")
		if option == "variable_conflict" {
			if value != "error" && value != "use_variable" && value != "use_column" {
				p.i--
				p.unexpected("error, use_variable or use_column")
			}
			b.Conflict = value
		}
	}
	b.Block = p.block(p.label())
	p.accept(";")
	if !p.atEnd() {
		p.unexpected("the end of the function body")
	}
	return b
}

// label reads <<name>>, if it is there.
func (p *parser) label() string {
	if !p.accept("<<") {
		return ""
	}
	l := p.name("a label")
	p.expect(">>")
	return l
}

// endLabel reads the optional label after END.
func (p *parser) endLabel(label string) {
	if p.is(";") || p.atEnd() {
		return
	}
	at := p.peek(0).Start
	l := p.name(`";"`)
	if label == "" {
		p.fail(at, "end label %q belongs to no labelled block", l)
	}
	if l != label {
		p.fail(at, "end label %q differs from the label %q", l, label)
	}
}

func (p *parser) block(label string) *Block {
	b := &Block{At: p.place(), Label: label}
	for p.accept("declare") {
		for !p.is("begin") && !p.is("declare") {
			b.Decls = append(b.Decls, p.decl())
		}
	}
	p.expect("begin")
	b.Body = p.stmts()
	if p.accept("exception") {
		for p.is("when") {
			b.Handlers = append(b.Handlers, p.handler())
		}
		if len(b.Handlers) == 0 {
			p.unexpected("WHEN")
		}
	}
	p.expect("end")
	p.endLabel(label)
	return b
}

func (p *parser) decl() Decl {
	d := Decl{At: p.peek(0).Start, Name: p.name("a declaration or BEGIN")}
	switch {
	case p.is("alias") && is(p.peek(1), "for"):
		p.i += 2
		d.Alias = p.dotted("a variable").Parts[0]
	case p.is("cursor"), p.is("scroll") && is(p.peek(1), "cursor"), p.is("no") && is(p.peek(1), "scroll"):
		d.Cursor = true
		for !p.accept("cursor") {
			p.i++
		}
		if d.Args = p.is("("); d.Args {
			p.until("FOR", "for", "is")
		}
		if !p.accept("for") {
			p.expect("is")
		}
		d.Query = p.until("a query", ";")
	default:
		d.Constant = p.accept("constant")
		d.Type = p.until("a type", "not", "collate", "default", ":=", "=", ";")
		if p.accept("collate") {
			p.dotted("a collation")
		}
		if p.accept("not") {
			p.expect("null")
			d.NotNull = true
		}
		if p.accept("default") || p.accept(":=") || p.accept("=") {
			d.Default = p.until("an expression", ";")
		}
	}
	p.expect(";")
	return d
}

// until reads up to one of the stop tokens outside of parentheses and of CASE
// expressions; the stop is not consumed. Where the stop is a word of CASE, PostgreSQL does
// not look whether it belongs to such an expression.
func (p *parser) until(what string, stops ...string) Span {
	start := p.i
	depth, cases := 0, 0
	for ; ; p.i++ {
		t := p.peek(0)
		if p.atEnd() {
			if p.i == start {
				p.unexpected(what)
			}
			p.unexpected(quote(stops[0]))
		}
		if stop := stops[0]; depth == 0 && cases > 0 && (stop == "then" || stop == "when") && is(t, stop) {
			p.fail(t.Start, "CASE must be in parentheses here: PostgreSQL ends the expression at this %s", strings.ToUpper(stop))
		}
		if depth == 0 && cases == 0 {
			for _, s := range stops {
				if is(t, s) {
					if p.i == start {
						p.unexpected(what)
					}
					return Span{Start: p.toks[start].Start, End: p.toks[p.i-1].End}
				}
			}
		}
		switch {
		case is(t, "("), is(t, "["):
			depth++
		case is(t, ")"), is(t, "]"):
			if depth--; depth < 0 {
				p.fail(t.Start, "there is no parenthesis for this one to close")
			}
		case is(t, "case"):
			cases++
		case is(t, "end") && cases > 0:
			cases--
		case is(t, ";"):
			if depth > 0 {
				p.fail(t.Start, "a parenthesis is not closed before this semicolon")
			}
			p.unexpected(quote(stops[0]))
		}
	}
}

// command reads an SQL command up to its semicolon, and takes INTO out of it.
func (p *parser) command() (Span, *Into) {
	start := p.i
	depth := 0
	var into *Into
	var blank [2]int
	for ; !p.is(";") || depth > 0; p.i++ {
		if p.atEnd() {
			p.unexpected(`";"`)
		}
		t := p.peek(0)
		switch {
		case is(t, "("), is(t, "["):
			depth++
		case is(t, ")"), is(t, "]"):
			depth--
		case is(t, ";"):
			p.fail(t.Start, "a parenthesis is not closed before this semicolon")
		case is(t, "into") && depth == 0 && p.i > start && !is(p.peek(-1), "insert") && !is(p.peek(-1), "merge"):
			if into != nil {
				p.fail(t.Start, "INTO is given twice")
			}
			p.i++
			into = p.targets()
			p.i--
			blank = [2]int{t.Start, p.peek(0).End}
		}
	}
	if p.i == start {
		p.unexpected("a command")
	}
	s := Span{Start: p.toks[start].Start, End: p.toks[p.i-1].End, Blank: blank}
	p.i++
	return s, into
}

func (p *parser) targets() *Into {
	in := &Into{Strict: p.accept("strict")}
	for {
		in.Targets = append(in.Targets, p.dotted("a variable"))
		if !p.accept(",") {
			return in
		}
	}
}

// Text gives the SQL of a span: the text with Blank blanked out.
func (s Span) Text(src string) string {
	text := src[s.Start:s.End]
	if s.Blank[1] == 0 {
		return text
	}
	b := []byte(text)
	for i := s.Blank[0] - s.Start; i < s.Blank[1]-s.Start; i++ {
		b[i] = ' '
	}
	return string(b)
}
