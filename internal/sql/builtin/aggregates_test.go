package builtin

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/value"
)

// randomRows gives the arguments of some rows, of which many are alike.
func randomRows(rng *rand.Rand, types []*value.Type) [][]ir.Value {
	list := make([][]ir.Value, pickOne(rng, 0, 1, 2, 3, 4, 6))
	for i := range list {
		if i > 0 && rng.IntN(4) == 0 {
			list[i] = list[i-1]
			continue
		}
		for _, t := range types {
			v := ir.Null
			if rng.IntN(12) > 0 {
				v = argument(rng, t)
			}
			list[i] = append(list[i], v)
		}
	}
	return list
}

// values writes rows as a table v with columns a0, a1, … and n.
func values(types []*value.Type, list [][]ir.Value) string {
	row := func(n int, row []ir.Value) string {
		exprs := []string{fmt.Sprint(n)}
		for i, v := range row {
			exprs = append(exprs, literal(types[i], v))
		}
		return "(" + strings.Join(exprs, ", ") + ")"
	}
	names := []string{"n"}
	for i := range types {
		names = append(names, fmt.Sprintf("a%d", i))
	}
	var out []string
	for n, r := range list {
		out = append(out, row(n, r))
	}
	where := ""
	if len(out) == 0 {
		out, where = append(out, row(0, make([]ir.Value, len(types)))), " WHERE false"
	}
	return "(VALUES " + strings.Join(out, ", ") + ") v(" + strings.Join(names, ", ") + ")" + where
}

// aggregation makes a random call of an aggregate.
func aggregation(rng *rand.Rand, f *catalog.Function) *invocation {
	names := concrete(rng, f)
	result := f.Result
	var given []catalog.Arg
	for _, n := range names {
		given = append(given, catalog.Arg{Type: n})
	}
	if calls, outcome := catalogOf(f).Function(f.Name, given, false); outcome == catalog.Found {
		if calls[0].Signature() != f.Signature() {
			return nil
		}
		result = calls[0].Returns
	}
	var types []*value.Type
	for _, n := range names {
		types = append(types, typeNamed(n))
	}
	if slices.Contains(f.Args, "any") && len(types) > 2 {
		types = types[:2]
	}
	c := &invocation{result: typeNamed(result), aggregate: true}
	var columns []string
	for i := range types {
		columns = append(columns, fmt.Sprintf("a%d", i))
	}
	if f.Ordered {
		direct, sorted := types[:len(types)-1], types[len(types)-1:]
		var exprs []string
		for _, t := range direct {
			v := randomFractions(rng, t)
			c.args = append(c.args, v)
			exprs = append(exprs, literal(t, v))
		}
		list := randomRows(rng, sorted)
		list = slices.DeleteFunc(list, func(r []ir.Value) bool { return r[0].IsNull() })
		compare := sorted[0].Order()
		if compare == nil {
			return nil
		}
		slices.SortStableFunc(list, func(x, y []ir.Value) int { n, _ := compare(x[0], y[0]); return n })
		c.args = append(c.args, slices.Concat(list...)...)
		c.sql = fmt.Sprintf("SELECT %s(%s) WITHIN GROUP (ORDER BY a0) FROM %s", f.Name, strings.Join(exprs, ", "), values(sorted, list))
	} else {
		list := randomRows(rng, types)
		c.args = slices.Concat(list...)
		order := ""
		if rng.IntN(2) == 0 {
			order = " ORDER BY n"
		}
		c.fn = value.Aggregate(f.Signature(), order != "", types, c.result)
		if order == "" { // in another order than the server has it
			rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			c.args = slices.Concat(list...)
			rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		c.sql = fmt.Sprintf("SELECT %s(%s%s) FROM %s", f.Name, strings.Join(columns, ", "), order, values(types, list))
	}
	if c.fn == nil {
		c.fn = value.Aggregate(f.Signature(), true, types, c.result)
	}
	if result == "numeric" {
		c.sql = "SELECT trim_scale((" + c.sql + "))"
	}
	return c
}

// randomFractions gives a value of float8 or its array, mostly between 0 and 1.
func randomFractions(rng *rand.Rand, t *value.Type) ir.Value {
	one := func() ir.Value {
		return value.Float(pickOne(rng, 0, 0.5, 1, 0.25, 0.1, 0.9, rng.Float64(), rng.Float64(), 1.5))
	}
	switch {
	case rng.IntN(20) == 0:
		return ir.Null
	case t.Elem == nil:
		return one()
	}
	list := make([]ir.Value, rng.IntN(4))
	for i := range list {
		list[i] = one()
	}
	return ir.Array(list)
}

// definedAggregates are the signatures of all aggregates whose value is known.
func definedAggregates() map[string]bool {
	out := map[string]bool{}
	for s := range value.Aggregates {
		out[s] = true
	}
	for s := range value.OrderedSets {
		out[s] = true
	}
	return out
}

// TestAggregatesAgainstServer compares aggregates of random rows with a server.
func TestAggregatesAgainstServer(t *testing.T) {
	conn := connect(t)
	rng := rand.New(rand.NewPCG(*seed, 17))
	pattern := regexp.MustCompile(*only)
	known, total := 0, 0
	for _, signature := range slices.Sorted(maps.Keys(definedAggregates())) {
		f := declared(signature)
		switch {
		case !pattern.MatchString(signature):
			continue
		case f != nil && absent[f.Extension]:
			continue
		case f == nil:
			t.Errorf("the catalog does not have %s", signature)
			continue
		}
		var list []*invocation
		var exprs []string
		for range *cases {
			c := aggregation(rng, f)
			if c == nil {
				continue
			}
			total++
			if _, err := c.value(); !value.NotKnown(err) {
				list = append(list, c)
				exprs = append(exprs, c.sql)
			}
		}
		if len(list) == 0 {
			t.Errorf("of %s no value is known", signature)
		}
		known += len(list)
		faults := 0
		for i, answer := range ask(t, conn, exprs) {
			if problem := list[i].fault(answer); problem != "" {
				if faults++; faults <= 5 {
					t.Errorf("%s: %s, the server says %s", list[i].sql, problem, answer)
				}
			}
		}
	}
	t.Logf("seed %d: %d of %d values are known", *seed, known, total)
}
