package engine_test

import (
	"testing"

	"github.com/txrobust/robust/internal/mariatest"
)

// These tests are the facts about MariaDB that its profiles rest on, run on a
// real server. on and off are what session A sees or gets with
// innodb_snapshot_isolation, and without.

const mariaRows = `
CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, w int NOT NULL) ENGINE=InnoDB; INSERT INTO t VALUES (1, 0, 0), (2, 0, 0);
CREATE TABLE u (id int PRIMARY KEY, n int UNIQUE) ENGINE=InnoDB; INSERT INTO u VALUES (1, 1);
CREATE TABLE c (id int PRIMARY KEY, t int, FOREIGN KEY (t) REFERENCES t (id)) ENGINE=InnoDB;
CREATE TABLE s (id int PRIMARY KEY, k int NOT NULL, v int NOT NULL, KEY (k)) ENGINE=InnoDB; INSERT INTO s VALUES (1, 0, 0), (2, 1, 0), (3, 2, 0), (4, 3, 0);`

var mariaFacts = []struct {
	name string
	// A has its snapshot; then B commits other, and A runs stmt.
	other, stmt, on, off string
}{
	{"1: another column of a row", "UPDATE t SET v = 1 WHERE id = 1", "UPDATE t SET w = 5 WHERE id = 1", "error 1020", "1"},
	{"1: another row", "UPDATE t SET w = 9 WHERE id = 2", "UPDATE t SET w = 5 WHERE id = 1", "1", "1"},
	{"2: a row that came", "INSERT INTO t VALUES (3, 0, 0)", "UPDATE t SET w = 5 WHERE v = 0", "error 1020", "3"},
	{"2: a row that matches no longer", "UPDATE t SET v = 9 WHERE id = 2", "UPDATE t SET w = 5 WHERE v = 0", "error 1020", "1"},
	{"2: a row that matches now", "UPDATE t SET v = 1 WHERE id = 1", "UPDATE t SET w = 7 WHERE v = 1", "error 1020", "1"},
	{"2: a row that went", "DELETE FROM t WHERE id = 1", "UPDATE t SET w = 5 WHERE id = 1", "error 1020", "0"},
	{"2: a deletion of a row that went", "DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 1", "error 1020", "0"},
	{"2: a deletion of rows of which one came", "INSERT INTO t VALUES (3, 0, 0)", "DELETE FROM t WHERE v = 0", "error 1020", "3"},
	{"2: INSERT … SELECT", "UPDATE t SET v = 1 WHERE id = 1", "INSERT INTO c SELECT v + 10, 1 FROM t WHERE id = 1", "error 1020", "1"},
	{"2: INSERT … SELECT of a row that came", "INSERT INTO t VALUES (3, 0, 0)", "INSERT INTO c SELECT id + 10, NULL FROM t", "error 1020", "3"},
	{"2: a subquery of an UPDATE", "UPDATE u SET n = 50 WHERE id = 1", "UPDATE t SET v = (SELECT n FROM u WHERE id = 1) WHERE id = 2", "error 1020", "1"},
	{"3: an UPDATE that changes nothing", "UPDATE t SET v = v WHERE id = 1", "UPDATE t SET w = 5 WHERE id = 1", "1", "1"},
	{"3: back to the value of the snapshot", "UPDATE t SET v = 3 WHERE id = 1", "UPDATE t SET v = 0 WHERE id = 1", "error 1020", "1"},
	{"4: FOR UPDATE", "UPDATE t SET v = 3 WHERE id = 1", "SELECT v FROM t WHERE id = 1 FOR UPDATE", "error 1020", "3"},
	{"4: LOCK IN SHARE MODE", "UPDATE t SET v = 3 WHERE id = 1", "SELECT v FROM t WHERE id = 1 LOCK IN SHARE MODE", "error 1020", "3"},
	{"4: a lock leaves no version", "SELECT v FROM t WHERE id = 1 FOR UPDATE", "UPDATE t SET w = 5 WHERE id = 1", "1", "1"},
	{"5: a key that was inserted", "INSERT INTO t VALUES (3, 0, 0)", "INSERT INTO t VALUES (3, 1, 1)", "error 1020", "error 1062"},
	{"5: a key that was deleted", "DELETE FROM t WHERE id = 1", "INSERT INTO t VALUES (1, 7, 7)", "error 1020", "1"},
	{"5: a unique value that was inserted", "INSERT INTO u VALUES (2, 2)", "INSERT INTO u VALUES (3, 2)", "error 1062", "error 1062"},
	{"5: a unique value that an update freed", "UPDATE u SET n = 2 WHERE id = 1", "INSERT INTO u VALUES (5, 1)", "1", "1"},
	{"6: the parent changed", "UPDATE t SET v = 4 WHERE id = 1", "INSERT INTO c VALUES (1, 1)", "error 1020", "1"},
	{"6: the parent came", "INSERT INTO t VALUES (3, 0, 0)", "INSERT INTO c VALUES (1, 3)", "error 1020", "1"},
	{"6: the parent went", "DELETE FROM t WHERE id = 1", "INSERT INTO c VALUES (1, 1)", "error 1020", "error 1452"},
	{"6: the parent is as it was", "UPDATE t SET v = 4 WHERE id = 2", "INSERT INTO c VALUES (1, 1)", "1", "1"},
	{"9: an UPDATE by an index that the row left", "UPDATE s SET k = 9 WHERE id = 1", "UPDATE s SET v = 5 WHERE k = 0", "0", "0"},
	{"9: a DELETE by an index that the row left", "UPDATE s SET k = 9 WHERE id = 1", "DELETE FROM s WHERE k = 0", "0", "0"},
	{"9: an UPDATE by an index of a row that went", "DELETE FROM s WHERE id = 1", "UPDATE s SET v = 5 WHERE k = 0", "0", "0"},
	{"9: an UPDATE by an index of a row that came", "INSERT INTO s VALUES (5, 0, 0)", "UPDATE s SET v = 5 WHERE k = 0", "error 1020", "2"},
	{"9: an UPDATE by an index of a row that came there", "UPDATE s SET k = 0 WHERE id = 4", "UPDATE s SET v = 5 WHERE k = 0", "error 1020", "2"},
	{"9: an UPDATE by an index in which the row stays", "UPDATE s SET v = 9 WHERE id = 1", "UPDATE s SET v = 5 WHERE k = 0", "error 1020", "1"},
	{"9: an UPDATE by the primary key and an index", "UPDATE s SET k = 9 WHERE id = 1", "UPDATE s SET v = 5 WHERE id = 1 AND k = 0", "0", "0"},
	{"9: an UPDATE by the primary key", "UPDATE s SET k = 9 WHERE id = 1", "UPDATE s SET v = 5 WHERE id = 1", "error 1020", "1"},
	{"9: an UPDATE by the primary key and another column", "UPDATE s SET v = 9 WHERE id = 1", "UPDATE s SET v = 5 WHERE id = 1 AND v = 0", "error 1020", "0"},
	{"9: a subquery of an UPDATE by an index that the row left", "UPDATE s SET k = 9 WHERE id = 1", "UPDATE t SET v = 5 WHERE id = 1 AND EXISTS (SELECT 1 FROM s WHERE k = 0)", "0", "0"},
	{"9: a subquery of a DELETE by an index that the row left", "UPDATE s SET k = 9 WHERE id = 1", "DELETE FROM t WHERE id = 1 AND EXISTS (SELECT 1 FROM s WHERE k = 0)", "0", "0"},
	{"9: a value of an UPDATE by an index of a row that went", "DELETE FROM s WHERE id = 1", "UPDATE t SET v = (SELECT COUNT(*) FROM s WHERE k = 0) WHERE id = 1", "0", "0"},
	{"9: a value of an INSERT by an index that the row left", "UPDATE s SET k = 9 WHERE id = 1", "INSERT INTO u VALUES (7, (SELECT 1 / COUNT(*) FROM s WHERE k = 0))", "error 1365", "error 1365"},
	{"9: a subquery of an UPDATE by the primary key", "DELETE FROM s WHERE id = 1", "UPDATE t SET v = 5 WHERE id = 1 AND EXISTS (SELECT 1 FROM s WHERE id = 1)", "error 1020", "0"},
	{"2: a subquery in SET", "UPDATE t SET v = 1 WHERE id = 1", "SET @v = (SELECT v FROM t WHERE id = 1)", "error 1020", "0"},
	{"9: a subquery in SET by an index that the row left", "UPDATE s SET k = 9 WHERE id = 1", "SET @v = (SELECT v FROM s WHERE k = 0)", "0", "0"},
	{"4: a subquery of FOR UPDATE", "UPDATE t SET v = 3 WHERE id = 1", "SELECT id FROM u WHERE id IN (SELECT id FROM t WHERE v = 0) FOR UPDATE", "1", "1"},
	{"9: FOR UPDATE of all rows, of which one went, where an index has what is asked", "DELETE FROM s WHERE id = 1", "SELECT COUNT(*) FROM s FOR UPDATE", "3", "3"},
	{"9: FOR UPDATE of all rows, of which one left its place", "UPDATE s SET k = 9 WHERE id = 1", "SELECT COUNT(*) FROM s FOR UPDATE", "error 1020", "4"},
	{"9: FOR UPDATE of all rows with their columns, of which one went", "DELETE FROM s WHERE id = 1", "SELECT SUM(v) FROM s FOR UPDATE", "error 1020", "0"},
	{"9: FOR UPDATE of keys, of which one went", "DELETE FROM s WHERE id = 1", "SELECT SUM(id) FROM s WHERE id > 0 FOR UPDATE", "error 1020", "9"},
	{"9: a subquery over all rows, of which one went", "DELETE FROM s WHERE id = 1", "UPDATE t SET v = (SELECT COUNT(*) FROM s) WHERE id = 1", "1", "1"},
	{"9: a DELETE of all rows, of which one went", "DELETE FROM s WHERE id = 1", "DELETE FROM s", "error 1020", "3"},
	{"7: a child came", "INSERT INTO c VALUES (1, 1)", "DELETE FROM t WHERE id = 1", "error 1451", "error 1451"},
}

