package sqlmodel

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/ir/irtext"
)

// TestScriptErrors checks every kind of fault in a script: place and text.
func TestScriptErrors(t *testing.T) {
	for _, tc := range []struct{ src, want string }{
		// Places stay right where variables, commands and texts were replaced.
		{"\\set kk 12345\nBEGIN; SELECT x FROM t WHERE k = :kk AND z = :v; COMMIT;", "3:42: there is no column or variable z"},
		{"\\echo it's\nBEGIN; SELECT 'é' FROM t WHERE k=?; SELECT x FROM t WHERE k=? AND nix = 1; COMMIT;", "3:67: there is no column or variable nix"},
		{"SELECT x FROM t WHERE k = sqlc.arg(key) AND z = @key;", "2:45: there is no column or variable z"},
		{"UPDATE t SET x = :v WHERE WHERE k = :k;", `2:27: syntax error at or near "WHERE"`},
		{"SELECT x FROM t WHERE k = :'no name';", `2:27: syntax error at or near ":"`},
		{"CREATE TABLE :name (k int);", `2:14: syntax error at or near ":"`},
		{"BEGIN; SELECT x FROM t WHERE s = :a AND x = :a AND b = :a; COMMIT;", "2:32: the operator = does not compare text with integer; add a cast"},
		// Transactions.
		{"BEGIN; UPDATE t SET x = 1 WHERE k = 1;", "2:1: this transaction has no COMMIT; write one where it ends"},
		{"SAVEPOINT s;", "2:1: a savepoint needs a transaction; write BEGIN before it"},
		{"BEGIN; SAVEPOINT s; ROLLBACK TO r; COMMIT;", "2:21: there is no savepoint r here"},
		{"BEGIN; SAVEPOINT s; RELEASE s; ROLLBACK TO s; COMMIT;", "2:32: there is no savepoint s here"},
		{"BEGIN; UPDATE t SET x = 1; PREPARE TRANSACTION 'a';", "2:28: transactions in two phases (PREPARE TRANSACTION) are not analysed; write COMMIT"},
		{"-- name: a\nBEGIN; DELETE FROM t; COMMIT;\n-- name: a\nBEGIN; DELETE FROM t; COMMIT;",
			"5:1: there is another transaction a at case.sql:3:1; give one a name with a comment -- name: …"},
		{"-- fresh: z\nUPDATE t SET x = :v WHERE k = 1;", "2:11: case-1 has no parameter z to be fresh"},
		{"LOCK TABLE t;", "2:1: LOCK TABLE outside of a transaction is not analysed; write BEGIN … COMMIT around the transaction"},
		{"\\startpipeline\nUPDATE t SET x = 1;", "2:1: this pipeline has no \\endpipeline"},
		{"BEGIN; DO LANGUAGE plperl 'x'; COMMIT;", "2:8: a DO block in plperl is not read; write it in plpgsql"},
		{"BEGIN; DO $$ BEGIN UPDATE t SET z = 1; END $$; COMMIT;", "2:33: table t has no column z; it has b, k, s, x"},
		// Branches.
		{"\\if :v\nBEGIN; DELETE FROM t; COMMIT;", "2:1: this \\if has no \\endif"},
		{"\\endif", "2:1: there is no \\if for this \\endif"},
		{"\\else", "2:1: there is no \\if for this \\else"},
		{"\\if :v\n\\else\n\\else\n\\endif", "4:1: \\else stands after the \\else of the \\if at case.sql:2:1"},
		{"\\if\n\\endif", "2:1: \\if needs a condition"},
		{"\\if no such thing\n\\endif", "2:1: \\if needs a condition: true or false, a variable, or an expression of pgbench"},
		{"\\if :v\nBEGIN; DELETE FROM t;\n\\endif\nCOMMIT;",
			"3:1: this transaction goes on behind the branch of the \\if at case.sql:2:1; end it in the branch, or begin it before"},
		{"BEGIN; DELETE FROM t;\n\\if :v\nCOMMIT;\n\\endif\nCOMMIT;",
			"3:1: some branches of this \\if end the transaction and others do not; end it in each of them (with \\else), or behind \\endif"},
		{"BEGIN; DELETE FROM t;\n\\if :v\nCOMMIT; DELETE FROM t;\n\\else\nCOMMIT;\n\\endif",
			"4:9: statements behind the end of a transaction in a branch of \\if are not read; move them behind \\endif"},
		{"BEGIN; DELETE FROM t;\n\\if :v\nBEGIN;\n\\endif\nCOMMIT;", "4:1: this BEGIN stands in a transaction, under an \\if; begin transactions outside"},
		{"BEGIN; DELETE FROM t;\n\\if :v\nCOMMIT AND CHAIN;\n\\else\nCOMMIT;\n\\endif", "4:1: AND CHAIN is not read under an \\if; write BEGIN behind \\endif"},
		// Commands.
		{"\\nix", "2:1: \\nix is no command of psql or pgbench that is known here; leave it out"},
		{"\\watch 5", "2:1: \\watch is not read: what it runs does not stand here; write the statements"},
		{"SELECT 1;\n\\gset", "3:1: \\gset stands after no statement; write it in the place of the semicolon"},
		{"SELECT 1\n\\set x 1\n;", "3:1: \\set stands inside of a statement; end that with a semicolon"},
		{"\\set a-b 1", `2:1: "a-b" is no name of a variable`},
		{"\\setrandom", "2:1: \\setrandom needs a variable"},
		{"\\set a b:c", "2:1: the text of :c is not known here, so that of :a is not either; set it to one"},
		{"\\set AUTOCOMMIT off", "2:1: \\set AUTOCOMMIT off is not read; write BEGIN where a transaction begins"},
		{"\\set ON_ERROR_ROLLBACK on", "2:1: \\set ON_ERROR_ROLLBACK is not read: transactions that go on after an error are not analysed; leave it out"},
		{"\\i", "2:1: \\i needs the name of a file"},
		{"\\i nowhere.sql", "2:1: there is no file nowhere.sql to include; its name is relative to this file"},
		{"\\i case.sql", "2:1: case.sql includes itself"},
		{"UPDATE t SET x = 1\\; UPDATE t SET x = 2;", "2:19: statements that are sent together (\\;) are not read outside of a transaction; write BEGIN … COMMIT around them"},
		{"BEGIN;\n\\copy t from x\nDELETE FROM t; COMMIT;", "3:1: \\copy in a transaction is not read; move it out of the transaction, or write SQL"},
		// Variables.
		{`SELECT x FROM :"table" WHERE k = 1;`, `2:15: which name :"table" stands for is not known here; give it one with \set before`},
		{"\\if :v\n\\set c x\n\\else\n\\set c k\n\\endif\nBEGIN; UPDATE t SET x = 1 WHERE :c = 1; COMMIT;",
			"7:33: which text :c stands for depends on an \\if or a query; write :'c' if it is a value"},
		{"SELECT sqlc.slice('a');", "2:8: sqlc.slice is not read; there are sqlc.arg, sqlc.narg and sqlc.embed (write = ANY ($1) for a list)"},
		{"SELECT sqlc.arg;", "2:8: sqlc.arg needs a name in parentheses"},
	} {
		wantFault(t, tableT+tc.src, tc.want)
	}
}

