package mysql

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// The largest statements that are read, so that no input exhausts the stack: tokens, and how deep they nest.
const (
	maxTokens = 20000
	maxDepth  = 200
)

// transaction gives a transaction of a script as one of a client program. ?, :v and @v are inputs; a @v that the
// transaction sets is a variable.
func transaction(b *block) *client.Txn {
	w := &scriptWriter{txn: &client.Txn{Pos: b.pos, Name: b.name, Levels: []string{b.level}}, fresh: b.fresh, vars: map[string]int{}, set: map[string]bool{}, taken: map[string]bool{}}
	for _, st := range b.stmts {
		for _, t := range st.tokens {
			if t.kind == named {
				w.taken[strings.ToLower(t.text[1:])] = true
			}
		}
	}
	if b.snapshot { // a plain SELECT takes it later
		w.add(&client.Unknown{At: client.At{Pos: b.pos}, Reason: "WITH CONSISTENT SNAPSHOT, which takes the snapshot before anything is locked"})
	}
	for _, st := range b.stmts {
		w.statement(st)
	}
	for _, f := range b.fresh {
		if _, used := w.vars[f]; !used {
			panic(ir.Errorf(b.pos, "transaction %s has no parameter %s, which -- fresh: names", b.name, f))
		}
	}
	return w.txn
}

// scriptWriter writes a transaction of a script.
type scriptWriter struct {
	txn   *client.Txn
	fresh []string
	// vars are the places of variables in txn.Vars; set are those that have been set for certain.
	vars map[string]int
	set  map[string]bool
	// taken are the names of variables that are written, marks is how many ? there have been.
	taken map[string]bool
	marks int
}

// variable gives the variable of a name. One that is used before it is set is an input.
func (w *scriptWriter) variable(name string, uses bool) string {
	name = strings.ToLower(name)
	i, known := w.vars[name]
	if !known {
		i = len(w.txn.Vars)
		isFresh := slices.Contains(w.fresh, name)
		w.vars[name] = i
		w.txn.Vars = append(w.txn.Vars, client.Var{Name: name, Fresh: isFresh, Nullable: !isFresh})
	}
	if uses && !w.set[name] {
		w.txn.Vars[i].Input = true
	}
	return name
}

func (w *scriptWriter) add(s client.Stmt) { w.txn.Body = append(w.txn.Body, s) }

// statement writes a statement.
func (w *scriptWriter) statement(st *statement) {
	at := client.At{Pos: st.pos()}
	switch {
	case st.first("SAVEPOINT") && len(st.tokens) == 2:
		w.add(&client.Savepoint{At: at, Name: strings.ToLower(st.tokens[1].text)})
	case st.first("ROLLBACK"):
		w.add(&client.RollbackTo{At: at, Name: strings.ToLower(st.tokens[len(st.tokens)-1].text)})
	case st.first("RELEASE", "SAVEPOINT"), st.first("DO", "SLEEP"):
	case st.tokens[0].is("LOCK", "UNLOCK", "CALL", "LOAD", "EXECUTE", "PREPARE", "HANDLER"):
		w.add(&client.Unknown{At: at, Reason: strings.ToUpper(st.tokens[0].text)})
	case st.first("SET") && (len(st.tokens) < 2 || st.tokens[1].kind != named):
		w.add(&client.Unknown{At: at, Reason: "SET of something that is no variable of the user"})
	case !st.readable():
		w.add(&client.Unknown{At: at, Reason: "a statement that is too large or nests too deep"})
	case st.first("SET"):
		w.assignments(st)
	case !dml(st) && st.tokens[0].kind == word:
		panic(ir.Errorf(st.pos(), "%s is not a statement that is read here; check the spelling", st.tokens[0].text))
	default:
		if fault := st.refused(); fault != nil {
			panic(fault)
		}
		w.query(st)
	}
}

// readable reports whether a statement is not too large.
func (st *statement) readable() bool {
	depth, run := 0, 0
	for _, t := range st.tokens {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
		if t.is("NOT", "-", "+", "~", "!", "BINARY", "CASE") {
			run++
		} else if t.kind != punct {
			run = 0
		}
		if depth > maxDepth || run > maxDepth {
			return false
		}
	}
	return len(st.tokens) <= maxTokens
}

