package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

const shelf = `CREATE TABLE item (id int PRIMARY KEY, state int NOT NULL, qty int NOT NULL, cap int NOT NULL);
CREATE FUNCTION take(i int) RETURNS void LANGUAGE sql AS 'UPDATE item SET qty = qty + 1 WHERE id = i AND qty < cap';
CREATE FUNCTION alarm(i int, j int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM item WHERE id = i AND qty > cap) THEN
    UPDATE item SET state = 1 WHERE id = j;
  END IF;
END $$;
CREATE FUNCTION grow(i int, j int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM item WHERE id = i AND state = 7) THEN
    UPDATE item SET cap = cap + 1 WHERE id = j;
  END IF;
END $$;
`

func advised(t *testing.T, sql string, opt Options) *report.Report {
	t.Helper()
	opt.Explain, opt.Advise = true, true
	return checked(t, sql, opt)
}

func checked(t *testing.T, sql string, opt Options) *report.Report {
	t.Helper()
	p, err := sqlmodel.Parse([]input.File{{Name: "app.sql", Text: sql}}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opt.Engine = engine.Postgres()
	rep, err := Check(t.Context(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// pasted gives the lines that are advised for the schema, each list as a text.
func pasted(r *report.Report) (out []string) {
	for _, a := range r.Explanation.Advice {
		if a.Kind == codes.AdviceInvariant {
			out = append(out, strings.Join(a.Paste, "\n"))
		}
	}
	return out
}

// TestAdvisedInvariants: facts that are advised make the program robust where they are pasted, with -strict as
// well. A fact that some transaction breaks is not advised.
func TestAdvisedInvariants(t *testing.T) {
	for _, opt := range []Options{{}, {Strict: true}} {
		rep := advised(t, shelf, opt)
		lines := pasted(rep)
		if rep.Verdict != report.NotRobust || len(lines) == 0 || !slices.Contains(lines, "-- invariant: item.qty <= item.cap") {
			t.Fatalf("strict %v: %s, advised are %q", opt.Strict, rep.Verdict, lines)
		}
		for _, text := range lines {
			if after := checked(t, text+"\n"+shelf, opt); after.Verdict != report.Robust {
				t.Errorf("strict %v: with\n%s\nit is %s", opt.Strict, text, after.Verdict)
			}
		}
	}
	breaking := shelf + "CREATE FUNCTION shrink(i int) RETURNS void LANGUAGE sql AS 'UPDATE item SET cap = cap - 1 WHERE id = i';\n"
	for _, text := range pasted(advised(t, breaking, Options{})) {
		if strings.Contains(text, "item.qty <= item.cap") {
			t.Errorf("shrink breaks what is advised: %s", text)
		}
	}
}

// TestAdvisedTogether: facts that no row can satisfy together are not advised, though an empty table keeps them.
func TestAdvisedTogether(t *testing.T) {
	rep := advised(t, `CREATE TABLE duty (id int PRIMARY KEY, off int NOT NULL);
CREATE FUNCTION leave(i int, j int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT off FROM duty WHERE id = j) = 7 THEN
    UPDATE duty SET off = 1 WHERE id = i;
  END IF;
END $$;
`, Options{})
	for _, text := range pasted(rep) {
		if strings.Contains(text, ">= 7") && strings.Contains(text, "<= 1") {
			t.Errorf("no row has what is advised:\n%s", text)
		}
	}
	if rep.Verdict == report.NotRobust && len(pasted(rep)) == 0 {
		t.Error("nothing is advised")
	}
}

// TestCauses: what statements cost is found out by leaving them out, each by itself and all together, and those that keep
// nothing open by themselves are said to.
func TestCauses(t *testing.T) {
	const one = `CREATE TABLE a (id int PRIMARY KEY, v int NOT NULL);
CREATE TABLE l (id int PRIMARY KEY, v int NOT NULL);
CREATE FUNCTION f(i int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'UPDATE a SET v = ' || (SELECT min(v)::text FROM l);
END $$;
CREATE FUNCTION h(i int) RETURNS void LANGUAGE sql AS 'UPDATE a SET v = v + 1 WHERE id = i';
`
	const other = `CREATE FUNCTION g(i int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'UPDATE l SET v = ' || (SELECT min(v)::text FROM a);
END $$;
`
	results := func(sql string) (out []string) {
		for _, a := range advised(t, sql, Options{}).Explanation.Advice {
			if a.Kind == codes.AdviceStatement {
				out = append(out, a.Result)
			}
		}
		return out
	}
	if got := results(one); len(got) != 1 || !strings.HasPrefix(got[0], "if it did nothing, 2 of 2 undecided transactions") {
		t.Errorf("one statement: %q", got)
	}
	got := results(one + other)
	if len(got) != 3 || !strings.HasPrefix(got[2], "if they did nothing, 3 of 3 undecided transactions") {
		t.Fatalf("two statements: %q", got)
	}
	for _, s := range got[:2] {
		if strings.Contains(s, "3 of 3") {
			t.Errorf("one of two statements alone: %s", s)
		}
	}
}

// TestExplainedFindings: each dependency by which something is missed is a stale read with both places.
func TestExplainedFindings(t *testing.T) {
	rep := advised(t, shelf, Options{})
	if len(rep.Findings) == 0 {
		t.Fatal("there is no finding")
	}
	for _, f := range rep.Findings {
		if len(f.Stale) == 0 || f.NoOrder == "" {
			t.Errorf("%s is not explained", f.Title())
		}
		for _, s := range f.Stale {
			if s.Line == 0 || !strings.Contains(s.Text, fmt.Sprintf("app.sql:%d:%d", s.Line, s.Col)) {
				t.Errorf("%+v", s)
			}
		}
	}
}
