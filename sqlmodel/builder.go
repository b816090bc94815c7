package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// builder makes one template.
type builder struct{ *Writer }

// triggerBodies translates what triggers run.
type triggerBodies interface {
	// TriggerBody writes the body of the function of a trigger, for the row of r.
	TriggerBody(t *schema.Table, g *schema.Trigger, r *query.RowTrigger, fn *schema.Function, pos ir.Pos)
}

// Writer translates statements that write.
type Writer struct {
	*query.Draft
	bodies triggerBodies
}

// numbered translates a command of the template itself by f: one that the server
// runs with a snapshot of its own at READ COMMITTED. What is inlined is part of the
// Command that calls it, and a function that is STABLE has one snapshot for all.
func (b *builder) numbered(command func()) {
	f := func() { b.keepingFailures(command) }
	if len(b.Calls) > 1 || b.Calls[0].Stable {
		f()
		return
	}
	outer := b.Number
	b.Numbers++
	b.Number = b.Numbers
	f()
	b.Number = outer
}

// emitRow adds that the transaction gives its client a row.
func (b *Writer) emitRow(pos ir.Pos, cols []query.Column) {
	e := &ir.Emit{At: query.At(pos)}
	for _, c := range cols {
		e.Exprs = append(e.Exprs, c.Expr)
	}
	b.Emit(e)
}

// emitWeakIf adds an If around weak statements; it goes away when they do.
func (b *Writer) emitWeakIf(pos ir.Pos, cond ir.Expr, body func()) {
	s := &ir.If{At: query.At(pos), Cond: cond, Then: b.Collect(body)}
	if len(s.Then) > 0 {
		b.EmitWeak(s)
	}
}

func (b *Writer) assign(pos ir.Pos, local string, e ir.Expr) {
	if v, ok := e.(*ir.Var); ok && v.Name == local {
		return
	}
	b.Emit(&ir.Assign{At: query.At(pos), Var: local, Expr: e})
}

// fieldLocal declares the local of a record's field.
func (b *Writer) fieldLocal(record, name string, t schema.Type) string {
	v := b.Local(record+"."+name, t)
	b.Fields[v] = true
	return v
}

// guard translates a statement by f. Where f meets something that cannot be
// modelled, all that it wrote is replaced by an ir.Unmodelled that touches
// what roots name, and by other.
func (b *builder) guard(pos ir.Pos, r *schema.Refs, f func(), other func()) {
	b.Cur = pos
	if why, ok := b.Attempt(f); !ok {
		b.GiveUp(pos, r, why)
		other()
	}
}

// refsOfNodes is RefsOf for lists.
func (b *Writer) refsOfNodes(lists ...[]*pg.Node) *schema.Refs {
	r := schema.NewRefs()
	for _, l := range lists {
		for _, n := range l {
			r.Add(n)
		}
	}
	return r
}
