package movers

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/ir/interp"
)

const litmusDir = "../testdata/litmus"

// mode is a way to judge, a column of VERDICTS.tsv.
type mode struct {
	name    string
	engine  *engine.Profile
	classic bool
}

var modes = []mode{{"classic", engine.SI(), true}, {"default", engine.SI(), false}, {"postgres", engine.Postgres(), false}}

// litmus is a line of VERDICTS.tsv with its program.
type litmus struct {
	file, source string
	robust       map[string]bool // by mode
}

func litmusPrograms(t testing.TB) []litmus {
	t.Helper()
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(litmusDir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	var out []litmus
	for _, line := range strings.Split(strings.TrimSpace(read("VERDICTS.tsv")), "\n")[1:] {
		f := strings.Split(line, "\t")
		l := litmus{f[0], read(f[0]), map[string]bool{}}
		for i, m := range modes {
			l.robust[m.name] = f[1+i] == "robust"
		}
		out = append(out, l)
	}
	return out
}

// anomaly looks for an anomaly of the program's processes by interpretation.
func anomaly(t testing.TB, p *ir.Program, m mode) bool {
	t.Helper()
	res := interp.NewMachine(p, m.engine).Explore(context.Background(), interp.Sessions(p, 2), interp.InitialDB(p), interp.Options{Classic: m.classic})
	if res.Verdict == interp.Undecided {
		t.Fatalf("%s: %s", p.Name, res.Reason)
	}
	return res.Verdict == interp.Anomalous
}

// unproved are the robust programs that have no proof, and why not.
var unproved = map[string]string{
	"fig11a-same-value-ww.litmus": "by values, exclusion still orders t2 and t3",
	"fig11b-same-value-wr.litmus": "whether t3 reads another value depends on the state",
	"s1-values-three.litmus":      "by values, exclusion still orders O and I",
	"s2-lock-update.litmus":       "proofs are for any rows: l may be empty",
	"s3-unique.litmus":            "proofs are for any rows: sign_up's number may be taken by another name",
	"s3-unique-lock.litmus":       "proofs are for any rows: sign_up's number may be taken by another name",
}

// TestLitmus: robust programs are proved, others are not, in each mode and as
// interpretation says.
func TestLitmus(t *testing.T) {
	for _, l := range litmusPrograms(t) {
		for _, m := range modes {
			p := parse(t, l.source)
			res := mustProve(t, p, Options{Engine: m.engine, Classic: m.classic})
			if got := res.Verdict == Robust; got != l.robust[m.name] && (got || unproved[l.file] == "") {
				t.Errorf("%s %s: %v %s %v, want robust = %v", m.name, l.file, res.Verdict, res.Reason, res.Walks, l.robust[m.name])
			}
			if got := !anomaly(t, p, m); got != l.robust[m.name] {
				t.Errorf("%s %s: interpretation says robust = %v", m.name, l.file, got)
			}
		}
	}
}
