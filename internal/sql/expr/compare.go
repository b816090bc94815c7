package expr

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
)

// Compare applies a comparison; "is" is IS NOT DISTINCT FROM.
func (x *Spot) Compare(op string, l, r Val, loc int32) Val {
	if l.Record || r.Record {
		return x.compareRows(op, l, r, loc)
	}
	alike := false
	if x.App.In.MySQL {
		l, r, alike = x.App.Dialect.Operands(x, op, l, r)
	}
	if !alike {
		l, r = x.operands(op, l, r, loc)
	}
	if op != "is" && (l.IsNull() || r.IsNull()) && !x.App.In.MySQL {
		return Val{Expr: ir.C(ir.Null), Type: schema.TBool}
	}
	nn := l.NotNull && r.NotNull || op == "is"
	k := syntax.Comparisons[op]
	equality := k == ir.Eq || k == ir.Ne || k == ir.Is
	if !x.App.In.MySQL {
		l, r = x.collate(l, r)
	}
	l, r = compared(x, l), compared(x, r)
	if equality && l.Type.SQL != nil && l.Type.SQL.Labels != nil || l.Type.Ordered() && r.Type.Ordered() || equality && x.byIdentity(l.Type) && x.byIdentity(r.Type) && comparableKinds(l.Type.IR.Kind, r.Type.IR.Kind) {
		return Val{Expr: ir.Op(k, l.Expr, r.Expr), Type: schema.TBool, NotNull: nn}
	}
	if l.Type.SQL != nil && l.Type.SQL.Labels != nil { // the order of an enum is that of its labels
		rank := value.Rank(l.Type.SQL)
		return Val{Expr: scalars.Ranked(op, l.Expr, r.Expr, l.Type.SQL.Labels, ir.Op(k, x.apply(rank, schema.TInt, l.Expr), x.apply(rank, schema.TInt, r.Expr))), Type: schema.TBool, NotNull: nn}
	}
	out := Val{Expr: x.opaqueComparison(op, l, r), Type: schema.TBool}
	if op == "<>" || op == "!=" {
		out.Expr = ir.NotE(out.Expr)
	}
	return out
}

// comparableKinds reports whether the IR compares values of two kinds: not those of a
// type that is not known with others.
func comparableKinds(a, b ir.Kind) bool {
	return a == b || a != ir.KindOpaque && b != ir.KindOpaque
}

// operands converts the operands of a comparison to the types that are compared.
func (x *Spot) operands(op string, l, r Val, loc int32) (Val, Val) {
	if l.Type.Name == schema.NUnknown && r.Type.Name == schema.NUnknown {
		l, r = x.DefaultType(l), x.DefaultType(r)
	}
	if op == "is" || op == "!=" {
		op = map[string]string{"is": "=", "!=": "<>"}[op]
	}
	switch {
	case l.Given && r.Type.Name != schema.NAny && r.Type.Name != schema.NUnknown && !l.Type.Same(r.Type):
		return x.given(l, r), r
	case r.Given && l.Type.Name != schema.NAny && l.Type.Name != schema.NUnknown && !l.Type.Same(r.Type):
		return l, x.given(r, l)
	case l.Type.Name == schema.NAny && r.Type.SQL != nil:
		return retype(l, r.Type), r
	case r.Type.Name == schema.NAny && l.Type.SQL != nil:
		return l, retype(r, l.Type)
	}
	a, b := l.ArgType(), r.ArgType()
	calls, outcome := x.App.Catalog().Operator(op, &a, b)
	switch {
	case outcome == catalog.Found:
		return x.asParameter(l, calls[0].Types[0], loc), x.asParameter(r, calls[0].Types[1], loc)
	case l.Type.Name == schema.NUnknown:
		return x.Literal(l, r.Type.Plain(), loc), r
	case r.Type.Name == schema.NUnknown:
		return l, x.Literal(r, l.Type.Plain(), loc)
	case l.Type.SQL == nil || r.Type.SQL == nil || x.App.In.MySQL || len(calls) > 0:
		return l, r
	}
	x.Fail(loc, "the operator %s does not compare %s with %s; add a cast", op, l.Type, r.Type)
	return l, r
}

// given fits a value of a client program to the other operand.
func (x *Spot) given(v, other Val) Val {
	if v.Type.Numeric() && other.Type.Numeric() {
		return v
	}
	return x.Fit(v, other.Type.Plain())
}

// collate gives both operands of a comparison of texts the collation that one has.
func (x *Spot) collate(l, r Val) (Val, Val) {
	for _, p := range []struct{ from, to *Val }{{&l, &r}, {&r, &l}} {
		if f, t := p.from.Type.SQL, p.to.Type.SQL; f != nil && t != nil && f.Collation != "" && t.Collation == "" && p.to.Type.Textual() {
			p.to.Type = x.App.Collated(p.to.Type, f.Collation)
		}
	}
	return l, r
}

