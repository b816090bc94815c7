package readcommitted_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/sqlmodel"
)

// TestVolatile: each query in a VOLATILE function has a snapshot of its own, also where one
// command runs them all. In a STABLE function they see that of the command.
func TestVolatile(t *testing.T) {
	const tables = `CREATE TABLE acct (id int PRIMARY KEY, bal int NOT NULL);
		CREATE TABLE seen (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL);
		CREATE TABLE day (id int PRIMARY KEY);
		CREATE PROCEDURE move(n int) LANGUAGE plpgsql AS $$ BEGIN
			UPDATE acct SET bal = bal - n WHERE id = 1; IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF;
			UPDATE acct SET bal = bal + n WHERE id = 2; IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF; END $$;
		`
	const bal = "CREATE FUNCTION bal(i int) RETURNS int LANGUAGE sql KIND AS 'SELECT bal FROM acct WHERE id = i';\n"
	for _, tc := range []struct {
		name, text string
		// once is that the VOLATILE function is robust as well: it looks once.
		once bool
	}{
		{"one call", bal + "CREATE FUNCTION rep() RETURNS int LANGUAGE sql AS 'SELECT bal(1)';", true},
		{"two calls", bal + "CREATE FUNCTION rep() RETURNS int LANGUAGE sql AS 'SELECT bal(1) + bal(2)';", false},
		{"a call beside a query", bal + "CREATE FUNCTION rep() RETURNS int LANGUAGE sql AS 'SELECT bal(1) + bal FROM acct WHERE id = 2';", false},
		{"a call for each row", bal + "CREATE FUNCTION rep() RETURNS SETOF int LANGUAGE sql AS 'SELECT bal(1) FROM day';", false},
		{"two statements", `CREATE FUNCTION total() RETURNS int LANGUAGE plpgsql KIND AS $$ DECLARE x int; y int; BEGIN
			SELECT bal INTO x FROM acct WHERE id = 1; SELECT bal INTO y FROM acct WHERE id = 2; RETURN x + y; END $$;
			CREATE FUNCTION rep() RETURNS int LANGUAGE sql AS 'SELECT total()';`, false},
		{"two variables", `CREATE FUNCTION total() RETURNS int LANGUAGE plpgsql KIND AS $$
			DECLARE x int := (SELECT bal FROM acct WHERE id = 1); y int := (SELECT bal FROM acct WHERE id = 2); BEGIN RETURN x + y; END $$;
			CREATE FUNCTION rep() RETURNS int LANGUAGE sql AS 'SELECT total()';`, false},
		{"two conditions", `CREATE FUNCTION kind() RETURNS int LANGUAGE plpgsql KIND AS $$ BEGIN
			IF EXISTS (SELECT FROM acct WHERE id = 1 AND bal > 0) THEN RETURN 1;
			ELSIF EXISTS (SELECT FROM acct WHERE id = 2 AND bal > 0) THEN RETURN 2; END IF; RETURN 3; END $$;
			CREATE FUNCTION rep() RETURNS int LANGUAGE sql AS 'SELECT kind()';`, false},
		{"an expression in a query", `CREATE FUNCTION rich() RETURNS boolean LANGUAGE sql KIND AS 'SELECT EXISTS (SELECT FROM acct WHERE id = 1 AND bal > 0)';
			CREATE FUNCTION rep() RETURNS SETOF int LANGUAGE sql AS 'SELECT bal FROM acct WHERE id = 2 AND rich()';`, false},
		{"a view", bal + `CREATE VIEW tot AS SELECT (SELECT bal FROM acct WHERE id = 1) AS a, bal(2) AS b;
			CREATE FUNCTION rep() RETURNS int LANGUAGE sql AS 'SELECT a + b FROM tot';`, false},
		{"values", bal + "CREATE FUNCTION rep(i int) RETURNS void LANGUAGE sql AS 'INSERT INTO seen VALUES (i, bal(1), bal(2))';", false},
		{"a trigger", `CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql KIND AS $$ BEGIN
			NEW.a := (SELECT bal FROM acct WHERE id = 1); NEW.b := (SELECT bal FROM acct WHERE id = 2); RETURN NEW; END $$;
			CREATE TRIGGER look BEFORE INSERT ON seen FOR EACH ROW EXECUTE FUNCTION look();
			CREATE FUNCTION rep(i int) RETURNS void LANGUAGE sql AS 'INSERT INTO seen VALUES (i, 0, 0)';`, false},
	} {
		for kind, want := range map[string]bool{"STABLE": true, "VOLATILE": tc.once, "": tc.once} {
			file := filepath.Join(t.TempDir(), "app.sql")
			text := tables + strings.ReplaceAll(tc.text, "KIND", kind)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := sqlmodel.Load(t.Context(), []string{file}, sqlmodel.Options{Txns: []string{"move", "rep"}})
			if err != nil {
				t.Fatal(tc.name, err)
			}
			rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres(), Isolation: "rc"}})
			if err != nil {
				t.Fatal(tc.name, err)
			}
			if is := rep.Verdict == robust.Robust; is != want {
				t.Errorf("%s, %q: %v, want robust: %v", tc.name, kind, rep.Verdict, want)
			}
		}
	}
}

