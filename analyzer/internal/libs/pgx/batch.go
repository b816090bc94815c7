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
// transaction is open are taken to be sent with it, where they are queued, unless the context that they
// are sent with may end before the transaction does.
type batch struct {
	queued []queued
	// sent are the statements that were sent, in the order in which they were queued. loose says that others
	// may be among them.
	sent  []*memory.Rows
	loose bool
	// unsent says when what was sent was not, nil for never.
	unsent client.Expr
	// taken, if not nil, holds how many results were taken.
	taken *memory.Cell
}

func (b *batch) Live() bool               { return false }
func (b *batch) Sends() bool              { return true }
func (b *batch) Same(o memory.Value) bool { return o == memory.Value(b) }

// Depends gives how many results were taken: who gets them may take some.
func (b *batch) Depends() ([]memory.Value, bool) {
	if b.taken == nil {
		return nil, false
	}
	return []memory.Value{&memory.Pointer{To: b.taken}}, false
}

// Join gives a batch of which it is not known what was sent: all of it was sent already, on each path.
func (b *batch) Join(_ *memory.Memory, _ string, _ []*memory.Edge, vals []memory.Value) (memory.Value, bool) {
	for _, v := range vals {
		if o, ok := v.(*batch); ok && (len(o.queued) > 0 || o.unsent != nil || o.taken != nil) {
			return nil, false
		} else if _, zero := memory.ConstOf(v); !ok && !zero {
			return nil, false
		}
	}
	return &batch{loose: true}, true
}

type queued struct {
	sql  memory.Value
	args []memory.Value
	open bool
}

func isBatch(t types.Type) bool {
	return gotypes.IsNamed(t, "github.com/jackc/pgx/v5", "Batch") || gotypes.IsNamed(t, "github.com/jackc/pgx/v4", "Batch")
}

// batchAt gives the batch in a cell. It is not known where it is the caller's, or was lost.
func batchAt(in *memory.Memory, p *memory.Pointer) (*batch, bool) {
	if !isBatch(p.To.T) {
		return nil, false
	}
	held := in.Held(p.To)
	if b, ok := held.(*batch); ok {
		return b, true
	}
	return &batch{}, held == nil && p.To.Start == memory.Zeroed
}

func onBatch(in *session.Session, inv *session.Invocation, b *batch, name string, args []memory.Value) (memory.Value, bool) {
	switch name {
	case "Queue":
		list, known := in.ListOf(args[1])
		p, ok := memory.Unbox(inv.Args[0]).(*memory.Pointer)
		if in.IsOpen() && in.Trace == nil && !in.Shared.Late[in.Site] {
			rs := sendQueued(in, &memory.Handle{Kind: memory.Transaction, Site: in.Site}, queued{args[0], list, !known}, nil)
			switch {
			case !ok:
			case in.Loops > 0: // each round adds some
				in.Unordered[p.To] = true
			default: // what is queued already is written later
				in.Put(p.To, &batch{queued: b.queued, sent: append(slices.Clip(b.sent), rs), loose: b.loose || len(b.queued) > 0})
			}
		} else if ok {
			in.Put(p.To, &batch{queued: append(slices.Clip(b.queued), queued{args[0], list, !known}), sent: b.sent, loose: b.loose})
		}
		return memory.Of(client.C(ir.Null), client.Any), true
	case "Len":
		return in.Fresh(inv.T, "len", memory.Unknown), true
	case "Exec", "Query", "QueryRow":
		out := taken(in, b, name == "QueryRow")
		if name == "Exec" {
			return orUnsent(b, in.Answer(inv.T, &memory.Outcome{Query: out.Query, Mine: out.Mine})), true
		}
		return orUnsent(b, in.Answer(inv.T, out)), true
	case "Close":
		return orUnsent(b, in.Quiet(inv.T)), true
	}
	return nil, false
}

