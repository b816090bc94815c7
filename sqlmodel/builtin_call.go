package sqlmodel

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
	"github.com/txrobust/robust/ir"
)

// undeclaredFunction is why a call is not modelled of a function that nothing is known of, with its name.
const undeclaredFunction = "the function %s, which is not declared here"

// systemCall translates a call of a function of the system.
func (x *ex) systemCall(e *pg.FuncCall, name string) val {
	known := x.l.Builtin(name)
	switch {
	case !known.Known:
		x.refuse(undeclaredFunction, name)
	case known.Aggregate:
		return x.aggregate(e, name)
	case known.Window:
		x.refuse("a window function")
	case name == schema.KeyFunc:
		return x.comparable(x.one(e.Args[0]))
	case name == schema.HoleFunc:
		return x.volatile(name, schema.TBool, x.pos(e.Location))
	}
	x.showsRunning(name, e.Location)
	if syntax.TakesAdvisoryLock(name) && x.b != nil {
		x.b.emit(&ir.Dropped{At: at(x.pos(e.Location)), Kind: ir.ByAdvisoryLock, What: "the advisory lock of " + name})
	}
	var args []val
	var given []catalog.Arg
	for _, n := range e.Args {
		argName := ""
		if named, ok := pg.Inner(n).(*pg.NamedArgExpr); ok {
			n, argName = named.Arg, "" // the names of the system's parameters are not known: they come in order
		}
		v := x.expr(n)
		args, given = append(args, v), append(given, catalog.Arg{Type: v.argType(), Name: argName})
	}
	if v, ok := x.form(name, args); ok {
		return v
	}
	x.named(name, args, e.Location)
	if name == "set_config" && len(args) == 3 {
		return x.setting(args[1], e.Location)
	}
	calls, outcome := x.l.Catalog().Function(name, given, e.FuncVariadic)
	switch {
	case outcome == catalog.Conversion:
		return x.cast(args[0], x.l.CatalogType(name), e.Location)
	case outcome == catalog.Found:
		return x.resolved(calls[0], name, args, e)
	case known.Set:
		x.refuse("the set-returning function %s in this place", name)
	case known.Effect == catalog.Pure && (len(calls) > 0 || x.l.In.MySQL):
		return x.opaqueCall(name, args, x.l.CommonResult(name, calls))
	}
	x.refuse("the function %s with these arguments", name)
	return val{}
}

// showsRunning marks a function or view of the system that shows what other transactions do
// before they commit. In a serial execution there is nothing to show.
func (x *ex) showsRunning(name string, loc int32) {
	if !catalog.ShowsRunning(name) {
		return
	}
	x.l.Note(x.pos(loc), "%s: it may show anything of other transactions, in serial executions too", name)
	if x.b != nil && !syntax.TakesAdvisoryLock(name) {
		what := "what " + name + " shows of transactions that have not committed"
		x.b.mayDepend(x.pos(loc), what)
		x.b.emit(&ir.Unmodelled{At: at(x.pos(loc)), ReadOnly: true, Reason: what})
	}
}

// refuse stops at something that is not modelled, also outside of transactions.
func (x *ex) refuse(format string, args ...any) {
	if x.b == nil {
		panic(schema.Unmodelled{Reason: fmt.Sprintf(format, args...)})
	}
	x.unmodelled(format, args...)
}

// resolved translates a call of one function.
func (x *ex) resolved(c catalog.Call, name string, args []val, e *pg.FuncCall) val {
	t := x.l.ResultType(c.Returns)
	effect := catalog.EffectOf(c.Function)
	if c.Set {
		x.refuse("the set-returning function %s in this place", name)
	}
	if x.b == nil && effect != catalog.Pure {
		panic(schema.Unmodelled{Reason: "the function " + name})
	}
	switch effect {
	case catalog.OfTransaction:
		return x.ofTransaction(c, t, args)
	case catalog.OfSession:
		return x.ofSession(name, t, args, e)
	case catalog.AnyValue:
		return x.volatile(name, t, x.pos(e.Location))
	case catalog.Fresh:
		return x.fresh(name, t, e)
	case catalog.Nothing:
		return val{e: ir.C(ir.Opaque("")), t: t, nn: true}
	case catalog.ReadsAny, catalog.WritesAny:
		x.unmodelled("the function %s", name)
	}
	v := x.pure(c, t, args, e.Location)
	x.noteRange(name, args, v, e.Location)
	return v
}

// naming are functions that fail for some first arguments, such as names of things that are not there.
var naming = strings.Fields("pg_notify setseed set_limit set_config current_setting nextval currval setval")

// named marks that a function may fail for its first argument, if that is no constant.
func (x *ex) named(name string, args []val, loc int32) {
	if x.b == nil || x.l.In.MySQL || len(args) == 0 || !slices.Contains(naming, name) {
		return
	}
	if _, constant := args[0].e.(*ir.Const); !constant {
		x.b.mayDepend(x.pos(loc), "an error of "+name)
	}
}

