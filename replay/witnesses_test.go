package replay_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/goprogram"
	"github.com/txrobust/robust/internal/replaytest"
)

// TestGo replays what is found in modules of Go code, whose libraries are stubs.
func TestGo(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join("..", "analyzer", "testdata", "src", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var tally replaytest.Tally
	for _, dir := range dirs {
		env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		found, err := analyzer.Load(t.Context(), []string{"./..."}, analyzer.Options{Dir: dir, Env: env})
		if err != nil {
			t.Fatal(err)
		}
		source, err := goprogram.Open(t.Context(), found, goprogram.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := source.Program(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rep, err := robust.Check(t.Context(), p, robust.Options{Engine: engine.Postgres(), All: true, Questions: 200})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s, %d", dir, rep.Verdict, len(rep.Findings))
		tally.Report(t, rep, "")
	}
	t.Logf("%s", &tally)
}
