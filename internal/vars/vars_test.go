package vars

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/ir"
)

// TestVars compares copies that share with maps that do not, on random operations.
func TestVars(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewSource(seed))
	txn := &ir.Txn{Name: "t"}
	for i := range 3*partSize + 5 {
		txn.Params = append(txn.Params, ir.Param{Name: fmt.Sprint("p", i), Type: ir.IntType})
	}
	p := &ir.Program{Txns: []*ir.Txn{txn}}
	places := prepare.Of(p).InfoOf(txn).Places
	all := []Vars[int]{New[int](places)}
	want := []map[string]int{{}}
	for step := range 4000 {
		i := r.Intn(len(all))
		switch name := txn.Params[r.Intn(len(txn.Params))].Name; r.Intn(4) {
		case 0:
			if len(all) < 30 {
				all, want = append(all, all[i].Copied()), append(want, maps.Clone(want[i]))
			}
		case 1:
			j := r.Intn(len(all))
			choose := func(theirs, ours int) int { return max(theirs, ours) }
			all[i].Merge(&all[j], choose)
			for name, v := range want[j] {
				want[i][name] = choose(v, want[i][name])
			}
		default:
			all[i].Set(name, step)
			want[i][name] = step
		}
		for k := range all {
			for _, name := range slices.Sorted(maps.Keys(want[k])) {
				if got := all[k].Get(name); got != want[k][name] {
					t.Fatalf("seed %d, step %d: %s of copy %d is %d, must be %d", seed, step, name, k, got, want[k][name])
				}
			}
		}
	}
}
