package sqlmodel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/ir/irtext"
)

// programSchema is the schema of the golden cases, if they have no other.
const programSchema = `CREATE TYPE state AS ENUM ('open', 'closed');
CREATE TABLE accounts (id uuid PRIMARY KEY, balance int NOT NULL, note text, opened date, state state NOT NULL DEFAULT 'open');
CREATE TABLE jobs (id bigserial PRIMARY KEY, account uuid REFERENCES accounts, price numeric(10,2), data jsonb, done boolean NOT NULL DEFAULT false);
CREATE FUNCTION total(a uuid) RETURNS numeric LANGUAGE sql AS 'SELECT sum(price) FROM jobs WHERE account = a';
CREATE FUNCTION close_all(a uuid) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  UPDATE jobs SET done = true WHERE account = a AND NOT done;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;
`

// in is the place of the n-th statement of a test program.
func in_(n int) client.At { return client.At{Pos: ir.Pos{File: "main.go", Line: n, Col: 2}} }

// body numbers the statements of a test program by their lines.
func body(list ...client.Stmt) []client.Stmt {
	line := 1
	var number func(list []client.Stmt)
	number = func(list []client.Stmt) {
		for _, s := range list {
			line++
			switch s := s.(type) {
			case *client.Query:
				s.At = in_(line)
			case *client.ForRows:
				s.At, s.Query.At = in_(line), in_(line)
				number(s.Body)
			case *client.Assign:
				s.At = in_(line)
			case *client.Havoc:
				s.At = in_(line)
			case *client.If:
				s.At = in_(line)
				number(s.Then)
				number(s.Else)
			case *client.Loop:
				s.At = in_(line)
				number(s.Body)
			case *client.Block:
				s.At = in_(line)
				number(s.Body)
			case *client.Break:
				s.At = in_(line)
			case *client.Continue:
				s.At = in_(line)
			case *client.Commit:
				s.At = in_(line)
			case *client.Rollback:
				s.At = in_(line)
			case *client.Emit:
				s.At = in_(line)
			case *client.Savepoint:
				s.At = in_(line)
			case *client.RollbackTo:
				s.At = in_(line)
			case *client.Unknown:
				s.At = in_(line)
			}
		}
	}
	number(list)
	return list
}

// Short forms for test programs.

func vars(list ...string) []client.Var {
	kinds := map[string]client.Kind{"any": client.Any, "int": client.Int, "float": client.Float, "bool": client.Bool, "text": client.Text, "time": client.Time}
	var out []client.Var
	for _, s := range list { // name kind [in] [null] [fresh]
		words := strings.Fields(s)
		kind, known := kinds[words[1]]
		if !known {
			panic(s)
		}
		v := client.Var{Name: words[0], Kind: kind}
		for _, w := range words[2:] {
			v.Input = v.Input || w == "in" || w == "fresh"
			v.Fresh = v.Fresh || w == "fresh"
			v.Nullable = v.Nullable || w == "null"
		}
		out = append(out, v)
	}
	return out
}

func clientExpr(x any) client.Expr {
	switch x := x.(type) {
	case client.Expr:
		return x
	case string:
		return client.V(x)
	case int:
		return client.C(ir.Int(int64(x)))
	case bool:
		return client.C(ir.Bool(x))
	case nil:
		return client.C(ir.Null)
	}
	panic(fmt.Sprint(x))
}

func values_(xs ...any) []client.Expr {
	var out []client.Expr
	for _, x := range xs {
		out = append(out, clientExpr(x))
	}
	return out
}

func str(s string) client.Expr { return client.C(ir.Text(s)) }

func op(o string, xs ...any) client.Expr { return &client.Op{Op: o, Args: values_(xs...)} }

func sql(text string, args ...any) *client.Query {
	return &client.Query{SQL: strings.ReplaceAll(text, "§", client.Hole), Args: values_(args...)}
}

// with sets fields of a query.
func with(q *client.Query, set func(q *client.Query)) *client.Query {
	set(q)
	return q
}

// row takes the row of a query into variables, and sets ok and bad.
func row(q *client.Query, into ...string) *client.Query {
	q.Into, q.Found, q.Null = into, "ok", "bad"
	return q
}

// ended ends the transaction where there is no row.
func unless(cond any) client.Stmt {
	return &client.If{Cond: client.Not(clientExpr(cond)), Then: []client.Stmt{&client.Rollback{}}}
}

// scanned ends the transaction where a row was not read.
func scanned() client.Stmt {
	return &client.If{Cond: op("||", client.Not(client.V("ok")), "bad"), Then: []client.Stmt{&client.Rollback{}}}
}

func rows(label string, q *client.Query, list ...client.Stmt) *client.ForRows {
	return &client.ForRows{Label: label, Query: q, Body: list}
}

func emit(xs ...any) client.Stmt { return &client.Emit{Exprs: values_(xs...)} }

