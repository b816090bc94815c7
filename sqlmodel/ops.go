package sqlmodel

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel/internal/pg"
)

// aExpr translates an operator expression.
func (x *ex) aExpr(e *pg.A_Expr) val {
	ops := names(e.Name)
	op := ""
	if len(ops) > 0 {
		op = ops[len(ops)-1]
	}
	if _, declared := x.l.operators[ops[len(ops)-1]]; declared {
		panic(unmodelled{"the operator " + op + ", which is declared here"})
	}
	switch e.Kind {
	case pg.ExprOp:
		if e.Lexpr == nil {
			return x.prefix(op, x.one(e.Rexpr), e.Location)
		}
		if v, ok := x.compareTids(op, e); ok {
			return v
		}
		l := x.expr(e.Lexpr)
		return x.binary(op, l, x.expr(e.Rexpr), e.Location)
	case pg.ExprDistinct, pg.ExprSame:
		l := x.expr(e.Lexpr)
		out := x.compare("is", l, x.expr(e.Rexpr), e.Location)
		if e.Kind == pg.ExprDistinct {
			out.e = ir.NotE(out.e)
		}
		return out
	case pg.ExprNullIf:
		l := x.one(e.Lexpr)
		r := x.one(e.Rexpr)
		if l.t.name == nUnknown {
			l = x.literal(l, r.t, e.Location)
		}
		l.e = x.shared(l.e, l.t)
		return val{e: &ir.Cond{If: x.compare("=", l, r, e.Location).e, Then: ir.C(ir.Null), Else: l.e}, t: l.t}
	case pg.ExprIn:
		return x.inList(op, e)
	case pg.ExprOpAny, pg.ExprOpAll:
		return x.quantified(op, e)
	case pg.ExprLike, pg.ExprILike, pg.ExprSimilar:
		name := map[string]string{"~~": "like", "!~~": "like", "~~*": "ilike", "!~~*": "ilike", "~": "similar", "!~": "similar"}[op]
		l, r := x.defaultType(x.one(e.Lexpr)), x.defaultType(x.one(e.Rexpr))
		var out ir.Expr = &ir.Call{Name: name, Args: []ir.Expr{l.e, r.e}, Type: ir.BoolType}
		if strings.HasPrefix(op, "!") {
			out = ir.NotE(out)
		}
		return val{e: out, t: tBool}
	case pg.ExprBetween, pg.ExprNotBetween, pg.ExprBetweenSym, pg.ExprNotBetwSym:
		return x.between(e)
	}
	x.unmodelled("the operator %s", op)
	return val{}
}

func (x *ex) between(e *pg.A_Expr) val {
	v := x.expr(e.Lexpr)
	bounds := pg.Inner(e.Rexpr).(*pg.List)
	lo, hi := x.expr(bounds.Items[0]), x.expr(bounds.Items[1])
	within := func(lo, hi val) ir.Expr {
		return ir.AndE(x.compare(">=", v, lo, e.Location).e, x.compare("<=", v, hi, e.Location).e)
	}
	out := within(lo, hi)
	if e.Kind == pg.ExprBetweenSym || e.Kind == pg.ExprNotBetwSym {
		out = ir.OrE(out, within(hi, lo))
	}
	if e.Kind == pg.ExprNotBetween || e.Kind == pg.ExprNotBetwSym {
		out = ir.NotE(out)
	}
	return val{e: out, t: tBool}
}

// inList is x IN (a, b, …), and NOT IN.
func (x *ex) inList(op string, e *pg.A_Expr) val {
	v := x.expr(e.Lexpr)
	if !v.record {
		v.e = x.shared(v.e, v.t)
	}
	list := pg.Inner(e.Rexpr).(*pg.List).Items
	if len(list) > maxList {
		panic(unmodelled{fmt.Sprintf("IN with more than %d values", maxList)})
	}
	var parts []ir.Expr
	nn := true
	for _, n := range list {
		if isHoleCall(n) { // any values
			parts, nn = append(parts, x.expr(n).e), false
			continue
		}
		c := x.compare("=", v, x.expr(n), e.Location)
		parts = append(parts, c.e)
		nn = nn && c.nn
	}
	out := ir.OrE(parts...)
	if op == "<>" {
		out = ir.NotE(out)
	}
	return val{e: out, t: tBool, nn: nn}
}

