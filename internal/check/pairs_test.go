package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/summary"
	"github.com/txrobust/robust/report"
)

// reasons gives the kind of each pair of a proof.
func reasons(t *testing.T, r *report.Report) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, g := range r.Explanation.Pairs {
		if g.Text == "" {
			t.Errorf("no reason: %+v", g)
		}
		for _, p := range g.Pairs {
			out[p.First+" "+p.Second] = g.Kind
		}
	}
	return out
}

// TestPairs: each pair of a proof has one reason, with what it rests on.
func TestPairs(t *testing.T) {
	rep := advised(t, `CREATE TABLE account (id int PRIMARY KEY, v int NOT NULL);
CREATE TABLE day (id int PRIMARY KEY, v int NOT NULL);
CREATE TABLE note (id int PRIMARY KEY, v int NOT NULL);
CREATE FUNCTION add(i int) RETURNS void LANGUAGE sql AS 'UPDATE account SET v = v + 1 WHERE id = i';
CREATE FUNCTION close(d int, i int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x int;
BEGIN
  SELECT v INTO x FROM account WHERE id = i;
  UPDATE day SET v = x WHERE id = d;
  UPDATE account SET v = v WHERE id = i;
END $$;
CREATE FUNCTION write(i int) RETURNS void LANGUAGE sql AS 'UPDATE note SET v = v + 1 WHERE id = i';
`, Options{})
	if rep.Verdict != report.Robust {
		t.Fatal(rep.Verdict)
	}
	got := reasons(t, rep)
	for pair, want := range map[string]string{
		"add write": codes.PairApart, "close write": codes.PairApart, "add add": codes.PairNeverDelayed, "add close": codes.PairNeverDelayed,
	} {
		if got[pair] != want {
			t.Errorf("%s: %q, not %q", pair, got[pair], want)
		}
	}
	if len(got) != 6 {
		t.Errorf("%d of 6 pairs have a reason", len(got))
	}
	asked := map[string]bool{}
	for _, p := range rep.Explanation.Refuted {
		asked[p.Question] = true
	}
	for _, g := range rep.Explanation.Pairs {
		for _, q := range g.Obligations {
			if !asked[q] {
				t.Errorf("%s is no step of the proof", q)
			}
		}
	}
}

// TestManyPairs: the argument of many transactions is short.
func TestManyPairs(t *testing.T) {
	var sql strings.Builder
	for i := range 40 {
		fmt.Fprintf(&sql, "CREATE TABLE t%d (id int PRIMARY KEY, v int NOT NULL);\n", i)
		fmt.Fprintf(&sql, "CREATE FUNCTION f%d(i int) RETURNS void LANGUAGE sql AS 'UPDATE t%[1]d SET v = v + 1 WHERE id = i';\n", i)
		fmt.Fprintf(&sql, `CREATE FUNCTION g%d(i int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x int;
BEGIN
  SELECT v INTO x FROM t%[1]d WHERE id = i;
  UPDATE t%[1]d SET v = x + 1 WHERE id = i;
END $$;
`, i)
	}
	rep := advised(t, sql.String(), Options{})
	if n := len(reasons(t, rep)); n != 80*81/2 {
		t.Errorf("%d of %d pairs have a reason", n, 80*81/2)
	}
	var out strings.Builder
	if err := summary.Write(&out, []*report.Report{rep}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n > 60 {
		t.Errorf("%d lines:\n%s", n, out.String())
	}
}
