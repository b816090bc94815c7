package contract

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

// TestSplit judges files of Plume that are split, and finds their places.
func TestSplit(t *testing.T) {
	seed := random.Seed(t)
	dir := t.TempDir()
	seen, windows := map[string]int{}, 0
	for i := range 25 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		o := simdb.Small(seed, i, r)
		o.Txns, o.Keys, o.Unknowns, o.Losses = 40, 10, 0, 0
		path := filepath.Join(dir, fmt.Sprint(i))
		if _, err := codec.Save(t.Context(), path, simdb.Generate(o), codec.Plume); err != nil {
			t.Fatal(err)
		}
		h, _, err := codec.Read(t.Context(), []string{path}, codec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		shards, err := Split(path, codec.Guess, 200)
		if err != nil {
			t.Fatal(err)
		}
		if len(shards) < 3 {
			t.Fatalf("history %d is %d shards, expected more", i, len(shards))
		}
		compareWith(t, Local{}, shards, h, Options{Scratch: dir}, seen, &windows)
	}
	if seen[fmt.Sprint(isolation.SER, " ", isolation.Reject)] == 0 || seen[fmt.Sprint(isolation.SER, " ", isolation.Accept)] == 0 {
		t.Errorf("verdicts are %v, expected both about SER", seen)
	}
}

// TestSplitPlaces makes sure that places in splits are those of the file, and that operations of
// one transaction that are apart are a mistake.
func TestSplitPlaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.txt")
	check := func(text string) (*Result, error) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		shards, err := Split(path, codec.Guess, 20)
		if err != nil {
			t.Fatal(err)
		}
		return Check(t.Context(), Local{}, shards, Options{Levels: Levels(), Scratch: t.TempDir()})
	}
	got, err := check("w(1,1,0,0)\nw(2,2,0,1)\nr(1,1,1,2)\nr(2,2,1,3)\nr(1,77,1,4)\n")
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(got.Findings); got.Verdict(isolation.RC) != isolation.Reject.String() || !strings.Contains(text, path+":5") {
		t.Errorf("RC is %s, and the findings are %s; expected a thin-air read at line 5", got.Verdict(isolation.RC), text)
	}
	_, err = check("w(1,1,0,0)\nw(2,2,0,1)\nr(1,1,1,2)\nw(3,3,0,0)\n")
	if err == nil || !strings.Contains(err.Error(), "the operations of transaction 0 are apart") {
		t.Errorf("error %v, expected one about transaction 0", err)
	}
}

// TestTwoInitialValues makes sure that shards do not contradict each other.
func TestTwoInitialValues(t *testing.T) {
	var blobs [][]byte
	for _, value := range []string{"a", "b"} {
		var w writer
		w.text("key")
		w.pos(Pos{})
		w.uint(isInitial)
		w.texts([]string{value})
		blobs = append(blobs, w)
	}
	if err := eachKey(blobs, func(*keyed) error { return nil }); err == nil || !strings.Contains(err.Error(), "two initial values") {
		t.Errorf("error %v, expected one about two initial values", err)
	}
	if err := eachKey(blobs[:1], func(*keyed) error { return nil }); err != nil {
		t.Errorf("one initial value is an error: %v", err)
	}
}
