package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/internal/replaytest"
)

// TestLateKeys: the rows of a witness satisfy keys that are checked at the commit, too, so
// that a server takes them.
func TestLateKeys(t *testing.T) {
	for _, constraint := range []string{
		"UNIQUE (b) DEFERRABLE INITIALLY DEFERRED",
		"UNIQUE (b)",
		"EXCLUDE USING btree (b WITH =) DEFERRABLE INITIALLY DEFERRED",
	} {
		t.Run(constraint, func(t *testing.T) {
			rep := reportOf(t, `CREATE TABLE t (k int PRIMARY KEY, b int NOT NULL, `+constraint+`);
CREATE FUNCTION forget(p int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM t) > 1 THEN DELETE FROM t WHERE k = p; END IF;
END $$;`, robust.Options{})
			if rep.Verdict != robust.NotRobust {
				t.Fatalf("the verdict is %s: %+v", rep.Verdict, rep.Open)
			}
			var tally replaytest.Tally
			tally.Report(t, rep, "")
			if tally.AsShown() == 0 {
				t.Error("nothing was replayed")
			}
		})
	}
}
