package apart

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/mariatest"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/sqlmodel"
)

// found gives the notes about a file: the code, the line of the write, that of the read, and the columns.
func found(t *testing.T, mysql bool, text string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "app.sql")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	opt := sqlmodel.Options{MySQL: mysql}
	p, err := sqlmodel.Load(t.Context(), []string{file}, opt)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	n := len(p.Notes)
	out := []string{}
	for _, a := range Find(t.Context(), p, Load([]string{file}, opt)) {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %d<-%d %s", a.Code, a.Write.Function, a.Write.Line, a.Read.Line, strings.Join(a.Columns, ","))))
	}
	if len(p.Notes) > n {
		t.Errorf("there is a note: %s", p.Notes[n].Text)
	}
	return out
}

// accounts is a table for both dialects, and something that changes columns of it.
const accounts = "CREATE TABLE acc (id int PRIMARY KEY, bal int NOT NULL, ver int NOT NULL);\n"

// body writes the body of a procedure out of numbers: between the read and the write, other, if not "", stands where another session may run.
type body struct {
	apart, again, write int
	postgres            bool
}

// writes are what a procedure does because of b, which is acc.bal.
var writes = []string{
	"UPDATE acc SET bal = b + 7 WHERE id = 1;",
	"IF b > 5 THEN UPDATE acc SET bal = bal - 5 WHERE id = 1; END IF;",
	"UPDATE acc SET bal = bal + 7 WHERE id = 1;",
	"UPDATE acc SET bal = b + 7 WHERE id = 1 AND bal = b;",
	"IF b > 5 THEN UPDATE acc SET bal = bal - 5 WHERE id = 1 AND bal > 5; END IF;",
	"IF b > 5 THEN DELETE FROM acc WHERE id = 1; END IF;",
}

// betweens are what stands before the read, between it and the write, and behind that, "|" where other sessions may run.
var betweens = map[bool][][3]string{
	false: {
		{"", "|", ""}, {"START TRANSACTION;", "COMMIT; | START TRANSACTION;", "COMMIT;"}, {"START TRANSACTION;", "", "COMMIT;"},
		{"START TRANSACTION;", "COMMIT; |", ""}, {"", "| START TRANSACTION;", "COMMIT;"},
		{"START TRANSACTION;", "ROLLBACK; | START TRANSACTION;", "COMMIT;"},
	},
	true: {{"", "COMMIT; |", ""}, {"", "", "COMMIT;"}, {"COMMIT;", "", ""}, {"", "COMMIT; | COMMIT;", "COMMIT;"}, {"", "ROLLBACK; |", "COMMIT;"}},
}

// statements gives the lines of the body.
func (b body) statements(other string) string {
	parts := betweens[b.postgres][b.apart]
	read := "SELECT bal INTO b FROM acc WHERE id = 1 FOR UPDATE;"
	list := []string{parts[0], read, strings.ReplaceAll(parts[1], "|", other)}
	if b.again == 1 {
		list = append(list, read)
	}
	return strings.Join(append(list, writes[b.write], parts[2]), "\n")
}

// procedure declares the body as p.
func (b body) procedure(other string) string {
	if b.postgres {
		return "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ DECLARE b int; BEGIN\n" + b.statements(other) + "\nEND $$;"
	}
	return "CREATE PROCEDURE p() BEGIN DECLARE b INT;\n" + b.statements(other) + "\nEND"
}

