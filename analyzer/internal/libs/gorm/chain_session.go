package gorm

import (
	"strconv"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
)

// sessionCall is a call about the connection or the transaction.
func (in *run) sessionCall(inv *session.Invocation, c *chain, r chainRole, args []memory.Value) (memory.Value, bool) {
	switch r {
	case contextCall:
		return in.fork(c, true), true
	case sessionCall:
		return in.sessionOf(c, args), true
	case beginCall:
		return in.with(c, in.Begin(c.h, args)), true
	case commitCall, rollbackCall:
		if r == commitCall {
			in.Commit(c.h)
		} else {
			in.Rollback(c.h)
		}
		return in.receiver(c), true
	case pointCall, rollbackToCall:
		in.pointCall(c, r, args)
		return in.receiver(c), true
	case connectionCall:
		if fn, ok := memory.Unbox(args[0]).(*memory.Closure); ok {
			return in.callWith(inv, fn, c.h), true
		}
		return nil, false
	case poolCall:
		return in.Quiet(inv.T), true // a handle
	case migrateCall:
		in.migrate(args)
		return &memory.Failure{}, true
	case scanRowsCall:
		rs, ok := memory.Unbox(args[0]).(*memory.Rows)
		p, isPointer := memory.Unbox(args[1]).(*memory.Pointer)
		if !ok || !isPointer {
			return nil, false
		}
		return in.takeRow(rs, p, nil), true
	case errorCall:
		if c.s != nil {
			in.Store(c.err, args[0])
		}
		return memory.Unbox(args[0]), true
	case associationCall:
		return in.associationCall(inv, c, args), true
	case valueCall:
		for _, a := range args {
			in.EmitValue(a)
		}
		return in.Quiet(inv.T), true
	}
	panic("analyzer: unknown role of a call of *gorm.DB " + strconv.Itoa(int(r)))
}

// receiver is the database that a call gives back.
func (in *run) receiver(c *chain) memory.Value {
	if c.s == nil {
		return c.h
	}
	return c
}

// sessionOf is Session with its options.
func (in *run) sessionOf(c *chain, args []memory.Value) memory.Value {
	a, ok := in.StructOf(args[0])
	if !ok {
		return in.fork(c, true)
	}
	is := map[string]bool{}
	names := a.Names()
	for i, n := range names {
		switch n {
		case "NewDB", "DryRun", "SkipHooks", "AllowGlobalUpdate", "FullSaveAssociations", "Initialized":
			t, known := memory.ConstOf(a.Parts[i])
			is[n] = !known || t.IsTrue()
		case "Context", "PrepareStmt":
			is["copy"] = true
		}
	}
	if is["NewDB"] && !is["SkipHooks"] && !is["AllowGlobalUpdate"] && !is["DryRun"] && !is["FullSaveAssociations"] {
		return c.h
	}
	if is["SkipHooks"] || is["AllowGlobalUpdate"] || is["DryRun"] || is["FullSaveAssociations"] {
		d := *draftOf(in.Memory, c)
		if is["NewDB"] {
			d = draft{}
		}
		d.skipHooks = d.skipHooks || is["SkipHooks"]
		d.global = d.global || is["AllowGlobalUpdate"]
		d.fullSave = d.fullSave || is["FullSaveAssociations"]
		if is["DryRun"] {
			d.lost = "a session with DryRun"
		}
		r := newChain(in.Memory, c.h, &d)
		r.mode = forked
		return r
	}
	return in.fork(c, is["copy"])
}

// pointCall is SavePoint or RollbackTo.
func (in *run) pointCall(c *chain, r chainRole, args []memory.Value) {
	if !in.Owns(c.h) || in.St.Phase != memory.Open || in.Trace != nil {
		return
	}
	name, ok := memory.ConstText(args[0])
	switch {
	case !ok:
		in.Emit(&client.Unknown{At: in.At(), Reason: "a savepoint whose name is not known"})
	case r == pointCall:
		in.Emit(&client.Savepoint{At: in.At(), Name: name})
		in.Saves = true
	default:
		in.Emit(&client.RollbackTo{At: in.At(), Name: name})
	}
}

// callWith calls a function with a database.
func (in *run) callWith(inv *session.Invocation, fn *memory.Closure, v memory.Value) memory.Value {
	inner := &session.Invocation{C: inv.C, Fn: fn, Args: []memory.Value{v}, At: inv.At, T: gotypes.ErrorType}
	return in.Control.CallFunction(inner, fn)
}

// associationCall stands for what the methods of an Association may do.
func (in *run) associationCall(inv *session.Invocation, c *chain, args []memory.Value) memory.Value {
	var tables []string
	name, ok := memory.ConstText(args[0])
	if own := in.tablesOf(c); ok && own != nil {
		m := in.lib.models().Model(draftOf(in.Memory, c).model.T)
		if r := m.Relation(name); r != nil {
			if o := in.lib.models().Model(r.Other); o != nil && o.Table != "" && len(o.Relations) == 0 {
				tables = append(own, o.Table)
				if r.Join != "" {
					tables = append(tables, r.Join)
				}
			}
		}
	}
	in.Anything(c.h, tables, false, "the association "+name)
	if m := draftOf(in.Memory, c).model; m != nil {
		in.Expose(m.V)
	}
	return in.Fresh(inv.T, "association", memory.Unknown)
}
