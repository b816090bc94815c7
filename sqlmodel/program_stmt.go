package sqlmodel

import (
	"fmt"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// caller translates what a client program does in one transaction.
type caller struct {
	b    *builder
	f    *expr.Frame
	body *schema.ProgramBody
	// vars are the variables by name.
	vars map[string]*programVar
	// setters counts the statements that set each of them.
	setters map[string]int
	// points are the savepoints that were set so far in the text.
	points map[string]bool
	// released are the savepoints that a ROLLBACK TO may not find.
	released map[string]bool
	// level is the lowest isolation level that the transaction may have.
	level string
	// anyLevel are the statements that may set a level which is not known, with whether another one
	// may come before.
	anyLevel map[client.Stmt]bool
	// sent is the command of the statement that is translated.
	sent  *ir.Send
	depth int
}

// programVar is a variable of the program: a parameter or local of the template.
type programVar struct {
	client.Var
	*expr.Variable
	// open says that the type is to be found.
	open bool
	// never says that it is false wherever it is looked at.
	never bool
}

// nullable reports whether the variable may be NULL.
func (v *programVar) nullable() bool { return !v.NotNull }

// maxStatements is how deep the statements of a client program may be nested.
const maxStatements = 200

// ProgramBody translates a transaction of a client program.
func (b *builder) programBody(f *expr.Frame) {
	p := &caller{b: b, f: f, body: f.Func.Program, vars: map[string]*programVar{}, setters: map[string]int{}, points: map[string]bool{}}
	p.released = p.body.Released()
	p.declare()
	levels, unknown := levelsOf(p.body, b.App.In.MySQL)
	p.level, p.anyLevel = levels[0], unknown
	if p.body.Txn.Joined {
		b.Emit(&ir.Dropped{At: expr.At(p.body.Txn.Pos), Kind: ir.ByRowLock, What: "the locks of what began the transaction, which is not known"})
	}
	p.stmts(p.body.Txn.Body)
	b.Txn.Level, b.Txn.Above = p.level, levels[1:]
}

// declare makes the parameters and locals, and gives these their first values.
func (p *caller) declare() {
	b := p.b
	client.EachSet(p.body.Txn.Body, func(v *string) { p.setters[*v]++ })
	for _, d := range p.body.Txn.Vars {
		if p.vars[d.Name] != nil {
			b.App.Fail(p.body.Txn.Pos, "variable %s of transaction %s is declared twice", d.Name, p.body.Txn.Name)
		}
		v := &programVar{Var: d, Variable: &expr.Variable{Name: d.Name, Type: load.KindType(d.Kind), Given: true}}
		if d.Declared != "" {
			v.Type = b.App.NamedType(d.Declared, p.f.Text, 0)
		}
		v.NotNull = !d.Nullable && (d.Kind != client.Any || d.Input && p.setters[d.Name] == 0)
		v.open = v.Type.Name == schema.NUnknown
		if d.Input {
			b.declare(v.Variable, d.Name, &ir.Param{Fresh: d.Fresh, NotNull: !d.Nullable})
			b.Fixed[v.Local] = v.open && p.setters[d.Name] == 0
		} else {
			b.declare(v.Variable, d.Name, nil)
		}
		p.vars[d.Name] = v
	}
	for _, d := range p.body.Txn.Vars {
		if v := p.vars[d.Name]; !d.Input && v.NotNull {
			b.EmitWeak(&ir.Assign{At: expr.At(p.body.Txn.Pos), Var: v.Local, Expr: zero(d.Kind, v.Type)})
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
	return &ir.Call{Name: expr.CastName(t), Args: []ir.Expr{ir.C(ir.Text(""))}, Type: expr.LocalType(t)}
}

// stmts translates statements up to one that ends the transaction or leaves
// what is around.
func (p *caller) stmts(list []client.Stmt) {
	if p.depth++; p.depth > maxStatements {
		panic(expr.TooLarge{})
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
	if p.b.App.SetsPath && branches {
		r := schema.NewRefs()
		client.EachQuery([]client.Stmt{s}, func(q *client.Query) { r.Merge(p.body.Sent[q].Refs) })
		sets = p.b.App.SetBy(r, &p.b.App.Late)
	}
	p.b.Tracked(sets, loops, branches, func() bool {
		p.stmt1(s, rest)
		return true
	})
}

func (p *caller) stmt1(s client.Stmt, rest []client.Stmt) {
	b := p.b
	switch s := s.(type) {
	case *client.Query:
		b.Cur = s.Pos
		b.Numbered(func() { p.ownClock(func() { p.query(s, rest) }) })
	case *client.ForRows:
		b.Cur = s.Pos
		b.Numbered(func() { p.ownClock(func() { p.forRows(s) }) })
	case *client.Assign:
		b.Cur = s.Pos
		p.assign(s)
	case *client.Havoc:
		if v := p.vars[s.Var]; v != nil {
			b.EmitWeak(&ir.Havoc{At: expr.At(s.Pos), Var: v.Local, Fresh: s.Fresh, NotNull: v.NotNull || s.Fresh})
		}
	case *client.Guess:
		b.Emit(&ir.Dropped{At: expr.At(s.Pos), Kind: ir.ByValue, What: s.What})
	case *client.If:
		p.branch(s)
	case *client.Loop:
		b.Cur = s.Pos
		b.Loop(p.f, &expr.LoopLabel{Name: s.Label, Loop: true}, s.Pos, nil, func() { p.stmts(s.Body) })
	case *client.Block:
		b.Block(p.f, s.Label, s.Pos, func() { p.stmts(s.Body) })
	case *client.Break:
		b.Jump(p.f, s.Label, false, s.Pos, s.Pos)
	case *client.Continue:
		b.Jump(p.f, s.Label, true, s.Pos, s.Pos)
	case *client.Commit:
		b.Emit(&ir.Return{At: expr.At(s.Pos)})
	case *client.Rollback:
		b.Emit(&ir.Abort{At: expr.At(s.Pos)})
	case *client.Emit:
		b.Cur = s.Pos
		e := &ir.Emit{At: expr.At(s.Pos)}
		for _, x := range s.Exprs {
			e.Exprs = append(e.Exprs, p.value(x))
		}
		if len(e.Exprs) > 0 {
			b.Emit(e)
		}
	case *client.Savepoint:
		b.send(&ir.Send{At: expr.At(s.Pos), Text: []string{"SAVEPOINT " + quote.Ident(s.Name)}, Apart: true})
		p.savepoint(s.Pos, s.Name)
	case *client.RollbackTo:
		b.send(&ir.Send{At: expr.At(s.Pos), Text: []string{"ROLLBACK TO SAVEPOINT " + quote.Ident(s.Name)}, Apart: true})
		p.rollbackTo(s.Pos, s.Name)
	case *client.Unknown:
		p.unknown(s)
	default:
		panic("sqlmodel: unknown statement " + syntax.TypeName(s) + " of a client program")
	}
}

func (p *caller) branch(s *client.If) {
	b := p.b
	b.Cur = s.Pos
	if x, ok := s.Cond.(*client.VarExpr); ok && p.vars[x.Name] != nil && p.vars[x.Name].never {
		p.stmts(s.Else)
		return
	}
	b.If(s.Pos, p.cond(s.Cond), func() { p.stmts(s.Then) }, func() { p.stmts(s.Else) })
}

func (p *caller) assign(s *client.Assign) {
	b, v := p.b, p.vars[s.Var]
	if v == nil {
		return
	}
	var out ir.Expr
	if c, ok := s.Expr.(*client.Call); ok && c.Kind == client.Any && v.open {
		// It has whatever type the variable has where it stands.
		e := p.expr(c).Expr.(*ir.Call)
		if e.Type = expr.LocalType(v.Type); v.Type.Name == schema.NUnknown {
			e.Type = ir.TextType
		}
		out = e
	} else {
		out = p.into(v, p.expr(s.Expr))
	}
	if e, ok := out.(*ir.Var); ok && e.Name == v.Local {
		return
	}
	a := &ir.Assign{At: expr.At(s.Pos), Var: v.Local, Expr: out}
	b.Weak[a] = !failure.MayFail(out)
	b.Emit(a)
}

// unknown stands for statements that are not known.
func (p *caller) unknown(s *client.Unknown) {
	b := p.b
	b.Cur, b.Path.Snapped = s.Pos, true
	b.NoInsertID = "a statement that is not modelled"
	p.unknownLevel(s, s.Pos)
	if s.Tables == nil {
		b.Emit(&ir.Unmodelled{At: expr.At(s.Pos), ReadOnly: s.ReadOnly, Reason: s.Reason})
		return
	}
	e := b.App.EffectOf(load.UnknownRefs(s))
	if e.All || len(e.Tables) > 0 {
		b.Anything(s.Pos, e, s.Reason)
	}
}

func (p *caller) savepoint(pos ir.Pos, name string) {
	p.points[name] = true
	p.b.Emit(&ir.Savepoint{At: expr.At(pos), Name: name})
}

func (p *caller) rollbackTo(pos ir.Pos, name string) {
	if !p.points[name] || p.released[name] {
		why := fmt.Sprintf("a rollback to savepoint %s, which may not be set here", name)
		p.b.Emit(&ir.Unmodelled{At: expr.At(pos), Reason: why})
		return
	}
	p.b.Emit(&ir.RollbackTo{At: expr.At(pos), Name: name})
	p.b.undone(p.f.Func)
}

// control is transaction control as text.
func (p *caller) control(s *schema.Sent, t *pg.TransactionStmt) {
	b, pos := p.b, s.Q.Pos
	const why = "transaction control as text"
	if p.body.Txn.Auto { // what is sent before and after is not known
		b.Emit(&ir.Unmodelled{At: expr.At(pos), Reason: why})
		b.Path.Snapped = true
		return
	}
	switch t.Kind {
	case pg.TransBegin, pg.TransStart: // levelOf has its level
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
				b.Emit(&ir.Return{At: expr.At(pos)})
			} else {
				b.Emit(&ir.Abort{At: expr.At(pos)})
			}
			return
		}
	}
	b.App.Note(pos, "%s is not modelled where statements follow", why)
	b.Emit(&ir.Unmodelled{At: expr.At(pos), Reason: why})
	b.Path.Snapped = true
}
