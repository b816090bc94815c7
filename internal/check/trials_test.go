package check_test

import (
	"fmt"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/cache"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/report"
)

// TestTried: checks of one program at several levels know what became of the walks that the others tried,
// and report what they report by themselves.
func TestTried(t *testing.T) {
	all := func(l levels.Level) map[string]levels.Level {
		out := map[string]levels.Level{}
		for _, x := range testprog.Parse(t, two).Txns {
			out[x.Name] = l
		}
		return out
	}
	p, tried, answers := testprog.Parse(t, two), &check.Tried{}, cache.Memory()
	for i, of := range []map[string]levels.Level{all(levels.RepeatableRead), all(levels.ReadCommitted), all(levels.RepeatableRead), all(levels.Serializable)} {
		opt := check.Options{Engine: engine.Postgres(), Isolation: levels.AtSerializable, Levels: of}
		alone, err := check.Check(t.Context(), testprog.Parse(t, two), opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.Tried, opt.Cache = tried, answers
		rep, err := check.Check(t.Context(), p, opt)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := told(rep), told(alone); got != want {
			t.Errorf("%v\ngot  %s\nwant %s", of, got, want)
		}
		if i == 2 && rep.Stats.Queries >= alone.Stats.Queries {
			t.Errorf("%d questions were asked again, of %d", rep.Stats.Queries, alone.Stats.Queries)
		}
	}
}

// told is what a report says of a program.
func told(r *report.Report) string {
	out := fmt.Sprint(r.Verdict, " ", r.Headline, " ", standings(r))
	for _, f := range r.Findings {
		out += fmt.Sprint("\n", f.Fingerprint, f.Status, f.Cycle, f.Also)
	}
	return out
}
