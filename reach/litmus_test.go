package reach

import (
	"context"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/instrument"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/ir/irtext"
)

// rewritten instruments p and checks that the result prints and parses back.
func rewritten(t testing.TB, p *ir.Program, opt instrument.Options) *instrument.Result {
	t.Helper()
	r, err := instrument.Instrument(p, opt)
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	text := r.Program.String()
	back, err := irtext.Parse("instrumented", text)
	if err != nil {
		t.Fatalf("%s: the instrumented program does not parse: %v\n%s", p.Name, err, text)
	}
	if back.String() != text {
		t.Fatalf("%s: printed and parsed back, the instrumented program is another one", p.Name)
	}
	return r
}

func rewrite(t testing.TB, p *ir.Program, opt instrument.Options) *ir.Program {
	t.Helper()
	return rewritten(t, p, opt).Program
}

func verdict(v Verdict) string {
	return [...]string{Unreachable: "robust", Reached: "not-robust", BoundHit: "unknown"}[v]
}

// TestLitmus compares the verdict of the instrumentation with the known ones.
// Classic at si must be equal. In the other modes what is reached must be
// real; what is known to have no one-delayed execution is listed.
func TestLitmus(t *testing.T) {
	missed := map[string]bool{
		// S1: two delayed transactions. Without rows (s1-values) the classic
		// verdict is exact.
		"classic s1-columns.litmus": true,
		"default s1-columns.litmus": true, "default s1-values.litmus": true,
		"postgres s1-columns.litmus": true, "postgres s1-values.litmus": true,
		// S2: balance commits after write_check, on an older snapshot.
		"postgres s2-lock.litmus": true,
		// Zero commits only because free let its key go.
		"classic freed-unique.litmus": true,
		// What is rolled back is no read and no write.
		"default undone-key.litmus": true, "postgres undone-key.litmus": true,
	}
	for _, l := range testprog.LitmusPrograms(t) {
		p := l.Program(t)
		for mode, want := range l.Want {
			opt := instrument.Options{Classic: mode == "classic"}
			if mode == "postgres" {
				opt.Engine = engine.Postgres()
			}
			inst := rewritten(t, p, opt)
			e := opt.Engine
			if e == nil {
				e = engine.SI()
			}
			real := func(trace []Step) bool {
				return confirmed(interp.NewMachine(p, e), inst, p, trace, opt.Classic)
			}
			search := Options{}
			if !opt.Classic {
				search.Accept = real // by values, a claim may not be real
			}
			r := Explore(context.Background(), inst.Program, search)
			if r.Verdict == Reached && !real(r.Trace) {
				t.Errorf("%s %s: %s is no anomaly", mode, l.File, names(r.Trace))
			}
			got := verdict(r.Verdict)
			if r.Verdict == BoundHit {
				t.Errorf("%s %s: bound hit: %s", mode, l.File, r.Reason)
			}
			switch {
			case got == want && missed[mode+" "+l.File]:
				t.Errorf("%s %s: found, though listed as missed", mode, l.File)
			case got != want && !(missed[mode+" "+l.File] && got == "robust"):
				t.Errorf("%s %s: %s (%v), want %s", mode, l.File, got, r.Trace, want)
			}
		}
	}
}

// TestLitmusExplore makes sure that exhaustive interpretation agrees.
func TestLitmusExplore(t *testing.T) {
	for _, l := range testprog.LitmusPrograms(t) {
		if l.File == "s1-columns.litmus" || l.File == "freed-unique.litmus" {
			continue // needs two delayed transactions; a unique key
		}
		given := l.Program(t)
		m := interp.NewMachine(given, engine.SI())
		r := m.Explore(context.Background(), interp.Sessions(given, 2), interp.InitialDB(given), interp.Options{Classic: true})
		p := rewrite(t, given, instrument.Options{Classic: true})
		q := Explore(context.Background(), p, Options{})
		// Some transaction is the attacker, or none.
		some := false
		for _, txn := range given.Txns {
			one := rewrite(t, given, instrument.Options{Classic: true, Attacker: txn.Name})
			some = some || Explore(context.Background(), one, Options{}).Verdict == Reached
		}
		if some != (q.Verdict == Reached) {
			t.Errorf("%s: one attacker at a time: reached = %v, but all together %v", l.File, some, q.Verdict)
		}
		// The printed program is the program.
		printed, err := irtext.Parse("printed", p.String())
		if err != nil {
			t.Fatal(err)
		}
		if again := Explore(context.Background(), printed, Options{}); again.Verdict != q.Verdict || again.States != q.States {
			t.Errorf("%s: printed and read back: %v with %d states, not %v with %d", l.File, again.Verdict, again.States, q.Verdict, q.States)
		}
		if (r.Verdict == interp.Anomalous) != (q.Verdict == Reached) {
			t.Errorf("%s: interpretation says %v, reachability %v", l.File, r.Verdict, q.Verdict)
		}
	}
}

func BenchmarkLitmus(b *testing.B) {
	for _, l := range testprog.LitmusPrograms(b) {
		p := rewrite(b, l.Program(b), instrument.Options{Classic: true})
		b.Run(strings.TrimSuffix(l.File, ".litmus"), func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				Explore(context.Background(), p, Options{})
			}
		})
	}
}
