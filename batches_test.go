package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/report"
)

// TestBatches: transactions that take a batch of rows, by LIMIT or by an array of keys, are
// decided. A batch excludes others that take one of its rows. What a batch looks at in other tables, or
// in rows that it does not take, is found.
func TestBatches(t *testing.T) {
	const queue = `CREATE TABLE job (id int PRIMARY KEY, due int, state text NOT NULL, worker int);
CREATE FUNCTION add(j int, d int) RETURNS void LANGUAGE sql AS $$ INSERT INTO job VALUES (j, d, 'new', NULL) $$;
CREATE FUNCTION finish(j int, w int) RETURNS void LANGUAGE sql AS $$ UPDATE job SET state = 'done' WHERE id = j AND worker = w $$;
`
	claim := func(body string) string {
		return queue + "CREATE FUNCTION claim(w int, n int) RETURNS void LANGUAGE plpgsql AS $$\nDECLARE ids int[];\nBEGIN\n" + body + "\nEND $$;"
	}
	const owners = `CREATE TABLE owner (id int PRIMARY KEY, active boolean NOT NULL);
CREATE TABLE account (id int PRIMARY KEY, owner int NOT NULL REFERENCES owner, balance int NOT NULL);
CREATE FUNCTION deactivate(o int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT sum(balance) FROM account WHERE owner = o) > 0 THEN
    UPDATE owner SET active = false WHERE id = o;
  END IF;
END $$;
`
	charge := func(body string) string {
		return owners + "CREATE FUNCTION charge(n int) RETURNS void LANGUAGE plpgsql AS $$\nDECLARE ids int[];\nBEGIN\n" + body + "\nEND $$;"
	}
	const rows = "SELECT a.id FROM account a JOIN owner o ON o.id = a.owner WHERE o.active AND a.balance > 0 ORDER BY a.id LIMIT 2"
	var replays replaytest.Tally
	for _, tc := range []struct {
		name, sql string
		want      report.Verdict
	}{
		{"subquery", claim("UPDATE job SET state = 'run', worker = w WHERE id IN (SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 10);"), robust.Robust},
		{"subquery, computed number", claim("UPDATE job SET state = 'run', worker = w WHERE id IN (SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT n FOR UPDATE);"), robust.Robust},
		{"ties and NULL in the order", claim("UPDATE job SET state = 'run', worker = w WHERE id IN (SELECT id FROM job WHERE state = 'new' ORDER BY due DESC, worker LIMIT 3);"), robust.Robust},
		{"WITH", claim("WITH p AS (SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT n FOR UPDATE)\n  UPDATE job SET state = 'run', worker = w FROM p WHERE job.id = p.id;"), robust.Robust},
		{"array of keys", claim("SELECT array_agg(id) INTO ids FROM job WHERE state = 'new';\nUPDATE job SET state = 'run', worker = w WHERE id = ANY (ids);"), robust.Robust},
		{"array of a batch", claim("ids := ARRAY(SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT n FOR UPDATE);\nUPDATE job SET state = 'run', worker = w WHERE id = ANY (ids);"), robust.Robust},
		{"array, and whether there was any", claim("ids := ARRAY(SELECT id FROM job WHERE state = 'new');\nIF array_length(ids, 1) > 0 THEN UPDATE job SET state = 'run', worker = w WHERE id = ANY (ids); END IF;"), robust.Robust},
		{"what others change", charge("UPDATE account SET balance = 0 WHERE id IN (" + rows + ");"), robust.NotRobust},
		{"what others change, touched", charge("UPDATE owner SET active = active;\nUPDATE account SET balance = 0 WHERE id IN (" + rows + ");"), robust.Robust},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rep := reportOf(t, tc.sql, robust.Options{})
			if rep.Verdict != tc.want || len(rep.Havocs) > 0 {
				t.Fatalf("%s (%v), want %s", rep.Verdict, rep.Havocs, tc.want)
			}
			replays.Report(t, rep, "")
		})
	}
}
