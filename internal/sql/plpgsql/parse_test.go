package plpgsql

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/sql/pg"
	"golang.org/x/tools/txtar"
)

// bodies gives the PL/pgSQL functions of this package's neighbours' test data:
// whole CREATE FUNCTION statements, each with its body.
func bodies(t *testing.T) (functions, texts []string) {
	t.Helper()
	add := func(sql string) {
		stmts, err := pg.Parse(sql)
		if err != nil {
			return // a case about syntax errors
		}
		for _, raw := range stmts {
			f, ok := pg.Inner(raw.Stmt).(*pg.CreateFunctionStmt)
			if !ok {
				continue
			}
			var language, body string
			for _, n := range f.Options {
				d := pg.Inner(n).(*pg.DefElem)
				switch d.Defname {
				case "language":
					language = d.GetArg().GetString_().GetSval()
				case "as":
					if l, ok := pg.Inner(d.Arg).(*pg.List); ok {
						body = pg.Inner(l.Items[0]).(*pg.String).Sval
					}
				}
			}
			if language == "plpgsql" {
				end := int(raw.StmtLocation + raw.StmtLen)
				if raw.StmtLen == 0 {
					end = len(sql)
				}
				functions, texts = append(functions, sql[raw.StmtLocation:end]), append(texts, body)
			}
		}
	}
	golden, _ := filepath.Glob("../../../sqlmodel/testdata/golden/*.txtar")
	for _, file := range golden {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			switch filepath.Ext(f.Name) {
			case ".sql":
				add(string(f.Data))
			case ".pl":
				add("CREATE FUNCTION f(p int, q int, s text) RETURNS void LANGUAGE plpgsql AS $$\nDECLARE v int; w int; t text; ok boolean; n numeric; arr int[]; r record; it item; ra record;\nBEGIN\n" +
					string(f.Data) + "END $$;")
			}
		}
	}
	files, _ := filepath.Glob("../../../sqlmodel/testdata/diff/*.sql")
	apps, _ := filepath.Glob("../../../testdata/apps/*/functions.sql")
	for _, file := range append(files, apps...) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		add(string(src))
	}
	return functions, texts
}

// TestAgainstParser compares the statements and their lines with the parser's
// own reading of PL/pgSQL, where that accepts the function.
func TestAgainstParser(t *testing.T) {
	functions, texts := bodies(t)
	compared, statements := 0, 0
	for i, fn := range functions {
		out, err := pg.PlpgsqlJSON(fn)
		if err != nil {
			continue // such as an assignment to a field of a row variable
		}
		var tree []any
		if json.Unmarshal([]byte(out), &tree) != nil {
			continue // some of its output is no JSON
		}
		var want []string
		fromJSON(tree, &want)
		body, err := Parse(texts[i])
		if err != nil {
			t.Errorf("%s\nis accepted by the parser, but: %v", fn, err)
			continue
		}
		var got []string
		Walk([]Stmt{body.Block}, func(s Stmt) {
			switch k := kind(s, texts[i]); k {
			case "":
			case "block": // its line is that of BEGIN there
				got = append(got, k)
			default:
				got = append(got, fmt.Sprintf("%s %d", k, strings.Count(texts[i][:s.Place()], "\n")+1))
			}
		})
		if len(body.Block.Handlers) > 0 && count(want, "block") == count(got, "block")+1 {
			got = append(got, "block") // PostgreSQL puts one around it, for the RETURN that it adds
		}
		sort.Strings(want)
		sort.Strings(got)
		if strings.Join(got, ", ") != strings.Join(want, ", ") {
			t.Errorf("%s\ngot  %s\nwant %s", fn, strings.Join(got, ", "), strings.Join(want, ", "))
		}
		compared++
		statements += len(got)
	}
	t.Logf("%d of %d functions compared, %d statements", compared, len(functions), statements)
	if compared < 150 {
		t.Errorf("only %d functions could be compared", compared)
	}
}

func count(list []string, s string) (n int) {
	for _, x := range list {
		if x == s {
			n++
		}
	}
	return n
}

// fromJSON collects the statements in the parser's output.
func fromJSON(x any, out *[]string) {
	switch x := x.(type) {
	case []any:
		for _, e := range x {
			fromJSON(e, out)
		}
	case map[string]any:
		for key, v := range x {
			if name, ok := strings.CutPrefix(key, "PLpgSQL_stmt_"); ok {
				m := v.(map[string]any)
				line, ok := m["lineno"].(float64)
				switch {
				case name == "block":
					*out = append(*out, name)
				case ok: // the RETURN that is added at the end has no line
					*out = append(*out, fmt.Sprintf("%s %d", name, int(line)))
				}
			}
			fromJSON(v, out)
		}
	}
}

