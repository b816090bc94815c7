package analyzer

import (
	"strconv"

	"github.com/txrobust/robust/internal/client"
)

// sessionCall is a call about the connection or the transaction.
func (in *interp) sessionCall(inv *invocation, c *chain, r chainRole, args []value) (value, bool) {
	switch r {
	case contextCall:
		return in.fork(c, true), true
	case sessionCall:
		return in.sessionOf(c, args), true
	case beginCall:
		return in.with(c, in.begin(c.h, args)), true
	case commitCall, rollbackCall:
		if r == commitCall {
			in.commit(c.h)
		} else {
			in.rollback(c.h)
		}
		return in.receiver(c), true
	case pointCall, rollbackToCall:
		in.pointCall(c, r, args)
		return in.receiver(c), true
	case connectionCall:
		if fn, ok := unbox(args[0]).(*closure); ok {
			return in.callWith(inv, fn, c.h), true
		}
		return nil, false
	case poolCall:
		return in.quiet(inv.t), true // a handle
	case migrateCall:
		in.migrate(args)
		return &failure{}, true
	case scanRowsCall:
		rs, ok := unbox(args[0]).(*rows)
		p, isPointer := unbox(args[1]).(*pointer)
		if !ok || !isPointer {
			return nil, false
		}
		return in.takeRow(rs, p, nil), true
	case errorCall:
		if c.s != nil {
			in.store(c.err, args[0])
		}
		return unbox(args[0]), true
	case associationCall:
		return in.associationCall(inv, c, args), true
	case valueCall:
		for _, a := range args {
			in.emitValue(a)
		}
		return in.quiet(inv.t), true
	}
	panic("analyzer: unknown role of a call of *gorm.DB " + strconv.Itoa(int(r)))
}

// receiver is the database that a call gives back.
func (in *interp) receiver(c *chain) value {
	if c.s == nil {
		return c.h
	}
	return c
}

// sessionOf is Session with its options.
func (in *interp) sessionOf(c *chain, args []value) value {
	a, ok := in.structOf(args[0])
	if !ok {
		return in.fork(c, true)
	}
	is := map[string]bool{}
	_, names := parts(a.t)
	for i, n := range names {
		switch n {
		case "NewDB", "DryRun", "SkipHooks", "AllowGlobalUpdate", "FullSaveAssociations", "Initialized":
			t, known := constOf(a.parts[i])
			is[n] = !known || t.IsTrue()
		case "Context", "PrepareStmt":
			is["copy"] = true
		}
	}
	if is["NewDB"] && !is["SkipHooks"] && !is["AllowGlobalUpdate"] && !is["DryRun"] && !is["FullSaveAssociations"] {
		return c.h
	}
	if is["SkipHooks"] || is["AllowGlobalUpdate"] || is["DryRun"] || is["FullSaveAssociations"] {
		d := *in.draftOf(c)
		if is["NewDB"] {
			d = draft{}
		}
		d.skipHooks = d.skipHooks || is["SkipHooks"]
		d.global = d.global || is["AllowGlobalUpdate"]
		d.fullSave = d.fullSave || is["FullSaveAssociations"]
		if is["DryRun"] {
			d.lost = "a session with DryRun"
		}
		r := in.newChain(c.h, &d)
		r.mode = forked
		return r
	}
	return in.fork(c, is["copy"])
}

// pointCall is SavePoint or RollbackTo.
func (in *interp) pointCall(c *chain, r chainRole, args []value) {
	if !in.owns(c.h) || in.st.phase != open || in.trace != nil {
		return
	}
	name, ok := constText(args[0])
	switch {
	case !ok:
		in.emit(&client.Unknown{At: in.at(), Reason: "a savepoint whose name is not known"})
	case r == pointCall:
		in.emit(&client.Savepoint{At: in.at(), Name: name})
		in.saves = true
	default:
		in.emit(&client.RollbackTo{At: in.at(), Name: name})
	}
}

// callWith calls a function with a database.
func (in *interp) callWith(inv *invocation, fn *closure, v value) value {
	inner := &invocation{c: inv.c, fn: fn, args: []value{v}, at: inv.at, t: errorType}
	return in.callFunction(inner, fn)
}

// associationCall stands for what the methods of an Association may do.
func (in *interp) associationCall(inv *invocation, c *chain, args []value) value {
	var tables []string
	name, ok := constText(args[0])
	if own := in.tablesOf(c); ok && own != nil {
		m := in.p.models().Model(in.draftOf(c).model.t)
		if r := m.Relation(name); r != nil {
			if o := in.p.models().Model(r.Other); o != nil && o.Table != "" && len(o.Relations) == 0 {
				tables = append(own, o.Table)
				if r.Join != "" {
					tables = append(tables, r.Join)
				}
			}
		}
	}
	in.anything(c.h, tables, false, "the association "+name)
	if m := in.draftOf(c).model; m != nil {
		in.expose(m.v)
	}
	return in.fresh(inv.t, "association", unknown)
}
