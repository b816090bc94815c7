package instrument

import (
	"fmt"

	"github.com/txrobust/robust/internal/ir"
)

// role is what a transaction does in an execution with one delayed one.
type role uint8

const (
	// ordinary transactions run before the delayed one.
	ordinary role = iota
	// attacker is the delayed transaction: its writes go to primed tables.
	attacker
	// helper transactions run while the attacker is delayed.
	helper
)

// writer rewrites one transaction.
type writer struct {
	rw   *rewriter
	txn  *ir.Txn // of the input
	out  *ir.Txn
	at   ir.At // of the transaction
	role role

	// Locals: p.a and p.hbh, and whether the transaction has read something
	// that the attacker stored.
	pa, phbh, cycle string
	end             string // the label of the block that Return leaves
	// rolls says that the transaction rolls back to savepoints. What a write
	// does to the flags is undone with it; what a read does is not.
	rolls  bool
	joined string             // like p.hbh, but by writes, if rolls
	barred string             // whether the attacker excludes a write, if rolls
	seen   map[*shadow]string // variables read so far, if rolls
	own    map[*shadow]string // variables written so far
	names  map[string]bool
	points map[string][]string // copies of the locals that rolling back restores, by savepoint
}

// name gives base, or base with a number where the transaction or the program
// uses that.
func (w *writer) name(base string) string {
	name := base
	for i := 1; w.names[name] || w.rw.names[name]; i++ {
		name = base + "_" + itoa(i)
	}
	w.names[name] = true
	return name
}

// local declares a local of the transaction.
func (w *writer) local(base string, t ir.Type) string {
	name := w.name(base)
	w.out.Locals = append(w.out.Locals, ir.Local{Name: name, Type: t})
	return name
}

// body rewrites the transaction's statements for a role.
func (w *writer) body(r role) []ir.Stmt {
	w.role, w.end, w.rolls, w.joined, w.barred = r, "", false, w.phbh, ""
	w.seen, w.own, w.points = map[*shadow]string{}, map[*shadow]string{}, map[string][]string{}
	if r == ordinary {
		return w.list(w.txn.Body)
	}
	returns := false
	ir.Walk(w.txn.Body, func(s ir.Stmt) {
		switch s.(type) {
		case *ir.Return:
			returns = true
		case *ir.RollbackTo:
			w.rolls = true
		}
	})
	var out []ir.Stmt
	if w.rolls && r == helper {
		w.joined, w.barred = w.local(w.rw.phbh+"'", ir.BoolType), w.local("excluded", ir.BoolType)
		out = append(out, &ir.Assign{At: w.at, Var: w.joined, Expr: boolean(false)},
			&ir.Assign{At: w.at, Var: w.barred, Expr: boolean(false)})
	}
	out = append(out, w.ownFlags()...)
	if returns {
		w.end = w.name("com")
		out = append(out, &ir.Block{At: w.at, Label: w.end, Body: w.list(w.txn.Body)})
	} else {
		out = append(out, w.list(w.txn.Body)...)
	}
	if w.joined != w.phbh {
		out = append(out, w.flag(w.at, w.phbh, ir.V(w.joined)), &ir.Assume{At: w.at, Cond: ir.NotE(ir.V(w.barred))})
	}
	return out
}

func (w *writer) list(in []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range in {
		out = append(out, w.stmt(s)...)
	}
	return out
}

// flag is: name := name or e.
func (w *writer) flag(at ir.At, name string, e ir.Expr) ir.Stmt {
	return &ir.Assign{At: at, Var: name, Expr: ir.OrE(ir.V(name), e)}
}

// exclude stops a helper where the attacker excludes what it writes (line 9);
// at its end, if the write may yet be undone.
func (w *writer) exclude(at ir.At, cond ir.Expr) ir.Stmt {
	if w.barred != "" {
		return w.flag(at, w.barred, cond)
	}
	return &ir.Assume{At: at, Cond: ir.NotE(cond)}
}

