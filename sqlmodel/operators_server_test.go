package sqlmodel

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
)

// operators are expressions of rows with the numbers a and b and the lists l and n. Only l
// may be NULL.
var operators = []string{
	"a IN (1, b)", "a NOT IN (1, b)", "(a IN (1, b)) IS NULL", "(a NOT IN (1, b)) IS NULL", "(a IN (1, NULL)) IS NULL", "(a IN (1, 2)) IS NULL", "(1 IN (2, b)) IS NULL",
	"a = ANY (l)", "a <> ALL (l)", "(a = ANY (l)) IS NULL", "(a <> ALL (l)) IS NULL", "(a = ANY (n)) IS NULL", "(a <> ALL (n)) IS NULL", "NOT a = ANY (n)", "(2 = ANY (n)) IS NULL",
	"a = ALL (l)", "a <> ANY (l)", "a < ANY (n)", "a <= ALL (n)", "a > ANY (l)", "a >= ALL (n)", "a::bigint < ALL (n)", "(a = ALL (n)) IS NULL", "(a <> ANY (n)) IS NULL", "(a < ALL (n)) IS NULL", "2 >= ALL (n)",
	"a BETWEEN b AND 2", "a NOT BETWEEN b AND 2", "a BETWEEN SYMMETRIC 2 AND b", "a NOT BETWEEN SYMMETRIC 2 AND b", "(a NOT BETWEEN SYMMETRIC 3 AND b) IS NULL",
	"(a, b) < (2, 2)", "(a, b) <= (2, 2)", "(a, b) > (2, 2)", "(a, b) >= (2, 2)", "(a, b) = (2, 2)", "(a, b) <> (2, 2)", "((a, b) <= (2, 2)) IS NULL", "((a, b) = (2, 2)) IS NULL",
	"(a, b) IS DISTINCT FROM (2, 2)", "a IS DISTINCT FROM b", "(a = b) IS NOT TRUE", "(a = b) IS UNKNOWN", "a = b AND b = 2", "(a = b OR b = 2) IS NULL",
	"a + 2147483646", "2147483647 - a + b", "a * 2147483647", "-2147483648 - (2 - a)", "a + 9223372036854775806", "a + 2147483646 > 0", "a + 2147483646 - 2147483646 = a", "-2147483648 - (2 - a) < 0",
	"CASE a WHEN b THEN 1 WHEN 2 THEN 2 END", "coalesce(a, b, 7)", "nullif(a, b)", "greatest(a, b)", "least(a, b, 2)",
	"(true IN (SELECT s.a IN (1, s.b) FROM r AS s WHERE s.id <= r.id)) IS NULL", "(false IN (SELECT s.a = ANY (s.n) FROM r AS s WHERE s.id <= r.id)) IS NULL",
	"(true IN (SELECT (s.a, s.b) <= (2, 2) FROM r AS s WHERE s.id <= r.id)) IS NULL",
}

// TestOperatorsOnServer: operators give what they give on a server, of NULL, too, and
// beyond the range of a type.
func TestOperatorsOnServer(t *testing.T) {
	var sql strings.Builder
	sql.WriteString("CREATE TABLE r (id int PRIMARY KEY, a int, b int, l int[], n int[] NOT NULL);\n")
	for i, e := range operators {
		typ := "boolean"
		if !strings.ContainsAny(e, "=<>") && !strings.Contains(e, "IN (") && !strings.Contains(e, "BETWEEN") && !strings.Contains(e, " IS ") {
			typ = "bigint"
		}
		fmt.Fprintf(&sql, "CREATE FUNCTION f%d(k int) RETURNS %s LANGUAGE sql AS 'SELECT %s FROM r WHERE id = k';\n", i, typ, e)
	}
	file := filepath.Join(t.TempDir(), "operators.sql")
	if err := os.WriteFile(file, []byte(sql.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	server := pgtest.Open(t)
	d := &differ{t: t, rng: rand.New(rand.NewPCG(seed, 3))}
	dsn := server.Database(t)
	server.Exec(t, dsn, sql.String())
	d.conn = server.Conn(t, dsn)
	d.loader([]string{file})
	rows := 0
	for _, a := range []string{"NULL", "1", "2", "3"} {
		for _, b := range []string{"NULL", "1", "2", "3"} {
			list := []string{"{}", "{1}", "{2,2}", "{3,1}"}[rows%4]
			d.exec(fmt.Sprintf("INSERT INTO r VALUES (%d, %s, %s, nullif('%s', '{1}')::int[], '%s')", rows, a, b, list, list))
			rows++
		}
	}
	d.state = d.database()
	for _, fn := range d.fns {
		for id := range rows {
			d.compareCall(fn, strconv.Itoa(id))
		}
		if d.committed[fn.Name] == 0 {
			t.Errorf("%s never gives a value", fn.Pos)
		}
	}
	if len(d.fns) != len(operators) {
		t.Errorf("%d functions are compared, want %d", len(d.fns), len(operators))
	}
}
