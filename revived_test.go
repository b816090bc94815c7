package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
)

// TestRevived: who inserts the key of a row that was deleted since its snapshot sees both
// rows afterwards; RETURNING gives its own one, and a new key was never there.
func TestRevived(t *testing.T) {
	const schema = `CREATE TABLE t (k int PRIMARY KEY, n int NOT NULL);
CREATE TABLE s (k serial PRIMARY KEY, n int NOT NULL);
CREATE FUNCTION forget(p int) RETURNS void LANGUAGE sql AS $$ DELETE FROM t WHERE k = p; DELETE FROM s WHERE k = p $$;
`
	for _, tc := range []struct {
		name, add string
		robust    bool
	}{
		{"a read", "INSERT INTO t VALUES (p, 1); SELECT n INTO r FROM t WHERE k = p;", false},
		{"RETURNING", "INSERT INTO t VALUES (p, 1) RETURNING n INTO r;", true},
		{"a condition of another row", "INSERT INTO t VALUES (p, 1); UPDATE s SET n = 0 WHERE k = 1; UPDATE t SET n = 2 WHERE k = p + 1 AND EXISTS (SELECT FROM t AS u WHERE u.k = p AND u.n = 7);", false},
		{"a key that changes", "UPDATE t SET k = p WHERE k = p + 1;", true},
		{"a new key", "INSERT INTO s (n) VALUES (p); SELECT n INTO r FROM s WHERE k = lastval();", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rep := reportOf(t, schema+
				"CREATE FUNCTION add(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE r int; BEGIN "+tc.add+" RETURN r; END $$;", robust.Options{Budget: robust.Budget{Questions: 50}})
			if proved := rep.Verdict == robust.Robust; proved != tc.robust {
				t.Errorf("the verdict is %s: %+v", rep.Verdict, rep.Open)
			}
		})
	}
}
