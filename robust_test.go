package robust_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir/irtext"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// TestLitmus compares all verdicts on litmus programs with the known ones.
// They are decided: unknown is wrong here.
func TestLitmus(t *testing.T) {
	for _, l := range testprog.LitmusPrograms(t) {
		for mode, question := range map[string]robust.Question{"classic": {Classic: true}, "default": {}, "postgres": {Engine: engine.Postgres()}} {
			p := l.Program(t)
			question.Init = robust.FileRows
			rep, err := robust.Check(t.Context(), p, robust.Options{Question: question})
			if err != nil {
				t.Fatalf("%s: %v", l.File, err)
			}
			if string(rep.Verdict) != l.Want[mode] {
				t.Errorf("%s %s: %s, want %s", mode, l.File, rep.Verdict, l.Want[mode])
			}
			if (rep.Verdict == robust.Robust) != (rep.Proof != nil) || (rep.Verdict == robust.NotRobust) != (len(rep.Findings) > 0) {
				t.Errorf("%s %s: the report does not say why", mode, l.File)
			}
			validated(t, rep)
		}
	}
}

// otherCycles are the programs of which elle names another cycle than the witness does,
// with the reason.
var otherCycles = map[string]string{
	"s1_values":  "versions with equal values make a shorter one",
	"s2_lock":    "two of the three suffice by versions, and have a serial outcome by values",
	"undone_key": "no cycle explains it: a constraint alone saw two states",
}

// validated makes sure that all checkers of histories have decided what they were
// asked about the findings of a report, and agree, and that elle names the cycle.
func validated(t *testing.T, rep *robust.Report) {
	t.Helper()
	findings := rep.Findings
	if rep.ReadCommitted != nil {
		findings = slices.Concat(findings, rep.ReadCommitted.Findings)
	}
	for _, f := range findings {
		said := map[string]bool{}
		for _, j := range f.Validation {
			if j.Verdict != j.Expected {
				t.Errorf("%s, %s: %s", rep.Program, f.Kind, &j)
			}
			said[j.Checker] = true
			var cycle []string
			for _, e := range f.Edges {
				cycle = append(cycle, e.From)
			}
			slices.Sort(cycle)
			if named := slices.Sorted(slices.Values(j.Transactions)); j.Checker == "elle" && !slices.Equal(named, cycle) &&
				otherCycles[strings.ReplaceAll(rep.Program, "-", "_")] == "" {
				t.Errorf("%s, %s of %v: elle names %s of %v", rep.Program, f.Kind, cycle, j.Anomaly, named)
			}
		}
		for _, j := range crosscheck.Judges() {
			if !said[j.Name] {
				t.Errorf("%s, %s: %s was not asked", rep.Program, f.Kind, j.Name)
			}
		}
	}
}

// TestReadCommitted: findings at READ COMMITTED are validated, too.
func TestReadCommitted(t *testing.T) {
	var replays replaytest.Tally
	for _, app := range []string{"smallbank", "courseware"} {
		p := testprog.Load(t, testprog.Path(t, "apps", app))
		rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres(), Isolation: "rc"}})
		if err != nil {
			t.Fatal(err)
		}
		if len(rep.Findings) == 0 {
			t.Errorf("%s: nothing was found", app)
		}
		validated(t, rep)
		replays.Report(t, rep, "a client cannot stop the function")
	}
	t.Logf("replays: %s", &replays)
}

// TestProcesses proves and refutes litmus programs that cannot be interpreted
// to the end.
func TestProcesses(t *testing.T) {
	for _, tc := range []struct {
		name, src string
		opt       robust.Options
		want      report.Verdict
	}{
		{"any number of sessions, robust", "program p\nvar x = 0\nprocess p[*] { txn t { r := x; x := r + 1 } }", robust.Options{Question: robust.Question{Init: robust.FileRows}}, robust.Robust},
		{"any number of sessions, write skew", "program p\nvar x = 0, y = 0\nprocess p[*] { txn t { r := x; y := r + 1 } }\nprocess q[*] { txn u { r := y; x := r + 1 } }",
			robust.Options{Question: robust.Question{Init: robust.FileRows}}, robust.NotRobust},
		{"any number of sessions, classic", "program p\nvar x = 0\nprocess p[*] { txn t { r := x; x := 1 } }", robust.Options{Question: robust.Question{Init: robust.FileRows, Classic: true}}, robust.Robust},
		{"any initial values", "program p\nvar x = 0, y = 0\nprocess p { txn t { r := x; if r == 5 { y := 1 } } }\nprocess q { txn u { r := y; x := 1 } }",
			robust.Options{Question: robust.Question{Init: robust.AnyRows}}, robust.NotRobust},
		{"those of the file", "program p\nvar x = 0, y = 0\nprocess p { txn t { r := x; if r == 5 { y := 1 } } }\nprocess q { txn u { r := y; x := 1 } }",
			robust.Options{Question: robust.Question{Init: robust.FileRows}}, robust.Robust},
	} {
		p, err := irtext.Parse("test", tc.src)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		rep, err := robust.Check(ctx, p, tc.opt)
		cancel()
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if rep.Verdict != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, rep.Verdict, tc.want)
		}
	}
}

