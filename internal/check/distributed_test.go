package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/schematest"
	"github.com/txrobust/robust/ir/irtext"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// distributedModels are the questions about distributed stores.
var distributedModels = []string{levels.AtCausal, levels.AtPrefix, levels.AtParallelSnapshot}

// TestDistributed checks programs in the models of distributed stores: litmus programs by all
// executions, and applications by a proof or a search. Verdicts are those for CC, PC and PSI:
// r is robust, n not robust, u unknown.
func TestDistributed(t *testing.T) {
	schema := schematest.Compile(t, report.Schema)
	for _, c := range []struct{ file, verdicts, kinds string }{
		{"litmus/long-fork.litmus", "nrn", "long-fork long-fork"},
		{"litmus/lost-update.litmus", "nnr", "lost-update lost-update"},
		{"litmus/fig1-write-skew.litmus", "nnn", "write-skew write-skew write-skew"},
		{"litmus/corollary2c-common-variable.litmus", "nnr", ""},
		{"litmus/read-only-anomaly.litmus", "nnn", "read-only-anomaly read-only-anomaly read-only-anomaly"},
		{"litmus/s2-lock.litmus", "uuu", ""}, // locks
		{"apps/smallbank", "nnn", "lost-update lost-update read-only-anomaly"},
		{"apps/courseware", "nnn", ""},
		{"apps/courseware-fk", "uuu", ""}, // a foreign key whose parents go
		{"apps/shoppingcart", "rrr", ""},
		{"apps/tpcc", "uuu", ""}, // row locks
	} {
		t.Run(c.file, func(t *testing.T) {
			verdicts, kinds := "", []string{}
			for _, m := range distributedModels {
				r := distributedReport(t, c.file, Options{Isolation: m, Engine: engine.SI()})
				verdicts += map[report.Verdict]string{report.Robust: "r", report.NotRobust: "n", report.Unknown: "u"}[r.Verdict]
				var text strings.Builder
				if err := report.JSON(&text, r); err != nil {
					t.Fatal(err)
				}
				if err := schema.Validate(schematest.Decode(t, text.String())); err != nil {
					t.Errorf("%s: the JSON does not fit its schema: %v", m, err)
				}
				for _, f := range r.Findings {
					kinds = append(kinds, string(f.Kind))
					if len(f.Validation) == 0 || len(f.Witness.Serial) == 0 || len(f.Edges) == 0 {
						t.Errorf("%s: a finding without judges, serial orders or a cycle: %v", m, f)
					}
				}
				if r.Verdict == report.Unknown && (r.Open == nil || r.Open.Reason == "") {
					t.Errorf("%s: unknown without a reason", m)
				}
			}
			if verdicts != c.verdicts {
				t.Errorf("the verdicts for CC, PC and PSI are %s, but must be %s", verdicts, c.verdicts)
			}
			if got := strings.Join(kinds, " "); c.kinds != "" && got != c.kinds {
				t.Errorf("the findings are %q, but must be %q", got, c.kinds)
			}
		})
	}
}

// TestDistributedDatabase: a database is no store of the models.
func TestDistributedDatabase(t *testing.T) {
	r := distributedReport(t, "litmus/long-fork.litmus", Options{Isolation: levels.AtParallelSnapshot, Engine: engine.Postgres()})
	if r.Verdict != report.Unknown || !strings.Contains(r.Open.Reason, "is a database") {
		t.Errorf("the verdict is %s: %v", r.Verdict, r.Open)
	}
}

// distributedReport checks a program of testdata.
func distributedReport(t *testing.T, file string, opt Options) *report.Report {
	t.Helper()
	path := filepath.Join("../../testdata", filepath.FromSlash(file))
	var p *ir.Program
	var err error
	if strings.HasSuffix(file, ".litmus") {
		text, failed := os.ReadFile(path)
		if failed != nil {
			t.Fatal(failed)
		}
		opt.Init = schedules.FileRows
		p, err = irtext.Parse(path, string(text))
	} else {
		p, err = sqlmodel.Load(t.Context(), []string{path}, sqlmodel.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := Check(t.Context(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
