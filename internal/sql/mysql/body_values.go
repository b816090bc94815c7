package mysql

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// text writes tokens of a statement with :name for each variable, and gives the variables.
func (w *bodyWriter) text(st *statement, tokens []token) (sql string, used []string) {
	places := expressionNames(tokens)
	var b strings.Builder
	use := func(v string) {
		b.WriteString(":" + v)
		if !slices.Contains(used, v) {
			used = append(used, v)
		}
	}
	last := 0
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if i > 0 && t.from > last {
			b.WriteByte(' ')
		}
		last = t.to
		counter := ""
		switch {
		case t.is("ROW_COUNT"):
			counter = w.rows
		case t.is("FOUND_ROWS"):
			counter = w.found
		}
		user, isUser := t.userVariable()
		switch v := w.lookup(t.text); {
		case counter != "" && i+2 < len(tokens) && tokens[i+1].is("(") && tokens[i+2].is(")"):
			use(counter)
			i += 2
			last = tokens[i].to
		case isUser:
			use(w.user("@" + user))
		case t.kind == mark || t.kind == named:
			use(w.given(t))
		case v != "" && slices.Contains(places, i):
			use(v)
		default:
			b.WriteString(st.src.text[t.from:t.to])
		}
	}
	if w.ended {
		w.late = append(w.late, used...)
	}
	return b.String(), used
}

// given gives the input for a parameter of a script: ? or :name.
func (w *bodyWriter) given(t token) string {
	name := strings.TrimPrefix(t.text, ":")
	if t.kind == mark {
		if name = w.marks[t.from]; name == "" {
			name = "p" + itoa(len(w.marks)+1)
			w.marks[t.from] = name
		}
	}
	return w.user(":" + name)
}

// query makes a query of tokens behind lead and before end.
func (w *bodyWriter) query(st *statement, lead string, tokens []token, end string) *client.Query {
	sql, used := w.text(st, tokens)
	q := &client.Query{At: w.at(st), SQL: lead + sql + end}
	for _, v := range used {
		q.Named = append(q.Named, client.Arg{Name: v, Expr: client.V(v)})
	}
	return q
}

// onTables reports whether tokens of an expression or query look at tables.
func onTables(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return t.is("FROM", "TABLE") })
}

// set writes an assignment to a variable.
func (w *bodyWriter) set(st *statement, v string, tokens []token) {
	at := w.at(st)
	if e := w.plain(tokens); e != nil && w.simpleFits(v, e) {
		w.add(&client.Assign{At: at, Var: v, Expr: e})
		return
	}
	q := w.query(st, "SELECT ", tokens, "")
	q.Into, q.Inner = []string{v}, true
	w.send(st, q, onTables(tokens))
}

// plain gives the value of tokens that are a constant or a variable, nil for others.
func (w *bodyWriter) plain(tokens []token) client.Expr {
	negative := len(tokens) == 2 && tokens[0].is("-")
	if negative {
		tokens = tokens[1:]
	}
	if len(tokens) != 1 {
		return nil
	}
	t := tokens[0]
	n, err := strconv.ParseInt(t.text, 10, 64)
	switch {
	case t.kind == number && err == nil && negative:
		return client.C(ir.Int(-n))
	case t.kind == number && err == nil:
		return client.C(ir.Int(n))
	case negative:
	case t.is("TRUE"):
		return client.C(ir.Int(1))
	case t.is("FALSE"):
		return client.C(ir.Int(0))
	case t.is("NULL"):
		return client.C(ir.Null)
	case t.kind == named && !strings.HasPrefix(t.text, "@@"), t.kind == mark:
		if _, is := t.userVariable(); !is {
			return client.V(w.given(t))
		}
	case t.isName():
		if v := w.lookup(t.text); v != "" {
			if w.ended {
				w.late = append(w.late, v)
			}
			return client.V(v)
		}
	}
	return nil
}

