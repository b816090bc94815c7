package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/report"
)

// TestDomainOfParameter: a call with a value that is not one of the domain of its parameter
// fails, so that it is part of no execution. Nor is a cast of such a value.
func TestDomainOfParameter(t *testing.T) {
	for _, tc := range []struct {
		domain string
		value  string // what is tested
		want   report.Verdict
	}{
		{"CREATE DOMAIN amount AS int CHECK (VALUE >= 0);", "p", robust.Robust},
		{"CREATE DOMAIN whole AS int CHECK (VALUE >= 0); CREATE DOMAIN amount AS whole;", "p", robust.Robust},
		{"CREATE DOMAIN amount AS int CHECK (VALUE <= 0);", "p", robust.NotRobust},
		{"CREATE DOMAIN amount AS int;", "p", robust.NotRobust},
		{"CREATE DOMAIN amount AS int; CREATE DOMAIN small AS int CHECK (VALUE >= 0);", "p::small", robust.Robust},
		{"CREATE DOMAIN amount AS int; CREATE DOMAIN small AS int;", "p::small", robust.NotRobust},
	} {
		t.Run(tc.domain, func(t *testing.T) {
			rep := reportOf(t, tc.domain+`
CREATE TABLE t (k int PRIMARY KEY, n int NOT NULL);
CREATE FUNCTION spread(p amount, a int, b int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  IF `+tc.value+` < 0 THEN
    SELECT n INTO v FROM t WHERE k = a;
    UPDATE t SET n = v + 1 WHERE k = b;
  END IF;
END $$;`, robust.Options{})
			if rep.Verdict != tc.want {
				t.Errorf("the verdict is %s, want %s: %+v", rep.Verdict, tc.want, rep.Open)
			}
		})
	}
}
