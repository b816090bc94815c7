package sqlmodel

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// words is what the model says of a statement.
type words struct {
	s        *statements
	run      *interp.Run
	fails    string // why it fails alone, or ""
	lines    []string
	locks    []string
	may      []string // row locks that may be taken
	excluded []string
}

func (w *words) line(format string, args ...any) {
	w.lines = append(w.lines, "-- "+fmt.Sprintf(format, args...))
}

// footprint says what is read and written.
func (w *words) footprint() {
	for i := range w.run.Reads {
		r := &w.run.Reads[i]
		t := w.s.prog.Tables[r.Table]
		var cols, rows []string
		for k, c := range t.Columns {
			if r.Cols[k] || r.Tested[k] {
				cols = append(cols, c.Name)
			}
		}
		for _, row := range w.s.base[r.Table] {
			if r.Matches(row) {
				rows = append(rows, w.s.keyText(t, row))
			}
		}
		sort.Strings(rows)
		line := fmt.Sprintf("-- reads %s (%s) rows {%s}", t.Name, strings.Join(cols, ", "), strings.Join(rows, " "))
		if !slices.Contains(w.lines, line) {
			w.lines = append(w.lines, line)
		}
	}
	for i := range w.run.Ops {
		op := &w.run.Ops[i]
		t := w.s.prog.Tables[op.Table]
		row := op.New
		if row == nil {
			row = op.Old
		}
		if t.Rowid {
			w.line("%s %s", op.Kind, t.Name)
			continue
		}
		var set []string
		for k, c := range t.Columns {
			if op.Kind != interp.OpDelete && !t.IsKey(k) && (op.Cols == nil || op.Cols[k]) {
				set = append(set, c.Name+" = "+op.New[k].String())
			}
		}
		w.line("%s", strings.TrimSpace(fmt.Sprintf("%s %s(%s) %s", op.Kind, t.Name, w.s.keyText(t, row), strings.Join(set, ", "))))
	}
	switch {
	case w.run.Unmodelled != nil:
		tables := "everything"
		if u := w.run.Unmodelled; u.Tables != nil {
			var names []string
			for _, t := range u.Tables {
				names = append(names, t.Name)
			}
			tables = strings.Join(names, ", ")
		}
		w.line("not modelled, touches %s: %s", tables, w.run.Unmodelled.Reason)
	case w.fails != "":
		w.line("fails: %s", w.fails)
	}
}

// text gives all lines.
func (w *words) text() string {
	sort.Strings(w.locks)
	if len(w.locks) > 0 {
		w.line("locks %s", strings.Join(w.locks, ", "))
	}
	if len(w.may) > 0 {
		w.line("may lock %s", strings.Join(w.may, ", "))
	}
	for _, d := range w.run.Dropped {
		if line := "-- may fail: " + d.Stmt.What; d.Stmt.Kind == ir.ByError && !slices.Contains(w.lines, line) {
			w.lines = append(w.lines, line)
		}
	}
	if len(w.excluded) > 0 {
		w.line("excluded by %s", strings.Join(w.excluded, ", "))
	}
	if len(w.lines) == 0 {
		w.line("touches nothing")
	}
	return strings.Join(w.lines, "\n") + "\n"
}
