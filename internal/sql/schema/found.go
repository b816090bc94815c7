package schema

import (
	"errors"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/ir"
)

// gaps collects what is not known of a schema that was found (Options.Schema).
// A statement that cannot be read may have done anything to what it names: a
// table that it names is one of which no statement is modelled, which may touch
// all tables, since there may be a trigger on it or it may be a view.
type gaps struct {
	// Files are the names of the files of the schema.
	Files map[string]bool
	// Words are the names in statements that were not read, in lower case, with
	// the place of the first such statement.
	Words map[string]ir.Pos
}

// notRead is what such a table is called.
const notRead = "a table of which the schema was not read"

// StatementSpans splits a text at the semicolons that end statements: where each
// begins and ends, and where its first token is.
func StatementSpans(toks []pg.Token, end int) [][3]int {
	var out [][3]int
	from, first, blocks := 0, -1, 0
	last := ""
	for _, t := range toks {
		if t.Kind == pg.Comment {
			continue
		}
		if first < 0 {
			first = t.Start
		}
		switch {
		case t.Kind == pg.Word && t.Text == "atomic" && last == "begin":
			blocks = 1
		case t.Kind == pg.Word && t.Text == "case" && blocks > 0:
			blocks++
		case t.Kind == pg.Word && t.Text == "end" && blocks > 0:
			blocks--
		case t.Kind == pg.Punct && t.Text == ";" && blocks == 0:
			out = append(out, [3]int{from, t.End, first})
			from, first = t.End, -1
		}
		last = t.Text
	}
	if first >= 0 {
		out = append(out, [3]int{from, end, first})
	}
	return out
}

// Catch turns the panic of a fault of the input into an error. It must be
// deferred.
func (l *Schema) Catch(err *error) {
	if r := recover(); r != nil {
		e, ok := r.(*ir.Error)
		if !ok {
			panic(r)
		}
		*err = e
	}
}

// NoteError makes a note of a fault of the input, at its place if it has one.
func (l *Schema) NoteError(pos ir.Pos, err error, what string) {
	msg := err.Error()
	if e, ok := errors.AsType[*ir.Error](err); ok {
		msg = e.Msg
		if e.Pos.IsValid() {
			pos = e.Pos
		}
	}
	l.Note(pos, "%s, and nothing is known of what it names: %s", what, msg)
}

// Obscure makes no statement on a table modelled.
func (t *Table) Obscure() { t.Odd, t.OddAll = notRead, true }

// Tolerate runs f, which completes a table. A fault gives up on the table, and on
// others, if it is one of a schema that was found.
func (l *Schema) Tolerate(t *Table, f func(), others ...*Table) (ok bool) {
	if !l.Unread.Files[t.Pos.File] {
		f()
		return true
	}
	var err error
	func() {
		defer l.Catch(&err)
		f()
	}()
	if err == nil {
		return true
	}
	l.NoteError(t.Pos, err, "no statement on "+t.Name+" is modelled")
	for _, o := range append(others, t) {
		o.Obscure()
	}
	return false
}
