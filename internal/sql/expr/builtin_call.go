package expr

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
)

// UndeclaredFunction is why a call is not modelled of a function that nothing is known of, with its name.
const UndeclaredFunction = "the function %s, which is not declared here"

// systemCall translates a call of a function of the system.
func (x *Spot) systemCall(e *pg.FuncCall, name string) Val {
	known := x.App.Builtin(name)
	switch {
	case !known.Known:
		x.Refuse(UndeclaredFunction, name)
	case known.Aggregate:
		return x.Queries.Aggregate(x, e, name)
	case known.Window:
		x.Refuse("a window function")
	case name == schema.KeyFunc:
		return x.Comparable(x.One(e.Args[0]))
	case name == schema.HoleFunc:
		return x.Volatile(name, schema.TBool, x.Pos(e.Location))
	}
	if x.App.In.MySQL {
		if v, ok := x.App.Dialect.Call(x, e, name); ok {
			return v
		}
	}
	x.ShowsRunning(name, e.Location)
	args, given := []Val(nil), []catalog.Arg(nil)
	for _, n := range e.Args {
		argName := ""
		if named, ok := pg.Inner(n).(*pg.NamedArgExpr); ok {
			n, argName = named.Arg, "" // the names of the system's parameters are not known: they come in order
		}
		v := x.Expr(n)
		args, given = append(args, v), append(given, catalog.Arg{Type: v.ArgType(), Name: argName})
	}
	if syntax.TakesAdvisoryLock(name) && x.Draft != nil {
		x.Draft.Emit(value.AdvisoryLock(At(x.Pos(e.Location)), name, x.Draft.Always[e], len(args), func(i int) ir.Expr { return args[i].Expr }))
	}
	if name == "concat" {
		return x.concatAll(args)
	}
	x.named(name, args, e.Location)
	if name == "set_config" && len(args) == 3 {
		if syntax.ConfigDropsChecks(e) && x.Draft != nil {
			x.Draft.Anything(x.Pos(e.Location), &schema.Effect{All: true, Writes: true}, syntax.ChecksDropped)
		}
		return x.setting(args[1], e.Location)
	}
	calls, outcome := x.App.Catalog().Function(name, given, e.FuncVariadic)
	switch {
	case outcome == catalog.Conversion:
		return x.Cast(args[0], x.App.CatalogType(name), e.Location)
	case outcome == catalog.Found:
		return x.resolved(calls[0], name, args, e)
	case known.Set:
		x.Refuse("the set-returning function %s in this place", name)
	case known.Effect == catalog.Pure && len(calls) > 0 && !x.App.In.MySQL:
		return x.OpaqueCall(name, args, x.App.CommonResult(name, calls))
	}
	x.Refuse("the function %s with these arguments", name)
	return Val{}
}

// ShowsRunning marks a function or view of the system that shows what other transactions do
// before they commit. In a serial execution there is nothing to show.
func (x *Spot) ShowsRunning(name string, loc int32) {
	if !catalog.ShowsRunning(name) {
		return
	}
	x.App.Note(x.Pos(loc), "%s: it may show anything of other transactions, in serial executions too", name)
	if x.Draft != nil && !syntax.TakesAdvisoryLock(name) {
		what := "what " + name + " shows of transactions that have not committed"
		x.Draft.MayDepend(x.Pos(loc), what)
		x.Draft.Emit(&ir.Unmodelled{At: At(x.Pos(loc)), ReadOnly: true, Reason: what})
	}
}

// Refuse stops at something that is not modelled, also outside of transactions.
func (x *Spot) Refuse(format string, args ...any) {
	if x.Draft == nil {
		panic(schema.Unmodelled{Reason: fmt.Sprintf(format, args...)})
	}
	x.Unmodelled(format, args...)
}

