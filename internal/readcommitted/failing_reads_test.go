package readcommitted_test

import (
	"strings"
	"testing"
)

// TestFailingReads: what is computed of a row may end the transaction, so that the row matters even if nobody looks at the result.
func TestFailingReads(t *testing.T) {
	const tables = `CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL, m int NOT NULL);
		CREATE TABLE b (id int PRIMARY KEY, n int NOT NULL);
		CREATE FUNCTION u(x int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
			UPDATE a SET n = x, m = m * 2 WHERE id = 1; UPDATE b SET n = 100 WHERE id = 1; END $$;
		CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ DECLARE x int; y int; BEGIN
			BODY END $$;
		`
	const count = " UPDATE b SET n = n + 1 WHERE id = 1;"
	const found = " IF NOT FOUND THEN RAISE EXCEPTION 'no'; END IF;"
	const lock = " PERFORM 1 FROM a WHERE id = 1 FOR UPDATE;" + found + " UPDATE a SET m = m + 1 WHERE id = 1;"
	for _, tc := range []struct {
		name, body string
		want       bool
	}{
		{"nothing that fails", "PERFORM n FROM a WHERE id = 1;" + count, true},
		{"a product", "PERFORM 2 * n FROM a WHERE id = 1;" + count, true},
		{"a quotient", "PERFORM 1 / n FROM a WHERE id = 1;" + count, false},
		{"a quotient by a constant", "PERFORM n / 2 FROM a WHERE id = 1;" + count, true},
		{"a quotient of which nobody looks", "SELECT 1 / n INTO x FROM a WHERE id = 1;" + count, false},
		{"a narrow type", "PERFORM n::smallint FROM a WHERE id = 1;" + count, false},
		{"a function that fails", "PERFORM chr(n) FROM a WHERE id = 1;" + count, false},
		{"in a condition", "PERFORM 1 FROM a WHERE id = 1 AND 1 / n > 0;" + count, false},
		{"of a row that is locked later", "SELECT n INTO x FROM a WHERE id = 1;" + found + lock, true},
		{"a quotient before the lock", "SELECT 1 / n INTO x FROM a WHERE id = 1;" + found + lock, false},
		{"a quotient of a local", "SELECT n INTO x FROM a WHERE id = 1;" + found + " y := 1 / x;" + lock, false},
		{"a quotient behind a lock", "SELECT n INTO x FROM a WHERE id = 1 FOR UPDATE;" + found + " y := 1 / x;" + lock, true},
	} {
		p := program(t, tc.name, strings.ReplaceAll(tables, "BODY", tc.body))
		wantAtomic(t, tc.name, p, "f", tc.want)
	}
}
