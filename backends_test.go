//go:build cgo

package robust_test

import (
	"encoding/json"
	"flag"
	"slices"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/movers"
	"github.com/txrobust/robust/internal/proof"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir"
)

var allBackends = flag.Bool("backends.all", false, "compare the backends on long programs without a proof, too")

// TestBackends: the program z3 gives the verdicts, walks, findings and proofs that the
// library gives. They may find different models of a question that has many. So the
// instances in the scripts of a proof, what these need, and the values in an execution are
// not compared.
func TestBackends(t *testing.T) {
	for _, l := range testprog.LitmusPrograms(t) {
		t.Run(l.File, func(t *testing.T) { sameWithBoth(t, func() *ir.Program { return l.Program(t) }) })
	}
	for _, app := range testprog.Apps(t) {
		if app.Whole() && (*allBackends || app.Verdict == "robust" || len(app.Load(t).String()) < 10000) {
			t.Run(app.Folder, func(t *testing.T) { sameWithBoth(t, func() *ir.Program { return app.Load(t) }) })
		}
	}
}

func sameWithBoth(t *testing.T, load func() *ir.Program) {
	t.Setenv(smt.ProgramVar, "")
	want := said(t, load())
	t.Setenv(smt.ProgramVar, "z3")
	if got := said(t, load()); got != want {
		t.Errorf("the program says\n%s\nthe library says\n%s", got, want)
	}
}

// said is what both backends must say of a program: the walks that the prover leaves, or
// else the proof.
func said(t *testing.T, p *ir.Program) string {
	t.Helper()
	var out struct {
		Verdict  string
		Reason   string
		Walks    []string
		Manifest *proof.Manifest
	}
	res, err := movers.Prove(t.Context(), p, movers.Options{Engine: engine.Postgres(), MaxWalks: 1, MaxQuestions: 60})
	if err != nil {
		t.Fatal(err)
	}
	out.Verdict, out.Reason = res.Verdict.String(), res.Reason
	for _, w := range res.Walks {
		out.Walks = append(out.Walks, w.String()+" "+w.Unknown)
	}
	if res.Verdict == movers.Robust {
		var kept *proof.Proof
		_, err := check.Check(t.Context(), p, check.Options{Engine: engine.Postgres(), Keep: func(x *proof.Proof) { kept = x }})
		if err != nil || kept == nil {
			t.Fatal(err, "nothing is kept")
		}
		m := kept.Manifest
		m.Refuted, m.Kept = slices.Clone(m.Refuted), slices.Clone(m.Kept)
		for i := range m.Refuted {
			m.Refuted[i].SHA256, m.Refuted[i].Dropped, m.Refuted[i].Uses = "", nil, nil
		}
		for i := range m.Kept {
			m.Kept[i].SHA256, m.Kept[i].Dropped, m.Kept[i].Uses = "", nil, nil
		}
		out.Manifest = &m
	}
	text, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