// TestServers runs procedures on MariaDB and on PostgreSQL, with another transaction at each place where one may come in between the read and the write.
// There has to be a note if and only if the rows are those of no serial order then. Where a statement outside of a transaction reads again, others may still
// come in behind it: such bodies are left out.
func TestServers(t *testing.T) {
	maria := mariatest.Open(t).Conn(t)
	server := pgtest.Open(t)
	dsn := server.Database(t)
	pg := server.Conn(t, dsn)
	for _, postgres := range []bool{false, true} {
		upsert := "INSERT INTO acc VALUES (1, %d, 0) ON DUPLICATE KEY UPDATE bal = %d"
		run := func(text string) error {
			_, err := maria.ExecContext(t.Context(), text)
			return err
		}
		rows := func() string {
			var n sql.NullInt64
			if err := maria.QueryRowContext(t.Context(), "SELECT MAX(bal) FROM acc").Scan(&n); err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(n)
		}
		if postgres {
			upsert = "INSERT INTO acc VALUES (1, %d, 0) ON CONFLICT (id) DO UPDATE SET bal = %d"
			run = func(text string) error {
				_, err := pg.Exec(t.Context(), text)
				return err
			}
			rows = func() string {
				var n sql.NullInt64
				if err := pg.QueryRow(t.Context(), "SELECT MAX(bal) FROM acc").Scan(&n); err != nil {
					t.Fatal(err)
				}
				return fmt.Sprint(n)
			}
		}
		do := func(list ...string) {
			t.Helper()
			for _, text := range list {
				if err := run(text); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
		}
		do(accounts)
		result := func(list ...string) string {
			do("DELETE FROM acc", "INSERT INTO acc VALUES (1, 10, 0)")
			do(list...)
			return rows()
		}
		noted := 0
		for apart := range betweens[postgres] {
			for again := range 2 {
				for write := range writes {
					b := body{apart, again, write, postgres}
					if again == 1 && !postgres && !strings.Contains(betweens[postgres][apart][2], "COMMIT") {
						continue
					}
					wrong := false
					for _, d := range []int{0, 3, 20} {
						other := fmt.Sprintf(upsert, d, d)
						do("DROP PROCEDURE IF EXISTS p", b.procedure(""))
						first, last := result(other, "CALL p()"), result("CALL p()", other)
						do("DROP PROCEDURE IF EXISTS p", b.procedure(other+";"))
						if got := result("CALL p()"); strings.Contains(betweens[postgres][apart][1], "|") && got != first && got != last {
							wrong = true
						}
					}
					text := accounts + b.procedure("") + ";\n"
					if !postgres {
						text = accounts + "DELIMITER //\n" + b.procedure("") + "//\nDELIMITER ;\n"
					}
					notes := found(t, !postgres, text+"-- name: other\nUPDATE acc SET bal = 0 WHERE id = 2;\n")
					if wrong != (len(notes) > 0) {
						t.Errorf("PostgreSQL %t: the server shows that it is wrong: %t; notes are %q:\n%s", postgres, wrong, notes, text)
					}
					noted += len(notes)
				}
			}
		}
		if noted < 6 {
			t.Errorf("PostgreSQL %t: there are %d notes only", postgres, noted)
		}
	}
}

// TestFind looks at files. Lines count from 1, which declares the table.
func TestFind(t *testing.T) {
	proc := func(rest string) string {
		return "DELIMITER //\nCREATE PROCEDURE p(k INT)\n" + rest + "//\nDELIMITER ;\n"
	}
	for _, c := range []struct {
		name  string
		mysql bool
		text  string
		want  []string
	}{
		{"a script", true, "SELECT bal INTO @b FROM acc WHERE id = 1;\nUPDATE acc SET bal = @b + 1 WHERE id = 1;\n", []string{"RB4001 app.sql 3<-2 bal"}},
		{"a script with transactions", true, "START TRANSACTION;\nSELECT bal INTO @b FROM acc WHERE id = 1;\nCOMMIT;\nSTART TRANSACTION;\nUPDATE acc SET bal = @b + 1 WHERE id = 1;\nCOMMIT;\n",
			[]string{"RB4001 app.sql 6<-3 bal"}},
		{"a script with one transaction", true, "START TRANSACTION;\nSELECT bal INTO @b FROM acc WHERE id = 1 FOR UPDATE;\nUPDATE acc SET bal = @b + 1 WHERE id = 1;\nCOMMIT;\n", nil},
		{"a script with LOCK TABLES", true, "LOCK TABLES acc WRITE;\nSELECT bal INTO @b FROM acc WHERE id = 1;\nUPDATE acc SET bal = @b + 1 WHERE id = 1;\nUNLOCK TABLES;\n", nil},
		{"a script that looks again", true, "SELECT bal INTO @b FROM acc WHERE id = 1;\nUPDATE acc SET bal = @b + 1 WHERE id = 1 AND bal = @b;\n", nil},
		{"a version", true, "SELECT bal, ver INTO @b, @v FROM acc WHERE id = 1;\nUPDATE acc SET bal = @b + 1, ver = @v + 1 WHERE id = 1 AND ver = @v;\n", nil},
		{"names", true, "-- name: Get\nSELECT bal INTO @b FROM acc WHERE id = 1;\n-- name: Set\nUPDATE acc SET bal = @b + 1 WHERE id = 1;\n", []string{"RB4001 app.sql 5<-3 bal"}},
		{"a procedure that may be called outside of transactions", true, proc("BEGIN\nDECLARE b INT;\nSELECT bal INTO b FROM acc WHERE id = k;\nUPDATE acc SET bal = b + 1 WHERE id = k;\nEND"),
			[]string{"RB4001 p 7<-6 bal"}},
		{"one that is not", true, strings.Replace(proc("BEGIN\nDECLARE b INT;\nSELECT bal INTO b FROM acc WHERE id = k;\nUPDATE acc SET bal = b + 1 WHERE id = k;\nEND"), "CREATE", "-- robust: assume transaction\nCREATE", 1), nil},
		{"GET_LOCK", true, proc("BEGIN\nDECLARE b INT;\nDO GET_LOCK('a', 10);\nSELECT bal INTO b FROM acc WHERE id = k;\nUPDATE acc SET bal = b + 1 WHERE id = k;\nEND"), nil},
		{"a row that is missing", true, proc("BEGIN\nDECLARE n INT;\nSELECT COUNT(*) INTO n FROM acc WHERE bal = k;\nIF n = 0 THEN INSERT INTO acc VALUES (k, k, 0); END IF;\nEND"), []string{"RB4003 p 7<-6"}},
		{"a cursor whose rows are written by others", true, proc("BEGIN\nFOR r IN (SELECT id, bal FROM acc) DO\nUPDATE acc SET bal = r.bal + 1 WHERE id = r.id;\nEND FOR;\nEND"),
			[]string{"RB4001 p 6<-5 bal"}},
		{"paths that meet", true, proc("BEGIN\nDECLARE b INT;\nSTART TRANSACTION;\nSELECT bal INTO b FROM acc WHERE id = k FOR UPDATE;\nIF b > 5 THEN COMMIT; START TRANSACTION; END IF;\nUPDATE acc SET bal = b + 1 WHERE id = k;\nCOMMIT;\nEND"), nil},
		{"a procedure in a procedure", true, "DELIMITER //\nCREATE PROCEDURE q(k INT, b INT)\nBEGIN\nSTART TRANSACTION;\nUPDATE acc SET bal = b + 1 WHERE id = k;\nCOMMIT;\nEND//\n" +
			"CREATE PROCEDURE p(k INT)\nBEGIN\nDECLARE b INT;\nSELECT bal INTO b FROM acc WHERE id = k;\nCALL q(k, b);\nEND//\nDELIMITER ;\n", []string{"RB4001 p 6<-12 bal"}},
		{"psql", false, "SELECT bal FROM acc WHERE id = :id \\gset\nUPDATE acc SET bal = :bal + 1 WHERE id = :id;\n", []string{"RB4001 app.sql 3<-2 bal"}},
		{"psql with transactions", false, "BEGIN;\nSELECT bal FROM acc WHERE id = :id FOR UPDATE \\gset\nCOMMIT;\n\\set n 1\nBEGIN;\nUPDATE acc SET bal = :bal + :n WHERE id = :id;\nCOMMIT;\n", []string{"RB4001 app.sql 7<-3 bal"}},
		{"psql with one transaction", false, "BEGIN;\nSELECT bal FROM acc WHERE id = :id \\gset\nUPDATE acc SET bal = :bal + 1 WHERE id = :id;\nCOMMIT;\nBEGIN; UPDATE acc SET bal = bal + 1 WHERE id = :id; COMMIT;\n", nil},
		{"psql with a lock of the session", false, "SELECT pg_advisory_lock(1);\nSELECT bal FROM acc WHERE id = :id \\gset\nUPDATE acc SET bal = :bal + 1 WHERE id = :id;\n", nil},
		{"rows of a loop", false, "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN\nFOR r IN SELECT id, bal FROM acc LOOP\nUPDATE acc SET bal = r.bal + 1 WHERE id = r.id;\nCOMMIT;\nEND LOOP;\nEND $$;\n",
			[]string{"RB4001 p 4<-3 bal"}},
		{"a transaction in a loop", false, "CREATE PROCEDURE p(k int) LANGUAGE plpgsql AS $$ DECLARE b int; BEGIN\nLOOP\nSELECT bal INTO b FROM acc WHERE id = k;\nUPDATE acc SET bal = b + 1 WHERE id = k;\nCOMMIT;\nEND LOOP;\nEND $$;\n", nil},
		{"a loop that is left in the middle", false, "CREATE PROCEDURE p(k int) LANGUAGE plpgsql AS $$ DECLARE b int; BEGIN\nLOOP\nCOMMIT;\nSELECT bal INTO b FROM acc WHERE id = k;\nEXIT WHEN b > 5;\nCOMMIT;\nEND LOOP;\nUPDATE acc SET bal = b + 1 WHERE id = k;\nEND $$;\n", nil},
		{"a lock of the session", false, "CREATE PROCEDURE p(k int) LANGUAGE plpgsql AS $$ DECLARE b int; BEGIN\nPERFORM pg_advisory_lock(1);\nSELECT bal INTO b FROM acc WHERE id = k;\nCOMMIT;\nUPDATE acc SET bal = b + 1 WHERE id = k;\nEND $$;\n", nil},
		{"a path with COMMIT", false, "CREATE PROCEDURE p(k int) LANGUAGE plpgsql AS $$ DECLARE b int; BEGIN\nSELECT bal INTO b FROM acc WHERE id = k;\nIF b > 5 THEN COMMIT; END IF;\nUPDATE acc SET bal = b + 1 WHERE id = k;\nEND $$;\n", nil},
	} {
		if got := found(t, c.mysql, accounts+c.text); !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 {
			t.Errorf("%s: notes are %q, but must be %q", c.name, got, c.want)
		}
	}
}

// TestNoTime: without time the program says so, and there is no note that is half of all.
func TestNoTime(t *testing.T) {
	file := filepath.Join(t.TempDir(), "app.sql")
	if err := os.WriteFile(file, []byte(accounts+"SELECT bal FROM acc WHERE id = :id \\gset\nUPDATE acc SET bal = :bal + 1 WHERE id = :id;\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := sqlmodel.Load(t.Context(), []string{file}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out := Find(ctx, p, Load([]string{file}, sqlmodel.Options{})); out == nil || len(out) > 0 {
		t.Errorf("notes are %v", out)
	}
	if n := len(p.Notes); n == 0 || !strings.Contains(p.Notes[n-1].Text, "there was no time") {
		t.Errorf("notes on the input are %v", p.Notes)
	}
}
