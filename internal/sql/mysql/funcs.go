package mysql

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/ir"
	"github.com/xwb1989/sqlparser"
)

// functions are built-in functions that give equal results for equal
// arguments, with the kind of the result; null is that of the first argument.
var functions = map[string]kind{
	"length": integer, "char_length": integer, "character_length": integer, "octet_length": integer, "ascii": integer, "locate": integer, "instr": integer,
	"sign": integer, "year": integer, "month": integer, "day": integer, "dayofmonth": integer, "hour": integer, "minute": integer, "second": integer,
	"datediff": integer, "to_days": integer, "crc32": integer, "field": integer, "strcmp": integer,
	"floor": decimal, "ceil": decimal, "ceiling": decimal, "round": decimal, "truncate": decimal, "abs": null,
	"concat": str, "concat_ws": str, "lower": str, "lcase": str, "upper": str, "ucase": str, "trim": str, "ltrim": str, "rtrim": str, "left": str, "right": str,
	"replace": str, "reverse": str, "repeat": str, "lpad": str, "rpad": str, "md5": str, "sha1": str, "sha": str, "sha2": str, "hex": str, "date_format": str,
	"substring_index": str, "date": date, "last_day": date,
}

// words may stand before a parenthesis without being functions, or are
// functions that touch no rows.
var words = strings.Fields(`in values value exists and or not on using from select where as join between then when else case having by if ifnull
	coalesce nullif count sum min max avg now current_timestamp curdate current_date curtime utc_timestamp uuid rand over partition order distinct any all
	some interval date_add date_sub timestampdiff timestampadd unix_timestamp from_unixtime greatest least cast convert substring substr mod pow power
	sqrt like rank dense_rank row_number lag lead first_value last_value ntile group_concat json_extract json_object json_array last_insert_id union
	except intersect limit set index key force ignore use with recursive lateral row div xor`)

// touchesNothing reports whether a function of this name reads and writes no
// rows.
func touchesNothing(name string) bool {
	name = strings.ToLower(name)
	_, known := functions[name]
	return known || slices.Contains(words, name)
}

// havoc makes a local with a value that is any of its type, or a new one.
func (b *builder) havoc(name string, t ir.Type, fresh bool) string {
	v := b.txn.AddLocal(name, t)
	b.add(&ir.Havoc{At: b.at, Var: v, Fresh: fresh, NotNull: true, Of: strings.TrimPrefix(name, "@") + "()"})
	return v
}

// now is the time of the statement.
func (b *builder) now() value {
	if b.clock == "" || b.clockAt != b.at.Pos {
		b.clock, b.clockAt = b.havoc("@now", ir.TimeType, false), b.at.Pos
	}
	return value{e: ir.V(b.clock), t: typ{kind: datetime}, nn: true}
}

