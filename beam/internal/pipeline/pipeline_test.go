package pipeline

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/beam/internal/contract"
	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

var runs = flag.Int("pipeline.random", 8, "random histories")

func TestMain(m *testing.M) {
	flag.Parse()
	Init(false)
	os.Exit(m.Run())
}

// TestRunner compares the verdicts of pipelines with those of the checkers about the whole.
func TestRunner(t *testing.T) {
	const seed = 11
	t.Logf("seed %d", seed)
	dir := t.TempDir()
	for i := range *runs {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		o := simdb.Small(seed, i, r)
		o.Lists = i%2 == 1
		h := simdb.Generate(o)
		path := filepath.Join(dir, fmt.Sprint(i))
		if _, err := codec.Save(t.Context(), path, h, codec.Compact); err != nil {
			t.Fatal(err)
		}
		got, err := contract.Check(t.Context(), Runner{}, []contract.Shard{{Path: path}}, contract.Options{Levels: contract.Levels(), Parts: 3, Scratch: dir})
		if err != nil {
			t.Fatal(err)
		}
		want, err := judge.Check(t.Context(), h, judge.Options{Levels: contract.Levels()})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range contract.Levels() {
			if w := want.Judgement(l).Verdict; w != isolation.Unknown && got.Verdict(l) != w.String() {
				t.Errorf("history %d, %v: %v, expected %v", i, l, got.Verdict(l), w)
			}
		}
	}
}

// TestMistake makes sure that a mistake in a shard is told with its place.
func TestMistake(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "faulty.txt")
	if err := os.WriteFile(path, []byte("w(1,1,0,0)\nnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := contract.Check(t.Context(), Runner{}, []contract.Shard{{Path: path, Format: codec.Plume}}, contract.Options{Levels: contract.Levels(), Scratch: dir})
	want := path + ":2: "
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, expected it to begin with %q", err, want)
	}
}
