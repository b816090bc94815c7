package pgx

import (
	"go/types"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// batch is a pgx.Batch, or the results of one. Statements that are queued while a
// transaction is open are taken to be sent with it, where they are queued.
type batch struct {
	queued []queued
	sent   bool
}

func (b *batch) Live() bool                      { return false }
func (b *batch) Sends() bool                     { return true }
func (b *batch) Same(o memory.Value) bool        { return o == memory.Value(b) }
func (b *batch) Depends() ([]memory.Value, bool) { return nil, false }

type queued struct {
	sql  memory.Value
	args []memory.Value
	open bool
}

func isBatch(t types.Type) bool {
	return gotypes.IsNamed(t, "github.com/jackc/pgx/v5", "Batch") || gotypes.IsNamed(t, "github.com/jackc/pgx/v4", "Batch")
}

// batchAt gives the batch in a cell.
func batchAt(in *memory.Memory, p *memory.Pointer) (*batch, bool) {
	if !isBatch(p.To.T) {
		return nil, false
	}
	if b, ok := in.Held(p.To).(*batch); ok {
		return b, true
	}
	return &batch{}, p.To.Start == memory.Zeroed
}

func onBatch(in *session.Session, inv *session.Invocation, b *batch, name string, args []memory.Value) (memory.Value, bool) {
	switch name {
	case "Queue":
		list, known := in.ListOf(args[1])
		if in.IsOpen() && in.Trace == nil {
			sendQueued(in, &memory.Handle{Kind: memory.Transaction, Site: in.Site}, queued{args[0], list, !known})
		} else if p, ok := memory.Unbox(inv.Args[0]).(*memory.Pointer); ok {
			in.Put(p.To, &batch{queued: append(slices.Clone(b.queued), queued{args[0], list, !known})})
		}
		return memory.Of(client.C(ir.Null), client.Any), true
	case "Len":
		return in.Fresh(inv.T, "len", memory.Unknown), true
	case "Exec", "Query", "QueryRow":
		out := &memory.Rows{H: &memory.Handle{Kind: memory.Database}, Query: &client.Query{}, One: name == "QueryRow"}
		if name == "Exec" {
			return in.Answer(inv.T, &memory.Outcome{Query: out.Query}), true
		}
		return in.Answer(inv.T, out), true
	case "Close":
		return in.Quiet(inv.T), true
	}
	return nil, false
}

func sendQueued(in *session.Session, h *memory.Handle, q queued) {
	rs := in.Statement(h, q.sql, q.args, q.open, nil)
	rs.Query.Returned = true
	in.Execute(rs)
}

// sendBatch sends what is queued.
func sendBatch(in *session.Session, h *memory.Handle, args []memory.Value) memory.Value {
	p, ok := memory.Unbox(args[len(args)-1]).(*memory.Pointer)
	if !ok {
		in.UnknownCall("SendBatch of a batch that is not known", append(args, h), nil)
		return &batch{sent: true}
	}
	b, ok := batchAt(in.Memory, p)
	if !ok && !(in.OwnsOpen(h)) {
		in.UnknownCall("SendBatch of a batch that is not known", append(args, h), nil)
		return &batch{sent: true}
	}
	if b != nil {
		if in.Trace != nil && h.Kind != memory.Transaction { // they are sent in one transaction
			h = &memory.Handle{Kind: memory.Transaction, Site: in.Path()}
		}
		for _, q := range b.queued {
			sendQueued(in, h, q)
		}
	}
	return &batch{sent: true}
}

// copyFrom is pgx's COPY: an insertion of rows that are not known.
func copyFrom(in *session.Session, inv *session.Invocation, h *memory.Handle, args []memory.Value) memory.Value {
	for _, a := range args {
		in.EmitValue(a)
	}
	table := ""
	if list, ok := in.ListOf(args[0]); ok {
		for _, v := range list {
			if c, known := memory.ConstOf(v); known {
				table = c.S
			} else {
				table = ""
			}
		}
	}
	if in.OwnsOpen(h) {
		u := &client.Unknown{At: in.At(), Reason: "CopyFrom"}
		if table != "" {
			u.Tables = []string{table}
		}
		in.Emit(u)
	} else if in.Perhaps(h) {
		in.Emit(&client.Unknown{At: in.At(), Reason: "CopyFrom"})
	} else if in.Outside(); h.Kind != memory.Transaction && in.Site == "" {
		text := "INSERT INTO " + client.Hole
		if table != "" {
			text = "INSERT INTO " + table + " " + client.Hole
		}
		in.Auto(&memory.Rows{H: h, Pos: in.Here(), Query: &client.Query{At: in.At(), SQL: text}}, text, nil)
	}
	return in.Quiet(inv.T)
}
