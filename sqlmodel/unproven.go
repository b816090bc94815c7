package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// A check that is NOT VALID need not hold of the rows that are there. PostgreSQL holds each row
// that is written to it, whichever columns an UPDATE sets. So a statement before the write says so.

// unproven writes, before a write, what it demands of checks that are NOT VALID.
func (b *Draft) unproven(s ir.Stmt) {
	t := b.writesUnproven(s)
	if t == nil {
		return
	}
	for _, k := range t.Unproven {
		var cond ir.Expr
		ok := false
		switch s := s.(type) {
		case *ir.Insert:
			cond, ok = insertedMeets(k, s)
		case *ir.Update:
			cond, ok = updatedMeets(k, s)
		}
		if !ok {
			b.mayDepend(s.Position(), "check "+k.Name+", which not all rows satisfy", t.IR)
			continue
		}
		b.require(s.Position(), cond, checkViolation)
	}
}

// writesUnproven gives the table that a statement writes, if it has checks that are NOT VALID.
func (b *Draft) writesUnproven(s ir.Stmt) *schema.Table {
	written := ir.Written(s)
	if written == nil {
		return nil
	}
	i := slices.IndexFunc(b.l.Order, func(t *schema.Table) bool { return t.IR == written })
	if i < 0 || len(b.l.Order[i].Unproven) == 0 {
		return nil
	}
	return b.l.Order[i]
}

// insertedMeets is the condition that a new row meets a check; ok is false where it cannot be told.
func insertedMeets(k ir.TableCheck, s *ir.Insert) (cond ir.Expr, ok bool) {
	ok = (s.Conflict == nil || len(s.Conflict.Sets) == 0) &&
		!needsGenerated(k, s.Table, func(col int) bool { return slices.Contains(s.Cols, col) })
	broken := brokenBy(k, s.Table, inserted(s))
	return ir.NotE(ir.Op(ir.Is, broken, ir.C(ir.Bool(true)))), ok
}

// updatedMeets is the condition that no row is updated that breaks a check then; ok is false where
// it cannot be told.
func updatedMeets(k ir.TableCheck, s *ir.Update) (cond ir.Expr, ok bool) {
	ok = !needsGenerated(k, s.Table, func(col int) bool {
		return slices.ContainsFunc(s.Sets, func(set ir.Set) bool { return set.Col == col })
	})
	rows := ir.Query{From: []ir.Source{{Table: s.Table, Row: s.Row}}, Where: ir.AndE(s.Where, brokenBy(k, s.Table, updated(s)))}
	return ir.NotE(&ir.Exists{Query: rows}), ok
}

// needsGenerated reports whether a check is about a generated column that a write does not set.
func needsGenerated(k ir.TableCheck, t *ir.Table, sets func(col int) bool) bool {
	needs := false
	ir.WalkExpr(k.Expr, func(e ir.Expr) {
		if c, is := e.(*ir.Col); is {
			col := t.Column(c.Col)
			needs = needs || t.Columns[col].Generated != nil && !sets(col)
		}
	})
	return needs
}
