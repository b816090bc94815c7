package builtin

import (
	"context"
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/value"
)

var nestedCases = flag.Int("value.nested", 4000, "random nested expressions")

// shortest are functions that take off the zeros at the end of numerics and the signs
// of floats that are 0, which are no part of values here.
const shortest = `
	CREATE FUNCTION shortest(numeric) RETURNS numeric IMMUTABLE LANGUAGE sql RETURN trim_scale($1);
	CREATE FUNCTION shortest(float8) RETURNS float8 IMMUTABLE LANGUAGE sql RETURN $1 + 0;
	CREATE FUNCTION shortest(float4) RETURNS float4 IMMUTABLE LANGUAGE sql RETURN $1 + '0'::float4;
	CREATE FUNCTION shortest(numeric[]) RETURNS numeric[] IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN
		IF cardinality($1) = 0 OR $1 IS NULL THEN RETURN $1; END IF;
		RETURN (SELECT array_agg(trim_scale(x) ORDER BY n) FROM unnest($1) WITH ORDINALITY y(x, n)); END $$;
	CREATE FUNCTION shortest(numrange) RETURNS numrange IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN
		IF isempty($1) OR $1 IS NULL THEN RETURN $1; END IF;
		RETURN numrange(trim_scale(lower($1)), trim_scale(upper($1)),
			CASE WHEN lower_inc($1) THEN '[' ELSE '(' END || CASE WHEN upper_inc($1) THEN ']' ELSE ')' END); END $$;
	CREATE FUNCTION shortest(jsonb) RETURNS jsonb IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN
		CASE jsonb_typeof($1)
		WHEN 'number' THEN RETURN to_jsonb(trim_scale($1::numeric));
		WHEN 'array' THEN RETURN coalesce((SELECT jsonb_agg(shortest(x) ORDER BY n) FROM jsonb_array_elements($1) WITH ORDINALITY y(x, n)), $1);
		WHEN 'object' THEN RETURN coalesce((SELECT jsonb_object_agg(k, shortest(x)) FROM jsonb_each($1) y(k, x)), $1);
		ELSE RETURN $1; END CASE; END $$;`

// shortened are the types that shortest has functions for.
var shortened = map[string]bool{"numeric": true, "float8": true, "float4": true, "_numeric": true, "numrange": true, "jsonb": true}

// term is an expression with its value.
type term struct {
	sql  string
	name string // of its type in the catalog
	t    *value.Type
	v    ir.Value
	err  error // of the server, or ir.ErrNotKnown
}

// nester makes random terms.
type nester struct {
	rng *rand.Rand
	// functions and operators are the names that it calls.
	functions, operators []string
}

// leafTypes are the types of literals.
var leafTypes = strings.Fields(`int2 int4 int4 int8 numeric numeric float4 float8 bool text text text varchar bpchar name char uuid jsonb json bytea date timestamp
	timestamptz time timetz interval inet cidr macaddr varbit int4range numrange daterange tstzrange _int4 _text _numeric color oid`)

// leaf is a literal, sometimes without a type.
func (n nester) leaf(name string) term {
	if name == "" || name == catalog.Unknown || typeNamed(name).Class().Print == nil {
		name = pickOne(n.rng, leafTypes...)
	}
	t := typeNamed(name)
	if name == "bpchar" {
		t.Length = 5
	}
	v := ir.Null
	if n.rng.IntN(25) > 0 {
		v = argument(n.rng, t)
	}
	out := term{sql: literal(t, v), name: name, t: t, v: v}
	if n.rng.IntN(8) == 0 {
		out.name, out.t = catalog.Unknown, nil
		if out.sql = "NULL"; !v.IsNull() {
			s := t.Print(v)
			out.sql, out.v = value.Quote(s), ir.Text(s)
		}
	}
	return out
}

// term makes a term of some depth, near a type if name is not "".
func (n nester) term(depth int, name string) term {
	if depth == 0 || n.rng.IntN(4) == 0 {
		return n.leaf(name)
	}
	for range 20 {
		var out term
		var ok bool
		switch k := n.rng.IntN(10); {
		case name != "" && k < 3:
			out, ok = n.cast(depth, name)
		case k < 4:
			out, ok = n.cast(depth, "")
		case k < 7:
			out, ok = n.call(depth)
		default:
			out, ok = n.operator(depth)
		}
		if ok && (name == "" || out.name == name || n.rng.IntN(4) == 0) && !value.NotKnown(out.err) {
			return out
		}
	}
	return n.leaf(name)
}

