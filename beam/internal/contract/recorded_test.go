package contract

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/isolation"
)

var allRecorded = flag.Bool("contract.all", false, "judge large recorded histories, too, which takes some minutes")

// others gives the folder of other projects' histories beside the repository, or empty.
func others() string {
	for up := ".."; len(up) < 40; up = filepath.Join(up, "..") {
		dir := filepath.Join(up, "shared", "data", "histories")
		if _, err := os.Stat(filepath.Join(dir, "MANIFEST.tsv")); err == nil {
			return dir
		}
	}
	return ""
}

// TestRecorded compares verdicts about recorded histories with those of one machine.
func TestRecorded(t *testing.T) {
	folders := []string{filepath.FromSlash("../../../testdata/histories/recorded")}
	if dir := others(); dir != "" {
		folders = append(folders, dir)
	} else {
		t.Log("shared/data/histories IS NOT BESIDE THE REPOSITORY: the sample alone")
	}
	limit, patience := 1_000, 10*time.Second
	if *allRecorded {
		limit, patience = 1<<30, time.Minute
	}
	judged, same, open, larger := 0, 0, 0, 0
	for _, dir := range folders {
		paths, err := codec.Histories(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			h, _, err := codec.Read(t.Context(), []string{path}, codec.Options{})
			if err != nil {
				continue // the manifest, and recordings without a transaction
			}
			if h.NumOps() > limit {
				larger++
				continue
			}
			within := func() (context.Context, context.CancelFunc) { return context.WithTimeout(t.Context(), patience) }
			ctx, stop := within()
			want, err := judge.Check(ctx, h, judge.Options{Levels: Levels(), Limit: 1})
			stop()
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop = within()
			got, err := Check(ctx, Local{}, []Shard{{Path: path}}, Options{Levels: Levels(), Scratch: t.TempDir()})
			late := ctx.Err() != nil
			stop()
			if err != nil && !late {
				t.Errorf("%s: %v", path, err)
				continue
			}
			judged++
			for _, l := range Levels() {
				w := want.Judgement(l).Verdict
				switch {
				case w == isolation.Unknown, late:
					open++
				case got.Verdict(l) != w.String():
					t.Errorf("%s: %v is %s, one machine says %v", path, l, got.Verdict(l), w)
				default:
					same++
				}
			}
		}
	}
	t.Logf("%d histories, %d verdicts the same, %d open on one machine or late; %d larger histories left out", judged, same, open, larger)
	if judged < 30 {
		t.Errorf("%d histories were judged, expected 30 at least", judged)
	}
}