func set_(v string, x any) client.Stmt { return &client.Assign{Var: v, Expr: clientExpr(x)} }

func when(cond client.Expr, list ...client.Stmt) *client.If {
	return &client.If{Cond: cond, Then: list}
}

// programCase is a client program of which the translation is known.
type programCase struct {
	name   string
	schema string // "" for programSchema, "-" for none
	txns   []*client.Txn
}

func txn_(name string, vs []client.Var, list ...client.Stmt) *client.Txn {
	return &client.Txn{Pos: in_(1).Pos, Name: name, Vars: vs, Body: body(list...)}
}

// TestProgramGolden translates the programs of programCases. What comes out
// stands in testdata/client.
func TestProgramGolden(t *testing.T) {
	for _, c := range programCases() {
		t.Run(c.name, func(t *testing.T) {
			var files []File
			switch c.schema {
			case "":
				files = []File{{Name: "schema.sql", Text: programSchema}}
			case "-":
			default:
				files = []File{{Name: "schema.sql", Text: c.schema}}
			}
			prog, err := Client(t.Context(), files, c.txns, Options{})
			if err != nil {
				t.Fatal(err)
			}
			text := prog.String()
			again, err := irtext.Parse("printed", text)
			if err != nil {
				t.Fatalf("what is printed does not parse: %v\n%s", err, text)
			}
			if s := again.String(); s != text {
				t.Errorf("printed form changed:\n%s\n--- became\n%s", text, s)
			}
			var b strings.Builder
			if c.schema == "-" {
				tables := *prog
				tables.Txns = nil
				b.WriteString(tables.String())
			}
			for i, txn := range prog.Txns {
				fmt.Fprintf(&b, "%s--\n%s\n", c.txns[i+len(c.txns)-len(prog.Txns)], txn)
				if txn.Level != "" {
					fmt.Fprintf(&b, "level: %s\n", strings.Join(append([]string{txn.Level}, txn.Above...), ", "))
				}
			}
			for _, n := range prog.Notes {
				fmt.Fprintf(&b, "note: %s: %s\n", n.Pos, n.Text)
			}
			got := b.String()
			file := filepath.Join("testdata", "client", strings.ReplaceAll(c.name, " ", "-")+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestProgramNames checks how transactions are named and chosen.
func TestProgramNames(t *testing.T) {
	del := func(name string) *client.Txn { return txn_(name, nil, sql("DELETE FROM jobs")) }
	txns := []*client.Txn{del("f"), del("f"), del("f-2"), del("g")}
	files := []File{{Name: "schema.sql", Text: programSchema + "-- name: other\nDELETE FROM jobs;\nCREATE FUNCTION more() RETURNS void LANGUAGE sql AS 'DELETE FROM jobs';"}}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, "f f-3 f-2 g"},
		{[]string{"f"}, "f f-2"},
		{[]string{"g", "f-2"}, "f-2 g"},
		{[]string{"none"}, "there is no transaction none; there are: f, f-2, g"},
	} {
		prog, err := Client(t.Context(), files, txns, Options{Txns: c.names})
		var got []string
		if err != nil {
			got = []string{err.Error()}
		} else {
			for _, txn := range prog.Txns {
				got = append(got, txn.Name)
				if !txn.Script {
					t.Errorf("%s is no script", txn.Name)
				}
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%v: got %s, want %s", c.names, s, c.want)
		}
	}
	prog, err := Client(t.Context(), nil, nil, Options{})
	if err != nil || len(prog.Txns) != 0 {
		t.Errorf("no transactions give %v, %v", prog, err)
	}
	if _, err := Client(t.Context(), nil, nil, Options{Txns: []string{"f"}}); err == nil {
		t.Error("there is a transaction in an empty program")
	}
	_, err = Client(t.Context(), []File{{Name: "schema.sql", Text: "CREATE TABLE"}}, txns, Options{})
	var e *ir.Error
	if !errors.As(err, &e) || e.Pos.File != "schema.sql" {
		t.Errorf("a fault in the schema gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Client(ctx, files, txns, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("when it is cancelled: %v", err)
	}
}

// TestTablesOfOthers: a table that the program creates is there for the transactions
// that are chosen, too.
func TestTablesOfOthers(t *testing.T) {
	txns := []*client.Txn{txn_("migrate", nil, sql("CREATE TABLE notes (id int PRIMARY KEY, text text)")), txn_("add", nil, sql("INSERT INTO notes VALUES (1, 'x')"))}
	prog, err := Client(t.Context(), nil, txns, Options{Txns: []string{"add"}})
	if err != nil {
		t.Fatal(err)
	}
	notes := prog.Table("notes")
	if len(prog.Txns) != 1 || notes == nil || !notes.IsKey(0) || len(notes.Columns) != 2 {
		t.Errorf("got %v", prog)
	}
	if prog, err = Client(t.Context(), nil, txns[1:], Options{}); err != nil || prog.Table("notes") != nil && len(prog.Table("notes").Columns) == 2 {
		t.Errorf("without the declaration: %v, %v", prog, err)
	}
}

// TestProgramHostile: no text exhausts the stack or hangs; it is not modelled
// then.
func TestProgramHostile(t *testing.T) {
	const n = 10000
	many := strings.Repeat
	deep := client.Expr(client.V("n"))
	for range n {
		deep = op("+", deep, 1)
	}
	var nested client.Stmt = sql("DELETE FROM jobs")
	for range n {
		nested = when(client.V("ok"), nested)
	}
	for _, c := range []struct {
		name string
		stmt client.Stmt
		want string
	}{
		{"parentheses", sql("DELETE FROM jobs WHERE " + many("(", n) + "true" + many(")", n)), "nested more than 500 deep"},
		{"operators", sql("DELETE FROM jobs WHERE 1 = 1" + many("+1", n)), "operators follow one another"},
		{"a long text with a hole", sql("DELETE FROM jobs WHERE " + many("(a, ", n) + "§"), "a statement of which a part is not known"},
		{"an open string", sql("DELETE FROM jobs WHERE '" + many("x", n)), "unterminated quoted string"},
		{"an open string with a hole", sql("DELETE FROM jobs WHERE '§"), "a statement of which a part is not known"},
		{"a large number", sql("DELETE FROM jobs WHERE id = $99999999"), "a statement that cannot be read"},
		{"an expression", set_("n", deep), "a transaction of more than"},
		{"statements", nested, "a transaction of more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			txn := txn_("f", vars("n int", "ok bool"), c.stmt, emit("n"))
			prog, err := Client(t.Context(), []File{{Name: "schema.sql", Text: programSchema}}, []*client.Txn{txn}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if text := prog.Txns[0].String(); !strings.Contains(text, "unmodelled") || !strings.Contains(text, c.want) {
				t.Errorf("got %.1000s", text)
			}
		})
	}
}

// FuzzSent checks that no text that a program sends crashes the translation or is
// an error, with and without a schema, and that what comes out is a sound program.
// A zero byte is a part that is not known.
func FuzzSent(f *testing.F) {
	for _, c := range programCases() {
		for _, txn := range c.txns {
			client.EachQuery(txn.Body, func(q *client.Query) { f.Add(q.SQL) })
		}
	}
	for _, txn := range diffPrograms() {
		client.EachQuery(txn.Body, func(q *client.Query) { f.Add(q.SQL) })
	}
	f.Add("SELECT f\x00 FROM a\x00b, \x00 WHERE '\x00' = \"\x00\" -- \x00")
	f.Fuzz(func(t *testing.T, text string) {
		vs := vars("a int in", "b text in", "c any null", "ok bool", "bad bool", "n int")
		list := func() []client.Stmt {
			args := func() *client.Query {
				q := sql("", "a", "b")
				q.SQL, q.Named = text, []client.Arg{{Name: "id", Expr: client.V("b")}}
				return q
			}
			open := args()
			open.Args, open.Open, open.Returned = nil, true, true
			return []client.Stmt{
				row(args(), "c"),
				with(open, func(q *client.Query) { q.Count = "n" }),
				rows("l", with(args(), func(q *client.Query) { q.ByName = []client.Arg{{Name: "id", Expr: client.V("b")}}; q.Null = "bad" }), emit("b"), sql("DELETE FROM jobs")),
				sql("SELECT * FROM jobs"),
				emit("c", "ok", "bad", "n"),
			}
		}
		for _, files := range [][]File{nil, {{Name: "schema.sql", Text: programSchema}}} {
			prog, err := Client(t.Context(), files, []*client.Txn{txn_("f", vs, list()...)}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			printed := prog.String()
			again, err := irtext.Parse("printed", printed)
			if err != nil {
				t.Fatalf("%v\n%s", err, printed)
			}
			if s := again.String(); s != printed {
				t.Fatalf("printed form changed:\n%s\n---\n%s", printed, s)
			}
		}
	})
}

// TestProgramUnreadSchema checks that nothing is guessed of a table that a
// statement of the schema names which was not read.
func TestProgramUnreadSchema(t *testing.T) {
	const schemaName = "CREATE TABLE other (k int PRIMARY KEY);\nALTER TABLE orders PARTITION WEEKLY;\n"
	txns := []*client.Txn{txn_("f", nil, sql("DELETE FROM orders WHERE k = 1"), sql("DELETE FROM carts WHERE k = 1"))}
	prog, err := Client(t.Context(), nil, txns, Options{Schema: []File{{Name: "schema.sql", Text: schemaName}}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "txn f {\n  unmodelled * 'a table of which the schema was not read';\n  delete carts where carts.k == 1;\n}\n"
	if got := prog.Txns[0].String(); got != want {
		t.Errorf("got\n%s\n%v", got, prog.Notes)
	}
}
