package boogie

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/instrument"
	"github.com/txrobust/robust/internal/golden"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir/irtext"
)

func TestGolden(t *testing.T) {
	for _, tc := range []struct {
		golden string
		input  []string
		opt    Options
	}{
		{"write-skew.golden", []string{"litmus", "fig1-write-skew.litmus"}, Options{}},
		{"s3-key.golden", []string{"litmus", "s3-key.litmus"}, Options{Rows: 2}},
	} {
		p := testprog.ParseFile(t, testprog.Path(t, tc.input...))
		q, err := instrument.Rewrite(p, instrument.Options{Classic: true})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Export(q, tc.opt)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := Export(q, tc.opt); again != got {
			t.Errorf("%s: exported twice, it differs", tc.golden)
		}
		golden.Compare(t, filepath.Join("testdata", tc.golden), got)
	}
}

// TestErrors: what cannot be exported has a place and a next step.
func TestErrors(t *testing.T) {
	head := "program p\ntable t (k int not null, a int, key (k))\n"
	for _, tc := range []struct {
		src, want string
		opt       Options
	}{
		{head + "txn u { local s int; (s) := select agg sum(r.a) int from t r }", "in:3:22: sum needs a bound", Options{}},
		{head + "txn u { local s int; (s) := select agg avg(r.a) int from t r }", "in:3:22: the aggregate avg", Options{Rows: 1}},
		{head + "txn u { update t r set a = (if exists (from t x where x.a == r.k) then 1 else 2) }", "in:3:9: an update whose", Options{}},
		{head + "txn u (q int) { if exists (from t x where x.a / q == 1) { abort } }", "in:3:17: a division", Options{}},
		{head + "row t (1, 1)\nrow t (2, 1)\ntxn u { abort }", "in:2:1: table t begins with 2 rows", Options{Rows: 1}},
	} {
		p, err := irtext.Parse("in", tc.src)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := Export(p, tc.opt); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("error %v, want %s…\n%s", err, tc.want, text)
		}
	}
}
