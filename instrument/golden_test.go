package instrument

import (
	"path/filepath"
	"testing"

	"github.com/txrobust/robust/internal/golden"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir/irtext"
)

func TestGolden(t *testing.T) {
	skew := testprog.Path(t, "litmus", "fig1-write-skew.litmus")
	for _, tc := range []struct {
		golden, input string
		opt           Options
	}{
		{"write-skew.classic.golden", skew, Options{Classic: true}},
		{"write-skew.default.golden", skew, Options{}},
		{"write-skew.attacker.golden", skew, Options{Attacker: "t2"}},
		{"seats.default.golden", "testdata/seats.litmus", Options{}},
	} {
		q, err := Rewrite(testprog.ParseFile(t, tc.input), tc.opt)
		if err != nil {
			t.Errorf("%s: %v", tc.golden, err)
			continue
		}
		golden.Compare(t, filepath.Join("testdata", tc.golden), q.String())
	}
}

// TestErrors: what cannot be instrumented has a place and a next step.
func TestErrors(t *testing.T) {
	for _, tc := range []struct {
		src  string
		opt  Options
		want string
	}{
		{"program p\nvar x = 0\ntxn t { x := 1 }", Options{Attacker: "u"},
			"p: there is no transaction u to be delayed: name one of the program"},
	} {
		p, err := irtext.Parse("in.litmus", tc.src)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Rewrite(p, tc.opt); err == nil || err.Error() != tc.want {
			t.Errorf("error %v, want %s", err, tc.want)
		}
	}
}

// TestNames: the names of the instrumentation give way to those of the program.
func TestNames(t *testing.T) {
	p, err := irtext.Parse("in", `program p
var HB = 0, x' = 0, x = 0
txn t { local hb int; local e int; hb := HB; e := x; x' := hb + e; x := 1 }`)
	if err != nil {
		t.Fatal(err)
	}
	q, err := Rewrite(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"HB", "HB_1", "x'", "x'_1", "x''", "x.event", "x'.event"} {
		if q.Table(name) == nil {
			t.Errorf("there is no %s", name)
		}
	}
}
