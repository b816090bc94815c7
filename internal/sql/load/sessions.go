package load

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// With Input.Sessions a template is what goes on in several transactions one after the other: a procedure with COMMIT in its body, or a script in
// which \gset takes values from one transaction into another.

// bodySteps finds the transactions one of which each statement of a body belongs to, by where the one before has ended.
type bodySteps struct {
	text  *syntax.Text
	units map[plpgsql.Stmt][]string
	order []plpgsql.Stmt
}

// list goes through statements, and gives the transactions one of which goes on behind them.
func (b *bodySteps) list(list []plpgsql.Stmt, in []string) []string {
	for _, s := range list {
		in = b.stmt(s, in)
	}
	return in
}

func (b *bodySteps) stmt(s plpgsql.Stmt, in []string) []string {
	if b.units[s] == nil {
		b.order = append(b.order, s)
	}
	b.units[s] = in
	lists := plpgsql.Children(s)
	switch s := s.(type) {
	case *plpgsql.EndTxn:
		return []string{b.text.Pos(s.Place()).String()}
	case *plpgsql.If, *plpgsql.Case:
		var out []string
		for _, list := range lists {
			out = eitherUnit(out, b.list(list, in))
		}
		return out
	case *plpgsql.Block:
		out := b.list(s.Body, in)
		for _, h := range s.Handlers {
			out = eitherUnit(out, b.list(h.Body, eitherUnit(in, out)))
		}
		return out
	}
	out := in
	for _, list := range lists { // a loop, which is taken to have a round before; EXIT and CONTINUE may stand behind each end of a transaction
		again := b.list(list, in)
		var ends []string
		plpgsql.Walk(list, func(s plpgsql.Stmt) {
			if _, is := s.(*plpgsql.EndTxn); is {
				ends = append(ends, b.text.Pos(s.Place()).String())
			}
		})
		b.list(list, eitherUnit(again, ends))
		out = eitherUnit(out, ends)
	}
	return out
}

func eitherUnit(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// each calls f for where a statement begins, and for the parts of it that are SQL.
func (b *bodySteps) each(s plpgsql.Stmt, f func(from, to ir.Pos)) {
	f(b.text.Pos(s.Place()), b.text.Pos(s.Place()))
	plpgsql.Spans(s, func(x plpgsql.Span, _ plpgsql.SpanKind) { f(b.text.Pos(x.Start), b.text.Pos(x.End)) })
}
