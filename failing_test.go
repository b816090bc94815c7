package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/report"
)

// TestFailing: a row for which a condition ends in an error stops those that look at
// it, also where another condition leaves it out, unless the server is sure to compute
// that one before.
func TestFailing(t *testing.T) {
	var replays replaytest.Tally
	for _, tc := range []struct {
		name, where, row string
		want             report.Verdict
	}{
		{"a cast", "val::int > 5", "7, 'x', 'abc'", robust.NotRobust},
		{"a cast of another text", "val::int > 5", "7, 'x', '3'", robust.Robust},
		{"a division", "10 / id > 5", "0, 'x', '1'", robust.NotRobust},
		{"a member of a document", "(doc->>'n')::int > 5", "7, 'x', '1'", robust.Robust},
		{"a comparison comes first", "val::int > 5 AND kind = 'n'", "7, 'x', 'abc'", robust.Robust},
		{"a comparison comes first, before a division", "10 / id > 5 AND kind = 'n'", "0, 'x', '1'", robust.Robust},
		{"a function comes when it likes", "val::int > 5 AND lower(kind) = 'n'", "7, 'x', 'abc'", robust.Unknown},
		{"CASE decides", "CASE WHEN lower(kind) = 'n' THEN val::int > 5 END", "7, 'x', 'abc'", robust.Robust},
		{"a function that never fails", "lower(val) > 'x' AND lower(kind) = 'n'", "7, 'x', 'abc'", robust.Robust},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rep := reportOf(t, `
CREATE TABLE t (id int PRIMARY KEY, kind text NOT NULL, val text NOT NULL, doc jsonb);
CREATE TABLE flag (id int PRIMARY KEY, v int NOT NULL);
CREATE FUNCTION total() RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE n bigint; BEGIN
  SELECT count(*) INTO n FROM t WHERE `+tc.where+`;
  UPDATE flag SET v = v + 1 WHERE id = 1;
  RETURN n;
END $$;
CREATE FUNCTION note() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT v FROM flag WHERE id = 1) = 0 THEN INSERT INTO t (id, kind, val) VALUES (`+tc.row+`); END IF;
END $$;`, robust.Options{Budget: robust.Budget{Questions: 200}})
			if rep.Verdict != tc.want {
				t.Errorf("%s, want %s: %+v", rep.Verdict, tc.want, rep.Open)
			}
			replays.Report(t, rep, "")
		})
	}
	t.Logf("replays: %s", &replays)
}
