package readcommitted

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
)

// passed is a condition over values with what it came to: true, or else false or NULL. Where it comes to the other
// one, the transaction takes another path, and one of the two ends it there.
type passed struct {
	cond  ir.Expr
	yes   bool
	other *ending // of the other branch, or nil
}

// recheck is a lock on a row that was read before, with what is known of the row then.
type recheck struct {
	by     *sighting
	equals equals
}

// What a value that was read is, other than a column.
const (
	noColumn = -1 - iota
	foundRow // whether the row is there
)

// beliefs are what a transaction has made of what it has read.
type beliefs struct {
	// used are the values of which more depends than by which conditions the path is left.
	used map[string]bool
	// guards are the conditions that have to come to the same again for this path.
	guards []passed
	// truths are texts of conditions that are true, or, where that is false, false or NULL.
	truths map[string]map[bool]bool
}

func (b *beliefs) clone() beliefs {
	out := beliefs{maps.Clone(b.used), slices.Clip(b.guards), map[string]map[bool]bool{}}
	for k, v := range b.truths {
		out.truths[k] = v
	}
	if out.used == nil {
		out.used = map[string]bool{}
	}
	return out
}

// joined is what holds on both of two paths.
func (b *beliefs) joined(o *beliefs) beliefs {
	out := b.clone()
	maps.Copy(out.used, o.used)
	out.guards = append(out.guards, o.guards...)
	maps.DeleteFunc(out.truths, func(k string, v map[bool]bool) bool { return !maps.Equal(v, o.truths[k]) })
	return out
}

// usesOf notes what a statement itself uses, but for what it stores in a local.
func (st *state) usesOf(s ir.Stmt) {
	list := ir.Exprs(s)
	switch s := s.(type) {
	case *ir.If, *ir.Send:
		return
	case *ir.Assign:
		if !ir.HasExists(s.Expr) && !failure.MayFail(s.Expr) {
			return
		}
	case *ir.Dropped:
		list = slices.Concat(list, []ir.Expr{s.Query.Where, s.Limit}, s.Number)
	default:
	}
	for _, e := range list {
		st.uses(st.value(e))
	}
}

// ends reports whether all paths through statements end the transaction.
func ends(body []ir.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	jumps := false
	ir.Walk(body, func(s ir.Stmt) {
		switch s.(type) {
		case *ir.Break, *ir.Continue:
			jumps = true
		default: // it goes on
		}
	})
	switch last := body[len(body)-1].(type) {
	case *ir.Abort, *ir.Return:
		return !jumps
	case *ir.If:
		return ends(last.Then) && ends(last.Else) && !jumps
	default:
		return false
	}
}

// believe notes what a condition has come to.
func (b *beliefs) believe(cond ir.Expr, yes bool) {
	for _, c := range parts(positive(cond, false), yes) {
		b.truths[text(c)] = map[bool]bool{yes: true}
	}
}

// parts are the conditions that have all come to the same.
func parts(cond ir.Expr, yes bool) []ir.Expr {
	if b, ok := cond.(*ir.Binary); ok && (b.Op == ir.And && yes || b.Op == ir.Or && !yes) {
		return append(parts(b.X, yes), parts(b.Y, yes)...)
	}
	return []ir.Expr{cond}
}

var negated = map[ir.BinaryOp]ir.BinaryOp{ir.Eq: ir.Ne, ir.Ne: ir.Eq, ir.Lt: ir.Ge, ir.Ge: ir.Lt, ir.Gt: ir.Le, ir.Le: ir.Gt, ir.And: ir.Or, ir.Or: ir.And}

// positive writes a condition, or its negation, without NOT before what has one of its own, and with comparisons in one
// direction. It has the same value, NULL included.
func positive(e ir.Expr, not bool) ir.Expr {
	switch x := e.(type) {
	case *ir.Unary:
		if x.Op == ir.Not {
			return positive(x.X, !not)
		}
	case *ir.Binary:
		op := x.Op
		if _, has := negated[op]; !has {
			break
		}
		if not {
			op = negated[op]
		}
		a, b := x.X, x.Y
		if op == ir.And || op == ir.Or {
			return ir.Op(op, positive(a, not), positive(b, not))
		}
		if op == ir.Gt || op == ir.Ge || (op == ir.Eq || op == ir.Ne) && text(a) > text(b) {
			op, a, b = mirrored[op], b, a
		}
		return ir.Op(op, a, b)
	default:
	}
	if not {
		return ir.NotE(e)
	}
	return e
}

