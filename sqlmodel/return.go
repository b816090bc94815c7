package sqlmodel

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// returnStmt is RETURN [expr].
func (b *builder) returnStmt(f *frame, s *plpgsql.Return, pos ir.Pos) {
	if f.trigger != nil {
		b.triggerReturn(f, s, pos)
		return
	}
	if s.Expr.Empty() {
		if !f.fn.Void() && !f.fn.SetOf && len(f.fn.Outputs()) == 0 {
			b.l.Fail(pos, "%s must return a value here", f.fn.Name)
		}
		b.leave(f, pos)
		return
	}
	switch {
	case f.fn.Procedure, len(f.fn.Outputs()) > 0:
		b.l.Fail(pos, "%s returns its OUT parameters: RETURN takes no value here", f.fn.Name)
	case f.fn.SetOf:
		b.l.Fail(pos, "%s returns a set: RETURN takes no value; use RETURN NEXT or RETURN QUERY", f.fn.Name)
	}
	v := b.value(f, s.Expr)
	if f.fn.Void() { // evaluated, and dropped
		b.leave(f, pos)
		return
	}
	cols := b.returned(f, v)
	if f.result == nil {
		b.emitRow(pos, cols)
		b.emit(&ir.Return{At: at(pos)})
		return
	}
	var list []dest
	for _, c := range f.result.values {
		list = append(list, dest{c.e.(*ir.Var).Name, c.t})
	}
	if len(list) != len(cols) {
		b.unmodelled("a row as the result of %s", f.fn.Name)
	}
	b.assignAll(b.ex(f, f.text), pos, list, cols)
	b.leave(f, pos)
}

// returned gives a result value as columns of the declared type.
func (b *builder) returned(f *frame, v val) []colDef {
	x := b.ex(f, f.text)
	t := b.l.SignatureType(f.fn.Ret, f.fn.Text)
	fields := b.l.FieldsOf(t.Name)
	switch {
	case v.record && len(fields) == len(v.fields):
		out := make([]colDef, len(fields))
		for i, fd := range fields {
			c := x.assigned(v.fields[i].val(), fd.T, 0)
			out[i] = colDef{name: fd.Name, e: c.e, t: fd.T, nn: c.nn}
		}
		return out
	case v.record && len(v.fields) > 0:
		return v.fields
	case v.record:
		b.unmodelled("a record whose fields are not known here")
	case len(fields) > 0 && v.isNull():
		var out []colDef
		for _, fd := range fields {
			out = append(out, colDef{name: fd.Name, e: ir.C(ir.Null), t: fd.T})
		}
		return out
	case len(fields) > 0 && v.t.Name == t.Name:
		var out []colDef
		for _, fd := range fields {
			out = append(out, colDef{name: fd.Name, e: accessor(v, fd), t: fd.T})
		}
		return out
	}
	c := x.assigned(v, t, 0)
	return []colDef{{e: c.e, t: t, nn: c.nn}}
}

// leave ends the function.
func (b *builder) leave(f *frame, pos ir.Pos) {
	if f.result != nil {
		b.emit(&ir.Break{At: at(pos), Label: f.result.label})
		return
	}
	if !f.fn.SetOf {
		b.emitOutputs(f, pos)
	}
	b.emit(&ir.Return{At: at(pos)})
}

// emitOutputs returns the OUT parameters to the client.
func (b *builder) emitOutputs(f *frame, pos ir.Pos) {
	e := &ir.Emit{At: at(pos)}
	for i, o := range f.outs {
		for _, c := range o.columns(i) {
			e.Exprs = append(e.Exprs, c.e)
		}
	}
	if len(e.Exprs) > 0 {
		b.emit(e)
	}
}

// returnNext adds a row to the result.
func (b *builder) returnNext(f *frame, s *plpgsql.ReturnNext, pos ir.Pos) {
	if !f.fn.SetOf {
		b.l.Fail(pos, "RETURN NEXT needs a function that returns a set")
	}
	if s.Expr.Empty() {
		if len(f.fn.Outputs()) == 0 {
			b.l.Fail(pos, "RETURN NEXT must have a value here")
		}
		if f.result == nil {
			b.emitOutputs(f, pos)
		}
		return
	}
	if len(f.fn.Outputs()) > 0 {
		b.l.Fail(pos, "%s returns its OUT parameters: RETURN NEXT takes no value here", f.fn.Name)
	}
	v := b.value(f, s.Expr)
	if f.result != nil {
		return
	}
	b.emitRow(pos, b.returned(f, v))
}

