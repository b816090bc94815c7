package codec

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/txrobust/robust/history"
)

var (
	mutants    = flag.Int("codec.mutants", 3, "how many mutants of each recorded history are read in two ways")
	mutantSeed = flag.Uint64("codec.seed", 1, "the seed of the mutants")
)

// sameReading reads a text plainly, from the first byte to the last by the one
// parser for everything, and in chunks of several sizes. The histories must be the
// same to the last number, and so must be what is said about mistakes.
func sameReading(t testing.TB, text []byte, f Format) {
	t.Helper()
	want, _, wantErr := Decode(t.Context(), bytes.NewReader(text), "x", Options{Format: f, plain: true, workers: 1})
	for _, o := range []Options{{workers: 1}, {workers: 3, chunk: 7}, {workers: 2, chunk: 300}, {workers: 2, chunk: 300, plain: true}} {
		o.Format = f
		got, _, err := Decode(t.Context(), iotest.HalfReader(bytes.NewReader(text)), "x", o)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%+v: error %v, plainly %v, of\n%s", o, err, wantErr, clipText(text))
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v: differs: %s, of\n%s", o, history.Diff(want, got), clipText(text))
		}
	}
}

func clipText(b []byte) []byte { return b[:min(len(b), 2000)] }

// chunked are the formats that are read in chunks.
var chunked = []Format{EDN, Plume, AWDIT}

// mutant changes a stretch of a text.
func mutant(rnd *rand.Rand, text []byte) []byte {
	cut := func() int { return rnd.IntN(len(text) + 1) }
	i, j, k := cut(), cut(), cut()
	i, j = min(i, j), min(max(i, j), min(i, j)+rnd.IntN(40))
	pieces := []string{"\n", "\"", " ", "]", "}", "{", "[1 2]", ";", "#_", "#{1}", "nil", ":r", "-7", "99999999999999999999", "\\\n", "1", "\r\n", "w(1,2,3,4)\n", "w 1 2\n", "ä", "\x00"}
	switch rnd.IntN(4) {
	case 0: // leave out
		return append(bytes.Clone(text[:i]), text[j:]...)
	case 1: // repeat
		return append(append(bytes.Clone(text[:k]), text[i:j]...), text[k:]...)
	case 2: // insert
		return append(append(bytes.Clone(text[:k]), pieces[rnd.IntN(len(pieces))]...), text[k:]...)
	}
	return bytes.Replace(text, text[i:j], []byte(pieces[rnd.IntN(len(pieces))]), 5)
}

// TestChunksRandom does the same with random histories.
func TestChunksRandom(t *testing.T) {
	for seed := range uint64(50) {
		fs := features{kinds: []history.Kind{history.Read, history.Write}, statuses: seed%3 == 0}
		if seed%2 == 0 {
			fs = features{kinds: []history.Kind{history.Append, history.ReadList}, statuses: seed%3 == 0}
		}
		h := random(seed, fs)
		for _, f := range chunked {
			m, _, err := write(t, h, f)
			if err != nil {
				continue
			}
			for _, b := range m.files {
				sameReading(t, b.Bytes(), f)
				sameReading(t, mutant(rand.New(rand.NewPCG(seed, 3)), b.Bytes()), f)
			}
		}
	}
}

// TestChunksLists reads lists that the reader of lines compares with those before.
func TestChunksLists(t *testing.T) {
	line := "{:type :ok, :f :txn, :process 0, :value [[:r 1 %s] [:r 1025 %s] [:append 7 8]]}\n"
	lists := []string{"[]", "[1]", "[1 2 3]", "[1 2 30]", "[1 2 3 4]", "[1 2]", "[1, 2  3]", "[1 2 3 -4]", "[12]", "[1 2 :a]", "[1 2 3 4 5", "[1 2 3 4 5]",
		"nil", "5", "[1 2 [3]]", "[1 2 3 123456789012345678]", "[1 2 3 1234567890123456789]", "[ 1 2 3]", "[1 2 3 4 5 6 7 8 9 10 11 12]", "[1 2 3 4 5 6 7 8 9 10 11 13]", "[1 2 3 4 5 6 7 8 9 10 11 12 14]"}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var b strings.Builder
		for range 1 + rnd.IntN(8) {
			fmt.Fprintf(&b, line, lists[rnd.IntN(len(lists))], lists[rnd.IntN(len(lists))])
		}
		sameReading(t, []byte(b.String()), EDN)
	}
}

// TestChunksCharacter has a character that is the end of a line.
func TestChunksCharacter(t *testing.T) {
	line := "{:type :ok, :f :txn, :process 0, :value [[:append 7 \\\n]]}\n"
	sameReading(t, []byte(line+line+"{"), EDN)
	_, _, err := Decode(t.Context(), strings.NewReader(line+"x"), "x", Options{Format: EDN})
	if err == nil || !strings.HasPrefix(err.Error(), "x:3: ") {
		t.Errorf("error %v, expected one in line 3", err)
	}
}

// TestChunksErrors reads from a stream that fails, or is cancelled.
func TestChunksErrors(t *testing.T) {
	text := strings.Repeat("w(1,2,3,4)\n", 1000)
	r := io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrClosedPipe))
	_, _, err := Decode(t.Context(), r, "x", Options{Format: Plume, workers: 2, chunk: 30})
	if err == nil || err.Error() != "x, byte 11000: io: read/write on closed pipe" {
		t.Errorf("error %v", err)
	}
}
