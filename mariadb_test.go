package robust_test

import (
	"context"
	"testing"
	"time"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// TestMariaDBPrograms: programs in the dialect of MySQL, which random ones were made smaller
// to, with their repaired twins.
func TestMariaDBPrograms(t *testing.T) {
	for _, tc := range []struct {
		name, sql string
		want      report.Verdict
	}{
		{"a key of whole numbers that is compared with a fraction", `CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL, e DECIMAL(8,2) NOT NULL);
-- name: pay
START TRANSACTION;
SELECT n INTO @v FROM t WHERE id = :p * 1.5 LOCK IN SHARE MODE;
UPDATE t SET e = e + 1.5 WHERE id = e;
COMMIT;
`, robust.Robust},
		{"an update of a wide table that looks at a narrow one", `CREATE TABLE narrow (id INT PRIMARY KEY, c INT NOT NULL);
CREATE TABLE wide (id INT PRIMARY KEY, a INT NOT NULL, b INT NOT NULL, c INT NOT NULL, d INT NOT NULL);
-- name: look
START TRANSACTION;
SELECT c INTO @v FROM narrow WHERE id = :p;
UPDATE narrow SET c = @v + @v WHERE id = :p;
UPDATE wide SET d = :p WHERE EXISTS (SELECT 1 FROM narrow n WHERE n.c > 0);
COMMIT;
-- name: remove
START TRANSACTION;
DELETE FROM narrow WHERE id = :p;
COMMIT;
`, robust.Unknown},
		{"a check that orders writes of its columns", checked(", CHECK (v <= w)", ""), robust.Unknown},
		{"a check that is not modelled", checked(", CHECK (v <= w AND GREATEST(v, w) > -1)", ""), robust.Unknown},
		{"a check of one column each", checked(", CHECK (v >= 0), CHECK (w >= 0)", ""), robust.Robust},
		{"a check, and a row that both write", checked(", CHECK (v <= w)", "UPDATE y SET v = v + 1 WHERE id = 1;\n"), robust.Robust},
		{"a difference that must not be negative", unsigned(" UNSIGNED"), robust.NotRobust},
		{"a difference that may be", unsigned(""), robust.Robust},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "t.sql", Text: tc.sql}}, sqlmodel.Options{MySQL: true})
			if err != nil {
				t.Fatal(err)
			}
			limit := 2 * time.Minute
			if tc.want == robust.Unknown {
				limit = 5 * time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			rep, err := robust.Check(ctx, p, robust.Options{Question: robust.Question{Engine: engine.MariaDB(), Init: robust.AnyRows}})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Verdict != tc.want {
				t.Errorf("the verdict is %s, and should be %s", rep.Verdict, tc.want)
			}
		})
	}
}

// checked has three transactions, of which grow must come before fill where v must not be
// more than w.
func checked(check, also string) string {
	return `CREATE TABLE acc (id INT PRIMARY KEY, v INT NOT NULL, w INT NOT NULL` + check + `);
CREATE TABLE x (id INT PRIMARY KEY, v INT NOT NULL);
CREATE TABLE y (id INT PRIMARY KEY, v INT NOT NULL);
-- name: look
START TRANSACTION;
SELECT v FROM x WHERE id = 1;
UPDATE y SET v = v + 7 WHERE id = 1;
COMMIT;
-- name: grow
START TRANSACTION;
UPDATE x SET v = 7 WHERE id = 1;
` + also + `UPDATE acc SET w = 9 WHERE id = 1;
COMMIT;
-- name: fill
START TRANSACTION;
UPDATE acc SET v = 9 WHERE id = 1;
SELECT v FROM y WHERE id = 1;
COMMIT;
`
}

// unsigned has three transactions, of which grow must come before find where u - 5 must not
// be negative. No row is found before it or after it.
func unsigned(word string) string {
	return `CREATE TABLE acc (id INT PRIMARY KEY, v INT NOT NULL, u INT` + word + ` NOT NULL);
CREATE TABLE x (id INT PRIMARY KEY, v INT NOT NULL);
CREATE TABLE y (id INT PRIMARY KEY, v INT NOT NULL);
-- name: look
START TRANSACTION;
SELECT v FROM x WHERE id = 1;
UPDATE y SET v = v + 7 WHERE id = 1;
COMMIT;
-- name: grow
START TRANSACTION;
UPDATE x SET v = 7 WHERE id = 1;
UPDATE acc SET u = 6 WHERE id = 1;
COMMIT;
-- name: find
START TRANSACTION;
SELECT COUNT(*) FROM acc WHERE id = 1 AND u < 7 AND u - 5 > 3;
SELECT v FROM y WHERE id = 1;
COMMIT;
`
}
