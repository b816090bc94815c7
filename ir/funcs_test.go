package ir

import (
	"math"
	"math/big"
	"math/rand"
	"testing"
)

// TestDoubles compares the functions of numbers of 64 bits with Go's.
func TestDoubles(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewSource(seed))
	number := func(f float64) Value {
		x := new(big.Rat)
		x.SetFloat64(f)
		return Num(x)
	}
	check := func(name string, want float64, args ...Value) {
		t.Helper()
		if got := value(Functions["double "+name].Eval(args, NumType)); got != number(want) {
			t.Errorf("%s of %v is %v, want %v", name, args, got, want)
		}
	}
	for range 2000 {
		x, y := (r.Float64()-0.5)*math.Pow(10, float64(r.Intn(12))), (r.Float64()-0.5)*math.Pow(10, float64(r.Intn(12)))
		check("+", x+y, number(x), number(y))
		check("-", x-y, number(x), number(y))
		check("*", x*y, number(x), number(y))
		check("/", x/y, number(x), number(y))
		check("max", math.Max(x, y), number(x), number(y))
		check("min", math.Min(x, y), number(x), number(y))
		check("ceil", math.Ceil(x), number(x))
		check("floor", math.Floor(x), number(x))
		check("trunc", math.Trunc(x), number(x))
		check("abs", math.Abs(x), number(x))
		if got := value(Functions["double int"].Eval([]Value{number(x)}, IntType)); got != Int(int64(x)) {
			t.Errorf("the integer of %v is %v", x, got)
		}
	}
	check("*", 3*0.01, Int(3), number(0.01))
	check("+", 1<<53, Int(1<<53), Int(1)) // it rounds
	tenth, _ := new(big.Rat).SetString("0.1")
	check("+", float64(0.1)+0.2, Num(tenth), number(0.2))
	for _, v := range []Value{
		value(Functions["double /"].Eval([]Value{Int(1), Int(0)}, NumType)),
		value(Functions["double *"].Eval([]Value{number(math.MaxFloat64), Int(2)}, NumType)),
		value(Functions["double int"].Eval([]Value{number(1e300)}, IntType)),
	} {
		if x := v.Rat(); x.Num().Int64() < 1<<28 {
			t.Errorf("what is no number of 64 bits is %v", v)
		}
	}
}

// TestTextsOfGo has functions of texts as Go has them.
func TestTextsOfGo(t *testing.T) {
	for _, c := range []struct {
		name string
		args []Value
		want Value
	}{
		{"octets of", []Value{Text("aé")}, Int(3)},
		{"octets of", []Value{Text("")}, Int(0)},
		{"text lower", []Value{Text("AÉ")}, Text("aé")},
		{"text upper", []Value{Text("aé")}, Text("AÉ")},
		{"text trimmed", []Value{Text(" a b\n")}, Text("a b")},
		{"text contains", []Value{Text("abc"), Text("bc")}, Bool(true)},
		{"text contains", []Value{Text("abc"), Text("cb")}, Bool(false)},
		{"text begins", []Value{Text("abc"), Text("ab")}, Bool(true)},
		{"text begins", []Value{Text("abc"), Text("bc")}, Bool(false)},
		{"text ends", []Value{Text("abc"), Text("bc")}, Bool(true)},
		{"text ends", []Value{Text("abc"), Text("ab")}, Bool(false)},
	} {
		call := &Call{Name: c.name, Type: NumType}
		if got := apply(call, c.args); got != c.want {
			t.Errorf("%s of %v is %v, want %v", c.name, c.args, got, c.want)
		}
		if !call.Known() {
			t.Errorf("%s is not known", c.name)
		}
		if got := apply(call, append([]Value{Null}, c.args[1:]...)); !got.IsNull() {
			t.Errorf("%s of NULL is %v", c.name, got)
		}
	}
}

// TestOpaque: an opaque function of itself, as a loop makes it, has a short name, and other
// values for other arguments.
func TestOpaque(t *testing.T) {
	call := &Call{Name: "append", Type: TextType}
	a, b := Text("a"), Text("b")
	seen := map[string]bool{}
	for range 60 {
		a, b = apply(call, []Value{a, Text("it's")}), apply(call, []Value{b, Text("it's")})
		for _, v := range []Value{a, b} {
			if seen[v.S] || len(v.S) > 2*maxTerm {
				t.Fatalf("%q is a name for two, or too long", v.S)
			}
			seen[v.S] = true
		}
	}
}

// value is the value of a function that has one.
func apply(c *Call, args []Value) Value {
	v, _, err := c.Apply(args)
	return value(v, err)
}

func value(v Value, err error) Value {
	if err != nil {
		panic(err)
	}
	return v
}
