package judge

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/isolation"
)

// TestConvertedVerdicts: every history that is written without a doubt has the same verdicts in
// every other format, at all levels.
func TestConvertedVerdicts(t *testing.T) {
	most := 3000
	if testing.Short() {
		most = 300
	}
	kept, refused := map[codec.Format]int{}, map[codec.Format]int{}
	for _, rec := range historytest.Recordings(t) {
		if rec.Polygraph {
			continue
		}
		h := rec.Read(t)
		if h.NumOps() > most {
			continue
		}
		verdicts := verdictsOf(t, h)
		for _, name := range codec.Names(true) {
			f := codec.Format(name)
			doubts, err := f.Doubts(t.Context(), h)
			if err != nil || len(doubts) > 0 {
				refused[f]++
				continue
			}
			kept[f]++
			path := filepath.Join(t.TempDir(), "converted")
			if _, err := codec.Save(t.Context(), path, h, f); err != nil {
				t.Fatalf("%s in %s: %v", rec.Path, f, err)
			}
			back, _, err := codec.Read(t.Context(), []string{path}, codec.Options{Format: f})
			if err != nil {
				t.Errorf("%s in %s: %v", rec.Path, f, err)
				continue
			}
			for l, v := range verdictsOf(t, back) {
				if v != verdicts[l] && v != isolation.Unknown && verdicts[l] != isolation.Unknown {
					t.Errorf("%s: %s is %s, and in %s it is %s", rec.Path, l, verdicts[l], f, v)
				}
			}
		}
	}
	for _, name := range codec.Names(true) {
		f := codec.Format(name)
		t.Logf("%s: %d written, %d refused", f, kept[f], refused[f])
		if kept[f] == 0 {
			t.Errorf("nothing was written in %s", f)
		}
	}
}

func verdictsOf(t *testing.T, h *history.History) map[isolation.Level]isolation.Verdict {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	r, err := Check(ctx, h, Options{First: false, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	out := map[isolation.Level]isolation.Verdict{}
	for _, j := range r.Judgements {
		out[j.Level] = j.Verdict
	}
	return out
}
