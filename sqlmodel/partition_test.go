package sqlmodel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/ir"
)

// TestPartitions compares with a server whether a row fits into a partition that is
// declared.
func TestPartitions(t *testing.T) {
	server := pgtest.Open(t)
	for _, c := range []struct {
		name, schema string
		exact        bool   // it is known for each row
		clause       string // behind VALUES
	}{
		{"range", "CREATE TABLE t (id int, at int) PARTITION BY RANGE (at); CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (10); CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (20) TO (MAXVALUE);", true, ""},
		{"range with a default", "CREATE TABLE t (id int, at int) PARTITION BY RANGE (at); CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (10); CREATE TABLE t2 PARTITION OF t DEFAULT;", true, ""},
		{"below", "CREATE TABLE t (id int, at int) PARTITION BY RANGE (at); CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (MINVALUE) TO (10);", true, ""},
		{"list", "CREATE TABLE t (id int, at int) PARTITION BY LIST (at); CREATE TABLE t1 PARTITION OF t FOR VALUES IN (5, NULL); CREATE TABLE t2 PARTITION OF t FOR VALUES IN (9);", true, ""},
		{"list without NULL", "CREATE TABLE t (id int, at int) PARTITION BY LIST (at); CREATE TABLE t1 PARTITION OF t FOR VALUES IN (5, 20);", true, ""},
		{"hash", "CREATE TABLE t (id int, at int) PARTITION BY HASH (at); CREATE TABLE t1 PARTITION OF t FOR VALUES WITH (MODULUS 1, REMAINDER 0);", true, ""},
		{"two columns", "CREATE TABLE t (id int, at int) PARTITION BY RANGE (at, id); CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0, 0) TO (10, 0);", false, ""},
		{"an expression", "CREATE TABLE t (id int, at int) PARTITION BY RANGE ((at + 1)); CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (10);", false, ""},
		{"partitions of partitions", "CREATE TABLE t (id int, at int) PARTITION BY RANGE (at); CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (30) PARTITION BY RANGE (at); CREATE TABLE t11 PARTITION OF t1 FOR VALUES FROM (0) TO (10);", false, ""},
		{"DO UPDATE of other columns", "CREATE TABLE t (id int, at int, v int, PRIMARY KEY (id, at)) PARTITION BY RANGE (at); CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (10); CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (20) TO (MAXVALUE);", true,
			" ON CONFLICT (id, at) DO UPDATE SET v = t.v + 1"},
	} {
		dsn := server.Database(t)
		server.Exec(t, dsn, c.schema)
		conn := server.Conn(t, dsn)
		for _, value := range []string{"-1", "0", "5", "9", "10", "20", "NULL"} {
			if c.clause != "" && value == "NULL" {
				continue // a key has none
			}
			insert := "INSERT INTO t (id, at) VALUES (1, " + value + ")" + c.clause
			files := []File{{Name: "f.sql", Text: c.schema + "\nCREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ " + insert + " $$;"}}
			p, err := Parse(files, Options{})
			if err != nil {
				t.Fatal(err)
			}
			run := interp.NewMachine(p, engine.Postgres()).Run(&interp.Instance{Txn: p.Txn("f"), ID: 1}, interp.NewDB(p, make([][][]ir.Value, len(p.Tables))), nil)
			may := len(run.Dropped) > 0
			_, fault := conn.Exec(t.Context(), insert)
			if fault != nil && !strings.Contains(fault.Error(), "no partition") {
				t.Fatal(fault)
			}
			if fault != nil && !may || c.exact && fault == nil && may {
				t.Errorf("%s: %s: the server says %v, the model %s", c.name, value, fault, fmt.Sprint(run.Dropped))
			}
		}
	}
}
