package movers

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
)

// certificate looks for a reason for robustness that needs no solver, and
// names it (CAV'19, corollary 2, and the observation that an anomaly needs a
// transaction that reads what it does not write). "" is no reason.
func certificate(p *ir.Program, opt Options) string {
	var updaters []*ir.Txn
	for _, t := range p.Txns {
		if writes(t) {
			updaters = append(updaters, t)
		}
	}
	if len(updaters) == 0 {
		return "no transaction writes"
	}
	// Where equal writes exclude nobody, what is written depends on what was there.
	if opt.Engine.EqualWrites && !slices.ContainsFunc(updaters, func(t *ir.Txn) bool { return reads(t) || inserts(t) }) {
		return "no transaction that writes reads anything"
	}
	code := prepare.Of(p)
	if !slices.ContainsFunc(updaters, func(t *ir.Txn) bool { return !steady(code, t, opt) }) {
		return "every transaction that writes reads only rows that it writes, or what nobody writes"
	}
	if len(p.Processes) == 0 && opt.SessionOrder {
		return "" // sessions relate any two transactions
	}
	if oneVariableEach(p) && len(p.Processes) == 0 {
		return "every transaction touches a single shared variable"
	}
	if v := commonVariable(updaters); v != nil && opt.Engine.EqualWrites {
		return "every transaction that writes always writes " + v.Name
	}
	return ""
}

func writes(t *ir.Txn) bool {
	found := false
	ir.Walk(t.Body, func(s ir.Stmt) {
		switch s := s.(type) {
		case *ir.Insert, *ir.Update, *ir.Delete, *ir.Cascade, *ir.CopyTable:
			found = true
		case *ir.Unmodelled:
			found = found || !s.ReadOnly
		}
	})
	return found
}

// reads reports whether the transaction looks at the database: by a query, by
// the condition or the values of a write, or by ON CONFLICT.
func reads(t *ir.Txn) bool {
	found := false
	ir.Walk(t.Body, func(s ir.Stmt) {
		if u, ok := s.(*ir.Update); ok && u.Table.Var && len(ir.Reads(s)) == 1 {
			for _, set := range u.Sets {
				ir.WalkExpr(set.Expr, func(e ir.Expr) {
					if _, ok := e.(*ir.Col); ok {
						found = true
					}
				})
			}
			return
		}
		if len(ir.Reads(s)) > 0 {
			found = true
		}
		if _, ok := s.(*ir.Unmodelled); ok {
			found = true
		}
	})
	return found
}

// inserts reports whether the transaction inserts: that may fail.
func inserts(t *ir.Txn) bool {
	found := false
	ir.Walk(t.Body, func(s ir.Stmt) {
		if _, ok := s.(*ir.Insert); ok {
			found = true
		}
	})
	return found
}

// oneVariableEach is corollary 2(b): every transaction accesses one shared
// variable.
func oneVariableEach(p *ir.Program) bool {
	for _, t := range p.Txns {
		var only *ir.Table
		ok := true
		see := func(u *ir.Table) {
			ok = ok && u.Var && (only == nil || only == u)
			only = u
		}
		ir.Walk(t.Body, func(s ir.Stmt) {
			for _, src := range ir.Reads(s) {
				see(src.Table)
			}
			if u := ir.Written(s); u != nil {
				see(u)
			}
			switch s.(type) {
			case *ir.Unmodelled, *ir.CopyTable:
				ok = false
			}
		})
		if !ok {
			return false
		}
	}
	return true
}

// commonVariable is corollary 2(c): a shared variable that every updater
// writes on every path, outside of branches and loops.
func commonVariable(updaters []*ir.Txn) *ir.Table {
	var common []*ir.Table
	for i, t := range updaters {
		var mine []*ir.Table
		for _, s := range t.Body {
			if u, ok := s.(*ir.Update); ok && u.Table.Var && u.Where == nil {
				mine = append(mine, u.Table)
			}
		}
		ends := false
		ir.Walk(t.Body, func(s ir.Stmt) {
			switch s.(type) {
			case *ir.Return, *ir.RollbackTo, *ir.Unmodelled:
				ends = true
			}
		})
		if ends {
			return nil
		}
		if i == 0 {
			common = mine
		}
		common = slices.DeleteFunc(common, func(v *ir.Table) bool { return !slices.Contains(mine, v) })
	}
	if len(common) == 0 {
		return nil
	}
	return common[0]
}