// kind is the parser's name of a statement; NULL is none for it.
func kind(s Stmt, src string) string {
	switch s := s.(type) {
	case *Block:
		return "block"
	case *Assign:
		return "assign"
	case *If:
		return "if"
	case *Case:
		return "case"
	case *Loop:
		if s.Cond.Empty() {
			return "loop"
		}
		return "while"
	case *ForRange:
		return "fori"
	case *ForQuery:
		return [...]string{"fors", "dynfors", "forc"}[s.Kind]
	case *Foreach:
		return "foreach_a"
	case *Exit:
		return "exit"
	case *Return:
		return "return"
	case *ReturnNext:
		return "return_next"
	case *ReturnQuery:
		return "return_query"
	case *Raise:
		return "raise"
	case *Assert:
		return "assert"
	case *SQL:
		switch word, _, _ := strings.Cut(strings.ToLower(s.Query.Text(src)), " "); {
		case s.Perform:
			return "perform"
		case word == "call", word == "do":
			return "call"
		}
		return "execsql"
	case *Execute:
		return "dynexecute"
	case *GetDiagnostics:
		return "getdiag"
	case *Cursor:
		return s.Verb
	case *EndTxn:
		if s.Rollback {
			return "rollback"
		}
		return "commit"
	}
	return ""
}

// TestSpans checks that the parts of statements stand where they should.
func TestSpans(t *testing.T) {
	src := `
#variable_conflict use_variable
<<b>> DECLARE v CONSTANT t.x%TYPE NOT NULL := 1 + 2; a ALIAS FOR $1; c SCROLL CURSOR (n int) FOR SELECT 3;
BEGIN
  r.x := f(v[1], 'a;b'); v[i + 1][2] = 3;
  SELECT a, b INTO STRICT v, r.y FROM t WHERE (k = 1);
  FOR i IN REVERSE 1 .. (2) BY 3 LOOP NULL; END LOOP;
  CASE v WHEN (CASE WHEN true THEN 1 END) THEN NULL; END CASE;
  RAISE EXCEPTION '% %', v + 1, (2) USING HINT = 'x' || v;
  EXECUTE 'x' INTO v USING 1;
END b;`
	body, err := Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	if body.Conflict != "use_variable" || body.Block.Label != "b" || len(body.Block.Decls) != 3 {
		t.Errorf("the head is wrong: %+v", body)
	}
	d := body.Block.Decls[0]
	if !d.Constant || !d.NotNull || d.Type.Text(src) != "t.x%TYPE" || d.Default.Text(src) != "1 + 2" || src[d.At:d.At+1] != "v" {
		t.Errorf("the declaration is wrong: %+v", d)
	}
	if body.Block.Decls[1].Alias != "$1" || !body.Block.Decls[2].Cursor || body.Block.Decls[2].Query.Text(src) != "SELECT 3" {
		t.Errorf("the declarations are wrong: %+v", body.Block.Decls)
	}
	var got []string
	Walk([]Stmt{body.Block}, func(s Stmt) {
		Spans(s, func(sp Span, _ SpanKind) { got = append(got, sp.Text(src)) })
	})
	want := []string{"1 + 2", "SELECT 3", "f(v[1], 'a;b')", "i + 1", "2", "3", "SELECT a, b                    FROM t WHERE (k = 1)",
		"1", "(2)", "3", "v", "(CASE WHEN true THEN 1 END)", "v + 1", "(2)", "'x' || v", "'x'", "1"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// FuzzParse checks that no body crashes the parser.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"BEGIN END", "DECLARE v int := 1; BEGIN IF v THEN RETURN; END IF; END", "BEGIN LOOP EXIT; END LOOP; END",
		"BEGIN SELECT 1 INTO v; EXECUTE 'x'; EXCEPTION WHEN others THEN NULL; END", "BEGIN CASE a WHEN 1 THEN NULL; END CASE; END"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		body, err := Parse(src)
		if err != nil {
			if e := err.(*Error); e.Offset < 0 || e.Offset > len(src) {
				t.Errorf("offset %d is outside of the text", e.Offset)
			}
			return
		}
		Walk([]Stmt{body.Block}, func(s Stmt) {
			Spans(s, func(sp Span, _ SpanKind) { sp.Text(src) })
		})
	})
}