// call translates a function.
func (b *builder) call(n *sqlparser.FuncExpr, sc *scope) value {
	name := n.Name.Lowered()
	if !n.Qualifier.IsEmpty() {
		panic(unsupported{"the function " + name, true, nil})
	}
	switch name {
	case "count", "sum", "min", "max", "avg":
		return b.aggregate(n, name, sc)
	}
	var args []value
	for _, a := range n.Exprs {
		e, ok := a.(*sqlparser.AliasedExpr)
		if !ok {
			fail("an argument that is no expression")
		}
		args = append(args, b.val(e.Expr, sc))
	}
	want := func(lo, hi int) {
		if len(args) < lo || len(args) > hi {
			fail("%s with %d arguments", strings.ToUpper(name), len(args))
		}
	}
	switch name {
	case "now", "current_timestamp", "sysdate", "localtime", "localtimestamp", "utc_timestamp":
		want(0, 0)
		return b.now()
	case "curdate", "current_date", "utc_date":
		want(0, 0)
		return b.toDate(b.now())
	case "uuid":
		want(0, 0)
		if sc != nil {
			fail("UUID() in a query")
		}
		return value{e: ir.V(b.havoc("@uuid", ir.TextType, true)), t: typ{kind: str}, nn: true}
	case "last_insert_id":
		want(0, 0)
		switch {
		case b.auto != "":
			panic(unsupported{"LAST_INSERT_ID() after " + b.auto, true, nil})
		case b.lastID == nil: // of an earlier transaction
			return value{e: ir.V(b.havoc("@last_insert_id", ir.IntType, false)), t: typ{kind: integer}, nn: true}
		}
		return *b.lastID
	case "coalesce", "ifnull":
		want(1, 100)
		vs, t := b.unify(args)
		out := vs[len(vs)-1]
		for i := len(vs) - 2; i >= 0; i-- {
			small(vs[i].e, vs[i].e, out.e)
			out = value{e: &ir.Cond{If: isNull(vs[i].e), Then: out.e, Else: vs[i].e}, nn: out.nn || vs[i].nn}
		}
		either := branch(vs)
		either.e, either.t, either.nn = out.e, t, out.nn
		return either
	case "if":
		want(3, 3)
		c := args[0]
		c = b.settle(c, typ{kind: integer})
		var e ir.Expr
		switch c.t.kind {
		case boolean, null:
			e = c.e
		case integer, decimal:
			e = ir.Op(ir.Ne, c.e, ir.C(ir.Int(0)))
		default:
			fail("%s as a condition", kindWords[c.t.kind])
		}
		vs, t := b.unify(args[1:])
		either := branch(vs)
		either.e, either.t, either.nn = &ir.Cond{If: e, Then: vs[0].e, Else: vs[1].e}, t, vs[0].nn && vs[1].nn
		return either
	case "nullif":
		want(2, 2)
		x := asValue(args[0])
		small(x.e, x.e)
		return value{e: &ir.Cond{If: b.compare(ir.Eq, args[0], args[1]), Then: ir.C(ir.Null), Else: x.e}, t: x.t, unsigned: x.unsigned, scale: x.scale, labels: x.labels, padded: x.padded}
	}
	k, known := functions[name]
	if !known {
		panic(unsupported{"the function " + name, !touchesNothing(name), nil})
	}
	want(1, 100)
	t := typ{kind: k}
	var es []ir.Expr
	sig := ""
	for i, a := range args {
		a = asValue(a)
		if a.t.kind == other || a.t.kind == unknown && k == null {
			fail("%s of %s", strings.ToUpper(name), kindWords[a.t.kind])
		}
		if i == 0 && k == null {
			t = b.number(a).t
			if t.kind == null {
				t.kind = integer
			}
		}
		a = b.settle(a, typ{kind: str})
		sig += " " + a.t.coll // such as for LOCATE, which compares
		es = append(es, a.e)
	}
	if k == str {
		t.coll = mixed
	}
	return value{e: &ir.Call{Name: strings.TrimRight("mysql "+name+sig, " "), Args: es, Type: t.ir()}, t: t, scale: anyScale}
}

// toDate cuts the time of day off.
func (b *builder) toDate(v value) value {
	return value{e: &ir.Call{Name: "mysql date", Args: []ir.Expr{v.e}, Type: ir.TimeType}, t: typ{kind: date}, nn: v.nn}
}

// aggregate translates an aggregate of the query around it.
func (b *builder) aggregate(n *sqlparser.FuncExpr, name string, sc *scope) value {
	if sc == nil || sc.group == nil || sc.group.within {
		fail("an aggregate in this place")
	}
	g := sc.group
	agg := ir.Agg{Fn: name, Distinct: n.Distinct, Type: ir.IntType}
	out := value{t: typ{kind: integer}, nn: name == "count"}
	if len(n.Exprs) != 1 || name == "avg" {
		fail("%s of this form", strings.ToUpper(name))
	}
	if _, star := n.Exprs[0].(*sqlparser.StarExpr); star {
		if name != "count" {
			fail("%s(*)", strings.ToUpper(name))
		}
	} else {
		a, ok := n.Exprs[0].(*sqlparser.AliasedExpr)
		if !ok {
			fail("an argument that is no expression")
		}
		g.within = true
		v := asValue(b.val(a.Expr, sc))
		g.within = false
		if name == "sum" {
			v = b.number(v)
		}
		switch {
		case v.t.kind == unknown || v.t.kind == null:
			fail("%s of a constant", strings.ToUpper(name))
		case v.t.kind == other && (name != "count" || n.Distinct):
			fail("%s of %s", strings.ToUpper(name), kindWords[v.t.kind])
		case v.t.kind == str && name != "count":
			fail("%s of texts, of which several may be equal", strings.ToUpper(name))
		}
		agg.Arg = v.e
		if v.t.kind == str && n.Distinct {
			agg.Arg = v.compared(common(v.t.coll, ""))
		}
		if name != "count" {
			agg.Type, out.t = v.t.ir(), v.t
			out.scale, out.unsigned = v.scale, v.unsigned && name != "sum"
		}
	}
	into := b.txn.AddLocal("@"+name, agg.Type)
	g.aggs, g.into = append(g.aggs, agg), append(g.into, into)
	out.e = ir.V(into)
	return out
}
