package robust_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust"
)

// TestChosenIntoArrays: rows that are chosen into an array and changed then are found to be, where the
// other side counts them.
func TestChosenIntoArrays(t *testing.T) {
	const text = `CREATE TABLE job (id int PRIMARY KEY, q int NOT NULL, state text NOT NULL);
CREATE TABLE quota (q int PRIMARY KEY, n int NOT NULL);
CREATE FUNCTION take(k int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE ids int[]; m int; BEGIN
  SELECT n INTO m FROM quota WHERE q = k;
  IF m < 1 THEN RETURN 0; END IF;
  ids := ARRAY(SELECT id FROM job WHERE q = k AND state = 'new' ORDERED FOR UPDATE);
  UPDATE job SET state = 'run' WHERE id = ANY(ids);
  RETURN 1;
END $$;
CREATE FUNCTION cut(k int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE c int; BEGIN
  SELECT count(*) INTO c FROM job WHERE q = k AND state = 'run';
  IF c > 0 THEN RETURN 0; END IF;
  UPDATE quota SET n = 0 WHERE q = k;
  RETURN 1;
END $$;`
	const read, update = "SELECT n INTO m FROM quota WHERE q = k", "UPDATE quota SET n = n WHERE q = k RETURNING n INTO m"
	for _, order := range []string{"", "ORDER BY id"} {
		found := strings.ReplaceAll(text, "ORDERED", order)
		if rep := reportOf(t, found, robust.Options{}); rep.Verdict != robust.NotRobust {
			t.Errorf("%q: %s, want not robust: %+v", order, rep.Verdict, rep.Open)
		}
		if rep := reportOf(t, strings.Replace(found, read, update, 1), robust.Options{}); rep.Verdict != robust.Robust {
			t.Errorf("%q, where take writes the quota: %s, want robust: %+v", order, rep.Verdict, rep.Open)
		}
	}
}