// TestApplications checks every line of the applications and traps. Whatever
// is decided must be right; and all must be decided but those that are beyond what
// is modelled.
func TestApplications(t *testing.T) {
	var replays replaytest.Tally
	open := map[string]string{
		"s1-values run_p,run_o,run_i": "equal values", "s1-values run_p,run_i,run_x": "equal values",
	}
	for _, app := range testprog.Apps(t) {
		t.Run(app.String(), func(t *testing.T) {
			if testing.Short() && strings.HasPrefix(app.Folder, "tpcc-") {
				t.Skip("a large application: a short run leaves it out")
			}
			why := open[app.Folder] + open[app.Folder+" "+app.Txns]
			limit := 10 * time.Minute
			if why != "" {
				limit = 3 * time.Second
			}
			p := app.Load(t)
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			rep, err := robust.Check(ctx, p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case rep.Verdict == robust.Unknown && why != "":
				t.Logf("unknown (%s): %s", why, rep.Open.Reason)
			case string(rep.Verdict) != app.Verdict:
				t.Errorf("%s, want %s", rep.Verdict, app.Verdict)
			case rep.Verdict == robust.NotRobust && app.Anomaly != "-" && string(rep.Findings[0].Kind) != app.Anomaly:
				t.Errorf("%s, want %s", rep.Findings[0].Kind, app.Anomaly)
			}
			validated(t, rep)
			replays.Report(t, rep, "")
		})
	}
	t.Logf("replays: %s", &replays)
}

// TestValues checks pairs of transactions that are a write skew only where two texts
// mean one value, and their twins with texts that mean different ones.
func TestValues(t *testing.T) {
	for _, pair := range testprog.Values(t) {
		t.Run(pair.Txns, func(t *testing.T) {
			rep, err := robust.Check(t.Context(), pair.Load(t), robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
			if err != nil {
				t.Fatal(err)
			}
			if string(rep.Verdict) != pair.Verdict {
				t.Errorf("%s, want %s", rep.Verdict, pair.Verdict)
			}
			validated(t, rep)
		})
	}
}

// TestProcessors: the report does not depend on how many processors there are.
func TestProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, app := range []string{"smallbank", "smallbank-promote-bw", "courseware", "playlist-deletetrack", "tpcc", "tpcc-extended-count"} {
		var reports [3]bytes.Buffer
		for i := range reports {
			runtime.GOMAXPROCS(i + 1)
			p := testprog.Load(t, testprog.Path(t, "apps", app))
			rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}, Output: robust.Output{Graph: true}})
			if err != nil {
				t.Fatal(err)
			}
			rep.Stats = report.Stats{} // what others had begun when an anomaly was found counts there
			for _, f := range rep.Findings {
				for k := range f.Validation {
					f.Validation[k].MS = 0
				}
			}
			if err := report.JSON(&reports[i], rep); err != nil {
				t.Fatal(err)
			}
			if i > 0 && !bytes.Equal(reports[0].Bytes(), reports[i].Bytes()) {
				one, more := strings.Split(reports[0].String(), "\n"), strings.Split(reports[i].String(), "\n")
				for k := range min(len(one), len(more)) {
					if one[k] != more[k] {
						t.Errorf("%s: line %d is %q with one processor, and %q with %d", app, k+1, one[k], more[k], i+1)
						break
					}
				}
			}
		}
	}
}

