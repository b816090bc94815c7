package replay_test

import (
	"context"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

const doctorsInnoDB = "CREATE TABLE doctor (id INT PRIMARY KEY, badge INT NOT NULL, oncall INT NOT NULL) ENGINE=InnoDB;\n"

// TestMariaDB: on MariaDB, which excludes more than its profile says, what a server has
// done is a finding, and nothing else is.
func TestMariaDB(t *testing.T) {
	srv := replaytest.Open(t, witness.MySQL)
	shown, refused := 0, 0
	for _, tc := range []struct {
		name, text string
		want       report.Verdict
		refused    bool
	}{
		{"variables", doctorsInnoDB + `-- name: leave
START TRANSACTION;
SELECT COUNT(*) INTO @n FROM doctor WHERE oncall = 1;
UPDATE doctor SET oncall = IF(@n >= 2, 0, oncall) WHERE id = :me;
COMMIT;`, robust.NotRobust, false},
		{"an update that looks at all rows", doctorsInnoDB + `-- name: leave
START TRANSACTION;
SELECT COUNT(*) INTO @n FROM doctor WHERE oncall = 1;
UPDATE doctor SET oncall = IF(@n >= 2, 0, oncall) WHERE badge = :me;
COMMIT;`, robust.Unknown, true},
		{"keys that the server gives, the time, parameters without names", "CREATE TABLE `order` (id INT AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL, what VARCHAR(20), at DATETIME) ENGINE=InnoDB;\n" +
			"CREATE TABLE item (id INT PRIMARY KEY, open INT NOT NULL, price DECIMAL(8,2)) ENGINE=InnoDB;\n" + `-- name: buy
BEGIN;
SELECT open FROM item WHERE id = ?;
SELECT COUNT(*) INTO @n FROM item WHERE open = 1;
UPDATE item SET open = IF(@n > 1, 0, open), price = ? WHERE id = ?;
INSERT INTO ` + "`order`" + ` (n, what, at) VALUES (@n, ?, NOW());
SELECT LAST_INSERT_ID(), @n;
COMMIT;`, robust.NotRobust, false},
		{"rows that refer to others", `CREATE TABLE parent (id INT PRIMARY KEY, open INT NOT NULL) ENGINE=InnoDB;
CREATE TABLE child (id INT PRIMARY KEY, parent INT, n INT NOT NULL, FOREIGN KEY (parent) REFERENCES parent (id)) ENGINE=InnoDB;
-- name: fill
START TRANSACTION;
SELECT SUM(n) INTO @s FROM child WHERE parent = :p;
UPDATE child SET n = IF(@s < 10, n + 5, n) WHERE id = :c;
COMMIT;`, robust.NotRobust, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "case.sql", Text: tc.text}}, sqlmodel.Options{MySQL: true})
			if err != nil {
				t.Fatal(err)
			}
			rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.MariaDB()}, Budget: robust.Budget{Helpers: 2}, Replay: func(ctx context.Context, w *witness.Witness) (*witness.Replay, error) { return srv.Replay(ctx, w.Plan) }})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Verdict != tc.want || (len(rep.Refused) > 0) != tc.refused {
				t.Errorf("%s, %d refused, %+v, %v", rep.Verdict, len(rep.Refused), rep.Open, rep.Havocs)
				for _, f := range rep.Refused {
					t.Log(f.Replay, f.Replay.Log)
				}
			}
			for _, f := range rep.Findings {
				shown++
				if f.Replay.Outcome != witness.AsShown || f.Replay.Server != "MariaDB" {
					t.Errorf("%s", f.Replay)
				}
			}
			refused += len(rep.Refused)
		})
	}
	t.Logf("%d as-shown, %d refused", shown, refused)
}