// surely reports whether a condition comes to what it should by what is believed, with what holds of the row.
func (b *beliefs) surely(cond ir.Expr, yes bool, row map[string]bool) bool {
	cond = positive(cond, false)
	if v, known := (facts{}).decides(cond); known {
		return v == yes
	}
	if x, ok := cond.(*ir.Binary); ok && (x.Op == ir.And || x.Op == ir.Or) {
		both := (x.Op == ir.And) == yes
		left, right := b.surely(x.X, yes, row), b.surely(x.Y, yes, row)
		return both && left && right || !both && (left || right)
	}
	if is := b.truths[text(cond)]; is[yes] || row[text(cond)] && yes {
		return true
	}
	opposite := text(positive(cond, true))
	return !yes && (row[opposite] || b.truths[opposite][true])
}

// recheck is told that a row is locked, and there: what was read of it before, the transaction would read again. Rows that it has
// inserted or changed itself are left out.
func (a *flow) recheck(st *state, n *sighting) {
	own := false
	ir.Walk(a.txn.Body, func(s ir.Stmt) {
		_, is := s.(*ir.Insert)
		own = own || is && ir.Written(s) == n.table
	})
	for o, q := range st.sightings {
		if own || o.values == nil || o.table != n.table || o.locks != ir.NoLock ||
			slices.ContainsFunc(o.key, func(c int) bool { return !n.equals.shares(o.equals, c) }) ||
			slices.ContainsFunc(q.wrote, func(w *sighting) bool { return w != n }) {
			continue
		}
		q.rechecks = append(slices.Clone(q.rechecks), recheck{n, n.equals.without(func(int) bool { return false })})
	}
}

// rechecked reports whether a read decided nothing but whether the transaction ends early, and it would take the same path
// by what is in the row now that it is locked.
func (a *flow) rechecked(st *state, n *sighting, p *prospect) bool {
	if n.values == nil || a.plain != nil || st.usesAnyOf(n) {
		return false
	}
	return slices.ContainsFunc(p.rechecks, func(r recheck) bool {
		holds := map[string]bool{}
		for _, c := range r.by.asked {
			holds[text(positive(c, false))] = true
		}
		return !slices.ContainsFunc(st.guards, func(g passed) bool {
			if !n.decides(g.cond) {
				return false
			}
			for _, byColumn := range []bool{false, true} {
				if now, ok := n.now(g.cond, r, byColumn); ok && st.surely(now, g.yes, holds) {
					return false
				}
			}
			return true
		})
	})
}

// usesAnyOf reports whether more depends on what a read gave than by which conditions the path is left.
func (b *beliefs) usesAnyOf(n *sighting) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(n.values)), func(v string) bool { return b.used[v] })
}

// decides reports whether a value depends on what a read gave.
func (n *sighting) decides(e ir.Expr) bool {
	return slices.ContainsFunc(namesIn(e), func(v string) bool { _, mine := n.values[v]; return mine })
}

// now writes a condition with what the row has when it is locked, instead of what was read.
func (n *sighting) now(cond ir.Expr, r recheck, byColumn bool) (ir.Expr, bool) {
	ok := true
	return ir.MapExpr(n.notNull(cond), func(e ir.Expr) ir.Expr {
		v, is := e.(*ir.Var)
		if !is {
			return e
		}
		c, mine := n.values[v.Name]
		switch {
		case !mine:
			return e
		case c == foundRow:
			return &ir.Const{Value: ir.Bool(true)}
		case c < 0:
			ok = false
			return e
		case byColumn:
			return &ir.Col{Row: "row", Col: n.table.Columns[c].Name}
		case len(r.equals[c]) == 0:
			ok = false
			return e
		}
		return r.equals[c][len(r.equals[c])-1]
	}), ok
}

// notNull writes a condition about a row that is there: its columns which are NOT NULL are not NULL.
func (n *sighting) notNull(cond ir.Expr) ir.Expr {
	return ir.MapExpr(cond, func(e ir.Expr) ir.Expr {
		if u, ok := e.(*ir.Unary); ok && u.Op == ir.IsNull {
			if v, is := u.X.(*ir.Var); is {
				if c, mine := n.values[v.Name]; mine && c >= 0 && n.table.Columns[c].NotNull {
					return &ir.Const{Value: ir.Bool(false)}
				}
			}
		}
		return e
	})
}
