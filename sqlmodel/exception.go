package sqlmodel

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// A block with EXCEPTION is a savepoint. Where its body meets an error, the
// savepoint is rolled back and control goes to a handler, while the variables
// keep their values. For errors that the transaction itself can tell, from its
// variables and its snapshot, that is a jump out of the body.
//
// No statement of the IR tells whether the other ones occur, such as a
// unique_violation, for which the row in the way need not be in the snapshot. To
// choose between "fails" and "does not fail" would be wrong: it allows serial
// executions that do not exist. So such an error must meet no handler that goes
// on. It ends the transaction then, and that is all that the IR says of it.

// catch is a block with EXCEPTION while its body is translated.
type catch struct {
	handlers []plpgsql.Handler
	// labels are those of the handlers, "" until an error goes there; states are
	// the SQLSTATEs of the errors that do.
	labels []string
	states []map[string]bool
	// state is the local that takes the SQLSTATE.
	state string
	// masked are the errors in whose place handlers of inner blocks raise theirs.
	masked []risk
	src    string // of the function
}

// handling is a handler while its body is translated.
type handling struct {
	*catch
	i int
}

func catches(h plpgsql.Handler, state string) bool {
	return slices.ContainsFunc(h.Conds, func(c plpgsql.Condition) bool { return c.Catches(state) })
}

// catcher gives the handler for an error that the translation shows; none where
// the error ends the transaction, caught or not.
func (b *Draft) catcher(state string) (c *catch, handler int) {
	if state == "" && len(b.catches) > 0 {
		b.unmodelled("an error whose SQLSTATE is told when it is raised")
	}
	for k := len(b.catches) - 1; k >= 0; k-- {
		c := b.catches[k]
		i := slices.IndexFunc(c.handlers, func(h plpgsql.Handler) bool { return catches(h, state) })
		switch {
		case i < 0:
		case k == 0 && raises(c.handlers[i].Body, c.src):
			return nil, 0
		default:
			return c, i
		}
	}
	return nil, 0
}

// caught reports whether an error with one of the SQLSTATEs has a catcher.
func (b *Draft) caught(states ...string) bool {
	return slices.ContainsFunc(states, func(s string) bool {
		c, _ := b.catcher(s)
		return c != nil
	})
}

// fails writes an error.
func (b *Draft) fails(pos ir.Pos, state string) {
	c, i := b.catcher(state)
	if c == nil {
		b.emit(&ir.Abort{At: at(pos)})
		return
	}
	if c.labels[i] == "" {
		c.labels[i], c.states[i] = b.newLabel("handler"), map[string]bool{}
	}
	c.states[i][state] = true
	b.emitWeak(&ir.Assign{At: at(pos), Var: c.state, Expr: ir.C(ir.Text(state))})
	b.emit(&ir.Break{At: at(pos), Label: c.labels[i]})
}

// require writes that it is an error unless cond is true.
func (b *Draft) require(pos ir.Pos, cond ir.Expr, state string) {
	if !b.caught(state) {
		b.emit(&ir.Assume{At: at(pos), Cond: cond})
		return
	}
	b.emit(&ir.If{At: at(pos), Cond: cond, Else: b.collect(func() { b.fails(pos, state) })})
}

