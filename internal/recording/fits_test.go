package recording

import (
	"errors"
	"flag"
	"io"
	"testing"

	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/workload"
	"github.com/txrobust/robust/internal/flags"
)

// collector has flags, of a private database of SQLite.
func collector(t *testing.T, args ...string) *Collector {
	t.Helper()
	f, fs := &Collector{}, flag.NewFlagSet("collect", flag.ContinueOnError)
	f.Declare(fs)
	if err := fs.Parse(append([]string{"-engine", "sqlite", "-txns", "60", "-sessions", "2", "-seed", "3"}, args...)); err != nil {
		t.Fatal(err)
	}
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFits: the formats that are refused before a recording are those that cannot hold what a
// database recorded.
func TestFits(t *testing.T) {
	refused := 0
	for _, name := range workload.Names() {
		f := collector(t, "-workload", name)
		_, r, err := f.Record(t.Context(), "", io.Discard)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, format := range codec.Names(true) {
			_, cannot := codec.Format(format).Doubts(t.Context(), r.History)
			_, usage := errors.AsType[*flags.UsageError](f.fits(t.Context(), codec.Format(format)))
			if usage != (cannot != nil) {
				t.Errorf("%s as %s: refused %v, of the recording the format says %v", name, format, usage, cannot)
			}
			if usage {
				refused++
			}
		}
	}
	if refused == 0 {
		t.Error("no format was refused")
	}
}

// TestRefused: a format that does not fit is refused before the database is asked.
func TestRefused(t *testing.T) {
	f := collector(t, "-workload", "counter", "-dsn", t.TempDir()+"/none/of/these.db")
	_, _, err := f.Record(t.Context(), codec.Plume, io.Discard)
	if _, usage := errors.AsType[*flags.UsageError](err); !usage {
		t.Errorf("%v, want a usage error", err)
	}
}
