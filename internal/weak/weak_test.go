package weak_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/weak"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir/irtext"
)

func parse(t *testing.T, text string) *ir.Program {
	t.Helper()
	p, err := irtext.Parse("test.litmus", text)
	if err != nil {
		t.Fatal(err)
	}
	wellformed.Structure(p)
	return p
}

// allowed gives the models in which some execution of a finite program has an outcome of no
// serial order. Each such execution is replayed, and its history judged.
func allowed(t *testing.T, p *ir.Program) string {
	t.Helper()
	if why := weak.Beyond(p); why != "" {
		t.Fatalf("%s: %s", p.Name, why)
	}
	var out []string
	for _, m := range weak.Models() {
		sessions := interp.Sessions(p, 2)
		r := weak.Explore(t.Context(), p, m, sessions, interp.InitialDB(p), weak.Options{})
		proof := weak.Prove(p, m, weak.ProveOptions{})
		switch r.Verdict {
		case interp.Serializable:
		case interp.Anomalous:
			out = append(out, m.String())
			confirm(t, p, m, sessions, r.Anomaly, false)
			if proof.Robust {
				t.Errorf("%s: proved for %s, but there is an anomaly", p.Name, m.Long())
			}
		case interp.Undecided:
			t.Errorf("%s: %s: %s", p.Name, m, r.Reason)
		}
	}
	return strings.Join(out, " ")
}

// confirm replays an anomaly and asks the checkers of histories.
func confirm(t *testing.T, p *ir.Program, m weak.Model, sessions []interp.Session, x *interp.Execution, anyOrder bool) {
	t.Helper()
	f := weak.Found{Sessions: sessions, Execution: x}
	for i := range p.Tables {
		f.Rows = append(f.Rows, x.Versions[0].Rows(i))
	}
	w, judged, err := f.Confirm(context.Background(), p, m, anyOrder, crosscheck.Judges())
	if err != nil {
		t.Errorf("%s: %s: %v\n%s", p.Name, m, err, p)
		return
	}
	if len(w.Schedule) < 2*len(x.Txns) || len(w.Serial) == 0 {
		t.Errorf("%s: %s: the witness says too little: %v", p.Name, m, w)
	}
	if !slices.ContainsFunc(judged, func(j crosscheck.Judgement) bool { return j.Level == "SER" && j.Verdict == "reject" }) {
		t.Errorf("%s: %s: no checker rejects the history at SER", p.Name, m)
	}
}

// TestPublished decides programs whose verdicts the definitions of the models are known by
// (Cerone, Bernardi and Gotsman, CONCUR 2015, figure 2; Beillahi, Bouajjani and Enea, ESOP
// 2021, figure 2), and repaired twins.
func TestPublished(t *testing.T) {
	for _, c := range []struct{ name, text, allowed string }{
		{"long fork", `program p
			var x = 0, y = 0
			process p1 { txn w1 { x := 1 } }
			process p2 { txn w2 { y := 1 } }
			process p3 { txn r1 { r := x; s := y } }
			process p4 { txn r2 { r := x; s := y } }`, "cc psi"},
		{"long fork of one writer", `program p
			var x = 0, y = 0
			process p1 { txn w1 { x := 1 }  txn w2 { y := 1 } }
			process p3 { txn r1 { r := x; s := y } }
			process p4 { txn r2 { r := x; s := y } }`, ""},
		{"lost update", `program p
			var x = 0
			process p1[2] { txn t { r := x; x := r + 1 } }`, "cc pc"},
		{"blind writes", `program p
			var x = 0
			process p1 { txn t { x := 1 } }
			process p2 { txn u { x := 2 } }
			process p3 { txn r { r := x } }`, ""},
		{"write skew", `program p
			var x = 0, y = 0
			process p1 { txn t { r := x; y := 1 } }
			process p2 { txn u { r := y; x := 1 } }`, "cc pc psi si"},
		{"write skew with a common row", `program p
			var x = 0, y = 0, z = 0
			process p1 { txn t { r := x; y := 1; z := 1 } }
			process p2 { txn u { r := y; x := 1; z := 2 } }`, "cc pc"},
		{"causality", `program p
			var x = 0, y = 0
			process p1 { txn w { x := 1 } }
			process p2 { txn c { r := x; y := r } }
			process p3 { txn r { s := y; r := x } }`, ""},
		{"session order", `program p
			var x = 0
			process p1 { txn w { x := 1 }  txn r { r := x } }`, ""},
		{"long fork through sessions", `program p
			var x = 0, y = 0
			process p1 { txn w1 { x := 1 }  txn r1 { r := y } }
			process p2 { txn w2 { y := 1 }  txn r2 { r := x } }`, "cc psi"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := allowed(t, parse(t, c.text)); got != c.allowed {
				t.Errorf("there are anomalies in %q, but must be in %q", got, c.allowed)
			}
		})
	}
}

// TestFolder decides the finite programs of testdata/litmus that have a meaning in the models. At SI
// the verdicts are those of VERDICTS.tsv.
func TestFolder(t *testing.T) {
	files, err := filepath.Glob("../../testdata/litmus/*.litmus")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no programs: ", err)
	}
	table, err := os.ReadFile("../../testdata/litmus/VERDICTS.tsv")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for _, line := range strings.Split(string(table), "\n") {
		if f := strings.Split(line, "\t"); len(f) > 2 {
			known[strings.TrimSuffix(f[0], ".litmus")] = f[2]
		}
	}
	decided := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		p, err := irtext.Parse(f, string(text))
		if err != nil {
			t.Fatal(err)
		}
		wellformed.Structure(p)
		n := 0
		for _, s := range interp.Sessions(p, 2) {
			n += len(s)
		}
		if weak.Beyond(p) != "" || n > 4 || slices.ContainsFunc(p.Txns, func(x *ir.Txn) bool { return len(x.Params) > 0 }) {
			continue
		}
		decided++
		got := allowed(t, p)
		t.Logf("%s: %s", filepath.Base(f), got)
		want, ok := known[strings.TrimSuffix(filepath.Base(f), ".litmus")]
		if !ok || strings.Contains(got, " si") != (want == "not-robust") {
			t.Errorf("%s has anomalies in %q, but is %q at SI", f, got, want)
		}
	}
	if decided < 10 {
		t.Errorf("only %d programs have a meaning", decided)
	}
}
