package prepare

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// findNullable finds the shared variables that may become NULL: a local that nobody
// has assigned is NULL, and so is what is computed from it. It goes through the
// transactions until no further variable is found.
func (c *Code) findNullable() {
	c.Nullable = map[*ir.Table]bool{}
	for _, t := range c.Program.Tables {
		if t.Var && slices.ContainsFunc(t.Rows, func(r []ir.Value) bool { return r[0].IsNull() }) {
			c.Nullable[t] = true
		}
	}
	var writers []*ir.Txn
	for _, t := range c.Program.Txns {
		if c.writesVars(t) {
			writers = append(writers, t)
		}
	}
	for before := -1; before != len(c.Nullable); {
		before = len(c.Nullable)
		for _, t := range writers {
			x := nulls{c: c, set: map[string]bool{}}
			for _, p := range t.Params {
				x.set[p.Name] = p.NotNull || p.Fresh
			}
			x.list(t.Body)
		}
	}
}

// writesVars reports whether a transaction may write shared variables.
func (c *Code) writesVars(t *ir.Txn) bool {
	if !slices.ContainsFunc(c.Program.Tables, func(t *ir.Table) bool { return t.Var }) {
		return false
	}
	writes := false
	ir.Walk(t.Body, func(s ir.Stmt) {
		switch s.(type) {
		case *ir.Unmodelled, *ir.CopyTable:
			writes = true
		default:
			to := ir.Written(s)
			writes = writes || to != nil && to.Var
		}
	})
	return writes
}

// nulls goes through a transaction.
type nulls struct {
	c *Code
	// set are the locals that are not NULL here.
	set map[string]bool
	// left are those that are not NULL at any of the jumps so far, one for each
	// statement around that may be what is left; nil without a jump.
	left []map[string]bool
	// row is the row variable of the shared variable that the statement reads or
	// writes, if it is one.
	row string
	of  *ir.Table
}

// both keeps the locals that are not NULL in either case.
func both(a, b map[string]bool) map[string]bool {
	if a == nil {
		return maps.Clone(b)
	}
	out := map[string]bool{}
	for v := range a {
		if a[v] && b[v] {
			out[v] = true
		}
	}
	return out
}

func (x *nulls) list(list []ir.Stmt) {
	for _, s := range list {
		x.stmt(s)
	}
}

func (x *nulls) stmt(s ir.Stmt) {
	switch s := s.(type) {
	case *ir.Assign:
		x.set[s.Var] = x.never(s.Expr)
	case *ir.Havoc:
		x.set[s.Var] = s.NotNull
	case *ir.If:
		start := maps.Clone(x.set)
		x.list(s.Then)
		then := x.set
		x.set = start
		x.list(s.Else)
		x.set = both(x.set, then)
	case *ir.Block, *ir.While, *ir.ForRange, *ir.Foreach:
		x.compound(s)
	case *ir.Break, *ir.Continue:
		for i := range x.left {
			x.left[i] = both(x.left[i], x.set)
		}
	case *ir.Update:
		x.row, x.of = s.Row, s.Table
		if s.Table.Var && slices.ContainsFunc(s.Sets, func(set ir.Set) bool { return !x.never(set.Expr) }) {
			x.c.Nullable[s.Table] = true
		}
	case *ir.Unmodelled:
		for _, t := range x.c.Program.Tables {
			if t.Var && !s.ReadOnly && (s.Tables == nil || slices.Contains(s.Tables, t)) {
				x.c.Nullable[t] = true
			}
		}
	case *ir.CopyTable:
		if s.Dst.Var {
			x.c.Nullable[s.Dst] = true
		}
	case *ir.Select:
		for _, v := range s.Into {
			x.set[v] = false
			if s.IsVarRead() {
				x.row, x.of = s.Query.From[0].Row, s.Query.From[0].Table
				x.set[v] = x.never(s.Cols[0])
			}
		}
		x.set[s.Found] = true
	default:
		for _, v := range ir.Assigned(s) {
			x.set[v] = false
		}
	}
}

// compound is a block or a loop: the body may run any number of times.
func (x *nulls) compound(s ir.Stmt) {
	_, once := s.(*ir.Block)
	for {
		start := maps.Clone(x.set)
		for _, v := range ir.Assigned(s) {
			_, counter := s.(*ir.ForRange)
			x.set[v] = counter
		}
		x.left = append(x.left, nil)
		for _, c := range ir.Children(s) {
			x.list(c)
		}
		end := x.set
		if left := x.left[len(x.left)-1]; left != nil {
			end = both(left, end)
		}
		x.left = x.left[:len(x.left)-1]
		if !once {
			end = both(start, end)
		}
		x.set = end
		if once || maps.Equal(start, end) {
			break
		}
	}
	for _, v := range ir.Assigned(s) {
		x.set[v] = false
	}
}

// never reports whether an expression is never NULL.
func (x *nulls) never(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Const:
		return !e.Value.IsNull()
	case *ir.Var:
		return x.set[e.Name]
	case *ir.Col:
		return e.Row == x.row && x.of.Var && !x.c.Nullable[x.of]
	case *ir.Unary:
		return e.Op == ir.IsNull || x.never(e.X)
	case *ir.Binary:
		return e.Op == ir.Is || x.never(e.X) && x.never(e.Y)
	case *ir.Cond:
		return x.never(e.Then) && x.never(e.Else)
	case *ir.Exists:
		return true
	}
	return false
}
