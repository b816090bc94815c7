package outside_test

import (
	"bytes"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

// TestSARIF validates logs against the schema of the format, and writes what it reads
// again: nothing is lost, and no default is missing.
func TestSARIF(t *testing.T) {
	var all []*report.Report
	check := func(p *ir.Program, opt robust.Options) {
		t.Helper()
		rep, err := robust.Check(t.Context(), p, opt)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rep)
	}
	for _, l := range testprog.LitmusPrograms(t) {
		check(l.Program(t), robust.Options{})
	}
	for _, app := range []string{"smallbank", "auction", "booking", "courseware-lock"} {
		check(testprog.Load(t, testprog.Path(t, "apps", app)), robust.Options{Question: robust.Question{Engine: engine.Postgres(), Beside: true}})
	}
	p := testprog.Load(t, testprog.Path(t, "apps", "smallbank"))
	for _, x := range p.Txns {
		x.Name = historytest.Evil + x.Name
	}
	check(p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
	kinds := map[string]int{}
	for _, r := range all {
		kinds[string(r.Verdict)]++
		var text bytes.Buffer
		if err := report.SARIF(&text, []*report.Report{r}, "test"); err != nil {
			t.Fatal(err)
		}
		log, err := sarif.FromBytes(text.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Validate(); err != nil {
			t.Errorf("%s: %v", r.Program, err)
		}
		var again bytes.Buffer
		if err := log.PrettyWrite(&again); err != nil {
			t.Fatal(err)
		}
		if len(again.Bytes()) < text.Len()/2 {
			t.Errorf("%s: the library reads %d of %d bytes", r.Program, again.Len(), text.Len())
		}
	}
	if kinds["robust"] == 0 || kinds["not-robust"] == 0 || kinds["unknown"] == 0 {
		t.Errorf("the verdicts are %v", kinds)
	}
	// The schema is not too lenient to be a test.
	var text bytes.Buffer
	if err := report.SARIF(&text, all[:1], "test"); err != nil {
		t.Fatal(err)
	}
	log, err := sarif.FromBytes(text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	log.Runs[0].Tool = nil
	if log.Validate() == nil {
		t.Error("a run without a tool is valid")
	}
}
