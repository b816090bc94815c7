package witness

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// keyOf is a text that is equal for the versions of one row.
func keyOf(t *ir.Table, row []ir.Value) string {
	var b strings.Builder
	for _, k := range t.Key {
		v := row[k]
		fmt.Fprintf(&b, "%d:%d:%q,", v.Kind, v.I, v.S)
	}
	return b.String()
}

// visible reports whether a client sees the column.
func visible(t *ir.Table, col int) bool { return (!t.Rowid || col != 0) && !t.Columns[col].Hidden }

// RowName names a row by its key: saving(1). A shared variable is its name, a
// row without a declared key all of its values. Rows with different keys have different names.
func RowName(t *ir.Table, row []ir.Value) string {
	return named(t, row, func(c int) string { return Value{row[c]}.String() })
}

// rowName is the same for people.
func rowName(t *ir.Table, row []ir.Value) string {
	return named(t, row, func(c int) string { return readable(t, c, row[c]) })
}

func named(t *ir.Table, row []ir.Value, value func(col int) string) string {
	if t.Var {
		return t.Name
	}
	cols := t.Key
	if t.Rowid {
		cols = nil
		for c := range t.Columns {
			if visible(t, c) {
				cols = append(cols, c)
			}
		}
	}
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = value(c)
	}
	return t.Name + "(" + strings.Join(parts, ", ") + ")"
}

// cell names a column of a row: saving(1).bal, or x for a shared variable.
func cell(t *ir.Table, row []ir.Value, col int) string {
	if t.Var {
		return t.Name
	}
	return rowName(t, row) + "." + t.Columns[col].Name
}

// cells gives the row with the values of some columns, in which key columns
// are left out: saving(1).bal = 0, district(1, 2): d_tax = 0.1, d_next = 3, or
// just course(1) when no column is left.
func cells(t *ir.Table, row []ir.Value, cols []int) string {
	var rest []int
	for _, c := range cols {
		if visible(t, c) && !t.IsKey(c) && !t.Rowid {
			rest = append(rest, c)
		}
	}
	switch len(rest) {
	case 0:
		return rowName(t, row)
	case 1:
		return cell(t, row, rest[0]) + " = " + readable(t, rest[0], row[rest[0]])
	}
	parts := make([]string, len(rest))
	for i, c := range rest {
		parts[i] = t.Columns[c].Name + " = " + readable(t, c, row[c])
	}
	return rowName(t, row) + ": " + strings.Join(parts, ", ")
}

// changes gives the columns of an update with old and new values.
func changes(t *ir.Table, before, after []ir.Value, cols []int) string {
	change := func(c int) string { return readable(t, c, before[c]) + " -> " + readable(t, c, after[c]) }
	if len(cols) == 1 {
		return cell(t, after, cols[0]) + ": " + change(cols[0])
	}
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = t.Columns[c].Name + ": " + change(c)
	}
	return rowName(t, after) + " " + strings.Join(parts, ", ")
}

// lookup gives the value of a local at some moment.
type lookup func(name string) (ir.Value, bool)

// predicate is a condition in the manner of SQL, with the values of locals: "" if these make
// it true. The source has what is left out of a long one.
func predicate(e ir.Expr, env lookup) string {
	p := &printer{env}
	e = p.reduced(e)
	if v, ok := constant(e); ok && v.IsTrue() {
		return ""
	}
	return p.elided(e)
}

type printer struct{ env lookup }

// precedences of SQL, from weak to strong.
const (
	precOr = iota + 1
	precAnd
	precNot
	precIs
	precCompare
	precAdd
	precMul
	precNeg
)

var sqlOps = [...]struct {
	text string
	prec int
}{
	ir.Or: {"OR", precOr}, ir.And: {"AND", precAnd}, ir.Eq: {"=", precCompare}, ir.Ne: {"<>", precCompare},
	ir.Lt: {"<", precCompare}, ir.Le: {"<=", precCompare}, ir.Gt: {">", precCompare}, ir.Ge: {">=", precCompare},
	ir.Is: {"IS NOT DISTINCT FROM", precIs}, ir.Add: {"+", precAdd}, ir.Sub: {"-", precAdd},
	ir.Mul: {"*", precMul}, ir.Div: {"/", precMul}, ir.Mod: {"%", precMul},
}

// expr prints e, in parentheses where it binds less than outer.
func (p *printer) expr(e ir.Expr, outer int) string {
	s, prec := p.open(e)
	if prec < outer {
		return "(" + s + ")"
	}
	return s
}

func (p *printer) open(e ir.Expr) (string, int) {
	const atom = precNeg + 1
	switch e := e.(type) {
	case *ir.Const:
		return Readable(nil, e.Value), atom
	case *ir.Var:
		if v, ok := p.env(e.Name); ok {
			return Readable(nil, v), atom
		}
		return e.Name, atom
	case *ir.Col:
		return e.Col, atom
	case *ir.Unary:
		switch e.Op {
		case ir.Neg:
			return "-" + p.expr(e.X, precNeg), precNeg
		case ir.Not:
			return "NOT " + p.expr(e.X, precNot), precNot
		case ir.IsNull:
			return p.expr(e.X, precIs+1) + " IS NULL", precIs
		}
		panic(fmt.Sprintf("witness: unknown operator %d", e.Op))
	case *ir.Binary:
		op := sqlOps[e.Op]
		return p.expr(e.X, op.prec) + " " + op.text + " " + p.expr(e.Y, op.prec+1), op.prec
	case *ir.Cond:
		return "CASE WHEN " + p.expr(e.If, 0) + " THEN " + p.expr(e.Then, 0) + " ELSE " + p.expr(e.Else, 0) + " END", atom
	case *ir.Call:
		args := make([]string, len(e.Args))
		for i, a := range e.Args {
			args[i] = p.expr(a, 0)
		}
		return shortName(e.Name) + "(" + strings.Join(args, ", ") + ")", atom
	case *ir.Exists:
		names := make([]string, len(e.Query.From))
		for i, s := range e.Query.From {
			names[i] = s.Table.Name
		}
		s := "EXISTS (" + strings.Join(names, ", ")
		if e.Query.Where != nil {
			s += " WHERE " + p.expr(e.Query.Where, 0)
		}
		return s + ")", atom
	}
	panic(fmt.Sprintf("witness: unknown expression %T", e))
}

// list joins at most n parts.
func list(parts []string, n int) string {
	if len(parts) > n {
		return strings.Join(parts[:n], "; ") + fmt.Sprintf("; … (%d rows)", len(parts))
	}
	return strings.Join(parts, "; ")
}
