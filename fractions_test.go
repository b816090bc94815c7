package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/schedules"
	"github.com/txrobust/robust/sqlmodel/mysql"
)

// TestFractions: a key of whole numbers that is compared with a fraction.
func TestFractions(t *testing.T) {
	const text = `CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL, e DECIMAL(8,2) NOT NULL);
-- name: pay
START TRANSACTION;
SELECT n INTO @v FROM t WHERE id = :p * 1.5 LOCK IN SHARE MODE;
UPDATE t SET e = e + 1.5 WHERE id = e;
COMMIT;
-- name: count
START TRANSACTION;
SELECT n FROM t WHERE id = :r;
UPDATE t SET n = n + 1 WHERE id = :r;
COMMIT;
-- name: join
START TRANSACTION;
SELECT a.n FROM t a JOIN t b ON b.id = a.e;
COMMIT;
`
	p, err := mysql.Parse([]mysql.File{{Name: "t.sql", Text: text}}, mysql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := robust.Check(t.Context(), p, robust.Options{Engine: engine.MariaDB(), Init: schedules.AnyRows})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Verdict == robust.NotRobust {
		t.Errorf("the verdict is %s", rep.Verdict)
	}
}
