package absint

import (
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"golang.org/x/tools/go/ssa"
)

// Next goes to the next row of a query: where a loop calls it, the loop becomes one over the rows.
func (in *interp) Next(inv *session.Invocation, r *memory.Rows) memory.Value {
	f := in.act
	b := inv.Site
	if !r.Mine || b == nil {
		in.Execute(r)
		return memory.Of(client.V(in.NewVar("more", client.Bool, false, memory.Unknown)), client.Bool)
	}
	in.NeedsSent(r)
	block := inv.Site.(ssa.Instruction).Block()
	if t := f.targets[block]; t != nil && t.head != nil && !in.St.Sent[r] && t.head.rows == nil {
		in.St.Sent[r] = true
		t.head.rows, t.head.next = r, inv.Site
		return memory.Of(client.V("next"), client.Bool)
	}
	if in.St.Sent[r] { // the row after the first one
		r.Query.Returned, r.Later = true, true
		return memory.Of(client.V(in.NewVar("more", client.Bool, false, memory.Unknown)), client.Bool)
	}
	in.Execute(r)
	return memory.Of(in.Found(r), client.Bool)
}
