package mysqlscript

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/ir"
)

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