// modified are types with modifiers, by base type.
var modified = map[string][]string{"numeric": {"numeric(6,2)", "numeric(3,0)"}, "varchar": {"varchar(3)"}, "bpchar": {"char(4)"},
	"timestamp": {"timestamp(0)"}, "time": {"time(1)"}, "varbit": {"varbit(3)"}, "interval": {"interval(1)"}}

// cast makes an explicit cast.
func (n nester) cast(depth int, to string) (term, bool) {
	if to == "" {
		to = pickOne(n.rng, leafTypes...)
	}
	x := n.term(depth-1, "")
	t := typeNamed(to)
	if list := modified[to]; list != nil && n.rng.IntN(2) == 0 {
		t = typeOf(pickOne(n.rng, list...))
	}
	if x.t != nil && x.t.Base().Identifier() != t.Base().Identifier() && resolver.Cast(x.name, to) == nil {
		return term{}, false
	}
	out := n.converted(x, to, t, true)
	out.sql = "(" + x.sql + ")::" + t.String()
	if shortened[to] && t.Precision == 0 {
		out.sql = "shortest(" + out.sql + ")"
	}
	return out, true
}

// converted gives a term the type t.
func (n nester) converted(x term, name string, t *value.Type, explicit bool) term {
	out := term{sql: x.sql, name: name, t: t, err: x.err}
	if x.err != nil || x.v.IsNull() {
		return out
	}
	if x.t == nil {
		out.v, out.err = t.Parse(x.v.S)
		return out
	}
	f := Convert(x.t, t, explicit)
	switch {
	case f == nil:
		out.v = x.v
		if out.t = t; x.t.Base().Identifier() == t.Identifier() { // it keeps the modifier of its source
			out.t = x.t
		}
	case f.Eval == nil:
		out.err = ir.ErrNotKnown
	default:
		out.v, out.err = f.Eval([]ir.Value{x.v}, t.IR())
	}
	return out
}

