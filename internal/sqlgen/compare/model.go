package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sqlgen"
)

// Model is an application as the front end reads it.
type Model struct {
	prog    *ir.Program
	machine *interp.Machine
	marks   *marker
	spans   []sqlgen.Span
	lines   []int // where each line of the text begins
}

// fileName is the only file of an application.
const fileName = "app.sql"

// Translate reads an application. A panic of the front end is an error.
func Translate(sys system, decls *sqlgen.Node, txns []*sqlgen.Txn) (m *Model, err error) {
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	root := &sqlgen.Node{Kids: []*sqlgen.Node{decls}}
	var names []string
	for _, t := range txns {
		root.Kids = append(root.Kids, source(t))
		names = append(names, t.Name)
	}
	text, spans := root.Spans()
	if m, err = translateText(sys, text, names); err == nil {
		m.spans = spans
	}
	return m, err
}

// translateText reads an application; the functions named are its transactions.
func translateText(sys system, text string, names []string) (*Model, error) {
	prog, err := sys.parse(text, names)
	if err != nil {
		return nil, err
	}
	m := &Model{prog: prog, marks: &marker{marks: map[string]int{}}, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			m.lines = append(m.lines, i+1)
		}
	}
	m.machine = interp.NewMachine(prog, sys.profile())
	m.machine.Trace = true
	m.machine.Opaque = m.marks.apply
	m.machine.MaxSteps, m.machine.MaxRuns = 3000, maxRuns
	return m, nil
}

// source is a transaction as a file has it.
func source(t *sqlgen.Txn) *sqlgen.Node {
	n := &sqlgen.Node{Kids: []*sqlgen.Node{t.Node}}
	if t.Kind != sqlgen.Script {
		n.Kids = append(n.Kids, &sqlgen.Node{Text: ";\n"})
		return n
	}
	n.Kids = append([]*sqlgen.Node{{Text: "-- name: " + t.Name + "\nBEGIN;\n"}}, n.Kids...)
	n.Kids = append(n.Kids, &sqlgen.Node{Text: "COMMIT;\n"})
	return n
}

// statementAt gives the productions of the innermost statement at a place.
func (m *Model) statementAt(pos ir.Pos) map[string]int {
	at := m.offset(pos)
	var best *sqlgen.Node
	for _, s := range m.spans {
		if s.From <= at && at < s.To && (s.Node.Sort == "statement" || s.Node.Sort == "sql") {
			best = s.Node
		}
	}
	if best == nil {
		return nil
	}
	return best.Productions()
}

// state makes a state of the model from the rows on the server.
func (m *Model) state(rows [][]record) (*interp.DB, error) {
	out := make([][][]ir.Value, len(m.prog.Tables))
	for i, tab := range m.prog.Tables {
		for n, r := range rows[i] {
			row := make([]ir.Value, 0, len(tab.Columns))
			if tab.Rowid {
				row = append(row, ir.Int(int64(n)))
			}
			for _, text := range r.texts {
				c := tab.Columns[len(row)]
				v, ok := readAs(text, c.Type, c.Domain)
				if !ok {
					return nil, fmt.Errorf("%s.%s cannot be %s", tab.Name, c.Name, show(text))
				}
				row = append(row, v)
			}
			for _, c := range tab.Columns[len(row):] { // what indexes are over
				row = append(row, ir.Null)
				v, ok := m.machine.RowValue(tab, c.Generated)(row)
				if !ok {
					return nil, fmt.Errorf("%s.%s has no value", tab.Name, c.Name)
				}
				row[len(row)-1] = v
			}
			out[i] = append(out[i], row)
		}
	}
	return interp.NewDB(m.prog, out), nil
}

// serverColumns gives the columns of a table that the server has, too.
func serverColumns(tab *ir.Table) []ir.Column {
	var out []ir.Column
	for i, c := range tab.Columns {
		if !c.Hidden && !(tab.Rowid && i == 0) {
			out = append(out, c)
		}
	}
	return out
}

// real gives the values of a row in these columns.
func real(tab *ir.Table, row []ir.Value) []ir.Value {
	var out []ir.Value
	for i, c := range tab.Columns {
		if !c.Hidden && !(tab.Rowid && i == 0) {
			out = append(out, row[i])
		}
	}
	return out
}

// rowQueries reads the tables of the model on the server.
func (m *Model) rowQueries() string {
	var b strings.Builder
	for _, tab := range m.prog.Tables {
		var names []string
		for _, c := range serverColumns(tab) {
			names = append(names, c.Name)
		}
		fmt.Fprintf(&b, "SELECT %s FROM %s;", strings.Join(names, ", "), tab.Name)
	}
	return b.String()
}

// kid gives the number of the piece of a list at a place, -1 if it is outside.
func (m *Model) kid(list *sqlgen.Node, pos ir.Pos) int {
	at := m.offset(pos)
	for _, s := range m.spans {
		if s.From <= at && at < s.To {
			if k := slices.Index(list.Kids, s.Node); k >= 0 {
				return k
			}
		}
	}
	return -1
}

// kidOf gives the number of the piece of a list that a statement belongs to, also where the
// statement stands elsewhere, such as in a view; -1 if it is not known.
func (m *Model) kidOf(list *sqlgen.Node, t *ir.Txn, s ir.Stmt) int {
	k := m.kid(list, s.Position())
	ir.Walk(t.Body, func(other ir.Stmt) {
		if k < 0 && s.Command() > 0 && other.Command() == s.Command() {
			k = m.kid(list, other.Position())
		}
	})
	return k
}

// offset is a place as a number of bytes, -1 if it is not known.
func (m *Model) offset(pos ir.Pos) int {
	if !pos.IsValid() || pos.Line > len(m.lines) {
		return -1
	}
	return m.lines[pos.Line-1] + pos.Col - 1
}

func show(text *string) string {
	if text == nil {
		return "NULL"
	}
	return "'" + *text + "'"
}

// unmodelled gives the places of the statements that are not modelled.
func (m *Model) unmodelled() []ir.Pos {
	var out []ir.Pos
	for _, txn := range m.prog.Txns {
		ir.Walk(txn.Body, func(s ir.Stmt) {
			if u, ok := s.(*ir.Unmodelled); ok {
				out = append(out, u.Pos)
			}
		})
	}
	return out
}
