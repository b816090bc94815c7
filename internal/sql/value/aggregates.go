package value

import (
	"math/big"
	"slices"
	"strings"

	"github.com/txrobust/robust/ir"
)

// rows are the arguments of an aggregate: those of a row in a list. ordered says that
// the statement gives them their order; otherwise they may have any.
type rows struct {
	list    [][]ir.Value
	ordered bool
}

// fold computes an aggregate. The error is that of ir.Function.
type fold func(r rows) (ir.Value, error)

// foldFamily gives the aggregate for arguments and a result of some types; nil where it
// is not known for them.
type foldFamily func(args []*Type, result *Type) fold

// aggregates are the aggregates whose value is known, by signature, such as
// "sum(int4)". Those WITHIN GROUP are in orderedSets.
var aggregates = map[string]foldFamily{}

// defineAggregates adds aggregates.
func defineAggregates(list map[string]foldFamily) {
	for name, f := range list {
		if aggregates[name] != nil {
			panic("value: " + name + " is defined twice")
		}
		aggregates[name] = f
	}
}

// Aggregate gives what is known of the aggregate with a signature of the catalog. The
// types are those of FunctionOf. Its Eval takes the arguments of all rows, row after
// row, with NULLs or without. Of an aggregate WITHIN GROUP it takes the direct
// arguments and then the others, in their order, without NULLs.
//
// ordered says that the rows come in the order that the statement gives them. Without
// it a value that depends on the order is not known.
func Aggregate(signature string, ordered bool, args []*Type, result *Type) *ir.Function {
	name := "aggregate " + signature + " of (" + typeKeys(args) + ") " + result.key()
	if ordered {
		name += " in order"
	}
	return interned(name, func() *ir.Function {
		f := &ir.Function{Name: name, Settings: settingsOf(signature, args)}
		if set := orderedSets[signature]; set != nil {
			f.Eval = guarded(set(args, result), func(i int) *Type { return args[min(i, len(args)-1)] })
		} else if family := aggregates[signature]; family != nil {
			if compute := family(args, result); compute != nil {
				f.Eval = guarded(func(a []ir.Value) (ir.Value, error) {
					return compute(rows{slices.Collect(slices.Chunk(a, max(len(args), 1))), ordered})
				}, func(i int) *Type { return args[i%len(args)] })
			}
		}
		return f
	})
}

// known drops the rows with a NULL, which most aggregates do not look at.
func (r rows) known() rows {
	return rows{slices.DeleteFunc(slices.Clone(r.list), anyNull), r.ordered}
}

// alike reports whether all rows are equal, so that their order does not matter.
func (r rows) alike() bool {
	for _, row := range r.list {
		if !slices.Equal(row, r.list[0]) {
			return false
		}
	}
	return true
}

// determined reports whether the value may depend on the order of the rows.
func (r rows) determined() bool { return r.ordered || r.alike() }

// strictFold is an aggregate of rows without NULL, which is NULL if there are none.
func strictFold(f fold) foldFamily {
	return func([]*Type, *Type) fold {
		return func(r rows) (ir.Value, error) {
			if r = r.known(); len(r.list) == 0 {
				return ir.Null, nil
			}
			return f(r)
		}
	}
}

// firsts gives the first arguments of the rows.
func (r rows) firsts() []ir.Value {
	out := make([]ir.Value, len(r.list))
	for i, row := range r.list {
		out[i] = row[0]
	}
	return out
}

