package mysqlscript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/mysql"
)

// Some statements set variables in their expressions: SELECT @v := x, UPDATE … SET c = @v := c + 1, and UPDATE … SET c = LAST_INSERT_ID(c + 1), the
// counter of the manual. They are written as statements that give these values back. Of several rows the last one counts, whose order nothing
// says: then the statement is not modelled.

// setting is a statement without the assignments in it, and the variables for the columns that it gives.
type setting struct {
	tokens []mysql.Token
	// returning are the columns of an UPDATE that it gives; a SELECT gives its own.
	returning []string
	into      []string
}

// settings takes the assignments out of a statement. ok is false where one stands in another place than those that are known.
func (w *bodyWriter) settings(st *mysql.Statement) (s setting, ok bool) {
	switch {
	case st.First("SELECT"):
		s, ok = w.selected(st)
	case st.First("UPDATE"):
		s, ok = w.updated(st)
	}
	rest := &mysql.Statement{Src: st.Src, Tokens: s.tokens}
	return s, ok && assigns(rest) < 0 && countsUp(s.tokens) < 0
}

// selected takes @v := out of the columns of a SELECT.
func (w *bodyWriter) selected(st *mysql.Statement) (s setting, ok bool) {
	end := topWord(st.Tokens, 1, "FROM")
	s.tokens = append(s.tokens, st.Tokens[0])
	for n, part := range mysql.CommaParts(st.Tokens[1:end]) {
		if n > 0 {
			s.tokens = append(s.tokens, mysql.Token{Kind: mysql.Punct, Text: ",", From: part[0].From, To: part[0].From})
		}
		v := ""
		if len(part) > 3 && assigns(&mysql.Statement{Src: st.Src, Tokens: part}) == 0 {
			v = w.named(part[0])
			part = part[3:]
		} else if slices.ContainsFunc(part, func(t mysql.Token) bool { return t.Is("*", "DISTINCT") }) && len(part) <= 3 {
			return s, false
		}
		s.into = append(s.into, v)
		s.tokens = append(s.tokens, part...)
	}
	s.tokens = append(s.tokens, st.Tokens[end:]...)
	return s, !st.Has("INTO", "UNION", "GROUP", "DISTINCT")
}

// updated takes @v := and LAST_INSERT_ID(…) out of the values of an UPDATE of one table.
func (w *bodyWriter) updated(st *mysql.Statement) (s setting, ok bool) {
	from := topWord(st.Tokens, 1, "SET") + 1
	end := topWord(st.Tokens, from, "WHERE", "ORDER", "LIMIT")
	if from > 4 || from >= len(st.Tokens) {
		return s, false
	}
	s.tokens = append(s.tokens, st.Tokens[:from]...)
	for n, part := range mysql.CommaParts(st.Tokens[from:end]) {
		if n > 0 {
			s.tokens = append(s.tokens, mysql.Token{Kind: mysql.Punct, Text: ",", From: part[0].From, To: part[0].From})
		}
		if len(part) < 3 || !part[0].IsName() || !part[1].Is("=") {
			return s, false
		}
		value := part[2:]
		v := ""
		switch {
		case len(value) > 3 && assigns(&mysql.Statement{Src: st.Src, Tokens: value}) == 0:
			v, value = w.named(value[0]), value[3:]
		case countsUp(value) == 0 && closing(value, 1) == len(value)-1:
			v, value = w.user(lastID), value[1:]
		}
		if v != "" {
			if !counts(part[0], value) {
				return s, false
			}
			s.into, s.returning = append(s.into, v), append(s.returning, st.Src.Text[part[0].From:part[0].To])
		}
		s.tokens = append(append(s.tokens, part[:2]...), value...)
	}
	s.tokens = append(s.tokens, st.Tokens[end:]...)
	return s, true
}

