package mysqlscript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/mysql"
)

// filled is a text with variables in it: one between each two of its parts.
type filled struct {
	parts []string
	vars  []string
}

// plus puts a text behind another one.
func (f filled) plus(o filled) filled {
	last := len(f.parts) - 1
	parts := slices.Concat(f.parts[:last], []string{f.parts[last] + o.parts[0]}, o.parts[1:])
	return filled{parts, slices.Concat(f.vars, o.vars)}
}

// literally is a text without variables.
func literally(text string) filled { return filled{parts: []string{text}} }

// text writes tokens of a statement with the variables that they name.
func (w *bodyWriter) text(st *mysql.Statement, tokens []mysql.Token) filled {
	places := expressionNames(tokens)
	hoists := w.hoists(tokens)
	var out filled
	var b strings.Builder
	use := func(v string) {
		out.parts, out.vars = append(out.parts, b.String()), append(out.vars, v)
		b.Reset()
	}
	last := 0
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if i > 0 && t.From > last {
			b.WriteByte(' ')
		}
		last = t.To
		counter := ""
		switch {
		case t.Is("ROW_COUNT"):
			counter = w.rows
		case t.Is("FOUND_ROWS"):
			counter = w.found
		case t.Is("LAST_INSERT_ID") && i+2 < len(tokens) && tokens[i+2].Is(")"):
			counter = w.insertID(st)
		}
		column := w.rowColumn(tokens[i:])
		user, isUser := t.UserVariable()
		switch v := w.lookup(t.Text); {
		case counter != "" && i+2 < len(tokens) && tokens[i+1].Is("(") && tokens[i+2].Is(")"):
			use(counter)
			i += 2
			last = tokens[i].To
		case column != "":
			use(column)
			i += 2
			last = tokens[i].To
		case isUser:
			use(w.user("@" + user))
		case t.Kind == mysql.Mark || t.Kind == mysql.Named:
			use(w.given(t))
		case v != "" && slices.Contains(places, i):
			use(v)
		case w.of.function(tokens, i) != nil:
			end := closing(tokens, i+1)
			f, ok := w.called(st, w.of.function(tokens, i), tokens[i+2:end], hoists)
			if !ok {
				b.WriteString(st.Src.Text[t.From:t.To])
				break
			}
			for k, part := range f.parts {
				if k > 0 {
					use(f.vars[k-1])
				}
				b.WriteString(part)
			}
			i, last = end, tokens[end].To
		default:
			b.WriteString(st.Src.Text[t.From:t.To])
		}
	}
	out.parts = append(out.parts, b.String())
	if w.ended {
		w.late = append(w.late, out.vars...)
	}
	if w.inside {
		w.across(st.Pos(), out.vars...)
	}
	return out
}

// across tells of variables with what was read outside of the transaction that uses them.
func (w *bodyWriter) across(pos ir.Pos, vars ...string) {
	for _, v := range vars {
		if read, known := w.outside[v]; known && !w.gone {
			w.of.note(pos, "what %s holds is read at %s, outside of this transaction: it may have changed meanwhile, at every isolation level. Any value is assumed here; "+
				"read it in this transaction, with FOR UPDATE", v, read)
		}
	}
}

// given gives the input for a parameter of a script: ? or :name.
func (w *bodyWriter) given(t mysql.Token) string {
	name := strings.TrimPrefix(t.Text, ":")
	if t.Kind == mysql.Mark {
		if name = w.marks[t.From]; name == "" {
			name = "p" + strconv.Itoa(len(w.marks)+1)
			w.marks[t.From] = name
		}
	}
	return w.user(":" + name)
}

// query makes a query. An expression of a body is sent as DO, which sees and locks what the server does for it.
func (w *bodyWriter) query(st *mysql.Statement, text filled, expression bool) *client.Query {
	q := &client.Query{At: w.at(st), Inner: expression, Command: &client.Command{Text: slices.Clone(text.parts)}}
	for i, v := range text.vars {
		q.SQL += text.parts[i] + ":" + v
		q.Command.Args = append(q.Command.Args, client.V(v))
		if !slices.Contains(text.vars[:i], v) {
			q.Named = append(q.Named, client.Arg{Name: v, Expr: client.V(v)})
		}
	}
	q.SQL += text.parts[len(text.vars)]
	if expression {
		word := "DO "
		if w.plainly {
			q.Inner, word = false, "SELECT "
		}
		q.SQL, q.Command.Text[0] = "SELECT "+q.SQL, word+q.Command.Text[0]
	}
	return q
}

// onTables reports whether tokens of an expression or query look at tables themselves.
func onTables(tokens []mysql.Token) bool {
	return slices.ContainsFunc(tokens, func(t mysql.Token) bool { return t.Is("FROM", "TABLE") })
}

