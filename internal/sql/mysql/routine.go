package mysql

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// routine is a stored procedure, or an event, which has no parameters.
type routine struct {
	name   string
	pos    ir.Pos
	st     *statement
	params []parameter
	body   *action
	// ignores are the comments that accept findings about it.
	ignores []*ir.Ignore
}

// parameter is a parameter of a procedure. It has an argument if in, and gives a value back if out.
type parameter struct {
	name    string
	typ     string
	in, out bool
}

// routineWord is the word for the routine that a statement makes, "" for another statement.
func (st *statement) routineWord() string {
	if !st.first("CREATE") {
		return ""
	}
	for _, t := range st.tokens[1:min(len(st.tokens), 16)] {
		switch {
		case t.is("PROCEDURE", "EVENT", "FUNCTION", "TRIGGER"):
			return strings.ToUpper(t.text)
		case t.is("TABLE", "VIEW", "INDEX", "("):
			return ""
		}
	}
	return ""
}

// routine takes over a procedure or event. The bodies of functions are not read.
func (r *reader) routine(st *statement, what string) {
	if i := slices.IndexFunc(st.tokens, func(t token) bool { return t.kind == word && strings.HasPrefix(t.text, "$") && strings.HasSuffix(t.text, "$") }); i >= 0 {
		panic(ir.Errorf(st.src.pos(st.tokens[i].from), "a body must not stand between dollars, but does"))
	}
	if what == "FUNCTION" {
		r.note(st.pos(), "the bodies of functions are not read: a statement that calls one is not modelled")
		return
	}
	p := r.header(st, what)
	p.ignores, r.ignores = r.ignores, nil
	for _, g := range p.ignores {
		g.From, g.To = p.pos, st.src.pos(st.tokens[len(st.tokens)-1].to)
	}
	r.Ignores = append(r.Ignores, p.ignores...)
	if r.routines == nil {
		r.routines = map[string]*routine{}
	}
	key := strings.ToLower(p.name)
	if o := r.routines[key]; o != nil && !st.has("REPLACE") && !st.has("EXISTS") {
		panic(ir.Errorf(st.pos(), "there is another %s %s at %s; drop one", strings.ToLower(what), p.name, o.pos))
	}
	r.routines[key] = p
	r.order = append(r.order, key)
}

// drop forgets a procedure that DROP PROCEDURE names.
func (r *reader) drop(st *statement) bool {
	c := &cursor{st, 1}
	if !c.accept("PROCEDURE") && !c.accept("EVENT") {
		return false
	}
	c.accept("IF", "EXISTS")
	delete(r.routines, strings.ToLower(c.tableName()))
	return true
}

// header reads what stands before the body, and the body.
func (r *reader) header(st *statement, what string) *routine {
	c := &cursor{st, 1}
	for !c.done() && !c.peek().is(what) {
		c.i++
	}
	c.i++
	c.accept("IF", "NOT", "EXISTS")
	p := &routine{pos: st.pos(), st: st, name: c.tableName()}
	if what == "EVENT" {
		for !c.done() && !c.peek().is("DO") {
			c.i++
		}
		c.expect("DO")
	} else {
		for _, part := range commaParts(c.parens()) {
			p.params = append(p.params, r.parameter(st, part))
		}
		for characteristic(c) {
		}
	}
	b := &bodyParser{cursor: c, types: r.Schema}
	p.body = b.statement()
	if c.accept(";"); !c.done() {
		c.fail("the body must end here, but " + c.shown() + " follows; check that each BEGIN, IF, CASE and loop has its END")
	}
	return p
}

// parameter reads a parameter: IN name type.
func (r *reader) parameter(st *statement, part []token) parameter {
	c := &cursor{&statement{src: st.src, tokens: part}, 0}
	p := parameter{in: true}
	switch {
	case c.accept("OUT"):
		p.in, p.out = false, true
	case c.accept("INOUT"):
		p.out = true
	default:
		c.accept("IN")
	}
	p.name = c.name("a parameter")
	p.typ = r.Schema.variableType(c)
	return p
}

