package prepare

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// Apart examines a loop between numbers. It reports whether its rounds cannot
// influence each other: each touches only rows, of the tables that the loop
// writes, in which one key column is the loop's variable. That column is given
// for each such table, as its place in the key.
//
// Every round of such a loop starts from the state before the loop.
func Apart(p *ir.Program, t *ir.Txn, s *ir.ForRange, refs map[*ir.Table][]Reference) (map[*ir.Table]int, bool) {
	a := &apartness{loopVar: s.Var, cols: map[*ir.Table]int{}}
	written := map[*ir.Table]bool{}
	moved := map[*ir.Table]bool{} // as far as foreign keys see
	plain := true
	ir.Walk(s.Body, func(st ir.Stmt) {
		switch st := st.(type) {
		case *ir.Assign, *ir.Havoc, *ir.Send, *ir.Select, *ir.Emit, *ir.EmitRows, *ir.LockRows, *ir.Dropped, *ir.If, *ir.Assume, *ir.Abort, *ir.Update, *ir.Delete:
		case *ir.Insert:
			plain = plain && st.Conflict == nil
		case *ir.Continue:
			plain = plain && (st.Label == "" || st.Label == s.Label)
		default:
			plain = false // it leaves the loop, or is one
		}
		if w := ir.Written(st); w != nil {
			written[w] = true
			if u, ok := st.(*ir.Update); !ok || setsReference(u, refs[w]) {
				moved[w] = true
			}
		}
		plain = plain && !slices.Contains(ir.Assigned(st), s.Var)
	})
	if !plain {
		return nil, false
	}
	for _, w := range p.Tables {
		if !written[w] {
			continue
		}
		at, ok := a.column(s.Body, w)
		if !ok {
			return nil, false
		}
		a.cols[w] = at
		if len(w.Exclusions) > 0 {
			return nil, false
		}
		for _, u := range w.Uniques {
			if !slices.Contains(u.Columns, w.Key[at]) {
				return nil, false
			}
		}
		for _, fk := range w.ForeignKeys {
			if moved[w] && moved[fk.Ref] {
				return nil, false
			}
		}
	}
	return a.cols, a.private(t, s)
}

// OwnRows gives the place in the key that is the loop's variable in all rows
// that one statement of a loop between numbers writes.
func OwnRows(s *ir.ForRange, write ir.Stmt) (int, bool) {
	assigned := false
	ir.Walk(s.Body, func(st ir.Stmt) { assigned = assigned || slices.Contains(ir.Assigned(st), s.Var) })
	t := ir.Written(write)
	if assigned || t == nil || t.Var {
		return 0, false
	}
	a := &apartness{loopVar: s.Var}
	return a.column([]ir.Stmt{write}, t)
}

// setsReference reports whether an update sets a column of a foreign key, or one
// that a foreign key refers to.
func setsReference(u *ir.Update, refs []Reference) bool {
	for _, set := range u.Sets {
		for _, fk := range u.Table.ForeignKeys {
			if slices.Contains(fk.Columns, set.Col) {
				return true
			}
		}
		for _, r := range refs {
			if slices.Contains(r.Fk.RefColumns, set.Col) {
				return true
			}
		}
	}
	return false
}

type apartness struct {
	loopVar string
	cols    map[*ir.Table]int
}

// column finds the key column of a table that is the loop's variable in every
// access of the body.
func (a *apartness) column(body []ir.Stmt, t *ir.Table) (int, bool) {
	for i, c := range t.Key {
		ok := true
		query := func(q *ir.Query) {
			for _, src := range q.From {
				if src.Table == t && !a.fixes(q.Where, src.Row, t.Columns[c].Name) {
					ok = false
				}
			}
		}
		ir.Walk(body, func(st ir.Stmt) {
			switch st := st.(type) {
			case *ir.Select:
				query(&st.Query)
			case *ir.EmitRows:
				query(&st.Query)
			case *ir.LockRows:
				query(&st.Query)
			case *ir.Update:
				query(&ir.Query{From: []ir.Source{{Table: st.Table, Row: st.Row}}, Where: st.Where})
			case *ir.Delete:
				query(&ir.Query{From: []ir.Source{{Table: st.Table, Row: st.Row}}, Where: st.Where})
			case *ir.Insert:
				at := slices.Index(st.Cols, c)
				if st.Table == t && (at < 0 || !a.isVar(st.Values[at])) {
					ok = false
				}
			}
			for _, x := range ir.Exprs(st) {
				ir.WalkExpr(x, func(x ir.Expr) {
					if e, is := x.(*ir.Exists); is {
						query(&e.Query)
					}
				})
			}
		})
		if ok {
			return i, true
		}
	}
	return 0, false
}

func (a *apartness) isVar(x ir.Expr) bool {
	v, ok := x.(*ir.Var)
	return ok && v.Name == a.loopVar
}

// fixes reports whether a condition demands that a column is the loop's
// variable.
func (a *apartness) fixes(where ir.Expr, row, col string) bool {
	for _, c := range ir.Conjuncts(where) {
		b, ok := c.(*ir.Binary)
		if !ok || b.Op != ir.Eq {
			continue
		}
		for _, pair := range [][2]ir.Expr{{b.X, b.Y}, {b.Y, b.X}} {
			x, ok := pair[0].(*ir.Col)
			if ok && x.Row == row && x.Col == col && a.isVar(pair[1]) {
				return true
			}
		}
	}
	return false
}

// private reports whether the locals that the body assigns carry nothing from
// round to round or out of the loop.
func (a *apartness) private(t *ir.Txn, s *ir.ForRange) bool {
	assigned := map[string]bool{s.Var: true}
	ir.Walk(s.Body, func(st ir.Stmt) {
		for _, n := range ir.Assigned(st) {
			assigned[n] = true
		}
	})
	for _, l := range t.Locals {
		if l.Kept && assigned[l.Name] {
			return false
		}
	}
	uses := func(st ir.Stmt) (names []string) {
		for _, x := range ir.Exprs(st) {
			ir.WalkExpr(x, func(x ir.Expr) {
				if v, ok := x.(*ir.Var); ok {
					names = append(names, v.Name)
				}
			})
		}
		return names
	}
	inside := map[ir.Stmt]bool{}
	ir.Walk(s.Body, func(st ir.Stmt) { inside[st] = true })
	ok := true
	ir.Walk(t.Body, func(st ir.Stmt) {
		if !inside[st] {
			for _, n := range uses(st) {
				ok = ok && !assigned[n]
			}
		}
	})
	// Definite assignment; a branch that continues with the next round does
	// not meet the rest.
	var walk func(list []ir.Stmt, have map[string]bool) (ends bool)
	walk = func(list []ir.Stmt, have map[string]bool) bool {
		for _, st := range list {
			for _, n := range uses(st) {
				ok = ok && (!assigned[n] || have[n])
			}
			switch st := st.(type) {
			case *ir.If:
				then, els := copySet(have), copySet(have)
				e1, e2 := walk(st.Then, then), walk(st.Else, els)
				if e1 && e2 {
					return true
				}
				for n := range assigned {
					if (e1 || then[n]) && (e2 || els[n]) {
						have[n] = true
					}
				}
			case *ir.Continue, *ir.Abort:
				return true
			default:
				for _, n := range ir.Assigned(st) {
					have[n] = true
				}
			}
		}
		return false
	}
	walk(s.Body, map[string]bool{s.Var: true})
	return ok
}

func copySet(m map[string]bool) map[string]bool {
	out := make(map[string]bool, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}