// TestStableTemplates: a STABLE function that a client calls sees one snapshot. What it calls that is
// VOLATILE sees snapshots of its own.
func TestStableTemplates(t *testing.T) {
	const tables = `CREATE TABLE acct (id int PRIMARY KEY, bal int NOT NULL);
		CREATE FUNCTION move(n int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
			UPDATE acct SET bal = bal - n WHERE id = 1; IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF;
			UPDATE acct SET bal = bal + n WHERE id = 2; IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF; END $$;
		CREATE FUNCTION bal(i int) RETURNS int LANGUAGE sql INNER AS 'SELECT bal FROM acct WHERE id = i';
		`
	for _, tc := range []struct {
		name, text string
		// beside is that a VOLATILE function called by it is none of its snapshot.
		beside bool
	}{
		{"one query", "CREATE FUNCTION rep() RETURNS bigint LANGUAGE sql KIND AS 'SELECT sum(bal) FROM acct';", false},
		{"two statements", `CREATE FUNCTION rep() RETURNS int LANGUAGE plpgsql KIND AS $$ DECLARE x int; y int; BEGIN
			SELECT bal INTO x FROM acct WHERE id = 1; SELECT bal INTO y FROM acct WHERE id = 2; RETURN x + y; END $$;`, false},
		{"expressions", `CREATE FUNCTION rep() RETURNS int LANGUAGE plpgsql KIND AS $$
			DECLARE x int := (SELECT bal FROM acct WHERE id = 1); BEGIN
			IF EXISTS (SELECT FROM acct WHERE id = 2 AND bal > 0) THEN RETURN x; END IF; RETURN 3; END $$;`, false},
		{"two calls", "CREATE FUNCTION rep() RETURNS int LANGUAGE sql KIND AS 'SELECT bal(1) + bal(2)';", true},
		{"a call and a query", `CREATE FUNCTION rep() RETURNS int LANGUAGE plpgsql KIND AS $$ DECLARE x int; y int; BEGIN
			x := bal(1); SELECT bal INTO y FROM acct WHERE id = 2; RETURN x + y; END $$;`, true},
	} {
		for kind, inner := range map[string]string{"STABLE": "STABLE", "VOLATILE": "STABLE", "stable": "VOLATILE"} {
			once := tc.name == "one query" || tc.name == "two calls"
			want := kind != "VOLATILE" || once
			if inner == "VOLATILE" && tc.beside {
				want = false
			}
			file := filepath.Join(t.TempDir(), "app.sql")
			text := strings.NewReplacer("INNER", inner, "KIND", kind).Replace(tables + tc.text)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := sqlmodel.Load(t.Context(), []string{file}, sqlmodel.Options{Txns: []string{"move", "rep"}})
			if err != nil {
				t.Fatal(tc.name, err)
			}
			settled := readcommitted.Settle(p, func(*ir.Txn) bool { return true })
			if s := settled[p.Txn("rep")]; (s.Standing != readcommitted.Unsettled) != want {
				t.Errorf("%s, %s, %s inside: %d (%s), want settled: %v", tc.name, kind, inner, s.Standing, s.Reason, want)
			}
		}
	}
}

// TestStableOnServer: of two reads with a commit between them, a STABLE function that a client calls sees what was there
// before, also in a call of a STABLE function. A VOLATILE one sees the new row.
func TestStableOnServer(t *testing.T) {
	s := pgtest.Open(t)
	dsn := s.Database(t)
	s.Exec(t, dsn, "CREATE TABLE acct (id int PRIMARY KEY, bal int NOT NULL)", "INSERT INTO acct VALUES (1, 10), (2, 10)")
	for _, kind := range []string{"STABLE", "VOLATILE"} {
		s.Exec(t, dsn, "CREATE FUNCTION of_"+kind+"(i int) RETURNS int LANGUAGE sql "+kind+" AS 'SELECT bal FROM acct WHERE id = i'")
	}
	for _, kind := range []string{"STABLE", "VOLATILE"} {
		s.Exec(t, dsn, "CREATE FUNCTION rep_"+kind+"() RETURNS int LANGUAGE plpgsql "+kind+` AS $$ DECLARE x int; y int; z int; BEGIN
			SELECT bal INTO x FROM acct WHERE id = 1;
			PERFORM pg_advisory_lock(7);
			PERFORM pg_advisory_unlock(7);
			SELECT bal INTO y FROM acct WHERE id = 2;
			z := of_STABLE(2);
			RETURN x * 10000 + y * 100 + z; END $$`)
	}
	s.Exec(t, dsn, `CREATE FUNCTION mixes() RETURNS int LANGUAGE plpgsql STABLE AS $$ DECLARE x int; y int; BEGIN
		PERFORM pg_advisory_lock(7);
		PERFORM pg_advisory_unlock(7);
		SELECT bal INTO x FROM acct WHERE id = 2;
		y := of_VOLATILE(2);
		RETURN x * 100 + y; END $$`)
	for call, want := range map[string]string{"rep_STABLE()": "101010", "rep_VOLATILE()": "101111", "mixes()": "1011"} {
		pgtest.Play(t, dsn, pgtest.ReadCommitted, `
			B: SELECT pg_advisory_lock(7) IS NULL
			A: SELECT `+call+` -> blocks, `+want+`
			B: UPDATE acct SET bal = 11
			B: SELECT pg_advisory_unlock(7)
			B: UPDATE acct SET bal = 10`)
	}
}
