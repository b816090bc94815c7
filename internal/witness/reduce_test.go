package witness

import (
	"testing"

	"github.com/txrobust/robust/internal/ir"
)

// TestPredicate: what locals decide is left out, and what would be too long.
func TestPredicate(t *testing.T) {
	col := func(name string) ir.Expr { return &ir.Col{Row: "r", Col: name} }
	local := func(name string) ir.Expr { return &ir.Var{Name: name} }
	bin := func(op ir.BinaryOp, x, y ir.Expr) ir.Expr { return &ir.Binary{Op: op, X: x, Y: y} }
	null := func(x ir.Expr) ir.Expr { return &ir.Unary{Op: ir.IsNull, X: x} }
	env := func(name string) (ir.Value, bool) {
		v, ok := map[string]ir.Value{"n": ir.Int(7), "none": ir.Null, "yes": ir.Bool(true), "no": ir.Bool(false)}[name]
		return v, ok
	}
	overlaps := func(args ...ir.Expr) ir.Expr {
		return &ir.Call{Name: "symmetric overlaps(anyrange,anyrange) of (r,r) boolean", Args: args}
	}
	same := bin(ir.Eq, col("id"), local("n"))
	long := overlaps(col("a column with a long name"), col("another column with a long name"), col("a third column with a long name"), col("and a fourth column with a long name"),
		col("and a fifth column with a long name"))
	for _, c := range []struct {
		name string
		e    ir.Expr
		want string
	}{
		{"a value", same, "id = 7"},
		{"a condition on a value", bin(ir.Or, null(local("n")), same), "id = 7"},
		{"one on its absence", bin(ir.Or, null(local("none")), same), ""},
		{"one that is true", bin(ir.And, local("yes"), same), "id = 7"},
		{"one that is false", bin(ir.And, same, local("no")), "false"},
		{"one that is unknown", bin(ir.And, same, local("none")), "id = 7 AND NULL"},
		{"a negation", bin(ir.And, same, &ir.Unary{Op: ir.Not, X: local("no")}), "id = 7"},
		{"a branch", &ir.Cond{If: local("yes"), Then: same, Else: col("free")}, "id = 7"},
		{"the other branch", &ir.Cond{If: local("none"), Then: same, Else: col("free")}, "free"},
		{"a branch that a row decides", &ir.Cond{If: col("free"), Then: bin(ir.Or, local("no"), same), Else: col("b")}, "CASE WHEN free THEN id = 7 ELSE b END"},
		{"a function", overlaps(col("a"), local("n")), "overlaps(a, 7)"},
		{"a function that only a digest names", &ir.Call{Name: "derive bdbc04acf7e7b9af", Args: []ir.Expr{local("n")}}, "computed(7)"},
		{"a long part", bin(ir.And, bin(ir.And, same, long), col("free")), "id = 7 AND … AND free"},
		{"an OR in an AND", bin(ir.And, bin(ir.Or, col("a"), col("b")), same), "(a OR b) AND id = 7"},
	} {
		if got := predicate(c.e, env); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