// quantified is x op ANY (array) and x op ALL (array).
func (x *ex) quantified(op string, e *pg.A_Expr) val {
	v := x.one(e.Lexpr)
	word := " any"
	if e.Kind == pg.ExprOpAll {
		word = " all"
	}
	if elems, ok := x.listedElements(e.Rexpr, v.t); ok {
		var parts []ir.Expr
		for _, el := range elems {
			parts = append(parts, x.binary(op, v, el, e.Location).e)
		}
		switch {
		case len(parts) == 0:
			return val{e: ir.C(ir.Bool(word == " all")), t: tBool, nn: true}
		case word == " all":
			return val{e: ir.AndE(parts...), t: tBool}
		}
		return val{e: ir.OrE(parts...), t: tBool}
	}
	a := x.one(e.Rexpr)
	if a.t.name == nUnknown {
		a = x.literal(a, arrayOf(v.t), e.Location)
	}
	switch {
	case a.t.name == nArray:
	case a.given:
		a = x.fit(a, arrayOf(v.t))
	case a.t.name == nAny:
		a = retype(a, arrayOf(v.t))
	case known(a.t):
		x.fail(e.Location, "ANY and ALL need an array, but this has type %s", a.t)
	}
	if v.t.name == nUnknown && a.t.name == nArray {
		v = x.literal(v, a.t.element(), e.Location)
	}
	if a.t.name == nArray && comparability(v.t, a.t.element()) == "" {
		x.fail(e.Location, "the operator %s cannot compare %s with the elements of %s; add a cast", op, v.t, a.t)
	}
	if (op == "=" && word == " any" || op == "<>" && word == " all") && a.t.name == nArray && v.t.ir == a.t.element().ir {
		c := x.inArray(v, a)
		if op == "<>" {
			c = ir.NotE(c)
		}
		return val{e: c, t: tBool, nn: v.nn && a.nn}
	}
	if op == "<>" { // the same function as for =, so that the two exclude each other
		word = map[string]string{" any": " all", " all": " any"}[word]
		return val{e: ir.NotE(&ir.Call{Name: "=" + word, Args: []ir.Expr{v.e, a.e}, Type: ir.BoolType}), t: tBool}
	}
	return val{e: &ir.Call{Name: op + word, Args: []ir.Expr{v.e, a.e}, Type: ir.BoolType}, t: tBool}
}

// inArray is v = ANY (a). NULL is in no array, and not in an empty one.
func (x *ex) inArray(v, a val) ir.Expr {
	if !v.nn {
		v.e = x.shared(v.e, v.t)
		a.e = x.shared(a.e, a.t)
	}
	out := ir.Expr(&ir.Call{Name: "= any", Args: []ir.Expr{v.e, a.e}, Type: ir.BoolType})
	if v.nn {
		return out
	}
	n := &ir.Call{Name: "len", Args: []ir.Expr{a.e}, Type: ir.IntType}
	empty := ir.AndE(&ir.Unary{Op: ir.IsNull, X: v.e}, ir.Op(ir.Eq, n, ir.C(ir.Int(0))))
	return &ir.Cond{If: empty, Then: ir.C(ir.Bool(false)), Else: out}
}

// listedElements gives the elements of an array that is written out.
func (x *ex) listedElements(n *pg.Node, elem typ) ([]val, bool) {
	switch a := pg.Inner(n).(type) {
	case *pg.A_ArrayExpr:
		if len(a.Elements) > maxList {
			panic(unmodelled{fmt.Sprintf("an array of more than %d values", maxList)})
		}
		var out []val
		for _, el := range a.Elements {
			out = append(out, x.one(el))
		}
		return out, true
	case *pg.TypeCast:
		vs, ok := x.listedElements(a.Arg, elem)
		t := x.l.typeOf(a.TypeName, x.text)
		if !ok || t.name != nArray {
			return nil, false
		}
		for i := range vs {
			vs[i] = x.cast(vs[i], t.element(), a.Location)
		}
		return vs, true
	case *pg.A_Const:
		if values, ok := arrayLiteral(strings.TrimSpace(a.GetSval().GetSval()), elem); ok {
			if len(values) > maxList {
				panic(unmodelled{fmt.Sprintf("an array of more than %d values", maxList)})
			}
			var out []val
			for _, v := range values {
				out = append(out, val{e: ir.C(v), t: elem, nn: true})
			}
			return out, true
		}
	}
	return nil, false
}