// setting writes a statement that sets variables in its expressions. It reports whether nothing is left to write: a value of LAST_INSERT_ID() that
// nobody may ask for needs no more than the statement.
func (w *bodyWriter) setting(st *mysql.Statement) bool {
	s, ok := w.settings(st)
	switch {
	case assigns(st) < 0 && !(ok && w.inside):
		w.keyed = true
		return false
	case !w.inside:
		w.unknown(st, "a statement that sets variables outside of the transaction")
		return true
	case !ok:
		w.unknown(st, "a variable that is set inside of an expression, in another place than those that are known")
		return true
	}
	text := w.text(st, s.tokens)
	sent := w.query(st, text, false) // the values of variables come with each statement
	if s.returning != nil {
		text = text.plus(literally(" RETURNING " + strings.Join(s.returning, ", ")))
	}
	q := w.query(st, text, false)
	q.Command, q.Into, q.Returned = sent.Command, s.into, s.returning == nil
	if !w.oneRow(st, s.tokens) || w.rows != "" && !q.Returned {
		q.Count = w.temporary("rows", client.Int)
	}
	w.risk(st)
	w.send(st, q, true)
	if !w.oneRow(st, s.tokens) {
		several := &client.Op{Op: ">", Args: []client.Expr{client.V(q.Count), client.C(ir.Int(1))}}
		w.choose(st, several, func() {
			w.add(&client.Unknown{At: w.at(st), ReadOnly: st.First("SELECT"), Reason: "a variable that is set by several rows, of which the last one counts"})
		}, func() {})
	}
	switch {
	case q.Returned:
		w.counted(st, -1)
	case w.rows != "":
		w.add(&client.Assign{At: w.at(st), Var: w.rows, Expr: client.V(q.Count)})
	}
	return true
}

// oneRow reports whether a SELECT or UPDATE of one table is certainly about one row at most.
func (w *bodyWriter) oneRow(st *mysql.Statement, tokens []mysql.Token) bool {
	at := 0
	if st.First("SELECT") {
		at = topWord(tokens, 1, "FROM")
		if at == len(tokens) || aggregates(tokens[:at]) && topWord(tokens, at, "GROUP") == len(tokens) {
			return true
		}
	}
	where := topWord(tokens, at, "WHERE")
	end := topWord(tokens, where, "ORDER", "LIMIT", "FOR", "LOCK", "GROUP", "HAVING", "UNION")
	if end+1 < len(tokens) && tokens[end].Is("ORDER", "LIMIT") {
		if limit := topWord(tokens, end, "LIMIT"); limit+1 < len(tokens) && tokens[limit+1].Text == "1" && (limit+2 == len(tokens) || !tokens[limit+2].Is(",")) {
			return true
		}
	}
	if where-at < 2 || where == len(tokens) || where-at > 2 && !st.First("UPDATE") && (where-at > 4 || !tokens[where-1].IsName()) {
		return false
	}
	places := expressionNames(tokens)
	return w.of.Schema.Fixed(tokens[at+1].Text, tokens[where+1:end], func(value []mysql.Token) bool {
		return !slices.ContainsFunc(value, func(t mysql.Token) bool {
			k := slices.Index(tokens, t)
			if k+1 < len(tokens) && tokens[k+1].Is("(") && mysql.TouchesNothing(strings.ToLower(t.Text)) && !t.Is("RAND", "UUID", "UUID_SHORT") {
				return false
			}
			return t.Is("SELECT") || t.IsName() && (w.lookup(t.Text) == "" || !slices.Contains(places, k))
		})
	})
}

// inserted is told of an INSERT: its key of AUTO_INCREMENT is LAST_INSERT_ID() then.
func (w *bodyWriter) inserted(st *mysql.Statement) {
	if !w.setsID || !st.Tokens[0].Is("INSERT", "REPLACE") {
		return
	}
	w.keyed = w.keyed || slices.ContainsFunc(st.Tokens, func(t mysql.Token) bool { return t.IsName() && w.of.Schema.Counts(t.Text) })
}

