package mysqlscript

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/mysql"
)

// Cursors are read in loops of three forms, which do something for each row of their query:
//
//	LOOP FETCH c INTO …; IF done THEN LEAVE …; END IF; … END LOOP
//	REPEAT FETCH c INTO …; IF NOT done THEN … END IF; UNTIL done END REPEAT
//	FETCH c INTO …; WHILE NOT done DO …; FETCH c INTO …; END WHILE
//
// where a handler for NOT FOUND sets done. Others are not modelled.

// openCursor is a cursor of a block.
type openCursor struct {
	query *mysql.Statement
	// open says that it was opened last, and nothing was done since then that the query may look at.
	open bool
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

// onCursor writes OPEN, FETCH and CLOSE.
func (w *bodyWriter) onCursor(st *mysql.Statement) {
	if st.First("FETCH") {
		w.unknown(st, "FETCH in another loop than one over all rows of its cursor")
		return
	}
	if c := w.cursor(st.Tokens[len(st.Tokens)-1].Text); c != nil {
		c.open = st.First("OPEN")
	}
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

// cursorLoop writes a loop of the first two forms. It reports whether a is one.
func (w *bodyWriter) cursorLoop(a *action) bool {
	if len(a.body) < 2 || a.kind == while {
		return false
	}
	c, into := w.fetched(a.body[0])
	values := w.doneValues()
	check := a.body[1]
	if c == nil || !c.open || values == nil || check.kind != branch || check.subject != nil {
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
		w.rowsOf(a, c, into, func(*jump) { w.actions(a.body[1:]) })
		return true
	case a.kind == repeat && !truth && len(check.arms) == 1 && len(a.body) == 2:
		if end, ok := truthOf(a.cond, values); ok && end {
			w.rowsOf(a, c, into, func(j *jump) {
				w.actions(a.body[1:])
				w.choose(a.st, w.cond(a.st, nil, a.cond), func() { w.leave(j, a.st) }, func() {})
			})
			return true
		}
	}
	return false
}

// fetchLoop writes a loop of the third form, with the FETCH before it. It gives how many statements these are, 0 for none.
func (w *bodyWriter) fetchLoop(list []*action) int {
	if len(list) < 2 || list[1].kind != while {
		return 0
	}
	c, into := w.fetched(list[0])
	values := w.doneValues()
	a := list[1]
	if c == nil || !c.open || values == nil || len(a.body) == 0 {
		return 0
	}
	again, intoAgain := w.fetched(a.body[len(a.body)-1])
	goes, known := truthOf(a.cond, values)
	iterates := false // past the FETCH at the end
	a.each(func(s *action) {
		iterates = iterates || s.kind == simple && s.st.First("ITERATE") && strings.EqualFold(s.st.Tokens[len(s.st.Tokens)-1].Text, a.label)
	})
	if again != c || !slices.Equal(into, intoAgain) || !known || goes || iterates {
		return 0
	}
	w.rowsOf(a, c, into, func(j *jump) {
		w.choose(a.st, w.cond(a.st, nil, a.cond), func() {}, func() { w.leave(j, a.st) })
		w.actions(a.body[:len(a.body)-1])
	})
	return 2
}

// rowsOf writes a loop over the rows of a cursor: what round writes behind each FETCH that finds one. A round may come to its end at once, since
// a statement of the one before may have found nothing as well.
func (w *bodyWriter) rowsOf(a *action, c *openCursor, into []string, round func(j *jump)) {
	c.open = false
	st := a.st
	q := w.query(c.query, w.text(c.query, c.query.Tokens), false)
	q.Pos = c.query.Pos()
	if !w.inside {
		w.send(c.query, q, true)
		w.unknown(st, "a loop over a cursor that begins outside of the transaction")
		if w.start != nil && a.holds(w.start) {
			w.inside = true
			w.unknown(st, "a transaction for each row of a cursor that is read outside of it")
			w.inside = false
		}
		w.loop(&action{kind: endless, label: a.label, st: st, body: a.body[1:]})
		return
	}
	w.commands++
	w.risk(st)
	q.Into = into
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
		w.counted(st, -1)
		w.raised(st, noRow...)
	})
	was := w.gone
	w.gone = before.gone
	w.add(&client.Block{At: w.at(st), Label: j.label, Body: end})
	w.gone = was
	w.close(j, st)
}
