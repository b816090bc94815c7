package mysqlscript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/mysql"
)

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

// rowColumn gives the variable that tokens begin with as row.column, "" if they do not.
func (w *bodyWriter) rowColumn(tokens []mysql.Token) string {
	if len(tokens) < 3 || !tokens[0].IsName() || !tokens[1].Is(".") || !tokens[2].IsName() {
		return ""
	}
	for i := len(w.scopes) - 1; i >= 0; i-- {
		if columns := w.scopes[i].rows[strings.ToLower(tokens[0].Text)]; columns != nil {
			return columns[strings.ToLower(tokens[2].Text)]
		}
		if w.scopes[i].routine {
			break
		}
	}
	return ""
}

// forRows writes FOR over rows.
func (w *bodyWriter) forRows(a *action) {
	query, text := &mysql.Statement{Src: a.st.Src, Tokens: a.cond}, filled{}
	if c := w.cursor(a.cond[0].Text); len(a.cond) == 1 && c != nil {
		query, text = c.query, c.text
	} else if len(a.cond) > 1 {
		text = w.text(query, a.cond)
	} else {
		w.unknown(a.st, "FOR over a cursor that is not declared here")
		return
	}
	if !w.inside {
		w.send(query, w.query(query, text, false), true)
	}
	columns := map[string]string{}
	s := &scope{rows: map[string]map[string]string{a.row: columns}}
	q := w.query(query, text, false)
	for i, t := range a.st.Tokens {
		if i+2 >= len(a.st.Tokens) || !t.IsName() || !strings.EqualFold(t.Text, a.row) || !a.st.Tokens[i+1].Is(".") {
			continue
		}
		column := strings.ToLower(a.st.Tokens[i+2].Text)
		if columns[column] == "" {
			columns[column] = w.declare(&scope{}, column, "", false)
			q.ByName = append(q.ByName, client.Arg{Name: column, Expr: client.V(columns[column])})
		}
	}
	w.scopes = append(w.scopes, s)
	if w.inside {
		w.over(a, q, func(*jump) { w.actions(a.body) })
	} else {
		w.loop(a, func(j *jump) { // the row is any, and the loop ends some time
			w.choose(a.st, w.anything(a.st), func() {}, func() { w.leave(j, a.st) })
			for _, v := range columns {
				w.add(&client.Havoc{At: w.at(a.st), Var: v})
			}
		})
	}
	w.scopes = w.scopes[:len(w.scopes)-1]
}