// resolved translates a call of one function.
func (x *Spot) resolved(c catalog.Call, name string, args []Val, e *pg.FuncCall) Val {
	t := x.App.ResultType(c.Returns)
	effect := catalog.EffectOf(c.Function)
	if c.Set {
		x.Refuse("the set-returning function %s in this place", name)
	}
	if x.Draft == nil && effect != catalog.Pure {
		panic(schema.Unmodelled{Reason: "the function " + name})
	}
	switch effect {
	case catalog.OfTransaction:
		return x.ofTransaction(c, t, args)
	case catalog.OfSession:
		return x.ofSession(name, t, args, e)
	case catalog.AnyValue:
		return x.Volatile(name, t, x.Pos(e.Location))
	case catalog.Fresh:
		return x.Fresh(name, t, e)
	case catalog.Nothing:
		return Val{Expr: ir.C(ir.Opaque("")), Type: t, NotNull: true}
	case catalog.ReadsAny, catalog.WritesAny:
		x.Unmodelled("the function %s", name)
	}
	v := x.pure(c, t, args, e.Location)
	noteRange(x, name, args, v, e.Location)
	return v
}

// naming are functions that fail for some first arguments, such as names of things that are not there.
var naming = strings.Fields("pg_notify setseed set_limit set_config current_setting nextval currval setval")

// named marks that a function may fail for its first argument, if that is no constant.
func (x *Spot) named(name string, args []Val, loc int32) {
	if x.Draft == nil || x.App.In.MySQL || len(args) == 0 || !slices.Contains(naming, name) {
		return
	}
	if _, constant := args[0].Expr.(*ir.Const); !constant {
		x.Draft.MayDepend(x.Pos(loc), "an error of "+name)
	}
}

// setting is set_config, which gives the value. What current_setting gives is not followed
// from it.
func (x *Spot) setting(v Val, loc int32) Val {
	if _, constant := v.Expr.(*ir.Const); x.Draft != nil && x.App.Gets && !constant {
		x.Draft.MayDepend(x.Pos(loc), "what current_setting gives of a value that set_config sets")
	}
	return x.Cast(x.DefaultType(v), schema.TText, loc)
}

// ofTransaction is a value that depends on the time at which the transaction began.
func (x *Spot) ofTransaction(c catalog.Call, t schema.Type, args []Val) Val {
	if c.Name != "age" {
		return x.fromSession(c.Name, t)
	}
	today := x.Cast(x.Cast(x.fromSession("now", schema.TStamp), schema.TDate, 0), t0(x, c), 0)
	f := value.Function("age("+c.Types[0]+","+c.Types[0]+")", true)
	return Val{Expr: x.apply(f, t, today.Expr, x.Cast(args[0], t0(x, c), 0).Expr), Type: t, NotNull: args[0].NotNull}
}

// t0 is the type of the first parameter.
func t0(x *Spot, c catalog.Call) schema.Type { return x.App.ResultType(c.Types[0]) }

// ofSession is a value that stays the same in a transaction.
func (x *Spot) ofSession(name string, t schema.Type, args []Val, e *pg.FuncCall) Val {
	switch name {
	case "currval", "lastval":
		if seq := x.App.SequenceName(e.Args, x.Text); seq != "" {
			return Val{Expr: ir.V(x.Draft.Sequence(seq)), Type: schema.TBigint}
		}
		return Val{Expr: ir.V(x.Draft.Sequence("lastval")), Type: schema.TBigint}
	case "current_setting":
		key := literalSuffix(args)
		if key == "" || x.App.Sets {
			v := x.Draft.Local(name, t)
			x.Draft.Havoc(x.Pos(e.Location), v)
			return Val{Expr: ir.V(v), Type: t}
		}
		name += key
	}
	return x.fromSession(name, t)
}

// literalSuffix makes a part of a name from a literal argument.
func literalSuffix(args []Val) string {
	if len(args) > 0 {
		if s, ok := args[0].LiteralText(); ok {
			return " " + s
		}
	}
	return ""
}

