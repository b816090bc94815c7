package irtext

import (
	"slices"
	"testing"

	"github.com/txrobust/robust/internal/ir"
)

// TestReadColumns: a row variable is the innermost one of its name, also after an
// EXISTS with another one of that name.
func TestReadColumns(t *testing.T) {
	p, err := Parse("in", `program p
table t (k int, a int, key (k))
table u (k int, b int, key (k))
txn x (q int) {
	local n int;
	(n) := select r.a from t r where exists (from u r where r.b == 1) and r.k == q and exists (from u s where s.b == r.a);
	update t r set a = n where r.k == n;
	insert t (k, a) values (1, 2) on conflict do update o for update set a = excluded.a + o.a;
	delete u
}
`)
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, s := range p.Txns[0].Body {
		list := []string{}
		ir.ReadColumns(s, func(t *ir.Table, col string) { list = append(list, t.Name+"."+col) })
		got = append(got, list)
	}
	want := [][]string{{"t.a", "u.b", "t.k", "u.b", "t.a"}, {"t.k"}, {"t.a"}, {}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
