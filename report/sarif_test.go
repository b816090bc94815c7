package report_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/golden"
	"github.com/txrobust/robust/internal/sarif"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// suppressed is a report with a finding that is accepted, and a stale entry.
func suppressed() *report.Report {
	r := open()
	r.Verdict, r.Open, r.Rest = report.NotRobust, nil, report.Robust
	f := report.Finding{Class: report.SnapshotIsolation, Status: report.Confirmed, Code: "RB1001", Fingerprint: "00112233445566778899aabbccddeeff", Kind: witness.WriteSkew, Cycle: []string{"pay", "ship"}, Edges: []witness.Edge{}, Repairs: []string{}, Validation: []crosscheck.Judgement{}}
	r.Suppressed = []report.Suppressed{
		{Finding: f, By: codes.ByComment, Reason: "pay runs at night", Position: witness.Position{File: "f.sql", Line: 2, Col: 12}},
		{Finding: f, By: codes.ByBaseline, Position: witness.Position{File: "old.json"}},
	}
	r.Stale = []report.BaselineEntry{{Code: "RB1003", Fingerprint: "ffeeddccbbaa99887766554433221100", Cycle: []string{"pay", "pay"}}}
	return r
}

func logOf(t *testing.T, reports ...*report.Report) (*sarif.Log, []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := report.SARIF(&b, reports, "test"); err != nil {
		t.Fatal(err)
	}
	log := &sarif.Log{}
	read := json.NewDecoder(bytes.NewReader(b.Bytes()))
	read.DisallowUnknownFields()
	if err := read.Decode(log); err != nil {
		t.Fatal(err)
	}
	return log, b.Bytes()
}

// TestSARIF compares logs with golden files. The module internal/outside validates logs
// against the schema of the format.
func TestSARIF(t *testing.T) {
	reports := map[string]*report.Report{"open": open(), "suppressed": suppressed(), "suspected": suspected(t)}
	var all []*report.Report
	for _, c := range cases {
		reports[c.name] = check(t, c.path, c.opt)
		all = append(all, reports[c.name])
	}
	for name, r := range reports {
		_, data := logOf(t, r)
		if !slices.Contains([]string{"open", "suppressed", "read-only-anomaly"}, name) {
			continue
		}
		golden.Compare(t, filepath.Join("testdata", name+".sarif"), string(data))
	}
	log, _ := logOf(t, all...)
	if len(log.Runs) != len(all) {
		t.Errorf("%d programs are %d runs", len(all), len(log.Runs))
	}
}

// TestSARIFFinding is what a log says of a finding.
func TestSARIFFinding(t *testing.T) {
	r := check(t, "litmus/read-only-anomaly.litmus", cases[1].opt)
	log, _ := logOf(t, r)
	run := log.Runs[0]
	if len(run.Results) != 1 {
		t.Fatalf("%d results", len(run.Results))
	}
	res, f := run.Results[0], r.Findings[0]
	if res.RuleID != "RB1004" || run.Tool.Driver.Rules[res.RuleIndex].ID != "RB1004" || res.Level != "error" || res.PartialFingerprints["robust/v1"] != f.Fingerprint {
		t.Errorf("the result is %+v", res)
	}
	if e := f.Edges[0]; e.Type != "RW" || res.Locations[0].Physical.Region.StartLine != e.FromPosition.Line {
		t.Errorf("it is not where %s reads what %s changes: %+v", e.FromName, e.ToName, res.Locations[0].Physical.Region.StartLine)
	}
	lines := map[int]bool{res.Locations[0].Physical.Region.StartLine: true}
	for _, l := range res.RelatedLocations {
		lines[l.Physical.Region.StartLine] = true
	}
	for _, e := range f.Edges {
		if !lines[e.FromPosition.Line] || !lines[e.ToPosition.Line] {
			t.Errorf("a statement of the cycle is missing: %+v", e)
		}
	}
	var order []int
	for _, thread := range res.CodeFlows[0].ThreadFlows {
		for _, l := range thread.Locations {
			order = append(order, l.Order)
		}
	}
	slices.Sort(order)
	if len(res.CodeFlows[0].ThreadFlows) != len(f.Witness.Transactions) || len(order) != len(f.Witness.Schedule) || order[0] != 1 || order[len(order)-1] != len(order) {
		t.Errorf("the code flow is no schedule: %v", order)
	}
	log, _ = logOf(t, suspected(t))
	if res := log.Runs[0].Results[0]; res.RuleID != "RB1001" || res.Level != "note" {
		t.Errorf("a finding that is suspected only is %s, with the level %s", res.RuleID, res.Level)
	}
}
