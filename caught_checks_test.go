package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/report"
)

// TestCaughtChecks: whether the row of an UPDATE breaks a check, which a block handles, depends on what
// its values are computed from.
func TestCaughtChecks(t *testing.T) {
	var replays replaytest.Tally
	for _, tc := range []struct {
		name, value string
		want        report.Verdict
	}{
		{"of the row itself", "balance - n", robust.Robust},
		{"of another row", "(SELECT balance FROM wallet WHERE id = 3 - p) - n", robust.NotRobust},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rep := reportOf(t, `CREATE TABLE wallet (id int PRIMARY KEY, balance int NOT NULL CHECK (balance >= 0));
CREATE FUNCTION pay(p int, n int) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r text := 'ok'; BEGIN
  BEGIN
    UPDATE wallet SET balance = `+tc.value+` WHERE id = p;
  EXCEPTION WHEN check_violation THEN r := 'failed'; END;
  RETURN r;
END $$;`, robust.Options{Budget: robust.Budget{Questions: 500}})
			if rep.Verdict != tc.want {
				t.Errorf("%s, want %s: %+v", rep.Verdict, tc.want, rep.Open)
			}
			replays.Report(t, rep, "")
		})
	}
}
