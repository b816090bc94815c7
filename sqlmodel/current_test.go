package sqlmodel

import (
	"fmt"
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
)

// TestCurrentReads checks on a real server what cascade and unseen rely on:
// actions and checks look at the rows of that moment. In each case A takes its
// snapshot, B runs and commits, and A goes on.
func TestCurrentReads(t *testing.T) {
	const (
		onCascade = "CREATE TABLE c (id int, p int REFERENCES p ON DELETE CASCADE)"
		onNull    = "CREATE TABLE c (id int, p int REFERENCES p ON DELETE SET NULL)"
		onDefault = "CREATE TABLE c (id int, p int DEFAULT 2 REFERENCES p ON DELETE SET DEFAULT)"
		deferred  = "CREATE TABLE c (id int, p int REFERENCES p DEFERRABLE INITIALLY DEFERRED)"
		notValid  = "CREATE TABLE c (id int, p int); ALTER TABLE c ADD FOREIGN KEY (p) REFERENCES p NOT VALID"
		exprKey   = "CREATE TABLE c (id int, p int); CREATE UNIQUE INDEX ON c (abs(id))"
		below     = "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE); " +
			"CREATE TABLE g (id int, c int REFERENCES c ON DELETE %s); INSERT INTO c VALUES (3, 1); INSERT INTO g VALUES (1, 3)"
		exclude = "CREATE TABLE c (id int, p int, EXCLUDE (id WITH =))"
		lateKey = "CREATE TABLE c (id int UNIQUE DEFERRABLE INITIALLY DEFERRED, p int)"

		dropParent = "DELETE FROM p WHERE id = 1"
		dropChild  = "DELETE FROM c WHERE id = 1"
		insert     = "INSERT INTO c VALUES (1, 1)"
	)
	server := pgtest.Open(t)
	for _, tc := range []struct{ name, schema, b, a, want string }{
		{"cascade, child deleted", onCascade, dropChild, dropParent, "DELETE 1"},
		{"cascade, child moved", onCascade, "UPDATE c SET p = 2 WHERE id = 1", dropParent, "DELETE 1"},
		{"cascade, child changed", onCascade, "UPDATE c SET id = 5 WHERE id = 1", dropParent, "40001"},
		{"cascade, child added", onCascade, "INSERT INTO c VALUES (7, 1)", dropParent, "40001"},
		{"cascade, child moved in", onCascade, "UPDATE c SET p = 1 WHERE id = 2", dropParent, "40001"},
		{"cascade, grandchild deleted", fmt.Sprintf(below, "CASCADE"), "DELETE FROM g", dropParent, "DELETE 1"},
		{"cascade, grandchild changed", fmt.Sprintf(below, "CASCADE"), "UPDATE g SET id = 2", dropParent, "40001"},
		{"cascade, child of grandchildren moved", fmt.Sprintf(below, "CASCADE"), "WITH m AS (UPDATE c SET p = 2 WHERE id = 3) UPDATE g SET id = 2", dropParent, "DELETE 1"},
		{"cascade and set null, child moved", fmt.Sprintf(below, "SET NULL"), "WITH m AS (UPDATE c SET p = 2 WHERE id = 3) UPDATE g SET id = 2", dropParent, "DELETE 1"},
		{"set null, child moved in", onNull, "UPDATE c SET p = 1 WHERE id = 2", dropParent, "40001"},
		{"set null, child added", onNull, "INSERT INTO c VALUES (7, 1)", dropParent, "40001"},
		{"set null, child deleted", onNull, dropChild, dropParent, "DELETE 1"},
		{"set null, child moved", onNull, "UPDATE c SET p = 2 WHERE id = 1", dropParent, "DELETE 1"},
		{"set null, child changed", onNull, "UPDATE c SET id = 5 WHERE id = 1", dropParent, "40001"},
		{"set default, child deleted", onDefault, dropChild, dropParent, "DELETE 1"},
		{"deferred foreign key, child deleted", deferred, dropChild, dropParent, "DELETE 1"},
		{"unvalidated foreign key, child deleted", notValid, dropChild, dropParent, "DELETE 1"},
		{"unique expression freed", exprKey, dropChild, insert, "INSERT 0 1"},
		{"EXCLUDE freed", exclude, dropChild, insert, "INSERT 0 1"},
		{"deferred unique key freed", lateKey, dropChild, insert, "INSERT 0 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dsn := server.Database(t)
			server.Exec(t, dsn, "CREATE TABLE p (id int PRIMARY KEY); INSERT INTO p VALUES (1), (2); "+tc.schema+
				"; INSERT INTO c VALUES (1, 1), (2, 2)")
			end := "COMMIT"
			if tc.want == "40001" {
				end = "ROLLBACK"
			}
			pgtest.Play(t, dsn, pgtest.RepeatableRead, "A: BEGIN\nA: SELECT id FROM p WHERE id = 2 -> 2\n"+
				"B: BEGIN\nB: "+tc.b+"\nB: COMMIT -> COMMIT\n"+
				"A: "+tc.a+" -> "+tc.want+"\nA: COMMIT -> "+end+"\n")
		})
	}
}
