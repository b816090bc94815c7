package reach

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/instrument"
	"github.com/txrobust/robust/instrument/boogie"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/ir/irtext"
	"github.com/txrobust/robust/movers"
)

// TestLabels: a program with labels, as it was read, is what it is in its structured form.
func TestLabels(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "testdata", "litmus", "fig1-labelled.litmus"))
	if err != nil {
		t.Fatal(err)
	}
	read := func(structured bool) *ir.Program {
		p, err := irtext.Parse("fig1", string(text))
		if err != nil {
			t.Fatal(err)
		}
		if p.Txns[0].Labelled == nil {
			t.Fatal("the program has no labels")
		}
		if structured {
			wellformed.Structure(p)
		}
		return p
	}
	var got [2][]any
	for i, structured := range []bool{false, true} {
		r := Explore(t.Context(), read(structured), Options{})
		rewritten, err := instrument.Rewrite(read(structured), instrument.Options{Engine: engine.SI()})
		if err != nil {
			t.Fatal(err)
		}
		exported, err := boogie.Export(read(structured), boogie.Options{})
		if err != nil {
			t.Fatal(err)
		}
		proved, err := movers.Prove(t.Context(), read(structured), movers.Options{Classic: true})
		if err != nil {
			t.Fatal(err)
		}
		got[i] = []any{r.Verdict, r.States, rewritten.String(), exported, proved.Verdict}
		if r.States < 2 || exported == "" {
			t.Errorf("the test says nothing: %d states", r.States)
		}
	}
	if !reflect.DeepEqual(got[0], got[1]) {
		t.Errorf("with labels:\n%v\nstructured:\n%v", got[0], got[1])
	}
}
