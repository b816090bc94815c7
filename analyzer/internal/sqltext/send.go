package sqltext

import (
	"strconv"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// RawText is a text with values for it.
func (in *Writer) RawText(args []memory.Value) Fragment {
	list, ok := in.ListOf(args[len(args)-1])
	text, known := memory.ConstText(args[0])
	if !ok || !known {
		for _, a := range args {
			in.EmitValue(a)
		}
		s := in.ScalarOf(args[0])
		if texts := in.TextsOf(s.E); ok && len(list) == 0 && len(texts) == 1 {
			return Frag(texts[0])
		}
		return Frag(client.Hole)
	}
	return in.Filled(text, list)
}

// Number gives the text for a number.
func (in *Writer) Number(v memory.Value) Fragment {
	if c, ok := memory.ConstOf(v); ok && c.Kind == ir.KindInt {
		return Frag(strconv.Itoa(int(c.I)))
	}
	return Frag(ParamMark, in.ScalarOf(v))
}

// SendText makes the query of a statement.
func (in *Writer) SendText(h *memory.Handle, f Fragment) *memory.Rows {
	text, args := f.Numbered()
	rs := in.Statement(h, memory.Of(client.C(ir.Text(text)), client.Text), args, f.Holed(), nil)
	rs.Query.Standard = true
	in.MayNotBeSent(h, rs)
	return rs
}

// Counted gives the number of rows of a query.
func (in *Writer) Counted(rs *memory.Rows) memory.Value { return session.Counted(in.Session, rs) }