func (x *ex) prefix(op string, v val, loc int32) val {
	switch {
	case op == "-" && (v.t.numeric() || v.t.name == nUnknown):
		if c, ok := v.e.(*ir.Const); ok {
			switch c.Value.Kind {
			case ir.KindInt:
				return val{e: ir.C(ir.Int(-c.Value.I)), t: v.t, nn: true}
			case ir.KindNum:
				r := c.Value.Rat()
				return val{e: ir.C(ir.Num(r.Neg(r))), t: v.t, nn: true}
			}
		}
		if v.t.name == nUnknown {
			v = x.literal(v, tNumeric, loc)
		}
		return val{e: &ir.Unary{Op: ir.Neg, X: v.e}, t: v.t, nn: v.nn}
	case op == "+" && v.t.numeric():
		return v
	case v.t.name == nText || v.t.name == nBool || v.t.temporal():
		x.fail(loc, "the operator %s does not work on %s", op, v.t)
	}
	return val{e: &ir.Call{Name: "prefix " + op, Args: []ir.Expr{v.e}, Type: localType(v.t)}, t: v.t}
}

var comparisons = map[string]ir.BinaryOp{"=": ir.Eq, "<>": ir.Ne, "!=": ir.Ne, "<": ir.Lt, "<=": ir.Le, ">": ir.Gt, ">=": ir.Ge, "is": ir.Is}

// binary applies an operator of two operands.
func (x *ex) binary(op string, l, r val, loc int32) val {
	if _, ok := comparisons[op]; ok {
		return x.compare(op, l, r, loc)
	}
	if l.record || r.record {
		x.unmodelled("the operator %s on rows", op)
	}
	nn := l.nn && r.nn
	// A literal takes the type of the other side; text for || and the like.
	if l.t.name == nUnknown && r.t.name == nUnknown {
		if strings.Contains("+-*/%", op) && x.b != nil && (x.b.isTyped(l.e) || x.b.isTyped(r.e)) {
			l, r = x.literal(l, tNumeric, loc), x.literal(r, tNumeric, loc)
		}
		l, r = x.defaultType(l), x.defaultType(r)
	}
	if v, ok := x.jsonOp(op, l, r); ok {
		return v
	}
	if l.t.temporal() || r.t.temporal() || l.t.name == nInterval || r.t.name == nInterval {
		return x.timeOp(op, l, r, loc)
	}
	if l.t.name == nUnknown && !r.t.textual() {
		l = x.literal(l, operandType(op, r.t), loc)
	}
	if r.t.name == nUnknown && !l.t.textual() {
		r = x.literal(r, operandType(op, l.t), loc)
	}
	switch op {
	case "+", "-", "*", "/", "%", "^":
		if l.given && r.t.numeric() && !l.t.numeric() {
			l = x.fit(l, r.t)
		} else if r.given && l.t.numeric() && !r.t.numeric() {
			r = x.fit(r, l.t)
		}
		if v, ok := x.arithmetic(op, l, r, nn); ok {
			return v
		}
	case "||":
		return x.concat(l, r, nn)
	case "&", "|", "#", "<<", ">>":
		if l.t.name == nInt && r.t.name == nInt {
			return val{e: &ir.Call{Name: op, Args: []ir.Expr{l.e, r.e}, Type: ir.IntType}, t: tInt, nn: nn}
		}
	}
	if op == "&&" {
		if v, ok := x.overlap(l, r, loc); ok {
			return v
		}
	}
	if t, ok := operatorResults[op]; ok {
		return val{e: &ir.Call{Name: op, Args: []ir.Expr{x.defaultType(l).e, x.defaultType(r).e}, Type: t.ir}, t: t}
	}
	if known(l.t) && known(r.t) {
		x.fail(loc, "the operator %s does not work on %s and %s; add a cast", op, l.t, r.t)
	}
	t := l.t
	if !known(t) || t.name == nUnknown {
		t = r.t
	}
	return val{e: &ir.Call{Name: op, Args: []ir.Expr{l.e, r.e}, Type: localType(t)}, t: t}
}

// known reports whether the operators of t are all known here.
func known(t typ) bool {
	return t.numeric() || t.name == nBool || t.name == nText || t.temporal() || t.name == nInterval
}

// operandType is the type of a literal beside an operand of type t.
func operandType(op string, t typ) typ {
	if op == "||" && t.name != nArray && t.name != nJSON {
		return tText
	}
	return t
}

