package mysqlscript

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/ir"
)

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

// closing gives the place of the parenthesis that closes the one at i, the end if none does.
func closing(tokens []mysql.Token, i int) int {
	depth := 0
	for ; i < len(tokens); i++ {
		if tokens[i].Is("(") {
			depth++
		} else if tokens[i].Is(")") {
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(tokens) - 1
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
		w.action(p.body)
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

// castName gives the type that tokens name as CAST names it, "" for another one than a number that is exact.
func castName(st *mysql.Statement, tokens []mysql.Token) string {
	switch {
	case tokens[0].Is("INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "MEDIUMINT"):
		return "SIGNED"
	case tokens[0].Is("DECIMAL") && len(tokens) > 1 && !tokens[len(tokens)-1].Is("UNSIGNED"):
		return st.Src.Text[tokens[0].From:tokens[len(tokens)-1].To]
	}
	return ""
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