// TestInclude checks that included files are read in the place of the command
// and nowhere else, that they share the variables, and that faults in them have
// their places.
func TestInclude(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("main.sql", "\\set step 7\n\\ir part/schema.sql\n\\i add.sql\n")
	write("add.sql", "BEGIN;\n\\ir part/body.sql\nCOMMIT;\n")
	write("part/schema.sql", tableT)
	body := write("part/body.sql", "UPDATE t SET x = x + :step WHERE k = :k;\n")
	prog, err := Load(t.Context(), []string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := "txn \"main-1\"(k int) {\n  update t set x = t.x + 7 where t.k == k;\n}\n"
	if len(prog.Txns) != 1 || prog.Txns[0].String() != want {
		t.Errorf("got\n%s", prog)
	}
	write("part/body.sql", "UPDATE t SET x = x + :step WHERE k = :k;\n\\q\nUPDATE nowhere;\n")
	if prog, err = Load(t.Context(), []string{dir}, Options{}); err != nil || prog.Txns[0].String() != want {
		t.Errorf("\\q ends more than its file: %v\n%s", err, prog)
	}
	write("part/body.sql", "\nUPDATE t SET z = :step;\n")
	if _, err := Load(t.Context(), []string{dir}, Options{}); err == nil || err.Error() != body+":2:14: table t has no column z; it has b, k, s, x" {
		t.Errorf("got %v", err)
	}
	write("part/body.sql", "\\ir ../add.sql\n")
	if _, err := Load(t.Context(), []string{dir}, Options{}); err == nil || !strings.HasSuffix(err.Error(), "add.sql includes itself") {
		t.Errorf("got %v", err)
	}
}

// TestChosenScript checks that transactions of scripts can be named like
// functions.
func TestChosenScript(t *testing.T) {
	src := tableT + "-- name: a\nUPDATE t SET x = 1;\n-- name: b\nBEGIN; DELETE FROM t; COMMIT;\nBEGIN; SELECT f(:p); COMMIT;\n" +
		"CREATE FUNCTION f(p int) RETURNS int LANGUAGE sql AS 'UPDATE t SET x = p RETURNING x';"
	for _, tc := range []struct {
		txns []string
		want string
	}{{nil, "f a b case-3"}, {[]string{"b", "f"}, "f b"}} {
		prog, err := Parse([]File{{Name: "case.sql", Text: src}}, Options{Txns: tc.txns})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, txn := range prog.Txns {
			names = append(names, txn.Name)
		}
		if got := strings.Join(names, " "); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
		if f := prog.Txn("f"); f != nil && f.Script || !prog.Txn("b").Script {
			t.Error("functions are marked as scripts, or scripts are not")
		}
	}
	_, err := Parse([]File{{Name: "case.sql", Text: src}}, Options{Txns: []string{"c"}})
	if err == nil || err.Error() != "there is no transaction c; there are: a, b, case-3, f" {
		t.Errorf("got %v", err)
	}
}

// TestQuestionMarks checks which question marks are parameters.
func TestQuestionMarks(t *testing.T) {
	for src, want := range map[string]string{
		"SELECT ? FROM t":                                 "SELECT $1 FROM t",
		"SELECT a ? 'k', a ?| b, a ?& b, a @? b":          "SELECT a ? 'k', a ?| b, a ?& b, a @? b",
		"SELECT a ?? ?":                                   "SELECT a ? $1",
		"a=? AND b>=? OR c IN (?,?)":                      "a=$1 AND b>=$2 OR c IN ($3,$4)",
		"VALUES (?::int, -?, ?1, ?1)":                     "VALUES ($1::int, -$2, $3, $3)",
		"'?' \"?\" $$?$$ E'\\'?' -- ?\n/* ? /* */ ?*/, ?": "'?' \"?\" $$?$$ E'\\'?' -- ?\n/* ? /* */ ?*/, $1",
		":a::text || :'a' <@ x, a <@b, @ -1, @a":          "$1::text || $1 <@ x, a <@b, @ -1, $1",
		"x[1:2], x[:i], x[a:b], ARRAY[:a,:b]":             "x[1:2], x[$1], x[a:b], ARRAY[$2,$3]",
		"f(a := 1, b => :b)":                              "f(a := 1, b => $1)",
		"LIMIT:n OFFSET?":                                 "LIMIT $1 OFFSET $2",
		"CREATE FUNCTION f() RETURN $1 ? :x; :x":          "CREATE FUNCTION f() RETURN $1 ? :x; $1",
		"CREATE FUNCTION f() BEGIN ATOMIC SELECT $1; SELECT CASE WHEN :x THEN 1 END; END; SELECT $1": "CREATE FUNCTION f() BEGIN ATOMIC SELECT $1; SELECT CASE WHEN :x THEN 1 END; END; SELECT $1",
	} {
		l := &schema.Schema{}
		sc := &syntax.Scanner{S: syntax.NewSession(l.FileSet), Src: syntax.NewSource("q.sql", src), In: src}
		sc.Run()
		if got := string(sc.Out); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", src, got, want)
		}
		if at := sc.Places(); len(at) != len(sc.Out) || !slices.IsSorted(at) {
			t.Errorf("%s: places are lost: %v", src, at)
		}
	}
}

