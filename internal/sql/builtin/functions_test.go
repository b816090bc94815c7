package builtin

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/value"
)

var only = flag.String("value.only", "", "regular expression of the signatures that TestFunctionsAgainstServer looks at")

// scope declares the enum of the tests.
type scope struct{}

func (scope) Type(name string) *catalog.Type {
	if name == "color" {
		return &catalog.Type{Name: name, Kind: 'e', Category: 'E'}
	}
	return nil
}

func (scope) Functions(string) []*catalog.Function { return nil }

// resolver is the catalog of the server; extended has the extensions, too.
var (
	resolver = &catalog.Catalog{Scope: scope{}}
	extended = func() *catalog.Catalog {
		c := &catalog.Catalog{Scope: scope{}, Extensions: map[string]bool{}}
		for _, e := range extensions {
			c.Extensions[e] = true
		}
		return c
	}()
)

// catalogOf gives the catalog that has a function.
func catalogOf(f *catalog.Function) *catalog.Catalog {
	if f.Extension != "" {
		return extended
	}
	return resolver
}

// declared finds the function of the catalog with a signature.
func declared(signature string) *catalog.Function {
	name, _, _ := strings.Cut(signature, "(")
	for _, f := range extended.All(name) {
		if f.Signature() == signature {
			return f
		}
	}
	return nil
}

// own are signatures that the catalog does not have, with what they mean in SQL; $1
// stands for the first argument.
var own = map[string]struct {
	args []string
	sql  string
}{
	"interval_total(interval)": {[]string{"interval"}, `((extract(year FROM $1) * 12 + extract(month FROM $1)) * 30 + extract(day FROM $1)) * 86400000000 +
		extract(hour FROM $1) * 3600000000 + extract(minute FROM $1) * 60000000 + extract(microseconds FROM $1)`},
	"array[](any)":                 {[]string{"text", "text"}, "ARRAY[$1, $2]"},
	"array[:](anyarray,int4,int4)": {[]string{"_text", "int4", "int4"}, "($1)[$2:$3]"},
}

// ownCall makes a random call of a function of own.
func ownCall(rng *rand.Rand, signature string) *invocation {
	o := own[signature]
	c := &invocation{sql: o.sql, result: value.Of(map[string]string{"interval": "numeric", "text": "_text", "_text": "_text"}[o.args[0]])}
	var types []*value.Type
	for i, name := range o.args {
		t := value.Of(name)
		v := ir.Null
		if rng.IntN(30) > 0 {
			v = argument(rng, t)
		}
		types, c.args = append(types, t), append(c.args, v)
		c.sql = strings.ReplaceAll(c.sql, fmt.Sprintf("$%d", i+1), literal(t, v))
	}
	c.fn = value.FunctionOf(signature, signature == "interval_total(interval)", types, c.result)
	return c
}

// ranges are the errors of results and patterns that ir.Function.FailsOn leaves out.
var ranges = []string{"22003", "22008", "22001", "54000", "2201B", "22025"}

// invocation is a call with concrete arguments.
type invocation struct {
	sql    string
	fn     *ir.Function
	args   []ir.Value
	result *value.Type
	// aggregate says that it is one: of these FailsOn says nothing.
	aggregate bool
}

// value gives what we know of it.
func (c invocation) value() (ir.Value, error) {
	switch {
	case c.fn.Strict && value.AnyNull(c.args):
		return ir.Null, nil
	case c.fn.Eval == nil:
		return ir.Null, ir.ErrNotKnown
	}
	return c.fn.Eval(c.args, c.result.IR())
}

// fault compares a value that is known with the server's answer; "" says that they
// agree.
func (c invocation) fault(answer string) string {
	v, err := c.value()
	state, failed := strings.CutPrefix(answer, "☒")
	if answer == "∅" && c.fn.Strict && !c.fn.Partial && !value.AnyNull(c.args) {
		return "it is said to give NULL for NULLs only"
	}
	if failed && !c.aggregate && len(c.fn.FailsOn) == 0 && !slices.Contains(ranges, state) {
		return "it is said not to fail"
	}
	switch {
	case err != nil:
		if e, ok := err.(*value.Error); !failed || !ok || e.State != "" && e.State != state {
			return "got the error " + err.Error()
		}
		return ""
	case failed:
		return "got " + v.String()
	case (answer == "∅") != v.IsNull():
		return "got " + v.String()
	case v.IsNull():
		return ""
	case v.Kind != c.result.IR().Kind:
		return "got " + v.String() + ", which has the wrong kind"
	}
	want, err := c.result.Parse(answer)
	switch {
	case err != nil:
		return "got " + v.String() + ", and the answer cannot be read"
	case want != v:
		return "got " + v.String() + ", want " + want.String()
	}
	return ""
}

// polymorphs are the types that polymorphic ones stand for in the tests.
var polymorphs = map[string][]string{
	"element": {"int4", "text", "numeric", "bool", "date", "timestamp", "timestamptz", "uuid", "jsonb", "float8", "interval", "bytea", "color", "int8", "time", "varchar"},
	"range":   {"int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"},
	"enum":    {"color"},
}