// setting is set_config, which gives the value. What current_setting gives is not followed
// from it.
func (x *ex) setting(v val, loc int32) val {
	if _, constant := v.e.(*ir.Const); x.b != nil && x.l.Gets && !constant {
		x.b.mayDepend(x.pos(loc), "what current_setting gives of a value that set_config sets")
	}
	return x.cast(x.defaultType(v), schema.TText, loc)
}

// ofTransaction is a value that depends on the time at which the transaction began.
func (x *ex) ofTransaction(c catalog.Call, t schema.Type, args []val) val {
	if c.Name != "age" {
		return x.fromSession(c.Name, t)
	}
	today := x.cast(x.cast(x.fromSession("now", schema.TStamp), schema.TDate, 0), t0(x, c), 0)
	f := value.Function("age("+c.Types[0]+","+c.Types[0]+")", true)
	return val{e: x.apply(f, t, today.e, x.cast(args[0], t0(x, c), 0).e), t: t, nn: args[0].nn}
}

// t0 is the type of the first parameter.
func t0(x *ex, c catalog.Call) schema.Type { return x.l.ResultType(c.Types[0]) }

// ofSession is a value that stays the same in a transaction.
func (x *ex) ofSession(name string, t schema.Type, args []val, e *pg.FuncCall) val {
	switch name {
	case "currval", "lastval":
		if seq := x.l.SequenceName(e.Args, x.text); seq != "" {
			return val{e: ir.V(x.b.sequence(seq)), t: schema.TBigint}
		}
		return val{e: ir.V(x.b.sequence("lastval")), t: schema.TBigint}
	case "current_setting":
		key := literalSuffix(args)
		if key == "" || x.l.Sets {
			v := x.b.local(name, t)
			x.b.havoc(x.pos(e.Location), v)
			return val{e: ir.V(v), t: t}
		}
		name += key
	}
	return x.fromSession(name, t)
}

// literalSuffix makes a part of a name from a literal argument.
func literalSuffix(args []val) string {
	if len(args) > 0 {
		if s, ok := args[0].literalText(); ok {
			return " " + s
		}
	}
	return ""
}

// pure applies a function of the system that depends on its arguments alone.
func (x *ex) pure(c catalog.Call, t schema.Type, args []val, loc int32) val {
	for i := range args {
		args[i] = x.asParameter(args[i], c.Types[i], loc)
		if args[i].isNull() && c.Strict && !x.l.In.MySQL { // the planner does not compute the others
			return val{e: ir.C(ir.Null), t: t}
		}
	}
	if v, ok := x.meaning(c, t, args); ok {
		return v
	}
	if hasRecord(args) {
		return x.opaqueCall(c.Signature(), args, t)
	}
	exprs := make([]ir.Expr, len(args))
	for i, a := range args {
		exprs[i] = a.e
	}
	fn := functionOf(c, args, t)
	if c.Volatility == 'i' && failsOnConstants(fn, t, exprs) {
		x.refuse("a call of %s that always fails, when the statement is planned or when it is run", c.Name)
	}
	out := val{e: x.apply(fn, t, exprs...), t: t}
	out.digits = roundedDigits(c.Function, args)
	for _, a := range args { // the collation of an operand is that of the result
		if out.t.Textual() && a.t.SQL != nil && a.t.SQL.Collation != "" {
			out.t = x.l.Collated(out.t, a.t.SQL.Collation)
		}
	}
	return out
}

// failsOnConstants reports whether a call of a function is known to fail, whatever the rows are.
func failsOnConstants(fn *ir.Function, t schema.Type, args []ir.Expr) bool {
	var values []ir.Value
	for _, a := range args {
		if c, is := a.(*ir.Const); is {
			values = append(values, c.Value)
		}
	}
	if fn == nil || fn.Eval == nil || len(values) < len(args) || fn.Strict && slices.ContainsFunc(values, ir.Value.IsNull) {
		return false
	}
	_, err := fn.Eval(values, t.IR)
	return err != nil && !errors.Is(err, ir.ErrNotKnown)
}

// functionOf gives what is known of a function of the catalog in a call.
func functionOf(c catalog.Call, args []val, result schema.Type) *ir.Function {
	types := make([]*value.Type, len(args))
	for i, a := range args {
		types[i] = a.t.SQL
		switch polymorphic := strings.HasPrefix(c.Types[i], "any"); {
		case polymorphic && types[i] == nil: // it is not known which
			return value.Called(c.Function, nil, nil)
		case !polymorphic && (types[i] == nil || types[i].Name != c.Types[i]):
			types[i] = value.Of(c.Types[i])
		}
	}
	returns := result.SQL
	if returns == nil {
		returns = value.Of(c.Returns)
	}
	return value.Called(c.Function, types, returns)
}

func hasRecord(args []val) bool {
	for _, a := range args {
		if a.record {
			return true
		}
	}
	return false
}

