package builtin

import (
	"math"
	"math/big"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/value"
)

// Sums of floats depend on the order of the rows. They are known where the statement
// gives the order, where no sum is rounded, and where all orders of a few rows give
// the same.

// maxOrders bounds the number of rows of which all orders are tried.
const maxOrders = 5

// anyOrder computes an aggregate of floats, whose rows have one order if it matters.
func anyOrder(r value.Rows, f func(list [][]float64) (ir.Value, error)) (ir.Value, error) {
	list := make([][]float64, len(r.List))
	for i, row := range r.List {
		for _, v := range row {
			list[i] = append(list[i], value.Double(v))
		}
	}
	if r.Determined() {
		return f(list)
	}
	if len(list) > maxOrders {
		return ir.Null, ir.ErrNotKnown
	}
	first, err := f(list)
	if err != nil {
		return ir.Null, ir.ErrNotKnown
	}
	same := true
	permute(list, 0, func() {
		v, err := f(list)
		same = same && err == nil && v == first
	})
	if !same {
		return ir.Null, ir.ErrNotKnown
	}
	return first, nil
}

// permute calls yield with each order of the elements from a position on.
func permute[E any](list []E, from int, yield func()) {
	if from >= len(list)-1 {
		yield()
		return
	}
	for i := from; i < len(list); i++ {
		list[from], list[i] = list[i], list[from]
		permute(list, from+1, yield)
		list[from], list[i] = list[i], list[from]
	}
}

// exactSum gives the sum of floats of some precision in bits if no sum of some of them
// is rounded.
func exactSum(list []ir.Value, precision int) (*big.Rat, bool) {
	sum, size, unit := new(big.Rat), new(big.Rat), new(big.Rat)
	for _, v := range list {
		x := v.Rat()
		sum.Add(sum, x)
		size.Add(size, new(big.Rat).Abs(x))
		if x.Sign() == 0 {
			continue
		}
		low := new(big.Rat).SetFrac(new(big.Int).Lsh(big.NewInt(1), x.Num().TrailingZeroBits()), x.Denom())
		if unit.Sign() == 0 || low.Cmp(unit) < 0 {
			unit = low
		}
	}
	if unit.Sign() == 0 {
		return sum, true
	}
	return sum, size.Quo(size, unit).Cmp(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(precision)))) <= 0
}

// maxSquare bounds floats whose squares do not overflow in sums.
const maxSquare = 1e100

func init() {
	for _, t := range []scalars.FloatType{scalars.Float4, scalars.Float8} {
		precision := 53
		if t.Bits == 32 {
			precision = 24
		}
		value.DefineAggregates(map[string]value.FoldFamily{
			"sum(" + t.Name + ")": strictFold(func(r value.Rows) (ir.Value, error) {
				if sum, exact := exactSum(r.Firsts(), precision); exact {
					f, _ := sum.Float64()
					return t.Result(f, sum.Sign() == 0)
				}
				return anyOrder(r, func(list [][]float64) (ir.Value, error) {
					sum := list[0][0]
					for _, row := range list[1:] {
						if sum = t.Round(sum + row[0]); math.IsInf(sum, 0) {
							return ir.Null, value.OutOfRange()
						}
					}
					return value.Float(sum), nil
				})
			}),
			"avg(" + t.Name + ")": strictFold(func(r value.Rows) (ir.Value, error) {
				tooLarge := slices.ContainsFunc(r.Firsts(), func(v ir.Value) bool { return math.Abs(value.Double(v)) > maxSquare })
				if sum, exact := exactSum(r.Firsts(), 53); exact && !tooLarge {
					f, _ := sum.Float64()
					return scalars.Float8.Result(f/float64(len(r.List)), true)
				}
				return moment1(r, func(s *sums) (ir.Value, error) { return scalars.Float8.Result(s.x/s.n, true) })
			}),
		})
		defineVariances(t.Name, func(_ []*value.Type, r value.Rows, sample, root bool) (ir.Value, error) {
			return moment1(r, func(s *sums) (ir.Value, error) {
				n := s.n
				if sample {
					n--
				}
				v := s.xx / n
				if root {
					v = math.Sqrt(v)
				}
				return scalars.Float8.Result(v, true)
			})
		})
	}
	regressions()
}

