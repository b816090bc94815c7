package robust_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// TestQueries: programs whose transactions read by queries that are
// derivations, or write through triggers, each with a repaired twin. What is
// found is run on a real server.
func TestQueries(t *testing.T) {
	var replays replaytest.Tally
	const accounts = `CREATE TABLE person (id int PRIMARY KEY, name text);
CREATE TABLE account (id int PRIMARY KEY, owner int NOT NULL REFERENCES person, balance int NOT NULL);
`
	withdraw := func(read, touch string) string {
		return accounts + `CREATE FUNCTION withdraw(p_owner int, p_id int, v int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE t bigint;
BEGIN
  ` + read + `
  IF t >= v THEN
    ` + touch + `UPDATE account SET balance = balance - v WHERE id = p_id AND owner = p_owner;
  END IF;
END $$;`
	}
	const touch = "UPDATE person SET name = name WHERE id = p_owner;\n    "
	for _, tc := range []struct {
		name, sql string
		want      report.Verdict
	}{
		{"grouped", withdraw("SELECT total INTO t FROM (SELECT owner, sum(balance) AS total FROM account GROUP BY owner) q WHERE owner = p_owner;", ""), robust.NotRobust},
		{"grouped, touched", withdraw("SELECT total INTO t FROM (SELECT owner, sum(balance) AS total FROM account GROUP BY owner) q WHERE owner = p_owner;", touch), robust.Robust},
		{"left join", withdraw("SELECT sum(a.balance) INTO t FROM person p LEFT JOIN account a ON a.owner = p.id WHERE p.id = p_owner GROUP BY p.id;", ""), robust.NotRobust},
		{"left join, touched", withdraw("SELECT sum(a.balance) INTO t FROM person p LEFT JOIN account a ON a.owner = p.id WHERE p.id = p_owner GROUP BY p.id;", touch), robust.Robust},
		{"view", accounts + "CREATE VIEW totals AS SELECT owner, sum(balance) AS total FROM account GROUP BY owner;" +
			strings.Replace(withdraw("SELECT total INTO t FROM totals WHERE owner = p_owner;", ""), accounts, "", 1), robust.NotRobust},
		{"union", withdraw("SELECT sum(b) INTO t FROM (SELECT balance AS b FROM account WHERE owner = p_owner UNION ALL SELECT 0) q;", ""), robust.NotRobust},
		{"own row only", withdraw("SELECT sum(b) INTO t FROM (SELECT balance AS b FROM account WHERE id = p_id AND owner = p_owner UNION ALL SELECT 0) q;", ""), robust.Robust},
		{"trigger keeps a sum", triggered("SELECT total INTO t FROM person WHERE id = p_owner;"), robust.Robust},
		{"trigger beside a sum", triggered("SELECT sum(balance) INTO t FROM account WHERE owner = p_owner;"), robust.Robust},
		{"generated column", `CREATE TABLE account (id int PRIMARY KEY, owner int NOT NULL, balance int NOT NULL, twice int GENERATED ALWAYS AS (balance * 2) STORED);
CREATE FUNCTION withdraw(p_owner int, p_id int, v int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT sum(twice) FROM account WHERE owner = p_owner) >= 2 * v THEN
    UPDATE account SET balance = balance - v WHERE id = p_id AND owner = p_owner;
  END IF;
END $$;`, robust.NotRobust},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "q.sql", Text: tc.sql}}, sqlmodel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			rep, err := robust.Check(ctx, p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Verdict != tc.want || len(rep.Havocs) > 0 {
				t.Fatalf("%s (%v), want %s", rep.Verdict, rep.Havocs, tc.want)
			}
			replays.Report(t, rep, "")
		})
	}
}

// triggered is a program in which a trigger keeps the sum of the accounts of a
// person, so that two withdrawals write one row.
func triggered(read string) string {
	return `CREATE TABLE person (id int PRIMARY KEY, total int NOT NULL);
CREATE TABLE account (id int PRIMARY KEY, owner int NOT NULL REFERENCES person, balance int NOT NULL);
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE person SET total = total + NEW.balance - OLD.balance WHERE id = NEW.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER keep AFTER UPDATE ON account FOR EACH ROW EXECUTE FUNCTION keep();
CREATE FUNCTION withdraw(p_owner int, p_id int, v int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE t bigint;
BEGIN
  ` + read + `
  IF t >= v THEN UPDATE account SET balance = balance - v WHERE id = p_id AND owner = p_owner; END IF;
END $$;`
}
