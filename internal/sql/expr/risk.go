package expr

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/plpgsql"
)

// Risk is an error that a statement may raise without the translation showing
// it. Its SQLSTATE may be AnyError or ValueError.
type Risk struct {
	State string
	Why   string
	// Moment says that only transactions which commit meanwhile cause it.
	Moment bool
}

const (
	AnyError = "any"
	// ValueError stands for all errors that depend on nothing but the values that
	// are computed, as far as followed does not have them.
	ValueError     = "value"
	DivisionByZero = "22012"
	NotNull        = "23502"
	CheckViolation = "23514"
)

// Followed are the SQLSTATEs of the errors of the system that are told apart.
var Followed = map[string]bool{
	"P0000": true, "P0001": true, NoData: true, TooManyRows: true, "P0004": true, "20000": true, DivisionByZero: true,
	"23000": true, "23001": true, NotNull: true, "23503": true, "23505": true, CheckViolation: true, "23P01": true,
	"40000": true, "40001": true, "40002": true, "40003": true, "40P01": true, "55P03": true,
}

// Meets reports whether a handler may catch the error.
func (r Risk) Meets(h plpgsql.Handler) bool {
	return slices.ContainsFunc(h.Conds, func(c plpgsql.Condition) bool {
		switch r.State {
		case AnyError:
			return true
		case ValueError:
			return c.CatchesBeyond(Followed)
		}
		return c.Catches(r.State)
	})
}

// Inserted gives the value of a column in the row of an INSERT, but for generated columns that
// it does not set.
func Inserted(s *ir.Insert) func(col int) ir.Expr {
	return func(col int) ir.Expr {
		if i := slices.Index(s.Cols, col); i >= 0 {
			return s.Values[i]
		}
		return ir.C(ir.Null)
	}
}

// Updated gives the value of a column in a row after an UPDATE, but for generated columns that
// it does not set.
func Updated(s *ir.Update) func(col int) ir.Expr {
	return func(col int) ir.Expr {
		if i := slices.IndexFunc(s.Sets, func(s ir.Set) bool { return s.Col == col }); i >= 0 {
			return s.Sets[i].Expr
		}
		return &ir.Col{Row: s.Row, Col: s.Table.Columns[col].Name}
	}
}

// BrokenBy is the condition that a row with the given values of the columns breaks a check.
func BrokenBy(k ir.TableCheck, t *ir.Table, value func(col int) ir.Expr) ir.Expr {
	return ir.NotE(ir.MapExpr(k.Expr, func(e ir.Expr) ir.Expr {
		if c, ok := e.(*ir.Col); ok {
			return value(t.Column(c.Col))
		}
		return e
	}))
}
