package robust_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// skews has write skews between all pairs of three transactions, but for those
// that a comment at %s is about; {x} stands before transaction x.
const skews = `CREATE TABLE duty (name text PRIMARY KEY, n int NOT NULL);
{a}
-- name: a
BEGIN; SELECT n FROM duty WHERE name = 'b'; UPDATE duty SET n = 1 WHERE name = 'a'; COMMIT;
{b}
-- name: b
BEGIN; SELECT n FROM duty WHERE name = 'a'; UPDATE duty SET n = 2 WHERE name = 'b'; COMMIT;
{c}
-- name: c
BEGIN; SELECT n FROM duty WHERE name = 'd'; UPDATE duty SET n = 3 WHERE name = 'c'; COMMIT;
{d}
-- name: d
BEGIN; SELECT n FROM duty WHERE name = 'c'; UPDATE duty SET n = 4 WHERE name = 'd'; COMMIT;
`

// checkSkews checks the program with comments before its transactions.
func checkSkews(t *testing.T, comments map[string]string, opt robust.Options) (*robust.Report, error) {
	t.Helper()
	src := skews
	for _, x := range []string{"a", "b", "c", "d"} {
		c := "--"
		if comments[x] != "" {
			c = "-- robust: ignore " + comments[x]
		}
		src = strings.Replace(src, "{"+x+"}", c, 1)
	}
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "duty.sql", Text: src}}, sqlmodel.Options{})
	if err != nil {
		return nil, err
	}
	opt.Engine, opt.Sources = engine.Postgres(), func(string) (string, bool) { return src, true }
	return robust.Check(t.Context(), p, opt)
}

// summary is what a report says of findings.
func summary(r *robust.Report) string {
	out := string(r.Verdict) + ", rest " + string(r.Rest) + ";"
	for _, f := range r.Findings {
		out += " " + strings.Join(f.Cycle, "-")
	}
	for _, s := range r.Suppressed {
		out += fmt.Sprintf(" (%s by %s %s)", strings.Join(s.Finding.Cycle, "-"), s.By, s.Reason)
	}
	return out
}

// TestIgnore: what comments accept, and what is checked besides.
func TestIgnore(t *testing.T) {
	for _, c := range []struct {
		comments map[string]string
		want     string
	}{
		{map[string]string{}, "not-robust, rest ; a-b c-d"},
		// There is another finding, without the transaction.
		{map[string]string{"a": "runs at night"}, "not-robust, rest not-robust; c-d (a-b by comment runs at night)"},
		{map[string]string{"a": "runs at night", "c": "is rare"}, "not-robust, rest robust; (a-b by comment runs at night) (c-d by comment is rare)"},
		{map[string]string{"a": "RB1001 runs at night", "d": "RB1001 is rare"}, "not-robust, rest robust; (a-b by comment runs at night) (c-d by comment is rare)"},
		// Another code is not accepted.
		{map[string]string{"a": "RB1002 runs at night"}, "not-robust, rest ; a-b c-d"},
		// Both sides of one finding may say so.
		{map[string]string{"a": "x", "b": "y", "c": "z"}, "not-robust, rest robust; (a-b by comment x) (c-d by comment z)"},
	} {
		r, err := checkSkews(t, c.comments, robust.Options{})
		if err != nil {
			t.Errorf("%v: %v", c.comments, err)
			continue
		}
		if got := summary(r); got != c.want {
			t.Errorf("%v: %s, want %s", c.comments, got, c.want)
		}
	}
	for _, c := range []struct {
		comments map[string]string
		want     string
	}{
		{map[string]string{"a": "x", "c": "y", "d": "RB1004 z"}, "duty.sql:11:12: this ignores nothing: no finding RB1004 has a statement here"},
		{map[string]string{"a": "RB9 x"}, "duty.sql:2:12: RB9 is no code of a finding"},
		{map[string]string{"a": "RB2001 x"}, "duty.sql:2:12: RB2001 is no code of a finding"},
		{map[string]string{"a": "RB1001"}, "duty.sql:2:12: a finding is ignored for a reason"},
	} {
		if _, err := checkSkews(t, c.comments, robust.Options{}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.comments, err, c.want)
		}
	}
}

