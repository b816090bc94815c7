package testprog

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel"
)

// App is a line of VERDICTS.tsv about an application or trap.
type App struct {
	Kind    string // apps, traps or values, the folder of the folder
	Folder  string
	Txns    string // names with commas between, or * for all
	Verdict string // robust or not-robust
	Anomaly string // its kind, or -
	Cycle   string // names with commas between, or -
}

// Apps are the lines about those of testdata/apps, then of testdata/traps.
func Apps(t testing.TB) []App {
	t.Helper()
	return append(lines(t, "apps"), lines(t, "traps")...)
}

// Values are the lines about pairs of transactions that write and compare values of
// one type (testdata/values).
func Values(t testing.TB) []App {
	t.Helper()
	return lines(t, "values")
}

func lines(t testing.TB, kind string) []App {
	t.Helper()
	var out []App
	for _, f := range table(t, kind, 6) {
		out = append(out, App{kind, f[0], f[1], f[2], f[3], f[4]})
	}
	return out
}

// Whole reports whether the line is about all transactions. There is one such
// line for every folder.
func (a App) Whole() bool { return a.Txns == "*" }

// Robust reports whether the application is known to be robust.
func (a App) Robust() bool { return a.Verdict == "robust" }

// String names the line, as subtests are called.
func (a App) String() string { return a.Kind + "/" + a.Folder + "/" + a.Txns }

// Dir is the folder with schema.sql and functions.sql.
func (a App) Dir(t testing.TB) string { return Path(t, a.Kind, a.Folder) }

// Load translates the transactions of the line.
func (a App) Load(t testing.TB) *ir.Program {
	t.Helper()
	if a.Whole() {
		return Load(t, a.Dir(t))
	}
	return Load(t, a.Dir(t), strings.Split(a.Txns, ",")...)
}

// Load translates the SQL of a folder, with all transactions or those named.
func Load(t testing.TB, dir string, txns ...string) *ir.Program {
	t.Helper()
	p, err := sqlmodel.Load(t.Context(), []string{dir}, sqlmodel.Options{Txns: txns})
	if err != nil {
		t.Fatal(err)
	}
	wellformed.Structure(p)
	return p
}

// SQL is the text of a folder's schema and of its functions.
func SQL(t testing.TB, dir string) []string {
	t.Helper()
	return []string{read(t, filepath.Join(dir, "schema.sql")), read(t, filepath.Join(dir, "functions.sql"))}
}
