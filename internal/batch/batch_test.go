package batch_test

import (
	"fmt"
	"testing"

	"github.com/txrobust/robust/internal/batch"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/ir/irtext"
)

// TestChoice: what an array of keys is chosen from is read off the statements after it.
func TestChoice(t *testing.T) {
	const program = `program p
table t (id int not null, v int, key (id))
txn take(n int) {
  local kept int[];
  local other int[];
  local count int;
  local last int;
  local found_one bool;
  kept := *;
  %s
}
`
	for _, tc := range []struct{ rest, want string }{
		{`(count) := select agg count(*) int from t where t.v > n and "= any"(t.id, kept);`, "t.id where t.v > n order 0"},
		{`(count) := select agg count(*) int from t where t.v > n and "= any"(t.id, kept);
  assume count == n;
  (last) := select t.v from t where "= any"(t.id, kept) order by t.v desc found found_one;`, "t.id where t.v > n order 1"},
		{`(count) := select agg count(*) int from t where t.v > n;`, "none"},
		{`other := kept;
  (count) := select agg count(*) int from t where "= any"(t.id, other);`, "none"},
	} {
		p, err := irtext.Parse("p.ir", fmt.Sprintf(program, tc.rest))
		if err != nil {
			t.Fatal(err)
		}
		body := p.Txns[0].Body
		got := "none"
		if c := batch.Of(body[0].(*ir.Havoc), body[1:]); c != nil {
			got = fmt.Sprintf("%s where %s order %d", c.Key.String(), c.Query.Where.String(), len(c.Order))
		}
		if got != tc.want {
			t.Errorf("%s\n%q, but must be %q", tc.rest, got, tc.want)
		}
	}
}

// TestArrays: of an order without ties the first ones are taken, else any.
func TestArrays(t *testing.T) {
	keys := []ir.Value{ir.Int(3), ir.Int(1), ir.Int(2)} // 2 is the first one
	for _, tc := range []struct {
		keys    []ir.Value
		ordered bool
		want    string
		ok      bool
	}{
		{keys, true, "[[1 2 3] [1 2] [2] []]", true},
		{keys, false, "[[] [3] [1] [1 3] [2] [2 3] [1 2] [1 2 3]]", true},
		{nil, false, "[[]]", true},
		{append(append(append([]ir.Value{}, keys...), keys...), ir.Int(4)), false, "[]", false},
	} {
		list, ok := batch.Arrays(tc.keys, tc.ordered)
		var got [][]ir.Value
		for _, v := range list {
			got = append(got, v.Elems(ir.KindInt))
		}
		if s := fmt.Sprint(got); s != tc.want || ok != tc.ok {
			t.Errorf("%v, ordered %v: %s %v, but must be %s %v", tc.keys, tc.ordered, s, ok, tc.want, tc.ok)
		}
	}
}