// roundedDigits is val.digits of functions that round.
func roundedDigits(f *catalog.Function, args []val) int {
	if f.Result != "numeric" {
		return 0
	}
	switch f.Signature() {
	case "round(numeric)", "floor(numeric)", "ceil(numeric)", "ceiling(numeric)", "trunc(numeric)", "sign(numeric)":
		return 1
	case "round(numeric,int4)", "trunc(numeric,int4)":
		if k, ok := args[1].e.(*ir.Const); ok && k.Value.Kind == ir.KindInt {
			return 1 + int(max(0, min(k.Value.I, 1000)))
		}
	}
	return 0
}

// asParameter converts an argument to the type of a parameter.
func (x *ex) asParameter(v val, t string, loc int32) val {
	switch {
	case v.record:
		return v
	case t == "any" || t == catalog.Untold || strings.HasPrefix(t, "any"):
		return x.defaultType(v)
	case v.given:
		return x.fit(v, x.l.CatalogType(t))
	}
	if v.t.Name == schema.NUnknown && v.isNull() {
		return val{e: v.e, t: x.l.CatalogType(t)}
	}
	return x.cast(v, x.l.CatalogType(t), loc)
}

// opaqueCall applies a function of which nothing is known but that equal
// arguments give equal results.
func (x *ex) opaqueCall(name string, args []val, t schema.Type) val {
	if ir.Functions[name] != nil {
		name = "sql " + name
	}
	c := &ir.Call{Name: name, Type: localType(t)}
	for _, a := range args {
		if !a.record {
			c.Args = append(c.Args, x.defaultType(a).e)
			continue
		}
		for _, f := range a.fields {
			c.Args = append(c.Args, f.e)
		}
	}
	return val{e: c, t: t}
}

// meaning translates the functions whose meaning the IR has. The arguments have the
// types of the parameters.
func (x *ex) meaning(c catalog.Call, t schema.Type, args []val) (val, bool) {
	nn := true
	for _, a := range args {
		nn = nn && a.nn && !a.record
	}
	known := func(fn string) (val, bool) {
		k := &ir.Call{Name: fn, Type: t.IR}
		for _, a := range args {
			k.Args = append(k.Args, a.e)
		}
		return val{e: x.folded(k), t: t, nn: nn}, true
	}
	switch c.Signature() {
	case "lower(text)", "upper(text)", "left(text,int4)":
		return known(c.Name)
	case "length(text)", "char_length(text)", "character_length(text)", "length(bpchar)", "char_length(bpchar)", "character_length(bpchar)":
		return known("length")
	case "mod(int2,int2)", "mod(int4,int4)", "mod(int8,int8)":
		return x.exactly(ir.Mod, args[0], args[1], t, nn), true
	case "abs(int2)", "abs(int4)", "abs(int8)", "abs(numeric)":
		a := x.shared(args[0].e, args[0].t)
		out := val{e: &ir.Cond{If: ir.Op(ir.Lt, a, ir.C(ir.Int(0))), Then: &ir.Unary{Op: ir.Neg, X: a}, Else: a}, t: t, nn: nn, digits: args[0].digits}
		return out, true
	case "textcat(text,text)":
		return known("concat")
	case "textlike(text,text)", "like(text,text)":
		if x.isPattern(args[1].e) {
			return known("like")
		}
	case "texticlike(text,text)":
		if x.isPattern(args[1].e) {
			return known("ilike")
		}
	case "cardinality(anyarray)":
		return known("len")
	case "array_length(anyarray,int4)", "array_upper(anyarray,int4)":
		if isInt(args[1].e, 1) {
			n := &ir.Call{Name: "len", Args: []ir.Expr{x.shared(args[0].e, args[0].t)}, Type: ir.IntType}
			return val{e: &ir.Cond{If: ir.Op(ir.Eq, n, ir.C(ir.Int(0))), Then: ir.C(ir.Null), Else: n}, t: schema.TInt}, true
		}
	}
	return val{}, false
}

// folded computes a function of the IR of constants, whose letters are those of all
// locales.
func (x *ex) folded(c *ir.Call) ir.Expr {
	f := ir.Functions[c.Name]
	var values []ir.Value
	for _, a := range c.Args {
		k, ok := a.(*ir.Const)
		if !ok || x.l.In.MySQL || k.Value.IsNull() || !ascii(k.Value.S) {
			return c
		}
		values = append(values, k.Value)
	}
	if v, err := f.Eval(values, c.Type); err == nil {
		return ir.C(v)
	}
	return c
}

func ascii(s string) bool {
	for _, c := range s {
		if c > unicode.MaxASCII {
			return false
		}
	}
	return true
}

// form translates what has the form of a function, or takes any arguments.
func (x *ex) form(name string, args []val) (val, bool) {
	switch name {
	case "concat":
		return x.concatAll(args), true
	}
	return val{}, false
}

func isInt(e ir.Expr, i int64) bool {
	c, ok := e.(*ir.Const)
	return ok && c.Value == ir.Int(i)
}
