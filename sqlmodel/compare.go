package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
	"github.com/txrobust/robust/ir"
)

// compare applies a comparison; "is" is IS NOT DISTINCT FROM.
func (x *ex) compare(op string, l, r val, loc int32) val {
	if l.record || r.record {
		return x.compareRows(op, l, r, loc)
	}
	if l.t.Numeric() || r.t.Numeric() {
		l, r = x.number(l), x.number(r)
	}
	l, r = x.operands(op, l, r, loc)
	if op != "is" && (l.isNull() || r.isNull()) && !x.l.In.MySQL {
		return val{e: ir.C(ir.Null), t: schema.TBool}
	}
	nn := l.nn && r.nn || op == "is"
	k := syntax.Comparisons[op]
	equality := k == ir.Eq || k == ir.Ne || k == ir.Is
	l, r = x.collate(l, r)
	l, r = x.comparable(l), x.comparable(r)
	if equality && l.t.SQL != nil && l.t.SQL.Labels != nil || l.t.Ordered() && r.t.Ordered() || equality && x.byIdentity(l.t) && x.byIdentity(r.t) && comparableKinds(l.t.IR.Kind, r.t.IR.Kind) {
		return val{e: ir.Op(k, l.e, r.e), t: schema.TBool, nn: nn}
	}
	if l.t.SQL != nil && l.t.SQL.Labels != nil { // the order of an enum is that of its labels
		rank := value.Rank(l.t.SQL)
		return val{e: ir.Op(k, x.apply(rank, schema.TInt, l.e), x.apply(rank, schema.TInt, r.e)), t: schema.TBool, nn: nn}
	}
	out := val{e: x.opaqueComparison(op, l, r), t: schema.TBool}
	if op == "<>" || op == "!=" {
		out.e = ir.NotE(out.e)
	}
	return out
}

// comparableKinds reports whether the IR compares values of two kinds: not those of a
// type that is not known with others.
func comparableKinds(a, b ir.Kind) bool {
	return a == b || a != ir.KindOpaque && b != ir.KindOpaque
}

// operands converts the operands of a comparison to the types that are compared.
func (x *ex) operands(op string, l, r val, loc int32) (val, val) {
	if l.t.Name == schema.NUnknown && r.t.Name == schema.NUnknown {
		l, r = x.defaultType(l), x.defaultType(r)
	}
	if op == "is" || op == "!=" {
		op = map[string]string{"is": "=", "!=": "<>"}[op]
	}
	switch {
	case l.given && r.t.Name != schema.NAny && r.t.Name != schema.NUnknown && !l.t.Same(r.t):
		return x.given(l, r), r
	case r.given && l.t.Name != schema.NAny && l.t.Name != schema.NUnknown && !l.t.Same(r.t):
		return l, x.given(r, l)
	case l.t.Name == schema.NAny && r.t.SQL != nil:
		return retype(l, r.t), r
	case r.t.Name == schema.NAny && l.t.SQL != nil:
		return l, retype(r, l.t)
	}
	a, b := l.argType(), r.argType()
	calls, outcome := x.l.Catalog().Operator(op, &a, b)
	switch {
	case outcome == catalog.Found:
		return x.asParameter(l, calls[0].Types[0], loc), x.asParameter(r, calls[0].Types[1], loc)
	case l.t.Name == schema.NUnknown:
		return x.literal(l, r.t.Plain(), loc), r
	case r.t.Name == schema.NUnknown:
		return l, x.literal(r, l.t.Plain(), loc)
	case l.t.SQL == nil || r.t.SQL == nil || x.l.In.MySQL || len(calls) > 0:
		return l, r
	}
	x.fail(loc, "the operator %s does not compare %s with %s; add a cast", op, l.t, r.t)
	return l, r
}

// given fits a value of a client program to the other operand.
func (x *ex) given(v, other val) val {
	if v.t.Numeric() && other.t.Numeric() {
		return v
	}
	return x.fit(v, other.t.Plain())
}

