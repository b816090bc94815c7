package sqlmodel

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// TestHostile: no input exhausts the stack, hangs, or takes memory without
// bound. What is too much is an error with a place; an empty want is no error.
func TestHostile(t *testing.T) {
	const n = 10000
	const table = "CREATE TABLE t (k int PRIMARY KEY, a int, b text);\n"
	many := func(s string, times int) string { return strings.Repeat(s, times) }
	body := func(s string) string {
		return table + "CREATE FUNCTION f(p int) RETURNS void AS $$ BEGIN\n" + s + "\nEND $$ LANGUAGE plpgsql;"
	}
	update := func(e string) string { return body("UPDATE t SET a = " + e + " WHERE k = 1;") }
	numbered := func(format string, times int) string {
		var b strings.Builder
		for i := range times {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	const nested, follow = "nested more than 500 deep", "operators follow one another"
	for _, tc := range []struct{ name, src, want string }{
		{"parentheses", update(many("(", n) + "1" + many(")", n)), nested},
		{"brackets", update(many("p[", n) + "1" + many("]", n)), nested},
		{"case", update(many("CASE WHEN true THEN ", n) + "1" + many(" END", n)), nested},
		{"case in the operand", update(many("CASE ", n) + "1" + many(" WHEN 1 THEN 1 END", n)), nested},
		{"many cases", update("CASE" + many(" WHEN k = 1 THEN 1", n) + " END"), follow},
		{"subqueries", update(many("(SELECT ", n) + "1" + many(")", n)), nested},
		{"subqueries in FROM", body("PERFORM 1 FROM " + many("(SELECT 1 FROM ", n) + "t" + many(") x", n) + ";"), nested},
		{"with", body("PERFORM 1 FROM (" + many("WITH x AS (", n) + "SELECT 1" + many(") SELECT 1 FROM x", n) + ") y;"), nested},
		{"minus", update(many("- ", n*20) + "1"), follow},
		{"not", update(many("NOT ", n*20) + "true"), follow},
		{"plus", update("1" + many("+1", n*20)), follow},
		{"or", update("CASE WHEN " + many("k = 1 OR ", n*5) + "true THEN 1 END"), follow},
		{"casts", update("1" + many("::int", n*20)), follow},
		{"subscripts", update("p" + many("[1]", n*5)), follow},
		{"unions", body("PERFORM 1" + many(" UNION SELECT 1", n*2) + ";"), follow},
		{"joins", body("PERFORM 1 FROM t" + many(" JOIN t USING (k)", n*2) + ";"), follow},
		{"dots", update("a" + many(".a", n)), "there is no table"},
		{"blocks", body(many("BEGIN ", n) + "NULL;" + many(" END;", n)), "statements are nested more than 200 deep"},
		{"ifs", body(many("IF true THEN ", n) + "NULL;" + many(" END IF;", n)), "statements are nested more than 200 deep"},
		{"elsif", body("IF true THEN NULL;" + many(" ELSIF true THEN NULL;", n) + " END IF;"), "more than 1000 branches"},
		{"atomic", table + "CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT " + many("CASE WHEN true THEN ", n) + "1" + many(" END", n) + "; END;", nested},
		{"a list", body("UPDATE t SET a = 1 WHERE k IN (" + numbered("%d,", n*5) + "0);"), ""},
		{"dimensions", "CREATE TABLE t (k int PRIMARY KEY, a int" + many("[]", n) + ");\n" + strings.TrimPrefix(body("NULL;"), table), ""},
		{"calls of calls", table + "CREATE FUNCTION g0(p int) RETURNS int AS $$ SELECT p $$ LANGUAGE sql;\n" +
			func() string {
				var b strings.Builder
				for i := 1; i < 40; i++ {
					fmt.Fprintf(&b, "CREATE FUNCTION g%d(p int) RETURNS int AS $$ SELECT g%d(p) + g%d(p) $$ LANGUAGE sql;\n", i, i-1, i-1)
				}
				return b.String()
			}(), ""},
		{"tables", numbered("CREATE TABLE t%d (k int PRIMARY KEY, a int);\n", 5000) +
			"CREATE FUNCTION f(p int) RETURNS void AS $$ UPDATE t7 SET a = p WHERE k = 1 $$ LANGUAGE sql;", ""},
		{"functions", table + numbered("CREATE FUNCTION f%d(p int) RETURNS void AS $$ UPDATE t SET a = p WHERE k = 1 $$ LANGUAGE sql;\n", 2000), ""},
		{"statements", body(many("UPDATE t SET a = p WHERE k = 1;\n", n)), ""},
		{"statements on a line", table + many("SELECT 1;", n*2) + strings.TrimPrefix(body("NULL;"), table), ""},
		{"an open string", table + "SELECT '" + many("x", n), "unterminated quoted string"},
		{"an open body", table + "CREATE FUNCTION f() RETURNS void AS $$ " + many("BEGIN ", n), "unterminated dollar-quoted string"},
	} {
		t.Run(tc.name, func(t *testing.T) { hostile(t, tc.src, tc.want, 60*time.Second, 1500) })
	}
}

// TestHuge: files of 50 MB.
func TestHuge(t *testing.T) {
	if testing.Short() {
		t.Skip("files of 50 MB")
	}
	const size = 50 << 20
	const table = "CREATE TABLE t (k int PRIMARY KEY, a int, b text);\n"
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	for _, tc := range []struct{ name, src, want string }{
		{"insertions", table + fill("INSERT INTO t VALUES (1, 2, 'some text');\n"), "more than 6 MB of SQL"},
		{"one statement", table + "INSERT INTO t VALUES (0, 0, 'x')" + fill(",(1, 2, 'some text')") + ";", "more than 6 MB of SQL"},
		{"comments", fill("-- a line of comment\n"), "more than 6 MB of SQL"},
		{"garbage", fill("}\x01{$'\";--(/*"), "more than 6 MB of SQL"},
		{"copied rows", table + "COPY t FROM stdin;\n" + fill("1\t2\tsome text\n") + "\\.\n" +
			"CREATE FUNCTION f(p int) RETURNS void AS $$ UPDATE t SET a = p WHERE k = 1 $$ LANGUAGE sql;\n", ""},
	} {
		t.Run(tc.name, func(t *testing.T) { hostile(t, tc.src, tc.want, 60*time.Second, 1500) })
	}
	t.Run("a file that is too large", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "large.sql")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Truncate(syntax.MaxFile+1), f.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(t.Context(), []string{file}, Options{}); err == nil || !strings.Contains(err.Error(), "must have 1024 MB at most") {
			t.Errorf("error %v", err)
		}
	})
}

// hostile parses a text, in bounded time and with bounded memory (in MB).
func hostile(t *testing.T, src, want string, limit time.Duration, memory uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	p, err := Parse([]File{{Name: "in.sql", Text: src}}, Options{})
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	if used := (after.Sys - before.Sys) >> 20; used > memory {
		t.Errorf("it takes %d MB", used)
	}
	if took > limit {
		t.Errorf("it takes %v", took)
	}
	if want == "" {
		if err != nil {
			t.Fatal(err)
		}
		if text := p.String(); len(text) > 64<<20 {
			t.Errorf("the program has %d MB", len(text)>>20)
		}
		return
	}
	var e *ir.Error
	if !errors.As(err, &e) || !e.Pos.IsValid() || !strings.Contains(e.Msg, want) || len(e.Msg) > 500 && want != "there is no table" {
		msg := fmt.Sprint(err)
		t.Errorf("error %s, want %s with a place", msg[:min(len(msg), 300)], want)
	}
}
