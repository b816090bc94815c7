package analyzer

import (
	"go/types"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// begin begins a transaction.
func (in *interp) begin(h *handle, args []value) *handle {
	if h.kind == transaction { // in a transaction: a savepoint
		in.points++
		n := &handle{kind: transaction, site: h.site, point: "point" + itoa(in.points), t: h.t, lost: h.lost}
		if in.owns(h) && in.st.phase == open && in.trace == nil {
			in.emit(&client.Savepoint{At: in.at(), Name: n.point})
			in.saves = true
		}
		return n
	}
	site := in.path()
	if in.trace != nil {
		in.amid, in.onConn = true, in.onConn || isConn(h.t)
		return &handle{kind: transaction, site: site, t: h.t}
	}
	tx := &handle{kind: transaction, site: site, t: h.t}
	in.newSite(site)
	if site != in.site {
		return tx
	}
	in.st.phase, in.begun, in.onConn = open, true, in.onConn || isConn(h.t) || types.IsInterface(h.t)
	in.beginPos, in.readOnly = in.p.position(in.pos), in.readsOnly(args)
	if level, known := in.levelOf(args); !known {
		in.anyLevel = true
	} else if level != "" {
		in.level = level
	}
	b := &client.Block{At: in.at(), Label: beginLabel}
	in.emit(b)
	return tx
}

// isConn reports whether a type is that of one connection: what is sent through it
// while a transaction of the connection is open is part of that.
func isConn(t types.Type) bool {
	n := typeName(t)
	return handleTypes[n] == "db" && strings.HasSuffix(n, ".Conn")
}

// beginLabel marks where the transaction begins.
const beginLabel = "begin"

// path says where an instruction stands: its position, and the calls around.
func (in *interp) path() string {
	s := in.p.position(in.pos).String()
	for f := in.fr; f != nil && f.caller != nil; f = f.caller {
		s = in.p.position(f.at).String() + " > " + s
	}
	return s
}

// owns reports whether a handle is one of the transaction that is written.
func (in *interp) owns(h *handle) bool {
	return in.trace != nil || in.site != "" && (h.kind == transaction && h.site == in.site || in.ofConnection(h))
}

// ofConnection reports whether a handle is that of a statement which was prepared on a
// connection, while the transaction is one of a connection: it is taken to be the same
// one, since who has a connection for its statements mostly has just that.
func (in *interp) ofConnection(h *handle) bool {
	if !h.conn || !in.onConn || in.st == nil || in.st.phase != open {
		return false
	}
	if !in.connNoted {
		in.connNoted = true
		in.result.notes = append(in.result.notes, ir.Note{Pos: in.p.position(in.pos),
			Text: "statements that were prepared on a connection are taken to be of the one that has the transaction here"})
	}
	return true
}

// perhaps reports whether a handle may be one of the transaction that is written,
// which is open.
func (in *interp) perhaps(h *handle) bool {
	if in.site == "" || in.st.phase != open || in.owns(h) {
		return false
	}
	if h.kind == database {
		return in.onConn && isConn(h.t)
	}
	return h.lost || h.site == in.site
}

func (in *interp) commit(h *handle) {
	in.amid = false
	if !in.owns(h) || in.st.phase != open || h.point != "" || in.trace != nil {
		return
	}
	in.flush()
	c := &client.Commit{At: in.at()}
	in.emit(c)
	in.st.phase, in.st.ended = done, c
}

func (in *interp) rollback(h *handle) {
	switch {
	case !in.owns(h) || in.st.phase != open || in.trace != nil:
	case h.point != "":
		in.emit(&client.RollbackTo{At: in.at(), Name: h.point})
	default:
		in.emit(&client.Rollback{At: in.at()})
		in.st.phase, in.st.rolled = done, true
	}
}

// inTransaction runs a function in a transaction, as libraries do.
func (in *interp) inTransaction(inv *invocation) (value, bool) {
	var h *handle
	var from *chain
	var fn value
	for _, a := range inv.args {
		switch a := unbox(a).(type) {
		case *handle:
			if h == nil {
				h = a
			}
		case *chain:
			h, from = a.h, a
		case *closure, *asked:
			fn = a
		}
	}
	if h == nil || fn == nil {
		return nil, false
	}
	tx := in.begin(h, inv.args)
	sig := in.functionType(inv)
	call := &invocation{c: inv.c, fn: fn, at: inv.at, t: resultType(sig)}
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		if in.p.handleType(t) != "" {
			if from != nil {
				call.args = append(call.args, in.with(from, tx))
			} else {
				call.args = append(call.args, tx)
			}
		} else {
			call.args = append(call.args, in.quiet(t))
		}
	}
	var result value
	switch fn := fn.(type) {
	case *closure:
		result = in.callFunction(call, fn)
	case *asked:
		in.callers("the function " + fn.name + " comes from its caller")
		result = in.unknownCall("a call of a function that is not known", call.args, call.t)
	}
	if in.st == nil {
		return in.quietDead(inv.t), true
	}
	f, ok := unbox(result).(*failure)
	if !ok {
		f = &failure{}
		if call.t != nil && isError(call.t) { // which may be nil
			in.emitValue(result)
			f = in.fresh(call.t, "err", unknown).(*failure)
		}
	}
	in.either(in.failed(f), func() { in.rollback(tx) }, func() { in.commit(tx) })
	return f, true
}

// functionType gives the type of the function among the arguments.
func (in *interp) functionType(inv *invocation) *types.Signature {
	for _, a := range inv.c.Args {
		if sig, ok := a.Type().Underlying().(*types.Signature); ok {
			return sig
		}
	}
	return types.NewSignatureType(nil, nil, nil, nil, nil, false)
}
