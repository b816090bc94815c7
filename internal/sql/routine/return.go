package routine

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/write"
)

// returnStmt is RETURN [expr].
func (b *Builder) returnStmt(f *expr.Frame, s *plpgsql.Return, pos ir.Pos) {
	if f.Trigger != nil {
		b.triggerReturn(f, s, pos)
		return
	}
	if s.Expr.Empty() {
		if !f.Func.Void() && !f.Func.SetOf && len(f.Func.Outputs()) == 0 {
			b.App.Fail(pos, "%s must return a value here", f.Func.Name)
		}
		b.leave(f, pos)
		return
	}
	switch {
	case f.Func.Procedure, len(f.Func.Outputs()) > 0:
		b.App.Fail(pos, "%s returns its OUT parameters: RETURN takes no value here", f.Func.Name)
	case f.Func.SetOf:
		b.App.Fail(pos, "%s returns a set: RETURN takes no value; use RETURN NEXT or RETURN QUERY", f.Func.Name)
	}
	v := b.value(f, s.Expr)
	if f.Func.Void() { // evaluated, and dropped
		b.leave(f, pos)
		return
	}
	cols := b.returned(f, v)
	if f.Result == nil {
		b.EmitRow(pos, cols)
		b.Emit(&ir.Return{At: expr.At(pos)})
		return
	}
	list := resultDests(f)
	if len(list) != len(cols) {
		b.Unmodelled("a row as the result of %s", f.Func.Name)
	}
	b.AssignAll(b.Ex(f, f.Text), pos, list, cols)
	b.leave(f, pos)
}

// resultDests gives the locals that take what an inlined function returns by RETURN.
func resultDests(f *expr.Frame) []expr.Dest {
	var out []expr.Dest
	for _, c := range f.Result.Values {
		out = append(out, expr.Dest{Local: c.Expr.(*ir.Var).Name, T: c.Type})
	}
	return out
}

// returned gives a result value as columns of the declared type.
func (b *Builder) returned(f *expr.Frame, v expr.Val) []expr.Column {
	x := b.Ex(f, f.Text)
	t := b.App.SignatureType(f.Func.Ret, f.Func.Text)
	fields := b.App.FieldsOf(t.Name)
	switch {
	case v.Record && len(fields) == len(v.Fields):
		out := make([]expr.Column, len(fields))
		for i, fd := range fields {
			c := x.Assigned(v.Fields[i].Val(), fd.T, 0)
			out[i] = expr.Column{Name: fd.Name, Expr: c.Expr, Type: fd.T, NotNull: c.NotNull}
		}
		return out
	case v.Record && len(v.Fields) > 0:
		return v.Fields
	case v.Record:
		b.Unmodelled("a record whose fields are not known here")
	case len(fields) > 0 && v.IsNull():
		var out []expr.Column
		for _, fd := range fields {
			out = append(out, expr.Column{Name: fd.Name, Expr: ir.C(ir.Null), Type: fd.T})
		}
		return out
	case len(fields) > 0 && v.Type.Name == t.Name:
		var out []expr.Column
		for _, fd := range fields {
			out = append(out, expr.Column{Name: fd.Name, Expr: expr.Accessor(v, fd), Type: fd.T})
		}
		return out
	}
	c := x.Assigned(v, t, 0)
	return []expr.Column{{Expr: c.Expr, Type: t, NotNull: c.NotNull}}
}

// leave ends the function.
func (b *Builder) leave(f *expr.Frame, pos ir.Pos) {
	if f.Result != nil {
		b.Emit(&ir.Break{At: expr.At(pos), Label: f.Result.Label})
		return
	}
	if !f.Func.SetOf {
		b.emitOutputs(f, pos)
	}
	b.Emit(&ir.Return{At: expr.At(pos)})
}

// emitOutputs returns the OUT parameters to the client.
func (b *Builder) emitOutputs(f *expr.Frame, pos ir.Pos) {
	e := &ir.Emit{At: expr.At(pos)}
	for i, o := range f.Outs {
		for _, c := range o.Columns(i) {
			e.Exprs = append(e.Exprs, c.Expr)
		}
	}
	if len(e.Exprs) > 0 {
		b.Emit(e)
	}
}

