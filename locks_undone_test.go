package robust_test

import (
	"fmt"
	"testing"

	"github.com/txrobust/robust"
)

// TestLocksUndone: LOCK TABLE before the snapshot keeps two transactions apart, unless a
// rollback to a savepoint before it gives the lock back (manual, 13.3). The same holds for
// what the other one uses.
func TestLocksUndone(t *testing.T) {
	const frame = `CREATE TABLE t (id int PRIMARY KEY, on_ boolean NOT NULL);
CREATE TABLE m (id int PRIMARY KEY);
-- name: off
BEGIN;
%s
UPDATE t SET on_ = false WHERE id = $1 AND (SELECT count(*) FROM t WHERE on_) > 1;
COMMIT;
`
	for _, tc := range []struct {
		lock   string
		robust bool
	}{
		{"LOCK TABLE m IN EXCLUSIVE MODE;", true},
		{"SAVEPOINT a; LOCK TABLE m IN EXCLUSIVE MODE;", true},
		{"SAVEPOINT a; LOCK TABLE m IN EXCLUSIVE MODE; RELEASE a;", true},
		{"LOCK TABLE m IN EXCLUSIVE MODE; SAVEPOINT a; LOCK TABLE t IN ROW SHARE MODE; ROLLBACK TO a;", true},
		{"SAVEPOINT a; LOCK TABLE m IN EXCLUSIVE MODE; ROLLBACK TO a;", false},
		{"SAVEPOINT a; SAVEPOINT b; LOCK TABLE m IN EXCLUSIVE MODE; RELEASE b; ROLLBACK TO a;", false},
		{"LOCK TABLE m IN ROW SHARE MODE; SAVEPOINT a; LOCK TABLE m IN EXCLUSIVE MODE; ROLLBACK TO a;", false},
	} {
		t.Run(tc.lock, func(t *testing.T) {
			rep := reportOf(t, fmt.Sprintf(frame, tc.lock), robust.Options{Budget: robust.Budget{Questions: 20}}, "off")
			want := robust.NotRobust
			if tc.robust {
				want = robust.Robust
			}
			if rep.Verdict != want {
				t.Errorf("the verdict is %s, and should be %s", rep.Verdict, want)
			}
		})
	}
}