// abandon stands for a statement that cannot be modelled: an ir.Unmodelled,
// any value for the variables that it may set, and any of the ways in which
// it may leave what is around it.
func (b *builder) abandon(f *frame, s plpgsql.Stmt, reason string) {
	pos := b.place(f, s)
	r := schema.NewRefs()
	b.l.PlRefs(f.fn, []plpgsql.Stmt{s}, r)
	b.giveUp(pos, r, reason)
	havoc := func(local string) { b.out = append(b.out, &ir.Havoc{At: at(pos), Var: local}) }
	done := map[string]bool{}
	plpgsql.Walk([]plpgsql.Stmt{s}, func(s plpgsql.Stmt) {
		for _, n := range schema.Assigned(s) {
			v, fd := f.scope.find(n.Parts)
			if n.Parts[0][0] == '$' {
				v = f.numbered(n.Parts[0])
			}
			switch {
			case v == nil:
			case fd != nil:
				if !done[fd.local] {
					done[fd.local] = true
					b.demandParts([]field{*fd}, nil, pos)
					havoc(fd.local)
				}
			default:
				b.mayRefuseAny([]*schema.UserType{v.domain}, nil, pos)
				b.demandParts(v.fields, nil, pos)
				v.lost = v.isRecord && !v.fixed
				for _, d := range append(v.dests(), heldDests(v)...) {
					if d.local != "" && !done[d.local] {
						done[d.local] = true
						havoc(d.local)
					}
				}
			}
		}
	})
	for _, local := range b.callOutputs(f, s) {
		if !done[local] {
			done[local] = true
			havoc(local)
		}
	}
	weak := func(local string) {
		if local != "" && !done[local] {
			h := &ir.Havoc{At: at(pos), Var: local, NotNull: true}
			b.weak[h] = true
			b.out = append(b.out, h)
		}
	}
	weak(f.found)
	weak(f.rowcount)
	for _, name := range slices.Sorted(maps.Keys(b.sequences)) {
		weak(b.sequences[name])
	}
	b.escapes(f, s, pos)
}

// callOutputs gives the variables that stand as arguments of CALL inside of a
// statement.
func (b *builder) callOutputs(f *frame, s plpgsql.Stmt) []string {
	var out []string
	plpgsql.Walk([]plpgsql.Stmt{s}, func(s plpgsql.Stmt) {
		c, ok := s.(*plpgsql.SQL)
		if !ok || c.Perform {
			return
		}
		tree, _ := b.parseCommand(f, c.Query)
		call, ok := tree.(*pg.CallStmt)
		if !ok {
			return
		}
		for _, n := range call.Funccall.Args {
			if r, ok := pg.Inner(n).(*pg.ColumnRef); ok {
				if v, fd := f.scope.find(syntax.Names(r.Fields)); fd != nil {
					out = append(out, fd.local)
				} else if v != nil {
					out = append(out, destLocals(v.dests())...)
				}
			}
		}
	})
	return nonEmptyList(out...)
}

func heldDests(v *variable) []dest {
	var out []dest
	for _, fd := range v.all {
		out = append(out, dest{fd.local, fd.t})
	}
	return out
}

// escapes adds, for each RETURN, EXIT and CONTINUE inside of an abandoned
// statement that leaves it, a choice to do so.
func (b *builder) escapes(f *frame, s plpgsql.Stmt, pos ir.Pos) {
	own := map[string]bool{}
	returns := false
	type jump struct {
		label string
		next  bool
	}
	jumps := map[jump]bool{}
	var order []jump
	var visit func(s plpgsql.Stmt, loops int)
	visit = func(s plpgsql.Stmt, loops int) {
		switch s := s.(type) {
		case *plpgsql.Return:
			returns = true
		case *plpgsql.Exit:
			j := jump{s.Label, s.Continue}
			if (s.Label == "" && loops == 0 || s.Label != "" && !own[s.Label]) && !jumps[j] {
				jumps[j] = true
				order = append(order, j)
			}
		}
		inner := loops
		if label, loop := labelled(s); loop || label != "" {
			if loop {
				inner++
			}
			own[label] = label != ""
		}
		for _, list := range plpgsql.Children(s) {
			for _, c := range list {
				visit(c, inner)
			}
		}
	}
	visit(s, 0)
	maybe := func(body func()) {
		cond := b.choice(pos)
		b.out = append(b.out, &ir.If{At: at(pos), Cond: cond, Then: b.collect(body)})
	}
	for _, j := range order {
		maybe(func() { b.jump(f, j.label, j.next, pos, pos) })
	}
	if !returns {
		return
	}
	maybe(func() {
		if f.result == nil {
			b.out = append(b.out, &ir.Return{At: at(pos)})
			return
		}
		for _, c := range f.result.values {
			b.havoc(pos, c.e.(*ir.Var).Name)
		}
		if f.trigger != nil && f.trigger.skip != "" {
			b.out = append(b.out, &ir.Havoc{At: at(pos), Var: f.trigger.skip, NotNull: true})
		}
		b.out = append(b.out, &ir.Break{At: at(pos), Label: f.result.label})
	})
}

// labelled gives the label of a block or loop.
func labelled(s plpgsql.Stmt) (label string, loop bool) {
	switch s := s.(type) {
	case *plpgsql.Block:
		return s.Label, false
	case *plpgsql.Loop:
		return s.Label, true
	case *plpgsql.ForRange:
		return s.Label, true
	case *plpgsql.ForQuery:
		return s.Label, true
	case *plpgsql.Foreach:
		return s.Label, true
	}
	return "", false
}
