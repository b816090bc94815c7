package mysql

import (
	"strconv"
	"strings"
)

// actionKind is what a statement of a body is.
type actionKind uint8

const (
	simple actionKind = iota
	compound
	branch // IF or CASE
	endless
	while
	repeat
)

// action is a statement in the body of a procedure.
type action struct {
	kind  actionKind
	label string
	// st are the tokens of a simple statement, of another one its first.
	st *statement
	// subject is what CASE compares, nil if it has conditions; arms are those of IF and CASE, isCase says that without a
	// fitting one it is an error.
	subject []token
	arms    []arm
	isCase  bool
	// cond is the condition of WHILE and of UNTIL.
	cond []token
	// body are the statements of a block or loop, declared what a block declares, in order.
	body     []*action
	declared []declaration
}

// arm is a branch of IF or CASE; the last one has no condition if it is ELSE.
type arm struct {
	cond []token
	body []*action
}

// declaration is what DECLARE declares: variables, a cursor, a handler, or a name for a condition.
type declaration struct {
	at    token
	names []string
	typ   string
	// value is the default of variables, or the query of a cursor.
	value []token
	// handler is what a handler does, exit whether it leaves the block; conditions are what it is for, or what a name of a
	// condition means: "NOT FOUND", "SQLEXCEPTION", "SQLWARNING", a class or state of SQL, or the number of an error.
	handler    *action
	exit       bool
	conditions []string
	kind       declarationKind
}

type declarationKind uint8

const (
	variables declarationKind = iota
	cursors
	handlers
	conditions
)

// bodyParser reads the body of a procedure.
type bodyParser struct {
	*cursor
	types *Schema
	depth int
}

// list reads statements up to one of the words.
func (p *bodyParser) list(until ...string) []*action {
	var out []*action
	for !p.peek().is(until...) {
		if p.done() {
			p.fail("the body ends before " + strings.Join(until, " or ") + "; complete it")
		}
		out = append(out, p.statement())
		if !p.accept(";") && !p.done() {
			p.fail("here should be ; not " + p.shown())
		}
	}
	return out
}

// statement reads a statement.
func (p *bodyParser) statement() *action {
	if p.depth++; p.depth > maxDepth {
		p.fail("the statements nest too deep here; move some into a procedure of their own")
	}
	defer func() { p.depth-- }()
	label := p.label()
	from := p.i
	a := p.compound(label)
	if a == nil {
		p.i = from
		a = &action{st: p.part(p.until(";"))}
		if len(a.st.tokens) == 0 {
			p.fail("here should be a statement, not " + p.shown())
		}
		return a
	}
	a.label, a.st = label, p.part(p.st.tokens[from:from+1])
	return a
}

// label reads a label, if one comes next. One that stands close to the colon is read with it.
func (p *bodyParser) label() string {
	t := p.peek()
	if !t.isName() || p.i+1 >= len(p.st.tokens) {
		return ""
	}
	switch colon := p.st.tokens[p.i+1]; {
	case colon.is(":") && !t.is("SET"):
		p.i += 2
	case colon.kind == named && strings.HasPrefix(colon.text, ":") && colon.from == t.to:
		p.st.tokens[p.i+1] = token{kind: word, text: colon.text[1:], from: colon.from + 1, to: colon.to}
		p.i++
	default:
		return ""
	}
	return strings.ToLower(t.text)
}

// compound reads a statement that contains others, nil if another one comes next.
func (p *bodyParser) compound(label string) *action {
	switch {
	case p.accept("BEGIN"):
		p.accept("NOT", "ATOMIC")
		a := &action{kind: compound}
		for p.accept("DECLARE") {
			a.declared = append(a.declared, p.declaration())
			p.expect(";")
		}
		a.body = p.list("END")
		p.end("", label)
		return a
	case p.accept("IF"):
		return p.conditional()
	case p.accept("CASE"):
		return p.cases()
	case p.accept("LOOP"):
		a := &action{kind: endless, body: p.list("END")}
		p.end("LOOP", label)
		return a
	case p.accept("WHILE"):
		a := &action{kind: while, cond: p.until("DO")}
		p.expect("DO")
		a.body = p.list("END")
		p.end("WHILE", label)
		return a
	case p.accept("REPEAT"):
		a := &action{kind: repeat, body: p.list("UNTIL")}
		p.expect("UNTIL")
		a.cond = p.until("END")
		p.end("REPEAT", label)
		return a
	}
	return nil
}

// end reads END with its word and, if it stands there, the label.
func (p *bodyParser) end(word, label string) {
	p.expect("END")
	if word != "" {
		p.expect(word)
	}
	if t := p.peek(); label != "" && t.isName() && strings.EqualFold(t.text, label) {
		p.i++
	}
}

