package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/report"
)

// TestRepairsOnce: repairs that several findings have are written with the first of them.
func TestRepairsOnce(t *testing.T) {
	r := open()
	r.Verdict, r.Open = report.NotRobust, nil
	found := check(t, "litmus/read-only-anomaly.litmus", robust.Options{Question: robust.Question{Init: robust.FileRows}}).Findings[0]
	r.Findings = []report.Finding{found, found, found}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Proved = nil
		f.Repaired("lock", []string{"lock the row", "lock the row", "write the row"}[i], "+ SELECT 1;\n", report.Robust, nil, 1, 0, nil)
	}
	var b bytes.Buffer
	if err := report.Text(&b, r, report.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"- lock the row": 1, "- write the row": 1, "The repairs of finding 1 remove it, too.": 1, "+ SELECT 1;": 2} {
		if got := strings.Count(b.String(), text); got != want {
			t.Errorf("%q is there %d times, want %d:\n%s", text, got, want, &b)
		}
	}
}
