package sqlmodel_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/sqlmodel"
)

// TestDumps: declarations that a server accepts are read, and so is what pg_dump makes of them. What is not
// modelled of them costs nothing elsewhere: a transaction on another table is modelled all the same.
func TestDumps(t *testing.T) {
	server, dump := pgtest.Open(t), pgtest.Program(t, "pg_dump")
	const other = `
CREATE TABLE zz (id int PRIMARY KEY, v int NOT NULL);
CREATE FUNCTION zz_f(x int) RETURNS void LANGUAGE sql AS $zz$ UPDATE zz SET v = v + 1 WHERE id = x $zz$;
`
	files, err := filepath.Glob("testdata/dumps/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no declarations: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dsn := server.Database(t)
			server.Exec(t, dsn, string(text))
			texts := map[string]string{"as written": string(text)}
			for _, flags := range []string{"", "--inserts --no-owner", "--schema-only --clean --if-exists"} {
				out, err := exec.Command(dump, append(strings.Fields(flags), dsn)...).Output()
				if err != nil {
					t.Fatalf("pg_dump %s: %v", flags, err)
				}
				texts["pg_dump "+flags] = string(out)
			}
			for kind, text := range texts {
				p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "schema.sql", Text: text}, {Name: "zz.sql", Text: "SET search_path = public;" + other}}, sqlmodel.Options{})
				if err != nil {
					t.Errorf("%s: %v", kind, err)
					continue
				}
				if body := p.Txn("zz_f").String(); strings.Contains(body, "unmodelled") || !strings.Contains(body, "update zz") {
					t.Errorf("%s: the transaction on another table is\n%s", kind, body)
				}
			}
		})
	}
}
