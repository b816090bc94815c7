package routine

import (
	"maps"
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/proc"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// orElse translates a block with handlers by block. Where these may run for an error that only
// transactions which commit meanwhile cause, there are two branches: one in which there is
// no such error, which is all that a serial execution can do, and one that is not modelled,
// by abandon.
func (b *Builder) orElse(f *expr.Frame, pos ir.Pos, block func(), abandon func(why string)) {
	why, ok := b.AttemptIn(f, block)
	if ok {
		return
	}
	if b.Moment {
		b.Unmodelled("%s", why)
	}
	b.Moment = true
	exactly := b.Collect(func() { _, ok = b.AttemptIn(f, block) })
	b.Moment = false
	if !ok {
		b.Unmodelled("%s", why)
	}
	branch := &ir.If{At: expr.At(pos), Cond: b.Choice(pos), Else: exactly}
	branch.Then = b.Collect(func() { abandon(why) })
	b.Emit(branch)
}

// protected translates the body and the handlers of a block.
func (b *Builder) protected(f *expr.Frame, s *plpgsql.Block, pos ir.Pos) {
	b.Txn.Subtransactions = true
	goesOn := func(h plpgsql.Handler) bool { return !plpgsql.Raises(h.Body, f.Text.SQL) }
	if len(b.Catches) == 0 && !slices.ContainsFunc(s.Handlers, goesOn) {
		b.stmts(f, s.Body) // each error ends the transaction all the same
		return
	}
	for _, h := range s.Handlers {
		for _, c := range h.Conds {
			if !c.Others && len(c.States) == 0 {
				b.Unmodelled("a handler of %s, which is not known here", c.Name)
			}
		}
	}
	n := len(s.Handlers)
	c := &expr.Catch{Handlers: s.Handlers, Labels: make([]string, n), States: make([]map[string]bool, n),
		State: b.Local("sqlstate", schema.TText), Src: f.Text.SQL}
	b.Catches = append(b.Catches, c)
	late := b.App.Late
	body := b.Collect(func() { b.stmts(f, s.Body) })
	if slices.ContainsFunc(s.Handlers, func(h plpgsql.Handler) bool { return expr.Catches(h, expr.DivisionByZero) }) {
		body = b.divisions(body)
	}
	b.Catches = b.Catches[:len(b.Catches)-1]
	b.refuse(c, b.risks(f, c, s.Body, body))

	end := b.NewLabel(syntax.NameOr(s.Label, "block"))
	list, undo, reached := body, undoes(body), false
	for i, h := range s.Handlers {
		if c.Labels[i] == "" || !proc.Leaves(body, c.Labels[i]) {
			continue
		}
		reached = true
		at := expr.At(f.Text.Pos(h.Place()))
		if !proc.EndsInJump(list) {
			list = append(list, &ir.Break{At: at, Label: end})
		}
		list = []ir.Stmt{&ir.Block{At: at, Label: c.Labels[i], Body: list}}
		if undo {
			list = append(list, &ir.RollbackTo{At: at, Name: end})
		}
		b.App.Late = late // what the body set is undone
		list = append(list, b.Collect(func() { b.handler(f, expr.Handling{Catch: c, I: i}) })...)
	}
	if undo && reached {
		b.Emit(&ir.Savepoint{At: expr.At(pos), Name: end})
	}
	b.Emit(&ir.Block{At: expr.At(pos), Label: end, Body: list})
}

// undoes reports whether rolling statements back changes anything.
func undoes(list []ir.Stmt) bool {
	found := false
	ir.Walk(list, func(s ir.Stmt) {
		switch s.(type) {
		case *ir.Insert, *ir.Update, *ir.Delete, *ir.LockTable, *ir.Unmodelled:
			found = true
		}
		locks, _ := ir.LocksOf(s)
		found = found || len(locks) > 0
	})
	return found
}

// handler translates the body of a handler.
func (b *Builder) handler(f *expr.Frame, h expr.Handling) {
	outer, scope_ := f.Handling, f.Scope
	defer func() { f.Handling, f.Scope = outer, scope_ }()
	f.Handling = &h
	f.Scope = &expr.Scope{Parent: f.Scope, Vars: map[string]*expr.Variable{
		"sqlstate": {Name: "sqlstate", Local: h.State, Type: schema.TText, NotNull: true},
		"sqlerrm":  {Name: "sqlerrm", Bound: ir.C(ir.Null), Type: schema.TText}, // see messageIsData
	}}
	body := h.Handlers[h.I].Body
	if f.ReadsMessage(body) && b.messageIsData(f) {
		b.Unmodelled("the message of an error, as a value")
	}
	b.stmts(f, body)
}

// raise translates RAISE.
func (b *Builder) raise(f *expr.Frame, s *plpgsql.Raise, pos ir.Pos) {
	if !s.Error || len(b.Catches) > 0 {
		for i, e := range s.Args { // they are computed, whether the message is shown or not
			v := b.value(f, e)
			b.compute(pos, v.Columns())
			if i >= s.Formatted && !v.Record && !v.NotNull && !s.Error {
				b.Require(pos, expr.IsNotNull(v.Expr), expr.NullVariable)
			}
		}
	}
	switch {
	case !s.Error:
	case !s.Again:
		b.Fails(pos, s.State)
	case f.Handling == nil:
		b.Fails(pos, noHandler)
	default:
		b.raiseAgain(f.Handling, pos)
	}
}

// noHandler is the SQLSTATE of what only a handler may do.
const noHandler = "0Z002"

// raiseAgain raises the error that is being handled.
func (b *Builder) raiseAgain(h *expr.Handling, pos ir.Pos) {
	states := slices.Sorted(maps.Keys(h.States[h.I]))
	if !b.Caught(states...) {
		b.Emit(&ir.Abort{At: expr.At(pos)})
		return
	}
	for _, state := range states[1:] {
		is := ir.Op(ir.Eq, ir.V(h.State), ir.C(ir.Text(state)))
		b.Emit(&ir.If{At: expr.At(pos), Cond: is, Then: b.Collect(func() { b.Fails(pos, state) })})
	}
	b.Fails(pos, states[0])
}

// stacked is GET STACKED DIAGNOSTICS.
func (b *Builder) stacked(f *expr.Frame, s *plpgsql.GetDiagnostics, pos ir.Pos) {
	if f.Handling == nil {
		b.Fails(pos, noHandler)
		return
	}
	for _, it := range s.Items {
		v, fd := b.targetOf(f, it.Target)
		if fd != nil || v.IsRecord {
			b.Unmodelled("GET STACKED DIAGNOSTICS into a record")
		}
		if it.Item == "returned_sqlstate" {
			b.Assign(pos, v.Local, b.Ex(f, f.Text).Cast(expr.Val{Expr: ir.V(f.Handling.State), Type: schema.TText, NotNull: true}, v.Type, 0).Expr)
		}
	}
}

// messageIsData reports whether the text of errors may reach more than
// messages: it is followed through variables, by their names. Elsewhere it does
// not matter what it is.
func (b *Builder) messageIsData(f *expr.Frame) bool {
	body := []plpgsql.Stmt{f.Func.Body.Block}
	names, data := map[string]bool{"sqlerrm": true}, false
	mentions := func(x plpgsql.Span) bool { return expr.MentionsName(x.Text(f.Text.SQL), names) }
	passes := func(x plpgsql.Span) { // to a function of the program?
		sel, _ := b.expression(f, x)
		for name := range b.App.Calls(b.RefsOf(sel)) {
			data = data || mentions(x) && (len(b.App.LateFunctions(name)) > 0 || b.App.Builtin(name).Unsafe())
		}
	}
	for size := 0; size != len(names); {
		size = len(names)
		plpgsql.Walk(body, func(s plpgsql.Stmt) {
			switch s := s.(type) {
			case *plpgsql.GetDiagnostics:
				for _, it := range s.Items {
					if s.Stacked && it.Item != "returned_sqlstate" {
						names[it.Target.Parts[0]] = true
						data = data || len(it.Target.Parts) > 1
					}
				}
			case *plpgsql.Assign:
				if mentions(s.Expr) {
					names[s.Target.Parts[0]] = true
					data = data || len(s.Target.Parts)+len(s.Subscripts) > 1
				}
			case *plpgsql.Block:
				for _, d := range s.Decls {
					data = data || names[d.Alias]
				}
			}
		})
	}
	for i, p := range f.Func.Params {
		data = data || names[p.Name] || names["$"+strconv.Itoa(i+1)]
	}
	plpgsql.Walk(body, func(s plpgsql.Stmt) {
		switch s := s.(type) {
		case *plpgsql.Raise:
			for _, x := range s.Args {
				passes(x)
			}
		case *plpgsql.Assign:
			passes(s.Expr)
		default:
			plpgsql.Spans(s, func(x plpgsql.Span, _ plpgsql.SpanKind) { data = data || mentions(x) })
		}
	})
	return data
}

// keepingFailures translates a command by f, and marks what may fail of it and is left out.
func (b *Builder) keepingFailures(f func()) {
	outer, mark := b.Fallible, len(b.Out)
	b.Fallible = nil
	f()
	if len(b.Fallible) > 0 {
		b.markLost(b.Out[mark:])
	}
	b.Fallible = outer
}

// markLost marks what may fail of a command, and is in none of the statements that it became.
func (b *Builder) markLost(list []ir.Stmt) {
	kept := map[string]bool{}
	see := func(e ir.Expr) { kept[expr.Failing(e)] = true }
	ir.WalkExprs(list, func(e ir.Expr) {
		see(e)
		if c, is := e.(*ir.Call); is && c.Def != nil {
			ir.WalkRel(c.Def.Rel, see)
		}
	})
	slices.Sort(b.Fallible)
	for _, name := range slices.Compact(b.Fallible) {
		if !kept[name] {
			b.MayDepend(b.Cur, "an error of "+name+", of which the value is not used")
		}
	}
}
