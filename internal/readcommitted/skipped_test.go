package readcommitted_test

import (
	"strings"
	"testing"
)

// TestSkippedSightings: what a local tells of a row is told by the branch that has looked for the row. The path beside
// that branch goes on as well, with another value.
func TestSkippedSightings(t *testing.T) {
	const tables = `CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);
		CREATE TABLE b (id int PRIMARY KEY, n int NOT NULL);
		CREATE FUNCTION comes(k int) RETURNS void LANGUAGE sql AS 'INSERT INTO a VALUES (k, 0)';
		CREATE FUNCTION counts(k int) RETURNS void LANGUAGE sql AS 'UPDATE b SET n = n + 1 WHERE id = k';
		CREATE FUNCTION f(p boolean) RETURNS void LANGUAGE plpgsql AS $$ DECLARE v boolean := false; x int; BEGIN
			BODY END $$;
		`
	const lost = " SELECT n INTO x FROM b WHERE id = 1; UPDATE b SET n = x + 1 WHERE id = 1;"
	for _, tc := range []struct {
		name, body string
		want       bool
	}{
		{"beside an UPDATE", "IF p THEN UPDATE a SET n = n + 1 WHERE id = 1 AND n > n; v := true; END IF; IF NOT v THEN" + lost + " END IF;", false},
		{"beside a lock", "IF p THEN PERFORM 1 FROM a WHERE id = 1 FOR UPDATE; v := FOUND; END IF; IF NOT v THEN" + lost + " END IF;", false},
		{"beside an insertion", "IF p THEN INSERT INTO a VALUES (1, 0) ON CONFLICT DO NOTHING; v := true; END IF; IF NOT v THEN" + lost + " END IF;", false},
		{"behind an UPDATE", "IF p THEN UPDATE a SET n = n + 1 WHERE id = 1; v := FOUND; END IF; IF v THEN" + lost + " END IF;", false},
		{"by NULL", "IF p THEN SELECT n INTO x FROM a WHERE id = 1 FOR UPDATE; v := x IS NOT NULL; END IF; IF NOT v THEN" + lost + " END IF;", false},
		{"in no round of a loop", "WHILE p LOOP UPDATE a SET n = n + 1 WHERE id = 1; IF NOT FOUND THEN RAISE EXCEPTION 'no'; END IF; v := true; p := x > 1; END LOOP; IF NOT v THEN" + lost + " END IF;", false},
		{"atomic beside a lock", "IF p THEN PERFORM 1 FROM b WHERE id = 1 FOR UPDATE; v := FOUND; END IF; IF NOT v THEN UPDATE b SET n = n + 1 WHERE id = 1; END IF;", true},
		{"a row that is locked on the other path", "IF p THEN PERFORM 1 FROM b WHERE id = 1 FOR UPDATE; v := true; END IF; IF NOT v THEN" + lost + " END IF;", false},
		{"a lock on both paths", "IF p THEN PERFORM 1 FROM b WHERE id = 1 FOR UPDATE; v := true; ELSE PERFORM 2 FROM b WHERE id = 1 FOR UPDATE; END IF; IF NOT v THEN" + lost + " END IF;", true},
		{"a row that is not there on one path", "IF p THEN PERFORM 1 FROM a WHERE id = 1 FOR UPDATE; v := FOUND; END IF; IF NOT v THEN SELECT n INTO x FROM a WHERE id = 1; UPDATE b SET n = n + coalesce(x, 0) WHERE id = 1; END IF;", false},
	} {
		p := program(t, tc.name, strings.ReplaceAll(tables, "BODY", tc.body))
		wantAtomic(t, tc.name, p, "f", tc.want)
	}
}
