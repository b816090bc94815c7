package builtin

import (
	"math/big"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/value"
)

// strictFold is an aggregate of rows without NULL, which is NULL if there are none.
func strictFold(f value.Fold) value.FoldFamily {
	return func([]*value.Type, *value.Type) value.Fold {
		return func(r value.Rows) (ir.Value, error) {
			if r = r.Known(); len(r.List) == 0 {
				return ir.Null, nil
			}
			return f(r)
		}
	}
}

// reduce is an aggregate that applies an operation, whose order does not matter,
// again and again.
func reduce(f value.Evaluator) value.FoldFamily {
	return strictFold(func(r value.Rows) (ir.Value, error) {
		list := r.Firsts()
		out := list[0]
		for _, v := range list[1:] {
			var err error
			if out, err = f([]ir.Value{out, v}); err != nil {
				return ir.Null, err
			}
		}
		return out, nil
	})
}

// by is the evaluator with a signature, which may be defined later.
func by(signature string) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) { return value.Evaluators[signature](a) }
}

// extreme is max (sign 1) or min (sign -1).
func extreme(sign int) value.FoldFamily {
	return func(args []*value.Type, result *value.Type) value.Fold {
		compare := args[0].Order()
		if compare == nil {
			return nil
		}
		return extremeBy(sign, compare)(args, result)
	}
}

// extremeBy is extreme in some order.
func extremeBy(sign int, compare value.Order) value.FoldFamily {
	return reduce(func(a []ir.Value) (ir.Value, error) {
		if c, err := compare(a[0], a[1]); err != nil || c == 0 && a[0] != a[1] {
			return ir.Null, ir.ErrNotKnown // equal values that differ: any of them
		}
		return scalars.Pick(sign, compare)(a)
	})
}

// total adds numbers.
func total(list []ir.Value) *big.Rat {
	sum := new(big.Rat)
	for _, v := range list {
		sum.Add(sum, v.Rat())
	}
	return sum
}

// sumOfInts is sum of int2 and int4. The server's sum could overflow before its end.
func sumOfInts(r value.Rows) (ir.Value, error) { return scalars.IntResult(total(r.Firsts()).Num(), 64) }

func sumOfNumerics(r value.Rows) (ir.Value, error) { return scalars.Numeric(total(r.Firsts())) }

// average divides the sum of numerics by their number.
func average(args []*value.Type, result *value.Type) value.Fold {
	return strictFold(func(r value.Rows) (ir.Value, error) {
		list := r.Firsts()
		return scalars.Numeric(scalars.Quotient(total(list), big.NewRat(int64(len(list)), 1), largestScale(args[0], list)))
	})(args, result)
}

// largestScale is the number of digits after the point that show all numbers of a type.
func largestScale(t *value.Type, list []ir.Value) int {
	scale := scalars.DeclaredScale(t)
	for _, v := range list {
		scale = max(scale, scalars.ScaleOf(v.Rat()))
	}
	return scale
}

// sumOfIntervals adds the parts of intervals. It is known where no sum of some of them
// overflows, in whichever order they come.
func sumOfIntervals(r value.Rows) (ir.Value, error) {
	var above, below [3]big.Int // of the parts, months first
	for _, v := range r.Firsts() {
		i, ok := value.IntervalOf(v)
		if !ok {
			return ir.Null, ir.ErrNotKnown
		}
		for n, x := range []int64{i.Months, i.Days, i.Micros} {
			if side := &above[n]; x > 0 {
				side.Add(side, big.NewInt(x))
			} else {
				below[n].Add(&below[n], big.NewInt(x))
			}
		}
	}
	var sum [3]int64
	for n := range sum {
		if !above[n].IsInt64() || !below[n].IsInt64() || n < 2 && !value.Fits32(above[n].Int64(), below[n].Int64()) {
			return ir.Null, ir.ErrNotKnown
		}
		sum[n] = above[n].Int64() + below[n].Int64()
	}
	return value.Interval{Months: sum[0], Days: sum[1], Micros: sum[2]}.Value(), nil
}

