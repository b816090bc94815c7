package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
)

// TestUnusedFailures: an expression that may fail decides whether the transaction commits,
// also where nobody looks at its value.
func TestUnusedFailures(t *testing.T) {
	for _, tc := range []struct {
		name, typ, use string
		robust         bool
	}{
		{"a cast in a query", "double precision", "PERFORM v::int FROM s WHERE k = a;", false},
		{"a root in a query", "double precision", "PERFORM sqrt(length(v) - 1) FROM s WHERE k = a;", false},
		{"a variable", "double precision", "x := sqrt(10 - (SELECT count(*) FROM s WHERE v <> 'x'));", false},
		{"a condition", "double precision", "IF sqrt(10 - (SELECT count(*) FROM s WHERE v <> 'x')) >= 0 THEN NULL; END IF;", false},
		{"a variable of a domain", "rest := 0", "x := 10 - (SELECT count(*) FROM s WHERE v <> 'x');", false},
		{"a cast to a domain", "double precision", "PERFORM length(v)::rest FROM s WHERE k = a;", false},
		{"a setting", "double precision", "PERFORM set_config('a.n', (SELECT count(*)::text FROM s WHERE v <> 'x'), true); IF current_setting('a.n') = '1' THEN RETURN; END IF;", false},
		{"a constant setting", "double precision", "PERFORM set_config('a.n', '1', true); IF current_setting('a.n') = '2' THEN RETURN; END IF;", true},
		{"what never fails", "double precision", "PERFORM upper(v) FROM s WHERE k = a;", true},
		{"a variable of what never fails", "double precision", "x := abs(10 - (SELECT count(*) FROM s WHERE v <> 'x'));", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rep := reportOf(t, `
CREATE TABLE s (k int PRIMARY KEY, v text NOT NULL);
CREATE DOMAIN rest AS int CHECK (VALUE >= 0);
CREATE FUNCTION f(a int, b int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE x `+tc.typ+`; BEGIN
  `+tc.use+`
  UPDATE s SET v = 'x' WHERE k = b;
END $$;`, robust.Options{Questions: 200})
			if proved := rep.Verdict == robust.Robust; proved != tc.robust {
				t.Errorf("the verdict is %s: %+v", rep.Verdict, rep.Open)
			}
		})
	}
}
