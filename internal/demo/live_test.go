package demo

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/internal/witness"
)

func subOf(t *testing.T, name string) fs.FS {
	t.Helper()
	sub, err := fs.Sub(embedded, path.Join("scenes", name))
	if err != nil {
		t.Fatal(err)
	}
	return sub
}

// TestLive plays every scene on a server, which does what is told, and refuses it at
// SERIALIZABLE.
func TestLive(t *testing.T) {
	server := replaytest.Open(t, witness.Postgres)
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			p := prepared(t, name)
			if err := p.Live(t.Context(), Stage{Out: &out, Width: 120}, server); err != nil {
				t.Fatal(err)
			}
			got := out.String()
			weak, strict, ok := strings.Cut(got, "On the server at SERIALIZABLE")
			if !ok || strings.Contains(weak, "ERROR") {
				t.Errorf("at %s nothing must fail:\n%s", p.Scene.Level, got)
			}
			// The reader of the long fork gets another answer, and all commit.
			if !strings.Contains(strict, "ERROR 40001") && (name != "long-fork" || strings.Count(strict, "-> second = 0") != 1) {
				t.Errorf("SERIALIZABLE must refuse it:\n%s", got)
			}
			if !strings.Contains(strings.Join(strings.Fields(got), " "), ": as shown. The server ran ") {
				t.Errorf("the server does something else:\n%s", got)
			}
		})
	}
}
