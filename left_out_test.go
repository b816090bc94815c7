package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
)

// TestLeftOutCheck: a check that is left out makes a change of one of its columns depend on
// the others, so that nothing is proved of who changes them apart.
func TestLeftOutCheck(t *testing.T) {
	for _, tc := range []struct {
		name, check string
		robust      bool
	}{
		{"modelled", "ALTER TABLE t ADD CHECK (v <= w);", false},
		{"calls what is not modelled", "ALTER TABLE t ADD CHECK (random() < 0 OR v <= w);", false},
		{"does not hold of all rows", "ALTER TABLE t ADD CHECK (v <= w) NOT VALID;", false},
		{"of one column", "ALTER TABLE t ADD CHECK (random() < 0 OR v <= 7);", true},
		{"none", "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rep := reportOf(t, `
CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, w int NOT NULL);
CREATE TABLE x (id int PRIMARY KEY, n int NOT NULL);
`+tc.check+`
CREATE FUNCTION raise() RETURNS void LANGUAGE sql AS $$ UPDATE t SET w = 10 WHERE id = 1 $$;
CREATE FUNCTION look() RETURNS int LANGUAGE plpgsql AS $$ DECLARE r int; BEGIN
  SELECT w INTO r FROM t WHERE id = 1; UPDATE x SET n = n + 1 WHERE id = 1; RETURN r; END $$;
CREATE FUNCTION put() RETURNS int LANGUAGE plpgsql AS $$ DECLARE r int; BEGIN
  SELECT n INTO r FROM x WHERE id = 1; UPDATE t SET v = 5 WHERE id = 1; RETURN r; END $$;`, robust.Options{Budget: robust.Budget{Questions: 200}})
			if proved := rep.Verdict == robust.Robust; proved != tc.robust {
				t.Errorf("the verdict is %s: %+v", rep.Verdict, rep.Open)
			}
		})
	}
}
