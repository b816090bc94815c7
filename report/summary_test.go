package report_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/golden"
	"github.com/txrobust/robust/internal/summary"
	"github.com/txrobust/robust/report"
)

func markdownOf(t *testing.T, opt summary.Options, reports ...*report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := summary.Write(&b, reports, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestMarkdown compares summaries with a golden file.
func TestMarkdown(t *testing.T) {
	var all []*report.Report
	for _, c := range cases {
		all = append(all, check(t, c.path, c.opt))
	}
	all = append(all, open(), suppressed(), suspected(t))
	golden.Compare(t, filepath.Join("testdata", "summary.md"), markdownOf(t, summary.Options{}, all...))
}

// TestMarkdownNew: what is new on a branch comes first, and is counted.
func TestMarkdownNew(t *testing.T) {
	r := suspected(t)
	known := r.Findings[0]
	fresh := known
	fresh.Fingerprint, fresh.Cycle = "00", []string{"fresh", "other"}
	r.Findings = []report.Finding{known, fresh}
	text := markdownOf(t, summary.Options{Since: "main", New: func(f *report.Finding) bool { return f.Fingerprint == "00" }}, r)
	first, since, before := strings.Index(text, "fresh -&gt; other"), strings.Index(text, "**New since main:**"), strings.Index(text, "Known before:")
	if since < 0 || first < since || before < first || strings.Count(text, "| new |") != 1 || !strings.Contains(text, "suspected | 1 |") {
		t.Errorf("%d %d %d\n%s", since, first, before, text)
	}
}

// TestMarkdownHostile: names do not leave the place that they are put in.
func TestMarkdownHostile(t *testing.T) {
	r := suspected(t)
	r.Program = "a|b<script>"
	r.Findings[0].Cycle = []string{"</summary><img src=x>", "```"}
	text := markdownOf(t, summary.Options{}, r)
	for _, bad := range []string{"<script>", "<img", "a|b"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is in the summary:\n%s", bad, text)
		}
	}
}
