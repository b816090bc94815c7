package mysqlscript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/mysql"
)

// routine is a stored procedure, or an event, which has no parameters.
type routine struct {
	name   string
	pos    ir.Pos
	st     *mysql.Statement
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

// routine takes over a procedure or event. The bodies of functions are not read.
func (r *reader) routine(st *mysql.Statement, what string) {
	if i := slices.IndexFunc(st.Tokens, func(t mysql.Token) bool {
		return t.Kind == mysql.Word && strings.HasPrefix(t.Text, "$") && strings.HasSuffix(t.Text, "$")
	}); i >= 0 {
		panic(ir.Errorf(st.Src.Pos(st.Tokens[i].From), "a body must not stand between dollars, but does"))
	}
	if what == "FUNCTION" {
		r.note(st.Pos(), "the bodies of functions are not read: a statement that calls one is not modelled")
		return
	}
	p := r.header(st, what)
	p.ignores, r.ignores = r.ignores, nil
	for _, g := range p.ignores {
		g.From, g.To = p.pos, st.Src.Pos(st.Tokens[len(st.Tokens)-1].To)
	}
	r.Ignores = append(r.Ignores, p.ignores...)
	if r.routines == nil {
		r.routines = map[string]*routine{}
	}
	key := strings.ToLower(p.name)
	if o := r.routines[key]; o != nil && !st.Has("REPLACE") && !st.Has("EXISTS") {
		panic(ir.Errorf(st.Pos(), "there is another %s %s at %s; drop one", strings.ToLower(what), p.name, o.pos))
	}
	r.routines[key] = p
	r.order = append(r.order, key)
}

// drop forgets a procedure that DROP PROCEDURE names.
func (r *reader) drop(st *mysql.Statement) bool {
	c := &mysql.Cursor{St: st, I: 1}
	if !c.Accept("PROCEDURE") && !c.Accept("EVENT") {
		return false
	}
	c.Accept("IF", "EXISTS")
	delete(r.routines, strings.ToLower(c.TableName()))
	return true
}

// header reads what stands before the body, and the body.
func (r *reader) header(st *mysql.Statement, what string) *routine {
	c := &mysql.Cursor{St: st, I: 1}
	for !c.Done() && !c.Peek().Is(what) {
		c.I++
	}
	c.I++
	c.Accept("IF", "NOT", "EXISTS")
	p := &routine{pos: st.Pos(), st: st, name: c.TableName()}
	if what == "EVENT" {
		for !c.Done() && !c.Peek().Is("DO") {
			c.I++
		}
		c.Expect("DO")
	} else {
		for _, part := range mysql.CommaParts(c.Parens()) {
			p.params = append(p.params, r.parameter(st, part))
		}
		for characteristic(c) {
		}
	}
	b := &bodyParser{Cursor: c, types: r.Schema}
	p.body = b.statement()
	if c.Accept(";"); !c.Done() {
		c.Fail("the body must end here, but " + c.Shown() + " follows; check that each BEGIN, IF, CASE and loop has its END")
	}
	return p
}

// parameter reads a parameter: IN name type.
func (r *reader) parameter(st *mysql.Statement, part []mysql.Token) parameter {
	c := &mysql.Cursor{St: &mysql.Statement{Src: st.Src, Tokens: part}, I: 0}
	p := parameter{in: true}
	switch {
	case c.Accept("OUT"):
		p.in, p.out = false, true
	case c.Accept("INOUT"):
		p.out = true
	default:
		c.Accept("IN")
	}
	p.name = c.Name("a parameter")
	p.typ = r.Schema.VariableType(c)
	return p
}

// characteristic passes over a characteristic of a routine, if there is one: SQL SECURITY INVOKER.
func characteristic(c *mysql.Cursor) bool {
	switch {
	case c.Accept("COMMENT"):
		c.I++
	case c.Accept("LANGUAGE", "SQL"), c.Accept("DETERMINISTIC"), c.Accept("NOT", "DETERMINISTIC"), c.Accept("CONTAINS", "SQL"), c.Accept("NO", "SQL"),
		c.Accept("READS", "SQL", "DATA"), c.Accept("MODIFIES", "SQL", "DATA"):
	case c.Accept("SQL", "SECURITY"):
		c.I++
	default:
		return false
	}
	return true
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
		if !s.starts(p) {
			s.whole(p)
			continue
		}
		for _, start := range p.body.starts() {
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
	if w.ended || w.rolled { // what follows is transactions of their own
		w.apart = s.bodyFrom(p, nil, flow{other: true}).apart
	}
	for _, t := range w.apart {
		s.addRoutine(p, t)
	}
}

// starts reports whether a procedure begins transactions, or one that it calls.
func (s *Scripts) starts(p *routine) bool {
	seen := map[*routine]bool{}
	var begins func(p *routine) bool
	begins = func(p *routine) bool {
		if p == nil || seen[p] {
			return false
		}
		seen[p] = true
		found := len(p.body.starts()) > 0
		p.body.each(func(a *action) {
			if a.kind == simple && a.st.First("CALL") {
				c := &mysql.Cursor{St: a.st, I: 1}
				found = found || begins(s.routines[strings.ToLower(c.TableName())])
			}
		})
		return found
	}
	return begins(p)
}

// addRoutine adds a transaction of a procedure under a name of its own.
func (s *Scripts) addRoutine(p *routine, t *client.Txn) {
	t.Name = p.name
	if n := s.named[t.Name]; n > 0 {
		t.Name += "#" + strconv.Itoa(n+1)
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
	return slices.ContainsFunc(b.stmts, func(st *mysql.Statement) bool { return st.First("CALL") })
}

// body is the transaction as the body of a procedure.
func (c calling) body() *routine {
	all := &mysql.Statement{Src: c.block.stmts[0].Src}
	a := &action{kind: compound, st: c.block.stmts[0]}
	for _, st := range c.block.stmts {
		a.body = append(a.body, &action{st: st})
		all.Tokens = append(all.Tokens, st.Tokens...)
	}
	return &routine{name: c.txn.Name, pos: c.block.pos, st: all, body: a}
}
