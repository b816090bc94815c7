package mysqlscript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/mysql"
)

// transaction gives a transaction of a script as one of a client program. ?, :v and @v are inputs; a @v that the
// transaction sets is a variable.
func transaction(b *block) *client.Txn {
	w := &scriptWriter{txn: &client.Txn{Pos: b.pos, Name: b.name, Levels: []string{b.level}}, fresh: b.fresh, vars: map[string]int{}, set: map[string]bool{}, taken: map[string]bool{}}
	for _, st := range b.stmts {
		for _, t := range st.Tokens {
			if t.Kind == mysql.Named {
				w.taken[strings.ToLower(t.Text[1:])] = true
			}
		}
	}
	if b.snapshot { // a plain SELECT takes it later
		w.add(withSnapshot(b.pos))
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

// withSnapshot stands for the snapshot that a transaction takes as it begins.
func withSnapshot(pos ir.Pos) *client.Unknown {
	return &client.Unknown{At: client.At{Pos: pos}, Reason: "WITH CONSISTENT SNAPSHOT, which takes the snapshot before anything is locked"}
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
func (w *scriptWriter) statement(st *mysql.Statement) {
	at := client.At{Pos: st.Pos()}
	switch {
	case st.First("SAVEPOINT") && len(st.Tokens) == 2:
		w.add(&client.Savepoint{At: at, Name: strings.ToLower(st.Tokens[1].Text)})
	case st.First("ROLLBACK"):
		w.add(&client.RollbackTo{At: at, Name: strings.ToLower(st.Tokens[len(st.Tokens)-1].Text)})
	case st.First("RELEASE", "SAVEPOINT"), st.First("DO", "SLEEP"):
	case st.Tokens[0].Is("LOCK", "UNLOCK", "CALL", "LOAD", "EXECUTE", "PREPARE", "HANDLER", "TRUNCATE"):
		w.add(&client.Unknown{At: at, Reason: strings.ToUpper(st.Tokens[0].Text)})
	case st.First("SET") && (len(st.Tokens) < 2 || st.Tokens[1].Kind != mysql.Named):
		w.add(&client.Unknown{At: at, Reason: "SET of something that is no variable of the user"})
	case !st.Readable():
		w.add(&client.Unknown{At: at, Reason: "a statement that is too large or nests too deep"})
	case st.First("SET"):
		w.assignments(st)
	case !mysql.DML(st) && st.Tokens[0].Kind == mysql.Word:
		panic(ir.Errorf(st.Pos(), "%s is not a statement that is read here; check the spelling", st.Tokens[0].Text))
	default:
		if fault := st.Refused(); fault != nil {
			panic(fault)
		}
		w.query(st)
	}
}

// assignments writes SET @a = …, @b = …: one statement for each, in their order.
func (w *scriptWriter) assignments(st *mysql.Statement) {
	for _, part := range mysql.CommaParts(st.Tokens[1:]) {
		from := 2
		if len(part) > 1 && part[1].Is(":") {
			from = 3
		}
		if len(part) <= from || part[0].Kind != mysql.Named || part[0].Text[0] != '@' || !part[from-1].Is("=") {
			w.add(&client.Unknown{At: client.At{Pos: st.Pos()}, Reason: "SET of something that is no variable of the user"})
			return
		}
		q := w.sent(st, part[from:], "SELECT ")
		q.Command = w.command(st, slices.Concat(st.Tokens[:1], part))
		q.Into, q.Inner = []string{w.variable(part[0].Text[1:], false)}, true
		w.set[q.Into[0]] = true
		w.add(q)
	}
}

// query writes a statement that is sent to the database.
func (w *scriptWriter) query(st *mysql.Statement) {
	tokens, into, ok := withoutInto(st)
	if !ok {
		w.add(&client.Unknown{At: client.At{Pos: st.Pos()}, Reason: "SELECT … INTO in another place than a SELECT has it, or a file"})
		return
	}
	q := w.sent(st, tokens, "")
	q.Command = w.command(st, st.Tokens)
	q.Returned = len(into) == 0
	q.OneRow = len(into) > 0
	for _, t := range into { // without a row it keeps its value
		q.Into = append(q.Into, w.variable(t.Text[1:], true))
	}
	w.add(q)
}

// withoutInto takes the INTO of a SELECT away, whose variables it gives. ok is false for INTO in another place.
func withoutInto(st *mysql.Statement) (tokens, into []mysql.Token, ok bool) {
	if !st.First("SELECT") {
		return st.Tokens, nil, true
	}
	depth := 0
	for i, t := range st.Tokens {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case t.Is("INTO"):
			k := i + 1
			for k < len(st.Tokens) && st.Tokens[k].Kind == mysql.Named && st.Tokens[k].Text[0] == '@' {
				into = append(into, st.Tokens[k])
				if k++; k >= len(st.Tokens) || !st.Tokens[k].Is(",") {
					break
				}
				k++
			}
			rest := &mysql.Statement{Src: st.Src, Tokens: st.Tokens[k:]}
			if len(into) == 0 || depth > 0 || rest.Has("INTO") {
				return nil, nil, false
			}
			return slices.Concat(st.Tokens[:i], rest.Tokens), into, true
		}
	}
	return st.Tokens, nil, true
}

// sent writes the tokens of a statement behind lead as a query with named parameters.
func (w *scriptWriter) sent(st *mysql.Statement, tokens []mysql.Token, lead string) *client.Query {
	q := &client.Query{At: client.At{Pos: st.Pos()}}
	var b strings.Builder
	b.WriteString(lead)
	marks, last := w.marks, tokens[0].From
	given := map[string]bool{}
	for i, t := range tokens {
		if i > 0 && t.From > last {
			b.WriteByte(' ')
		}
		last = t.To
		name, is := w.parameter(t)
		if !is {
			b.WriteString(st.Src.Text[t.From:t.To])
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
func (w *scriptWriter) parameter(t mysql.Token) (string, bool) {
	switch t.Kind {
	case mysql.Mark:
		w.marks++
		n := "p" + strconv.Itoa(w.marks)
		for w.taken[n] {
			n += "_"
		}
		return n, true
	case mysql.Named:
		return strings.ToLower(t.Text[1:]), true
	}
	return "", false
}

// command gives the text that a client sends. Variables that the transaction has set stay in it: the server has them.
func (w *scriptWriter) command(st *mysql.Statement, tokens []mysql.Token) *client.Command {
	c := &client.Command{}
	text := &strings.Builder{}
	last := tokens[0].From
	into := st.First("SET") || st.First("SELECT") && st.Has("INTO")
	for i, t := range tokens {
		if i > 0 && t.From > last {
			text.WriteByte(' ')
		}
		last = t.To
		name, is := w.parameter(t)
		if is && t.Kind == mysql.Named && t.Text[0] == '@' && (w.set[name] || into && w.target(tokens, i)) {
			is = false
		}
		if !is {
			text.WriteString(st.Src.Text[t.From:t.To])
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
func (w *scriptWriter) target(tokens []mysql.Token, i int) bool {
	if tokens[0].Is("SET") {
		return i == 1
	}
	for k := i - 1; k >= 0; k-- {
		switch {
		case tokens[k].Is("INTO"):
			return true
		case tokens[k].Kind != mysql.Named && !tokens[k].Is(","):
			return false
		}
	}
	return false
}