// operatorResults are operators of opaque meaning with a known result.
var operatorResults = map[string]typ{
	"~": tBool, "!~": tBool, "~*": tBool, "!~*": tBool, "@>": tBool, "<@": tBool, "&&": tBool, "@@": tBool, "?": tBool,
	"?|": tBool, "?&": tBool, "-|-": tBool, "~=": tBool, "~~": tBool, "!~~": tBool, "~~*": tBool, "!~~*": tBool,
	"<%": tBool, "%>": tBool, "@?": tBool,
	"&<": tBool, "&>": tBool, "<<=": tBool, ">>=": tBool, "^@": tBool,
	"<->": tFloat, "->>": tText, "#>>": tText,
}

// jsonOp is an operator on JSON values, all of them opaque.
func (x *ex) jsonOp(op string, l, r val) (val, bool) {
	if l.t.name != nJSON && r.t.name != nJSON {
		return val{}, false
	}
	t := opaque(nJSON)
	switch op {
	case "->>", "#>>":
		t = tText
	case "?", "?|", "?&", "@>", "<@", "@?", "@@":
		t = tBool
	case "->", "#>", "-", "#-", "||":
	default:
		return val{}, false
	}
	if op == "||" || op == "@>" || op == "<@" {
		if l.t.name == nUnknown {
			l = x.literal(l, r.t, 0)
		}
		if r.t.name == nUnknown {
			r = x.literal(r, l.t, 0)
		}
	}
	return val{e: &ir.Call{Name: op, Args: []ir.Expr{x.defaultType(l).e, x.defaultType(r).e}, Type: t.ir}, t: t}, true
}

// timeOp is arithmetic on dates, times and intervals, all of it opaque: days
// and months have no fixed length.
func (x *ex) timeOp(op string, l, r val, loc int32) val {
	fix := func(v, other val) val {
		if v.t.name != nUnknown {
			return v
		}
		if other.t.temporal() && op == "+" {
			return x.literal(v, tInterval, loc)
		}
		return x.literal(v, other.t, loc)
	}
	l, r = fix(l, r), fix(r, l)
	t := typ{}
	a, b := l.t, r.t
	isNum := func(t typ) bool { return t.numeric() || t.name == nAny }
	switch {
	case op == "-" && a.name == nDate && b.name == nDate:
		t = tInt
	case op == "-" && a.temporal() && b.temporal():
		t = tInterval
	case (op == "+" || op == "-") && a.name == nDate && isNum(b), op == "+" && isNum(a) && b.name == nDate:
		t = tDate
	case op == "+" && (a.name == nDate && b.name == nTime || a.name == nTime && b.name == nDate):
		t = tStamp
	case (op == "+" || op == "-") && a.temporal() && (b.name == nInterval || b.name == nAny):
		t = a
	case op == "+" && (a.name == nInterval || a.name == nAny) && b.temporal():
		t = b
	case (op == "+" || op == "-") && a.name == nInterval && b.name == nInterval,
		(op == "*" || op == "/") && a.name == nInterval && isNum(b), op == "*" && isNum(a) && b.name == nInterval:
		t = tInterval
	default:
		if op == "||" {
			return x.concat(l, r, l.nn && r.nn)
		}
		x.fail(loc, "the operator %s does not work on %s and %s; add a cast", op, a, b)
	}
	if t.name == nDate && (l.t.name == nInterval || r.t.name == nInterval) {
		t = tStamp
	}
	return val{e: &ir.Call{Name: "time " + op, Args: []ir.Expr{l.e, r.e}, Type: t.ir}, t: t, nn: l.nn && r.nn}
}

// arithmetic works on numbers. Sums of floats depend on their order and
// divisions of numerics round, so both are opaque.
func (x *ex) arithmetic(op string, l, r val, nn bool) (val, bool) {
	if l.t.name == nAny && r.t.numeric() {
		l = retype(l, r.t)
	}
	if r.t.name == nAny && l.t.numeric() {
		r = retype(r, l.t)
	}
	if !l.t.numeric() || !r.t.numeric() {
		return val{}, false
	}
	t := l.t
	if t.name == nInt || r.t.name == nFloat {
		t = r.t
	}
	irOp := map[string]ir.BinaryOp{"+": ir.Add, "-": ir.Sub, "*": ir.Mul, "/": ir.Div, "%": ir.Mod}
	k, exactly := irOp[op]
	switch {
	case op == "^" && t.name == nInt:
		t = tFloat
		exactly = false
	case t.name == nFloat, t.name == nNumeric && (op == "/" || op == "%"):
		exactly = false
	}
	if !exactly {
		return val{e: &ir.Call{Name: t.name + " " + op, Args: []ir.Expr{l.e, r.e}, Type: t.ir}, t: t, nn: nn}, true
	}
	return val{e: ir.Op(k, l.e, r.e), t: t, nn: nn}, true
}