// compared is Comparable of a value in a transaction: of a column of a key, the column that stands for it there.
func compared(x *Spot, v Val) Val {
	c, is := v.Expr.(*ir.Col)
	if !is || x.Draft == nil || v.Type.SQL == nil || x.Queries.Derived() {
		return x.Comparable(v)
	}
	for _, lv := range x.Levels {
		for _, s := range lv.Sources {
			if s.Row != c.Row || s.Table == nil {
				continue
			}
			own := s.Table.Column(c.Col)
			if key := s.Table.KeyOf(c.Col); key != c.Col && own != nil && own.T.SQL != nil && own.T.SQL.Collation == v.Type.SQL.Collation {
				return Val{Expr: &ir.Col{Row: c.Row, Col: key}, Type: schema.TText, NotNull: v.NotNull}
			}
		}
	}
	return x.Comparable(v)
}

// Comparable gives what is compared of a value: its key, where values that differ may
// be equal.
func (x *Spot) Comparable(v Val) Val {
	if x.App.In.MySQL && !v.Record && v.Type.Textual() && v.Type.SQL != nil {
		return x.App.Dialect.Key(x, v)
	}
	if v.Type.SQL == nil || v.Type.SQL.Equality() != value.Keyed || v.Type.Name == schema.NArray {
		return v
	}
	switch {
	case v.Type.SQL.Collation != "":
		return Val{Expr: x.apply(value.Function(v.Type.SQL.Key(), true), schema.TText, v.Expr), Type: schema.TText, NotNull: v.NotNull}
	case v.Type.SQL.Name == "citext":
		return Val{Expr: x.folded(&ir.Call{Name: "lower", Args: []ir.Expr{v.Expr}, Type: ir.TextType}), Type: schema.TText, NotNull: v.NotNull}
	}
	return Val{Expr: x.apply(value.Function(v.Type.SQL.Key(), true), schema.TNumeric, v.Expr), Type: schema.TNumeric, NotNull: v.NotNull}
}

// byIdentity reports whether two values of a type are equal exactly if the IR has one
// value for them.
func (x *Spot) byIdentity(t schema.Type) bool {
	if t.SQL == nil {
		return t.IR.Kind != ir.KindOpaque || t.Name != schema.NAny
	}
	return t.SQL.Equality() == value.Identity
}

// opaqueComparison is a comparison of values of which nothing is known but that
// equal operands compare alike.
func (x *Spot) opaqueComparison(op string, l, r Val) ir.Expr {
	switch op {
	case "<>", "!=":
		op = "="
	case "is":
		return &ir.Call{Name: "is not distinct from", Args: []ir.Expr{l.Expr, r.Expr}, Type: ir.BoolType}
	}
	a, b := l.ArgType(), r.ArgType()
	if calls, outcome := x.App.Catalog().Operator(op, &a, b); outcome == catalog.Found {
		return x.apply(functionOf(calls[0], []Val{l, r}, schema.TBool), schema.TBool, l.Expr, r.Expr)
	}
	return &ir.Call{Name: op, Args: []ir.Expr{l.Expr, r.Expr}, Type: ir.BoolType}
}

// compareRows compares rows field by field.
func (x *Spot) compareRows(op string, l, r Val, loc int32) Val {
	if !l.Record || !r.Record {
		x.Unmodelled("a comparison of a row with a value of a composite type")
	}
	if len(l.Fields) == 0 || len(r.Fields) == 0 {
		x.Unmodelled("a comparison of a record whose fields are not known")
	}
	if len(l.Fields) != len(r.Fields) {
		x.Fail(loc, "these rows have %d and %d fields", len(l.Fields), len(r.Fields))
	}
	nn := true
	pair := func(op string, i int) ir.Expr {
		a, b := l.Fields[i], r.Fields[i]
		c := x.Compare(op, a.Val(), b.Val(), loc)
		nn = nn && c.NotNull
		return c.Expr
	}
	var out ir.Expr
	switch op {
	case "=", "is", "<>", "!=":
		each := op
		if op == "<>" || op == "!=" {
			each = "="
		}
		for i := range l.Fields {
			out = ir.AndE(out, pair(each, i))
		}
		if each != op {
			out = ir.NotE(out)
		}
	default: // lexicographic
		strict := strings.TrimSuffix(op, "=")
		last := len(l.Fields) - 1
		out = pair(op, last)
		for i := last - 1; i >= 0; i-- {
			out = ir.OrE(pair(strict, i), ir.AndE(pair("=", i), out))
		}
	}
	return Val{Expr: out, Type: schema.TBool, NotNull: nn}
}

// IsCtid reports whether an expression is a ctid.
func IsCtid(n *pg.Node) bool {
	c, ok := pg.Inner(n).(*pg.ColumnRef)
	if !ok || len(c.Fields) == 0 {
		return false
	}
	s, ok := pg.Inner(c.Fields[len(c.Fields)-1]).(*pg.String)
	return ok && s.Sval == "ctid"
}

