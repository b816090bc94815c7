package mysqlscript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/mysql"
)

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