// taken gives the result of a batch that comes next.
func taken(in *session.Session, b *batch, one bool) *memory.Rows {
	out := &memory.Rows{H: &memory.Handle{Kind: memory.Database}, Query: &client.Query{}, One: one}
	if b.taken == nil || b.loose {
		return out
	}
	n, known := memory.ConstOf(in.Load(b.taken))
	if !known || n.I >= int64(len(b.sent)) {
		return out
	}
	in.Store(b.taken, memory.Of(memory.ConstInt(n.I+1), client.Int))
	rs := b.sent[n.I]
	if one {
		row := *rs
		row.One = true
		rs, in.St.Sent[&row] = &row, true
	}
	return rs
}

// orUnsent gives what the results of a batch give, with an error where that was not sent.
func orUnsent(b *batch, v memory.Value) memory.Value {
	if b.unsent == nil {
		return v
	}
	f := &memory.Failure{Other: b.unsent}
	if list, ok := v.(memory.Tuple); ok {
		list[len(list)-1] = f
		return list
	}
	if _, ok := memory.Unbox(v).(*memory.Failure); ok {
		return f
	}
	return v
}

func sendQueued(in *session.Session, h *memory.Handle, q queued, unsent client.Expr) *memory.Rows {
	rs := in.Statement(h, q.sql, q.args, q.open, nil)
	rs.Query.Returned, rs.Unsent = true, unsent
	in.Execute(rs)
	return rs
}

// sendBatch sends what is queued.
func sendBatch(in *session.Session, h *memory.Handle, args []memory.Value) memory.Value {
	unsent := in.NotSent(h)
	if unsent != nil && !in.Shared.Late[in.Site] {
		in.Shared.Late[in.Site], in.Again = true, true
	}
	p, ok := memory.Unbox(args[len(args)-1]).(*memory.Pointer)
	var b *batch
	if ok {
		b, ok = batchAt(in.Memory, p)
	}
	if !ok {
		in.UnknownCall("SendBatch of a batch that is not known", append(args, h), nil)
		return &batch{unsent: unsent}
	}
	if in.Trace != nil && h.Kind != memory.Transaction { // they are sent in one transaction
		h = &memory.Handle{Kind: memory.Transaction, Site: in.Path()}
	}
	sent := slices.Clip(b.sent)
	for _, q := range b.queued {
		sent = append(sent, sendQueued(in, h, q, unsent))
	}
	taken := in.NewCell(types.Typ[types.Int], "taken", memory.Zeroed)
	return &batch{unsent: unsent, sent: sent, loose: b.loose || unsent != nil || in.Unordered[p.To], taken: taken}
}

// copyFrom is pgx's COPY: an insertion of rows that are not known.
func copyFrom(in *session.Session, inv *session.Invocation, h *memory.Handle, args []memory.Value) memory.Value {
	for _, a := range args {
		in.EmitValue(a)
	}
	if in.OwnsOpen(h) && len(args) > 1 {
		into, columns := session.TextsIn(in, args[0]), session.TextsIn(in, args[1])
		if len(into) > 0 && len(columns) > 0 {
			insertAny(in, h, session.InsertText(into, columns), columns)
			return in.Quiet(inv.T)
		}
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

// insertAny writes any number of rounds, each of which inserts a row of values that are not known.
func insertAny(in *session.Session, h *memory.Handle, text string, columns []string) {
	in.Flush()
	l := &client.Loop{At: in.At(), Label: in.Label("copy")}
	in.Emit(l)
	in.Into(&l.Body, func() {
		more := in.NewVar("more", client.Bool, false, memory.Unknown)
		in.Emit(&client.If{At: in.At(), Cond: client.Not(client.V(more)), Then: []client.Stmt{&client.Break{At: in.At(), Label: l.Label}}})
		var row []memory.Value
		for _, c := range columns {
			row = append(row, memory.Of(client.V(in.NewVar(c, client.Any, true, memory.Unknown)), client.Any))
		}
		in.Execute(in.Statement(h, memory.Of(client.C(ir.Text(text)), client.Text), row, false, nil))
	})
}