// FuzzScript checks that commands of psql and pgbench in any order do not crash
// the reader, and that their faults have places.
func FuzzScript(f *testing.F) {
	for _, src := range []string{
		"\\set a random(1, :b)\n\\if :a > 1\nBEGIN;\nUPDATE t SET x = :a WHERE k = :'b';\n\\if :c\nCOMMIT;\n\\else\nROLLBACK;\n\\endif\n\\endif\n",
		"BEGIN;\nSELECT x, s FROM t WHERE k = ? \\gset p_\n\\set y :p_x + int(2.5)\nSAVEPOINT s;\nUPDATE t SET x = :y;\nROLLBACK TO s;\nCOMMIT AND CHAIN;\nDELETE FROM t;\nEND;\n",
		"-- name: q :execrows\nINSERT INTO t VALUES (@k, sqlc.narg(x)) RETURNING * \\gset\n\\startpipeline\nSELECT :x;\n\\endpipeline\n\\q\nrest",
		"\\setrandom z 1 2 \\\\ \\echo 'a' \\; SELECT :\"z\"\\g\n\\set q 'SELECT 1'\n:q;\nSELECT x[:a], x[1:z], :q:: text, :'q' ?? ?;",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		prog, err := Parse([]File{{Name: "fuzz.sql", Text: tableT + src}}, Options{})
		if err != nil {
			var e *ir.Error
			if !errors.As(err, &e) || e.Pos.File != "fuzz.sql" {
				t.Fatal(err)
			}
			return
		}
		if _, err := irtext.Parse("printed", prog.String()); err != nil {
			t.Fatalf("%v\n%s", err, prog)
		}
	})
}
