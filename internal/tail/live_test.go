package tail_test

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/txrobust/robust/internal/checker/follow"
	"github.com/txrobust/robust/internal/checker/workload"
	"github.com/txrobust/robust/internal/collect"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/tail"
	"github.com/txrobust/robust/isolation"
)

// TestLive follows recordings of PostgreSQL while they are written: what the server promises
// holds, and what it does not exclude is found.
func TestLive(t *testing.T) {
	for _, c := range []struct {
		level, workload string
		holds, fails    isolation.Level
	}{
		{"serializable", "list-append", isolation.SER, 0},
		{"rr", "register", isolation.SI, 0},
		{"rc", "rmw", isolation.RC, isolation.SI},
	} {
		t.Run(c.level+" "+c.workload, func(t *testing.T) {
			got, recorded := live(t, c.level, c.workload)
			if got.Txns != recorded || got.Complete {
				t.Errorf("%d transactions were followed, and %d recorded", got.Txns, recorded)
			}
			for _, j := range got.Judgements {
				if j.Level == c.holds && j.Verdict != isolation.Accept || j.Level == c.fails && j.Verdict != isolation.Reject {
					t.Errorf("%s: %v %s", j.Level, j.Verdict, j.Why)
				}
			}
		})
	}
}

// live records clients of a private server, and follows the recording until all is read.
func live(t *testing.T, level, name string) (*tail.Result, int64) {
	t.Helper()
	e, err := collect.EngineByName("postgres")
	if err != nil {
		t.Fatal(err)
	}
	l, err := collect.ParseIsolation(level)
	if err != nil {
		t.Fatal(err)
	}
	db, err := e.Private(t.Context(), l, nil, "none")
	pgtest.SkipMissing(t, err)
	t.Cleanup(func() {
		if err := db.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := db.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	w, err := workload.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "live.edn")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var recorded atomic.Int64 // once it is complete
	failed := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		r, err := collect.Run(ctx, db, collect.Options{Workload: w, Params: workload.Params{Ops: 5, Keys: 6, Reads: 0.5, Dist: workload.Uniform},
			Sessions: 6, Txns: 800, Seed: 1, Patience: 20 * time.Second, Live: file})
		if err != nil {
			cancel()
		} else {
			recorded.Store(int64(r.History.NumTxns() - 1))
		}
		failed <- err
	}()
	got, err := tail.Follow(ctx, tail.Options{Path: path, Name: path, Window: follow.DefaultWindow / 4, Progress: func(txns, _ int64) {
		if n := recorded.Load(); n > 0 && txns >= n {
			cancel()
		}
	}})
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return got, recorded.Load()
}
