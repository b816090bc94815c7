package session

import (
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/quote"
)

// Anything stands for statements that are not known, on tables (nil: all).
func (in *Session) Anything(h *memory.Handle, tables []string, readOnly bool, reason string) {
	if in.St == nil {
		return
	}
	if in.Owns(h) && in.St.Phase == memory.Open || in.Perhaps(h) {
		in.noteUntraced()
		in.Emit(&client.Unknown{At: client.At{Pos: in.place()}, Tables: tables, ReadOnly: readOnly, Reason: reason})
		return
	}
	in.Outside()
	if in.Site == "" && h.Untraced {
		in.findUntraced()
	}
	if h.Kind == memory.Transaction || in.Site != "" {
		return
	}
	text := client.Hole
	if len(tables) > 0 {
		text = "UPDATE " + quote.Name(tables[0]) + " SET " + client.Hole
		if readOnly {
			text = "SELECT * FROM " + quote.Name(tables[0]) + " WHERE " + client.Hole
		}
	}
	rs := &memory.Rows{H: h, Pos: in.place(), Query: &client.Query{At: in.At(), SQL: text, Open: true}}
	in.Auto(rs, text, nil)
}
