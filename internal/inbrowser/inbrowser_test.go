package inbrowser

import (
	"context"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/demo"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/report"
)

// withoutZ3 takes Z3 away, as it is on a page without one.
func withoutZ3(t *testing.T) {
	t.Setenv(smt.ProgramVar, "/nowhere/z3")
}

func checked(t *testing.T, r Request) Answer {
	t.Helper()
	return Check(t.Context(), r, func(string) {})
}

// isolations are the levels of scenes in a Request.
var isolations = map[levels.Level]string{levels.ReadCommitted: levels.AtReadCommitted, levels.RepeatableRead: levels.AtRepeatableRead, levels.Serializable: levels.AtSerializable}

// request asks about the files of a scene.
func request(c demo.Change) Request {
	r := Request{Level: isolations[c.Level]}
	for _, f := range c.Files {
		r.SQL += f.Text + "\n"
	}
	return r
}

// TestScenes: without Z3 the anomaly of every scene is found, and of a change that repairs it
// nothing is found and nothing is proved.
func TestScenes(t *testing.T) {
	for _, name := range demo.Names() {
		s, err := demo.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range append([]demo.Change{{Level: s.Level, Files: s.Files}}, s.Changes...) {
			t.Run(name+"/"+c.Name, func(t *testing.T) {
				r := request(c)
				proved := checked(t, r)
				withoutZ3(t)
				a := checked(t, r)
				t.Log(a.Verdict, a.Summary, proved.Summary)
				if a.Error != "" || a.Verdict == report.Robust || strings.Contains(a.Summary, "Robust") || a.Proves || len(a.Transactions) == 0 {
					t.Fatalf("without Z3: %s %s %s", a.Verdict, a.Summary, a.Error)
				}
				if !strings.HasPrefix(a.Page, "<!DOCTYPE html>") || strings.Contains(a.Page, "Why it is robust") {
					t.Errorf("the page is %.200s", a.Page)
				}
				if proved.Verdict == report.NotRobust && a.Verdict != report.NotRobust {
					t.Errorf("with Z3 an anomaly is found, without it the answer is %s", a.Summary)
				}
				if proved.Verdict == report.Robust && a.Verdict != report.Unknown {
					t.Errorf("the program is proved, but without Z3 the answer is %s", a.Summary)
				}
			})
		}
	}
}

const oncall = `CREATE TABLE doctor (name text PRIMARY KEY, shift int NOT NULL, on_call bool NOT NULL);

CREATE PROCEDURE leave(who text, which int) LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM doctor WHERE shift = which AND on_call) >= 2 THEN
    UPDATE doctor SET on_call = false WHERE name = who AND shift = which;
  END IF;
END $$;
`

// TestLevels: the level of a single transaction counts, and one of a transaction that is not
// there does not.
func TestLevels(t *testing.T) {
	for _, c := range []struct {
		r    Request
		want report.Verdict
	}{
		{Request{SQL: oncall, Level: "rr"}, report.NotRobust},
		{Request{SQL: oncall, Level: "rc"}, report.NotRobust},
		{Request{SQL: oncall, Level: "serializable"}, report.Robust},
		{Request{SQL: oncall, Level: "rr", Levels: map[string]string{"leave": "serializable", "gone": "rc"}}, report.Robust},
		{Request{SQL: oncall, Level: "serializable", Levels: map[string]string{"leave": "rr"}}, report.NotRobust},
	} {
		if a := checked(t, c.r); a.Verdict != c.want {
			t.Errorf("%s %v: %s %s, want %s", c.r.Level, c.r.Levels, a.Verdict, a.Error, c.want)
		}
	}
}

// TestFaults: what cannot be read is told with its place.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		r    Request
		want string
		line int
	}{
		{Request{SQL: oncall + "SELECT 1 FORM doctor;\n"}, "program.sql:9:", 9},
		{Request{SQL: "CREATE TABLE t (a int);"}, "program.sql: there is no transaction", 0},
		{Request{SQL: ""}, "there is no transaction", 0},
		{Request{SQL: strings.Repeat(" ", MaxText+1)}, "bytes", 0},
		{Request{SQL: oncall, Level: "chaos"}, `"chaos"`, 0},
		{Request{SQL: oncall, Levels: map[string]string{"leave": "chaos"}}, `"chaos"`, 0},
		{Request{SQL: "\\include /etc/passwd\n" + oncall}, "program.sql:1:", 1},
	} {
		a := checked(t, c.r)
		if a.Verdict != "" || a.Page != "" || !strings.Contains(a.Error, c.want) || a.Line != c.line {
			t.Errorf("%.40q: %s %q at line %d, want %q at line %d", c.r.SQL, a.Verdict, a.Error, a.Line, c.want, c.line)
		}
	}
}

// TestTime: where the time has run out, nothing is known.
func TestTime(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	withoutZ3(t)
	a := Check(ctx, Request{SQL: oncall, Level: "rr"}, func(string) {})
	if a.Verdict != report.Unknown || !strings.Contains(a.Summary, "time ran out") {
		t.Errorf("%s %s %s", a.Verdict, a.Summary, a.Error)
	}
}