// returnNext adds a row to the result.
func (b *Builder) returnNext(f *expr.Frame, s *plpgsql.ReturnNext, pos ir.Pos) {
	if !f.Func.SetOf {
		b.App.Fail(pos, "RETURN NEXT needs a function that returns a set")
	}
	if s.Expr.Empty() {
		if len(f.Func.Outputs()) == 0 {
			b.App.Fail(pos, "RETURN NEXT must have a value here")
		}
		if f.Result == nil {
			b.emitOutputs(f, pos)
		}
		return
	}
	if len(f.Func.Outputs()) > 0 {
		b.App.Fail(pos, "%s returns its OUT parameters: RETURN NEXT takes no value here", f.Func.Name)
	}
	v := b.value(f, s.Expr)
	if f.Result != nil {
		return
	}
	b.EmitRow(pos, b.returned(f, v))
}

// abandon stands for a statement that cannot be modelled: an ir.Unmodelled,
// any value for the variables that it may set, and any of the ways in which
// it may leave what is around it.
func (b *Builder) abandon(f *expr.Frame, s plpgsql.Stmt, reason string) {
	pos := b.place(f, s)
	r := schema.NewRefs()
	b.App.PlRefs(f.Func, []plpgsql.Stmt{s}, r)
	b.GiveUp(pos, r, reason)
	havoc := func(local string) { b.Out = append(b.Out, &ir.Havoc{At: expr.At(pos), Var: local}) }
	done := map[string]bool{}
	plpgsql.Walk([]plpgsql.Stmt{s}, func(s plpgsql.Stmt) {
		for _, n := range schema.Assigned(s) {
			v, fd := f.Scope.Find(n.Parts)
			if n.Parts[0][0] == '$' {
				v = f.Numbered(n.Parts[0])
			}
			switch {
			case v == nil:
			case fd != nil:
				if !done[fd.Local] {
					done[fd.Local] = true
					b.demandParts([]expr.Field{*fd}, nil, pos)
					havoc(fd.Local)
				}
			default:
				b.MayRefuseAny([]*schema.UserType{v.Domain}, nil, pos)
				b.demandParts(v.Fields, nil, pos)
				v.Lost = v.IsRecord && !v.Fixed
				for _, d := range append(v.Dests(), heldDests(v)...) {
					if d.Local != "" && !done[d.Local] {
						done[d.Local] = true
						havoc(d.Local)
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
			h := &ir.Havoc{At: expr.At(pos), Var: local, NotNull: true}
			b.Weak[h] = true
			b.Out = append(b.Out, h)
		}
	}
	weak(f.Found)
	weak(f.Rowcount)
	for _, name := range slices.Sorted(maps.Keys(b.Sequences)) {
		weak(b.Sequences[name])
	}
	b.escapes(f, s, pos)
}

// callOutputs gives the variables that stand as arguments of CALL inside of a
// statement.
func (b *Builder) callOutputs(f *expr.Frame, s plpgsql.Stmt) []string {
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
				if v, fd := f.Scope.Find(syntax.Names(r.Fields)); fd != nil {
					out = append(out, fd.Local)
				} else if v != nil {
					out = append(out, write.DestLocals(v.Dests())...)
				}
			}
		}
	})
	return write.NonEmptyList(out...)
}

func heldDests(v *expr.Variable) []expr.Dest {
	var out []expr.Dest
	for _, fd := range v.All {
		out = append(out, expr.Dest{Local: fd.Local, T: fd.Type})
	}
	return out
}

// escapes adds, for each RETURN, EXIT and CONTINUE inside of an abandoned
// statement that leaves it, a choice to do so.
func (b *Builder) escapes(f *expr.Frame, s plpgsql.Stmt, pos ir.Pos) {
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
		cond := b.Choice(pos)
		b.Out = append(b.Out, &ir.If{At: expr.At(pos), Cond: cond, Then: b.Collect(body)})
	}
	for _, j := range order {
		maybe(func() { b.Jump(f, j.label, j.next, pos, pos) })
	}
	if !returns {
		return
	}
	maybe(func() {
		if f.Result == nil {
			b.Out = append(b.Out, &ir.Return{At: expr.At(pos)})
			return
		}
		for _, d := range resultDests(f) {
			b.Havoc(pos, d.Local)
		}
		if f.Trigger != nil && f.Trigger.Skip != "" {
			b.Out = append(b.Out, &ir.Havoc{At: expr.At(pos), Var: f.Trigger.Skip, NotNull: true})
		}
		b.Out = append(b.Out, &ir.Break{At: expr.At(pos), Label: f.Result.Label})
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
