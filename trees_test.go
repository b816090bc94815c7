package robust_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/report"
)

// TestTrees: two transactions that move nodes of a tree below each other make a circle, although each looks at the way
// up, with WITH RECURSIVE or in a loop, unless they update a common row.
func TestTrees(t *testing.T) {
	const schema = "CREATE TABLE node (id int PRIMARY KEY, parent int);\nCREATE TABLE tree (id int PRIMARY KEY, moves int NOT NULL);\n"
	for way, check := range map[string]string{
		"UNION":     "IF EXISTS (WITH RECURSIVE up AS (SELECT id, parent FROM node WHERE id = q UNION SELECT n.id, n.parent FROM node n JOIN up ON n.id = up.parent) SELECT 1 FROM up WHERE id = p) THEN RAISE EXCEPTION 'circle'; END IF;",
		"UNION ALL": "IF EXISTS (WITH RECURSIVE up(id, parent, d) AS (SELECT id, parent, 1 FROM node WHERE id = q UNION ALL SELECT n.id, n.parent, d + 1 FROM up, node n WHERE n.id = up.parent AND d < 9) SELECT FROM up WHERE id = p) THEN RAISE EXCEPTION 'circle'; END IF;",
		"a loop":    "at := q; WHILE at IS NOT NULL LOOP IF at = p THEN RAISE EXCEPTION 'circle'; END IF; SELECT parent INTO at FROM node WHERE id = at; END LOOP;",
	} {
		for lock, want := range map[string]report.Verdict{"": robust.NotRobust, "UPDATE tree SET moves = moves + 1 WHERE id = 1; IF NOT FOUND THEN RAISE EXCEPTION 'no tree'; END IF;": robust.Robust} {
			text := schema + strings.NewReplacer("CHECK", check, "LOCK", lock).Replace(`CREATE FUNCTION move(p int, q int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE at int; BEGIN
  LOCK
  CHECK
  UPDATE node SET parent = q WHERE id = p;
END $$;`)
			if rep := reportOf(t, text, robust.Options{}); rep.Verdict != want {
				t.Errorf("%s, %q: %s, want %s: %+v", way, lock, rep.Verdict, want, rep.Open)
			}
		}
	}
}
