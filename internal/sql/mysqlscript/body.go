package mysqlscript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/mysql"
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
	overRows
)

// action is a statement in the body of a procedure.
type action struct {
	kind  actionKind
	label string
	// st are the tokens of a simple statement, of another one its first.
	st *mysql.Statement
	// subject is what CASE compares, nil if it has conditions; arms are those of IF and CASE, isCase says that without a
	// fitting one it is an error.
	subject []mysql.Token
	arms    []arm
	isCase  bool
	// cond is the condition of WHILE and of UNTIL, and the query or the name of the cursor of FOR, whose row is called row.
	cond []mysql.Token
	row  string
	// body are the statements of a block or loop, declared what a block declares, in order.
	body     []*action
	declared []declaration
}

// arm is a branch of IF or CASE; the last one has no condition if it is ELSE.
type arm struct {
	cond []mysql.Token
	body []*action
}

// declaration is what DECLARE declares: variables, a cursor, a handler, or a name for a condition.
type declaration struct {
	at    mysql.Token
	names []string
	typ   string
	// value is the default of variables, or the query of a cursor.
	value []mysql.Token
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
	*mysql.Cursor
	types *mysql.Schema
	depth int
}

// list reads statements up to one of the words.
func (p *bodyParser) list(until ...string) []*action {
	var out []*action
	for !p.Peek().Is(until...) {
		if p.Done() {
			p.Fail("the body ends before " + strings.Join(until, " or ") + "; complete it")
		}
		out = append(out, p.statement())
		if !p.Accept(";") && !p.Done() {
			p.Fail("here should be ; not " + p.Shown())
		}
	}
	return out
}

// statement reads a statement.
func (p *bodyParser) statement() *action {
	if p.depth++; p.depth > mysql.MaxDepth {
		p.Fail("the statements nest too deep here; move some into a procedure of their own")
	}
	defer func() { p.depth-- }()
	label := p.label()
	from := p.I
	a := p.compound(label)
	if a == nil {
		p.I = from
		a = &action{st: p.part(p.until(";"))}
		if len(a.st.Tokens) == 0 {
			p.Fail("here should be a statement, not " + p.Shown())
		}
		return a
	}
	if a.label = label; a.st == nil {
		a.st = p.part(p.St.Tokens[from : from+1])
	}
	return a
}

// label reads a label, if one comes next. One that stands close to the colon is read with it.
func (p *bodyParser) label() string {
	t := p.Peek()
	if !t.IsName() || p.I+1 >= len(p.St.Tokens) {
		return ""
	}
	switch colon := p.St.Tokens[p.I+1]; {
	case colon.Is(":") && !t.Is("SET"):
		p.I += 2
	case colon.Kind == mysql.Named && strings.HasPrefix(colon.Text, ":") && colon.From == t.To:
		p.St.Tokens[p.I+1] = mysql.Token{Kind: mysql.Word, Text: colon.Text[1:], From: colon.From + 1, To: colon.To}
		p.I++
	default:
		return ""
	}
	return strings.ToLower(t.Text)
}

// compound reads a statement that contains others, nil if another one comes next.
func (p *bodyParser) compound(label string) *action {
	switch {
	case p.Accept("BEGIN"):
		p.Accept("NOT", "ATOMIC")
		a := &action{kind: compound}
		for p.Accept("DECLARE") {
			a.declared = append(a.declared, p.declaration())
			p.Expect(";")
		}
		a.body = p.list("END")
		p.end("", label)
		return a
	case p.Accept("IF"):
		return p.conditional()
	case p.Accept("CASE"):
		return p.cases()
	case p.Accept("LOOP"):
		a := &action{kind: endless, body: p.list("END")}
		p.end("LOOP", label)
		return a
	case p.Accept("WHILE"):
		a := &action{kind: while, cond: p.until("DO")}
		p.Expect("DO")
		a.body = p.list("END")
		p.end("WHILE", label)
		return a
	case p.Accept("REPEAT"):
		a := &action{kind: repeat, body: p.list("UNTIL")}
		p.Expect("UNTIL")
		a.cond = p.until("END")
		p.end("REPEAT", label)
		return a
	case p.Accept("FOR"):
		return p.counting(label)
	}
	return nil
}

