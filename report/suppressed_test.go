package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// skew is a write skew; a statement of it is left to be filled in.
const skew = `CREATE TABLE duty (name text PRIMARY KEY, on_call boolean NOT NULL);
-- name: leave
BEGIN;
SELECT on_call FROM duty WHERE name = 'b';
UPDATE duty SET on_call = false WHERE name = 'a';
COMMIT;
-- name: go
BEGIN;
SELECT on_call FROM duty WHERE name = 'a';
UPDATE duty SET on_call = false WHERE name = 'b';
COMMIT;
`

func finding(t *testing.T, src string) report.Finding {
	t.Helper()
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "duty.sql", Text: src}}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}, Output: robust.Output{Sources: func(file string) (string, bool) { return src, file == "duty.sql" }}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 {
		t.Fatalf("%s with %d findings", r.Verdict, len(r.Findings))
	}
	return r.Findings[0]
}

// TestFingerprint: what changes a fingerprint, and what does not.
func TestFingerprint(t *testing.T) {
	was := finding(t, skew)
	for _, c := range []struct {
		what     string
		old, new string
		same     bool
	}{
		{"lines move", "-- name: leave", "\n\n\n-- name: leave", true},
		{"space in a statement", "SELECT on_call FROM duty WHERE name = 'b'", "SELECT  on_call\n   FROM duty\tWHERE name = 'b'", true},
		{"a comment in a statement", "SELECT on_call FROM duty WHERE name = 'b'", "SELECT on_call /* who? */ FROM duty -- him\n WHERE name = 'b'", true},
		{"a table that has nothing to do with it", "-- name: leave", "CREATE TABLE x (i int);\n-- name: leave", true},
		{"another name", "-- name: leave", "-- name: depart", false},
		{"another statement", "SELECT on_call FROM duty WHERE name = 'b'", "SELECT name, on_call FROM duty WHERE name = 'b'", false},
	} {
		if got := finding(t, strings.Replace(skew, c.old, c.new, 1)); (got.Fingerprint == was.Fingerprint) != c.same {
			t.Errorf("%s: the fingerprint is %s after %s", c.what, got.Fingerprint, was.Fingerprint)
		}
	}
}

// TestReadBaseline reads what reports write, and refuses what is none.
func TestReadBaseline(t *testing.T) {
	f := finding(t, skew)
	r := open()
	r.Verdict, r.Open, r.Findings = report.NotRobust, nil, []report.Finding{f}
	var asJSON, asSARIF bytes.Buffer
	if err := report.JSON(&asJSON, r); err != nil {
		t.Fatal(err)
	}
	if err := report.JSON(&asJSON, suppressed()); err != nil {
		t.Fatal(err)
	}
	if err := report.SARIF(&asSARIF, []*report.Report{r, open()}, "test"); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		n    int
	}{"JSON": {asJSON.Bytes(), 2}, "SARIF": {asSARIF.Bytes(), 1}} {
		b, err := report.ReadBaseline("old", c.data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		// Of what was suppressed then, only what the baseline accepted.
		if len(b.Entries) != c.n || !b.Has(&f) || b.Entries[0].Code != f.Code {
			t.Errorf("%s: the entries are %+v", name, b.Entries)
		}
	}
	for data, want := range map[string]string{
		"": "old:1:1: this file is empty",
		"{\"verdict\": \"robust\",\n  \"findings\" []}": "old:2:14: this is no baseline",
		"{\"verdict\": \"robust\",\n \"findings\": 3}":  "old:2:14: this is no baseline",
		"\n {\"x\": 1}": "old:2:2: this object is no report",
		`{"verdict": "not-robust", "findings": [{"code": "RB1001"}]}`: "old:1:1: a finding in this report has no fingerprint",
		`{"verdict": "robust", "findings": []} nonsense`:              "old:1:40: this is no baseline",
	} {
		_, err := report.ReadBaseline("old", []byte(data))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", data, err, want)
		}
	}
}

// TestIn: which transactions of a finding have to do with a part of the source.
func TestIn(t *testing.T) {
	f := finding(t, skew)
	for _, c := range []struct {
		from, to int
		want     string
	}{{3, 6, "leave"}, {8, 11, "go"}, {1, 20, "go leave"}, {1, 2, ""}} {
		g := &ir.Ignore{From: ir.Pos{File: "duty.sql", Line: c.from, Col: 1}, To: ir.Pos{File: "duty.sql", Line: c.to, Col: 80}}
		if got := strings.Join(findings.In(&f, g.Covers), " "); got != c.want {
			t.Errorf("lines %d to %d: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}
