package robust_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/schedules"
	"github.com/txrobust/robust/sqlmodel"
)

// TestUnusedFailures: an expression that may fail decides whether the transaction commits,
// also where nobody looks at its value.
func TestUnusedFailures(t *testing.T) {
	for _, tc := range []struct {
		name, use string
		robust    bool
	}{
		{"a cast in a query", "PERFORM v::int FROM s WHERE k = a;", false},
		{"a root in a query", "PERFORM sqrt(length(v) - 1) FROM s WHERE k = a;", false},
		{"a variable", "x := sqrt(10 - (SELECT count(*) FROM s WHERE v <> 'x'));", false},
		{"a condition", "IF sqrt(10 - (SELECT count(*) FROM s WHERE v <> 'x')) >= 0 THEN NULL; END IF;", false},
		{"a variable of a domain", "y := 10 - (SELECT count(*) FROM s WHERE v <> 'x');", false},
		{"a cast to a domain", "PERFORM length(v)::rest FROM s WHERE k = a;", false},
		{"a setting", "PERFORM set_config('a.n', (SELECT count(*)::text FROM s WHERE v <> 'x'), true); IF current_setting('a.n') = '1' THEN RETURN; END IF;", false},
		{"a constant setting", "PERFORM set_config('a.n', '1', true); IF current_setting('a.n') = '2' THEN RETURN; END IF;", true},
		{"what never fails", "PERFORM upper(v) FROM s WHERE k = a;", true},
		{"a variable of what never fails", "x := abs(10 - (SELECT count(*) FROM s WHERE v <> 'x'));", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "unused.sql", Text: `
CREATE TABLE s (k int PRIMARY KEY, v text NOT NULL);
CREATE DOMAIN rest AS int CHECK (VALUE >= 0);
CREATE FUNCTION f(a int, b int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE x double precision; ` + declared(tc.use) + ` BEGIN
  ` + tc.use + `
  UPDATE s SET v = 'x' WHERE k = b;
END $$;`}}, sqlmodel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rep, err := robust.Check(t.Context(), p, robust.Options{Engine: engine.Postgres(), Init: schedules.AnyRows, Questions: 200})
			if err != nil {
				t.Fatal(err)
			}
			if proved := rep.Verdict == robust.Robust; proved != tc.robust {
				t.Errorf("the verdict is %s: %+v", rep.Verdict, rep.Open)
			}
		})
	}
}

// declared declares the variable y where it is used.
func declared(use string) string {
	if strings.Contains(use, "y :=") {
		return "y rest := 0;"
	}
	return ""
}