// end reads END with its word and, if it stands there, the label.
func (p *bodyParser) end(word, label string) {
	p.Expect("END")
	if word != "" {
		p.Expect(word)
	}
	if t := p.Peek(); label != "" && t.IsName() && strings.EqualFold(t.Text, label) {
		p.I++
	}
}

// conditional reads IF behind its first word.
func (p *bodyParser) conditional() *action {
	a := &action{kind: branch}
	for {
		cond := p.until("THEN")
		p.Expect("THEN")
		a.arms = append(a.arms, arm{cond, p.list("ELSEIF", "ELSE", "END")})
		if !p.Accept("ELSEIF") {
			break
		}
	}
	if p.Accept("ELSE") {
		a.arms = append(a.arms, arm{nil, p.list("END")})
	}
	p.end("IF", "")
	return a
}

// cases reads CASE behind its first word.
func (p *bodyParser) cases() *action {
	a := &action{kind: branch, isCase: true}
	if !p.Peek().Is("WHEN") {
		a.subject = p.until("WHEN")
	}
	for p.Accept("WHEN") {
		cond := p.until("THEN")
		p.Expect("THEN")
		a.arms = append(a.arms, arm{cond, p.list("WHEN", "ELSE", "END")})
	}
	if p.Accept("ELSE") {
		a.arms = append(a.arms, arm{nil, p.list("END")})
	}
	p.end("CASE", "")
	return a
}

// declaration reads a declaration behind DECLARE.
func (p *bodyParser) declaration() declaration {
	d := declaration{at: p.Peek()}
	switch {
	case p.Before("EXIT", "HANDLER"), p.Before("CONTINUE", "HANDLER"), p.Before("UNDO", "HANDLER"):
		d.kind, d.exit = handlers, p.Peek().Is("EXIT", "UNDO")
		p.I += 2
		p.Expect("FOR")
		d.conditions = append(d.conditions, p.condition())
		for p.Accept(",") {
			d.conditions = append(d.conditions, p.condition())
		}
		d.handler = p.statement()
		return d
	}
	d.names = []string{strings.ToLower(p.Name("a variable"))}
	switch {
	case p.Accept("CURSOR"):
		d.kind = cursors
		p.Expect("FOR")
		d.value = p.until(";")
	case p.Accept("CONDITION"):
		d.kind = conditions
		p.Expect("FOR")
		d.conditions = []string{p.condition()}
	default:
		for p.Accept(",") {
			d.names = append(d.names, strings.ToLower(p.Name("a variable")))
		}
		d.typ = p.types.VariableType(p.Cursor)
		if p.Accept("DEFAULT") || p.Accept("=") {
			d.value = p.until(";")
		}
	}
	return d
}

// condition reads what a handler is for.
func (p *bodyParser) condition() string {
	switch {
	case p.Accept("NOT", "FOUND"):
		return notFound
	case p.Accept("SQLSTATE"):
		p.Accept("VALUE")
		state, _ := mysql.Unquote(p.Next().Text)
		return state
	}
	return strings.ToUpper(p.Next().Text)
}

// until reads the tokens before one of the words that stands in no parentheses and no CASE.
func (p *bodyParser) until(words ...string) []mysql.Token {
	from, depth := p.I, 0
	for ; !p.Done(); p.I++ {
		t := p.Peek()
		switch {
		case depth == 0 && t.Is(words...):
			return p.St.Tokens[from:p.I]
		case t.Is("(", "CASE"):
			depth++
		case t.Is(")", "END") && depth > 0:
			depth--
		case t.Is(";"):
			p.Fail("the statement ends before " + strings.Join(words, " or ") + "; complete it")
		}
	}
	if words[0] != ";" {
		p.Fail("the body ends before " + strings.Join(words, " or ") + "; complete it")
	}
	return p.St.Tokens[from:p.I]
}

