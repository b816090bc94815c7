package irtext

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
)

// TestDoubles compares the functions of numbers of 64 bits with Go's.
func TestDoubles(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewSource(seed))
	number := func(f float64) ir.Value {
		x := new(big.Rat)
		x.SetFloat64(f)
		return ir.Num(x)
	}
	check := func(name string, want float64, args ...ir.Value) {
		t.Helper()
		if got := value(ir.Functions["double "+name].Eval(args, ir.NumType)); got != number(want) {
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
		if got := value(ir.Functions["double int"].Eval([]ir.Value{number(x)}, ir.IntType)); got != ir.Int(int64(x)) {
			t.Errorf("the integer of %v is %v", x, got)
		}
	}
	check("*", 3*0.01, ir.Int(3), number(0.01))
	check("+", 1<<53, ir.Int(1<<53), ir.Int(1)) // it rounds
	tenth, _ := new(big.Rat).SetString("0.1")
	check("+", float64(0.1)+0.2, ir.Num(tenth), number(0.2))
	for _, v := range []ir.Value{
		value(ir.Functions["double /"].Eval([]ir.Value{ir.Int(1), ir.Int(0)}, ir.NumType)),
		value(ir.Functions["double *"].Eval([]ir.Value{number(math.MaxFloat64), ir.Int(2)}, ir.NumType)),
		value(ir.Functions["double int"].Eval([]ir.Value{number(1e300)}, ir.IntType)),
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
		args []ir.Value
		want ir.Value
	}{
		{"octets of", []ir.Value{ir.Text("aé")}, ir.Int(3)},
		{"octets of", []ir.Value{ir.Text("")}, ir.Int(0)},
		{"text lower", []ir.Value{ir.Text("AÉ")}, ir.Text("aé")},
		{"text upper", []ir.Value{ir.Text("aé")}, ir.Text("AÉ")},
		{"text trimmed", []ir.Value{ir.Text(" a b\n")}, ir.Text("a b")},
		{"text contains", []ir.Value{ir.Text("abc"), ir.Text("bc")}, ir.Bool(true)},
		{"text contains", []ir.Value{ir.Text("abc"), ir.Text("cb")}, ir.Bool(false)},
		{"text begins", []ir.Value{ir.Text("abc"), ir.Text("ab")}, ir.Bool(true)},
		{"text begins", []ir.Value{ir.Text("abc"), ir.Text("bc")}, ir.Bool(false)},
		{"text ends", []ir.Value{ir.Text("abc"), ir.Text("bc")}, ir.Bool(true)},
		{"text ends", []ir.Value{ir.Text("abc"), ir.Text("ab")}, ir.Bool(false)},
	} {
		call := &ir.Call{Name: c.name, Type: ir.NumType}
		if got := apply(call, c.args); got != c.want {
			t.Errorf("%s of %v is %v, want %v", c.name, c.args, got, c.want)
		}
		if !call.Known() {
			t.Errorf("%s is not known", c.name)
		}
		if got := apply(call, append([]ir.Value{ir.Null}, c.args[1:]...)); !got.IsNull() {
			t.Errorf("%s of NULL is %v", c.name, got)
		}
	}
}

// TestOpaque: an opaque function of itself, as a loop makes it, has a short name, and other
// values for other arguments.
func TestOpaque(t *testing.T) {
	call := &ir.Call{Name: "append", Type: ir.TextType}
	a, b := ir.Text("a"), ir.Text("b")
	seen := map[string]bool{}
	for range 60 {
		a, b = apply(call, []ir.Value{a, ir.Text("it's")}), apply(call, []ir.Value{b, ir.Text("it's")})
		for _, v := range []ir.Value{a, b} {
			if seen[v.S] || len(v.S) > 2*irnames.MaxTerm {
				t.Fatalf("%q is a name for two, or too long", v.S)
			}
			seen[v.S] = true
		}
	}
}

// value is the value of a function that has one.
func apply(c *ir.Call, args []ir.Value) ir.Value {
	v, _, err := c.Apply(args)
	return value(v, err)
}

func value(v ir.Value, err error) ir.Value {
	if err != nil {
		panic(err)
	}
	return v
}
