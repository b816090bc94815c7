package robust_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/schedules"
	"github.com/txrobust/robust/sqlmodel"
)

var full = flag.Bool("full", false, "wait for the applications that take long")

// table reads a VERDICTS.tsv without its header.
func table(t testing.TB, dir string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", dir, "VERDICTS.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for _, l := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		out = append(out, strings.Split(l, "\t"))
	}
	return out
}

// TestLitmus compares all verdicts on litmus programs with the known ones.
// They are decided: unknown is wrong here.
func TestLitmus(t *testing.T) {
	for _, f := range table(t, "litmus") {
		src, err := os.ReadFile(filepath.Join("testdata", "litmus", f[0]))
		if err != nil {
			t.Fatal(err)
		}
		for i, opt := range []robust.Options{{Classic: true}, {}, {Engine: engine.Postgres()}} {
			p, err := ir.Parse(f[0], string(src))
			if err != nil {
				t.Fatal(err)
			}
			opt.Init = schedules.FileRows
			rep, err := robust.Check(t.Context(), p, opt)
			if err != nil {
				t.Fatalf("%s: %v", f[0], err)
			}
			if string(rep.Verdict) != f[1+i] {
				t.Errorf("%s %+v: %s, want %s", f[0], opt, rep.Verdict, f[1+i])
			}
			if (rep.Verdict == robust.Robust) != (rep.Proof != nil) || (rep.Verdict == robust.NotRobust) != (len(rep.Findings) == 1) {
				t.Errorf("%s %+v: the report does not say why", f[0], opt)
			}
		}
	}
}

// TestProcesses proves and refutes litmus programs that cannot be interpreted
// to the end.
func TestProcesses(t *testing.T) {
	for _, tc := range []struct {
		name, src string
		opt       robust.Options
		want      report.Verdict
	}{
		{"any number of sessions, robust", "program p\nvar x = 0\nprocess p[*] { txn t { r := x; x := r + 1 } }", robust.Options{Init: schedules.FileRows}, robust.Robust},
		{"any number of sessions, write skew", "program p\nvar x = 0, y = 0\nprocess p[*] { txn t { r := x; y := r + 1 } }\nprocess q[*] { txn u { r := y; x := r + 1 } }",
			robust.Options{Init: schedules.FileRows}, robust.NotRobust},
		{"any number of sessions, classic", "program p\nvar x = 0\nprocess p[*] { txn t { r := x; x := 1 } }", robust.Options{Init: schedules.FileRows, Classic: true}, robust.Robust},
		{"any initial values", "program p\nvar x = 0, y = 0\nprocess p { txn t { r := x; if r == 5 { y := 1 } } }\nprocess q { txn u { r := y; x := 1 } }",
			robust.Options{Init: schedules.AnyRows}, robust.NotRobust},
		{"those of the file", "program p\nvar x = 0, y = 0\nprocess p { txn t { r := x; if r == 5 { y := 1 } } }\nprocess q { txn u { r := y; x := 1 } }",
			robust.Options{Init: schedules.FileRows}, robust.Robust},
	} {
		p, err := ir.Parse("test", tc.src)
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
	open := map[string]string{
		"s3-cascade":                  "actions of foreign keys are not modelled",
		"s3-cascade-lock":             "actions of foreign keys are not modelled",
		"s1-values run_p,run_o,run_i": "equal values", "s1-values run_p,run_i,run_x": "equal values",
	}
	for _, dir := range []string{"apps", "traps"} {
		for _, f := range table(t, dir) {
			folder, txns, want := f[0], f[1], f[2]
			t.Run(dir+"/"+folder+"/"+txns, func(t *testing.T) {
				var opt sqlmodel.Options
				if txns != "*" {
					opt.Txns = strings.Split(txns, ",")
				}
				p, err := sqlmodel.Load(t.Context(), []string{filepath.Join("testdata", dir, folder)}, opt)
				if err != nil {
					t.Fatal(err)
				}
				why := open[folder] + open[folder+" "+txns]
				limit := 10 * time.Minute
				if why != "" && !*full {
					limit = 3 * time.Second
				}
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				rep, err := robust.Check(ctx, p, robust.Options{Engine: engine.Postgres()})
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case rep.Verdict == robust.Unknown && why != "":
					t.Logf("unknown (%s): %s", why, rep.Open.Reason)
				case string(rep.Verdict) != want:
					t.Errorf("%s, want %s", rep.Verdict, want)
				case rep.Verdict == robust.NotRobust && f[3] != "-" && string(rep.Findings[0].Kind) != f[3]:
					t.Errorf("%s, want %s", rep.Findings[0].Kind, f[3])
				}
			})
		}
	}
}

// TestFaults: an input that is wrong is an error, and an end that comes early
// is not.
func TestFaults(t *testing.T) {
	src := "program p\ntable t (k int, v int not null, key (k))\ninvariant (t r) r.v >= 0\ntxn f(k int not null) { update t set v = t.v - 1 where t.k == k }\n"
	p, err := ir.Parse("test", src)
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
	rep, err := robust.Check(ctx, p, robust.Options{Engine: engine.Postgres()})
	if err != nil || rep.Verdict != robust.Unknown || !strings.Contains(rep.Open.Reason, "interrupted") {
		t.Errorf("interrupted: %+v, %v", rep, err)
	}
}