// part makes a statement of some of the tokens.
func (p *bodyParser) part(tokens []mysql.Token) *mysql.Statement {
	return &mysql.Statement{Src: p.St.Src, Tokens: tokens}
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
	return a.kind == simple && a.st.First("START", "TRANSACTION")
}

// holds reports whether another statement stands in this one.
func (a *action) holds(o *action) bool {
	found := false
	a.each(func(s *action) { found = found || s == o })
	return found
}

// MariaDB has FOR over numbers and over rows. The first is a WHILE with a variable that counts; the second is a loop over the rows of a query, which runs
// where the loop begins, and r.c is a variable for each column c that the loop names.

// counting reads FOR behind its first word.
func (p *bodyParser) counting(label string) *action {
	from := p.I - 1
	name := p.Name("a variable")
	p.Expect("IN")
	backwards := p.Accept("REVERSE")
	head := p.until("DO")
	p.Expect("DO")
	body := p.list("END")
	p.end("FOR", label)
	whole := &action{st: p.part(p.St.Tokens[from:p.I])}
	if len(head) == 0 {
		return whole
	}
	text := p.St.Src.Text[head[0].From:head[len(head)-1].To]
	low, high, numbers := strings.Cut(text, "..")
	if !numbers {
		return p.rows(whole, strings.ToLower(name), head, body)
	}
	if label != "" && slices.ContainsFunc(whole.st.Tokens, func(t mysql.Token) bool { return t.Is("ITERATE") }) { // it counts on before the next round
		return whole
	}
	step, compares, first, last := "+", "<=", low, high
	if backwards {
		step, compares, first, last = "-", ">=", high, low
	}
	end := "end of " + name
	made, ok := whole.st.Made(fmt.Sprintf("%[3]s, %[4]s, BIGINT, `%[1]s` %[5]s `%[2]s`, SET `%[1]s` = `%[1]s` %[6]s 1, `%[1]s` IS NULL OR `%[2]s` IS NULL, SIGNAL SQLSTATE '23000'", name, end, first, last, compares, step))
	if !ok {
		return whole
	}
	parts := mysql.CommaParts(made.Tokens)
	if len(parts) != 7 {
		return whole
	}
	typ := p.types.VariableType(&mysql.Cursor{St: &mysql.Statement{Src: made.Src, Tokens: parts[2]}})
	next := &action{st: &mysql.Statement{Src: made.Src, Tokens: parts[4]}}
	count := &action{kind: while, label: label, st: made, cond: parts[3], body: append(body, next)}
	variable := func(name string, value []mysql.Token) declaration {
		return declaration{at: made.Tokens[0], names: []string{strings.ToLower(name)}, typ: typ, value: value}
	}
	loop := &action{kind: compound, st: made, declared: []declaration{variable(end, parts[1]), variable(name, parts[0])}, body: []*action{count}}
	if len(parts[0]) > 1 || len(parts[1]) > 1 || parts[0][0].Kind != mysql.Number || parts[1][0].Kind != mysql.Number { // NULL is an error
		fails := &action{st: &mysql.Statement{Src: made.Src, Tokens: parts[6]}}
		loop.body = []*action{{kind: branch, st: made, arms: []arm{{parts[5], []*action{fails}}}}, count}
	}
	return loop
}

// rows makes FOR over rows of what stands behind IN: a query, or the name of a cursor without parameters.
func (p *bodyParser) rows(whole *action, name string, head []mysql.Token, body []*action) *action {
	if head[0].Is("(") && closing(head, 0) == len(head)-1 {
		head = head[1 : len(head)-1]
	}
	if len(head) == 0 || !head[0].Is("SELECT", "WITH") && len(head) > 1 {
		return whole
	}
	return &action{kind: overRows, st: whole.st, row: name, cond: head, body: body}
}