func init() {
	for _, x := range scalars.Integers {
		bitwise := func(name string) value.FoldFamily {
			return reduce(by("int" + x.Digit + name + "(" + x.Name + "," + x.Name + ")"))
		}
		one := "(" + x.Name + ")"
		value.DefineAggregates(map[string]value.FoldFamily{
			"bit_and" + one: bitwise("and"), "bit_or" + one: bitwise("or"), "bit_xor" + one: bitwise("xor"),
			"avg" + one: average,
		})
		defineVariances(x.Name, numericVariance)
	}
	defineVariances("numeric", numericVariance)
	for _, t := range strings.Fields("int2 int4 int8 numeric float4 float8 oid text bpchar date time timestamp timestamptz timetz interval inet anyarray anyenum") {
		value.DefineAggregates(map[string]value.FoldFamily{"max(" + t + ")": extreme(1), "min(" + t + ")": extreme(-1)})
	}
	and, or := reduce(by("booland_statefunc(bool,bool)")), reduce(by("boolor_statefunc(bool,bool)"))
	value.DefineAggregates(map[string]value.FoldFamily{
		"count(any)": func([]*value.Type, *value.Type) value.Fold {
			return func(r value.Rows) (ir.Value, error) { return ir.Int(int64(len(r.Known().List))), nil }
		},
		"sum(int2)": strictFold(sumOfInts), "sum(int4)": strictFold(sumOfInts),
		"sum(int8)": strictFold(sumOfNumerics), "sum(numeric)": strictFold(sumOfNumerics), "avg(numeric)": average,
		"sum(interval)": strictFold(sumOfIntervals),
		"avg(interval)": strictFold(func(r value.Rows) (ir.Value, error) {
			sum, err := sumOfIntervals(r)
			if err != nil {
				return ir.Null, err
			}
			return by("interval_div(interval,float8)")([]ir.Value{sum, ir.Num(big.NewRat(int64(len(r.List)), 1))})
		}),
		"bool_and(bool)": and, "every(bool)": and, "bool_or(bool)": or,
		"bit_and(bit)": reduce(by("bitand(bit,bit)")), "bit_or(bit)": reduce(by("bitor(bit,bit)")),
		"bit_xor(bit)":              reduce(by("bitxor(bit,bit)")),
		"string_agg(text,text)":     stringAgg("", func(v ir.Value) string { return v.S }, value.NewText),
		"string_agg(bytea,bytea)":   stringAgg(`\x`, func(v ir.Value) string { return strings.TrimPrefix(v.S, `\x`) }, func(s string) (ir.Value, error) { return ir.Opaque(s), nil }),
		"array_agg(anynonarray)":    arrayAgg,
		"json_agg(anyelement)":      jsonAgg,
		"jsonb_agg(anyelement)":     jsonbAgg,
		"json_object_agg(any,any)":  jsonObjectAgg,
		"jsonb_object_agg(any,any)": jsonbObjectAgg,
		"range_intersect_agg(anyrange)": func(args []*value.Type, result *value.Type) value.Fold {
			return reduce(value.Families["range_intersect(anyrange,anyrange)"]([]*value.Type{args[0], args[0]}, result))(args, result)
		},
	})
}

// stringAgg joins texts with separators, of which each stands before its text.
func stringAgg(prefix string, text func(v ir.Value) string, result func(s string) (ir.Value, error)) value.FoldFamily {
	return func([]*value.Type, *value.Type) value.Fold {
		return func(r value.Rows) (ir.Value, error) {
			r.List = slices.DeleteFunc(slices.Clone(r.List), func(row []ir.Value) bool { return row[0].IsNull() })
			if len(r.List) == 0 {
				return ir.Null, nil
			}
			if !r.Determined() {
				return ir.Null, ir.ErrNotKnown
			}
			var b strings.Builder
			for i, row := range r.List {
				if i > 0 && !row[1].IsNull() {
					b.WriteString(text(row[1]))
				}
				b.WriteString(text(row[0]))
				if b.Len() > 2*value.MaxSize {
					return ir.Null, ir.ErrNotKnown
				}
			}
			return result(prefix + b.String())
		}
	}
}

// inOrder is an aggregate of rows whose order matters, which is NULL if there are none.
func inOrder(f func(r value.Rows) (ir.Value, error)) value.Fold {
	return func(r value.Rows) (ir.Value, error) {
		switch {
		case len(r.List) == 0:
			return ir.Null, nil
		case !r.Determined():
			return ir.Null, ir.ErrNotKnown
		}
		return f(r)
	}
}

func arrayAgg([]*value.Type, *value.Type) value.Fold {
	return inOrder(func(r value.Rows) (ir.Value, error) { return value.NewArray(r.Firsts()) })
}