// insertID gives the variable with LAST_INSERT_ID(), "" where the transaction does not set it by hand.
func (w *bodyWriter) insertID(st *mysql.Statement) string {
	if !w.setsID {
		return ""
	}
	if w.keyed || slices.ContainsFunc(w.jumps, func(j *jump) bool { return j.loop }) {
		w.unknown(st, "LAST_INSERT_ID() that may be one that the transaction sets or a key of AUTO_INCREMENT")
	}
	return w.user(lastID)
}

// lastID is the name of the variable with LAST_INSERT_ID(), which no variable of the user has.
const lastID = "@last insert id"

// EXECUTE is written as the statement that its PREPARE names, where that is one constant text: it stands in PREPARE, in EXECUTE IMMEDIATE, or
// in the only SET of the variable that PREPARE names. Names in the text are never those of variables of the body.

// execute writes EXECUTE.
func (w *bodyWriter) execute(st *mysql.Statement) {
	at := topWord(st.Tokens, 1, "USING")
	text, ok := "", false
	switch {
	case st.First("EXECUTE", "IMMEDIATE"):
		text, ok = w.constantText(st.Tokens[2:at])
	case at == 2:
		text, ok = w.preparedText(st.Tokens[1].Text)
	}
	made, one := st.Made(text)
	if !ok || !one || !mysql.DML(made) || made.Tokens[0].Is("CALL", "DO", "LOAD", "HANDLER", "EXECUTE", "PREPARE", "TABLE") || !made.Readable() {
		w.unknown(st, "EXECUTE of a text that is not known here, or is more than a statement on rows")
		return
	}
	var values [][]mysql.Token
	if at < len(st.Tokens) {
		values = mysql.CommaParts(st.Tokens[at+1:])
	}
	for i, t := range made.Tokens {
		if t.Kind != mysql.Mark {
			continue
		}
		if len(values) == 0 {
			w.unknown(st, "EXECUTE with fewer values than its text has marks")
			return
		}
		value := values[0]
		values = values[1:]
		if _, is := value[0].UserVariable(); !is || len(value) > 1 {
			w.used++
			name := fmt.Sprintf("@using %d", w.used)
			w.set(st, w.user(name), value)
			value = []mysql.Token{{Kind: mysql.Named, Text: name}}
		}
		made.Tokens[i] = mysql.Token{Kind: mysql.Named, Text: value[0].Text, From: t.From, To: t.To}
	}
	if len(values) > 0 {
		w.unknown(st, "EXECUTE with more values than its text has marks")
		return
	}
	w.scopes = append(w.scopes, &scope{routine: true})
	w.command(made)
	w.scopes = w.scopes[:len(w.scopes)-1]
}

// preparedText gives the text that all statements PREPARE of the application give a name, if they give it the same.
func (w *bodyWriter) preparedText(name string) (text string, ok bool) {
	first := true
	for _, p := range w.around() {
		p.body.each(func(a *action) {
			if a.kind != simple || !a.st.First("PREPARE") || len(a.st.Tokens) < 4 || !strings.EqualFold(a.st.Tokens[1].Text, name) {
				return
			}
			t, constant := w.constantText(a.st.Tokens[3:])
			ok = constant && (first || ok && t == text)
			text, first = t, false
		})
	}
	return text, ok
}

