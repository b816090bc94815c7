package syntax

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
)

// Conjuncts splits a condition at its ANDs.
func Conjuncts(n *pg.Node) []*pg.Node {
	if b, ok := pg.Inner(n).(*pg.BoolExpr); ok && b.Boolop == pg.BoolAnd {
		var out []*pg.Node
		for _, a := range b.Args {
			out = append(out, Conjuncts(a)...)
		}
		return out
	}
	return []*pg.Node{n}
}

// AliasOf gives the name by which a query knows an item of its FROM list.
func AliasOf(r *pg.RangeVar) string {
	if r.Alias != nil {
		return r.Alias.Aliasname
	}
	return r.Relname
}

// IsStar reports whether n is a * in a list of columns.
func IsStar(n *pg.Node) bool {
	_, ok := pg.Inner(n).(*pg.A_Star)
	return ok
}

// TargetName is the name of an output column.
func TargetName(t *pg.ResTarget) string {
	if t.Name != "" {
		return t.Name
	}
	return ExprName(t.Val)
}

// ExprName is the name that PostgreSQL gives an output column without one.
func ExprName(n *pg.Node) string {
	switch e := pg.Inner(n).(type) {
	case *pg.ColumnRef:
		parts := Names(e.Fields)
		return parts[len(parts)-1]
	case *pg.FuncCall:
		parts := Names(e.Funcname)
		return parts[len(parts)-1]
	case *pg.TypeCast:
		if name := ExprName(e.Arg); name != "?column?" {
			return name
		}
		parts := Names(e.TypeName.Names)
		return parts[len(parts)-1]
	case *pg.CoalesceExpr:
		return "coalesce"
	case *pg.CaseExpr:
		if e.Defresult != nil {
			if name := ExprName(e.Defresult); name != "?column?" {
				return name
			}
		}
		return "case"
	case *pg.SubLink:
		if e.SubLinkType == pg.SubExists {
			return "exists"
		}
		if s, ok := pg.Inner(e.Subselect).(*pg.SelectStmt); ok && len(s.TargetList) == 1 && e.SubLinkType == pg.SubExpr {
			return TargetName(pg.Inner(s.TargetList[0]).(*pg.ResTarget))
		}
	case *pg.A_Indirection:
		if s, ok := pg.Inner(e.Indirection[len(e.Indirection)-1]).(*pg.String); ok {
			return s.Sval
		}
		return ExprName(e.Arg)
	}
	return "?column?"
}

// HasAggregates reports whether an expression of a list calls an aggregate,
// outside of subqueries.
func HasAggregates(list []*pg.Node) bool {
	found := false
	for _, n := range list {
		pg.Walk(n, func(tree any) bool {
			switch e := tree.(type) {
			case *pg.SelectStmt:
				return false
			case *pg.FuncCall:
				found = found || e.Over == nil && catalog.IsAggregate(PlainName(Qualified(Names(e.Funcname))))
			}
			return true
		})
	}
	return found
}

// LockModes are the modes of row locks by their names in the tree.
var LockModes = map[string]ir.LockMode{
	pg.LockForKeyShare.String():    ir.ForKeyShare,
	pg.LockForShare.String():       ir.ForShare,
	pg.LockForNoKeyUpdate.String(): ir.ForNoKeyUpdate,
	pg.LockForUpdate.String():      ir.ForUpdate,
}

// LockModesOf gives the lock that the clauses of a query put on an item of its FROM list,
// by its alias, and pushed by a query around it. skips is whether its rows may be skipped.
func LockModesOf(s *pg.SelectStmt, pushed ir.LockMode) func(alias string) (mode ir.LockMode, skips bool) {
	return func(alias string) (ir.LockMode, bool) {
		mode := pushed
		policy := pg.LockWaitBlock
		for _, n := range s.LockingClause {
			c := pg.Inner(n).(*pg.LockingClause)
			named := len(c.LockedRels) == 0 || slices.ContainsFunc(c.LockedRels, func(r *pg.Node) bool {
				return pg.Inner(r).(*pg.RangeVar).Relname == alias
			})
			if named {
				mode = max(mode, LockModes[c.Strength.String()])
				policy = max(policy, c.WaitPolicy) // NOWAIT is more than SKIP LOCKED
			}
		}
		return mode, policy == pg.LockWaitSkip
	}
}

