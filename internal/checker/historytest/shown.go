package historytest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
)

// Evil is a name that would end what it stands in, run something, or steer a terminal.
const Evil = "evil\n</script><svg onload=fetch(\"http://127.0.0.1:9/\")>\x1b[2J\u202e\u009b'{{.}}&lt;\\"

// Hostile is a lost update with such names everywhere.
func Hostile(t testing.TB) *history.History {
	t.Helper()
	b := history.NewBuilder()
	file := b.File(history.File{Name: Evil})
	key := b.Key(history.String(Evil))
	for i := range 2 {
		x := b.Txn(b.Session(history.String(fmt.Sprint(Evil, i))), history.Committed)
		b.SetLabel(x, Evil)
		b.SetPlace(x, history.At(file, int64(i+1)))
		b.Read(key, history.Initial)
		b.Write(key, b.Value(history.String(fmt.Sprint(Evil, i))))
	}
	b.Note("%s", Evil)
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Read is a history that was read from a file, by the name of that without its ending.
type Read struct {
	Name    string
	Format  codec.Format
	History *history.History
}

// Files reads the files that match a pattern; there must be some.
func Files(t testing.TB, pattern string) (out []Read) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d histories, %v", pattern, len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		h, format, err := codec.Decode(t.Context(), bytes.NewReader(text), name, codec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, Read{name, format, h})
	}
	return out
}