// pure applies a function of the system that depends on its arguments alone.
func (x *Spot) pure(c catalog.Call, t schema.Type, args []Val, loc int32) Val {
	for i := range args {
		args[i] = x.asParameter(args[i], c.Types[i], loc)
		if args[i].IsNull() && c.Strict && !x.App.In.MySQL { // the planner does not compute the others
			return Val{Expr: ir.C(ir.Null), Type: t}
		}
	}
	if v, ok := x.meaning(c, t, args); ok {
		return v
	}
	ShowsForm(x, c.Name, t, args...)
	if hasRecord(args) {
		return x.OpaqueCall(c.Signature(), args, t)
	}
	exprs := make([]ir.Expr, len(args))
	for i, a := range args {
		exprs[i] = a.Expr
	}
	fn := functionOf(c, args, t)
	if c.Volatility == 'i' && scalars.FailsOnConstants(fn, t.IR, exprs) {
		x.Refuse("a call of %s that always fails, when the statement is planned or when it is run", c.Name)
	}
	out := Val{Expr: x.apply(fn, t, exprs...), Type: t}
	out.Digits = roundedDigits(c.Function, args)
	for _, a := range args { // the collation of an operand is that of the result
		if out.Type.Textual() && a.Type.SQL != nil && a.Type.SQL.Collation != "" {
			out.Type = x.App.Collated(out.Type, a.Type.SQL.Collation)
		}
	}
	return out
}

// functionOf gives what is known of a function of the catalog in a call.
func functionOf(c catalog.Call, args []Val, result schema.Type) *ir.Function {
	types := typesOf(c, args)
	if slices.Contains(types, nil) {
		return value.Called(c.Function, nil, nil)
	}
	returns := result.SQL
	if returns == nil {
		returns = value.Of(c.Returns)
	}
	return value.Called(c.Function, types, returns)
}

// typesOf gives the types of the arguments of a call, with their modifiers; nil for a polymorphic one
// of which the type is not known.
func typesOf(c catalog.Call, args []Val) []*value.Type {
	types := make([]*value.Type, len(args))
	for i, a := range args {
		types[i] = a.Type.SQL
		if !strings.HasPrefix(c.Types[i], "any") && (types[i] == nil || types[i].Name != c.Types[i]) {
			types[i] = value.Of(c.Types[i])
		}
	}
	return types
}

func hasRecord(args []Val) bool {
	return slices.ContainsFunc(args, func(a Val) bool { return a.Record })
}

// roundedDigits is val.digits of functions that round.
func roundedDigits(f *catalog.Function, args []Val) int {
	if f.Result != "numeric" {
		return 0
	}
	switch f.Signature() {
	case "round(numeric)", "floor(numeric)", "ceil(numeric)", "ceiling(numeric)", "trunc(numeric)", "sign(numeric)":
		return 1
	case "round(numeric,int4)", "trunc(numeric,int4)":
		if k, ok := args[1].Expr.(*ir.Const); ok && k.Value.Kind == ir.KindInt {
			return 1 + int(max(0, min(k.Value.I, 1000)))
		}
	}
	return 0
}

// asParameter converts an argument to the type of a parameter.
func (x *Spot) asParameter(v Val, t string, loc int32) Val {
	switch {
	case v.Record, v.Type.SQL != nil && v.Type.SQL.Name == "bpchar" && t == "bpchar" && !v.Given: // which shows its blanks
		return v
	case t == "any" || t == catalog.Untold || strings.HasPrefix(t, "any"):
		return x.DefaultType(v)
	case v.Given:
		return x.Fit(v, x.App.CatalogType(t))
	}
	if v.Type.Name == schema.NUnknown && v.IsNull() {
		return Val{Expr: v.Expr, Type: x.App.CatalogType(t)}
	}
	return x.Cast(v, x.App.CatalogType(t), loc)
}

// OpaqueCall applies a function of which nothing is known but that equal
// arguments give equal results.
func (x *Spot) OpaqueCall(name string, args []Val, t schema.Type) Val {
	if ir.Functions[name] != nil {
		name = "sql " + name
	}
	c := &ir.Call{Name: name, Type: LocalType(t)}
	for _, a := range args {
		if !a.Record {
			c.Args = append(c.Args, x.DefaultType(a).Expr)
			continue
		}
		for _, f := range a.Fields {
			c.Args = append(c.Args, f.Expr)
		}
	}
	return Val{Expr: c, Type: t}
}