// around are the routine that is written and, if it calls others, all of them.
func (w *bodyWriter) around() []*routine {
	out := []*routine{w.proc}
	if w.proc.st.Has("CALL") {
		for _, key := range w.of.order {
			if p := w.of.routines[key]; p != nil && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// constantText gives the value of tokens that are a constant, or a variable of the user that one statement sets to one.
func (w *bodyWriter) constantText(tokens []mysql.Token) (text string, ok bool) {
	if len(tokens) != 1 {
		return "", false
	}
	if tokens[0].Kind == mysql.Text {
		return mysql.Unquote(tokens[0].Text)
	}
	name, is := tokens[0].UserVariable()
	if !is {
		return "", false
	}
	count := 0
	for _, p := range w.around() {
		for i, t := range p.st.Tokens {
			if n, is := t.UserVariable(); !is || n != name || i < 1 || p.st.Tokens[i-1].Is("FROM", "IMMEDIATE") {
				continue
			}
			count++
			if rest := p.st.Tokens[i+1:]; p.st.Tokens[i-1].Is("SET") && len(rest) > 2 && rest[0].Is("=") && rest[1].Kind == mysql.Text && rest[2].Is(";") {
				text, ok = mysql.Unquote(rest[1].Text)
			}
		}
	}
	return text, ok && count == 1
}

// countsUp reports whether a routine, or one that it calls, sets LAST_INSERT_ID() by hand.
func (s *Scripts) countsUp(p *routine) bool {
	w := &bodyWriter{of: s, proc: p}
	return slices.ContainsFunc(w.around(), func(p *routine) bool { return countsUp(p.st.Tokens) >= 0 })
}

// A handler for error 1062 (a row with the same key is there) may go on with the transaction: InnoDB takes back the statement alone, and keeps the lock
// on the row that it met. So an INSERT of one row before such a handler does nothing where it meets a row, and the handler follows.

// duplicateKey is the error that a row with the same key is there.
const duplicateKey = "1062"

// meets reports whether the INSERT of a row is followed by a handler for another row with the same key.
func (w *bodyWriter) meets(st *mysql.Statement) bool {
	h := w.handlerOf(duplicateKey, "23000", exception)
	return w.inside && h != nil && slices.Contains(h.conditions, duplicateKey) && w.insertsOne(st)
}

// insertsOne reports whether a statement is an INSERT of one row into a table without triggers, which has no other meaning for a row that it meets.
func (w *bodyWriter) insertsOne(st *mysql.Statement) bool {
	if !st.First("INSERT") || st.Has("IGNORE", "DUPLICATE", "SELECT", "RETURNING") {
		return false
	}
	c := &mysql.Cursor{St: st, I: 1}
	c.Accept("INTO")
	if !c.Peek().IsName() || w.of.Schema.Fires(c.TableName()) {
		return false
	}
	at := topWord(st.Tokens, 1, "VALUES", "VALUE", "SET")
	return at+1 < len(st.Tokens) && (st.Tokens[at].Is("SET") || closing(st.Tokens, at+1) == len(st.Tokens)-1)
}

// meetsNothing reports whether a statement cannot meet a row with the same key, or is an INSERT whose handler is written behind it.
func (w *bodyWriter) meetsNothing(st *mysql.Statement) bool {
	switch {
	case st.First("SELECT"), w.meets(st):
		return true
	case st.First("DELETE"), st.First("UPDATE"):
		c := &mysql.Cursor{St: st, I: 1}
		c.Accept("FROM")
		if !c.Peek().IsName() {
			return false
		}
		table := c.TableName()
		if w.of.Schema.Fires(table) || len(w.of.calls(st.Tokens)) > 0 {
			return false
		}
		if st.First("DELETE") {
			return true
		}
		end := topWord(st.Tokens, c.I, "WHERE", "ORDER", "LIMIT")
		if !c.Accept("SET") {
			return false
		}
		return !slices.ContainsFunc(mysql.CommaParts(st.Tokens[c.I:end]), func(part []mysql.Token) bool {
			return len(part) < 3 || !part[1].Is("=") || w.of.Schema.InKey(table, part[0].Text)
		})
	}
	return false
}

// met writes what follows an INSERT that may have met a row.
func (w *bodyWriter) met(st *mysql.Statement, q *client.Query) {
	q.Command.Text[0] = "INSERT IGNORE" + q.Command.Text[0][len("INSERT"):]
	last := len(q.Command.Text) - 1
	q.Command.Text[last] = strings.TrimSuffix(q.Command.Text[last], mysql.OnDuplicate)
	one := &client.Op{Op: "==", Args: []client.Expr{client.V(q.Count), client.C(ir.Int(1))}}
	w.choose(st, one, func() {}, func() {
		w.counted(st, -1)
		w.raised(st, duplicateKey, "23000", exception)
	})
}
