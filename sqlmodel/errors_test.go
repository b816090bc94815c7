package sqlmodel

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/ir"
)

const (
	tableT  = "CREATE TABLE t (k int PRIMARY KEY, x int, s text, b boolean);\n"
	prefixT = tableT + "CREATE FUNCTION f(p int, q text) RETURNS void LANGUAGE plpgsql AS $$\nDECLARE v int;\nBEGIN\n  "
	suffixT = "\nEND $$;"
)

// in makes a file of statements; they begin in line 5, column 3.
func in(stmts string) string { return prefixT + stmts + suffixT }

// TestErrors checks every kind of fault in the input: place and text.
func TestErrors(t *testing.T) {
	for _, tc := range []struct{ src, want string }{
		// Syntax, of files, bodies and statements in them.
		{"SELECT 1 FROM WHERE;", `1:15: syntax error at or near "WHERE"`},
		{"-- é\nCREATE TABLE é (k int PRIMARY KEY;", `2:34: syntax error at or near ";"`},
		{"SELECT 'abc", `1:8: unterminated quoted string at or near "'abc"`},
		{"CREATE TABLE t (k int)", "case.sql: there is no transaction here; write each one as CREATE FUNCTION … LANGUAGE plpgsql or sql, or as BEGIN … COMMIT"},
		{"\\set x 1\n", "case.sql: there is no transaction here; write each one as CREATE FUNCTION … LANGUAGE plpgsql or sql, or as BEGIN … COMMIT"},
		{in("v := 1 + ;"), "5:11: syntax error at end of input"},
		{in("v := ;"), `5:8: expected an expression, found ";"`},
		{in("UPDATE t SET x = WHERE k = 1;"), `5:20: syntax error at or near "WHERE"`},
		{in("SELEC x FROM t;"), `5:3: syntax error at or near "SELEC"`},
		{in("IF v > 1 v := 2; END IF;"), `5:18: expected THEN, found ";"`},
		{in("IF v > 1 THEN v := 2;"), "6:5: the function body ends where IF should follow"},
		{in("LOOP EXIT; END;"), `5:17: expected LOOP, found ";"`},
		{in("v := (1 + 2;"), "5:14: a parenthesis is not closed before this semicolon"},
		{in("v := 1 + 2);"), "5:13: there is no parenthesis for this one to close"},
		{in("<<l>> v := 1;"), `5:3: the label "l" stands before no block or loop`},
		{in("<<l>> LOOP EXIT; END LOOP m;"), `5:29: end label "m" differs from the label "l"`},
		{in("LOOP EXIT; END LOOP m;"), `5:23: end label "m" belongs to no labelled block`},
		{in("SELECT x INTO v INTO v FROM t;"), "5:19: INTO is given twice"},
		{in("PERFORM x INTO v FROM t;"), "5:13: PERFORM has no INTO: use SELECT … INTO"},
		{in("FOR v, x IN 1..2 LOOP NULL; END LOOP;"), "5:7: a loop over a range of integers has one variable"},
		{strings.Replace(in("v := 1;"), "DECLARE v int;", "DECLARE v int, w int;", 1), "3:11: int, w int is no type"},
		{"CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT it''s FROM 1';", `1:59: unterminated quoted string at or near "'s FROM 1"`},
		{"CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS 'BEGIN PERFORM ''x'' 1; END';", `1:75: syntax error at or near "1"`},
		{tableT + "-- invariant: t.x > AND 1\nSELECT 1;", `2:21: syntax error at or near "AND"`},
		{tableT + "-- invariant:\nSELECT 1;", "2:14: an invariant needs a condition over rows, such as: items.nbids >= 0"},
		{tableT + "-- invariant: for t a b: a.x > 1\nSELECT 1;", "2:23: expected a comma or a colon in the for part of an invariant"},
		{tableT + "-- invariant: for t a, : a.x > 1\nSELECT 1;", "2:24: expected a table in the for part of an invariant: for table alias, table alias: condition"},

		// Names.
		{tableT + "CREATE FUNCTION g() RETURNS int LANGUAGE sql AS $$ SELECT x FROM tt $$;", "2:66: there is no table tt"},
		{in("SELECT z INTO v FROM t;"), "5:10: there is no column or variable z"},
		{in("SELECT t.z INTO v FROM t;"), "5:10: t has no column z; it has b, k, s, x"},
		{in("SELECT u.x INTO v FROM t;"), "5:10: there is no table, alias or variable u in u.x"},
		{in("SELECT x INTO w FROM t;"), "5:17: there is no variable w; declare it"},
		{in("w := 1;"), "5:3: there is no variable w; declare it"},
		{in("v := w + 1;"), "5:8: there is no variable w"},
		{in("v := $3;"), "5:8: there is no parameter $3"},
		{in("UPDATE t SET z = 1;"), "5:16: table t has no column z; it has b, k, s, x"},
		{in("INSERT INTO t (k, z) VALUES (1, 2);"), "5:21: table t has no column z; it has b, k, s, x"},
		{in("INSERT INTO t (k, k) VALUES (1, 2);"), "5:21: column k is given twice"},
		{in("INSERT INTO t (k, x) VALUES (1);"), "5:32: 1 values are given for 2 columns of t"},
		{in("INSERT INTO t VALUES (1, 2, 'a', true, 5);"), "5:25: 5 values are given for 4 columns of t"},
		{in("INSERT INTO t VALUES (1, 2), (3);"), "5:33: the lists of VALUES must all be as long as the first one"},
		{in("INSERT INTO t (k) VALUES (1) ON CONFLICT (x) DO NOTHING;"), "5:44: no primary key or unique constraint of t has exactly the columns of ON CONFLICT"},
		{in("UPDATE t SET x = 1, x = 2;"), "5:23: column x is set twice"},
		{in("SELECT p INTO v FROM t a, t a;"), "5:29: the name a is given to two tables; use aliases"},
		{in("SELECT x INTO v FROM t a, t b;"), "5:10: column x is ambiguous: several tables have it; write the table's name before it"},
		{strings.ReplaceAll(in("SELECT x INTO v FROM t WHERE k = x;"), "p int", "x int"),
			"5:36: x is ambiguous: it could be a variable of f or a column; qualify it with the table's or the function's name"},
		{in("IF v > CASE WHEN true THEN 1 END THEN v := 1; END IF;"), "5:25: CASE must be in parentheses here: PostgreSQL ends the expression at this THEN"},
		{in("EXIT;"), "5:3: EXIT stands in no loop"},
		{in("LOOP CONTINUE l; END LOOP;"), "5:8: there is no loop or block l around this CONTINUE"},
		{in("<<l>> BEGIN CONTINUE l; END;"), "5:15: l is a block: CONTINUE needs a loop"},
		{in("DECLARE w int; w text; BEGIN NULL; END;"), "5:18: variable w is declared twice"},
		{in("DECLARE w nix%ROWTYPE; BEGIN NULL; END;"), "5:13: there is no table nix"},
		{in("DECLARE w t.nix%TYPE; BEGIN NULL; END;"), "5:13: table t has no column nix"},
		{in("DECLARE w t%ROWTYPE; BEGIN w.z := 1; END;"), "5:30: record w has no field z"},
		{in("DECLARE w ALIAS FOR nix; BEGIN NULL; END;"), "5:11: there is no variable nix for w to be an alias of"},
		{in("RETURN NEXT 1;"), "5:3: RETURN NEXT needs a function that returns a set"},
		{in("SELECT x FROM t;"), "5:3: the result of this SELECT goes nowhere; use PERFORM, or INTO"},
		{"CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN; END $$;", "1:62: f must return a value here"},
		{"CREATE FUNCTION f(OUT a int) LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;", "1:59: f returns its OUT parameters: RETURN takes no value here"},
		{"CREATE FUNCTION f() RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;",
			"1:68: f returns a set: RETURN takes no value; use RETURN NEXT or RETURN QUERY"},
		{"CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1, 2';", "1:50: f returns 1 columns, but this gives 2"},
		{tableT + "-- fresh: p, z\nCREATE FUNCTION f(p int) RETURNS int LANGUAGE sql AS 'SELECT 1';", "2:14: f has no parameter z to be fresh"},
		{tableT + "-- invariant: x > 1\nSELECT 1;", "2:15: write the table's name before the column x"},
		{tableT + "-- invariant: for u: u.x > 1\nSELECT 1;", "2:19: there is no table u"},
		{tableT + "-- invariant: t.z > 1\nSELECT 1;", "2:15: t has no column z; it has b, k, s, x"},
		{tableT + "-- invariant: 1 > 0\nSELECT 1;", "2:15: an invariant must be about the rows of some table"},
		{tableT + "-- invariant: t.x > 1, t.x < 3\nSELECT 1;", "2:15: an invariant is one condition over rows, such as: items.nbids >= 0"},
		{tableT + "-- invariant: t.x > (SELECT 1)\nSELECT 1;", "2:15: this invariant cannot be modelled: it uses a subquery"},

		// Types.
		{in("IF v + 1 THEN NULL; END IF;"), "5:6: this must be a condition, but it has type integer"},
		{in("UPDATE t SET x = q WHERE k = 1;"), "5:16: column x has type integer, but the value has type text; add a cast"},
		{in("INSERT INTO t (k, b) VALUES (1, 2);"), "5:35: column b has type boolean, but the value has type integer; add a cast"},
		{in("SELECT x INTO v FROM t WHERE k = q;"), "5:34: the operator = does not compare integer with text; add a cast"},
		{in("v := p + b FROM t;"), "5:10: the operator + does not work on integer and boolean; add a cast"},
		{in("v := -q;"), "5:8: the operator - does not work on text; add a cast"},
		{in("v := 'x1'::int;"), `5:12: "x1" is no value of type integer`},
		{in("v := p[1];"), "5:8: only arrays have subscripts, but this has type integer"},
		{in("FOREACH v IN ARRAY p LOOP NULL; END LOOP;"), "5:22: FOREACH needs an array, but this has type integer"},
		{in("SELECT 1 INTO v FROM t WHERE (k, x) = (1, 2, 3);"), "5:39: these rows have 2 and 3 fields"},
		{in("v := (SELECT k, x FROM t);"), "5:8: a subquery used as a value must have one column, not 2"},
		{in("SELECT k INTO v FROM t ORDER BY 3;"), "5:35: ORDER BY needs a column or its number, from 1 to 1"},
		{in("v := f2(1);") + "\nCREATE FUNCTION f2(a int, b int) RETURNS int LANGUAGE sql AS 'SELECT 1';",
			"5:8: f2 is called with 1 arguments that do not fit its declaration f2(int4, int4)"},
		{in("DECLARE r record; BEGIN SELECT x AS c INTO r FROM t; SELECT s AS c INTO r FROM t; END;"),
			"5:56: the record r holds rows of different shapes (its field c is integer and text); declare two records"},

		// Schemas.
		{tableT + tableT, "2:14: table t is already declared at case.sql:1:14"},
		{"CREATE TABLE t (k int, k text);", "1:24: table t has two columns k"},
		{"CREATE TABLE t (k int, PRIMARY KEY (z));", "1:24: table t has no column z"},
		{"CREATE TABLE t (k int PRIMARY KEY, PRIMARY KEY (k));", "1:36: table t has two primary keys"},
		{"CREATE TABLE u (a int PRIMARY KEY); DROP TABLE u; CREATE TABLE t (k int REFERENCES u);", "1:73: foreign key t_k_fkey refers to u, but there is no such table"},
		{"CREATE TABLE u (a int); CREATE TABLE t (k int REFERENCES u);", "1:47: foreign key t_k_fkey refers to u, which has no primary key; name the columns"},
		{"CREATE TABLE u (a int); CREATE TABLE t (k int REFERENCES u (a));", "1:47: foreign key t_k_fkey refers to columns of u that are no primary key and no unique key"},
		{"CREATE TABLE u (a text PRIMARY KEY); CREATE TABLE t (k int REFERENCES u);", "1:60: foreign key t_k_fkey compares k (int) with a (text)"},
		{"CREATE TABLE t (rowid int);", "1:14: table t has no primary key, and its column rowid has the name of the hidden key; declare a primary key"},
		{"ALTER TABLE t ADD COLUMN x int;", "1:13: there is no table t"},
		{tableT + "ALTER TABLE t DROP COLUMN z;", "2:13: table t has no column z"},
		{"CREATE UNIQUE INDEX i ON t (x);", "1:26: there is no table t"},
		{tableT + "CREATE TRIGGER g AFTER INSERT ON z EXECUTE FUNCTION h();", "2:34: there is no table z"},
		{tableT + "INSERT INTO t VALUES (1), (1);", "2:28: table t has two initial rows with the same primary key"},
		{tableT + "INSERT INTO t VALUES (NULL);", "2:23: column k of t may not be null"},
		{tableT + "INSERT INTO t VALUES (1, 2), (3);", "2:31: the lists of VALUES must all be as long as the first one"},
		{tableT + "INSERT INTO t VALUES ('a');", `2:23: "a" is no value of type integer`},
		{tableT + "INSERT INTO z VALUES (1);", "2:13: there is no table z"},
		{tableT + "CREATE TABLE y (LIKE auth.z);", "2:22: there is no table auth.z; if an extension or a platform makes what is in auth, declare in a file of its own what is used of it, and name that, too"},
		{"CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql AS 'SELECT 1';\nCREATE FUNCTION f(b int) RETURNS int LANGUAGE sql AS 'SELECT 2';",
			"2:1: function f(int4) is already declared at case.sql:1:1"},
		{tableT + "UPDATE t SET x = 1;",
			"2:1: a statement that changes rows outside of a transaction is not analysed; write BEGIN … COMMIT around it, or a comment -- name: … before it"},
		{strings.Repeat("SELECT ("+strings.Repeat("(", 600)+"1", 1), "1:508: parentheses and CASE are nested more than 500 deep"},

		// What is no SQL text.
		{"SELECT 1;\n\x00\x01", "2:1: this is no SQL text but a binary file: there is a zero byte here"},
		{"", "case.sql: there is no transaction here; write each one as CREATE FUNCTION … LANGUAGE plpgsql or sql, or as BEGIN … COMMIT"},
		{"just some words\n", `1:1: syntax error at or near "just"`},
		{"\xff\xfeC\x00R\x00", "1:1: this is no UTF-8 text; convert the file, or leave it out"},
		{"\ufeffSELECT 1 FROM WHERE;", `1:15: syntax error at or near "WHERE"`},
		{"SELECT 1;\r\nSELECT 1 FROM WHERE;\r\n", `2:15: syntax error at or near "WHERE"`},
		{"SELECT '\xff';", "1:9: this is no UTF-8 text; convert the file, or leave it out"},
	} {
		wantFault(t, tc.src, tc.want)
	}
}