// assignments writes SET @a = …, @b = …: one statement for each, in their order.
func (w *scriptWriter) assignments(st *statement) {
	for _, part := range commaParts(st.tokens[1:]) {
		from := 2
		if len(part) > 1 && part[1].is(":") {
			from = 3
		}
		if len(part) <= from || part[0].kind != named || part[0].text[0] != '@' || !part[from-1].is("=") {
			w.add(&client.Unknown{At: client.At{Pos: st.pos()}, Reason: "SET of something that is no variable of the user"})
			return
		}
		q := w.sent(st, part[from:], "SELECT ")
		q.Command = w.command(st, slices.Concat(st.tokens[:1], part))
		q.Into, q.Inner = []string{w.variable(part[0].text[1:], false)}, true
		w.set[q.Into[0]] = true
		w.add(q)
	}
}

// query writes a statement that is sent to the database.
func (w *scriptWriter) query(st *statement) {
	tokens, into, ok := withoutInto(st)
	if !ok {
		w.add(&client.Unknown{At: client.At{Pos: st.pos()}, Reason: "SELECT … INTO in another place than a SELECT has it, or a file"})
		return
	}
	q := w.sent(st, tokens, "")
	q.Command = w.command(st, st.tokens)
	q.Returned = len(into) == 0
	q.OneRow = len(into) > 0
	for _, t := range into { // without a row it keeps its value
		q.Into = append(q.Into, w.variable(t.text[1:], true))
	}
	w.add(q)
}

// withoutInto takes the INTO of a SELECT away, whose variables it gives. ok is false for INTO in another place.
func withoutInto(st *statement) (tokens, into []token, ok bool) {
	if !st.first("SELECT") {
		return st.tokens, nil, true
	}
	depth := 0
	for i, t := range st.tokens {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case t.is("INTO"):
			k := i + 1
			for k < len(st.tokens) && st.tokens[k].kind == named && st.tokens[k].text[0] == '@' {
				into = append(into, st.tokens[k])
				if k++; k >= len(st.tokens) || !st.tokens[k].is(",") {
					break
				}
				k++
			}
			rest := &statement{src: st.src, tokens: st.tokens[k:]}
			if len(into) == 0 || depth > 0 || rest.has("INTO") {
				return nil, nil, false
			}
			return slices.Concat(st.tokens[:i], rest.tokens), into, true
		}
	}
	return st.tokens, nil, true
}

// sent writes the tokens of a statement behind lead as a query with named parameters.
func (w *scriptWriter) sent(st *statement, tokens []token, lead string) *client.Query {
	q := &client.Query{At: client.At{Pos: st.pos()}}
	var b strings.Builder
	b.WriteString(lead)
	marks, last := w.marks, tokens[0].from
	given := map[string]bool{}
	for i, t := range tokens {
		if i > 0 && t.from > last {
			b.WriteByte(' ')
		}
		last = t.to
		name, is := w.parameter(t)
		if !is {
			b.WriteString(st.src.text[t.from:t.to])
			continue
		}
		name = w.variable(name, true)
		b.WriteString(":" + name)
		if !given[name] {
			given[name] = true
			q.Named = append(q.Named, client.Arg{Name: name, Expr: &client.VarExpr{Name: name}})
		}
	}
	w.marks = marks
	q.SQL = b.String()
	return q
}

// parameter gives the name of a parameter or variable, and counts ?.
func (w *scriptWriter) parameter(t token) (string, bool) {
	switch t.kind {
	case mark:
		w.marks++
		n := "p" + strconv.Itoa(w.marks)
		for w.taken[n] {
			n += "_"
		}
		return n, true
	case named:
		return strings.ToLower(t.text[1:]), true
	}
	return "", false
}

// command gives the text that a client sends. Variables that the transaction has set stay in it: the server has them.
func (w *scriptWriter) command(st *statement, tokens []token) *client.Command {
	c := &client.Command{}
	text := &strings.Builder{}
	last := tokens[0].from
	into := st.first("SET") || st.first("SELECT") && st.has("INTO")
	for i, t := range tokens {
		if i > 0 && t.from > last {
			text.WriteByte(' ')
		}
		last = t.to
		name, is := w.parameter(t)
		if is && t.kind == named && t.text[0] == '@' && (w.set[name] || into && w.target(tokens, i)) {
			is = false
		}
		if !is {
			text.WriteString(st.src.text[t.from:t.to])
			continue
		}
		c.Text = append(c.Text, text.String())
		c.Args = append(c.Args, &client.VarExpr{Name: w.variable(name, true)})
		text.Reset()
	}
	c.Text = append(c.Text, text.String())
	return c
}

// target reports whether a token is a variable that the statement sets.
func (w *scriptWriter) target(tokens []token, i int) bool {
	if tokens[0].is("SET") {
		return i == 1
	}
	for k := i - 1; k >= 0; k-- {
		switch {
		case tokens[k].is("INTO"):
			return true
		case tokens[k].kind != named && !tokens[k].is(","):
			return false
		}
	}
	return false
}
