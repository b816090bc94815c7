package sqlmodel

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/client"
	"github.com/txrobust/robust/ir"
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

func value(x any) client.Expr {
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
		out = append(out, value(x))
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
	return &client.If{Cond: client.Not(value(cond)), Then: []client.Stmt{&client.Rollback{}}}
}

// scanned ends the transaction where a row was not read.
func scanned() client.Stmt {
	return &client.If{Cond: op("||", client.Not(client.V("ok")), "bad"), Then: []client.Stmt{&client.Rollback{}}}
}

func rows(label string, q *client.Query, list ...client.Stmt) *client.ForRows {
	return &client.ForRows{Label: label, Query: q, Body: list}
}

func emit(xs ...any) client.Stmt { return &client.Emit{Exprs: values_(xs...)} }

func set_(v string, x any) client.Stmt { return &client.Assign{Var: v, Expr: value(x)} }

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
			again, err := ir.Parse("printed", text)
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
					fmt.Fprintf(&b, "level: %s\n", txn.Level)
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
