package readcommitted_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/readcommitted"
)

// TestOwnRows: what a transaction changes of a row that it has inserted itself is a part of the insertion for others. Whoever finds
// the row finds it complete.
func TestOwnRows(t *testing.T) {
	const tables = `CREATE TABLE req (k int PRIMARY KEY, res int NOT NULL, st int NOT NULL);
		CREATE TABLE acct (id int PRIMARY KEY, bal int NOT NULL);
		CREATE FUNCTION f(p int, a int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE r int; BEGIN
			CLAIM
			IF NOT FOUND THEN SELECT res INTO r FROM req WHERE k = p; RETURN r; END IF;
			UPDATE acct SET bal = bal + a WHERE id = p RETURNING bal INTO r;
			IF NOT FOUND THEN RAISE EXCEPTION 'no'; END IF;
			FINISH
			RETURN r; END $$;
		`
	const claim, finish = "INSERT INTO req VALUES (p, 0, 0) ON CONFLICT DO NOTHING;", "UPDATE req SET res = r WHERE k = p;"
	for _, tc := range []struct {
		name, claim, finish, more string
		want                      bool
	}{
		{"completed by who inserts it", claim, finish, "", true},
		{"completed twice", claim, "UPDATE req SET st = 1 WHERE k = p; " + finish, "", true},
		{"completed on one path", claim, "IF a > 0 THEN " + finish + " END IF;", "", true},
		{"another row completed", claim, "UPDATE req SET res = r WHERE k = p + 1;", "", false},
		{"completed later", claim, finish, "CREATE FUNCTION late(p int, x int) RETURNS void LANGUAGE sql AS 'UPDATE req SET res = x WHERE k = p';", false},
		{"locked and completed later", claim, finish, "CREATE FUNCTION late(p int, x int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM 1 FROM req WHERE k = p FOR UPDATE; IF NOT FOUND THEN RAISE EXCEPTION 'no'; END IF; UPDATE req SET res = x WHERE k = p; END $$;", false},
		{"another column later", claim, finish, "CREATE FUNCTION late(p int, x int) RETURNS void LANGUAGE sql AS 'UPDATE req SET st = x WHERE k = p';", true},
		{"inserted or changed, and locked", "INSERT INTO req VALUES (p, 0, 0) ON CONFLICT (k) DO UPDATE SET st = 1 WHERE req.st = 0;", finish, "", true},
		{"the row may go", claim, finish, "CREATE FUNCTION goes(p int) RETURNS void LANGUAGE sql AS 'DELETE FROM req WHERE k = p';", false},
		{"by the value that it had first", claim, finish, "CREATE FUNCTION seen(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE n int; m int; BEGIN SELECT count(*) INTO n FROM req WHERE res = 7; SELECT count(*) INTO m FROM req WHERE res = 7; RETURN n + m; END $$;", true},
	} {
		p := program(t, tc.name, strings.NewReplacer("CLAIM", tc.claim, "FINISH", tc.finish).Replace(tables)+tc.more)
		all := settle(p)
		if s := all[p.Txn("f")]; (s.Standing == readcommitted.Atomic) != tc.want {
			t.Errorf("%s: %d (%s), want atomic: %v", tc.name, s.Standing, s.Reason, tc.want)
		}
		if p.Txn("seen") != nil && all[p.Txn("seen")].Standing != readcommitted.Unsettled {
			t.Errorf("%s: rows that are completed to 7 come between two reads of such rows", tc.name)
		}
	}
}