func (w *writer) stmt(s ir.Stmt) []ir.Stmt {
	if w.role == ordinary {
		return w.ordinary(s)
	}
	at := ir.At{Pos: s.Position()}
	temps, before, after, s2 := w.marks(s)
	out := append(temps, before...)
	switch s := s2.(type) {
	case *ir.Return:
		return []ir.Stmt{&ir.Break{At: at, Label: w.end}}
	case *ir.If:
		c := *s
		c.Cond = w.expr(s.Cond)
		c.Then, c.Else = w.list(s.Then), w.list(s.Else)
		return append(out, &c)
	case *ir.Block:
		c := *s
		c.Body = w.list(s.Body)
		return append(out, &c)
	case *ir.While:
		// The condition is read again at the end of every round.
		c := *s
		c.Cond = w.expr(s.Cond)
		c.Body = w.list(s.Body)
		_, again, _, _ := w.marks(s)
		c.Body = append(c.Body, again...)
		return append(out, &c)
	case *ir.ForRange:
		c := *s
		c.From, c.To = w.expr(s.From), w.expr(s.To)
		c.Body = w.list(s.Body)
		return append(out, &c)
	case *ir.Foreach:
		c := w.leaf(s).(*ir.Foreach)
		d := *c
		d.Body = w.list(s.Body)
		return append(out, &d)
	case *ir.Send: // the instrumented program is run by no client
	case *ir.Savepoint:
		return append(out, w.savepoint(s)...)
	case *ir.RollbackTo:
		return append(out, w.rollback(s)...)
	case *ir.Update:
		out = append(out, w.update(s)...)
	case *ir.Delete:
		out = append(out, w.delete(s)...)
	case *ir.Insert:
		out = append(out, w.insert(s)...)
	case *ir.LockTable:
		out = append(out, w.lockTable(s)...)
		out = append(out, w.leaf(s))
	case *ir.LockRows, *ir.Dropped: // they change nothing
	case *ir.Assign, *ir.Havoc, *ir.Select, *ir.Emit, *ir.EmitRows, *ir.Break, *ir.Continue,
		*ir.Assume, *ir.Abort, *ir.Unmodelled:
		out = append(out, w.leaf(s))
	case *ir.CopyTable, *ir.Fail:
		panic(fmt.Sprintf("instrument: %T in a program that is not instrumented yet", s))
	default:
		panic(fmt.Sprintf("instrument: unknown statement %T", s))
	}
	return append(out, after...)
}

// ordinary gives a statement as it was, but on the tables of the output.
func (w *writer) ordinary(s ir.Stmt) []ir.Stmt {
	switch s.(type) {
	case *ir.LockRows, *ir.Dropped: // they change nothing
		return nil
	}
	if !w.rw.moved {
		return []ir.Stmt{ir.MapChildren(s, w.list)}
	}
	switch s := s.(type) {
	case *ir.If:
		c := *s
		c.Cond, c.Then, c.Else = w.expr(s.Cond), w.list(s.Then), w.list(s.Else)
		return []ir.Stmt{&c}
	case *ir.Block:
		c := *s
		c.Body = w.list(s.Body)
		return []ir.Stmt{&c}
	case *ir.While:
		c := *s
		c.Cond, c.Body = w.expr(s.Cond), w.list(s.Body)
		return []ir.Stmt{&c}
	case *ir.ForRange:
		c := *s
		c.From, c.To, c.Body = w.expr(s.From), w.expr(s.To), w.list(s.Body)
		return []ir.Stmt{&c}
	case *ir.Foreach:
		c := *w.leaf(s).(*ir.Foreach)
		c.Body = w.list(s.Body)
		return []ir.Stmt{&c}
	case *ir.Insert:
		pre, keyed := w.keyed(s)
		return append(pre, w.leaf(keyed))
	}
	return []ir.Stmt{w.leaf(s)}
}

// savepoint also saves the locals that rolling back has to restore.
func (w *writer) savepoint(s *ir.Savepoint) []ir.Stmt {
	out := []ir.Stmt{s}
	if !w.rolls {
		return out
	}
	saved := w.restored()
	copies := w.points[s.Name]
	if copies == nil {
		for _, name := range saved {
			copies = append(copies, w.local(s.Name+"."+name, ir.BoolType))
		}
		w.points[s.Name] = copies
	}
	for i, name := range saved {
		out = append(out, &ir.Assign{At: s.At, Var: copies[i], Expr: ir.V(name)})
	}
	return out
}

// restored lists the locals that say what the transaction has written.
func (w *writer) restored() []string {
	var out []string
	if w.joined != w.phbh {
		out = append(out, w.joined, w.barred)
	}
	for _, s := range w.rw.order {
		if name := w.own[s]; name != "" {
			out = append(out, name)
		}
	}
	return out
}

func (w *writer) rollback(s *ir.RollbackTo) []ir.Stmt {
	out := []ir.Stmt{s}
	for i, name := range w.restored() {
		if c := w.points[s.Name]; c != nil {
			out = append(out, &ir.Assign{At: s.At, Var: name, Expr: ir.V(c[i])})
		}
	}
	for _, sh := range w.rw.order {
		if name := w.seen[sh]; name != "" {
			mark := []ir.Stmt{w.noteRead(s.At, sh)}
			if w.role == attacker {
				mark = append(mark, setVar(s.At, w.rw.hb, boolean(true)))
			}
			out = append(out, &ir.If{At: s.At, Cond: ir.V(name), Then: mark})
		}
	}
	return out
}
