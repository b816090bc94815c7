package builtin

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// color is the enum of the tests.
func color() *value.Type { return &value.Type{Name: "color", Labels: []string{"red", "green", "blue"}} }

// typeNamed gives the type of a name of the catalog.
func typeNamed(name string) *value.Type {
	switch name {
	case "color":
		return color()
	case "_color":
		return &value.Type{Name: "_color", Elem: color()}
	}
	return value.Of(name)
}

// argument gives a random value of a type; sometimes one at the edge of its range.
func argument(rng *rand.Rand, t *value.Type) ir.Value {
	for {
		if v := randomValue(rng, t); v.IsNull() || t.Fits(v) {
			return v
		}
	}
}

func pickOne[T any](rng *rand.Rand, list ...T) T { return list[rng.IntN(len(list))] }

func randomValue(rng *rand.Rand, t *value.Type) ir.Value {
	switch {
	case t.Elem != nil:
		elems := make([]ir.Value, rng.IntN(4))
		for i := range elems {
			elems[i] = argument(rng, t.Elem)
		}
		return ir.Array(elems)
	case t.Labels != nil:
		return ir.Text(pickOne(rng, t.Labels...))
	}
	switch t.Name {
	case "int2", "int4", "int8", "oid":
		return randomInt(rng, t)
	case "numeric":
		v, err := t.Round(randomDecimal(rng))
		if err != nil {
			return ir.Num(new(big.Rat))
		}
		return v
	case "float8", "float4":
		return randomFloat(rng, t.Name == "float4")
	case "bool":
		return ir.Bool(rng.IntN(2) == 0)
	case "date":
		return ir.Time(floorTo(randomTime(rng), value.Day))
	case "timestamp", "timestamptz":
		return ir.Time(value.RoundFrom(value.DaysTo2000*value.Day, randomTime(rng), t.Precision))
	case "time":
		return ir.Time(value.RoundFrom(0, clockOf(randomTime(rng)), t.Precision))
	}
	v, err := t.Parse(randomText(rng, t))
	if err != nil {
		v, _ = t.Sample(rng.IntN(2))
	}
	return v
}

func clockOf(us int64) int64 { return ((us % value.Day) + value.Day) % value.Day }

func randomInt(rng *rand.Rand, t *value.Type) ir.Value {
	lo, hi, _ := value.IntRange(t.Name)
	switch rng.IntN(6) {
	case 0:
		return ir.Int(pickOne(rng, lo, hi, lo+1, hi-1, hi/2, lo/2))
	case 1:
		return ir.Int(int64(rng.Uint64()>>rng.IntN(64)) & hi)
	case 2:
		return ir.Int(rng.Int64N(200) - 100)
	}
	return ir.Int(rng.Int64N(14) - 3)
}

func randomDecimal(rng *rand.Rand) *big.Rat {
	n := pickOne(rng, rng.Int64N(12)-4, rng.Int64N(20_000)-10_000, int64(rng.Uint64()), rng.Int64N(1e12))
	r := new(big.Rat).SetInt64(n)
	return r.Mul(r, value.Power10(pickOne(rng, 0, 0, 0, -1, -2, -3, -6, -10, 3, 17)))
}

func randomFloat(rng *rand.Rand, single bool) ir.Value {
	var f float64
	switch rng.IntN(8) {
	case 0:
		f = pickOne(rng, 0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 1e15, 1e16, 123456789012345, 2147483647.5, 32767.5, 9.223372036854775e18, 4503599627370497.5, 30, 45, 60, 8, 27, -64, 1e6)
	case 1:
		f = pickOne(rng, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e-300, 1e300, math.MaxFloat32, math.SmallestNonzeroFloat32, 1e-40, 1e30)
	case 2:
		f = math.Float64frombits(rng.Uint64())
	case 3:
		f = float64(rng.Int64N(2_000_000)-1_000_000) / 1000
	default:
		f = float64(rng.IntN(40)-10) / pickOne(rng, 1.0, 2.0, 10.0)
	}
	if single {
		f = float64(float32(f))
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return ir.Num(new(big.Rat))
	}
	return value.Float(f)
}