// onTables reports whether tokens of an expression or query look at tables, or call functions that do.
func (s *Scripts) onTables(tokens []mysql.Token) bool {
	return onTables(tokens) || s.callsTables(tokens)
}

// onRows reports whether a statement may read or write rows of tables.
func (s *Scripts) onRows(st *mysql.Statement) bool {
	return s.onTables(st.Tokens) || st.Tokens[0].Is("INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "(") || st.Tokens[0].Is(unmodelled...) && !st.First("START", "TRANSACTION")
}

// set writes an assignment to a variable.
func (w *bodyWriter) set(st *mysql.Statement, v string, tokens []mysql.Token) {
	at := w.at(st)
	if e := w.plain(tokens); e != nil && w.simpleFits(v, e) {
		w.add(&client.Assign{At: at, Var: v, Expr: e})
		return
	}
	text := w.text(st, tokens)
	q := w.query(st, text, true)
	q.Into = []string{v}
	w.send(st, q, w.of.onTables(tokens))
	for _, used := range text.vars {
		if read, known := w.outside[used]; known {
			w.outside[v] = read
		}
	}
}

// plain gives the value of tokens that are a constant or a variable, nil for others.
func (w *bodyWriter) plain(tokens []mysql.Token) client.Expr {
	negative := len(tokens) == 2 && tokens[0].Is("-")
	if negative {
		tokens = tokens[1:]
	}
	if len(tokens) != 1 {
		return nil
	}
	t := tokens[0]
	n, err := strconv.ParseInt(t.Text, 10, 64)
	switch {
	case t.Kind == mysql.Number && err == nil && negative:
		return client.C(ir.Int(-n))
	case t.Kind == mysql.Number && err == nil:
		return client.C(ir.Int(n))
	case negative:
	case t.Is("TRUE"):
		return client.C(ir.Int(1))
	case t.Is("FALSE"):
		return client.C(ir.Int(0))
	case t.Is("NULL"):
		return client.C(ir.Null)
	case t.Kind == mysql.Named && !strings.HasPrefix(t.Text, "@@"), t.Kind == mysql.Mark:
		if _, is := t.UserVariable(); !is {
			return client.V(w.given(t))
		}
	case t.IsName():
		if v := w.lookup(t.Text); v != "" {
			if w.ended {
				w.late = append(w.late, v)
			}
			if w.inside {
				w.across(w.proc.st.Src.Pos(t.From), v)
			}
			return client.V(v)
		}
	}
	return nil
}

// simpleFits reports whether a value needs no conversion of SQL to go into a variable.
func (w *bodyWriter) simpleFits(v string, e client.Expr) bool {
	if o, ok := e.(*client.VarExpr); ok {
		return w.types[o.Name] == w.types[v] || w.types[o.Name] == "" && !slices.Contains(w.mayBeSet(w.proc.body), o.Name)
	}
	c := e.(*client.Const)
	return c.Value.IsNull() || w.types[v] == ""
}

// cond writes a condition, which is true where it is neither false nor NULL. With a subject it compares that.
func (w *bodyWriter) cond(st *mysql.Statement, subject, tokens []mysql.Token) client.Expr {
	if subject == nil {
		if e := w.comparison(tokens); e != nil {
			return e
		}
	}
	cond := w.text(st, tokens)
	if subject != nil {
		cond = literally("(").plus(w.text(st, subject)).plus(literally(") = (")).plus(cond).plus(literally(")"))
	}
	q := w.query(st, literally("CASE WHEN ").plus(cond).plus(literally(" THEN 1 ELSE 0 END")), true)
	v := w.temporary("holds", client.Int)
	q.Into = []string{v}
	w.send(st, q, w.of.onTables(tokens) || w.of.onTables(subject))
	return &client.Op{Op: "==", Args: []client.Expr{client.V(v), client.C(ir.Int(1))}}
}

// temporary makes a variable that has no name in the body.
func (w *bodyWriter) temporary(base string, k client.Kind) string {
	v := w.unique(base)
	w.txn.Vars = append(w.txn.Vars, client.Var{Name: v, Kind: k})
	return v
}

// send writes a query. Outside of the transaction one on tables gives any values.
func (w *bodyWriter) send(st *mysql.Statement, q *client.Query, tables bool) {
	if tables {
		w.commands++
		w.step(st.Pos(), st.Src.Pos(st.Tokens[len(st.Tokens)-1].To))
	}
	for _, v := range q.Into {
		if delete(w.outside, v); !w.inside && tables {
			w.outside[v] = st.Pos()
		}
	}
	switch {
	case w.inside || !tables:
		w.add(q)
		return
	case w.separate():
		w.outsideLock(st)
		w.alone(q)
	}
	for _, v := range q.Into {
		if v != "" {
			w.add(&client.Havoc{At: w.at(st), Var: v})
		}
	}
	for _, v := range []string{q.Found, q.Count} {
		if v != "" {
			w.add(&client.Havoc{At: w.at(st), Var: v})
		}
	}
}

// alone makes a transaction of a statement outside of all transactions. Its variables have any values.
func (w *bodyWriter) alone(q *client.Query) {
	if w.manual {
		w.apart = append(w.apart, &client.Txn{Pos: q.Pos, Levels: []string{w.level}, Body: []client.Stmt{
			&client.Unknown{At: q.At, Reason: "a statement that begins a transaction, since autocommit is off"}}})
		return
	}
	for _, a := range q.Named {
		if !slices.Contains(q.Into, a.Name) {
			w.across(q.Pos, a.Name)
		}
	}
	own := client.CloneQuery(q)
	t := &client.Txn{Pos: q.Pos, Levels: []string{w.level}, Auto: true, Body: []client.Stmt{own}}
	inputs := map[string]bool{}
	for _, a := range own.Named {
		inputs[a.Name] = true
	}
	own.Count, own.Found = "", ""
	for _, v := range w.txn.Vars {
		if v.Input = inputs[v.Name]; v.Input || slices.Contains(own.Into, v.Name) {
			t.Vars = append(t.Vars, v)
		}
	}
	if len(own.Into) > 0 {
		show := &client.Emit{At: client.At{Pos: q.Pos}}
		for _, v := range own.Into {
			show.Exprs = append(show.Exprs, client.V(v))
		}
		t.Body = append(t.Body, show)
	}
	w.apart = append(w.apart, t)
}

// comparison gives a condition on integers that compares variables and constants, nil for another one.
func (w *bodyWriter) comparison(tokens []mysql.Token) client.Expr {
	for len(tokens) > 2 && tokens[0].Is("(") && closes(tokens) {
		tokens = tokens[1 : len(tokens)-1]
	}
	op := slices.IndexFunc(tokens, func(t mysql.Token) bool { return t.Is("=", "<", ">", "!", "IS") })
	switch {
	case op == 0 || len(tokens) > 0 && tokens[0].Is("NOT"):
		if e := w.integer(tokens[1:]); e != nil && tokens[0].Is("NOT", "!") {
			return &client.Op{Op: "==", Args: []client.Expr{e, client.C(ir.Int(0))}}
		}
		return nil
	case op < 0:
		if e := w.integer(tokens); e != nil {
			return &client.Op{Op: "!=", Args: []client.Expr{e, client.C(ir.Int(0))}}
		}
		return nil
	}
	end := op + 1
	for end < len(tokens) && tokens[end].Is("=", "<", ">", "NOT") {
		end++
	}
	left, right := w.integer(tokens[:op]), w.integer(tokens[end:])
	words := make([]string, 0, end-op)
	for _, t := range tokens[op:end] {
		words = append(words, strings.ToUpper(t.Text))
	}
	if left != nil && len(tokens) == end+1 && tokens[end].Is("NULL") {
		isNull := &client.Op{Op: "null", Args: []client.Expr{left}}
		switch strings.Join(words, " ") {
		case "IS":
			return isNull
		case "IS NOT":
			return client.Not(isNull)
		}
		return nil
	}
	sign, known := comparisonSigns[strings.Join(words, "")]
	if !known || left == nil || right == nil {
		return nil
	}
	return &client.Op{Op: sign, Args: []client.Expr{left, right}}
}

// comparisonSigns are the comparisons that client programs have, by those of SQL.
var comparisonSigns = map[string]string{"=": "==", "<>": "!=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

// closes reports whether the first parenthesis is closed by the last token.
func closes(tokens []mysql.Token) bool {
	depth := 0
	for i, t := range tokens {
		if t.Is("(") {
			depth++
		} else if t.Is(")") {
			depth--
		}
		if depth == 0 {
			return i == len(tokens)-1
		}
	}
	return false
}

// integer gives an integer constant, a variable of integers, or a counter of rows, nil for anything else.
func (w *bodyWriter) integer(tokens []mysql.Token) client.Expr {
	if len(tokens) == 3 && tokens[1].Is("(") && tokens[2].Is(")") {
		v := map[bool]string{tokens[0].Is("ROW_COUNT"): w.rows, tokens[0].Is("FOUND_ROWS"): w.found}[true]
		if v == "" {
			return nil
		}
		return client.V(v)
	}
	switch e := w.plain(tokens).(type) {
	case *client.VarExpr:
		if t := w.of.Schema.Type(w.types[e.Name]); t != nil && t.Format.Kind == ir.KindInt {
			return e
		}
	case *client.Const:
		if !e.Value.IsNull() {
			return e
		}
	default: // it is no constant and no variable
	}
	return nil
}
