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
	// returns is the type of what a function gives, "" for a procedure.
	returns string
	// cast is that type as CAST names it.
	cast string
	// ignores are the comments that accept findings about it.
	ignores []*ir.Ignore
	// event says that it is an event, which nobody calls; reading how it is read if it begins no transaction.
	event   bool
	reading reading
}

// parameter is a parameter of a procedure. It has an argument if in, and gives a value back if out.
type parameter struct {
	name    string
	typ     string
	in, out bool
	// cast is the type as CAST names it, "" for one that has no such name.
	cast string
}

// routine takes over a procedure, function or event.
func (r *reader) routine(st *mysql.Statement, what string) {
	if i := slices.IndexFunc(st.Tokens, func(t mysql.Token) bool {
		return t.Kind == mysql.Word && strings.HasPrefix(t.Text, "$") && strings.HasSuffix(t.Text, "$")
	}); i >= 0 {
		panic(ir.Errorf(st.Src.Pos(st.Tokens[i].From), "a body must not stand between dollars, but does"))
	}
	if what == "FUNCTION" && (st.Has("SONAME", "AGGREGATE") || !st.Has("RETURNS") || !st.Has("RETURN")) {
		r.note(st.Pos(), "the body of this function is not read: a statement that calls it is not modelled")
		return
	}
	p := r.header(st, what)
	if what == "FUNCTION" {
		r.function(p)
		return
	}
	p.ignores, r.ignores = r.ignores, nil
	p.reading, p.event = r.reading, what == "EVENT"
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

// drop forgets a routine that DROP names.
func (r *reader) drop(st *mysql.Statement) bool {
	c := &mysql.Cursor{St: st, I: 1}
	routines := r.routines
	switch {
	case c.Accept("FUNCTION"):
		routines = r.functions
	case !c.Accept("PROCEDURE") && !c.Accept("EVENT"):
		return false
	}
	c.Accept("IF", "EXISTS")
	delete(routines, strings.ToLower(c.TableName()))
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
		if what == "FUNCTION" {
			p.returns, p.cast = r.returned(c)
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
	from := c.I
	p.typ = r.Schema.VariableType(c)
	p.cast = castName(st, part[from:c.I])
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
// transaction, and each statement outside of them.
func (s *Scripts) procedures() {
	s.callings()
	for i, key := range s.order {
		p := s.routines[key]
		if p == nil || s.later(i, key) {
			continue
		}
		if !s.starts(p) {
			s.whole(p)
			continue
		}
		if p.reading != both {
			s.note(p.pos, "%s begins transactions: the comment that says how it is called changes nothing", p.name)
		}
		for _, start := range p.body.starts() {
			s.addRoutine(p.name, s.body(p, start).txn)
		}
		w := s.body(p, nil)
		for _, t := range w.apart {
			s.addRoutine(p.name, t)
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

// starts reports whether a procedure begins transactions, or one that it calls.
func (s *Scripts) starts(p *routine) bool {
	return p != nil && s.anywhere(p.body, func(a *action) bool { return len(a.starts()) > 0 })
}

// anywhere reports whether something holds of the statements of a body, or of those of a procedure that they call.
func (s *Scripts) anywhere(body *action, holds func(a *action) bool) bool {
	seen := map[*routine]bool{}
	var found func(a *action) bool
	found = func(a *action) bool {
		out := holds(a)
		a.each(func(o *action) {
			if o.kind != simple || !o.st.First("CALL") {
				return
			}
			c := &mysql.Cursor{St: o.st, I: 1}
			if p := s.routines[strings.ToLower(c.TableName())]; p != nil && !seen[p] {
				seen[p] = true
				out = out || found(p.body)
			}
		})
		return out
	}
	return found(body)
}

// addRoutine adds a transaction of a procedure, under a name of its own if another one has that name.
func (s *Scripts) addRoutine(name string, t *client.Txn) {
	t.Name = s.unused(name)
	s.Txns = append(s.Txns, t)
}

// unused gives a name for another transaction of what has that name.
func (s *Scripts) unused(name string) string {
	if s.named == nil {
		s.named = map[string]int{}
	}
	s.named[name]++
	if n := s.named[name]; n > 1 {
		name += "#" + strconv.Itoa(n)
	}
	return name
}

// calling is a transaction of a script that calls procedures.
type calling struct {
	txn   *client.Txn
	block *block
}

// calls reports whether a transaction of a script has statements that are written as in the body of a procedure.
func (b *block) calls(s *Scripts) bool {
	return slices.ContainsFunc(b.stmts, func(st *mysql.Statement) bool {
		return st.Tokens[0].Is("CALL", "PREPARE", "EXECUTE") || assigns(st) >= 0 || countsUp(st.Tokens) >= 0 || len(s.calls(st.Tokens)) > 0
	})
}

// fresh marks the parameters of a transaction that are unique per call. Those that it does not have are faults if it must have all.
func (c calling) fresh(t *client.Txn, all bool) {
	for _, f := range c.block.fresh {
		i := slices.IndexFunc(t.Vars, func(v client.Var) bool { return strings.EqualFold(v.Name, f) })
		switch {
		case i >= 0:
			t.Vars[i].Fresh, t.Vars[i].Nullable = true, false
		case all:
			panic(ir.Errorf(c.block.pos, "transaction %s has no parameter %s, which -- fresh: names", c.block.name, f))
		}
	}
}

// body is the transaction as the body of a procedure.
func (c calling) body() *routine {
	var list []*action
	for _, st := range c.block.stmts {
		list = append(list, &action{st: st})
	}
	return scripted(c.txn.Name, c.block.pos, list)
}

// A statement that calls a stored function of the application is written behind the body of that. So the arguments must not depend on rows. A SELECT …
// INTO in a body is a plain SELECT, whatever calls the function. An expression with a query sees what it sees in a plain SELECT if a SELECT calls, and else
// locks and reads the newest rows (what a MariaDB does, TestInnoDBProcedures). So a function that looks at tables is written only where the statement that
// calls it looks at none itself, and inside of a transaction: outside of one, all that it does is one.

// result is where a function that is called gives its value back.
type result struct {
	variable string
	block    *jump
}

// function takes over a stored function.
func (r *reader) function(p *routine) {
	if r.functions == nil {
		r.functions = map[string]*routine{}
	}
	r.functions[strings.ToLower(p.name)] = p
}

// returned reads RETURNS with its type, which it gives, and as CAST names it.
func (r *reader) returned(c *mysql.Cursor) (typ, cast string) {
	c.Expect("RETURNS")
	from := c.I
	c.Name("a type")
	c.Parens()
	for {
		switch {
		case c.Accept("UNSIGNED"), c.Accept("SIGNED"), c.Accept("ZEROFILL"), c.Accept("BINARY"), c.Accept("PRECISION"), c.Accept("VARYING"):
		case c.Accept("CHARACTER", "SET"), c.Accept("CHARSET"), c.Accept("COLLATE"):
			c.I++
		default:
			typ := &mysql.Statement{Src: c.St.Src, Tokens: c.St.Tokens[from:c.I]}
			return r.Schema.VariableType(&mysql.Cursor{St: typ}), castName(typ, typ.Tokens)
		}
	}
}

// function gives the stored function that the name at i calls, nil if it calls none.
func (s *Scripts) function(tokens []mysql.Token, i int) *routine {
	if !tokens[i].IsName() || i+1 >= len(tokens) || !tokens[i+1].Is("(") || i > 0 && tokens[i-1].Is(".", "INTO", "TABLE", "JOIN", "FROM") {
		return nil
	}
	return s.functions[strings.ToLower(tokens[i].Text)]
}

// calls gives the functions that tokens call, and those that these call.
func (s *Scripts) calls(tokens []mysql.Token) []*routine {
	var out []*routine
	var walk func(tokens []mysql.Token)
	walk = func(tokens []mysql.Token) {
		for i := range tokens {
			if p := s.function(tokens, i); p != nil && !slices.Contains(out, p) {
				out = append(out, p)
				walk(p.st.Tokens)
			}
		}
	}
	if len(s.functions) > 0 {
		walk(tokens)
	}
	return out
}

// effects are words of bodies that do more than compute a value of the arguments.
var effects = append([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "CALL", "SIGNAL", "RESIGNAL", "OPEN", "NEXTVAL", "LASTVAL", "SETVAL", "LAST_INSERT_ID", "ROW_COUNT", "FOUND_ROWS", "GET_LOCK", "RELEASE_LOCK",
	"HANDLER", "RAND", "UUID"}, unmodelledWords("RETURN", "FOR", "CREATE", "CHARSET", "CHECK", "EXPLAIN", "HELP", "START", "STOP", "RESET", "CACHE", "CHANGE", "CLONE", "REPAIR", "RENAME", "RESTART", "USE", "IMPORT", "DESC")...)

// unmodelledWords are the words of unmodelled without some.
func unmodelledWords(without ...string) []string {
	return slices.DeleteFunc(slices.Clone(unmodelled), func(w string) bool { return slices.Contains(without, w) })
}

// pure reports whether the body of a function only computes a value of its arguments.
func (p *routine) pure() bool {
	named := func(t mysql.Token) bool { return t.Kind == mysql.Named }
	return !p.st.Has(effects...) && !slices.ContainsFunc(p.st.Tokens, named)
}

// callsTables reports whether tokens call functions that may look at tables.
func (s *Scripts) callsTables(tokens []mysql.Token) bool {
	return slices.ContainsFunc(s.calls(tokens), func(p *routine) bool { return !p.pure() })
}

// maybe are words of expressions that compute some of their operands only.
var maybe = []string{"IF", "CASE", "AND", "OR", "&", "|", "COALESCE", "IFNULL", "NULLIF", "NVL"}

// hoists reports whether the functions that tokens of a statement call can be written before it.
func (w *bodyWriter) hoists(tokens []mysql.Token) bool {
	called := w.of.calls(tokens)
	if w.fixed || len(called) == 0 || len(w.calls) >= maxCalls {
		return false
	}
	effect := false
	for _, p := range called {
		effect = effect || !p.pure()
		if p.st.Has("HANDLER", "CALL") || p.st.Has("CURSOR") {
			return false
		}
	}
	if effect && (!w.inside || onTables(tokens) || tokens[0].Is("INSERT", "UPDATE", "DELETE", "REPLACE") || slices.ContainsFunc(tokens, func(t mysql.Token) bool { return t.Is(maybe...) })) {
		return false
	}
	places := expressionNames(tokens)
	for i := range tokens {
		p := w.of.function(tokens, i)
		if p == nil {
			continue
		}
		end := closing(tokens, i+1)
		if args := mysql.CommaParts(tokens[i+2 : end]); len(args) != len(p.params) {
			return false
		}
		for k := i + 2; k < end; k++ {
			t := tokens[k]
			isCall := k+1 < len(tokens) && tokens[k+1].Is("(")
			if t.IsName() && !t.Is(expressionWords...) && !isCall && (w.lookup(t.Text) == "" || !slices.Contains(places, k)) {
				return false // a column
			}
			if t.Is("SELECT") {
				return false
			}
		}
	}
	return true
}

// called is the call of a function in a text: a variable with its value, or its formula. ok is false where neither can be had.
func (w *bodyWriter) called(st *mysql.Statement, p *routine, arguments []mysql.Token, hoists bool) (out filled, ok bool) {
	if hoists {
		return filled{[]string{"", ""}, []string{w.apply(st, p, arguments)}}, true
	}
	return w.substituted(st, p, arguments)
}

// apply writes the call of a function, and gives the variable with its value.
func (w *bodyWriter) apply(st *mysql.Statement, p *routine, arguments []mysql.Token) string {
	plainly := w.plainly
	if st.First("SELECT") {
		w.plainly = true
	}
	s, _ := w.arguments(st, p, mysql.CommaParts(arguments))
	out := w.declare(&scope{}, p.name, p.returns, false)
	body := &action{kind: compound, st: p.body.st}
	j := w.jump(body)
	w.results = append(w.results, &result{out, j})
	w.calls, w.sites = append(w.calls, p), append(w.sites, body)
	w.scopes = append(w.scopes, s)
	before := w.flow
	written := w.collect(func() {
		w.perform(p.body)
		w.lost(st) // it must not end without RETURN
	})
	w.scopes = w.scopes[:len(w.scopes)-1]
	w.calls, w.sites = w.calls[:len(w.calls)-1], w.sites[:len(w.sites)-1]
	w.results = w.results[:len(w.results)-1]
	w.gone = before.gone
	w.add(&client.Block{At: w.at(st), Label: j.label, Body: written})
	w.gone = true
	w.close(j, st)
	w.plainly = plainly
	return out
}

// giveBack writes RETURN.
func (w *bodyWriter) giveBack(st *mysql.Statement) {
	r := w.results[len(w.results)-1]
	if len(st.Tokens) < 2 {
		panic(ir.Errorf(st.Pos(), "RETURN must give a value; write one"))
	}
	w.set(st, r.variable, st.Tokens[1:])
	w.leave(r.block, st)
}

// formula gives the value that a function returns if that is all of its body, and numbers are all that it is about; nil for another one.
func (p *routine) formula() []mysql.Token {
	a := p.body
	for a.kind == compound && len(a.body) == 1 && len(a.declared) == 0 {
		a = a.body[0]
	}
	if a.kind != simple || !a.st.First("RETURN") || !p.pure() || p.cast == "" || slices.ContainsFunc(p.params, func(q parameter) bool { return q.cast == "" }) {
		return nil
	}
	return a.st.Tokens[1:]
}

// substituted is the call of a function by its formula, for arguments that depend on rows. ok is false where it has none.
func (w *bodyWriter) substituted(st *mysql.Statement, p *routine, arguments []mysql.Token) (out filled, ok bool) {
	formula, args := p.formula(), mysql.CommaParts(arguments)
	if formula == nil || len(args) != len(p.params) || w.substitutions >= maxCalls || len(w.of.calls(formula)) > 0 {
		return filled{}, false
	}
	w.substitutions++
	defer func() { w.substitutions-- }()
	places := expressionNames(formula)
	out = literally("CAST((")
	last := formula[0].From
	for i, t := range formula {
		k := slices.IndexFunc(p.params, func(q parameter) bool { return strings.EqualFold(q.name, t.Text) })
		out = out.plus(literally(p.st.Src.Text[last:t.From]))
		last = t.To
		if k >= 0 && t.IsName() && slices.Contains(places, i) {
			out = out.plus(literally("CAST((")).plus(w.text(st, args[k])).plus(literally(") AS " + p.params[k].cast + ")"))
			continue
		}
		out = out.plus(literally(p.st.Src.Text[t.From:t.To]))
	}
	return out.plus(literally(") AS " + p.cast + ")")), true
}
