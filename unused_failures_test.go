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
		{"a condition without tables", "int", "PERFORM 1 WHERE EXISTS (SELECT 1 FROM s WHERE k = a AND 10 / length(v) > 0);", false},
		{"a function of an aggregate", "int", "PERFORM at_least_two(count(*)) FROM s WHERE v <> 'x';", false},
		{"a column of EXISTS that is locked", "int", "IF EXISTS (SELECT 10 / length(v) FROM s WHERE k = a FOR SHARE) THEN NULL; END IF;", false},
		{"an aggregate in EXISTS", "int", "IF EXISTS (SELECT 10 / count(*) FROM s WHERE v <> 'x') THEN NULL; END IF;", false},
		{"a column of EXISTS", "int", "IF EXISTS (SELECT 10 / length(v) FROM s) THEN NULL; END IF;", true},
		{"a negative LIMIT", "int", "PERFORM 1 LIMIT (SELECT count(*) - 2 FROM s WHERE v <> 'x');", false},
		{"a LIMIT that is given", "int", "PERFORM 1 LIMIT a;", true},
		{"a variable that is not null", "int NOT NULL := 0", "x := nullif((SELECT count(*) FROM s WHERE v <> 'x'), 1);", false},
		{"a variable that is not null, of a constant", "int NOT NULL := 0", "x := 1;", true},
		{"a sequence", "bigint", "SELECT last_value INTO x FROM q; PERFORM 1 FROM s WHERE k = x; IF FOUND THEN RETURN; END IF;", false},
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
CREATE SEQUENCE q;
CREATE FUNCTION at_least_two(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
  IF n < 2 THEN RAISE EXCEPTION 'too few'; END IF;
  RETURN n;
END $$;
CREATE FUNCTION f(a int, b int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE x `+tc.typ+`; BEGIN
  `+tc.use+`
  UPDATE s SET v = 'x' WHERE k = b;
END $$;`, robust.Options{Questions: 200, Helpers: 1}, "f")
			if proved := rep.Verdict == robust.Robust; proved != tc.robust {
				t.Errorf("the verdict is %s: %+v", rep.Verdict, rep.Open)
			}
		})
	}
}
