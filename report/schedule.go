package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ansi"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/witness"
)

// rows says what a witness starts from: without Verbose, of many rows the first ones, and first
// of all those of the tables that the dependencies are about.
func (t *text) rows(w *witness.Witness) {
	var first, others []string
	for _, table := range w.Rows {
		parts := &others
		if concerns(w, table.Table) {
			parts = &first
		}
		for _, r := range table.Rows {
			*parts = append(*parts, t.row(w, &table, r))
		}
	}
	rows := append(first, others...)
	if rows == nil {
		rows = []string{"empty tables"}
	}
	t.para("   ", "Starting from "+strings.Join(t.within(maxStart, rows, "row"), "; ")+":")
}

// flag is what is said of a flag, to those who run the command.
func (t *text) flag(says string) string {
	if t.quoted {
		return ""
	}
	return says
}

// row names a row with its columns: without Verbose, of very many those that the schedule names.
func (t *text) row(w *witness.Witness, table *witness.TableRows, r []witness.Value) string {
	cols := table.Shown(r)
	if table.Variable {
		return table.Table + " = " + cols[0]
	}
	for i, v := range cols {
		cols[i] = table.Columns[i] + " " + v
	}
	if all := strings.Join(cols, ", "); t.opt.Verbose || quote.Columns(all) <= maxStart {
		return table.Table + " (" + all + ")"
	}
	var named []string
	for i, c := range table.Columns {
		if i == 0 || mentions(w, table.Table, c) {
			named = append(named, cols[i])
		}
	}
	if rest := len(cols) - len(named); rest > 0 {
		named = append(named, quote.Count(rest, "other column")+t.flag(" (-v)"))
	}
	return table.Table + " (" + strings.Join(named, ", ") + ")"
}

// mentions reports whether an event of the schedule names a column of a table.
func mentions(w *witness.Witness, table, column string) bool {
	name := regexp.MustCompile(`(^|[^\pL\pN_])` + regexp.QuoteMeta(column) + `([^\pL\pN_]|$)`)
	return slices.ContainsFunc(w.Schedule, func(e witness.Event) bool { return e.Table == table && name.MatchString(e.Text) })
}

// concerns reports whether a dependency of the cycle of a witness is about a table.
func concerns(w *witness.Witness, table string) bool {
	return slices.ContainsFunc(w.Cycle, func(e witness.Edge) bool { return e.Table == table })
}

// maxStart and maxDiffers are how many columns of text the rows that a witness starts from take
// without Verbose, and what is different after a serial order.
const (
	maxStart   = 3 * (width - 10)
	maxDiffers = width
)

// within gives the first parts of an enumeration, and counts the others if all of them take more
// columns than max.
func (t *text) within(max int, parts []string, what string) []string {
	n := 0
	for i, s := range parts {
		if n += quote.Columns(s); n > max && i > 0 && !t.opt.Verbose {
			return append(slices.Clone(parts[:i]), quote.Count(len(parts)-i, "other "+what)+t.flag(" (-v)"))
		}
	}
	return parts
}

// schedule writes the interleaving: a column for each session, or a list if that is shorter
// and there are more than two sessions or many lines.
func (t *text) schedule(w *witness.Witness) {
	events, leftOut := together(w.Schedule), []string(nil)
	if !t.opt.Verbose {
		events, leftOut = changing(events)
	}
	s, all := tabulate(w, events), len(events)
	if !t.opt.Verbose && len(w.Cycle) > 0 && s.height() > maxSteps {
		events = onCycle(events, w.Cycle, t.ordersAre(w))
		if s = tabulate(w, events); s.height() > maxSteps {
			events = manyWrites(events)
			s = tabulate(w, events)
		}
	}
	if s.file != "" {
		t.para("   ", s.file)
	}
	if s.inColumns() {
		t.columns(s)
	} else {
		for _, l := range s.list() {
			t.line("%s", l)
		}
	}
	switch {
	case len(events) < all:
		t.para("   ", "(only what depends on each other"+t.flag("; -v shows the rest")+")")
	case len(leftOut) > 0:
		t.para("   ", fmt.Sprintf("(without the reads of %s, which nobody changes here%s)", quote.And(leftOut), t.flag("; -v shows them")))
	}
}

// columns writes the schedule with a column for each session.
func (t *text) columns(s *table) {
	col := s.column()
	cells := make([][]string, len(s.heads))
	for c, h := range s.heads {
		cells[c] = quote.Wrap(quote.Line(h), col)
	}
	t.cells("", s.side, col, cells)
	for c := range cells {
		cells[c] = []string{strings.Repeat("-", col)}
	}
	t.cells("", s.side, col, cells)
	for _, x := range s.steps {
		cells := make([][]string, len(s.heads))
		for _, c := range append(x.begins, x.session) {
			cells[c] = quote.Wrap(quote.Line(x.text), col)
		}
		t.cells(x.place, s.side, col, cells)
	}
}