// collate gives both operands of a comparison of texts the collation that one has.
func (x *ex) collate(l, r val) (val, val) {
	for _, p := range []struct{ from, to *val }{{&l, &r}, {&r, &l}} {
		if f, t := p.from.t.SQL, p.to.t.SQL; f != nil && t != nil && f.Collation != "" && t.Collation == "" && p.to.t.Textual() {
			p.to.t = x.l.Collated(p.to.t, f.Collation)
		}
	}
	return l, r
}

// comparable gives what is compared of a value: its key, where values that differ may
// be equal.
func (x *ex) comparable(v val) val {
	if v.t.SQL == nil || v.t.SQL.Equality() != value.Keyed || v.t.Name == schema.NArray {
		return v
	}
	switch {
	case v.t.SQL.Collation != "":
		return val{e: x.apply(value.Function(v.t.SQL.Key(), true), schema.TText, v.e), t: schema.TText, nn: v.nn}
	case v.t.SQL.Name == "citext":
		return val{e: x.folded(&ir.Call{Name: "lower", Args: []ir.Expr{v.e}, Type: ir.TextType}), t: schema.TText, nn: v.nn}
	}
	return val{e: x.apply(value.Function(v.t.SQL.Key(), true), schema.TNumeric, v.e), t: schema.TNumeric, nn: v.nn}
}

// byIdentity reports whether two values of a type are equal exactly if the IR has one
// value for them.
func (x *ex) byIdentity(t schema.Type) bool {
	if t.SQL == nil {
		return t.IR.Kind != ir.KindOpaque || t.Name != schema.NAny
	}
	return t.SQL.Equality() == value.Identity
}

// opaqueComparison is a comparison of values of which nothing is known but that
// equal operands compare alike.
func (x *ex) opaqueComparison(op string, l, r val) ir.Expr {
	switch op {
	case "<>", "!=":
		op = "="
	case "is":
		return &ir.Call{Name: "is not distinct from", Args: []ir.Expr{l.e, r.e}, Type: ir.BoolType}
	}
	a, b := l.argType(), r.argType()
	if calls, outcome := x.l.Catalog().Operator(op, &a, b); outcome == catalog.Found {
		return x.apply(functionOf(calls[0], []val{l, r}, schema.TBool), schema.TBool, l.e, r.e)
	}
	return &ir.Call{Name: op, Args: []ir.Expr{l.e, r.e}, Type: ir.BoolType}
}

// compareRows compares rows field by field.
func (x *ex) compareRows(op string, l, r val, loc int32) val {
	if !l.record || !r.record {
		x.unmodelled("a comparison of a row with a value of a composite type")
	}
	if len(l.fields) == 0 || len(r.fields) == 0 {
		x.unmodelled("a comparison of a record whose fields are not known")
	}
	if len(l.fields) != len(r.fields) {
		x.fail(loc, "these rows have %d and %d fields", len(l.fields), len(r.fields))
	}
	nn := true
	pair := func(op string, i int) ir.Expr {
		a, b := l.fields[i], r.fields[i]
		c := x.compare(op, a.val(), b.val(), loc)
		nn = nn && c.nn
		return c.e
	}
	var out ir.Expr
	switch op {
	case "=", "is", "<>", "!=":
		each := op
		if op == "<>" || op == "!=" {
			each = "="
		}
		for i := range l.fields {
			out = ir.AndE(out, pair(each, i))
		}
		if each != op {
			out = ir.NotE(out)
		}
	default: // lexicographic
		strict := strings.TrimSuffix(op, "=")
		last := len(l.fields) - 1
		out = pair(op, last)
		for i := last - 1; i >= 0; i-- {
			out = ir.OrE(pair(strict, i), ir.AndE(pair("=", i), out))
		}
	}
	return val{e: out, t: schema.TBool, nn: nn}
}
