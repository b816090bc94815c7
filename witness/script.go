package witness

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/ir"
)

// beginSQL and snapshotSQL begin a transaction and make it take its snapshot:
// BEGIN alone does not.
const (
	beginSQL    = "BEGIN ISOLATION LEVEL REPEATABLE READ;"
	snapshotSQL = "SELECT 1;"
	commitSQL   = "COMMIT;"
)

// Step is a part of the schedule that one session runs at a stretch.
type Step struct {
	// Session is the number of a session of the witness.
	Session int
	// SQL is statements, each with its semicolon.
	SQL []string
}

// Steps gives the schedule for SQL sessions: a transaction takes its snapshot
// where the schedule has its BEGIN, and its call runs just before its COMMIT.
// It is nil for a program whose transactions are not functions of a database, and
// at READ COMMITTED: a client cannot stop a function between two of its commands.
func (w *Witness) Steps() []Step {
	if w.Isolation != "si" {
		return nil
	}
	var out []Step
	for _, e := range w.Schedule {
		t := w.Transaction(e.Transaction)
		if t.Call == "" {
			return nil
		}
		var sql []string
		switch e.Kind {
		case Begin:
			sql = []string{beginSQL, snapshotSQL}
		case CommitIt:
			sql = []string{t.Call, commitSQL}
		case Read, Write, Return:
			continue
		default:
			panic("witness: unknown event " + string(e.Kind))
		}
		if n := len(out); n > 0 && out[n-1].Session == t.Session {
			out[n-1].SQL = append(out[n-1].SQL, sql...)
			continue
		}
		out = append(out, Step{t.Session, sql})
	}
	return out
}

// call is the SQL that runs a transaction.
func call(t *Transaction, procedure bool) string {
	args := strings.TrimPrefix(t.Invocation(), t.Name) + ";"
	if procedure {
		return "CALL " + quote.Name(t.Name) + args
	}
	return "SELECT * FROM " + quote.Name(t.Name) + args
}

// setup gives the statements that make the initial rows.
func (b *builder) setup() []string {
	if len(b.e.Program.Processes) > 0 {
		return nil
	}
	var names, out []string
	for _, t := range b.e.Program.Tables {
		if !t.Mutex {
			names = append(names, quote.Name(t.Name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	out = append(out, "TRUNCATE "+strings.Join(names, ", ")+";")
	done := map[*ir.Table]bool{}
	var insert func(t *ir.Table)
	insert = func(t *ir.Table) {
		if done[t] {
			return
		}
		done[t] = true
		for _, fk := range t.ForeignKeys {
			insert(fk.Ref)
		}
		out = append(out, b.inserts(t)...)
	}
	for _, t := range b.e.Program.Tables {
		if !t.Mutex {
			insert(t)
		}
	}
	return out
}

// inserts gives the initial rows of one table, rows that others of the table
// refer to first.
func (b *builder) inserts(t *ir.Table) []string {
	rows := slices.Clone(b.x.Versions[0].Rows(b.index[t]))
	var given []int
	var cols []string
	for c := range t.Columns {
		if visible(t, c) && t.Columns[c].Generated == nil {
			given, cols = append(given, c), append(cols, quote.Ident(t.Columns[c].Name))
		}
	}
	var out []string
	for len(rows) > 0 {
		i := max(0, slices.IndexFunc(rows, func(r []ir.Value) bool { return !refersTo(t, r, rows) }))
		parts := make([]string, 0, len(cols))
		for _, c := range given {
			parts = append(parts, Value{rows[i][c]}.String())
		}
		out = append(out, "INSERT INTO "+quote.Name(t.Name)+" ("+strings.Join(cols, ", ")+") VALUES ("+strings.Join(parts, ", ")+");")
		rows = slices.Delete(rows, i, i+1)
	}
	return out
}

// refersTo reports whether a row refers to another of the rows of its table.
func refersTo(t *ir.Table, row []ir.Value, rows [][]ir.Value) bool {
	for _, fk := range t.ForeignKeys {
		if want := pick(row, fk.Columns); fk.Ref == t && want != nil {
			for _, r := range rows {
				if slices.Equal(pick(r, fk.RefColumns), want) && keyOf(t, r) != keyOf(t, row) {
					return true
				}
			}
		}
	}
	return false
}