// concrete chooses a type for each polymorphic argument.
func concrete(rng *rand.Rand, f *catalog.Function) []string {
	elem := pickOne(rng, polymorphs["element"]...)
	rangeType := pickOne(rng, polymorphs["range"]...)
	if slices.ContainsFunc(f.Args, func(a string) bool { return strings.HasSuffix(a, "range") && strings.HasPrefix(a, "any") }) {
		elem = value.RangeElems[rangeType]
	}
	var types []string
	for i, a := range f.Args {
		n := 1
		if f.Variadic && i == len(f.Args)-1 {
			n = 1 + rng.IntN(3)
			if a != "any" {
				a = strings.TrimPrefix(a, "_")
			}
		}
		for range n {
			t := a
			switch strings.TrimPrefix(strings.TrimPrefix(a, "anycompatible"), "any") {
			case "array":
				t = "_" + elem
			case "range":
				t = rangeType
			case "enum":
				t = "color"
			case "":
				t = elem
				if a == "any" {
					t = pickOne(rng, polymorphs["element"]...)
				}
			case "element", "nonarray":
				t = elem
			}
			types = append(types, t)
		}
	}
	return types
}

// literal is a value as an expression.
func literal(t *value.Type, v ir.Value) string {
	if v.IsNull() {
		return "NULL::" + t.String()
	}
	return value.Quote(t.Print(v)) + "::" + t.String()
}

// invoke makes a random call of a function; nil if the catalog means another one.
func invoke(rng *rand.Rand, f *catalog.Function) *invocation {
	names := concrete(rng, f)
	var given []catalog.Arg
	for _, n := range names {
		given = append(given, catalog.Arg{Type: n})
	}
	calls, outcome := catalogOf(f).Function(f.Name, given, false)
	if outcome != catalog.Found && outcome != catalog.Ambiguous || len(calls) == 0 {
		calls = []catalog.Call{{Function: f, Types: names, Returns: f.Result}}
	}
	call := calls[0]
	if call.Signature() != f.Signature() {
		return nil
	}
	out := &invocation{result: typeNamed(call.Returns)}
	var exprs []string
	var types []*value.Type
	for i, n := range call.Types {
		if n == "any" {
			n = names[i]
		}
		t := typeNamed(n)
		if t.Name == "bpchar" {
			t.Length = 5
		}
		var v ir.Value
		if texts := hintsOf(f.Signature(), i); texts != nil && t.IR() == ir.TextType && rng.IntN(10) > 0 {
			v = ir.Text(pickOne(rng, texts...))
		} else if rng.IntN(40) > 0 {
			v = argument(rng, t)
		}
		types = append(types, t)
		out.args = append(out.args, v)
		exprs = append(exprs, literal(t, v))
	}
	out.fn = value.FunctionOf(f.Signature(), f.Strict, types, out.result)
	schema := "pg_catalog."
	if f.Extension != "" {
		schema = ""
	}
	out.sql = schema + pgx.Identifier{f.Name}.Sanitize() + "(" + strings.Join(exprs, ", ") + ")"
	if call.Returns == "numeric" {
		out.sql = "trim_scale(" + out.sql + ")"
	}
	return out
}

// TestFunctionsAgainstServer compares random calls of all functions whose value is
// known with a server.
func TestFunctionsAgainstServer(t *testing.T) {
	conn := connect(t)
	rng := rand.New(rand.NewPCG(*seed, 7))
	pattern := regexp.MustCompile(*only)
	known, total := 0, 0
	for _, signature := range slices.Sorted(maps.Keys(defined())) {
		f := declared(signature)
		switch {
		case !pattern.MatchString(signature):
			continue
		case f != nil && absent[f.Extension]:
			continue
		case f == nil && own[signature].sql == "":
			t.Errorf("the catalog does not have %s", signature)
			continue
		}
		var list []*invocation
		var exprs []string
		for range *cases {
			var c *invocation
			if f == nil {
				c = ownCall(rng, signature)
			} else if c = invoke(rng, f); c == nil {
				continue
			}
			total++
			if _, err := c.value(); !value.NotKnown(err) {
				list = append(list, c)
				exprs = append(exprs, c.sql)
			}
		}
		here, faults := 0, 0
		for i, answer := range ask(t, conn, exprs) {
			here++
			if problem := list[i].fault(answer); problem != "" {
				if faults++; faults <= 5 {
					t.Errorf("%s: %s, the server says %s", list[i].sql, problem, answer)
				}
			}
		}
		if here == 0 {
			t.Errorf("of %s no value is known", signature)
		}
		known += here
	}
	t.Logf("seed %d: %d of %d values are known", *seed, known, total)
}

// defined are the signatures of all functions whose value is known.
func defined() map[string]bool {
	out := map[string]bool{}
	for s := range value.Evaluators {
		out[s] = true
	}
	for s := range value.Families {
		out[s] = true
	}
	return out
}
