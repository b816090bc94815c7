package advice

import (
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
)

// Comment gives the comment that states a fact in a schema, if SQL can say it plainly.
func Comment(inv *ir.Invariant) (text string, ok bool) {
	s := &sql{ok: true}
	cond := s.expr(inv.Expr)
	var from []string
	plain := true
	for _, src := range inv.From {
		name, is := table(src.Table)
		s.ok = s.ok && is
		plain = plain && src.Row == src.Table.Name && name == quote.Ident(src.Row)
		from = append(from, name+" "+quote.Ident(src.Row))
	}
	if plain {
		return "-- invariant: " + cond, s.ok
	}
	return "-- invariant: for " + strings.Join(from, ", ") + ": " + cond, s.ok
}

// table is the name of a table in SQL, if that is certain.
func table(t *ir.Table) (string, bool) {
	if t.Qualified == "" {
		return quote.Ident(t.Name), !strings.Contains(t.Name, ".")
	}
	schema, name, ok := strings.Cut(t.Qualified, ".")
	return quote.Ident(schema) + "." + quote.Ident(name), ok && !strings.Contains(name, ".")
}

// sql prints expressions; ok says that all of them could be printed.
type sql struct{ ok bool }

var operators = map[ir.BinaryOp]string{ir.Or: "OR", ir.And: "AND", ir.Eq: "=", ir.Ne: "<>", ir.Lt: "<", ir.Le: "<=", ir.Gt: ">", ir.Ge: ">="}

func (s *sql) expr(e ir.Expr) string {
	switch e := e.(type) {
	case *ir.Const:
		text, ok := literal(e.Value)
		s.ok = s.ok && ok
		return text
	case *ir.Col:
		return quote.Ident(e.Row) + "." + quote.Ident(e.Col)
	case *ir.Unary:
		if n, ok := e.X.(*ir.Unary); ok && e.Op == ir.Not && n.Op == ir.IsNull {
			return s.expr(n.X) + " IS NOT NULL"
		}
		if e.Op == ir.IsNull {
			return s.expr(e.X) + " IS NULL"
		}
	case *ir.Binary:
		if op, ok := operators[e.Op]; ok {
			return s.operand(e.X, e.Op) + " " + op + " " + s.operand(e.Y, e.Op)
		}
	default:
	}
	s.ok = false
	return ""
}

// operand puts what binds less than op in parentheses.
func (s *sql) operand(e ir.Expr, op ir.BinaryOp) string {
	text := s.expr(e)
	if b, ok := e.(*ir.Binary); ok && b.Op < ir.Eq && b.Op != op {
		return "(" + text + ")"
	}
	return text
}

// literal prints a value of the kinds that are written alike in all dialects.
func literal(v ir.Value) (string, bool) {
	switch v.Kind {
	case ir.KindInt:
		return strconv.FormatInt(v.I, 10), true
	case ir.KindBool:
		return strconv.FormatBool(v.IsTrue()), true
	case ir.KindText:
		return quote.Literal(v.S), quote.Printable(v.S) && !strings.Contains(v.S, `\`)
	}
	return "", false
}