func randomTime(rng *rand.Rand) int64 {
	switch rng.IntN(10) {
	case 0:
		return pickOne(rng, 0, value.Infinity, value.MinusInfinity, value.SampleDay, value.SampleDay+59*value.Day, value.SampleDay+59*value.Day+value.Day-1)
	case 1:
		return rng.Int64N(200_000)*value.Day - 80_000*value.Day + rng.Int64N(value.Day)
	case 2: // ends of months
		return value.SampleDay + pickOne[int64](rng, 30, 59, 90, 365, 366, -1, 424, 425)*value.Day + rng.Int64N(3)*12*3600*value.Second
	case 3:
		return value.SampleDay + rng.Int64N(1000)*value.Day
	}
	return value.SampleDay + rng.Int64N(900)*value.Day + rng.Int64N(24)*3600*value.Second + pickOne(rng, 0, 0, rng.Int64N(60)*60*value.Second, rng.Int64N(3600)*value.Second, rng.Int64N(3600*value.Second))
}

// words are parts of random texts.
var words = strings.Split("a|b|ab|abc|A|Hello|World|x|foo|bar|1|2|10|3.5|-1| |  |,|.|-|_|%|'|\"|\\|é|ß|日本|É|\n|\t|/|:|{|}|(|)|[|]|null|NULL|true|select|from|$|+|*|?|^", "|")

func randomText(rng *rand.Rand, t *value.Type) string {
	switch t.Name {
	case "text", "varchar", "bpchar", "name", "citext":
		var b strings.Builder
		for range pickOne(rng, 0, 1, 1, 2, 2, 3, 4, 6) {
			b.WriteString(pickOne(rng, words...))
		}
		return b.String()
	case "char":
		return pickOne(rng, strings.Split("abcxyz019 .-", "")...)
	}
	texts := slices.Clone(inputs[t.Name])
	texts = append(texts, more[t.Name]...)
	texts = append(texts, t.Class().Samples...)
	s := pickOne(rng, texts...)
	if rng.IntN(3) == 0 {
		s = change(rng, s)
	}
	return s
}

// more are texts of values besides those of inputs.
var more = map[string][]string{
	"jsonb": jsonTexts, "json": append(jsonTexts, ` {"a" : [1, 2 ] , "a":  {"b":null} } `, `"\u0041"`, `{"a":1,"b":{"c":null,"d":[null,{"e":null}]}}`),
	"ltree": {"a.b.c", "a.b", "", "b.c", "a-b", "a.b.c.d"},
	"bit":   {"0", "1"}, "varbit": {"1010", "0000", "11111111", "100000000", "01"},
	"inet":      {"10.0.0.1/8", "192.168.1.7/24", "::ffff:1.2.3.4/100", "2001:db8::5/64", "255.255.255.255", "0.0.0.0/0", "::/0", "ffff::/16"},
	"cidr":      {"192.168.1.0/24", "2001:db8::/64", "0.0.0.0/0"},
	"int4range": {"[1,5)", "[3,8)", "(,3)", "[5,)", "(,)", "[4,5)", "[5,9)"}, "int8range": {"[1,5)", "[3,8)", "(,3)", "[5,)", "(,)", "empty", "[5,9)"},
	"numrange":  {"[1,5)", "[3,8)", "(,3]", "(5,)", "(,)", "empty", "[5,9)", "(1.5,5]", "[5,5]"},
	"daterange": {"[2024-01-01,2024-01-03)", "[2024-01-03,2024-02-01)", "empty", "(,2024-01-02)", "(,)"},
	"tsrange":   {"[2024-01-01,2024-01-03]", "(2024-01-03,2024-02-01)", "empty", "(,2024-01-02)", "(,)", "[2024-01-03,infinity)"},
	"tstzrange": {"[2024-01-01,2024-01-03]", "(2024-01-03,2024-02-01)", "empty", "(,2024-01-02)", "(,)"},
}

var jsonTexts = []string{`{"a":1,"b":2}`, `{"a":{"b":[1,2,{"c":"x"}]}}`, `[1,"a",null,true,[2],{"a":1}]`, `"a"`, `5`, `null`, `true`, `false`, `{}`, `[]`,
	`[1,2,3]`, `{"a":null,"b":{"c":null}}`, `[null,{"a":null}]`, `1.5`, `"1"`, `["a","b"]`, `{"a":"x","0":1}`, `[[1,2],[3]]`, `-3`, `1e3`, `[5]`, `["a"]`, `{"b":2}`}
