package robust_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/goprogram"
	"github.com/txrobust/robust/report"
)

const versioned = `package pay

import (
	"context"
	"database/sql"
	"errors"
)

func Pay(ctx context.Context, db *sql.DB, id, n int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var bal, version int
	if err := tx.QueryRowContext(ctx, "SELECT bal, version FROM acc WHERE id = ?", id).Scan(&bal, &version); err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, "UPDATE acc SET bal = ?, version = version + 1 WHERE id = ? AND version = ?", bal-n, id, version)
	if err != nil {
		return err
	}
	if k, err := res.RowsAffected(); err != nil || k != 1 {
		return errors.New("again")
	}
	return tx.Commit()
}
`

// TestVersionOnInnoDB: a row that is read from the snapshot is confirmed by an UPDATE that asks for
// its version, if nobody keeps the version, and if it is seen whether the UPDATE has found it.
func TestVersionOnInnoDB(t *testing.T) {
	for _, tc := range []struct {
		name, old, new string
		want           report.Verdict
	}{
		{"as it is", "", "", robust.Robust},
		{"nobody asks for the version", " AND version = ?\", bal-n, id, version)", "\", bal-n, id)", robust.NotRobust},
		{"nobody changes the version", "version = version + 1", "version = version + 0", robust.NotRobust},
		{"nobody looks at the number of rows", "|| k != 1", "|| k > 1", robust.NotRobust},
		{"a lock", "WHERE id = ?\", id).Scan", "WHERE id = ? FOR UPDATE\", id).Scan", robust.Robust},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"go.mod": "module pay\ngo 1.24\n", "pay.go": strings.Replace(versioned, tc.old, tc.new, 1),
				"schema.sql": "CREATE TABLE acc (id INT PRIMARY KEY, bal INT NOT NULL, version INT NOT NULL) ENGINE=InnoDB;\n"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			found, err := analyzer.Load(t.Context(), []string{"./..."}, analyzer.Options{Dir: dir, Env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")})
			if err != nil {
				t.Fatal(err)
			}
			source, err := goprogram.Open(t.Context(), found, goprogram.Options{Schema: []string{filepath.Join(dir, "schema.sql")}, MySQL: true})
			if err != nil {
				t.Fatal(err)
			}
			p, err := source.Program(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.MySQL(), Isolation: "code"}})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Verdict != tc.want {
				t.Errorf("%s, not %s: %+v", rep.Verdict, tc.want, rep.Open)
			}
		})
	}
}