// TestIgnoreFirst: where a check ends with the first finding, the same counts.
func TestIgnoreFirst(t *testing.T) {
	for _, c := range []struct {
		comments map[string]string
		want     string
	}{
		{map[string]string{"a": "x"}, "not-robust, rest not-robust; c-d (a-b by comment x)"},
		{map[string]string{"a": "x", "c": "y"}, "not-robust, rest robust; (a-b by comment x) (c-d by comment y)"},
	} {
		r, err := checkSkews(t, c.comments, robust.Options{Question: robust.Question{First: true}})
		if err != nil {
			t.Fatal(err)
		}
		if got := summary(r); got != c.want || len(r.Findings) == 0 && r.Open != nil {
			t.Errorf("%v: %s, want %s; open is %+v", c.comments, got, c.want, r.Open)
		}
	}
}

// TestIgnoreRobust: a comment in a robust program is stale.
func TestIgnoreRobust(t *testing.T) {
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "one.sql", Text: `CREATE TABLE t (k int PRIMARY KEY, v int);
-- robust: ignore it is fine
CREATE FUNCTION inc(i int) RETURNS void LANGUAGE sql AS 'UPDATE t SET v = v + 1 WHERE k = i';`}}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}}); err == nil || !strings.HasPrefix(err.Error(), "one.sql:2:12: this ignores nothing") {
		t.Errorf("a stale comment: %v", err)
	}
}

// TestIgnoreHelper: a comment at a function that others call is about their
// statements in it; the callers are checked without each other.
func TestIgnoreHelper(t *testing.T) {
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "help.sql", Text: `CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL);
-- robust: ignore only old values are read
CREATE FUNCTION peek(i int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN
  SELECT v INTO n FROM t WHERE k = i;
  RETURN n;
END $$;
CREATE FUNCTION a() RETURNS void LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN
  n := peek(1);
  UPDATE t SET v = n WHERE k = 2;
END $$;
CREATE FUNCTION b() RETURNS void LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN
  n := peek(2);
  UPDATE t SET v = n WHERE k = 1;
END $$;`}}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 0 || len(r.Suppressed) != 1 || r.Rest != robust.Robust {
		t.Errorf("%s", summary(r))
	}
}

// TestBaseline: what a baseline accepts, what is checked besides, and which
// entries are stale.
func TestBaseline(t *testing.T) {
	first, err := checkSkews(t, nil, robust.Options{})
	if err != nil {
		t.Fatal(err)
	}
	entry := func(f report.Finding) report.BaselineEntry {
		return report.BaselineEntry{Code: f.Code, Fingerprint: f.Fingerprint, Cycle: f.Cycle}
	}
	base := &report.Baseline{File: "old.json", Entries: []report.BaselineEntry{entry(first.Findings[0])}}
	second, err := checkSkews(t, nil, robust.Options{Baseline: base})
	if err != nil {
		t.Fatal(err)
	}
	if got := summary(second); got != "not-robust, rest not-robust; c-d (a-b by baseline )" || len(second.Stale) != 0 {
		t.Errorf("with the first finding: %s, stale %v", got, second.Stale)
	}
	gone := report.BaselineEntry{Code: "RB1001", Fingerprint: strings.Repeat("0", 32)}
	base.Entries = append(base.Entries, entry(second.Findings[0]), gone)
	third, err := checkSkews(t, nil, robust.Options{Baseline: base})
	if err != nil {
		t.Fatal(err)
	}
	if got := summary(third); !strings.HasPrefix(got, "not-robust, rest robust; (") || len(third.Suppressed) != 2 {
		t.Errorf("with all findings: %s", got)
	}
	if len(third.Stale) != 1 || third.Stale[0].Fingerprint != gone.Fingerprint {
		t.Errorf("stale is %v", third.Stale)
	}
}

// TestRestUnknown: where the rest is not decided, nothing is called stale.
func TestRestUnknown(t *testing.T) {
	r, err := checkSkews(t, map[string]string{"a": "x", "c": "RB1004 y"}, robust.Options{Budget: robust.Budget{Helpers: 1, QueryLimit: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict == robust.Robust || r.Rest == robust.Robust || r.Open == nil && len(r.Findings) == 0 {
		t.Errorf("without effort: %s", summary(r))
	}
}
