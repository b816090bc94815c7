package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/schedules"
	"github.com/txrobust/robust/sqlmodel"
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
			p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "late.sql", Text: `CREATE TABLE t (k int PRIMARY KEY, b int NOT NULL, ` + constraint + `);
CREATE FUNCTION forget(p int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM t) > 1 THEN DELETE FROM t WHERE k = p; END IF;
END $$;`}}, sqlmodel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rep, err := robust.Check(t.Context(), p, robust.Options{Engine: engine.Postgres(), Init: schedules.AnyRows})
			if err != nil {
				t.Fatal(err)
			}
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
