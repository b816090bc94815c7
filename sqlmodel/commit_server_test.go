package sqlmodel_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/txrobust/robust/internal/pgtest"
)

// ending writes random bodies of a procedure that end transactions.
type ending struct{ rng *rand.Rand }

func (e *ending) list(depth int) string {
	var out strings.Builder
	for range 1 + e.rng.IntN(3) {
		out.WriteString(e.stmt(depth) + " ")
	}
	return out.String()
}

func (e *ending) stmt(depth int) string {
	n := e.rng.IntN(14)
	if depth == 0 {
		n = e.rng.IntN(8)
	}
	switch n {
	case 0, 1, 2:
		return fmt.Sprintf("UPDATE a SET x = x * 3 + %d WHERE k = %d;", e.rng.IntN(3), 1+e.rng.IntN(2))
	case 3, 4:
		return "COMMIT;"
	case 5:
		return "ROLLBACK;"
	case 6:
		return "NULL;"
	case 7:
		return "RETURN;"
	case 8, 9:
		return fmt.Sprintf("IF p = %d THEN %sEND IF;", e.rng.IntN(3), e.list(depth-1))
	case 10:
		return fmt.Sprintf("IF p = %d THEN %sELSE %sEND IF;", e.rng.IntN(3), e.list(depth-1), e.list(depth-1))
	case 11:
		return fmt.Sprintf("CASE p WHEN %d THEN %sELSE %sEND CASE;", e.rng.IntN(3), e.list(depth-1), e.list(depth-1))
	case 12:
		return fmt.Sprintf("BEGIN %sEND;", e.list(depth-1))
	}
	if e.rng.IntN(2) == 0 {
		return fmt.Sprintf("BEGIN %sEXCEPTION WHEN no_data_found THEN %sEND;", e.list(depth-1), e.list(depth-1))
	}
	return fmt.Sprintf("FOR i IN 1..2 LOOP %sEND LOOP;", e.list(depth-1))
}

// TestEndOnServer runs random procedures that end transactions. Where the end of a transaction is modelled, it is
// the last thing that happens: the procedure does the same with NULL in the place of COMMIT, and with an error in
// that of ROLLBACK.
func TestEndOnServer(t *testing.T) {
	const table = "CREATE TABLE a (k int PRIMARY KEY, x int NOT NULL);"
	server := pgtest.Open(t)
	dsn := server.Database(t)
	server.Exec(t, dsn, table)
	conn := server.Conn(t, dsn)
	ctx := context.Background()
	e := &ending{rand.New(rand.NewPCG(11, 5))}
	exec := func(sql string) {
		if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
	}
	modelled := 0
	for round := range 300 {
		body := e.list(3)
		if !strings.Contains(body, "COMMIT") && !strings.Contains(body, "ROLLBACK") {
			continue
		}
		write := func(name, body string) string {
			return fmt.Sprintf("CREATE OR REPLACE PROCEDURE %s(p int) LANGUAGE plpgsql AS $$ BEGIN %s END $$;", name, body)
		}
		if strings.Contains(program(t, table+write("f", body)), "unmodelled") {
			continue
		}
		modelled++
		twin := strings.NewReplacer("COMMIT;", "NULL;", "ROLLBACK;", "RAISE EXCEPTION 'x';").Replace(body)
		exec(write("f", body) + write("g", twin))
		for p := range 3 {
			rows := func(name string) string {
				exec("DELETE FROM a; INSERT INTO a VALUES (1, 1), (2, 2)")
				_, failed := conn.Exec(ctx, fmt.Sprintf("CALL %s(%d)", name, p), pgx.QueryExecModeSimpleProtocol)
				if failed != nil && name == "f" {
					t.Fatalf("round %d: %v\n%s", round, failed, body)
				}
				list, err := conn.Query(ctx, "SELECT k, x FROM a ORDER BY k", pgx.QueryExecModeSimpleProtocol)
				if err != nil {
					t.Fatal(err)
				}
				got, err := pgx.CollectRows(list, pgx.RowToMap)
				if err != nil {
					t.Fatal(err)
				}
				return fmt.Sprint(got)
			}
			if got, want := rows("f"), rows("g"); got != want {
				t.Errorf("round %d, f(%d): %s, but without the ends of transactions %s\n%s", round, p, got, want, body)
			}
		}
	}
	if modelled < 30 {
		t.Errorf("of the bodies, only %d are modelled", modelled)
	}
	t.Logf("%d bodies are modelled", modelled)
}

// TestEndsUnmodelled: what ends a transaction is not modelled where something follows it, or where PostgreSQL gives an
// error.
func TestEndsUnmodelled(t *testing.T) {
	const table = "CREATE TABLE a (k int PRIMARY KEY, x int NOT NULL);"
	for _, tc := range []struct {
		name, text string
		unmodelled bool
	}{
		{"the last statement", "CREATE PROCEDURE f() LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET x = 1; COMMIT; END $$;", false},
		{"in a branch at the end", "CREATE PROCEDURE f(p int) LANGUAGE plpgsql AS $$ BEGIN IF p = 1 THEN UPDATE a SET x = 1; COMMIT; ELSE ROLLBACK; END IF; END $$;", false},
		{"before RETURN", "CREATE PROCEDURE f(p int) LANGUAGE plpgsql AS $$ BEGIN IF p = 1 THEN ROLLBACK; RETURN; END IF; UPDATE a SET x = 1; END $$;", false},
		{"with a result", "CREATE PROCEDURE f(INOUT p int) LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET x = 1 WHERE k = 1 RETURNING x INTO p; COMMIT; END $$;", false},
		{"before another statement", "CREATE PROCEDURE f() LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET x = 1; COMMIT; UPDATE a SET x = 2; END $$;", true},
		{"in a loop", "CREATE PROCEDURE f() LANGUAGE plpgsql AS $$ BEGIN FOR i IN 1..2 LOOP UPDATE a SET x = 1; COMMIT; END LOOP; END $$;", true},
		{"in a block with EXCEPTION", "CREATE PROCEDURE f() LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET x = 1; COMMIT; EXCEPTION WHEN no_data_found THEN NULL; END $$;", true},
		{"a rollback of what is returned", "CREATE PROCEDURE f(INOUT p int) LANGUAGE plpgsql AS $$ BEGIN SELECT x INTO p FROM a WHERE k = 1; ROLLBACK; END $$;", true},
		{"SECURITY DEFINER", "CREATE PROCEDURE f() LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN UPDATE a SET x = 1; COMMIT; END $$;", true},
		{"a setting", "CREATE PROCEDURE f() LANGUAGE plpgsql SET search_path TO public AS $$ BEGIN UPDATE a SET x = 1; COMMIT; END $$;", true},
		{"a function", "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET x = 1; COMMIT; END $$;", true},
		{"another one calls it", "\n-- robust: helper\nCREATE PROCEDURE g() LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET x = 1; COMMIT; END $$;\nCREATE PROCEDURE f() LANGUAGE plpgsql AS $$ BEGIN CALL g(); UPDATE a SET x = 2; END $$;", true},
	} {
		if text := program(t, table+tc.text); strings.Contains(text, "unmodelled") != tc.unmodelled {
			t.Errorf("%s\n%s", tc.name, text)
		}
	}
}
