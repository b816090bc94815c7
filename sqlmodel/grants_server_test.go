package sqlmodel

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
)

// grantCase declares functions and procedures in two schemas, and says who may execute them.
func grantCase(rng *rand.Rand) []string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	what := func() string {
		kind, schema, name := pick("FUNCTION", "FUNCTION", "PROCEDURE", "ROUTINE"), pick("", "", "s."), pick("f", "g")
		if kind == "PROCEDURE" {
			name = "p"
		}
		return kind + " " + schema + name + pick("()", "()", "(int)", "")
	}
	who := func() string { return pick("PUBLIC", "PUBLIC", "PUBLIC", "app", "reader", "PUBLIC, app") }
	change := func(objects string) string {
		privilege := pick("EXECUTE", "ALL", "ALL PRIVILEGES")
		switch rng.IntN(6) {
		case 0, 1:
			return "GRANT " + privilege + " ON " + objects + " TO " + pick("app", "reader", "PUBLIC")
		case 2:
			return "REVOKE GRANT OPTION FOR " + privilege + " ON " + objects + " FROM app"
		}
		return "REVOKE " + privilege + " ON " + objects + " FROM " + who() + pick("", " CASCADE")
	}
	create := func() string {
		replace, schema := pick("", "OR REPLACE "), pick("", "", "s.")
		if rng.IntN(4) == 0 {
			return "CREATE " + replace + "PROCEDURE " + schema + "p(" + pick("", "a int") + ") LANGUAGE plpgsql AS $$ BEGIN DELETE FROM t; END $$"
		}
		return "CREATE " + replace + "FUNCTION " + schema + pick("f", "g") + "(" + pick("", "a int") + ") RETURNS void LANGUAGE plpgsql AS $$ BEGIN DELETE FROM t; END $$"
	}
	list := []string{"CREATE ROLE app", "CREATE ROLE reader", "CREATE TABLE t (k int)", "CREATE SCHEMA s"}
	for range 6 + rng.IntN(10) {
		switch rng.IntN(10) {
		case 0, 1, 2, 3:
			list = append(list, create())
		case 4, 5, 6:
			list = append(list, change(what()))
		case 7:
			list = append(list, change("ALL "+pick("FUNCTIONS", "PROCEDURES", "ROUTINES")+" IN SCHEMA "+pick("s", "public", "s, public")))
		case 8:
			list = append(list, "ALTER DEFAULT PRIVILEGES"+pick("", "", " IN SCHEMA s")+" "+change(pick("FUNCTIONS", "ROUTINES")))
		case 9:
			list = append(list, "DROP "+what())
		}
	}
	return list
}

// callable are the functions of a server that somebody else than their owner may execute.
const callable = `SELECT n.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
	WHERE n.nspname IN ('public', 's') AND EXISTS (SELECT FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) a
	WHERE a.grantee <> p.proowner AND a.privilege_type = 'EXECUTE')`

// TestGrantsOnServer compares the functions that are transactions with those that a server lets its clients call.
func TestGrantsOnServer(t *testing.T) {
	server := pgtest.Open(t)
	conn := server.Conn(t, server.Database(t)).PgConn()
	ctx := context.Background()
	run := func(sql string) [][][]byte {
		results, err := conn.Exec(ctx, sql).ReadAll()
		if err != nil {
			t.Fatalf("%v\nin: %s", err, sql)
		}
		return results[len(results)-1].Rows
	}
	not := 0
	for i := range 200 {
		var done []string
		run("BEGIN")
		for _, sql := range grantCase(rand.New(rand.NewPCG(seed, uint64(i)))) {
			run("SAVEPOINT here")
			if _, err := conn.Exec(ctx, sql).ReadAll(); err != nil {
				run("ROLLBACK TO here")
				continue
			}
			done = append(done, sql+";")
		}
		var want []string
		for _, row := range run(callable) {
			want = append(want, strings.NewReplacer("IN ", "", "a integer", "int").Replace(string(row[0])))
		}
		run("ROLLBACK")
		l, err := read(Options{}.input([]File{{Name: "case.sql", Text: strings.Join(done, "\n") + "\n"}}))
		if err != nil {
			t.Errorf("case %d: %v\n%s", i, err, strings.Join(done, "\n"))
			continue
		}
		entries, err := l.Entries()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range entries {
			args := ""
			if len(f.Params) > 0 {
				args = "int"
			}
			got = append(got, fmt.Sprintf("%s.%s(%s)", f.Schema(), f.Own(), args))
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d, case %d: clients may call %v on the server, %v here\n%s", seed, i, want, got, strings.Join(done, "\n"))
		}
		not += len(l.Funcs) - len(got)
	}
	t.Logf("%d functions are not callable", not)
	if not < 30 {
		t.Errorf("only %d functions are not callable", not)
	}
}