// characteristic passes over a characteristic of a routine, if there is one: SQL SECURITY INVOKER.
func characteristic(c *cursor) bool {
	switch {
	case c.accept("COMMENT"):
		c.i++
	case c.accept("LANGUAGE", "SQL"), c.accept("DETERMINISTIC"), c.accept("NOT", "DETERMINISTIC"), c.accept("CONTAINS", "SQL"), c.accept("NO", "SQL"),
		c.accept("READS", "SQL", "DATA"), c.accept("MODIFIES", "SQL", "DATA"):
	case c.accept("SQL", "SECURITY"):
		c.i++
	default:
		return false
	}
	return true
}

// variableType reads the type of a parameter or variable, and gives the name that it has in the text of the schema, "" for one of
// which nothing is known.
func (s *Schema) variableType(c *cursor) string {
	name := strings.ToUpper(c.name("a type"))
	if name == "DOUBLE" {
		c.accept("PRECISION")
	}
	if s.types == nil {
		s.newType(nil)
	}
	args := c.parens()
	unsigned := false
	for !c.done() && !c.peek().is("DEFAULT", ";", ",", ")", "=") {
		switch {
		case c.accept("UNSIGNED"), c.accept("ZEROFILL"):
			unsigned = true
		case c.accept("SIGNED"), c.accept("BINARY"), c.accept("ASCII"), c.accept("UNICODE"), c.accept("VARYING"), c.accept("NOT", "NULL"), c.accept("NULL"):
		case c.accept("CHARACTER", "SET"), c.accept("CHARSET"), c.accept("COLLATE"):
			c.i++
		default:
			c.fail("here should be ; or DEFAULT, not " + c.shown())
		}
	}
	typ, t, ok := s.columnType(name, args, unsigned)
	if !ok || t == nil {
		return ""
	}
	if t.Format.Kind == ir.KindText && t.Collation == "" {
		t.Collation = Collation("")
	}
	return typ
}

// procedures writes the transactions of procedures: for each START TRANSACTION in a body what it does up to the end of the
// transaction, and each statement outside of them. A procedure that begins no transaction is one.
func (s *Scripts) procedures() {
	for _, c := range s.calling {
		name, pos := c.txn.Name, c.txn.Pos
		*c.txn = *s.body(c.body(), nil).txn
		c.txn.Name, c.txn.Pos, c.txn.Levels = name, pos, []string{c.block.level}
	}
	for i, key := range s.order {
		p := s.routines[key]
		if p == nil || s.later(i, key) {
			continue
		}
		starts := p.body.starts()
		if len(starts) == 0 {
			s.whole(p)
			continue
		}
		for _, start := range starts {
			s.addRoutine(p, s.body(p, start).txn)
		}
		w := s.body(p, nil)
		for _, t := range w.apart {
			s.addRoutine(p, t)
		}
	}
}

// later reports whether a procedure is made again.
func (s *Scripts) later(i int, key string) bool {
	for _, k := range s.order[i+1:] {
		if k == key {
			return true
		}
	}
	return false
}

// whole adds a procedure that begins no transaction.
func (s *Scripts) whole(p *routine) {
	w := s.body(p, nil)
	if w.commands > 1 {
		s.note(p.pos, "%s begins no transaction: it is taken for one, as if the caller began it. With autocommit, each of its statements is a transaction of its own; "+
			"write START TRANSACTION and COMMIT into it, or around the CALL", p.name)
	}
	s.addRoutine(p, w.txn)
}

// addRoutine adds a transaction of a procedure under a name of its own.
func (s *Scripts) addRoutine(p *routine, t *client.Txn) {
	t.Name = p.name
	if n := s.named[t.Name]; n > 0 {
		t.Name += "#" + itoa(n+1)
	}
	if s.named == nil {
		s.named = map[string]int{}
	}
	s.named[p.name]++
	s.Txns = append(s.Txns, t)
}

// calling is a transaction of a script that calls procedures.
type calling struct {
	txn   *client.Txn
	block *block
}

// calls reports whether a transaction of a script calls a procedure.
func (b *block) calls() bool {
	return slices.ContainsFunc(b.stmts, func(st *statement) bool { return st.first("CALL") })
}

// body is the transaction as the body of a procedure.
func (c calling) body() *routine {
	all := &statement{src: c.block.stmts[0].src}
	a := &action{kind: compound, st: c.block.stmts[0]}
	for _, st := range c.block.stmts {
		a.body = append(a.body, &action{st: st})
		all.tokens = append(all.tokens, st.tokens...)
	}
	return &routine{name: c.txn.Name, pos: c.block.pos, st: all, body: a}
}
