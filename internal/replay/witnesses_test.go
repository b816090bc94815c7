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

// TestGo replays what is found in modules of Go code, whose libraries are stubs, at
// snapshot isolation and at READ COMMITTED.
func TestGo(t *testing.T) {
	var tally replaytest.Tally
	for _, module := range []string{"gorm", "squirrel"} {
		dir := filepath.Join("..", "..", "analyzer", "testdata", "src", module)
		env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		found, err := analyzer.Load(t.Context(), []string{"./..."}, analyzer.Options{Dir: dir, Env: env})
		if err != nil {
			t.Fatal(err)
		}
		source, err := goprogram.Open(t.Context(), found, goprogram.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, isolation := range []string{"si", "rc"} {
			p, err := source.Program(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			opt := robust.Options{Question: robust.Question{Engine: engine.Postgres(), Isolation: isolation}, Budget: robust.Budget{Questions: 200}}
			rep, err := robust.Check(t.Context(), p, opt)
			if err != nil {
				t.Fatal(err)
			}
			if len(rep.Findings) == 0 {
				t.Errorf("%s: %s at %s", module, rep.Verdict, rep.Isolation)
			}
			tally.Report(t, rep, "")
		}
	}
	t.Logf("%s", &tally)
}
