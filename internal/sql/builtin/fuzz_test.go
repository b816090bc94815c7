package builtin

import (
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/value"
)

// fuzzed makes a value of some type, or something that is none, of texts and numbers.
func fuzzed(rng *rand.Rand, t *value.Type, s string, n int64) ir.Value {
	switch k := t.IR().Kind; {
	case rng.IntN(20) == 0:
		return ir.Null
	case t.Elem != nil:
		return ir.Array([]ir.Value{fuzzed(rng, t.Elem, s, n)})
	case k == ir.KindInt, k == ir.KindTime:
		return ir.Value{Kind: k, I: n}
	case k == ir.KindBool:
		return ir.Bool(n%2 == 0)
	case k == ir.KindNum:
		if r, ok := value.Rational(s); ok {
			return ir.Num(r)
		}
		r := big.NewRat(n, 1)
		return ir.Num(r.Mul(r, value.Power10(rng.IntN(40)-20)))
	}
	if v, err := t.Parse(s); err == nil && rng.IntN(10) > 0 {
		return v
	}
	return ir.Value{Kind: t.IR().Kind, S: s}
}

// slowest bounds the time of one call.
const slowest = 5 * time.Second

// FuzzFunctions calls functions with values that texts and numbers make. None panics,
// takes long, or gives what its type does not have.
func FuzzFunctions(f *testing.F) {
	signatures := slices.Sorted(maps.Keys(defined()))
	sets := slices.Sorted(maps.Keys(definedAggregates()))
	i := 0
	for _, texts := range inputs {
		for _, s := range texts {
			f.Add(uint64(i), s, likes[:i%len(likes)], regexes[i%len(regexes):], int64(i)-5, int64(i)<<uint(i%60))
			i++
		}
	}
	f.Fuzz(func(t *testing.T, choice uint64, s1, s2, s3 string, n1, n2 int64) {
		rng := rand.New(rand.NewPCG(choice, 1))
		for range 20 {
			signature := pickOne(rng, append(signatures, sets...)...)
			fn := declared(signature)
			if fn == nil {
				continue
			}
			names := concrete(rng, fn)
			result := fn.Result
			var given []catalog.Arg
			for _, n := range names {
				given = append(given, catalog.Arg{Type: n})
			}
			if calls, outcome := catalogOf(fn).Function(fn.Name, given, false); outcome == catalog.Found {
				result = calls[0].Returns
			}
			var types []*value.Type
			var args []ir.Value
			for i, name := range names {
				typ := typeNamed(name)
				types = append(types, typ)
				args = append(args, fuzzed(rng, typ, []string{s1, s2, s3}[i%3], []int64{n1, n2}[i%2]))
			}
			c := invocation{fn: value.FunctionOf(signature, fn.Strict, types, typeNamed(result)), args: args, result: typeNamed(result)}
			if fn.Kind == 'a' {
				c.fn = value.Aggregate(signature, rng.IntN(2) == 0, types, c.result)
			}
			check(t, signature, c)
		}
		from, to := typeOf(pickOne(rng, castTypes...)), typeOf(pickOne(rng, castTypes...))
		if f := Convert(from, to, rng.IntN(2) == 0); f != nil {
			check(t, f.Name, invocation{fn: f, args: []ir.Value{fuzzed(rng, from, s1, n1)}, result: to})
		}
	})
}

// check makes a call, and looks at what comes.
func check(t *testing.T, name string, c invocation) {
	t.Helper()
	start := time.Now()
	v, err := c.value()
	if d := time.Since(start); d > slowest {
		t.Errorf("%s%v took %v", name, c.args, d)
	}
	if err != nil || v.IsNull() {
		if _, ok := err.(*value.Error); err != nil && !ok && !value.NotKnown(err) {
			t.Errorf("%s%v: the error %v has the wrong type", name, c.args, err)
		}
		return
	}
	if c.result.Class().Print != nil && !c.result.Fits(v) {
		t.Errorf("%s%v: %v is no value of type %s", name, c.args, v, c.result)
	}
}
