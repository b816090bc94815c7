package robust_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/sqlmodel"
)

// TestSkips: where MariaDB passes over rows that left an index, nothing is proved
// at snapshot isolation (engine, fact 9), and the repaired twins are. What locks all that it sees has
// no snapshot that a row could have left an index since.
func TestSkips(t *testing.T) {
	const schema = "CREATE TABLE job (id INT PRIMARY KEY, state INT NOT NULL, owner INT NOT NULL%s) ENGINE=InnoDB;\n"
	const program = `-- name: take
START TRANSACTION;
%s;
COMMIT;
-- name: finish
START TRANSACTION;
%s;
COMMIT;
`
	const take, byKey = "UPDATE job SET owner = 7 WHERE state = 1", "UPDATE job SET owner = 7 WHERE id = @id"
	const finish, touch = "UPDATE job SET state = 2, owner = 0 WHERE id = @id", "UPDATE job SET owner = 0 WHERE id = @id"
	for _, tc := range []struct {
		name, index, take, other string
		skips                    bool
	}{
		{"an index", ", KEY (state)", take, finish, true},
		{"no index", "", take, finish, false},
		{"by the primary key", ", KEY (state)", byKey, finish, false},
		{"nobody changes the column", ", KEY (state)", take, touch, false},
		{"a unique key", ", UNIQUE (state)", take, finish, true},
		{"part of a key of several columns", ", KEY (owner, state)", take, finish, true},
		{"a foreign key", ", FOREIGN KEY (state) REFERENCES job (id)", take, finish, true},
		{"rows that are deleted", ", KEY (state)", take, "DELETE FROM job WHERE id = @id", true},
		{"a deletion", ", KEY (state)", "DELETE FROM job WHERE state = 1", finish, true},
		{"the key and the index", ", KEY (state)", take + " AND id = @id", finish, true},
		{"a lock", ", KEY (state)", "SELECT id FROM job WHERE state = 1 FOR UPDATE", finish, true},
		{"a subquery of an update", ", KEY (state)", "UPDATE job SET owner = 7 WHERE id = @id AND EXISTS (SELECT 1 FROM job j WHERE j.state = 1)", finish, true},
		{"a value of an update", ", KEY (state)", "UPDATE job SET owner = (SELECT SUM(j.owner) FROM job j WHERE j.state = 1) WHERE id = @id", finish, true},
		{"a value of SET", ", KEY (state)", "SET @n = (SELECT SUM(owner) FROM job WHERE state = 1)", finish, true},
		{"a subquery of a read", ", KEY (state)", "SELECT id FROM job WHERE EXISTS (SELECT 1 FROM job j WHERE j.state = 1)", finish, false},
		{"a value of an update, without an index", "", "UPDATE job SET owner = (SELECT SUM(j.owner) FROM job j WHERE j.state = 1) WHERE id = @id", finish, false},
		{"a lock on all keys", ", KEY (state)", "SELECT COUNT(*) FROM job FOR UPDATE", "DELETE FROM job WHERE id = @id", true},
		{"a lock on all keys, of which none goes", ", KEY (state)", "SELECT COUNT(*) FROM job FOR UPDATE", finish, false},
		{"a lock on all rows", ", KEY (state)", "SELECT SUM(owner) FROM job FOR UPDATE", "DELETE FROM job WHERE id = @id", false},
		{"a value over all keys", ", KEY (state)", "UPDATE job SET owner = (SELECT COUNT(*) FROM job j) WHERE id = @id", "DELETE FROM job WHERE id = @id", true},
		{"a read", ", KEY (state)", "SELECT id FROM job WHERE state = 1", finish, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			check := func(take string) (*robust.Report, string) {
				p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "job.sql", Text: fmt.Sprintf(schema, tc.index) + fmt.Sprintf(program, take, tc.other)}}, sqlmodel.Options{MySQL: true})
				if err != nil {
					t.Fatal(err)
				}
				rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.MariaDB(), Init: robust.AnyRows}, Budget: robust.Budget{Questions: 50}})
				if err != nil {
					t.Fatal(err)
				}
				return rep, engine.MariaDB().Beyond(p)
			}
			rep, why := check(tc.take)
			if skips := strings.Contains(why, "passes over a row"); skips != tc.skips {
				t.Errorf("the verdict is %s: %q", rep.Verdict, why)
			}
			if tc.skips {
				if rep.Verdict != robust.Robust {
					t.Errorf("all is locked, and the verdict is %s: %+v", rep.Verdict, rep.Open)
				}
				if rep, _ := check("SELECT owner FROM job WHERE id = @id;\n" + tc.take); rep.Verdict == robust.Robust {
					t.Error("it has a snapshot, and the verdict is robust")
				}
			}
		})
	}
}
