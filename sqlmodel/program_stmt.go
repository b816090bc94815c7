package sqlmodel

import (
	"fmt"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// caller translates what a client program does in one transaction.
type caller struct {
	b    *builder
	f    *frame
	body *schema.ProgramBody
	// vars are the variables by name.
	vars map[string]*programVar
	// setters counts the statements that set each of them, nil before anybody asks.
	setters map[string]int
	// points are the savepoints that were set so far in the text.
	points map[string]bool
	// released are the savepoints that a ROLLBACK TO may not find.
	released map[string]bool
	// snapped says that a statement before took the snapshot.
	snapped bool
	// sent is the command of the statement that is translated.
	sent  *ir.Send
	depth int
}

// programVar is a variable of the program: a parameter or local of the template.
type programVar struct {
	client.Var
	*variable
	// open says that the type is to be found.
	open bool
	// never says that it is false wherever it is looked at.
	never bool
}

// nullable reports whether the variable may be NULL.
func (v *programVar) nullable() bool { return !v.nn }

// maxStatements is how deep the statements of a client program may be nested.
const maxStatements = 200

// ProgramBody translates a transaction of a client program.
func (b *builder) programBody(f *frame) {
	p := &caller{b: b, f: f, body: f.fn.Program, vars: map[string]*programVar{}, points: map[string]bool{}}
	p.released = p.body.Released()
	p.declare()
	p.stmts(p.body.Txn.Body)
}

// declare makes the parameters and locals, and gives these their first values.
func (p *caller) declare() {
	b := p.b
	assigned := p.body.Assigned()
	taken := map[string]bool{} // a transaction may have tens of thousands of variables
	for _, v := range b.txn.Params {
		taken[v.Name] = true
	}
	for _, v := range b.txn.Locals {
		taken[v.Name] = true
	}
	for _, t := range b.l.Prog.Tables {
		taken[t.Name] = true
	}
	for _, d := range p.body.Txn.Vars {
		if p.vars[d.Name] != nil {
			b.l.Fail(p.body.Txn.Pos, "variable %s of transaction %s is declared twice", d.Name, p.body.Txn.Name)
		}
		v := &programVar{Var: d, variable: &variable{name: d.Name, local: d.Name, t: load.KindType(d.Kind), given: true}}
		v.nn = !d.Nullable && (d.Kind != client.Any || d.Input && !assigned[d.Name])
		for taken[v.local] {
			v.local += "_"
		}
		taken[v.local] = true
		it := v.t.IR
		if v.open = v.t.Name == schema.NUnknown; v.open {
			b.typings[v.local] = &typing{}
			it = ir.NullType
			if t, known := p.body.Types[v.local]; known {
				v.t, it = t, localType(t)
			}
		}
		if d.Input {
			b.txn.Params = append(b.txn.Params, ir.Param{Name: v.local, Type: it, Fresh: d.Fresh, NotNull: !d.Nullable, Domain: v.t.Domain()})
		} else {
			b.txn.Locals = append(b.txn.Locals, ir.Local{Name: v.local, Type: it, Domain: v.t.Domain()})
		}
		p.vars[d.Name] = v
	}
	for _, d := range p.body.Txn.Vars {
		if v := p.vars[d.Name]; !d.Input && v.nn {
			b.emitWeak(&ir.Assign{At: at(p.body.Txn.Pos), Var: v.local, Expr: zero(d.Kind, v.t)})
		}
	}
}

// firstInstant is the zero value of a time: the first day of year 1.
const firstInstant = -62135596800000000

// zero is the zero value of a kind in a variable of type t.
func zero(k client.Kind, t schema.Type) ir.Expr {
	switch k {
	case client.Int:
		return ir.C(ir.Int(0))
	case client.Float:
		return ir.C(ir.Int(0).Convert(ir.NumType))
	case client.Bool:
		return ir.C(ir.Bool(false))
	case client.Time:
		return ir.C(ir.Time(firstInstant))
	}
	if t.Name == schema.NUnknown || t.Textual() {
		return ir.C(ir.Text(""))
	}
	return &ir.Call{Name: castName(t), Args: []ir.Expr{ir.C(ir.Text(""))}, Type: localType(t)}
}

// stmts translates statements up to one that ends the transaction or leaves
// what is around.
func (p *caller) stmts(list []client.Stmt) {
	if p.depth++; p.depth > maxStatements {
		panic(tooLarge{})
	}
	for i, s := range list {
		p.stmt(s, list[i+1:])
		switch s.(type) {
		case *client.Commit, *client.Rollback, *client.Break, *client.Continue:
			p.depth--
			return
		}
	}
	p.depth--
}

// stmt translates a statement, which rest follows.
func (p *caller) stmt(s client.Stmt, rest []client.Stmt) {
	var sets syntax.PathSet
	loops, branches := false, false
	switch s.(type) {
	case *client.Loop, *client.ForRows:
		loops, branches = true, true
	case *client.If, *client.Block:
		branches = true
	}
	if p.b.l.SetsPath && branches {
		r := schema.NewRefs()
		load.EachQuery([]client.Stmt{s}, func(q *client.Query) { r.Merge(p.body.Sent[q].Refs) })
		sets = p.b.l.SetBy(r, &p.b.l.Late)
	}
	p.b.tracked(sets, loops, branches, func() bool {
		p.stmt1(s, rest)
		return true
	})
}

func (p *caller) stmt1(s client.Stmt, rest []client.Stmt) {
	b := p.b
	switch s := s.(type) {
	case *client.Query:
		b.cur = s.Pos
		b.numbered(func() { p.query(s, rest) })
	case *client.ForRows:
		b.cur = s.Pos
		b.numbered(func() { p.forRows(s) })
	case *client.Assign:
		b.cur = s.Pos
		p.assign(s)
	case *client.Havoc:
		if v := p.vars[s.Var]; v != nil {
			b.emitWeak(&ir.Havoc{At: at(s.Pos), Var: v.local, Fresh: s.Fresh, NotNull: v.nn || s.Fresh})
		}
	case *client.If:
		p.branch(s)
	case *client.Loop:
		b.cur = s.Pos
		l := &loopLabel{name: s.Label, loop: true}
		w := &ir.While{At: at(s.Pos), Cond: ir.C(ir.Bool(true))}
		snapped := p.snapped
		w.Body = p.round(l, s.Body)
		p.snapped = snapped
		w.Label = l.label
		b.emit(w)
	case *client.Block:
		p.block(s)
	case *client.Break:
		b.jump(p.f, s.Label, false, s.Pos, s.Pos)
	case *client.Continue:
		b.jump(p.f, s.Label, true, s.Pos, s.Pos)
	case *client.Commit:
		b.emit(&ir.Return{At: at(s.Pos)})
	case *client.Rollback:
		b.emit(&ir.Abort{At: at(s.Pos)})
	case *client.Emit:
		b.cur = s.Pos
		e := &ir.Emit{At: at(s.Pos)}
		for _, x := range s.Exprs {
			e.Exprs = append(e.Exprs, p.value(x))
		}
		if len(e.Exprs) > 0 {
			b.emit(e)
		}
	case *client.Savepoint:
		b.send(&ir.Send{At: at(s.Pos), Text: []string{"SAVEPOINT " + quote.Ident(s.Name)}, Apart: true})
		p.savepoint(s.Pos, s.Name)
	case *client.RollbackTo:
		b.send(&ir.Send{At: at(s.Pos), Text: []string{"ROLLBACK TO SAVEPOINT " + quote.Ident(s.Name)}, Apart: true})
		p.rollbackTo(s.Pos, s.Name)
	case *client.Unknown:
		p.unknown(s)
	default:
		panic("sqlmodel: unknown statement " + syntax.TypeName(s) + " of a client program")
	}
}

// round translates the body of a loop.
func (p *caller) round(l *loopLabel, list []client.Stmt) []ir.Stmt {
	b, f := p.b, p.f
	f.loops = append(f.loops, l)
	b.loopDepth++
	body := b.collect(func() { p.stmts(list) })
	b.loopDepth--
	f.loops = f.loops[:len(f.loops)-1]
	if l.wantNext && l.next != "" {
		return []ir.Stmt{&ir.Block{At: at(b.cur), Label: l.next, Body: body}}
	}
	return body
}

func (p *caller) block(s *client.Block) {
	b, f := p.b, p.f
	l := &loopLabel{name: s.Label}
	f.loops = append(f.loops, l)
	snapped := p.snapped
	body := b.collect(func() { p.stmts(s.Body) })
	f.loops = f.loops[:len(f.loops)-1]
	if l.label == "" {
		b.out = append(b.out, body...)
		return
	}
	p.snapped = snapped
	b.emit(&ir.Block{At: at(s.Pos), Label: l.label, Body: body})
}

func (p *caller) branch(s *client.If) {
	b := p.b
	b.cur = s.Pos
	if x, ok := s.Cond.(*client.VarExpr); ok && p.vars[x.Name] != nil && p.vars[x.Name].never {
		p.stmts(s.Else)
		return
	}
	out := &ir.If{At: at(s.Pos), Cond: p.cond(s.Cond)}
	if value, known := constantTruth(out.Cond); known {
		if value {
			p.stmts(s.Then)
		} else {
			p.stmts(s.Else)
		}
		return
	}
	snapped := p.snapped
	out.Then = b.collect(func() { p.stmts(s.Then) })
	then := p.snapped
	p.snapped = snapped
	out.Else = b.collect(func() { p.stmts(s.Else) })
	p.snapped = (p.snapped || endsInJump(out.Else)) && (then || endsInJump(out.Then))
	b.emit(out)
}

func (p *caller) assign(s *client.Assign) {
	b, v := p.b, p.vars[s.Var]
	if v == nil {
		return
	}
	var out ir.Expr
	if c, ok := s.Expr.(*client.Call); ok && c.Kind == client.Any && v.open {
		// It has whatever type the variable has where it stands.
		e := p.expr(c).e.(*ir.Call)
		if e.Type = localType(v.t); v.t.Name == schema.NUnknown {
			e.Type = ir.TextType
		}
		out = e
	} else {
		out = p.into(v, p.expr(s.Expr))
	}
	if e, ok := out.(*ir.Var); ok && e.Name == v.local {
		return
	}
	a := &ir.Assign{At: at(s.Pos), Var: v.local, Expr: out}
	b.weak[a] = !ir.MayFail(out)
	b.emit(a)
}

// unknown stands for statements that are not known.
func (p *caller) unknown(s *client.Unknown) {
	b := p.b
	b.cur, p.snapped = s.Pos, true
	if s.Tables == nil {
		b.emit(&ir.Unmodelled{At: at(s.Pos), ReadOnly: s.ReadOnly, Reason: s.Reason})
		return
	}
	e := b.l.EffectOf(load.UnknownRefs(s))
	if e.All || len(e.Tables) > 0 {
		b.anything(s.Pos, e, s.Reason)
	}
}

func (p *caller) savepoint(pos ir.Pos, name string) {
	p.points[name] = true
	p.b.emit(&ir.Savepoint{At: at(pos), Name: name})
}

func (p *caller) rollbackTo(pos ir.Pos, name string) {
	if !p.points[name] || p.released[name] {
		why := fmt.Sprintf("a rollback to savepoint %s, which may not be set here", name)
		p.b.emit(&ir.Unmodelled{At: at(pos), Reason: why})
		return
	}
	p.b.emit(&ir.RollbackTo{At: at(pos), Name: name})
	p.b.undone(p.f.fn)
}

// control is transaction control as text.
func (p *caller) control(s *schema.Sent, t *pg.TransactionStmt) {
	b, pos := p.b, s.Q.Pos
	switch t.Kind {
	case pg.TransBegin, pg.TransStart:
		if level := syntax.Isolation(t.Options); level != "" {
			b.txn.Level = level
		}
		return
	case pg.TransSavepoint:
		p.savepoint(pos, t.SavepointName)
		return
	case pg.TransRelease:
		return
	case pg.TransBackTo:
		p.rollbackTo(pos, t.SavepointName)
		return
	case pg.TransCommit, pg.TransRollback:
		if !s.Followed && len(s.List) == 1 && !t.Chain {
			if t.Kind == pg.TransCommit {
				b.emit(&ir.Return{At: at(pos)})
			} else {
				b.emit(&ir.Abort{At: at(pos)})
			}
			return
		}
	}
	why := "transaction control as text"
	b.l.Note(pos, "%s is not modelled where statements follow", why)
	b.emit(&ir.Unmodelled{At: at(pos), Reason: why})
	p.snapped = true
}
