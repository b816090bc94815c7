package mysqlscript

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/mysql"
)

// The query of a cursor runs at OPEN. So the statement that reads it must follow OPEN in the same list, with nothing between them that the
// query may notice. It is a FETCH, or a loop of three forms, which does something for each row:
//
//	LOOP FETCH c INTO …; IF done THEN LEAVE …; END IF; … END LOOP
//	REPEAT FETCH c INTO …; IF NOT done THEN … END IF; UNTIL done END REPEAT
//	FETCH c INTO …; WHILE NOT done DO …; FETCH c INTO …; END WHILE
//
// where a handler for NOT FOUND sets done. Others are not modelled.

// openCursor is a cursor of a block.
type openCursor struct {
	query *mysql.Statement
	// text is the query with the variables that it means where it is declared.
	text filled
}

// cursor gives the cursor of a name, nil if there is none.
func (w *bodyWriter) cursor(name string) *openCursor {
	for i := len(w.scopes) - 1; i >= 0; i-- {
		if c := w.scopes[i].cursors[strings.ToLower(name)]; c != nil {
			return c
		}
		if w.scopes[i].routine {
			break
		}
	}
	return nil
}

// onCursor writes OPEN, FETCH and CLOSE where opened does not.
func (w *bodyWriter) onCursor(st *mysql.Statement) {
	switch {
	case st.First("FETCH"):
		w.unknown(st, "FETCH in another place than right behind OPEN or in a loop over all rows of its cursor")
		if !w.inside { // it may have found no row
			w.choose(st, w.anything(st), func() {}, func() { w.raised(st, noRow...) })
		}
	case st.First("OPEN") && w.inside:
		w.unknown(st, "a cursor that is not read right behind OPEN")
	case st.First("OPEN"):
		if c := w.cursor(st.Tokens[len(st.Tokens)-1].Text); c != nil {
			w.send(c.query, w.rowsQuery(c), true)
		}
	}
}

// anything gives a condition that holds or does not.
func (w *bodyWriter) anything(st *mysql.Statement) client.Expr {
	v := w.temporary("happens", client.Bool)
	w.add(&client.Havoc{At: w.at(st), Var: v})
	return client.V(v)
}

// opened writes OPEN with the statements up to the one that reads the cursor. It gives how many statements these are, 0 if list does not begin so.
func (w *bodyWriter) opened(list []*action) int {
	if !w.inside || list[0].kind != simple || !list[0].st.First("OPEN") {
		return 0
	}
	c := w.cursor(list[0].st.Tokens[len(list[0].st.Tokens)-1].Text)
	n := 1
	for n < len(list) && c != nil && w.unnoticed(list[n], c) {
		n++
	}
	if c == nil || n == len(list) {
		return 0
	}
	between := func() { w.actions(list[1:n]) }
	switch found, into := w.fetched(list[n]); {
	case w.fetchLoop(list[n:], c, between):
		return n + 2
	case found == c && into != nil:
		between()
		w.fetchOne(list[n], c, into)
		return n + 1
	case w.cursorLoop(list[n], c, between):
		return n + 1
	}
	return 0
}

// unnoticed reports whether a statement does nothing that the query of a cursor may notice: it gives another variable a value.
func (w *bodyWriter) unnoticed(a *action, c *openCursor) bool {
	if a.kind != simple || !a.st.First("SET") {
		return false
	}
	for _, part := range mysql.CommaParts(a.st.Tokens[1:]) {
		name, _, ok := constantSet(part)
		if v := w.lookup(name); !ok || v == "" || slices.Contains(c.text.vars, v) {
			return false
		}
	}
	return true
}

// fetched reads FETCH c INTO a, b.
func (w *bodyWriter) fetched(a *action) (c *openCursor, into []string) {
	if a.kind != simple || !a.st.First("FETCH") {
		return nil, nil
	}
	i := slices.IndexFunc(a.st.Tokens, func(t mysql.Token) bool { return t.Is("INTO") })
	if i < 2 {
		return nil, nil
	}
	for _, part := range mysql.CommaParts(a.st.Tokens[i+1:]) {
		v := ""
		if len(part) == 1 {
			v = w.lookup(part[0].Text)
		}
		if v == "" {
			return nil, nil
		}
		into = append(into, v)
	}
	return w.cursor(a.st.Tokens[i-1].Text), into
}

// doneValues are what the handler for NOT FOUND sets, by variable; nil if it does more.
func (w *bodyWriter) doneValues() map[string]bool {
	h := w.handlerOf(noRow...)
	if h == nil || h.exit {
		return nil
	}
	values := map[string]bool{}
	a := h.declaration.handler
	for a.kind == compound && len(a.body) == 1 && len(a.declared) == 0 {
		a = a.body[0]
	}
	if a.kind != simple || !a.st.First("SET") {
		return nil
	}
	for _, part := range mysql.CommaParts(a.st.Tokens[1:]) {
		name, v, ok := constantSet(part)
		if !ok {
			return nil
		}
		values[name] = v
	}
	return values
}