// simpleFits reports whether a value needs no conversion of SQL to go into a variable.
func (w *bodyWriter) simpleFits(v string, e client.Expr) bool {
	if o, ok := e.(*client.VarExpr); ok {
		return w.typeOf(o.Name) == w.typeOf(v)
	}
	c := e.(*client.Const)
	return c.Value.IsNull() || w.typeOf(v) == ""
}

// cond writes a condition, which is true where it is neither false nor NULL. With a subject it compares that.
func (w *bodyWriter) cond(st *statement, subject, tokens []token) client.Expr {
	if subject == nil {
		if e := w.comparison(tokens); e != nil {
			return e
		}
	}
	q := w.query(st, "SELECT CASE WHEN ", tokens, " THEN 1 ELSE 0 END")
	if subject != nil {
		s, used := w.text(st, subject)
		value, more := w.text(st, tokens)
		q.SQL, q.Named = "SELECT CASE WHEN ("+s+") = ("+value+") THEN 1 ELSE 0 END", nil
		for _, v := range uniqueNames(append(used, more...)) {
			q.Named = append(q.Named, client.Arg{Name: v, Expr: client.V(v)})
		}
	}
	v := w.temporary("holds", client.Int)
	q.Into, q.Inner = []string{v}, true
	w.send(st, q, onTables(tokens) || onTables(subject))
	return &client.Op{Op: "==", Args: []client.Expr{client.V(v), client.C(ir.Int(1))}}
}

// temporary makes a variable that has no name in the body.
func (w *bodyWriter) temporary(base string, k client.Kind) string {
	v := base
	for n := 2; w.taken[v]; n++ {
		v = base + "_" + itoa(n)
	}
	w.taken[v] = true
	w.txn.Vars = append(w.txn.Vars, client.Var{Name: v, Kind: k})
	return v
}

// send writes a query. Outside of the transaction one on tables gives any values.
func (w *bodyWriter) send(st *statement, q *client.Query, tables bool) {
	if tables {
		w.commands++
	}
	switch {
	case w.inside || !tables:
		w.add(q)
		return
	case w.start == nil && !w.other && !w.gone:
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
func (w *bodyWriter) comparison(tokens []token) client.Expr {
	for len(tokens) > 2 && tokens[0].is("(") && closes(tokens) {
		tokens = tokens[1 : len(tokens)-1]
	}
	op := slices.IndexFunc(tokens, func(t token) bool { return t.is("=", "<", ">", "!", "IS") })
	switch {
	case op == 0 || len(tokens) > 0 && tokens[0].is("NOT"):
		if e := w.integer(tokens[1:]); e != nil && tokens[0].is("NOT", "!") {
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
	for end < len(tokens) && tokens[end].is("=", "<", ">", "NOT") {
		end++
	}
	left, right := w.integer(tokens[:op]), w.integer(tokens[end:])
	words := make([]string, 0, end-op)
	for _, t := range tokens[op:end] {
		words = append(words, strings.ToUpper(t.text))
	}
	if tokens[len(tokens)-1].is("NULL") && left != nil {
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
func closes(tokens []token) bool {
	depth := 0
	for i, t := range tokens {
		if t.is("(") {
			depth++
		} else if t.is(")") {
			depth--
		}
		if depth == 0 {
			return i == len(tokens)-1
		}
	}
	return false
}

// integer gives an integer constant, a variable of integers, or a counter of rows, nil for anything else.
func (w *bodyWriter) integer(tokens []token) client.Expr {
	if len(tokens) == 3 && tokens[1].is("(") && tokens[2].is(")") {
		v := map[bool]string{tokens[0].is("ROW_COUNT"): w.rows, tokens[0].is("FOUND_ROWS"): w.found}[true]
		if v == "" {
			return nil
		}
		return client.V(v)
	}
	switch e := w.plain(tokens).(type) {
	case *client.VarExpr:
		if t := w.of.Schema.Type(w.typeOf(e.Name)); t != nil && t.Format.Kind == ir.KindInt {
			return e
		}
	case *client.Const:
		if !e.Value.IsNull() {
			return e
		}
	}
	return nil
}
