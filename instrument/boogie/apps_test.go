package boogie

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/instrument"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/reach"
)

// instrumented lists the applications in both modes, with no rows or one row
// per table to begin with.
func instrumented(t testing.TB, each func(name string, q *ir.Program)) {
	t.Helper()
	for _, app := range []string{"smallbank", "courseware", "auction", "fusionticket"} {
		for rows := range 2 {
			p := testprog.WithRows(testprog.Load(t, testprog.Path(t, "apps", app)), rows)
			for _, m := range modes {
				if m.name == "default" {
					continue
				}
				q, err := instrument.Rewrite(p, m.opt)
				if err != nil {
					t.Fatal(err)
				}
				each(fmt.Sprintf("%s/%s/%d-rows", app, m.name, rows), q)
			}
		}
	}
}

// TestApplications: Boogie and reach agree on applications, with two values per
// parameter and up to three transactions.
func TestApplications(t *testing.T) {
	have(t)
	if testing.Short() {
		t.Skip("half a minute")
	}
	instrumented(t, func(name string, q *ir.Program) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, decided, _, _ := agree(t, name, q, 3, Options{Rows: 3, Values: testprog.Samples}, reach.Options{}); !decided {
				t.Errorf("reach does not decide it")
			}
		})
	})
}

// TestAnyRows: from any rows, with any parameters, three transactions show
// exactly the applications that are not robust.
func TestAnyRows(t *testing.T) {
	have(t)
	if testing.Short() {
		t.Skip("several seconds")
	}
	for _, a := range testprog.Apps(t) {
		if !a.Whole() || !slices.Contains([]string{"smallbank", "courseware", "courseware-fk", "auction", "auction-nickname-unique", "fusionticket"}, a.Folder) {
			continue
		}
		t.Run(a.Folder, func(t *testing.T) {
			t.Parallel()
			p := a.Load(t)
			q, err := instrument.Rewrite(p, instrument.Options{Engine: engine.Postgres()})
			if err != nil {
				t.Fatal(err)
			}
			opt := Options{Rows: 2}
			for _, table := range p.Tables {
				opt.Any = append(opt.Any, table.Name)
			}
			text, err := Export(q, opt)
			if err != nil {
				t.Fatal(err)
			}
			fails, ok, _, said := verify(t, text, "3", 5*time.Minute)
			if !ok || fails == a.Robust() {
				t.Errorf("it is %s, but Boogie says\n%s", a.Verdict, said)
			}
		})
	}
}

// BenchmarkBoogie decides the applications with reach and with Boogie, for
// executions of up to three transactions, and prints the milliseconds of both.
func BenchmarkBoogie(b *testing.B) {
	have(b)
	instrumented(b, func(name string, q *ir.Program) {
		b.Run(name, func(b *testing.B) {
			var ours, theirs time.Duration
			for b.Loop() {
				_, _, x, y := agree(b, name, q, 3, Options{Rows: 3, Values: testprog.Samples}, reach.Options{})
				ours, theirs = ours+x, theirs+y
			}
			b.ReportMetric(float64(ours.Microseconds())/1000/float64(b.N), "reach-ms/op")
			b.ReportMetric(float64(theirs.Microseconds())/1000/float64(b.N), "boogie-ms/op")
		})
	})
}

// BenchmarkLitmus does the same with all litmus programs, in classic mode.
func BenchmarkLitmus(b *testing.B) {
	have(b)
	for b.Loop() {
		var ours, theirs time.Duration
		for _, l := range testprog.LitmusPrograms(b) {
			p := l.Program(b)
			q, err := instrument.Rewrite(p, instrument.Options{Classic: true})
			if err != nil {
				b.Fatal(err)
			}
			_, _, x, y := agree(b, l.File, q, transactions(p), Options{Rows: 4}, reach.Options{})
			ours, theirs = ours+x, theirs+y
		}
		b.ReportMetric(float64(ours.Microseconds())/1000, "reach-ms")
		b.ReportMetric(float64(theirs.Microseconds())/1000, "boogie-ms")
	}
}