// protected translates the body and the handlers of a block.
func (b *builder) protected(f *frame, s *plpgsql.Block, pos ir.Pos) {
	b.txn.Subtransactions = true
	goesOn := func(h plpgsql.Handler) bool { return !raises(h.Body, f.text.SQL) }
	if len(b.catches) == 0 && !slices.ContainsFunc(s.Handlers, goesOn) {
		b.stmts(f, s.Body) // each error ends the transaction all the same
		return
	}
	for _, h := range s.Handlers {
		for _, c := range h.Conds {
			if !c.Others && len(c.States) == 0 {
				b.unmodelled("a handler of %s, which is not known here", c.Name)
			}
		}
	}
	n := len(s.Handlers)
	c := &catch{handlers: s.Handlers, labels: make([]string, n), states: make([]map[string]bool, n),
		state: b.local("sqlstate", schema.TText), src: f.text.SQL}
	b.catches = append(b.catches, c)
	body := b.collect(func() { b.stmts(f, s.Body) })
	if slices.ContainsFunc(s.Handlers, func(h plpgsql.Handler) bool { return catches(h, divisionByZero) }) {
		body = b.divisions(body)
	}
	b.catches = b.catches[:len(b.catches)-1]
	b.refuse(c, b.risks(f, c, s.Body, body))

	end := b.newLabel(syntax.NameOr(s.Label, "block"))
	list, undo, reached := body, undoes(body), false
	for i, h := range s.Handlers {
		if c.labels[i] == "" || !leaves(body, c.labels[i]) {
			continue
		}
		reached = true
		at := at(f.text.Pos(h.Place()))
		if !endsInJump(list) {
			list = append(list, &ir.Break{At: at, Label: end})
		}
		list = []ir.Stmt{&ir.Block{At: at, Label: c.labels[i], Body: list}}
		if undo {
			list = append(list, &ir.RollbackTo{At: at, Name: end})
		}
		list = append(list, b.collect(func() { b.handler(f, handling{c, i}) })...)
	}
	if undo && reached {
		b.emit(&ir.Savepoint{At: at(pos), Name: end})
	}
	b.emit(&ir.Block{At: at(pos), Label: end, Body: list})
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

// keepsFound refuses FOUND and ROW_COUNT where a handler may look at them after an
// error in the middle of a statement that writes t, since they are set before it:
// an error of a trigger, or (t nil) of a later row.
func (b *builder) keepsFound(f *frame, t *schema.Table) {
	if len(b.catches) > 0 && (f.found != "" || f.rowcount != "") && (t == nil || len(t.Triggers) > 0) {
		b.unmodelled("FOUND or ROW_COUNT, in a block with EXCEPTION around a statement that may end in the middle")
	}
}

// oneByOne refuses a write of several rows of t where an error of a later row may
// be handled: foreign keys are checked, and AFTER triggers run, when all rows are
// written, and not one by one as in the translation.
func (b *builder) oneByOne(t *schema.Table) {
	if len(b.catches) > 0 && (len(t.Foreign)+len(b.l.KeysTo(t)) > 0 || slices.ContainsFunc(t.Triggers, func(g *schema.Trigger) bool { return g.Row && !g.Before })) {
		b.unmodelled("a write of several rows of %s, with foreign keys or AFTER triggers, in a block with EXCEPTION", t.Name)
	}
}

// handler translates the body of a handler.
func (b *builder) handler(f *frame, h handling) {
	outer, scope_ := f.handling, f.scope
	defer func() { f.handling, f.scope = outer, scope_ }()
	f.handling = &h
	f.scope = &scope{parent: f.scope, vars: map[string]*variable{
		"sqlstate": {name: "sqlstate", local: h.state, t: schema.TText, nn: true},
		"sqlerrm":  {name: "sqlerrm", bound: ir.C(ir.Null), t: schema.TText}, // see messageIsData
	}}
	body := h.handlers[h.i].Body
	if f.readsMessage(body) && b.messageIsData(f) {
		b.unmodelled("the message of an error, as a value")
	}
	b.stmts(f, body)
}

// raise translates RAISE.
func (b *builder) raise(f *frame, s *plpgsql.Raise, pos ir.Pos) {
	if !s.Error || len(b.catches) > 0 {
		for i, e := range s.Args { // they are computed, whether the message is shown or not
			v := b.value(f, e)
			b.compute(pos, v.columns())
			if i >= s.Formatted && !v.record && !v.nn && !s.Error {
				b.require(pos, isNotNull(v.e), nullVariable)
			}
		}
	}
	switch {
	case !s.Error:
	case !s.Again:
		b.fails(pos, s.State)
	case f.handling == nil:
		b.fails(pos, noHandler)
	default:
		b.raiseAgain(f.handling, pos)
	}
}

// noHandler is the SQLSTATE of what only a handler may do.
const noHandler = "0Z002"

// raiseAgain raises the error that is being handled.
func (b *builder) raiseAgain(h *handling, pos ir.Pos) {
	states := slices.Sorted(maps.Keys(h.states[h.i]))
	if !b.caught(states...) {
		b.emit(&ir.Abort{At: at(pos)})
		return
	}
	for _, state := range states[1:] {
		is := ir.Op(ir.Eq, ir.V(h.state), ir.C(ir.Text(state)))
		b.emit(&ir.If{At: at(pos), Cond: is, Then: b.collect(func() { b.fails(pos, state) })})
	}
	b.fails(pos, states[0])
}

// stacked is GET STACKED DIAGNOSTICS.
func (b *builder) stacked(f *frame, s *plpgsql.GetDiagnostics, pos ir.Pos) {
	if f.handling == nil {
		b.fails(pos, noHandler)
		return
	}
	for _, it := range s.Items {
		v, fd := b.targetOf(f, it.Target)
		if fd != nil || v.isRecord {
			b.unmodelled("GET STACKED DIAGNOSTICS into a record")
		}
		if it.Item == "returned_sqlstate" {
			b.assign(pos, v.local, b.ex(f, f.text).cast(val{e: ir.V(f.handling.state), t: schema.TText, nn: true}, v.t, 0).e)
		}
	}
}

// readsMessage reports whether statements look at the text of an error.
func (f *frame) readsMessage(list []plpgsql.Stmt) bool {
	found := false
	plpgsql.Walk(list, func(s plpgsql.Stmt) {
		if g, ok := s.(*plpgsql.GetDiagnostics); ok {
			found = found || g.Stacked
		}
		plpgsql.Spans(s, func(x plpgsql.Span, _ plpgsql.SpanKind) {
			found = found || mentionsName(x.Text(f.text.SQL), map[string]bool{"sqlerrm": true})
		})
	})
	return found
}

// messageIsData reports whether the text of errors may reach more than
// messages: it is followed through variables, by their names. Elsewhere it does
// not matter what it is.
func (b *builder) messageIsData(f *frame) bool {
	body := []plpgsql.Stmt{f.fn.Body.Block}
	names, data := map[string]bool{"sqlerrm": true}, false
	mentions := func(x plpgsql.Span) bool { return mentionsName(x.Text(f.text.SQL), names) }
	passes := func(x plpgsql.Span) { // to a function of the program?
		sel, _ := b.expression(f, x)
		for name := range b.l.Calls(b.refsOf(sel)) {
			data = data || mentions(x) && (len(b.l.LateFunctions(name)) > 0 || b.l.Builtin(name).Unsafe())
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
	for i, p := range f.fn.Params {
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

// mentionsName reports whether a text has one of the names in it.
func mentionsName(src string, names map[string]bool) bool {
	toks, err := pg.Scan(src)
	return err != nil || slices.ContainsFunc(toks, func(t pg.Token) bool {
		return (t.Kind == pg.Word || t.Kind == pg.Quoted || t.Kind == pg.Param) && names[t.Text]
	})
}

// raises reports whether statements of a body always end by an error, and
// commit nothing before it.
func raises(list []plpgsql.Stmt, src string) bool {
	leaves := false
	plpgsql.Walk(list, func(s plpgsql.Stmt) {
		switch s := s.(type) {
		case *plpgsql.Return, *plpgsql.Exit, *plpgsql.EndTxn, *plpgsql.Execute:
			leaves = true
		case *plpgsql.SQL: // what CALL and DO run may commit
			word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(s.Query.Text(src))), " ")
			leaves = leaves || word == "call" || word == "do"
		}
	})
	if len(list) == 0 || leaves {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *plpgsql.Raise:
		return s.Error
	case *plpgsql.Block:
		return len(s.Handlers) == 0 && raises(s.Body, src)
	case *plpgsql.If:
		return raises(s.Else, src) && !slices.ContainsFunc(s.Branches, func(br plpgsql.Branch) bool { return !raises(br.Body, src) })
	}
	return false
}