// cells writes one row of the table, whose cells may have several lines.
func (t *text) cells(side string, sideWidth, col int, cells [][]string) {
	for l := 0; ; l++ {
		row := quote.Line(fmt.Sprintf("   %-*s", sideWidth, side))
		some := false
		for i, c := range cells {
			s := ""
			if l < len(c) {
				s, some = c[l], true
			}
			space := strings.Repeat(" ", max(0, col-quote.Columns(s)))
			if s = quote.Line(s); t.opt.Colors {
				s = ansi.Sessions[i%len(ansi.Sessions)].Paint(s)
			}
			row += "  " + s + space
		}
		if !some {
			return
		}
		side = ""
		t.b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
}

// few is how many serial orders are easier to read than the cycle of dependencies.
const few = 2

// ordersAre reports whether the report says what each serial order does otherwise.
func (t *text) ordersAre(w *witness.Witness) bool {
	return len(w.Serial) > 0 && !w.Classic && (t.opt.Verbose || w.Orders <= few || len(w.Cycle) == 0)
}

// why says why no serial order explains a witness: by what each order does otherwise if there
// are few orders, else by a cycle of dependencies; Verbose gives both.
func (t *text) why(w *witness.Witness) {
	orders := t.ordersAre(w)
	if len(w.Cycle) > 0 && (t.opt.Verbose || !orders) {
		t.line("")
		t.line("   Each of these has to come before the next one, the last before the first:")
		for _, e := range w.Cycle {
			if t.opt.Verbose { // else the schedule gives the places
				t.para("   - ", e.Text+" ("+places(e)+")")
			} else {
				t.para("   - ", e.Text)
			}
		}
	}
	t.excerpts(w)
	if orders {
		t.serial(w)
	}
}

// places names the statements of an edge.
func places(e witness.Edge) string {
	from, to := e.FromPosition.Short(), e.ToPosition.Short()
	if e.FromPosition.File == e.ToPosition.File {
		_, to, _ = strings.Cut(to, ":")
	}
	return from + " and " + to
}

// distant is 0 for a difference in a table that the dependencies are about, or in what a
// transaction gives, and 1 for one in another table.
func distant(w *witness.Witness, differs string) int {
	for _, table := range w.Rows {
		if strings.HasPrefix(differs, table.Table+"(") && !concerns(w, table.Table) {
			return 1
		}
	}
	return 0
}

// serial says what each serial order does otherwise, in the tables of the dependencies first.
func (t *text) serial(w *witness.Witness) {
	t.line("")
	t.line("   No serial order does that:")
	orders := w.Serial
	if !t.opt.Verbose && len(orders) > few+1 {
		orders = orders[:few+1]
	}
	for _, o := range orders {
		differs := slices.Clone(o.Differs)
		slices.SortStableFunc(differs, func(a, b string) int { return cmp.Compare(distant(w, a), distant(w, b)) })
		t.para("   - "+strings.Join(o.Order, ", ")+": ", strings.Join(t.within(maxDiffers, differs, "difference"), "; "))
	}
	if rest := w.Orders - len(orders); rest > 0 && len(orders) < len(w.Serial) {
		t.line("   - … and so for every other order%s", t.flag(" (-v lists them)"))
	}
}

// excerpts shows the statements that depend on each other, or without Verbose the one that a
// finding is shown at.
func (t *text) excerpts(w *witness.Witness) {
	switch {
	case t.opt.Excerpt == nil || len(w.Cycle) == 0:
		return
	case !t.opt.Verbose:
		t.pivot(pivot(w.Cycle))
		return
	}
	var shown []Position
	for _, e := range w.Cycle {
		for _, p := range []Position{e.FromPosition, e.ToPosition} {
			if slices.Contains(shown, p) {
				continue
			}
			lines := t.opt.Excerpt(p)
			if lines == "" {
				continue
			}
			if len(shown) == 0 {
				t.line("")
				t.line("   The statements:")
			}
			shown = append(shown, p)
			t.line("   %s", p)
			t.indented(lines)
		}
	}
}

// pivot shows the line of the statement that an edge leads from, with a caret and what is read there.
func (t *text) pivot(e witness.Edge) {
	lines := strings.TrimSuffix(t.opt.Excerpt(e.FromPosition), "\n")
	if lines == "" {
		return
	}
	if says := " " + e.From + " reads what " + e.To + " changes"; e.Type == "RW" && quote.Columns(lines[strings.LastIndex(lines, "\n")+1:]+says) <= width-3 {
		lines += says
	}
	t.indented(lines)
}

func (t *text) indented(lines string) {
	for line := range strings.Lines(lines) {
		t.line("   %s", strings.TrimSuffix(line, "\n"))
	}
}

// pivot is the first edge of a cycle from a read to what overwrites it, or else its first edge.
func pivot(cycle []witness.Edge) witness.Edge {
	return cycle[max(slices.IndexFunc(cycle, func(e witness.Edge) bool { return e.Type == "RW" }), 0)]
}
