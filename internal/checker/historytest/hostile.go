package historytest

import (
	"fmt"
	"testing"

	"github.com/txrobust/robust/history"
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