// sums are the sums of Youngs and Cramer over pairs, with which the server computes
// variances: of x, of its squared differences, and likewise of y and of both.
type sums struct{ n, x, xx, y, yy, xy float64 }

// add takes a pair into account.
func (s *sums) add(x, y float64) error {
	before := s.n
	s.n++
	s.x += x
	s.y += y
	if before == 0 {
		return nil
	}
	dx, dy := float64(x*s.n)-s.x, float64(y*s.n)-s.y
	scale := 1 / float64(s.n*before)
	s.xx += float64(float64(dx*dx) * scale)
	s.yy += float64(float64(dy*dy) * scale)
	s.xy += float64(float64(dx*dy) * scale)
	return s.overflow()
}

// addOne takes a single number into account, with a division instead of a product.
func (s *sums) addOne(x float64) error {
	before := s.n
	s.n++
	s.x += x
	if before == 0 {
		return nil
	}
	d := float64(x*s.n) - s.x
	s.xx += float64(d*d) / float64(s.n*before)
	return s.overflow()
}

func (s *sums) overflow() error {
	for _, f := range []float64{s.x, s.xx, s.y, s.yy, s.xy} {
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return value.OutOfRange()
		}
	}
	return nil
}

// moment1 computes an aggregate of the sums over single numbers.
func moment1(r value.Rows, f func(s *sums) (ir.Value, error)) (ir.Value, error) {
	return anyOrder(r, func(list [][]float64) (ir.Value, error) {
		s := &sums{}
		for _, row := range list {
			if err := s.addOne(row[0]); err != nil {
				return ir.Null, err
			}
		}
		return f(s)
	})
}

// regressions adds the aggregates of pairs (y, x).
func regressions() {
	if0 := func(test func(s *sums) bool, f func(s *sums) float64) func(s *sums) (ir.Value, error) {
		return func(s *sums) (ir.Value, error) {
			if test(s) {
				return ir.Null, nil
			}
			return value.Finite(f(s))
		}
	}
	never := func(*sums) bool { return false }
	flat := func(s *sums) bool { return s.xx == 0 }
	for name, f := range map[string]func(s *sums) (ir.Value, error){
		"regr_sxx":   if0(never, func(s *sums) float64 { return s.xx }),
		"regr_syy":   if0(never, func(s *sums) float64 { return s.yy }),
		"regr_sxy":   if0(never, func(s *sums) float64 { return s.xy }),
		"regr_avgx":  if0(never, func(s *sums) float64 { return s.x / s.n }),
		"regr_avgy":  if0(never, func(s *sums) float64 { return s.y / s.n }),
		"covar_pop":  if0(never, func(s *sums) float64 { return s.xy / s.n }),
		"covar_samp": if0(func(s *sums) bool { return s.n < 2 }, func(s *sums) float64 { return s.xy / (s.n - 1) }),
		"corr": if0(func(s *sums) bool { return s.xx == 0 || s.yy == 0 }, func(s *sums) float64 {
			return s.xy / math.Sqrt(s.xx*s.yy)
		}),
		"regr_slope": if0(flat, func(s *sums) float64 { return s.xy / s.xx }),
		"regr_intercept": if0(flat, func(s *sums) float64 {
			return (s.y - float64(s.x*s.xy)/s.xx) / s.n
		}),
		"regr_r2": if0(flat, func(s *sums) float64 {
			if s.yy == 0 {
				return 1
			}
			return float64(s.xy*s.xy) / float64(s.xx*s.yy)
		}),
	} {
		value.DefineAggregates(map[string]value.FoldFamily{name + "(float8,float8)": strictFold(func(r value.Rows) (ir.Value, error) {
			return anyOrder(r, func(list [][]float64) (ir.Value, error) {
				s := &sums{}
				for _, row := range list {
					if err := s.add(row[1], row[0]); err != nil {
						return ir.Null, err
					}
				}
				return f(s)
			})
		})})
	}
	value.DefineAggregates(map[string]value.FoldFamily{"regr_count(float8,float8)": func([]*value.Type, *value.Type) value.Fold {
		return func(r value.Rows) (ir.Value, error) { return ir.Int(int64(len(r.Known().List))), nil }
	}})
}