// knownNames are the names of the functions whose value is known.
func knownNames() []string {
	names := map[string]bool{}
	for s := range defined() {
		name, _, _ := strings.Cut(s, "(")
		if own[s].sql == "" && !strings.Contains(name, "[") {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// call makes a call of a function near one of its declarations.
func (n nester) call(depth int) (term, bool) {
	name := pickOne(n.rng, n.functions...)
	f := pickOne(n.rng, resolver.All(name)...)
	if f.Kind != 'f' || f.Set || f.Extension != "" {
		return term{}, false
	}
	var args []term
	for i, a := range concrete(n.rng, f) {
		args = append(args, n.argument(depth, f.Signature(), i, a))
	}
	var given []catalog.Arg
	var exprs []string
	for _, a := range args {
		given = append(given, catalog.Arg{Type: a.name})
		exprs = append(exprs, a.sql)
	}
	calls, outcome := resolver.Function(name, given, false)
	if outcome != catalog.Found {
		return term{}, false
	}
	return n.applied(calls[0], args, "pg_catalog."+pgx.Identifier{name}.Sanitize()+"("+strings.Join(exprs, ", ")+")")
}

// argument makes an argument near a type; where it is a word, one of the language.
func (n nester) argument(depth int, signature string, i int, name string) term {
	if texts := hintsOf(signature, i); texts != nil && name == "text" && n.rng.IntN(6) > 0 {
		s := pickOne(n.rng, texts...)
		return term{sql: literal(value.Of("text"), ir.Text(s)), name: "text", t: value.Of("text"), v: ir.Text(s)}
	}
	if n.rng.IntN(8) == 0 {
		name = ""
	}
	return n.term(depth-1, name)
}

// knownOperators are the operators that applications use.
var knownOperators = strings.Fields("+ - * / % ^ || | & # ~ << >> = <> < <= > >= @> <@ && -> ->> #> #>> ? ?| ?& #- ~~ !~~ ~~* ~* !~ -|- &< &> @ |/ <<= >>=")

// operator makes an expression with an operator.
func (n nester) operator(depth int) (term, bool) {
	name := pickOne(n.rng, n.operators...)
	x := n.term(depth-1, "")
	y := n.term(depth-1, x.name)
	if x.name == catalog.Unknown || n.rng.IntN(2) == 0 {
		y = n.term(depth-1, pickOne(n.rng, leafTypes...))
	}
	if n.rng.IntN(10) == 0 {
		calls, outcome := resolver.Operator(name, nil, y.name)
		if outcome != catalog.Found || calls[0].Extension != "" {
			return term{}, false
		}
		return n.applied(calls[0], []term{y}, "("+name+" ("+y.sql+"))")
	}
	calls, outcome := resolver.Operator(name, &x.name, y.name)
	if outcome != catalog.Found || calls[0].Extension != "" {
		return term{}, false
	}
	return n.applied(calls[0], []term{x, y}, "(("+x.sql+") OPERATOR(pg_catalog."+name+") ("+y.sql+"))")
}

// applied gives the value of a resolved call.
func (n nester) applied(call catalog.Call, args []term, sql string) (term, bool) {
	if !value.Known(call.Signature()) || call.Returns == catalog.Untold || slices.Contains(call.Types, catalog.Untold) {
		return term{}, false
	}
	out := term{sql: sql, name: call.Returns, t: typeNamed(call.Returns)}
	if shortened[call.Returns] {
		out.sql = "shortest(" + sql + ")"
	}
	var types []*value.Type
	var values []ir.Value
	for i, a := range args {
		if i < len(call.Args) && strings.HasPrefix(call.Args[i], "any") && call.Args[i] != "any" && a.name == catalog.Unknown {
			return term{}, false // an error of types
		}
		name := call.Types[i]
		if name == "any" {
			if name = a.name; name == catalog.Unknown {
				name = "text"
			}
		}
		t := typeNamed(name)
		if a.t != nil && a.t.Base().Identifier() == t.Identifier() {
			t = a.t // with its modifier
		} else {
			a = n.converted(a, name, t, false)
		}
		if a.err != nil {
			out.err = a.err
		}
		types, values = append(types, t), append(values, a.v)
	}
	f := value.FunctionOf(call.Signature(), call.Strict, types, out.t)
	switch {
	case out.err != nil:
		if call.Strict && value.AnyNull(values) && slices.ContainsFunc(args, func(a term) bool { return a.err == nil && a.v.IsNull() }) {
			out.err = ir.ErrNotKnown // the server may not look at the argument that fails
		}
	case f.Strict && value.AnyNull(values):
	case f.Eval == nil:
		out.err = ir.ErrNotKnown
	default:
		out.v, out.err = f.Eval(values, out.t.IR())
	}
	return out, true
}

// TestNestedAgainstServer compares random nested expressions with a server: how
// operators and functions are resolved, how arguments are converted, and the value.
func TestNestedAgainstServer(t *testing.T) {
	conn := connect(t)
	if _, err := conn.Exec(context.Background(), shortest, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	n := nester{rand.New(rand.NewPCG(*seed, 19)), knownNames(), knownOperators}
	known, failing := 0, 0
	for known < *nestedCases {
		var list []term
		var exprs []string
		for len(list) < min(500, *nestedCases) {
			x := n.term(3, "")
			if value.NotKnown(x.err) || x.t == nil {
				continue
			}
			list = append(list, x)
			exprs = append(exprs, x.sql)
		}
		known += len(list)
		for i, answer := range ask(t, conn, exprs) {
			x := list[i]
			c := invocation{result: x.t, fn: &ir.Function{FailsOn: []int{0}, Eval: func([]ir.Value, ir.Type) (ir.Value, error) { return x.v, nil }}}
			if x.err != nil {
				failing++
				c.fn.Eval = func([]ir.Value, ir.Type) (ir.Value, error) { return ir.Null, value.Failure("", "%s", x.err) }
			}
			if problem := c.fault(answer); problem != "" {
				t.Errorf("%s: %s, the server says %s", x.sql, problem, answer)
			}
		}
	}
	t.Logf("seed %d: %d expressions, of which %d fail", *seed, known, failing)
}