// HasWindows reports whether output columns call window functions.
func HasWindows(list []*pg.Node) bool {
	found := false
	for _, n := range list {
		pg.Walk(n, func(tree any) bool {
			if _, sub := tree.(*pg.SelectStmt); sub {
				return false
			}
			e, ok := tree.(*pg.FuncCall)
			found = found || ok && e.Over != nil
			return true
		})
	}
	return found
}

// PlainExpression reports whether a SELECT is only a list of expressions.
func PlainExpression(s *pg.SelectStmt) bool {
	return len(s.FromClause) == 0 && s.WhereClause == nil && (s.Op == pg.SetOpNone || s.Op == 0) && s.LimitCount == nil &&
		s.WithClause == nil && len(s.DistinctClause) == 0 && len(s.GroupClause) == 0 && s.HavingClause == nil &&
		len(s.ValuesLists) == 0 && len(s.SortClause) == 0 && len(s.LockingClause) == 0 && !HasAggregates(s.TargetList)
}

// TargetOf gives the table that a statement writes, or nil.
func TargetOf(tree any) *pg.RangeVar {
	switch s := tree.(type) {
	case *pg.InsertStmt:
		return s.Relation
	case *pg.UpdateStmt:
		return s.Relation
	case *pg.DeleteStmt:
		return s.Relation
	case *pg.MergeStmt:
		return s.Relation
	}
	return nil
}

// WithOf gives the WITH clause of a statement, or nil.
func WithOf(root any) *pg.WithClause {
	switch s := root.(type) {
	case *pg.SelectStmt:
		return s.WithClause
	case *pg.InsertStmt:
		return s.WithClause
	case *pg.UpdateStmt:
		return s.WithClause
	case *pg.DeleteStmt:
		return s.WithClause
	case *pg.MergeStmt:
		return s.WithClause
	}
	return nil
}

// MentionsCte reports whether a statement names the WITH query whose statement is part.
func MentionsCte(root pg.Message, part any) bool {
	found := false
	for _, n := range WithOf(root).Ctes {
		if c := pg.Inner(n).(*pg.CommonTableExpr); pg.Inner(c.Ctequery) == part {
			pg.Walk(root, func(tree any) bool {
				r, ok := tree.(*pg.RangeVar)
				found = found || ok && r.Schemaname == "" && r.Relname == c.Ctename
				return true
			})
		}
	}
	return found
}

// PrivateTo gives the queries of WITH that only the INSERT part names, or others that only it needs: their rows are looked for as it runs.
func PrivateTo(w *pg.WithClause, root pg.Message, part *pg.Node) map[*pg.Node]bool {
	private := map[*pg.Node]bool{}
	if _, is := pg.Inner(pg.Inner(part).(*pg.CommonTableExpr).Ctequery).(*pg.InsertStmt); !is {
		return private
	}
	mentions := func(in pg.Message, name string) int {
		found := 0
		pg.Walk(in, func(tree any) bool {
			if r, ok := tree.(*pg.RangeVar); ok && r.Schemaname == "" && r.Relname == name {
				found++
			}
			return true
		})
		return found
	}
	for more := true; more; {
		more = false
		for _, n := range w.Ctes {
			c := pg.Inner(n).(*pg.CommonTableExpr)
			sel, is := pg.Inner(c.Ctequery).(*pg.SelectStmt)
			if private[n] || !is || len(sel.LockingClause) > 0 || sel.WithClause != nil {
				continue
			}
			here := mentions(part, c.Ctename)
			for other := range private {
				here += mentions(other, c.Ctename)
			}
			if here > 0 && here == mentions(root, c.Ctename) {
				private[n], more = true, true
			}
		}
	}
	return private
}

// TypeSpelling writes a type as the program does.
func TypeSpelling(t *pg.TypeName) string {
	if t == nil {
		return "?"
	}
	s := PlainName(Qualified(Names(t.Names)))
	if len(t.ArrayBounds) > 0 {
		s += "[]"
	}
	return s
}

