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

func markdownOf(t *testing.T, reports ...*report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := summary.Write(&b, reports); err != nil {
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
	golden.Compare(t, filepath.Join("testdata", "summary.md"), markdownOf(t, all...))
}

// TestMarkdownHostile: names do not leave the place that they are put in.
func TestMarkdownHostile(t *testing.T) {
	r := suspected(t)
	r.Program = "a|b<script>"
	r.Findings[0].Cycle = []string{"</summary><img src=x>", "```"}
	text := markdownOf(t, r)
	for _, bad := range []string{"<script>", "<img", "a|b"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is in the summary:\n%s", bad, text)
		}
	}
}
