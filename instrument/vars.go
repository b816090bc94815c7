package instrument

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
)

// The accesses to shared variables, as in figures 3 and 4 of the paper.

// Values of x.event.
const (
	loaded = "ld"
	stored = "st"
)

// noteRead is: x.event := ld, unless it is set (lines 1 and 8).
func (w *writer) noteRead(at ir.At, s *shadow) ir.Stmt {
	return setVarWhere(at, s.event, text(loaded), isNull(cell(s.event)))
}

// ownFlags declares, where values count, a flag per variable that the
// transaction writes: a helper that reads its own write reads from nobody.
func (w *writer) ownFlags() []ir.Stmt {
	var out []ir.Stmt
	if w.role != helper || w.rw.opt.Classic {
		return nil
	}
	ir.Walk(w.txn.Body, func(st ir.Stmt) {
		if s := w.rw.shadows[ir.Written(st)]; s != nil && s.table.Var && w.own[s] == "" {
			w.own[s] = w.local(s.table.Name+".own", ir.BoolType)
			out = append(out, &ir.Assign{At: w.at, Var: w.own[s], Expr: boolean(false)})
		}
	})
	return out
}

// readVarMarks is what a read of a shared variable adds.
func (w *writer) readVarMarks(at ir.At, s *shadow) []ir.Stmt {
	out := []ir.Stmt{w.noteRead(at, s)}
	if w.role == attacker {
		out = append(out, setVar(at, w.rw.hb, boolean(true))) // (2)
	} else {
		join := is(cell(s.eventI), text(stored)) // (7)
		cycle := cell(s.eventA)                  // (17), (18)
		from := func(flag *ir.Table) []ir.Source { return []ir.Source{src(flag, flag.Name)} }
		if !w.rw.opt.Classic {
			// No helper writes what the attacker wrote: x' is the snapshot, or
			// the attacker's value.
			changed := differs(cell(s.base), cell(s.prime))
			join, cycle = and(join, changed), and(cycle, changed)
			from = func(flag *ir.Table) []ir.Source {
				return []ir.Source{src(flag, flag.Name), src(s.base, s.base.Name), src(s.prime, s.prime.Name)}
			}
		}
		out = append([]ir.Stmt{
			w.flag(at, w.phbh, existsIn(join, from(s.eventI)...)),
			w.flag(at, w.cycle, existsIn(cycle, from(s.eventA)...)),
		}, out...)
	}
	if w.rolls {
		if w.seen[s] == "" {
			w.seen[s] = w.local(s.table.Name+".ld", ir.BoolType)
		}
		out = append(out, &ir.Assign{At: at, Var: w.seen[s], Expr: boolean(true)})
	}
	if own := w.own[s]; own != "" {
		out = []ir.Stmt{&ir.If{At: at, Cond: ir.NotE(ir.V(own)), Then: out}}
	}
	return out
}

// updateVar is a write of a shared variable.
func (w *writer) updateVar(u *ir.Update, s *shadow) []ir.Stmt {
	write := w.leaf(u).(*ir.Update)
	value := write.Sets[0].Expr
	row := write.Row
	var pre, post []ir.Stmt
	// guard says that the statement writes; nil that it always does.
	var guard ir.Expr
	if write.Where != nil {
		g := w.local(s.table.Name+".hit", ir.BoolType)
		pre = append(pre, &ir.Assign{At: u.At, Var: g, Expr: existsIn(write.Where, src(write.Table, row))})
		guard = ir.V(g)
	}
	equal := is(&ir.Col{Row: row, Col: irnames.VarColumn}, value)
	if !w.rw.opt.Engine.EqualWrites {
		g := w.local(s.table.Name+".new", ir.BoolType)
		pre = append(pre, &ir.Assign{At: u.At, Var: g, Expr: existsIn(and(write.Where, ir.NotE(equal)), src(write.Table, row))})
		guard = ir.V(g)
	}
	if w.role == attacker {
		post = []ir.Stmt{
			setVar(u.At, s.eventA, boolean(true)),      // (4)
			setVar(u.At, w.rw.stA, text(s.table.Name)), // (5)
		}
	} else {
		taken := isTrue(s.eventA)
		if s.lockedVar != nil {
			taken = ir.OrE(taken, isTrue(s.lockedVar))
		}
		pre = append(pre, w.exclude(u.At, and(guard, taken))) // (9)
		join := ir.NotE(isNull(cell(s.eventI)))               // (11)
		hit := guard
		if !w.rw.opt.Classic {
			g := w.local(s.table.Name+".changed", ir.BoolType)
			pre = append(pre, &ir.Assign{At: u.At, Var: g, Expr: existsIn(and(write.Where, ir.NotE(equal)), src(write.Table, row))})
			hit = ir.V(g)
		}
		pre = append(pre, w.flag(u.At, w.joined, and(hit, exists(s.eventI, join))))
		post = []ir.Stmt{setVar(u.At, s.event, text(stored))} // (10)
		post = onlyIf(u.At, hit, post)
		if own := w.own[s]; own != "" {
			post = append(post, onlyIf(u.At, guard, []ir.Stmt{&ir.Assign{At: u.At, Var: own, Expr: boolean(true)}})...)
		}
		return append(append(pre, write), post...)
	}
	return append(append(pre, write), onlyIf(u.At, guard, post)...)
}

// onlyIf puts statements under a condition, where nil is true.
func onlyIf(at ir.At, cond ir.Expr, then []ir.Stmt) []ir.Stmt {
	if cond == nil {
		return then
	}
	return []ir.Stmt{&ir.If{At: at, Cond: cond, Then: then}}
}
