package repair

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/report"
)

func mustReader(t *testing.T, path string) *infile.Reader {
	t.Helper()
	r, err := infile.NewReader(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestForms: a lock is put where the grammar of a query has its place, or before the
// statement, in functions and in scripts, and comments and formatting stay.
func TestForms(t *testing.T) {
	const tables = "CREATE TABLE x (id int PRIMARY KEY, v int NOT NULL);\nCREATE TABLE y (id int PRIMARY KEY, v int NOT NULL);\n"
	function := func(name, read, write string) string {
		return "CREATE FUNCTION " + name + "(p int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE n int; r record; BEGIN\n  " + read + "\n  UPDATE " + write + " SET v = 0 WHERE id = p AND n > 1;\nEND $$;\n"
	}
	other := function("g", "SELECT v INTO n FROM y WHERE id = p;", "x")
	for _, tc := range []struct{ name, read, want string }{
		{"a query into a variable", "SELECT v INTO n -- the other one\n    FROM x WHERE id = p;", "FROM x WHERE id = p FOR SHARE;"},
		{"an alias, and a join", "SELECT a.v INTO n FROM x AS a JOIN y b ON b.id = a.id WHERE a.id = p;", "FOR SHARE OF a;"},
		{"a subquery", "n := (SELECT v FROM x WHERE id = p);", "WHERE id = p FOR SHARE);"},
		{"a loop", "FOR r IN SELECT v FROM x WHERE id = p LOOP n := r.v; END LOOP;", "WHERE id = p FOR SHARE LOOP"},
		{"an aggregate", "SELECT sum(v) INTO n FROM x WHERE id = p;", "PERFORM 1 FROM x WHERE id = p FOR SHARE;\n  SELECT sum(v)"},
		{"a comment with a semicolon", "SELECT sum(v) INTO n FROM x WHERE v > 0 -- all;\n    AND id = p;", "PERFORM 1 FROM x WHERE v > 0 -- all;\n    AND id = p FOR SHARE;\n  SELECT sum(v)"},
		{"a statement behind another one", "n := 1; SELECT sum(v) INTO n FROM x WHERE id = p;", "n := 1; PERFORM 1 FROM x WHERE id = p FOR SHARE;\n  SELECT sum(v)"},
		{"a statement of a branch", "IF p > 1 THEN SELECT sum(v) INTO n FROM x WHERE id = p; END IF;", "IF p > 1 THEN PERFORM 1 FROM x WHERE id = p FOR SHARE;\n  SELECT sum(v)"},
		{"a comment before it", "/* n; */ SELECT sum(v) INTO n FROM x WHERE id = p;", "  PERFORM 1 FROM x WHERE id = p FOR SHARE;\n  /* n; */ SELECT sum(v)"},
		{"a condition", "IF (SELECT v FROM x WHERE id = p) > 1 THEN n := 2; END IF;", "id = p FOR SHARE) > 1 THEN"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := program([]input.File{{Name: "a.sql", Text: tables + function("f", tc.read, "y") + other}})
			res := propose(t, p)
			found := false
			for i := range res.Repairs {
				for _, f := range res.Repairs[i].Files() {
					found = found || strings.Contains(f.Text, tc.want)
				}
			}
			if !found {
				t.Errorf("no repair has %q:\n%+v\n%+v", tc.want, res.Repairs, res.Before.Open)
			}
		})
	}
}

// TestScripts: the statements of clients are repaired, too.
func TestScripts(t *testing.T) {
	p := program([]input.File{{Name: "a.sql", Text: `CREATE TABLE x (id int PRIMARY KEY, v int NOT NULL);
-- name: first
BEGIN;
SELECT v FROM x WHERE id = :p;
UPDATE x SET v = :a WHERE id = :q;
COMMIT;
`}})
	res := propose(t, p)
	if len(res.Repairs) == 0 || !strings.Contains(res.Repairs[0].Diff, "+SELECT v FROM x WHERE id = :p FOR SHARE;") {
		t.Errorf("%+v\n%+v", res.Repairs, res.Before.Open)
	}
}

// TestGuard: where there is no row to lock, and no constraint that says it, both write a row
// of a new table.
func TestGuard(t *testing.T) {
	p := program([]input.File{{Name: "a.sql", Text: `CREATE TABLE w (id int PRIMARY KEY, room int NOT NULL, seq int NOT NULL);
-- fresh: p
CREATE FUNCTION add_w(p int, q int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE c int;
BEGIN
  SELECT count(*) INTO c FROM w WHERE room = q;
  INSERT INTO w VALUES (p, q, c);
END $$;
`}})
	res := propose(t, p)
	last := res.Repairs[len(res.Repairs)-1]
	if last.Changes[0].Kind != Guard || !strings.Contains(last.Diff, "+  INSERT INTO w_guard (guard_key, guard_written) VALUES (COALESCE(q, 0), true)") {
		t.Errorf("%+v", res.Repairs)
	}
}

// TestPlaces: what is inserted at one place comes in order, and a place in a changed text is
// found in the one before.
func TestPlaces(t *testing.T) {
	files := []input.File{{Name: "a.sql", Text: "ab;\nçd e;\n"}}
	e := edited(files, []Change{{edits: []Edit{{File: "a.sql", At: 4, End: 4, Text: "1\n"}}}, {edits: []Edit{{File: "a.sql", At: 1, End: 1, Text: "2"}, {File: "a.sql", At: 4, End: 4, Text: "1\n"}}}})
	if got := e.files()[0].Text; got != "a2b;\n1\nçd e;\n" {
		t.Errorf("%q", got)
	}
	for at, want := range map[int]int{0: 0, 1: 1, 2: 1, 3: 2, 5: 4, 6: 4, 7: 4, 10: 7} {
		if got, ok := e.origin("a.sql", at); !ok || got != want {
			t.Errorf("byte %d was %d, want %d", at, got, want)
		}
	}
	replaced := edited(files, []Change{{edits: []Edit{{File: "a.sql", At: 1, End: 3, Text: "xyz"}}}}) // axyz\nçd e;\n
	for at, want := range map[int]int{0: 0, 1: 1, 2: -1, 3: -1, 4: 3, 5: 4} {
		if got, ok := replaced.origin("a.sql", at); ok != (want >= 0) || ok && got != want {
			t.Errorf("byte %d was %d, %v, want %d", at, got, ok, want)
		}
	}
	if both := edited(files, []Change{{edits: []Edit{{File: "a.sql", At: 1, End: 3}}}, {edits: []Edit{{File: "a.sql", At: 2, End: 2, Text: "x"}}}}); both.apart() || !e.apart() {
		t.Error("edits of the same bytes are apart")
	}
	s := e.statement(report.Position{File: "a.sql", Line: 3, Col: 2})
	if s == nil || len(s.toks) != 2 || s.toks[1].Text != "e" {
		t.Errorf("%+v", s)
	}
	if s := e.statement(report.Position{File: "a.sql", Line: 9, Col: 1}); s != nil {
		t.Errorf("%+v, want none", s)
	}
}

// TestNothing: a robust program needs no repair, and one that cannot be read is an error.
func TestNothing(t *testing.T) {
	if res := propose(t, shipped(t, "apps", "courseware-fk")); len(res.Repairs) != 0 || res.Before.Verdict != report.Robust {
		t.Errorf("%+v", res)
	}
	if _, err := Propose(t.Context(), program([]input.File{{Name: "a.sql", Text: "CREATE TABLE ("}}), Limits{Want: 1, Checks: 1}); err == nil {
		t.Error("no error")
	}
}

// TestOneLine: a lock is put into a function that is written in one line, not before it.
func TestOneLine(t *testing.T) {
	const f = "CREATE TABLE x (id int PRIMARY KEY, v boolean NOT NULL); CREATE FUNCTION f(p int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN SELECT count(*) INTO n FROM x WHERE v AND id <> p; IF n > 0 THEN UPDATE x SET v = false WHERE id = p; END IF; END $$;"
	res := propose(t, program([]input.File{{Name: "a.sql", Text: f}}))
	if len(res.Repairs) == 0 || res.Repairs[0].Files()[0].Text != strings.Replace(f, "SELECT", "PERFORM 1 FROM x WHERE v AND id <> p FOR UPDATE;\nSELECT", 1) {
		t.Errorf("%+v", res.Repairs)
	}
}

// TestLastStatement: the last statement of an SQL function needs no semicolon, whatever follows the function.
func TestLastStatement(t *testing.T) {
	const update = "UPDATE x SET v = false WHERE id = p AND (SELECT count(*) FROM x AS o WHERE o.v AND o.id <> p) > 0"
	for _, quotes := range []string{"$$", "$f$", "'"} {
		before := "CREATE TABLE x (id int PRIMARY KEY, v boolean NOT NULL);\nCREATE FUNCTION f(p int) RETURNS void AS " + quotes + "\n  "
		after := "\n" + quotes + " LANGUAGE sql;\nCREATE FUNCTION g(p int) RETURNS boolean AS " + quotes + " SELECT v FROM x WHERE id = p " + quotes + " LANGUAGE sql;\n"
		res := propose(t, program([]input.File{{Name: "a.sql", Text: before + update + after}}))
		if len(res.Repairs) == 0 || res.Repairs[0].Files()[0].Text != before+"SELECT 1 FROM x AS o WHERE o.v AND o.id <> p FOR UPDATE;\n  "+update+after {
			t.Errorf("%s: %+v", quotes, res.Repairs)
		}
	}
}

// TestBehind: what is declared stands behind the semicolon of the table, wherever that is, and behind the comment on
// its line.
func TestBehind(t *testing.T) {
	const f = "CREATE FUNCTION f(p text) RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n  IF NOT EXISTS (SELECT FROM x WHERE v = p) THEN\n    INSERT INTO x (v) VALUES (p);\n  END IF;\nEND $$;\n"
	for name, tc := range map[string]struct{ table, want string }{
		"at once":             {"CREATE TABLE x (v text);\n", "CREATE TABLE x (v text);\nCREATE TABLE x_guard"},
		"on the next line":    {"CREATE TABLE x (v text)\n;\n", "CREATE TABLE x (v text)\n;\nCREATE TABLE x_guard"},
		"behind a comment":    {"CREATE TABLE x (v text) /* it; */ -- it;\n ;\n", "\n ;\nCREATE TABLE x_guard"},
		"a comment behind it": {"CREATE TABLE x (v text); -- all of them\r\n", "; -- all of them\r\nCREATE TABLE x_guard"},
		"more on the line":    {"CREATE TABLE x (v text); CREATE TABLE y (v text);\n", "CREATE TABLE x (v text);\nCREATE TABLE x_guard"},
	} {
		t.Run(name, func(t *testing.T) {
			res := propose(t, program([]input.File{{Name: "a.sql", Text: tc.table + f}}))
			for i := range res.Repairs {
				if files := res.Repairs[i].Files(); len(files) == 1 && strings.Contains(files[0].Text, tc.want) {
					return
				}
			}
			t.Errorf("no repair has %q: %+v", tc.want, res.Repairs)
		})
	}
}

// TestNoDiff: where the first repair changes no file, or none is proved, that is said.
func TestNoDiff(t *testing.T) {
	const table = "CREATE TABLE x (id int PRIMARY KEY, v boolean NOT NULL);\n"
	for name, tc := range map[string]struct{ text, diff, remark, apply string }{
		"a level":    {table + "CREATE FUNCTION f(p int) RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n  IF EXISTS (SELECT FROM x WHERE v AND id <> p) THEN\n    UPDATE x SET v = false WHERE id = p;\n  END IF;\nEND $$;\n", "", "There is no diff: the first repair changes no file. f runs", "No file is changed"},
		"a lock":     {table + "CREATE FUNCTION f(p int) RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n  IF EXISTS (SELECT FROM x WHERE v AND id <> p) THEN\n    UPDATE x SET v = false WHERE id = p;\n  END IF;\nEND $$;\n", "+", "", "No file is changed"},
		"no finding": {table + "CREATE FUNCTION f(p int) RETURNS void LANGUAGE sql AS 'UPDATE x SET v = false WHERE id = p';\n", "", "a is robust", "a is robust"},
	} {
		t.Run(name, func(t *testing.T) {
			p := program([]input.File{{Name: "a.sql", Text: tc.text}})
			p.Levels = []string{"serializable"}
			want := 1
			if name == "a level" {
				want = 20
			}
			res, err := Propose(t.Context(), p, Limits{Want: want, Checks: 40, Each: 5 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if name == "a level" {
				res.Repairs = slices.DeleteFunc(res.Repairs, func(r Repair) bool { return r.Changes[0].Kind != Level })
			}
			var out, remarks, text bytes.Buffer
			Diff(&out, &remarks, res, false)
			Text(&text, res, TextOptions{Apply: true})
			flat := strings.Join(strings.Fields(remarks.String()), " ")
			if !strings.Contains(out.String(), tc.diff) || (out.Len() > 0) == (remarks.Len() > 0) || !strings.Contains(flat, tc.remark) || !strings.Contains(text.String(), tc.apply) {
				t.Errorf("%q\n%q\n%q", out.String(), remarks.String(), text.String())
			}
		})
	}
}