// concat is || on strings and arrays.
func (x *ex) concat(l, r val, nn bool) val {
	if l.t.name == nArray || r.t.name == nArray {
		t := l.t
		if t.name != nArray {
			t = r.t
		}
		if l.t.name == nUnknown {
			l = x.literal(l, t, 0)
		}
		if r.t.name == nUnknown {
			r = x.literal(r, t, 0)
		}
		return val{e: &ir.Call{Name: "||", Args: []ir.Expr{l.e, r.e}, Type: t.ir}, t: t}
	}
	if !l.t.textual() && !r.t.textual() && l.t.name != nUnknown && r.t.name != nUnknown {
		return val{e: &ir.Call{Name: "||", Args: []ir.Expr{l.e, r.e}, Type: localType(l.t)}, t: l.t}
	}
	a, b := x.cast(l, tText, 0), x.cast(r, tText, 0)
	return val{e: &ir.Call{Name: "concat", Args: []ir.Expr{a.e, b.e}, Type: ir.TextType}, t: tText, nn: nn}
}

// comparability says how values of two types compare: "ir" with the operators of
// the IR, "opaque" by a function, "" not at all.
func comparability(a, b typ) string {
	switch {
	case a.name == nUnknown || b.name == nUnknown:
		return "ir"
	case a.numeric() && b.numeric(), a.textual() && b.textual(), a.name == nBool && b.name == nBool:
		return "ir"
	case a.temporal() && b.temporal():
		if (a.name == nTime) != (b.name == nTime) {
			return ""
		}
		return "ir"
	case a.name == nArray && b.name == nArray:
		if a.ir == b.ir || a.ir.Elem == ir.KindNull || b.ir.Elem == ir.KindNull {
			return "ir"
		}
		return "opaque"
	case a.ir.Kind == ir.KindOpaque && a.name == b.name && a.name != nAny:
		return "ir"
	case known(a) && known(b), known(a) && b.name == nArray, a.name == nArray && known(b):
		return ""
	}
	return "opaque"
}

// compare applies a comparison; "is" is IS NOT DISTINCT FROM.
func (x *ex) compare(op string, l, r val, loc int32) val {
	if l.record || r.record {
		return x.compareRows(op, l, r, loc)
	}
	if l.t.name == nUnknown && r.t.name == nUnknown {
		l, r = x.defaultType(l), x.defaultType(r)
	}
	if l.t.name == nAny && known(r.t) {
		l = retype(l, r.t)
	}
	if r.t.name == nAny && known(l.t) {
		r = retype(r, l.t)
	}
	if l.t.name == nUnknown {
		l = x.literal(l, r.t, loc)
	}
	if r.t.name == nUnknown {
		r = x.literal(r, l.t, loc)
	}
	if l.t.numeric() || r.t.numeric() {
		l, r = x.number(l), x.number(r)
	}
	nn := l.nn && r.nn || op == "is"
	k := comparisons[op]
	how := comparability(l.t, r.t)
	if how != "ir" && (l.given || r.given) {
		if l.given && r.t.name != nAny {
			l = x.fit(l, r.t)
		} else if r.given && l.t.name != nAny {
			r = x.fit(r, l.t)
		}
		how = comparability(l.t, r.t)
	}
	equality := k == ir.Eq || k == ir.Ne || k == ir.Is
	switch {
	case how == "":
		x.fail(loc, "the operator %s does not compare %s with %s; add a cast", op, l.t, r.t)
	case how == "ir" && (equality || l.t.ordered() && r.t.ordered()):
		return val{e: ir.Op(k, l.e, r.e), t: tBool, nn: nn}
	}
	out := val{e: &ir.Call{Name: opaqueComparison(op), Args: []ir.Expr{l.e, r.e}, Type: ir.BoolType}, t: tBool}
	if op == "<>" || op == "!=" {
		out.e = ir.NotE(out.e)
	}
	return out
}

func opaqueComparison(op string) string {
	switch op {
	case "<>", "!=":
		return "="
	case "is":
		return "is not distinct from"
	}
	return op
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
	return val{e: out, t: tBool, nn: nn}
}
