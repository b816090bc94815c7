package analyzer

import (
	"go/types"
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// batch is a pgx.Batch, or the results of one. Statements that are queued while a
// transaction is open are taken to be sent with it, where they are queued.
type batch struct {
	queued []queued
	sent   bool
}

type queued struct {
	sql  value
	args []value
	open bool
}

func isBatch(t types.Type) bool {
	return isNamed(t, "github.com/jackc/pgx/v5", "Batch") || isNamed(t, "github.com/jackc/pgx/v4", "Batch")
}

// batchAt gives the batch in a cell.
func (in *interp) batchAt(p *pointer) (*batch, bool) {
	if !isBatch(p.to.t) {
		return nil, false
	}
	if b, ok := in.st.mem[p.to].(*batch); ok {
		return b, true
	}
	return &batch{}, p.to.start == zeroed
}

func (in *interp) onBatch(inv *invocation, b *batch, name string, args []value) (value, bool) {
	switch name {
	case "Queue":
		list, known := in.listOf(args[1])
		if in.site != "" && in.st.phase == open && in.trace == nil {
			in.sendQueued(&handle{kind: transaction, site: in.site}, queued{args[0], list, !known})
		} else if p, ok := unbox(inv.args[0]).(*pointer); ok {
			in.st.mem[p.to] = &batch{queued: append(slices.Clone(b.queued), queued{args[0], list, !known})}
		}
		return scalar{client.C(ir.Null), client.Any}, true
	case "Len":
		return in.fresh(inv.t, "len", unknown), true
	case "Exec", "Query", "QueryRow":
		out := &rows{h: &handle{kind: database}, query: &client.Query{}, one: name == "QueryRow"}
		if name == "Exec" {
			return in.answer(inv.t, &outcome{query: out.query}), true
		}
		return in.answer(inv.t, out), true
	case "Close":
		return in.quiet(inv.t), true
	}
	return nil, false
}

func (in *interp) sendQueued(h *handle, q queued) {
	rs := in.statement(h, q.sql, q.args, q.open, nil)
	rs.query.Returned = true
	in.execute(rs)
}

// sendBatch sends what is queued.
func (in *interp) sendBatch(_ *invocation, h *handle, args []value) value {
	p, ok := unbox(args[len(args)-1]).(*pointer)
	if !ok {
		in.unknownCall("SendBatch of a batch that is not known", append(args, h), nil)
		return &batch{sent: true}
	}
	b, ok := in.batchAt(p)
	if !ok && !(in.owns(h) && in.st.phase == open) {
		in.unknownCall("SendBatch of a batch that is not known", append(args, h), nil)
		return &batch{sent: true}
	}
	if b != nil {
		if in.trace != nil && h.kind != transaction { // they are sent in one transaction
			h = &handle{kind: transaction, site: in.path()}
		}
		for _, q := range b.queued {
			in.sendQueued(h, q)
		}
	}
	return &batch{sent: true}
}
