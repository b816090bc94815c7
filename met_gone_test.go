package robust_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/report"
)

// TestMetGone: an ON CONFLICT behind an insertion that had to wait for the commit of a deletion does not meet
// what the same transaction deleted. Before that insertion it does, which is replayed.
func TestMetGone(t *testing.T) {
	const schema = `CREATE TABLE users (id int PRIMARY KEY, name int UNIQUE);
CREATE TABLE profiles (user_id int PRIMARY KEY);
CREATE FUNCTION drop_user(p_id int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM users WHERE id = p_id;
  IF NOT FOUND THEN RAISE EXCEPTION 'no user'; END IF;
  DELETE FROM profiles WHERE user_id = p_id; END $$;
`
	const function = "CREATE FUNCTION sign_up(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN "
	const user, named, profile = "INSERT INTO users VALUES (p, p); ", "INSERT INTO users VALUES (p + 100, p); ", "INSERT INTO profiles VALUES (p) ON CONFLICT DO NOTHING; "
	var tally replaytest.Tally
	for _, tc := range []struct {
		name, body string
		found      bool
		notRun     string
	}{
		{"behind the key", function + user + profile + "END $$;", false, ""},
		{"behind another key", function + named + profile + "END $$;", false, ""},
		{"before the key", function + profile + user + "END $$;", true, "where a client cannot stop it"},
		{"in a script", "-- name: sign_up\nBEGIN;\n" + strings.NewReplacer("(p)", "(1)", "(p, p)", "(1, 1)").Replace(profile+user) + "\nCOMMIT;", true, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rep := reportOf(t, schema+tc.body, robust.Options{Budget: robust.Budget{Questions: 200, Helpers: 1}})
			if found := rep.Verdict == report.NotRobust; found != tc.found {
				t.Errorf("the verdict is %s", rep.Verdict)
			}
			tally.Report(t, rep, tc.notRun)
		})
	}
}