// meaning translates the functions whose meaning the IR has. The arguments have the
// types of the parameters.
func (x *Spot) meaning(c catalog.Call, t schema.Type, args []Val) (Val, bool) {
	nn := true
	for _, a := range args {
		nn = nn && a.NotNull && !a.Record
	}
	known := func(fn string) (Val, bool) {
		k := &ir.Call{Name: fn, Type: t.IR}
		for _, a := range args {
			k.Args = append(k.Args, a.Expr)
		}
		return Val{Expr: x.folded(k), Type: t, NotNull: nn}, true
	}
	switch c.Signature() {
	case "lower(text)", "upper(text)", "left(text,int4)":
		return known(c.Name)
	case "length(text)", "char_length(text)", "character_length(text)", "length(bpchar)", "char_length(bpchar)", "character_length(bpchar)":
		return known("length")
	case "mod(int2,int2)", "mod(int4,int4)", "mod(int8,int8)":
		return x.exactly(ir.Mod, args[0], args[1], t, nn), true
	case "abs(int2)", "abs(int4)", "abs(int8)", "abs(numeric)":
		a := x.Shared(args[0].Expr, args[0].Type)
		out := Val{Expr: &ir.Cond{If: ir.Op(ir.Lt, a, ir.C(ir.Int(0))), Then: &ir.Unary{Op: ir.Neg, X: a}, Else: a}, Type: t, NotNull: nn, Digits: args[0].Digits}
		return out, true
	case "textcat(text,text)":
		return known("concat")
	case "textlike(text,text)", "like(text,text)":
		if x.isPattern(args[1].Expr) {
			return known("like")
		}
	case "texticlike(text,text)":
		if x.isPattern(args[1].Expr) {
			return known("ilike")
		}
	case "cardinality(anyarray)":
		return known("len")
	case "array_length(anyarray,int4)", "array_upper(anyarray,int4)":
		if IsInt(args[1].Expr, 1) {
			n := &ir.Call{Name: "len", Args: []ir.Expr{x.Shared(args[0].Expr, args[0].Type)}, Type: ir.IntType}
			return Val{Expr: &ir.Cond{If: ir.Op(ir.Eq, n, ir.C(ir.Int(0))), Then: ir.C(ir.Null), Else: n}, Type: schema.TInt}, true
		}
	}
	return Val{}, false
}

// folded computes a function of the IR of constants, whose letters are those of all
// locales.
func (x *Spot) folded(c *ir.Call) ir.Expr {
	for _, a := range c.Args {
		if k, ok := a.(*ir.Const); !ok || x.App.In.MySQL || k.Value.IsNull() || !ascii(k.Value.S) {
			return c
		}
	}
	if v, err := scalars.Evaluated(ir.Functions[c.Name], c.Type, c.Args...); err == nil {
		return ir.C(v)
	}
	return c
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c > unicode.MaxASCII })
}

// IsInt reports whether e is the integer i.
func IsInt(e ir.Expr, i int64) bool {
	c, ok := e.(*ir.Const)
	return ok && c.Value == ir.Int(i)
}

func (x *Spot) valueFunction(e *pg.SQLValueFunction) Val {
	name, t := "session_user", schema.TText
	switch e.Op {
	case pg.ValueCurrentDate:
		name, t = "current_date", schema.TDate
	case pg.ValueCurrentTime, pg.ValueCurTimeN:
		name, t = "current_time", schema.ValuesOf("timetz")
	case pg.ValueLocalTime, pg.ValueLocalTimeN:
		name, t = "localtime", schema.TTime
	case pg.ValueTimestamp, pg.ValueTimestampN:
		name, t = "now", schema.TStamp
	case pg.ValueLocalStamp, pg.ValueLocalStampN:
		name, t = "now", schema.ValuesOf("timestamp")
	}
	return x.fromSession(name, t)
}

// fromSession is a value that stays the same all through the transaction.
func (x *Spot) fromSession(name string, t schema.Type) Val {
	if x.Draft == nil {
		panic(schema.Unmodelled{Reason: name})
	}
	if x.App.In.MySQL {
		if v, ok := x.App.Dialect.Now(x, name); ok {
			return v
		}
	}
	switch name {
	case "transaction_timestamp", "current_timestamp", "localtimestamp", "now":
		return Val{Expr: ir.V(x.Draft.SessionLocal("now", schema.TStamp)), Type: t, NotNull: true}
	case "current_date", "current_time", "localtime":
		now := ir.V(x.Draft.SessionLocal("now", schema.TStamp))
		return Val{Expr: x.castCall(now, schema.TStamp, t), Type: t, NotNull: true}
	}
	return Val{Expr: ir.V(x.Draft.SessionLocal(name, t)), Type: t}
}
