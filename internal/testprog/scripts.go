package testprog

import (
	"testing"

	"github.com/txrobust/robust/ir"
)

// Script is a line of VERDICTS.tsv about a folder of testdata/scripts, whose
// transactions are scripts of psql or pgbench.
type Script struct {
	Folder  string
	Verdict string // robust or not-robust
	Anomaly string // its kind, or -
}

// Scripts are the lines about testdata/scripts.
func Scripts(t testing.TB) []Script {
	t.Helper()
	var out []Script
	for _, f := range table(t, "scripts", 4) {
		out = append(out, Script{f[0], f[1], f[2]})
	}
	return out
}

// Dir is the folder with the schema and the scripts.
func (s Script) Dir(t testing.TB) string { return Path(t, "scripts", s.Folder) }

// Load translates all transactions of the folder.
func (s Script) Load(t testing.TB) *ir.Program {
	t.Helper()
	return Load(t, s.Dir(t))
}
