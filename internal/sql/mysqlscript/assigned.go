package mysqlscript

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/ir"
)

// Some statements set variables in their expressions: SELECT @v := x, UPDATE … SET c = @v := c + 1, and UPDATE … SET c = LAST_INSERT_ID(c + 1), the
// counter of the manual. They are written as statements that give these values back. Of several rows the last one counts, whose order nothing
// says: then the statement is not modelled.

// assigns gives the place of the first @v := in a statement, -1 if it has none.
func assigns(st *mysql.Statement) int {
	if st.First("SET") {
		return -1
	}
	for i := 0; i+2 < len(st.Tokens); i++ {
		if _, is := st.Tokens[i].UserVariable(); is && st.Tokens[i+1].Is(":") && st.Tokens[i+2].Is("=") {
			return i
		}
	}
	return -1
}

// countsUp gives the place of the first LAST_INSERT_ID with an argument, -1 if there is none.
func countsUp(tokens []mysql.Token) int {
	for i := 0; i+2 < len(tokens); i++ {
		if tokens[i].Is("LAST_INSERT_ID") && tokens[i+1].Is("(") && !tokens[i+2].Is(")") {
			return i
		}
	}
	return -1
}

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

// counts reports whether a value is one that a column takes as it is: the column itself with whole numbers added.
func counts(column mysql.Token, value []mysql.Token) bool {
	return !slices.ContainsFunc(value, func(t mysql.Token) bool {
		whole := t.Kind == mysql.Number && !slices.ContainsFunc([]byte(t.Text), func(c byte) bool { return c < '0' || c > '9' })
		return !whole && !t.Is("(", ")", "+", "-") && !(t.IsName() && t.Text == column.Text)
	})
}

// topWord finds the first of some words from i on that stands in no parentheses, the end if there is none.
func topWord(tokens []mysql.Token, i int, words ...string) int {
	depth := 0
	for ; i < len(tokens); i++ {
		switch t := tokens[i]; {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case depth == 0 && t.Is(words...):
			return i
		}
	}
	return len(tokens)
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

// aggregates reports whether columns are computed of all rows.
func aggregates(columns []mysql.Token) bool {
	for i := 0; i+1 < len(columns); i++ {
		if columns[i].Is("COUNT", "SUM", "MIN", "MAX", "AVG") && columns[i+1].Is("(") {
			return !slices.ContainsFunc(columns, func(t mysql.Token) bool { return t.Is("OVER") })
		}
	}
	return false
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