// TestScripts checks the applications whose transactions are psql and pgbench
// scripts, or queries with parameters. Nothing in them is left out, and a server
// does what is found in them at both levels.
func TestScripts(t *testing.T) {
	var replays replaytest.Tally
	for _, s := range testprog.Scripts(t) {
		p := s.Load(t)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		rep, err := robust.Check(ctx, p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
		cancel()
		if err != nil {
			t.Fatalf("%s: %v", s.Folder, err)
		}
		if string(rep.Verdict) != s.Verdict {
			t.Errorf("%s: %s, want %s", s.Folder, rep.Verdict, s.Verdict)
		}
		if len(p.Notes)+len(rep.Havocs) > 0 {
			t.Errorf("%s: %v %v are not modelled", s.Folder, p.Notes, rep.Havocs)
		}
		validated(t, rep)
		replays.Report(t, rep, "")
		for _, f := range rep.Findings {
			if string(f.Kind) != s.Anomaly {
				t.Errorf("%s: %s, want %s", s.Folder, f.Kind, s.Anomaly)
			}
		}
		if rep, err = robust.Check(t.Context(), s.Load(t), robust.Options{Question: robust.Question{Engine: engine.Postgres(), Isolation: "rc"}}); err != nil {
			t.Fatalf("%s: %v", s.Folder, err)
		}
		replays.Report(t, rep, "")
	}
	t.Logf("replays: %s", &replays)
}

// TestTruncate: a reader on a snapshot from before a TRUNCATE finds the table
// empty, and a row that the same transaction changed as it was. With DELETE it
// does not.
func TestTruncate(t *testing.T) {
	const schema = `CREATE TABLE x (id int PRIMARY KEY, v int NOT NULL);
		CREATE TABLE log (id int PRIMARY KEY);
		CREATE FUNCTION clean() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
			UPDATE x SET v = v + 1 WHERE id = 1;
			IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF; -- so that two of them exclude each other
			%s;
		END $$;
		-- name: look
		BEGIN;
		SELECT v FROM x WHERE id = 1;
		SELECT count(*) FROM log;
		COMMIT;`
	for _, tc := range []struct {
		empty string
		want  report.Verdict
	}{
		{"TRUNCATE log", robust.Unknown},
		{"DELETE FROM log", robust.Robust},
	} {
		text := fmt.Sprintf(schema, tc.empty)
		p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "log.sql", Text: text}}, sqlmodel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Verdict != tc.want {
			t.Errorf("%s: %s, want %s", tc.empty, rep.Verdict, tc.want)
		}
	}
}

// TestOtherEngines: for an engine that excludes more than its profile says there
// are proofs, and findings are suspected; for one that is not at snapshot isolation,
// executions are those of InnoDB. What locks all that it sees is proved on both.
func TestOtherEngines(t *testing.T) {
	const (
		skew  = "program p\nvar x = 0, y = 0\nprocess p1 { txn t { r := x; y := r + 1 } }\nprocess p2 { txn u { r := y; x := r + 1 } }"
		incr  = "program p\nvar x = 0\nprocess p[*] { txn t { r := x; x := r + 1 } }"
		equal = "program p\nvar x = 1, y = 2\nprocess p1 { txn t { x := 1; y := 1 } }\nprocess p2 { txn u { x := 2; y := 2 } }"
		lock  = "program p\ntable t (k int, v int, key (k))\ntxn f { lock t in exclusive; update t set v = 1 where t.k == 1 }"
		save  = "program p\nvar x = 0\nprocess p1 { txn t { savepoint s; x := 1; rollback to s } }"
		ifNot = "program p\ntable t (k int, v int, key (k))\ntxn f { insert t (k, v) values (1, 1) on conflict do nothing }"
	)
	for _, tc := range []struct {
		src  string
		want map[string]report.Verdict
	}{
		{skew, map[string]report.Verdict{"si": robust.NotRobust, "mariadb": robust.NotRobust, "mariadb-off": robust.NotRobust, "mysql": robust.NotRobust}},
		{incr, map[string]report.Verdict{"si": robust.Robust, "mariadb": robust.Robust, "mariadb-off": robust.NotRobust, "mysql": robust.NotRobust}},
		{equal, map[string]report.Verdict{"si": robust.Robust, "mariadb": robust.Robust}},
		{lock, map[string]report.Verdict{"postgres": robust.Robust, "mariadb": robust.Unknown}},
		{save, map[string]report.Verdict{"postgres": robust.Robust, "mariadb": robust.Unknown}},
		{ifNot, map[string]report.Verdict{"postgres": robust.Robust, "mariadb": robust.Robust}},
	} {
		for name, want := range tc.want {
			p, err := irtext.Parse("test", tc.src)
			if err != nil {
				t.Fatal(err)
			}
			rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.ByName(name), Init: robust.FileRows}})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Verdict != want || (want == robust.Unknown) != (rep.Open != nil) || (want == robust.NotRobust) != (len(rep.Confirmed()) > 0) {
				t.Errorf("%s: %s, want %s\n%s", name, rep.Verdict, want, tc.src)
			}
		}
	}
}

// TestFaults: an input that is wrong is an error, and an end that comes early
// is not.
func TestFaults(t *testing.T) {
	src := "program p\ntable t (k int, v int not null, key (k))\ninvariant (t r) r.v >= 0\ntxn f(k int not null) { update t set v = t.v - 1 where t.k == k }\n"
	p, err := irtext.Parse("test", src)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := robust.Check(t.Context(), p, robust.Options{}); err == nil || !strings.Contains(err.Error(), "test:3:") {
		t.Errorf("an invariant that is not inductive: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p, err = sqlmodel.Load(t.Context(), []string{"testdata/apps/smallbank"}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := robust.Check(ctx, p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
	if err != nil || rep.Verdict != robust.Unknown || !strings.Contains(rep.Open.Reason, "interrupted") {
		t.Errorf("interrupted: %+v, %v", rep, err)
	}
}
