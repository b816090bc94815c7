package robust_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/report"
)

// skewBehind is a write skew of two calls with p = 1 and p = 2 behind a condition, which may
// read n, the row of the other one.
const skewBehind = `
CREATE TABLE r (k int PRIMARY KEY, v int NOT NULL CHECK (v IN (0, 1)));
CREATE FUNCTION f(p int, q int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN
  IF p NOT IN (1, 2) THEN RETURN; END IF;
  SELECT v INTO n FROM r WHERE k = 3 - p LOCK;
  IF n = 0 AND (COND) THEN UPDATE r SET v = 1 WHERE k = p; END IF;
END $$;`

// TestGuards: AND and OR do not compute their right side where the left one decides, and what the
// left side keeps from failing does not end the transaction.
func TestGuards(t *testing.T) {
	for _, cond := range []string{
		"n = 0 OR 10 / n < 5",
		"NOT (n <> 0 AND 10 / n > 5)",
		"n = 0 OR 10 % n < 5",
		"n = 0 OR mod(10, n) < 5",
		"q = 0 OR 10 / q < 5",
		"q IS NULL OR q = 0 OR 1 = 2 OR 10 / q < 5",
		"1 = 1 OR 10 / n = 1",
		"CASE WHEN n = 0 OR 10 / n < 5 THEN true ELSE false END",
	} {
		for lock, robustly := range map[string]bool{"": false, "FOR UPDATE": true} {
			src := strings.NewReplacer("LOCK", lock, "COND", cond).Replace(skewBehind)
			rep := reportOf(t, src, robust.Options{Budget: robust.Budget{Questions: 200, Helpers: 1}}, "f")
			if want := map[bool]report.Verdict{true: robust.Robust, false: robust.NotRobust}[robustly]; rep.Verdict != want {
				t.Errorf("%s %s: %s", cond, lock, rep.Verdict)
			}
		}
	}
}

// TestShownNumbers: jsonb shows the digits behind the point that a number was written with, so that a condition
// on its text is not taken to be false.
func TestShownNumbers(t *testing.T) {
	for cond, want := range map[string][]report.Verdict{
		`'{"a": 1.0}'::jsonb ->> 'a' = '1.0'`:                       {robust.Unknown, robust.NotRobust},
		`('[1.10e1]'::jsonb)::text = '[11.0]'`:                      {robust.Unknown, robust.NotRobust},
		`jsonb_build_object('p', 1.50) ->> 'p' = '1.50'`:            {robust.Unknown, robust.NotRobust},
		`length(to_jsonb(2.00)::text) = 4`:                          {robust.Unknown, robust.NotRobust},
		`jsonb_set('{"a": 1}', '{a}', '-0.0')::text = '{"a": 0.0}'`: {robust.Unknown, robust.NotRobust},
		`'{"a": 1.5}'::jsonb ->> 'a' = '1.5'`:                       {robust.NotRobust},
		`'{"a": 1e3}'::jsonb ->> 'a' = '1000'`:                      {robust.NotRobust},
		`'{"a": 1.5}'::jsonb ->> 'a' = '1.50'`:                      {robust.Robust},
	} {
		src := strings.NewReplacer("LOCK", "", "COND", cond).Replace(skewBehind)
		rep := reportOf(t, src, robust.Options{Budget: robust.Budget{Questions: 200, Helpers: 1}}, "f")
		ok := false
		for _, v := range want {
			ok = ok || rep.Verdict == v
		}
		if !ok {
			t.Errorf("%s: %s", cond, rep.Verdict)
		}
	}
}
