package analyzer

import (
	"go/types"
	"strings"

	"github.com/txrobust/robust/internal/client"
)

// onHandle is a call of a method of a value of the database.
func (in *interp) onHandle(inv *invocation, name string, sig *types.Signature) (value, bool) {
	args := inv.args[1:]
	switch recv := unbox(inv.args[0]).(type) {
	case *handle:
		if isNamed(recv.t, "gorm.io/gorm", "DB") {
			return in.onChain(inv, &chain{h: recv}, name, args)
		}
		return in.onDatabase(inv, recv, name, sig, args)
	case *chain:
		return in.onChain(inv, recv, name, args)
	case *foreign:
		return in.onForeign(inv, recv, name, args)
	case *sqlBuilder:
		return in.onBuilder(inv, recv, name, args)
	case *rows:
		return in.onRows(inv, recv, name, args)
	case *outcome:
		return in.onOutcome(inv, recv, name)
	case *prepared:
		return in.onPrepared(inv, recv, name, args)
	case *batch:
		return in.onBatch(inv, recv, name, args)
	case *pointer:
		if b, ok := in.batchAt(recv); ok {
			return in.onBatch(inv, b, name, args)
		}
		if isTrue(recv.nil()) {
			break
		}
		return in.onLost(inv, name, sig)
	case *closure, *asked:
	default:
		return in.onLost(inv, name, sig)
	}
	return nil, false
}

// onLost is a call of a method of a value of which nothing is known but its type.
func (in *interp) onLost(inv *invocation, name string, sig *types.Signature) (value, bool) {
	v := in.handleOf(sig.Recv().Type(), "it")
	h := handleIn(v)
	if h == nil {
		return nil, false
	}
	h.lost = true
	in.emitValue(inv.args[0])
	known := *inv
	known.args = append([]value{v}, inv.args[1:]...)
	return in.onHandle(&known, name, sig)
}

// withoutContext drops a context in front.
func (in *interp) withoutContext(sig *types.Signature, args []value) []value {
	if sig.Params().Len() > 0 && isNamed(sig.Params().At(0).Type(), "context", "Context") {
		return args[1:]
	}
	return args
}

func (in *interp) onDatabase(inv *invocation, h *handle, name string, sig *types.Signature, args []value) (value, bool) {
	args = in.withoutContext(sig, args)
	if q, ok := in.beginForeign(h, name, args); ok {
		return q, true
	}
	if entType(sig.Recv().Type()) != "" && (name == "Client" || name == "Debug") {
		return h.as(inv.t), true
	}
	if c := in.p.gorpRole(sig.Recv().Type(), name, sig); c != noGorp {
		return in.onGorp(inv, h, c, args), true
	}
	r := methods[name]
	switch r {
	case execRole, queryRole, queryRowRole, getRole, selectRole, namedExecRole, namedRowsRole:
		return in.send(inv, h, r, args)
	case beginRole:
		if !in.p.begins(sig) {
			return nil, false
		}
		tx := in.begin(h, args)
		return in.answer(inv.t, tx), true
	case commitRole:
		in.commit(h)
		return in.quiet(inv.t), true
	case rollbackRole:
		in.rollback(h)
		return in.quiet(inv.t), true
	case prepareRole:
		p := &prepared{h: h, sql: args[len(args)-1], byName: strings.HasPrefix(name, "PrepareNamed")}
		for _, a := range args { // pgx: name, SQL
			if s, ok := a.(scalar); ok && s.kind == client.Text {
				p.sql = s
			}
		}
		return in.answer(inv.t, p), true
	case inTxRole:
		return in.inTransaction(inv)
	case copyRole:
		return in.copyFrom(inv, h, args), true
	case sendBatchRole:
		return in.sendBatch(inv, h, args), true
	case withRole:
		if t, ok := inv.t.(*types.Tuple); ok {
			return in.answer(inv.t, h.as(t.At(0).Type())), true
		}
		return h.as(inv.t), true
	case sameRole:
		if len(args) == 0 {
			return h, true
		}
		v := args[len(args)-1]
		if p, ok := unbox(v).(*prepared); ok { // tx.Stmt(p)
			return &prepared{h: h, sql: p.sql}, true
		}
		return v, true
	case idleRole:
		return in.quiet(inv.t), true
	}
	return nil, false
}

func (in *interp) onPrepared(inv *invocation, p *prepared, name string, args []value) (value, bool) {
	r := methods[name]
	switch r {
	case execRole, queryRole, queryRowRole, getRole, selectRole:
		sig := inv.c.Signature()
		args = in.withoutContext(sig, args)
		if p.byName {
			return in.sendByName(inv, p, r, args)
		}
		if r == getRole || r == selectRole {
			args = append([]value{args[0], p.sql}, args[1:]...)
		} else {
			args = append([]value{p.sql}, args...)
		}
		return in.send(inv, p.h, r, args)
	}
	return in.quiet(inv.t), true
}

// copyFrom is pgx's COPY: an insertion of rows that are not known.
func (in *interp) copyFrom(inv *invocation, h *handle, args []value) value {
	for _, a := range args {
		in.emitValue(a)
	}
	table := ""
	if list, ok := in.listOf(args[0]); ok {
		for _, v := range list {
			if c, known := constOf(v); known {
				table = c.S
			} else {
				table = ""
			}
		}
	}
	if in.owns(h) && in.st.phase == open {
		u := &client.Unknown{At: in.at(), Reason: "CopyFrom"}
		if table != "" {
			u.Tables = []string{table}
		}
		in.emit(u)
	} else if in.perhaps(h) {
		in.emit(&client.Unknown{At: in.at(), Reason: "CopyFrom"})
	} else if in.outside(); h.kind != transaction && in.site == "" {
		text := "INSERT INTO " + client.Hole
		if table != "" {
			text = "INSERT INTO " + table + " " + client.Hole
		}
		in.auto(&rows{h: h, pos: in.p.position(in.pos), query: &client.Query{At: in.at(), SQL: text}}, text, nil)
	}
	return in.quiet(inv.t)
}
