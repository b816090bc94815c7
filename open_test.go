package robust_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/report"
)

// TestOpenNames: where the solver had to guess what an expression gives, the report names it and
// its place, and where the transactions of a cycle meet.
func TestOpenNames(t *testing.T) {
	text := func(test string) string {
		return `CREATE TABLE s (k int PRIMARY KEY, v text NOT NULL);
CREATE FUNCTION f(b int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE x text; BEGIN
  x := CASE WHEN (SELECT count(*) FROM s WHERE v <> 'x') < 2 THEN '(' ELSE 'a' END;
  ` + test + `
  UPDATE s SET v = 'x' WHERE k = b;
END $$;`
	}
	rep := reportOf(t, text("PERFORM 'a' ~ x;"), robust.Options{Budget: robust.Budget{Helpers: 1}})
	if rep.Verdict != robust.Unknown {
		t.Fatalf("the verdict is %s", rep.Verdict)
	}
	if why := "textregexeq(text,text) at t.sql:4:3"; !strings.Contains(rep.Open.Reason, why) {
		t.Errorf("the reason has no %q: %s", why, rep.Open.Reason)
	}
	settle := strings.Join(rep.Open.Settle, "\n")
	for _, want := range []string{"what the solver has to guess", "they meet in s (v) at t.sql:3:18 and t.sql:5:3"} {
		if !strings.Contains(settle, want) {
			t.Errorf("what would settle it has no %q:\n%s", want, settle)
		}
	}
	// The same with a comparison.
	if rep := reportOf(t, text("IF x = '(' THEN RETURN; END IF;"), robust.Options{}); rep.Verdict != robust.NotRobust {
		t.Errorf("with a comparison the verdict is %s", rep.Verdict)
	}
}

// TestSecondRow: a subquery that is used as a value fails if it has a second row, also where nobody
// looks at the value, and where it is no query of the model.
func TestSecondRow(t *testing.T) {
	for _, tc := range []struct {
		query string
		want  report.Verdict
	}{
		{"SELECT k FROM (SELECT k FROM s WHERE v = 'x' UNION ALL SELECT -1) u", robust.NotRobust},
		{"SELECT k FROM (SELECT k FROM s WHERE v = 'x' UNION ALL SELECT -1) u LIMIT 1", robust.Robust},
		{"SELECT count(*) FROM (SELECT k FROM s WHERE v = 'x' UNION ALL SELECT -1) u", robust.Robust},
		{"SELECT v FROM s WHERE v = 'x' GROUP BY v, k", robust.NotRobust},
	} {
		rep := reportOf(t, `CREATE TABLE s (k int PRIMARY KEY, v text NOT NULL);
CREATE FUNCTION f(b int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  PERFORM (`+tc.query+`);
  UPDATE s SET v = 'x' WHERE k = b;
END $$;`, robust.Options{})
		if rep.Verdict != tc.want {
			t.Errorf("%s: the verdict is %s, not %s: %+v", tc.query, rep.Verdict, tc.want, rep.Open)
		}
	}
}

// TestStoredRanges: whether a row is in the way of another one is the same condition whichever of
// the two an EXCLUDE constraint or a query names first.
func TestStoredRanges(t *testing.T) {
	for _, tc := range []struct {
		name, where string
		robust      bool
	}{
		{"the column first", "room = r AND during && int4range(a, b)", true},
		{"the column second", "int4range(a, b) && during AND r = room", true},
		{"of every room", "during && int4range(a, b)", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rep := reportOf(t, `CREATE EXTENSION btree_gist;
CREATE TABLE res (room int NOT NULL, during int4range NOT NULL, EXCLUDE USING gist (room WITH =, during WITH &&));
CREATE FUNCTION reserve(r int, a int, b int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT 1 FROM res WHERE `+tc.where+`) THEN RAISE EXCEPTION 'taken'; END IF;
  INSERT INTO res VALUES (r, int4range(a, b));
END $$;`, robust.Options{})
			if proved := rep.Verdict == robust.Robust; proved != tc.robust {
				t.Errorf("the verdict is %s: %+v", rep.Verdict, rep.Open)
			}
		})
	}
}

// TestImpossibleRows: checks that contradict each other are told of, since everything holds of a table
// without rows.
func TestImpossibleRows(t *testing.T) {
	for _, tc := range []struct {
		columns    string
		impossible bool
	}{
		{"n int NOT NULL CHECK (n > 5), m int NOT NULL, CHECK (n < m), CHECK (m < 3)", true},
		{"n int NOT NULL CHECK (n > 5), m int NOT NULL, CHECK (n < m)", false},
		{"n int CHECK (n > 5), m int NOT NULL, CHECK (n < m), CHECK (m < 3)", false}, // n may be NULL
		{"n int, m int, CHECK (false)", true},
		{"n int, m int", false},
	} {
		rep := reportOf(t, "CREATE TABLE c (id int PRIMARY KEY, "+tc.columns+");\nCREATE FUNCTION f() RETURNS void LANGUAGE sql AS 'UPDATE c SET m = 1';", robust.Options{})
		told := slices.ContainsFunc(rep.Notes, func(n report.Note) bool { return n.Line == 1 && strings.Contains(n.Text, "no row of c can") })
		if told != tc.impossible {
			t.Errorf("%s: %v", tc.columns, rep.Notes)
		}
	}
}