func TestMariaDB(t *testing.T)    { playMaria(t, true) }
func TestMariaDBOff(t *testing.T) { playMaria(t, false) }

func playMaria(t *testing.T, on bool) {
	s := mariatest.Open(t)
	for _, f := range mariaFacts {
		t.Run(f.name, func(t *testing.T) {
			want := f.off
			if on {
				want = f.on
			}
			s.Play(t, on, mariaRows, "A: BEGIN\nA: SELECT v FROM t -> 0 | 0\nB: BEGIN\nB: "+f.other+"\nB: COMMIT\nA: "+f.stmt+" -> "+want+"\nA: COMMIT")
		})
	}
	for _, f := range []struct{ name, script string }{
		{"9: FOR UPDATE by an index that the row left locks nothing", `
			A: BEGIN
			A: SELECT v FROM t -> 0 | 0
			B: UPDATE s SET k = 9 WHERE id = 1
			A: SELECT v FROM s WHERE k = 0 FOR UPDATE
			A: SELECT v FROM s WHERE id = 1 -> 0
			A: COMMIT`},
		{"BEGIN and a write take no snapshot", `
			A: BEGIN
			A: UPDATE t SET w = 1 WHERE id = 2
			B: UPDATE t SET v = 8 WHERE id = 1
			A: SELECT v FROM t WHERE id = 1 -> 8
			B: UPDATE t SET v = 9 WHERE id = 1
			A: SELECT v FROM t WHERE id = 1 -> 8
			A: COMMIT`},
		{"7: a child that went since the snapshot", `
			B: INSERT INTO c VALUES (1, 1)
			A: BEGIN
			A: SELECT v FROM t -> 0 | 0
			B: DELETE FROM c WHERE id = 1
			A: DELETE FROM t WHERE id = 1 -> 1
			A: COMMIT`},
		{"8: LOCK TABLES ends the transaction", `
			A: BEGIN
			A: UPDATE t SET v = 5 WHERE id = 1
			A: LOCK TABLES t WRITE
			A: UNLOCK TABLES
			A: ROLLBACK
			B: SELECT v FROM t WHERE id = 1 -> 5`},
	} {
		t.Run(f.name, func(t *testing.T) { s.Play(t, on, mariaRows, f.script) })
	}
	if !on {
		return
	}
	t.Run("1: the error rolls the transaction back", func(t *testing.T) {
		s.Play(t, true, mariaRows, `
			A: BEGIN
			A: SELECT v FROM t WHERE id = 1 -> 0
			A: UPDATE t SET v = 8 WHERE id = 2
			B: UPDATE t SET v = 1 WHERE id = 1
			A: UPDATE t SET w = 5 WHERE id = 1 -> error 1020
			A: COMMIT
			A: SELECT v FROM t WHERE id = 2 -> 0`)
	})
}
