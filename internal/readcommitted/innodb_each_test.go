package readcommitted_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/sqlmodel"
)

// TestEachRow: at READ COMMITTED of InnoDB transactions are settled if each command that writes or locks names its only row.
func TestEachRow(t *testing.T) {
	const tables = "CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL, w INT NOT NULL);\nCREATE TABLE u (id INT PRIMARY KEY, v INT NOT NULL);\n"
	for _, c := range []struct {
		name, body, more string
		want             bool
	}{
		{"a row by its key", "UPDATE t SET w = w + 1 WHERE id = i AND v >= 1;", "", true},
		{"rows by a column", "UPDATE t SET w = w + 1 WHERE v >= 1;", "", false},
		{"all rows", "UPDATE t SET w = w + 1;", "", false},
		{"rows that go", "DELETE FROM t WHERE v >= 1;", "", false},
		{"a row that goes", "DELETE FROM t WHERE id = i;", "", true},
		{"rows that are locked", "SELECT COUNT(*) INTO n FROM t WHERE v >= 1 FOR UPDATE; UPDATE t SET w = n WHERE id = i;", "", false},
		{"a row that is locked", "SELECT v INTO n FROM t WHERE id = i FOR UPDATE; UPDATE t SET w = n WHERE id = i;", "", true},
		{"a subquery", "UPDATE t SET w = (SELECT COUNT(*) FROM u) WHERE id = i;", "", false},
		{"rows of a query", "INSERT INTO u SELECT id, v FROM t WHERE v >= 1;", "", false},
		{"whether a row has changed", "UPDATE t SET v = v - 1 WHERE id = i AND v >= 1; IF ROW_COUNT() = 0 THEN SIGNAL SQLSTATE '45000'; END IF;", "", true},
		{"that a row has changed", "UPDATE t SET v = v - 1 WHERE id = i AND v >= 1; IF ROW_COUNT() > 0 THEN UPDATE t SET w = w + 1 WHERE id = i; END IF;", "", true},
		{"that no row has changed", "UPDATE t SET v = 5 WHERE id = i; IF ROW_COUNT() = 0 THEN UPDATE u SET v = v + 1 WHERE id = 1; END IF;",
			"CREATE PROCEDURE adds(IN i INT) BEGIN START TRANSACTION; INSERT INTO t VALUES (i, 5, 0); COMMIT; END;", false},
	} {
		text := tables + "CREATE PROCEDURE p(IN i INT) BEGIN DECLARE n INT; START TRANSACTION; " + c.body + " COMMIT; END;\n" + c.more
		p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "case.sql", Text: text}}, sqlmodel.Options{MySQL: true})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		levels := map[string]string{}
		for _, txn := range p.Txns {
			levels[txn.Name] = "READ COMMITTED"
		}
		i := 0
		for ; !strings.HasPrefix(p.Txns[i].Name, "p"); i++ {
		}
		s := readcommitted.SettleInnoDB(p, engine.MySQL(), levels)[p.Txns[i]]
		if is := s.Standing == readcommitted.Atomic; is != c.want {
			t.Errorf("%s: %d (%s), want atomic: %v", c.name, s.Standing, s.Reason, c.want)
		}
	}
}
