package ir

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/irwords"
)

// Arbitrates reports whether ON CONFLICT is about the constraint. An exclusion is never its target.
func (c *Conflict) Arbitrates(k PairConstraint) bool {
	u, ok := k.(*Unique)
	return c.Target == nil || ok && SameColumns(c.Target, u.Columns)
}

// ExclusionColumns are the columns of t that the exclusion, which is one of t, looks at,
// in order.
func ExclusionColumns(x *Exclusion, t *Table) []int {
	var out []int
	WalkExpr(x.Expr, func(e Expr) {
		if c, ok := e.(*Col); ok {
			out = append(out, t.Column(c.Col))
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// Exclude gives the condition of an exclusion for two rows whose columns the functions give.
func Exclude(x *Exclusion, first, second func(col string) Expr) Expr {
	return ReplaceExpr(x.Expr, func(e Expr) Expr {
		c, ok := e.(*Col)
		switch {
		case ok && c.Row == x.Rows[0]:
			return first(c.Col)
		case ok && c.Row == x.Rows[1]:
			return second(c.Col)
		}
		return nil
	})
}

// symmetric reports whether the condition is seen to stay the same when the rows
// change places.
func symmetric(x *Exclusion) bool {
	column := func(row string) func(string) Expr { return func(c string) Expr { return &Col{row, c} } }
	swapped := Exclude(x, column(x.Rows[1]), column(x.Rows[0]))
	return sortedText(x.Expr) == sortedText(swapped)
}

// sortedText is the text of an expression in which the order of operands is
// always the same where it does not matter.
func sortedText(e Expr) string {
	texts := func(args ...Expr) []string {
		out := make([]string, len(args))
		for i, a := range args {
			out[i] = sortedText(a)
		}
		return out
	}
	join := func(op string, parts []string, sorted bool) string {
		if sorted {
			slices.Sort(parts)
		}
		return "(" + op + " " + strings.Join(parts, " ; ") + ")"
	}
	switch e := e.(type) {
	case *Unary:
		return join([...]string{Neg: "-", Not: "not", IsNull: "null"}[e.Op], texts(e.X), false)
	case *Binary:
		switch e.Op {
		case And, Or:
			return join(e.Op.String(), texts(operands(e.Op, e)...), true)
		case Gt:
			return join(Lt.String(), texts(e.Y, e.X), false)
		case Ge:
			return join(Le.String(), texts(e.Y, e.X), false)
		}
		return join(e.Op.String(), texts(e.X, e.Y), e.Op == Eq || e.Op == Ne || e.Op == Is)
	case *Cond:
		return join("if", texts(e.If, e.Then, e.Else), false)
	case *Call:
		return join(e.Type.String()+" "+irwords.Text(e.Name), texts(e.Args...), e.Symmetric())
	}
	return e.String()
}

// operands splits a condition at an operator.
func operands(op BinaryOp, e Expr) []Expr {
	if b, ok := e.(*Binary); ok && b.Op == op {
		return append(operands(op, b.X), operands(op, b.Y)...)
	}
	return []Expr{e}
}

// ExclusionFault says why the condition is none of an exclusion, whatever the types, or
// gives "".
func ExclusionFault(x *Exclusion) string {
	fault := ""
	WalkExpr(x.Expr, func(e Expr) {
		switch e := e.(type) {
		case *Exists:
			fault = "it reads other rows"
		case *Var:
			fault = "it reads a local"
		case *Unary:
			if e.Op == Neg {
				fault = computes
			}
		case *Binary:
			if e.Op >= Add {
				fault = computes
			}
		case *Call:
			if e.Def != nil {
				fault = "it has a derivation"
			}
		}
	})
	switch {
	case fault != "":
		return fault
	case x.Rows[0] == x.Rows[1]:
		return "it has one name for both rows"
	case !symmetric(x):
		return "it is not symmetric: exchanging " + x.Rows[0] + " and " + x.Rows[1] + " gives another condition"
	}
	return ""
}

const computes = "it computes a value: give the table a generated column for that"

// SameColumns compares two lists of columns as sets.
func SameColumns(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	set := map[int]bool{}
	for _, x := range a {
		set[x] = true
	}
	for _, x := range b {
		if !set[x] {
			return false
		}
	}
	return true
}
