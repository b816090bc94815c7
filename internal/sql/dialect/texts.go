package dialect

import (
	"regexp"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/value"
)

// plainTexts are those of which every usual collation only ignores the case.
var plainTexts = regexp.MustCompile(`^([A-Za-z0-9_]([A-Za-z0-9_ -]*[A-Za-z0-9_])?)?$`)

// collated gives what e, a text that is not NULL, is compared by under a collation: texts are equal, or less, when these
// are. It is some function of the text, of which nothing is known but what it does to plain constants.
func collated(e ir.Expr, coll string) ir.Expr {
	if !strings.HasPrefix(coll, mysql.Usual) {
		return &ir.Call{Name: "collated " + coll, Args: []ir.Expr{e}, Type: ir.TextType}
	}
	if c, ok := e.(*ir.Const); ok && plainTexts.MatchString(c.Value.S) {
		return ir.C(ir.Text(strings.ToLower(c.Value.S)))
	}
	// The interpreter takes lower case; a solver does not look inside.
	low := &ir.Call{Name: "lower", Args: []ir.Expr{ir.V("text")}, Type: ir.TextType}
	rel := &ir.Project{Cols: []ir.Item{{Name: coll, Type: ir.TextType, Expr: low}}}
	out := ir.Derive(ir.WantValue, rel, ir.TextType, func(ir.Expr) ir.Type { return ir.TextType })
	out.Args = []ir.Expr{e}
	return out
}

// Key gives what a text is compared by.
func (d MySQL) Key(x *expr.Spot, v expr.Val) expr.Val {
	out := expr.Val{Expr: v.Expr, Type: schema.TText, NotNull: v.NotNull}
	coll := v.Type.SQL.Collation
	switch {
	case coll == value.Mixed:
		x.Refuse("a comparison of the result of a function on texts")
	case coll == "":
		coll = mysql.Usual
	}
	if coll == value.Binary || v.IsNull() {
		return out
	}
	out.Expr = collated(v.Expr, coll)
	if !v.NotNull {
		out.Expr = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: v.Expr}, Then: ir.C(ir.Null), Else: out.Expr}
	}
	return out
}

// typedText reports whether a value is a text, whatever its spelling is compared by.
func typedText(v expr.Val) bool { return !v.Record && v.Type.Textual() && v.Type.SQL != nil }

// collation is that of a text, "" for one that takes the collation of what it meets.
func collation(v expr.Val) string {
	if v.Type.SQL == nil {
		return ""
	}
	return v.Type.SQL.Collation
}

// withCollation gives a text a collation.
func withCollation(t schema.Type, coll string) schema.Type {
	sql := *t.SQL
	sql.Collation = coll
	return schema.TypeOfValues(&sql)
}

// common is the collation by which texts of two collations are compared, Mixed where that is not known.
func common(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "" || a == b:
		return a
	}
	return value.Mixed
}

// isText reports whether a value is a text or a literal that is one.
func isText(v expr.Val) bool {
	_, literal := v.LiteralText()
	return literal || typedText(v)
}

// Collated gives a value the collation of a COLLATE clause.
func (MySQL) Collated(v expr.Val, name string) expr.Val {
	if typedText(v) {
		v.Type = withCollation(v.Type, mysql.Collation(name))
	}
	return v
}

// Pattern names the function that a pattern is matched by, which depends on the collation.
func (MySQL) Pattern(name string, l, r expr.Val) string {
	return strings.TrimRight("mysql "+name+" "+common(collation(l), collation(r)), " ")
}
