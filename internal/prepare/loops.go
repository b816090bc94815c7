package prepare

import (
	"fmt"

	"github.com/txrobust/robust/internal/ir"
)

// LoopFacts is what a loop's body contains.
type LoopFacts struct {
	Assigned, Used map[string]bool
	Sites          map[*ir.Table]map[int]int // writing statements per column; AliveCol: insertions and deletions
	Leaves         bool                      // breaks, returns
	Outer          []ir.Stmt                 // the statements that leave more than this loop
}

// FactsOf looks at the body of a loop statement s of p, whose label is label.
func FactsOf(p *ir.Program, s ir.Stmt, label string, body []ir.Stmt) LoopFacts {
	f := LoopFacts{Assigned: map[string]bool{}, Used: map[string]bool{},
		Sites: map[*ir.Table]map[int]int{}}
	inner := map[string]bool{label: label != ""}
	depth := 0
	use := func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) {
			if v, ok := e.(*ir.Var); ok {
				f.Used[v.Name] = true
			}
		})
	}
	write := func(t *ir.Table, c int) {
		if f.Sites[t] == nil {
			f.Sites[t] = map[int]int{}
		}
		f.Sites[t][c]++
	}
	all := func(t *ir.Table) {
		write(t, AliveCol)
		for c := range t.Columns {
			write(t, c)
		}
	}
	var walk func(list []ir.Stmt)
	walk = func(list []ir.Stmt) {
		for _, s := range list {
			for _, n := range ir.Assigned(s) {
				f.Assigned[n] = true
			}
			for _, x := range ir.Exprs(s) {
				use(x)
			}
			nested := 0
			switch s := s.(type) {
			case *ir.Insert:
				all(s.Table)
				if s.Conflict != nil {
					for _, set := range s.Conflict.Sets {
						write(s.Table, set.Col)
					}
				}
			case *ir.Update:
				for _, set := range s.Sets {
					write(s.Table, set.Col)
				}
			case *ir.Delete:
				write(s.Table, AliveCol)
			case *ir.Unmodelled:
				tables := s.Tables
				if tables == nil {
					tables = p.Tables
				}
				for _, t := range tables {
					if !s.ReadOnly {
						all(t)
						all(t) // as if by several statements: nothing is exact
					}
				}
			case *ir.Return:
				f.Leaves = true
				f.Outer = append(f.Outer, s)
			case *ir.Break:
				if s.Label == "" && depth == 0 || s.Label == label && label != "" {
					f.Leaves = true
				} else if s.Label != "" && !inner[s.Label] {
					f.Leaves = true
					f.Outer = append(f.Outer, s)
				}
			case *ir.Continue:
				if s.Label != "" && !inner[s.Label] {
					f.Leaves = true
					f.Outer = append(f.Outer, s)
				}
			case *ir.Block:
				inner[s.Label] = true
			case *ir.While:
				inner[s.Label], nested = s.Label != "", 1
			case *ir.ForRange:
				inner[s.Label], nested = s.Label != "", 1
			case *ir.Foreach:
				inner[s.Label], nested = s.Label != "", 1
			}
			depth += nested
			for _, c := range ir.Children(s) {
				walk(c)
			}
			depth -= nested
		}
	}
	for _, n := range ir.Assigned(s) {
		f.Assigned[n] = true
	}
	for _, x := range ir.Exprs(s) {
		use(x)
	}
	walk(body)
	return f
}

// ParamNames gives the names of the parameters of t, in order.
func ParamNames(t *ir.Txn) (out []string) {
	for _, p := range t.Params {
		out = append(out, p.Name)
	}
	return
}

// LocalNames gives the names of the locals of t, in order.
func LocalNames(t *ir.Txn) (out []string) {
	for _, l := range t.Locals {
		out = append(out, l.Name)
	}
	return
}

// ConstantRounds counts the rounds of a loop between literals.
func ConstantRounds(s *ir.ForRange) (int, bool) {
	a, ok1 := s.From.(*ir.Const)
	b, ok2 := s.To.(*ir.Const)
	if !ok1 || !ok2 || a.Value.Kind != ir.KindInt || b.Value.Kind != ir.KindInt {
		return 0, false
	}
	n := b.Value.I - a.Value.I + 1
	if s.Reverse {
		n = a.Value.I - b.Value.I + 1
	}
	return int(max(n, 0)), true
}

// Decides reports whether columns may decide what a constraint says of a row.
func Decides(t *ir.Table, u ir.PairConstraint, cols []bool) bool {
	switch u := u.(type) {
	case *ir.Unique:
		return Touches(u.Columns, cols) || u.Where != nil
	case *ir.Exclusion:
		return Touches(ir.ExclusionColumns(u, t), cols)
	default:
		panic(fmt.Sprintf("prepare: unknown constraint %T", u))
	}
}

// AliveCol stands for the existence of a row where an unknown write is asked
// for a column.
const AliveCol = -1