// cursorLoop writes a loop of the first two forms over a cursor, behind what before writes. It reports whether a is one.
func (w *bodyWriter) cursorLoop(a *action, c *openCursor, before func()) bool {
	if len(a.body) < 2 || a.kind != endless && a.kind != repeat {
		return false
	}
	found, into := w.fetched(a.body[0])
	values := w.doneValues()
	check := a.body[1]
	if found != c || into == nil || values == nil || check.kind != branch || check.subject != nil {
		return false
	}
	truth, known := truthOf(check.arms[0].cond, values)
	leaves := func(list []*action) bool {
		return len(list) == 1 && list[0].kind == simple && list[0].st.First("LEAVE") && len(list[0].st.Tokens) == 2 && strings.EqualFold(list[0].st.Tokens[1].Text, a.label)
	}
	switch {
	case !known:
		return false
	case a.kind == endless && truth && leaves(check.arms[0].body) && len(check.arms) == 1:
		before()
		w.rowsOf(a, c, into, func(*jump) { w.actions(a.body[1:]) })
		return true
	case a.kind == repeat && !truth && len(check.arms) == 1 && len(a.body) == 2:
		if end, ok := truthOf(a.cond, values); ok && end {
			before()
			w.rowsOf(a, c, into, func(j *jump) {
				w.actions(a.body[1:])
				w.choose(a.st, w.cond(a.st, nil, a.cond), func() { w.leave(j, a.st) }, func() {})
			})
			return true
		}
	}
	return false
}

// fetchOne writes a FETCH of the first row of a cursor.
func (w *bodyWriter) fetchOne(a *action, c *openCursor, into []string) {
	w.rowsOf(&action{kind: endless, st: a.st}, c, into, func(j *jump) { w.leave(j, a.st) })
}

// fetchLoop writes a loop of the third form over a cursor, with the FETCH before it, behind what before writes. It reports whether list begins so.
func (w *bodyWriter) fetchLoop(list []*action, c *openCursor, before func()) bool {
	if len(list) < 2 || list[1].kind != while {
		return false
	}
	found, into := w.fetched(list[0])
	values := w.doneValues()
	a := list[1]
	if found != c || into == nil || values == nil || len(a.body) == 0 {
		return false
	}
	again, intoAgain := w.fetched(a.body[len(a.body)-1])
	goes, known := truthOf(a.cond, values)
	iterates := false // past the FETCH at the end
	a.each(func(s *action) {
		iterates = iterates || s.kind == simple && s.st.First("ITERATE") && strings.EqualFold(s.st.Tokens[len(s.st.Tokens)-1].Text, a.label)
	})
	if again != c || !slices.Equal(into, intoAgain) || !known || goes || iterates {
		return false
	}
	before()
	w.rowsOf(a, c, into, func(j *jump) {
		w.choose(a.st, w.cond(a.st, nil, a.cond), func() {}, func() { w.leave(j, a.st) })
		w.actions(a.body[:len(a.body)-1])
	})
	return true
}

// rowsQuery is the query of a cursor.
func (w *bodyWriter) rowsQuery(c *openCursor) *client.Query {
	if w.ended {
		w.late = append(w.late, c.text.vars...)
	}
	return w.query(c.query, c.text, false)
}

// rowsOf writes a loop over the rows of a cursor: what round writes behind each FETCH that finds one. A round may come to its end at once, since
// a statement of the one before may have found nothing as well.
func (w *bodyWriter) rowsOf(a *action, c *openCursor, into []string, round func(j *jump)) {
	q := w.rowsQuery(c)
	q.Into = into
	w.over(a, q, round)
}

// over writes a loop over the rows of a query.
func (w *bodyWriter) over(a *action, q *client.Query, round func(j *jump)) {
	st := a.st
	w.commands++
	w.step(st.Pos(), st.Pos())
	w.step(q.Pos, q.Pos)
	w.risk(st)
	j := w.jump(a)
	j.again = j.label + "_rows"
	before := w.flow
	rows := w.collect(func() {
		round(j)
	})
	again := w.flow
	w.flow = before
	if !again.gone && !before.gone && again.inside != before.inside {
		w.unknown(st, "a transaction that begins in one round of a loop and ends in another")
	}
	end := w.collect(func() { // where there is no row any more
		w.add(&client.ForRows{At: w.at(st), Label: j.again, Query: q, Body: rows})
		if a.kind == overRows { // it raises nothing, and leaves ROW_COUNT() as it is
			return
		}
		w.counted(st, -1)
		if !w.raised(st, noRow...) {
			w.lost(st)
		}
	})
	was := w.gone
	w.gone = before.gone
	w.add(&client.Block{At: w.at(st), Label: j.label, Body: end})
	w.gone = was
	w.close(j, st)
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