// wantFault parses a text that has a fault. want is what is said about it, without
// the name of the file where it has a line.
func wantFault(t *testing.T, text, want string) {
	t.Helper()
	_, err := Parse([]File{{Name: "case.sql", Text: text}}, Options{})
	var e *ir.Error
	switch {
	case err == nil:
		t.Errorf("%s\nno error, want %q", text, want)
	case !errors.As(err, &e):
		t.Errorf("%s\n%v is no *ir.Error", text, err)
	default:
		got := err.Error()
		if e.Pos.Line > 0 {
			got = strings.TrimPrefix(got, "case.sql:")
		}
		if got != want {
			t.Errorf("%s\ngot  %q\nwant %q", text, got, want)
		}
	}
}

// TestLoadErrors checks the faults of paths and options.
func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f.sql")
	text := "CREATE FUNCTION g() RETURNS int LANGUAGE sql AS 'SELECT 1';\nCREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for _, tc := range []struct {
		paths []string
		txns  []string
		want  string
	}{
		{[]string{filepath.Join(dir, "no.sql")}, nil, filepath.Join(dir, "no.sql") + ": there is no such file or directory"},
		{[]string{empty}, nil, empty + ": there is no .sql file in this directory; name the files to read"},
		{nil, nil, "no SQL file was given"},
		{[]string{dir}, []string{"f", "h"}, "there is no transaction h; there are: f, g"},
	} {
		_, err := Load(context.Background(), tc.paths, Options{Txns: tc.txns})
		if err == nil || err.Error() != tc.want {
			t.Errorf("%v: got %v, want %q", tc.paths, err, tc.want)
		}
	}
	p, err := Load(context.Background(), []string{dir}, Options{Txns: []string{"f"}})
	if err != nil || len(p.Txns) != 1 || p.Txns[0].Name != "f" || p.Name != "f" {
		t.Errorf("Load with one transaction gives %v, %v", p, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Load(ctx, []string{dir}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Load does not notice that it is cancelled: %v", err)
	}
	for n := range 10 { // files and transactions
		_, err := Load(&shortContext{context.Background(), n}, []string{dir}, Options{})
		if ended := errors.Is(err, context.Canceled); ended != (n < 6) {
			t.Errorf("cancelled after %d questions, Load gives %v", n, err)
		}
	}
}

// shortContext is a context that ends when it was asked left times.
type shortContext struct {
	context.Context
	left int
}

func (c *shortContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}