// reduce is an aggregate that applies an operation, whose order does not matter,
// again and again.
func reduce(f evaluator) foldFamily {
	return strictFold(func(r rows) (ir.Value, error) {
		list := r.firsts()
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
func by(signature string) evaluator {
	return func(a []ir.Value) (ir.Value, error) { return evaluators[signature](a) }
}

// extreme is max (sign 1) or min (sign -1).
func extreme(sign int) foldFamily {
	return func(args []*Type, result *Type) fold {
		compare := args[0].order()
		if compare == nil {
			return nil
		}
		return extremeBy(sign, compare)(args, result)
	}
}

// extremeBy is extreme in some order.
func extremeBy(sign int, compare order) foldFamily {
	return reduce(func(a []ir.Value) (ir.Value, error) {
		if c, err := compare(a[0], a[1]); err != nil || c == 0 && a[0] != a[1] {
			return ir.Null, ir.ErrNotKnown // equal values that differ: any of them
		}
		return pick(sign, compare)(a)
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
func sumOfInts(r rows) (ir.Value, error) { return intResult(total(r.firsts()).Num(), 64) }

func sumOfNumerics(r rows) (ir.Value, error) { return numeric(total(r.firsts())) }

// average divides the sum of numerics by their number.
func average(args []*Type, result *Type) fold {
	return strictFold(func(r rows) (ir.Value, error) {
		list := r.firsts()
		return numeric(quotient(total(list), big.NewRat(int64(len(list)), 1), largestScale(args[0], list)))
	})(args, result)
}

// largestScale is the number of digits after the point that show all numbers of a type.
func largestScale(t *Type, list []ir.Value) int {
	scale := declaredScale(t)
	for _, v := range list {
		scale = max(scale, scaleOf(v.Rat()))
	}
	return scale
}

// sumOfIntervals adds the parts of intervals. It is known where no sum of some of them
// overflows, in whichever order they come.
func sumOfIntervals(r rows) (ir.Value, error) {
	var above, below [3]big.Int // of the parts, months first
	for _, v := range r.firsts() {
		i, ok := IntervalOf(v)
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
		if !above[n].IsInt64() || !below[n].IsInt64() || n < 2 && !fits32(above[n].Int64(), below[n].Int64()) {
			return ir.Null, ir.ErrNotKnown
		}
		sum[n] = above[n].Int64() + below[n].Int64()
	}
	return Interval{sum[0], sum[1], sum[2]}.Value(), nil
}

func init() {
	for _, x := range integers {
		bitwise := func(name string) foldFamily {
			return reduce(by("int" + x.digit + name + "(" + x.name + "," + x.name + ")"))
		}
		one := "(" + x.name + ")"
		defineAggregates(map[string]foldFamily{
			"bit_and" + one: bitwise("and"), "bit_or" + one: bitwise("or"), "bit_xor" + one: bitwise("xor"),
			"avg" + one: average,
		})
		defineVariances(x.name, numericVariance)
	}
	defineVariances("numeric", numericVariance)
	for _, t := range strings.Fields("int2 int4 int8 numeric float4 float8 oid text bpchar date time timestamp timestamptz timetz interval inet anyarray anyenum") {
		defineAggregates(map[string]foldFamily{"max(" + t + ")": extreme(1), "min(" + t + ")": extreme(-1)})
	}
	and, or := reduce(by("booland_statefunc(bool,bool)")), reduce(by("boolor_statefunc(bool,bool)"))
	defineAggregates(map[string]foldFamily{
		"count(any)": func([]*Type, *Type) fold {
			return func(r rows) (ir.Value, error) { return ir.Int(int64(len(r.known().list))), nil }
		},
		"sum(int2)": strictFold(sumOfInts), "sum(int4)": strictFold(sumOfInts),
		"sum(int8)": strictFold(sumOfNumerics), "sum(numeric)": strictFold(sumOfNumerics), "avg(numeric)": average,
		"sum(interval)": strictFold(sumOfIntervals),
		"avg(interval)": strictFold(func(r rows) (ir.Value, error) {
			sum, err := sumOfIntervals(r)
			if err != nil {
				return ir.Null, err
			}
			return by("interval_div(interval,float8)")([]ir.Value{sum, ir.Num(big.NewRat(int64(len(r.list)), 1))})
		}),
		"bool_and(bool)": and, "every(bool)": and, "bool_or(bool)": or,
		"bit_and(bit)": reduce(by("bitand(bit,bit)")), "bit_or(bit)": reduce(by("bitor(bit,bit)")),
		"bit_xor(bit)":              reduce(by("bitxor(bit,bit)")),
		"string_agg(text,text)":     stringAgg("", func(v ir.Value) string { return v.S }, newText),
		"string_agg(bytea,bytea)":   stringAgg(`\x`, func(v ir.Value) string { return strings.TrimPrefix(v.S, `\x`) }, func(s string) (ir.Value, error) { return ir.Opaque(s), nil }),
		"array_agg(anynonarray)":    arrayAgg,
		"json_agg(anyelement)":      jsonAgg,
		"jsonb_agg(anyelement)":     jsonbAgg,
		"json_object_agg(any,any)":  jsonObjectAgg,
		"jsonb_object_agg(any,any)": jsonbObjectAgg,
		"range_intersect_agg(anyrange)": func(args []*Type, result *Type) fold {
			return reduce(families["range_intersect(anyrange,anyrange)"]([]*Type{args[0], args[0]}, result))(args, result)
		},
	})
}

// stringAgg joins texts with separators, of which each stands before its text.
func stringAgg(prefix string, text func(v ir.Value) string, result func(s string) (ir.Value, error)) foldFamily {
	return func([]*Type, *Type) fold {
		return func(r rows) (ir.Value, error) {
			r.list = slices.DeleteFunc(slices.Clone(r.list), func(row []ir.Value) bool { return row[0].IsNull() })
			if len(r.list) == 0 {
				return ir.Null, nil
			}
			if !r.determined() {
				return ir.Null, ir.ErrNotKnown
			}
			var b strings.Builder
			for i, row := range r.list {
				if i > 0 && !row[1].IsNull() {
					b.WriteString(text(row[1]))
				}
				b.WriteString(text(row[0]))
				if b.Len() > 2*maxSize {
					return ir.Null, ir.ErrNotKnown
				}
			}
			return result(prefix + b.String())
		}
	}
}

// inOrder is an aggregate of rows whose order matters, which is NULL if there are none.
func inOrder(f func(r rows) (ir.Value, error)) fold {
	return func(r rows) (ir.Value, error) {
		switch {
		case len(r.list) == 0:
			return ir.Null, nil
		case !r.determined():
			return ir.Null, ir.ErrNotKnown
		}
		return f(r)
	}
}

func arrayAgg([]*Type, *Type) fold {
	return inOrder(func(r rows) (ir.Value, error) { return newArray(r.firsts()) })
}

// repeated gives the type of each argument of some rows.
func repeated(args []*Type, r rows) []*Type { return slices.Repeat(args, len(r.list)) }

func jsonAgg(args []*Type, _ *Type) fold {
	return inOrder(func(r rows) (ir.Value, error) {
		parts, err := each(repeated(args, r), r.firsts(), (*Type).jsonText)
		if err != nil {
			return ir.Null, err
		}
		var b strings.Builder
		b.WriteByte('[')
		for i, p := range parts {
			if i > 0 {
				b.WriteString(", ")
				if args[0].Elem != nil && !r.list[i][0].IsNull() {
					b.WriteString("\n ")
				}
			}
			b.WriteString(p)
		}
		return newText(b.String() + "]")
	})
}

func jsonbAgg(args []*Type, _ *Type) fold {
	return inOrder(func(r rows) (ir.Value, error) {
		list, err := each(repeated(args, r), r.firsts(), (*Type).toJSON)
		if err != nil {
			return ir.Null, err
		}
		return JSON{list}.Value(), nil
	})
}

func jsonObjectAgg(args []*Type, _ *Type) fold {
	return inOrder(func(r rows) (ir.Value, error) {
		keys, values, err := pairs(repeated(args, r), slices.Concat(r.list...), (*Type).jsonText)
		if err != nil {
			return ir.Null, err
		}
		s := objectText(keys, values)
		return newText("{ " + s[1:len(s)-1] + " }")
	})
}

// jsonbObjectAgg needs no order where each key comes with one value alone.
func jsonbObjectAgg(args []*Type, _ *Type) fold {
	return func(r rows) (ir.Value, error) {
		if len(r.list) == 0 {
			return ir.Null, nil
		}
		keys, values, err := pairs(repeated(args, r), slices.Concat(r.list...), (*Type).toJSON)
		if err != nil {
			return ir.Null, err
		}
		seen := map[string]string{}
		for i, k := range keys {
			s := values[i].String()
			if old, twice := seen[k]; twice && old != s && !r.ordered {
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
func defineVariances(t string, f func(args []*Type, r rows, sample, root bool) (ir.Value, error)) {
	for name, v := range variances {
		defineAggregates(map[string]foldFamily{name + "(" + t + ")": func(args []*Type, result *Type) fold {
			return strictFold(func(r rows) (ir.Value, error) {
				if v.sample && len(r.list) == 1 {
					return ir.Null, nil
				}
				return f(args, r, v.sample, v.root)
			})(args, result)
		}})
	}
}

// numericVariance computes with numerics, as the server does for integers, too.
func numericVariance(args []*Type, r rows, sample, root bool) (ir.Value, error) {
	n := big.NewRat(int64(len(r.list)), 1)
	sum, squares := new(big.Rat), new(big.Rat)
	list := r.firsts()
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
	scale = quotientScale(above, below, 2*scale)
	variance := RoundTo(new(big.Rat).Quo(above, below), scale)
	if root {
		variance = squareRoot(variance, scale)
	}
	return numeric(variance)
}
