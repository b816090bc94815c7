package dialect

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/value"
)

// clock is the type of the time of a statement.
var clock = schema.TypeOfValues(value.OfFormat("timestamp", &value.Format{Name: "DATETIME", Kind: ir.KindTime}))

// Call translates a function of MySQL; ok is false for one that is read as in PostgreSQL.
func (d MySQL) Call(x *expr.Spot, e *pg.FuncCall, name string) (expr.Val, bool) {
	switch name {
	case "last_insert_id":
		if len(e.Args) == 1 {
			return givenInsertID(x, e), true
		}
		return lastInsertID(x), true
	case "date", "timestamp":
		if len(e.Args) != 1 {
			return expr.Val{}, false
		}
		v := convertedLiteral(x, x.One(e.Args[0]), schema.TStamp)
		if !v.Type.Temporal() {
			x.Refuse("%s of %s", strings.ToUpper(name), kindOf(v.Type))
		}
		if name == "date" {
			return day(x, v), true
		}
		return v, true
	case "gen_random_uuid":
		return x.Fresh("uuid", schema.TText, e), true
	case "unix_timestamp", "from_unixtime", "database", "schema", "connection_id", "row_count", "found_rows", "uuid_short", "sleep", "curtime", "utc_time":
		return x.Volatile(name, schema.TText, x.Pos(e.Location)), true
	}
	k, known := mysql.Functions[name]
	if !known && name != "concat" {
		return expr.Val{}, false
	}
	var args []expr.Val
	for _, n := range e.Args {
		args = append(args, x.Number(x.One(n)))
	}
	switch {
	case name == "concat":
		return concat(x, args), true
	case (name == "lower" || name == "upper") && len(args) == 1 && isText(args[0]):
		v := x.DefaultType(args[0])
		if collation(v) == value.Binary { // bytes have no case
			return v, true
		}
		return expr.Val{Expr: &ir.Call{Name: name, Args: []ir.Expr{v.Expr}, Type: ir.TextType}, Type: v.Type.Plain(), NotNull: v.NotNull}, true
	}
	return opaque(x, name, k, args), true
}

// spelled are functions that give texts without blanks at the end which their arguments do not have: they are compared as the
// arguments are.
var spelled = strings.Fields("lower upper trim btrim rtrim md5 sha1 sha sha2 hex date_format dayname monthname")

// concat puts texts together: NULL if one is NULL.
func concat(x *expr.Spot, args []expr.Val) expr.Val {
	out := expr.Val{Type: withCollation(schema.TText, value.Mixed), NotNull: true}
	for _, a := range args {
		if a.Type.Name == schema.NUnknown {
			a = x.Literal(a, schema.TText, 0)
		}
		if !typedText(a) {
			a = x.Cast(a, schema.TText, 0)
		}
		out.NotNull = out.NotNull && a.NotNull
		if out.Expr == nil {
			out.Expr = a.Expr
			continue
		}
		out.Expr = &ir.Call{Name: "concat", Args: []ir.Expr{out.Expr, a.Expr}, Type: ir.TextType}
	}
	if out.Expr == nil {
		x.Refuse("CONCAT without arguments")
	}
	return out
}

// opaque calls a function of which nothing is known but that equal arguments give equal results. What it gives may
// depend on the collations of the arguments.
func opaque(x *expr.Spot, name string, k ir.Kind, args []expr.Val) expr.Val {
	t := schema.TFloat
	switch k {
	case ir.KindInt:
		t = schema.TBigint
	case ir.KindNum:
		t = schema.TNumeric
	case ir.KindText:
		t = withCollation(schema.TText, value.Mixed)
	case ir.KindTime:
		t = clock
	case ir.KindOpaque:
		t = schema.TAny
	case ir.KindNull:
		if len(args) == 0 || !args[0].Type.Numeric() {
			x.Refuse("%s of this form", strings.ToUpper(name))
		}
		t = args[0].Type.Plain()
	}
	sig, coll := "mysql "+name, ""
	for i, a := range args {
		if a.Type.Name == schema.NUnknown {
			a = x.Literal(a, schema.TText, 0)
		}
		args[i] = a
		sig += " " + collation(a)
		coll = common(coll, collation(a))
	}
	if k == ir.KindText && slices.Contains(spelled, name) {
		t = withCollation(t, coll)
	}
	return x.OpaqueCall(strings.TrimRight(sig, " "), args, t)
}

// lastInsertID is the key that AUTO_INCREMENT gave the last row which the transaction inserted, any value before that.
func lastInsertID(x *expr.Spot) expr.Val {
	if x.Draft == nil {
		panic(schema.Unmodelled{Reason: "LAST_INSERT_ID()"})
	}
	if why := x.Draft.NoInsertID; why != "" {
		x.Unmodelled("LAST_INSERT_ID() after %s", why)
	}
	v := x.Draft.Local("last_insert_id", schema.TBigint) // the statement may draw another one
	x.Draft.EmitWeak(&ir.Assign{At: expr.At(x.Draft.Cur), Var: v, Expr: ir.V(x.Draft.Sequence("lastval"))})
	return expr.Val{Expr: ir.V(v), Type: schema.TBigint, NotNull: true}
}

// givenInsertID is the argument of LAST_INSERT_ID(…), which is what LAST_INSERT_ID() gives after the statement.
func givenInsertID(x *expr.Spot, e *pg.FuncCall) expr.Val {
	if x.Draft == nil {
		panic(schema.Unmodelled{Reason: "LAST_INSERT_ID(…)"})
	}
	v := x.One(e.Args[0])
	v = MySQL{}.Operand(x, v, v)
	if v.Type.Name != schema.NInt {
		x.Refuse("LAST_INSERT_ID(…) of %s", kindOf(v.Type))
	}
	x.Draft.NoInsertID = "LAST_INSERT_ID(…) with an argument"
	return v
}

// Now is the time of the statement, or its day.
func (MySQL) Now(x *expr.Spot, name string) (expr.Val, bool) {
	now := expr.Val{Expr: ir.V(x.Draft.SessionLocal("now", schema.TStamp)), Type: clock, NotNull: true}
	switch name {
	case "transaction_timestamp", "current_timestamp", "localtimestamp", "now":
		return now, true
	case "current_date":
		return day(x, now), true
	}
	return expr.Val{}, false
}
