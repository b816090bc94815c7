package testprog

import (
	"path/filepath"
	"testing"

	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/ir/irtext"
)

// Litmus is a line of VERDICTS.tsv with its litmus program.
type Litmus struct {
	File, Source string
	// Want are the verdicts, robust or not-robust, by mode: classic, default
	// and postgres.
	Want map[string]string
}

// Robust reports whether the program is known to be robust in a mode.
func (l Litmus) Robust(mode string) bool { return l.Want[mode] == "robust" }

// Program parses the source, with structured bodies.
func (l Litmus) Program(t testing.TB) *ir.Program {
	t.Helper()
	return parse(t, l.File, l.Source)
}

// LitmusPrograms are those of testdata/litmus, in the order of VERDICTS.tsv.
func LitmusPrograms(t testing.TB) []Litmus {
	t.Helper()
	var out []Litmus
	for _, f := range table(t, "litmus", 5) {
		out = append(out, Litmus{f[0], read(t, Path(t, "litmus", f[0])), map[string]string{"classic": f[1], "default": f[2], "postgres": f[3]}})
	}
	return out
}

// Parse reads a program in the litmus language, with structured bodies.
func Parse(t testing.TB, src string) *ir.Program {
	t.Helper()
	return parse(t, "test", src)
}

// ParseFile is Parse for a file.
func ParseFile(t testing.TB, file string) *ir.Program {
	t.Helper()
	return parse(t, filepath.Base(file), read(t, file))
}

func parse(t testing.TB, name, src string) *ir.Program {
	t.Helper()
	p, err := irtext.Parse(name, src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	wellformed.Structure(p)
	return p
}
