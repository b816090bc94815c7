package replay_test

import (
	"context"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

const accounts = "CREATE TABLE acc (id INT PRIMARY KEY, bal INT NOT NULL, version INT NOT NULL) ENGINE=InnoDB;\n"

// guarded is a program with a procedure that begins no transaction, and a comment before it. Another one is right if that one keeps its lock.
func guarded(comment string) string {
	return accounts + "CREATE TABLE lim (acc INT PRIMARY KEY, low INT NOT NULL) ENGINE=InnoDB;\nDELIMITER //\n" + comment + `
CREATE PROCEDURE more(IN a INT, IN n INT)
BEGIN
  DECLARE b INT;
  SELECT bal INTO b FROM acc WHERE id = a FOR UPDATE;
  IF b IS NOT NULL THEN UPDATE lim SET low = low + n WHERE acc = a; END IF;
END//
CREATE PROCEDURE twice(IN a INT)
BEGIN
  DECLARE b, l INT;
  START TRANSACTION;
  SELECT bal INTO b FROM acc WHERE id = a FOR UPDATE;
  IF b IS NOT NULL THEN
    SELECT low INTO l FROM lim WHERE acc = a;
    UPDATE lim SET low = l * 2 WHERE acc = a;
  END IF;
  COMMIT;
END//`
}

// called is a program whose procedure calls a function that reads what it then writes.
func called(how string) string {
	return accounts + `DELIMITER //
CREATE FUNCTION balance(i INT) RETURNS INT READS SQL DATA RETURN (SELECT bal FROM acc WHERE id = i)//
CREATE PROCEDURE pay(IN i INT, IN n INT)
BEGIN
  DECLARE b INT;
  START TRANSACTION;
  ` + how + `;
  UPDATE acc SET bal = b - n WHERE id = i;
  COMMIT;
END//`
}

// innodbPrograms are anomalies of InnoDB with their repaired twins: the verdicts without
// innodb_snapshot_isolation, and with it.
var innodbPrograms = []struct {
	name, text string
	level      string
	off, on    report.Verdict
	kind       witness.Kind // without it, "" for any
}{
	{"a lost update", accounts + `-- name: pay
BEGIN;
SELECT bal INTO @b FROM acc WHERE id = :id;
UPDATE acc SET bal = @b - :n WHERE id = :id;
COMMIT;`, "", robust.NotRobust, robust.Robust, witness.LostUpdate},
	{"a lock when the row is read", accounts + `-- name: pay
BEGIN;
SELECT bal INTO @b FROM acc WHERE id = :id FOR UPDATE;
UPDATE acc SET bal = @b - :n WHERE id = :id;
COMMIT;`, "", robust.Robust, robust.Robust, ""},
	{"one UPDATE, and a report", accounts + `-- name: pay
UPDATE acc SET bal = bal - :n WHERE id = :id AND bal >= :n;
-- name: show
BEGIN;
SELECT bal FROM acc WHERE id = :id;
SELECT SUM(bal) FROM acc;
COMMIT;`, "", robust.Robust, robust.Robust, ""},
	{"a lost update at SERIALIZABLE", accounts + `-- name: pay
BEGIN;
SELECT bal INTO @b FROM acc WHERE id = :id;
UPDATE acc SET bal = @b - :n WHERE id = :id;
COMMIT;`, "serializable", robust.Robust, robust.Robust, ""},
	{"a lost update at READ COMMITTED", accounts + `-- name: pay
BEGIN;
SELECT bal INTO @b FROM acc WHERE id = :id;
UPDATE acc SET bal = @b - :n WHERE id = :id;
COMMIT;`, "rc", robust.NotRobust, robust.NotRobust, witness.LostUpdate},
	{"two reads at READ COMMITTED", accounts + `-- name: add
BEGIN;
UPDATE acc SET bal = bal + :n WHERE id = 1;
UPDATE acc SET bal = bal - :n WHERE id = 2;
COMMIT;
-- name: show
BEGIN;
SELECT bal FROM acc WHERE id = 1;
SELECT bal FROM acc WHERE id = 2;
COMMIT;`, "rc", robust.NotRobust, robust.NotRobust, ""},
	{"a lock that autocommit gives back", guarded("-- robust: assume autocommit"), "", robust.NotRobust, robust.Robust, witness.LostUpdate},
	{"a lock in the transaction of the caller or none", guarded(""), "rc", robust.NotRobust, robust.NotRobust, witness.LostUpdate},
	{"a lock in the transaction of the caller", guarded("-- robust: assume transaction"), "rc", robust.Robust, robust.Robust, ""},
	{"a transaction that the procedure which it calls ends", accounts + `DELIMITER //
CREATE PROCEDURE log(IN n INT)
BEGIN
  START TRANSACTION;
  UPDATE acc SET version = version + n WHERE id = 0;
  COMMIT;
END//
DELIMITER ;
-- name: pay
BEGIN;
SELECT bal INTO @b FROM acc WHERE id = :id;
UPDATE acc SET bal = @b - :n WHERE id = :id;
CALL log(1);
COMMIT;`, "", robust.NotRobust, robust.Robust, witness.LostUpdate},
	{"two reads of one snapshot", accounts + `-- name: add
BEGIN;
UPDATE acc SET bal = bal + :n WHERE id = 1;
UPDATE acc SET bal = bal - :n WHERE id = 2;
COMMIT;
-- name: show
BEGIN;
SELECT bal FROM acc WHERE id = 1;
SELECT bal FROM acc WHERE id = 2;
COMMIT;`, "rr", robust.Robust, robust.Robust, ""},
	{"a write skew", doctorsInnoDB + `-- name: leave
BEGIN;
SELECT COUNT(*) INTO @n FROM doctor WHERE oncall = 1;
UPDATE doctor SET oncall = IF(@n >= 2, 0, oncall) WHERE id = :me;
COMMIT;`, "", robust.NotRobust, robust.NotRobust, witness.PhantomWriteSkew},
	{"a lock on all that is counted", doctorsInnoDB + `-- name: leave
BEGIN;
SELECT id FROM doctor WHERE oncall = 1 FOR UPDATE;
UPDATE doctor SET oncall = 0 WHERE id = :me;
COMMIT;`, "", robust.Robust, robust.Robust, ""},
	{"a phantom", `CREATE TABLE booking (id INT AUTO_INCREMENT PRIMARY KEY, room INT NOT NULL) ENGINE=InnoDB;
-- name: book
BEGIN;
SELECT COUNT(*) INTO @n FROM booking WHERE room = :r;
INSERT INTO booking (room) SELECT :r FROM DUAL WHERE @n = 0;
COMMIT;`, "", robust.NotRobust, robust.NotRobust, witness.PhantomWriteSkew},
	{"a unique key", `CREATE TABLE booking (id INT AUTO_INCREMENT PRIMARY KEY, room INT NOT NULL, UNIQUE (room)) ENGINE=InnoDB;
-- name: book
INSERT INTO booking (room) VALUES (:r);`, "", robust.Robust, robust.Robust, ""},
	{"a report between two that write", accounts + `-- name: withdraw
BEGIN;
SELECT bal INTO @b FROM acc WHERE id = 2;
UPDATE acc SET bal = bal - IF(@b >= :n, :n, :n + 1) WHERE id = 1;
COMMIT;
-- name: deposit
UPDATE acc SET bal = bal + :n WHERE id = 2;
-- name: show
BEGIN;
SELECT bal FROM acc WHERE id = 1;
SELECT bal FROM acc WHERE id = 2;
COMMIT;`, "", robust.NotRobust, robust.NotRobust, witness.ReadOnlyAnomaly},
	{"a lock after the snapshot", accounts + `CREATE TABLE m (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB;
-- name: sum
BEGIN;
SELECT version FROM acc WHERE id = 7;
SELECT n FROM m WHERE id = 1 FOR UPDATE;
SELECT SUM(bal) INTO @b FROM acc;
UPDATE m SET n = @b WHERE id = 1;
COMMIT;
-- name: add
BEGIN;
UPDATE m SET n = n + 1 WHERE id = 1;
UPDATE acc SET bal = bal + 1, version = version + 1 WHERE id = :id;
COMMIT;`, "", robust.NotRobust, robust.Robust, ""},
	{"a row that others insert, and ON DUPLICATE KEY UPDATE", accounts + `-- name: put
BEGIN;
SELECT COUNT(*) INTO @n FROM acc WHERE bal > 0;
INSERT INTO acc VALUES (:id, @n, 0) ON DUPLICATE KEY UPDATE bal = @n;
COMMIT;`, "", robust.NotRobust, robust.NotRobust, ""},
	{"a lock on a row that may be absent", accounts + `CREATE TABLE guard (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB;
-- name: add
BEGIN;
SELECT n INTO @g FROM guard WHERE id = 1 FOR UPDATE;
SELECT bal INTO @b FROM acc WHERE id = 1;
UPDATE acc SET bal = @b + 1 WHERE id = 1;
COMMIT;`, "", robust.NotRobust, robust.Robust, witness.LostUpdate},
	{"a lock on a row that is put there first", accounts + `CREATE TABLE guard (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB;
-- name: add
BEGIN;
INSERT INTO guard VALUES (1, 0) ON DUPLICATE KEY UPDATE n = n + 1;
SELECT bal INTO @b FROM acc WHERE id = 1;
UPDATE acc SET bal = @b + 1 WHERE id = 1;
COMMIT;`, "", robust.Robust, robust.Robust, ""},
	{"an UPDATE that finds the value there already", accounts + `-- name: reset
BEGIN;
SELECT version INTO @n FROM acc WHERE id = 1;
UPDATE acc SET bal = 3 WHERE id = 1 AND version = @n;
SELECT bal FROM acc WHERE id = 1;
COMMIT;
-- name: set
UPDATE acc SET bal = :n WHERE id = 1;`, "", robust.NotRobust, robust.Robust, ""},
	{"an UPDATE that finds the value there already, under a lock", accounts + `-- name: reset
BEGIN;
SELECT version INTO @n FROM acc WHERE id = 1 FOR UPDATE;
UPDATE acc SET bal = 3 WHERE id = 1 AND version = @n;
SELECT bal FROM acc WHERE id = 1;
COMMIT;
-- name: set
UPDATE acc SET bal = :n WHERE id = 1;`, "", robust.Robust, robust.Robust, ""},
	{"ON DUPLICATE KEY UPDATE that finds the value there already", accounts + `-- name: put
BEGIN;
SELECT COUNT(*) FROM acc WHERE id = :id;
INSERT INTO acc VALUES (:id, 3, 0) ON DUPLICATE KEY UPDATE bal = 3;
SELECT bal FROM acc WHERE id = :id;
COMMIT;`, "", robust.NotRobust, robust.Unknown, ""},
	{"REPLACE that finds the same row", accounts + `-- name: put
BEGIN;
SELECT COUNT(*) FROM acc WHERE id = :id;
REPLACE INTO acc VALUES (:id, 3, 0);
SELECT bal FROM acc WHERE id = :id;
COMMIT;`, "", robust.NotRobust, robust.Unknown, ""},
	{"REPLACE by itself", accounts + `-- name: put
REPLACE INTO acc VALUES (:id, 3, 0);`, "", robust.Robust, robust.Robust, ""},
	{"a child whose parent is locked", `CREATE TABLE parent (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB;
CREATE TABLE child (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES parent (id)) ENGINE=InnoDB;
-- name: put
INSERT INTO child VALUES (:c, :p);
-- name: drop
DELETE FROM parent WHERE id = :p;`, "", robust.Robust, robust.Robust, ""},
	{"a procedure that withdraws what it has read", accounts + `CREATE PROCEDURE withdraw(IN i INT, IN n INT)
BEGIN
  DECLARE b INT;
  START TRANSACTION;
  SELECT bal INTO b FROM acc WHERE id = i;
  IF b >= n THEN UPDATE acc SET bal = b - n WHERE id = i; END IF;
  COMMIT;
END;`, "rc", robust.NotRobust, robust.NotRobust, witness.LostUpdate},
	{"a procedure that locks what it reads", accounts + `CREATE PROCEDURE withdraw(IN i INT, IN n INT)
BEGIN
  DECLARE b INT;
  START TRANSACTION;
  SELECT bal INTO b FROM acc WHERE id = i FOR UPDATE;
  IF b >= n THEN UPDATE acc SET bal = b - n WHERE id = i; END IF;
  COMMIT;
END;`, "rc", robust.Robust, robust.Robust, ""},
	{"an UPDATE that changes nothing", accounts + `DELIMITER //
CREATE PROCEDURE pay(IN i INT, IN n INT)
BEGIN
  DECLARE b INT;
  START TRANSACTION;
  SELECT bal INTO b FROM acc WHERE id = 99;
  UPDATE acc SET bal = bal WHERE id = i;
  SELECT bal INTO b FROM acc WHERE id = i;
  UPDATE acc SET bal = b - n WHERE id = i;
  COMMIT;
END//
DELIMITER ;
-- name: add
UPDATE acc SET bal = bal + :n WHERE id = :id;`, "", robust.NotRobust, robust.Robust, ""},
	{"the query of a function locks where a SET calls it", called("SET b = balance(i)"), "", robust.Robust, robust.Robust, ""},
	{"the query of a function reads plainly where a SELECT calls it", called("SELECT balance(i) INTO b"), "", robust.NotRobust, robust.Robust, witness.LostUpdate},
	{"a procedure that does not ask for the version again", accounts + `CREATE PROCEDURE edit(IN i INT)
BEGIN
  DECLARE v INT;
  START TRANSACTION;
  SELECT version INTO v FROM acc WHERE id = i;
  UPDATE acc SET version = v + 1, bal = bal + 1 WHERE id = i;
  COMMIT;
END;`, "rc", robust.NotRobust, robust.NotRobust, ""},
	{"a procedure that rolls back where the version is another one", accounts + `CREATE PROCEDURE edit(IN i INT)
BEGIN
  DECLARE v INT;
  START TRANSACTION;
  SELECT version INTO v FROM acc WHERE id = i;
  UPDATE acc SET version = v + 1, bal = bal + 1 WHERE id = i AND version = v;
  IF ROW_COUNT() = 0 THEN ROLLBACK; ELSE COMMIT; END IF;
END;`, "rc", robust.Robust, robust.Robust, ""},
	{"a procedure whose CALLs are one transaction", accounts + `CREATE PROCEDURE take(IN i INT, IN n INT, OUT ok INT)
BEGIN
  UPDATE acc SET bal = bal - n WHERE id = i AND bal >= n;
  SET ok = ROW_COUNT();
END;
CREATE PROCEDURE move(IN a INT, IN b INT, IN n INT)
BEGIN
  DECLARE ok INT;
  START TRANSACTION;
  CALL take(a, n, ok);
  IF ok = 0 THEN SIGNAL SQLSTATE '45000'; END IF;
  UPDATE acc SET bal = bal + n WHERE id = b;
  COMMIT;
END;`, "rc", robust.Robust, robust.Robust, ""},
}

// TestInnoDB: the verdicts at the levels of InnoDB, where each finding happens on a server.
func TestInnoDB(t *testing.T) {
	srv := replaytest.Open(t, witness.MySQL)
	for _, tc := range innodbPrograms {
		for _, e := range []*engine.Profile{engine.MySQL(), engine.MariaDB()} {
			t.Run(tc.name+"/"+e.Name, func(t *testing.T) {
				p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "case.sql", Text: tc.text}}, sqlmodel.Options{MySQL: true})
				if err != nil {
					t.Fatal(err)
				}
				rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: e, Isolation: tc.level}, Budget: robust.Budget{Helpers: 2},
					Replay: func(ctx context.Context, w *witness.Witness) (*witness.Replay, error) { return srv.Replay(ctx, w.Plan) }})
				if err != nil {
					t.Fatal(err)
				}
				want := tc.off
				if e.Weaker == "" {
					want = tc.on
				}
				if rep.Verdict != want || len(rep.Refused) > 0 {
					t.Errorf("%s, not %s: %+v, %d refused", rep.Verdict, want, rep.Open, len(rep.Refused))
				}
				for _, f := range rep.Findings {
					if f.Status != report.Confirmed || f.Replay.Outcome != witness.AsShown {
						t.Errorf("%s %s: %s", f.Kind, f.Status, f.Replay)
					}
					if strings.Contains(tc.text, "PROCEDURE") && strings.Contains(f.Replay.Serializable, "the server does not see it") { // what procedures read is compared
						t.Errorf("%s: %s", f.Kind, f.Replay.Serializable)
					}
				}
				if e.Weaker != "" && tc.kind != "" && (len(rep.Findings) == 0 || rep.Findings[0].Kind != tc.kind) {
					t.Errorf("%d findings, not %s", len(rep.Findings), tc.kind)
				}
			})
		}
	}
}
