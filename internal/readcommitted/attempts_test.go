package readcommitted_test

import (
	"strings"
	"testing"
)

// TestAttempts: of a loop that tries an UPDATE until it finds its row, the last round is all that counts, if those before it leave
// nothing: no write, no result, and no value that a later round or statement uses.
func TestAttempts(t *testing.T) {
	const tables = `CREATE TABLE doc (id int PRIMARY KEY, body int NOT NULL, version int NOT NULL);
		CREATE TABLE log (id int PRIMARY KEY, n int NOT NULL);
		CREATE FUNCTION saves(p int, b int) RETURNS void LANGUAGE sql AS 'UPDATE doc SET body = b, version = version + 1 WHERE id = p';
		CREATE FUNCTION logs(p int) RETURNS void LANGUAGE sql AS 'UPDATE log SET n = n + 1 WHERE id = p';
		CREATE FUNCTION f(p int, add int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE b int; v int; x int := 0; n int := 0; BEGIN
			BODY END $$;
		`
	const read = " SELECT body, version INTO b, v FROM doc WHERE id = p; IF NOT FOUND THEN RAISE EXCEPTION 'no'; END IF;"
	const save = " UPDATE doc SET body = b + add, version = v + 1 WHERE id = p AND version = v;"
	for _, tc := range []struct {
		name, body string
		want       bool
	}{
		{"until it finds", "LOOP" + read + save + " EXIT WHEN FOUND; END LOOP; RETURN b;", true},
		{"a few times", "FOR i IN 1..3 LOOP" + read + save + " IF FOUND THEN RETURN b; END IF; END LOOP; RAISE EXCEPTION 'conflict';", true},
		{"by the number of rows", "LOOP" + read + save + " GET DIAGNOSTICS n = ROW_COUNT; IF n = 1 THEN RETURN b; END IF; END LOOP;", true},
		{"with more behind it", "LOOP" + read + save + " IF FOUND THEN UPDATE log SET n = log.n + 1 WHERE id = p; RETURN b; END IF; END LOOP;", true},
		{"and tells that it has given up", "FOR i IN 1..3 LOOP" + read + save + " IF FOUND THEN RETURN b; END IF; END LOOP; RETURN -1;", false},
		{"another version", "LOOP" + read + " UPDATE doc SET body = b + add, version = v + 1 WHERE id = p AND version = v + 1; EXIT WHEN FOUND; END LOOP; RETURN b;", false},
		{"not asking for the version", "LOOP" + read + " UPDATE doc SET body = b + add, version = v + 1 WHERE id = p; EXIT WHEN FOUND; END LOOP; RETURN b;", false},
		{"reading once", read + " LOOP" + save + " EXIT WHEN FOUND; v := v + 1; END LOOP; RETURN b;", false},
		{"counting its rounds", "LOOP" + read + save + " EXIT WHEN FOUND; n := n + 1; END LOOP; RETURN n;", false},
		{"telling the number of its round", "FOR i IN 1..3 LOOP" + read + save + " IF FOUND THEN RETURN i; END IF; END LOOP; RAISE EXCEPTION 'conflict';", false},
		{"writing in each round", "LOOP UPDATE log SET n = log.n + 1 WHERE id = p;" + read + save + " EXIT WHEN FOUND; END LOOP; RETURN b;", false},
		{"a value of an earlier round", "LOOP IF x > 0 THEN UPDATE log SET n = log.n + x WHERE id = p; END IF;" + read + " x := b;" + save + " EXIT WHEN FOUND; END LOOP; RETURN b;", false},
		{"a value that is used afterwards", "LOOP EXIT WHEN n > 0;" + read + " x := b;" + save + " IF FOUND THEN n := 1; END IF; END LOOP; RETURN x;", false},
		{"leaving where it found nothing", "LOOP" + read + save + " EXIT WHEN NOT FOUND; END LOOP; RETURN b;", false},
		{"another row that is read without a lock", "LOOP" + read + " SELECT log.n INTO x FROM log WHERE id = p;" + save + " EXIT WHEN FOUND; END LOOP; RETURN x;", false},
	} {
		p := program(t, tc.name, strings.ReplaceAll(tables, "BODY", tc.body))
		wantAtomic(t, tc.name, p, "f", tc.want)
	}
}