// ctid is the place of a row of a source.
func (s *RowSource) ctid() Val {
	keys := KeysOf([]ir.Source{s.IRSource()})
	if len(keys) == 1 {
		t := s.Table.IR
		return Val{Expr: keys[0], Type: schema.Type{IR: t.Columns[t.Key[0]].Type, Name: schema.TidPrefix + s.Table.RowType}, NotNull: true}
	}
	return Val{Expr: &ir.Call{Name: irnames.RowFn, Args: keys, Type: ir.OpaqueType}, Type: schema.Opaque(schema.TidPrefix + s.Table.RowType), NotNull: true}
}

// tidOf gives the translator for an expression that is compared with a ctid.
func tidOf(x *Spot) *Spot {
	y := *x
	y.Tid = true
	return &y
}

// compareTids is = of two places of rows; ok is false where neither side is a ctid.
func compareTids(x *Spot, op string, e *pg.A_Expr) (v Val, ok bool) {
	if !IsCtid(e.Lexpr) && !IsCtid(e.Rexpr) {
		return Val{}, false
	}
	y := tidOf(x)
	l, r := y.Expr(e.Lexpr), y.Expr(e.Rexpr)
	return SameTid(x, op, l, r), true
}

// SameTid compares two places of rows.
func SameTid(x *Spot, op string, l, r Val) Val {
	if op != "=" || !l.Type.IsTid() || l.Type.Name != r.Type.Name {
		panic(schema.Unmodelled{Reason: "the system column ctid in this place"})
	}
	a, rows := l.Expr.(*ir.Call)
	b, other := r.Expr.(*ir.Call)
	if !rows || !other || a.Name != irnames.RowFn || b.Name != irnames.RowFn {
		return Val{Expr: ir.Op(ir.Eq, l.Expr, r.Expr), Type: schema.TBool, NotNull: l.NotNull && r.NotNull}
	}
	var out ir.Expr
	for i := range a.Args {
		out = ir.AndE(out, ir.Op(ir.Eq, a.Args[i], b.Args[i]))
	}
	return Val{Expr: out, Type: schema.TBool, NotNull: true}
}

// NoTid refuses a ctid where it is not compared with another one.
func NoTid(x *Spot, t schema.Type) {
	if t.IsTid() && !x.Tid {
		panic(schema.Unmodelled{Reason: "the system column ctid in this place"})
	}
}

// ByIdentityOnly refuses to tell groups of values apart that may be equal although
// they differ.
func (x *Spot) ByIdentityOnly(t schema.Type, what string) {
	if t.SQL != nil && (t.SQL.Equality() != value.Identity || x.App.In.MySQL && t.Textual() && t.SQL.Collation != value.Binary) {
		x.Refuse("%s by values of type %s, which may be equal although they differ", what, t)
	}
}

// IsNotNull is e IS NOT NULL.
func IsNotNull(e ir.Expr) ir.Expr { return ir.NotE(&ir.Unary{Op: ir.IsNull, X: e}) }

// besideNull reports whether the planner may know that an expression is NULL because an operand
// is: then the others are not computed, and no function that they call runs.
func besideNull(x *Spot, n *pg.Node) bool {
	switch e := pg.Inner(n).(type) {
	case *pg.A_Expr:
		strict := e.Kind == pg.ExprOp || e.Kind == pg.ExprLike || e.Kind == pg.ExprILike || e.Kind == pg.ExprSimilar
		return strict && !x.App.In.MySQL && (planned(x, e.Lexpr) || planned(x, e.Rexpr))
	case *pg.FuncCall:
		return !x.App.In.MySQL && slices.ContainsFunc(e.Args, func(n *pg.Node) bool { return planned(x, n) }) && len(x.Functions(syntax.Qualified(syntax.Names(e.Funcname)))) == 0
	}
	return false
}

// planned reports whether a value may be the constant NULL when a query is planned.
func planned(x *Spot, n *pg.Node) bool {
	switch e := pg.Inner(n).(type) {
	case *pg.A_Const:
		return e.Isnull
	case *pg.TypeCast:
		return planned(x, e.Arg)
	}
	return n != nil && besideNull(x, n)
}

// isConstant reports whether a query has the value of an expression when it is planned: that of
// constants, casts of them, and operators on them.
func isConstant(n *pg.Node) bool {
	switch e := pg.Inner(n).(type) {
	case *pg.A_Const:
		return true
	case *pg.TypeCast:
		return isConstant(e.Arg)
	case *pg.A_Expr:
		return e.Kind == pg.ExprOp && (e.Lexpr == nil || isConstant(e.Lexpr)) && isConstant(e.Rexpr)
	}
	return false
}

// callsProgram reports whether an expression calls functions of the program.
func callsProgram(x *Spot, e *pg.A_Expr) bool {
	found := false
	pg.Walk(e, func(n any) bool {
		c, is := n.(*pg.FuncCall)
		found = found || is && len(x.Functions(syntax.Qualified(syntax.Names(c.Funcname)))) > 0
		return !found
	})
	return found
}
