package elle

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/isolation"
)

// TestSetVersions has a transaction that reads a set with the element of one whose
// write of a register it does not see. Where the set has elements of others, too, it
// may have come from them, so that this is no fractured read.
func TestSetVersions(t *testing.T) {
	const head = `{:type :ok, :process 0, :value [[:w 1 2]]}
{:type :ok, :process 1, :value [[:r 1 2] [:w 1 6] [:add 2 5]]}
`
	for _, c := range []struct {
		name, text string
		want       checker.Verdict
	}{
		{"one element", `{:type :ok, :process 2, :value [[:r 1 2] [:r 2 #{5}]]}`, checker.Violated},
		{"two elements", `{:type :ok, :process 3, :value [[:add 2 4]]}
{:type :ok, :process 2, :value [[:r 1 2] [:r 2 #{4 5}]]}`, checker.Satisfied},
	} {
		h, _, err := codec.Decode(t.Context(), strings.NewReader(head+c.text), "test", codec.Options{Format: codec.EDN})
		if err != nil {
			t.Fatal(err)
		}
		want, err := brute.Check(t.Context(), h, brute.Options{Levels: []isolation.Level{isolation.RA}})
		if err != nil {
			t.Fatal(err)
		}
		if got := want.Verdict(isolation.RA); got != c.want {
			t.Errorf("%s: RA is by definition %s, want %s", c.name, got, c.want)
		}
		got, err := Check(t.Context(), h, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if v := got.Verdict(isolation.RA); v != c.want && !(v == checker.Unknown && c.want == checker.Satisfied) {
			t.Errorf("%s: RA is %s, want %s", c.name, v, c.want)
		}
	}
}
