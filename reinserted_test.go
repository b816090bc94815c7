package robust_test

import (
	"fmt"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/report"
)

// TestReinserted: a transaction that inserts the key of a row which somebody else has
// deleted after its snapshot sees both rows. Writing or locking its own one does not keep
// it apart from who deletes the other.
func TestReinserted(t *testing.T) {
	const frame = `CREATE TABLE t (k int PRIMARY KEY, b int NOT NULL, c int NOT NULL);
-- name: insert
BEGIN;
INSERT INTO t VALUES (0, 2, 0);
SELECT b FROM t WHERE k = 0 ORDER BY b;
%s
COMMIT;
-- name: free
BEGIN;
%s
COMMIT;
`
	for _, tc := range []struct {
		own, other string
		want       report.Verdict
	}{
		{"UPDATE t SET c = 1 WHERE k = 0 AND b = 2;", "DELETE FROM t WHERE k = 0 AND b <> 2;", robust.NotRobust},
		{"UPDATE t SET c = 1 WHERE k = 0 AND b = 2;", "UPDATE t SET k = 1 WHERE k = 0 AND b <> 2;", robust.NotRobust},
		{"SELECT c FROM t WHERE k = 0 AND b = 2 FOR UPDATE;", "DELETE FROM t WHERE k = 0 AND b <> 2;", robust.NotRobust},
		{"UPDATE t SET c = 1 WHERE k = 0 AND b = 2;", "UPDATE t SET c = 2 WHERE k = 0 AND b <> 2;", robust.Robust},
		{"SELECT c FROM t WHERE k = 0 AND b = 2 FOR UPDATE;", "UPDATE t SET c = 2 WHERE k = 0 AND b <> 2;", robust.Robust},
	} {
		t.Run(tc.own+" "+tc.other, func(t *testing.T) {
			rep := reportOf(t, fmt.Sprintf(frame, tc.own, tc.other), robust.Options{})
			if rep.Verdict != tc.want {
				t.Errorf("the verdict is %s, and should be %s", rep.Verdict, tc.want)
			}
		})
	}
}