// conditional reads IF behind its first word.
func (p *bodyParser) conditional() *action {
	a := &action{kind: branch}
	for {
		cond := p.until("THEN")
		p.expect("THEN")
		a.arms = append(a.arms, arm{cond, p.list("ELSEIF", "ELSE", "END")})
		if !p.accept("ELSEIF") {
			break
		}
	}
	if p.accept("ELSE") {
		a.arms = append(a.arms, arm{nil, p.list("END")})
	}
	p.end("IF", "")
	return a
}

// cases reads CASE behind its first word.
func (p *bodyParser) cases() *action {
	a := &action{kind: branch, isCase: true}
	if !p.peek().is("WHEN") {
		a.subject = p.until("WHEN")
	}
	for p.accept("WHEN") {
		cond := p.until("THEN")
		p.expect("THEN")
		a.arms = append(a.arms, arm{cond, p.list("WHEN", "ELSE", "END")})
	}
	if p.accept("ELSE") {
		a.arms = append(a.arms, arm{nil, p.list("END")})
	}
	p.end("CASE", "")
	return a
}

// declaration reads a declaration behind DECLARE.
func (p *bodyParser) declaration() declaration {
	d := declaration{at: p.peek()}
	switch {
	case p.before("EXIT", "HANDLER"), p.before("CONTINUE", "HANDLER"), p.before("UNDO", "HANDLER"):
		d.kind, d.exit = handlers, p.peek().is("EXIT", "UNDO")
		p.i += 2
		p.expect("FOR")
		d.conditions = append(d.conditions, p.condition())
		for p.accept(",") {
			d.conditions = append(d.conditions, p.condition())
		}
		d.handler = p.statement()
		return d
	}
	d.names = []string{strings.ToLower(p.name("a variable"))}
	switch {
	case p.accept("CURSOR"):
		d.kind = cursors
		p.expect("FOR")
		d.value = p.until(";")
	case p.accept("CONDITION"):
		d.kind = conditions
		p.expect("FOR")
		d.conditions = []string{p.condition()}
	default:
		for p.accept(",") {
			d.names = append(d.names, strings.ToLower(p.name("a variable")))
		}
		d.typ = p.types.variableType(p.cursor)
		if p.accept("DEFAULT") || p.accept("=") {
			d.value = p.until(";")
		}
	}
	return d
}

// condition reads what a handler is for.
func (p *bodyParser) condition() string {
	switch {
	case p.accept("NOT", "FOUND"):
		return notFound
	case p.accept("SQLSTATE"):
		p.accept("VALUE")
		state, _ := unquote(p.next().text)
		return state
	}
	return strings.ToUpper(p.next().text)
}

// until reads the tokens before one of the words that stands in no parentheses and no CASE.
func (p *bodyParser) until(words ...string) []token {
	from, depth := p.i, 0
	for ; !p.done(); p.i++ {
		t := p.peek()
		switch {
		case depth == 0 && t.is(words...):
			return p.st.tokens[from:p.i]
		case t.is("(", "CASE"):
			depth++
		case t.is(")", "END") && depth > 0:
			depth--
		case t.is(";"):
			p.fail("the statement ends before " + strings.Join(words, " or ") + "; complete it")
		}
	}
	if words[0] != ";" {
		p.fail("the body ends before " + strings.Join(words, " or ") + "; complete it")
	}
	return p.st.tokens[from:p.i]
}

// part makes a statement of some of the tokens.
func (p *bodyParser) part(tokens []token) *statement {
	return &statement{src: p.st.src, tokens: tokens}
}

// each calls f for a statement and those inside of it, handlers too.
func (a *action) each(f func(*action)) {
	f(a)
	for _, d := range a.declared {
		if d.handler != nil {
			d.handler.each(f)
		}
	}
	for _, m := range a.arms {
		for _, s := range m.body {
			s.each(f)
		}
	}
	for _, s := range a.body {
		s.each(f)
	}
}

// starts are the statements that begin a transaction.
func (a *action) starts() []*action {
	var out []*action
	a.each(func(s *action) {
		if s.begins() {
			out = append(out, s)
		}
	})
	return out
}

// begins reports whether a statement begins a transaction.
func (a *action) begins() bool {
	return a.kind == simple && a.st.first("START", "TRANSACTION")
}

// holds reports whether another statement stands in this one.
func (a *action) holds(o *action) bool {
	found := false
	a.each(func(s *action) { found = found || s == o })
	return found
}

func itoa(n int) string { return strconv.Itoa(n) }