// SQLBody flattens the BEGIN ATOMIC … END and RETURN forms.
func SQLBody(n *pg.Node) []*pg.Node {
	list, ok := pg.Inner(n).(*pg.List)
	if !ok {
		return []*pg.Node{n}
	}
	var out []*pg.Node
	for _, item := range list.Items {
		out = append(out, SQLBody(item)...)
	}
	return out
}

// Claim says that a comment belongs to something.
func (s *Source) Claim(i int) {
	if s.Claimed == nil {
		s.Claimed = map[int]bool{}
	}
	s.Claimed[i] = true
}

// FunctionFollows reports whether the next statement after token i is CREATE
// FUNCTION or PROCEDURE.
func (s *Source) FunctionFollows(i int) bool {
	j := s.FirstToken(s.Toks[i].End)
	for n := 0; n < 4 && j+n < len(s.Toks); n++ {
		if t := s.Toks[j+n]; t.Kind == pg.Word && (t.Text == "function" || t.Text == "procedure") {
			return s.Toks[j].Text == "create"
		}
	}
	return false
}

// SplitNames splits a list at commas, by offset.
func SplitNames(list string) map[int]string {
	out := map[int]string{}
	off := 0
	for _, part := range strings.Split(list, ",") {
		name := strings.TrimSpace(part)
		out[off+strings.Index(part, name)] = name
		off += len(part) + 1
	}
	return out
}

// Names gives the strings of a list of String nodes.
func Names(list []*pg.Node) []string {
	var out []string
	for _, n := range list {
		if s, ok := pg.Inner(n).(*pg.String); ok {
			out = append(out, s.Sval)
		}
	}
	return out
}

// TypeModifiers gives the numbers in parentheses after a type.
func TypeModifiers(n *pg.TypeName) []int {
	var out []int
	for _, m := range n.Typmods {
		c, ok := pg.Inner(m).(*pg.A_Const)
		if !ok {
			return nil
		}
		i := int(c.GetIval().GetIval())
		if f := c.GetFval(); f != nil {
			i, _ = strconv.Atoi(f.Fval)
		}
		out = append(out, i)
	}
	return out
}

// TypeName names the type of a tree.
func TypeName(x any) string { return fmt.Sprintf("%T", x) }

// Comparisons are the operators that compare, by their names.
var Comparisons = map[string]ir.BinaryOp{"=": ir.Eq, "<>": ir.Ne, "!=": ir.Ne, "<": ir.Lt, "<=": ir.Le, ">": ir.Gt, ">=": ir.Ge, "is": ir.Is}

// TakesAdvisoryLock reports whether a function of the system asks for an advisory lock.
func TakesAdvisoryLock(name string) bool {
	return strings.HasPrefix(name, "pg_advisory_") && !strings.Contains(name, "unlock") || strings.HasPrefix(name, "pg_try_advisory_")
}

// SoleCall gives the call that is all of a SELECT, or nil.
func SoleCall(tree pg.Message) *pg.FuncCall {
	s, ok := tree.(*pg.SelectStmt)
	if !ok || !PlainExpression(s) || len(s.TargetList) != 1 {
		return nil
	}
	call, _ := pg.Inner(pg.TargetValue(s.TargetList[0])).(*pg.FuncCall)
	return call
}

// WithWrites reports whether WITH has queries that write.
func WithWrites(w *pg.WithClause) bool {
	return w != nil && slices.ContainsFunc(w.Ctes, func(n *pg.Node) bool {
		_, reads := pg.Inner(pg.Inner(n).(*pg.CommonTableExpr).Ctequery).(*pg.SelectStmt)
		return !reads
	})
}

// ChoosesRows reports whether a query chooses rows and columns of one table or view by
// conditions on these rows alone, and calls no declared function.
func ChoosesRows(s *pg.SelectStmt, declared func(name string) bool) bool {
	if len(s.FromClause) != 1 {
		return false
	}
	_, ok := pg.Inner(s.FromClause[0]).(*pg.RangeVar)
	pg.Walk(s, func(tree any) bool {
		switch e := tree.(type) {
		case *pg.SubLink:
			ok = false
		case *pg.FuncCall:
			ok = ok && e.Over == nil && !declared(Qualified(Names(e.Funcname)))
		}
		return ok
	})
	return ok
}