// repeated gives the type of each argument of some rows.
func repeated(args []*value.Type, r value.Rows) []*value.Type {
	return slices.Repeat(args, len(r.List))
}

func jsonAgg(args []*value.Type, _ *value.Type) value.Fold {
	return inOrder(func(r value.Rows) (ir.Value, error) {
		parts, err := each(repeated(args, r), r.Firsts(), (*value.Type).JSONText)
		if err != nil {
			return ir.Null, err
		}
		var b strings.Builder
		b.WriteByte('[')
		for i, p := range parts {
			if i > 0 {
				b.WriteString(", ")
				if args[0].Elem != nil && !r.List[i][0].IsNull() {
					b.WriteString("\n ")
				}
			}
			b.WriteString(p)
		}
		return value.NewText(b.String() + "]")
	})
}

func jsonbAgg(args []*value.Type, _ *value.Type) value.Fold {
	return inOrder(func(r value.Rows) (ir.Value, error) {
		list, err := each(repeated(args, r), r.Firsts(), (*value.Type).ToJSON)
		if err != nil {
			return ir.Null, err
		}
		return value.JSON{V: list}.Value(), nil
	})
}

func jsonObjectAgg(args []*value.Type, _ *value.Type) value.Fold {
	return inOrder(func(r value.Rows) (ir.Value, error) {
		keys, values, err := pairs(repeated(args, r), slices.Concat(r.List...), (*value.Type).JSONText)
		if err != nil {
			return ir.Null, err
		}
		s := objectText(keys, values)
		return value.NewText("{ " + s[1:len(s)-1] + " }")
	})
}

// jsonbObjectAgg needs no order where each key comes with one value alone.
func jsonbObjectAgg(args []*value.Type, _ *value.Type) value.Fold {
	return func(r value.Rows) (ir.Value, error) {
		if len(r.List) == 0 {
			return ir.Null, nil
		}
		keys, values, err := pairs(repeated(args, r), slices.Concat(r.List...), (*value.Type).ToJSON)
		if err != nil {
			return ir.Null, err
		}
		seen := map[string]string{}
		for i, k := range keys {
			s := values[i].String()
			if old, twice := seen[k]; twice && old != s && !r.Ordered {
				return ir.Null, ir.ErrNotKnown
			}
			seen[k] = s
		}
		return objectOf(keys, values).Value(), nil
	}
}

// variances are the aggregates of variances: whether of a sample, and whether the
// square root is taken.
var variances = map[string]struct{ sample, root bool }{
	"var_pop": {false, false}, "var_samp": {true, false}, "variance": {true, false},
	"stddev_pop": {false, true}, "stddev_samp": {true, true}, "stddev": {true, true},
}

// defineVariances adds the aggregates of variances of a type.
func defineVariances(t string, f func(args []*value.Type, r value.Rows, sample, root bool) (ir.Value, error)) {
	for name, v := range variances {
		value.DefineAggregates(map[string]value.FoldFamily{name + "(" + t + ")": func(args []*value.Type, result *value.Type) value.Fold {
			return strictFold(func(r value.Rows) (ir.Value, error) {
				if v.sample && len(r.List) == 1 {
					return ir.Null, nil
				}
				return f(args, r, v.sample, v.root)
			})(args, result)
		}})
	}
}

// numericVariance computes with numerics, as the server does for integers, too.
func numericVariance(args []*value.Type, r value.Rows, sample, root bool) (ir.Value, error) {
	n := big.NewRat(int64(len(r.List)), 1)
	sum, squares := new(big.Rat), new(big.Rat)
	list := r.Firsts()
	scale := largestScale(args[0], list)
	for _, v := range list {
		x := v.Rat()
		sum.Add(sum, x)
		squares.Add(squares, new(big.Rat).Mul(x, x))
	}
	above := new(big.Rat).Sub(squares.Mul(squares, n), sum.Mul(sum, sum))
	if above.Sign() <= 0 {
		return ir.Num(new(big.Rat)), nil
	}
	below := new(big.Rat).Mul(n, n)
	if sample {
		below.Sub(below, n)
	}
	scale = scalars.QuotientScale(above, below, 2*scale)
	variance := value.RoundTo(new(big.Rat).Quo(above, below), scale)
	if root {
		variance = scalars.SquareRoot(variance, scale)
	}
	return scalars.Numeric(variance)
}
