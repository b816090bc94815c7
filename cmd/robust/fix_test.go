package main

import (
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/schematest"
	"github.com/txrobust/robust/report"
)

// skew is a write skew: each of two rows is written where the other one allows it.
const skew = `CREATE TABLE x (id int PRIMARY KEY, v int NOT NULL);
-- name: swap
BEGIN;
SELECT v FROM x WHERE id = :p; -- the other one
UPDATE x SET v = :a WHERE id = :q;
COMMIT;
`

func skewed(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.sql")
	if err := os.WriteFile(path, []byte(skew), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFix: repairs are printed, and made with -apply; what is repaired is robust.
func TestFix(t *testing.T) {
	path := skewed(t)
	code, out, errs := commandLine(t, "fix", path)
	if code != exitOK || errs != "" || !strings.Contains(out, "+SELECT v FROM x WHERE id = :p FOR SHARE; -- the other one") {
		t.Errorf("code %d\n%s%s", code, out, errs)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != skew {
		t.Errorf("%v\n%s", err, text)
	}
	code, out, _ = commandLine(t, "fix", "-format", "json", "-apply", "-repairs", "1", path)
	var got struct {
		Verdict string
		Applied bool
		Repairs []struct {
			Changes []struct{ Kind, Text string }
			Verdict string
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != exitOK || got.Verdict != "not-robust" || !got.Applied || len(got.Repairs) != 1 || got.Repairs[0].Changes[0].Kind != "for-share" || got.Repairs[0].Verdict != "robust" {
		t.Errorf("code %d, %v, %+v\n%s", code, err, got, out)
	}
	if code, out, _ = commandLine(t, "check", path); code != exitOK {
		t.Errorf("code %d\n%s", code, out)
	}
	if code, out, _ = commandLine(t, "fix", path); code != exitOK || !strings.Contains(out, "nothing to repair") {
		t.Errorf("code %d\n%s", code, out)
	}
}

// TestFixLevels: the levels that are asked about are those of robust check.
func TestFixLevels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.sql")
	lost := strings.Replace(skew, "id = :q", "id = :p", 1)
	if err := os.WriteFile(path, []byte(lost), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		flags []string
		want  string
	}{
		{nil, "is robust: there is nothing to repair"},
		{[]string{"-isolation", "rc"}, "is not robust at READ COMMITTED. With each"},
		{[]string{"-isolation", "rc", "-level", "swap=rr"}, "is robust: there is nothing to repair"},
	} {
		code, out, errs := commandLine(t, slices.Concat([]string{"fix"}, tc.flags, []string{path})...)
		if code != exitOK || !strings.Contains(out, tc.want) {
			t.Errorf("%q: code %d\n%s%s", tc.flags, code, out, errs)
		}
	}
}

// TestFixGo: the SQL in Go source is repaired where it stands; the diff fits for git, and what is applied is robust.
func TestFixGo(t *testing.T) {
	t.Chdir(t.TempDir())
	const source = `package shop

import (
	"context"
	"database/sql"
)

const (
	readStock = "SELECT stock FROM item WHERE id = $1" // by key
	setStock  = "UPDATE item SET stock = $1 WHERE id = $2"
)

// Sell takes from the stock.
func Sell(ctx context.Context, db *sql.DB, id, n int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var stock int
	if err := tx.QueryRowContext(ctx, readStock, id).Scan(&stock); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, setStock, stock-n, id); err != nil {
		return err
	}
	return tx.Commit()
}
`
	for name, text := range map[string]string{"go.mod": "module example.com/shop\n\ngo 1.24\n", "shop.go": source, "schema.sql": "CREATE TABLE item (id int PRIMARY KEY, stock int NOT NULL);\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, diff, errs := commandLine(t, "fix", "-diff", "-repairs", "1", "./...")
	if code != exitOK || errs != "" || !strings.HasPrefix(diff, "--- a/shop.go\n+++ b/shop.go\n") || strings.Count(diff, "@@ ") != 1 {
		t.Fatalf("code %d\n%s%s", code, diff, errs)
	}
	git := exec.Command("git", "apply", "--check", "-")
	git.Stdin = strings.NewReader(diff)
	if out, err := git.CombinedOutput(); err != nil {
		t.Errorf("%v: %s\n%s", err, out, diff)
	}
	// robust check gives the same repairs with -fix.
	code, out, errs := commandLine(t, "check", "-fix", "-format", "json", "./...")
	var got struct {
		Findings []struct {
			Repairs []struct {
				Kind, Diff string
				Verdict    report.Verdict
				Cost       struct {
					Waits      [][2]string
					Statements int
					Retries    []string
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != exitNotRobust || len(got.Findings) != 1 {
		t.Fatalf("code %d, %v\n%s%s", code, err, out, errs)
	}
	if err := schematest.Compile(t, report.Schema).Validate(schematest.Decode(t, out)); err != nil {
		t.Error(err)
	}
	wait := [][2]string{{"Sell", "Sell"}}
	if first := got.Findings[0].Repairs[0]; first.Kind != "for-update" || first.Diff != diff || first.Verdict != report.Robust || !slices.Equal(first.Cost.Waits, wait) || first.Cost.Statements != 1 || len(first.Cost.Retries) != 0 {
		t.Errorf("the first repair is %+v", first)
	}
	for _, format := range []string{"text", "markdown", "html"} {
		if _, out, _ := commandLine(t, "check", "-fix", "-format", format, "./..."); !strings.Contains(out, "WHERE id = $1 FOR UPDATE") {
			t.Errorf("%s does not show the diff:\n%s", format, out)
		}
	}
	code, out, _ = commandLine(t, "fix", "-apply", "-repairs", "1", "./...")
	text, err := os.ReadFile("shop.go")
	// gofmt moves the comment.
	if want := "\treadStock = \"SELECT stock FROM item WHERE id = $1 FOR UPDATE\" // by key\n"; code != exitOK || err != nil || !strings.Contains(string(text), want) {
		t.Errorf("code %d, %v\n%s\n%s", code, err, out, text)
	}
	if formatted, err := format.Source(text); err != nil || string(formatted) != string(text) {
		t.Errorf("the file is not formatted: %v\n%s", err, text)
	}
	if code, out, _ = commandLine(t, "check", "./..."); code != exitOK {
		t.Errorf("code %d\n%s", code, out)
	}
}

// TestFixUsage: wrong flags and inputs are told, with what to do.
func TestFixUsage(t *testing.T) {
	path := skewed(t)
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"-format", "sarif", path}, "it is text or json"},
		{[]string{"-repairs", "0", path}, "a whole number from 1 on"},
		{[]string{"-checks", "0", path}, "a whole number from 1 on"},
		{[]string{"-timeout", "-1s", path}, "positive"},
		{[]string{"-each", "0s", path}, "positive"},
		{[]string{"-dialect", "mysql", path}, "PostgreSQL"},
		{[]string{"./nowhere/..."}, "no such file or directory"},
		{[]string{".", path}, "Go and SQL are two applications"},
		{[]string{path + "x.sql"}, "no such file"},
	} {
		code, out, errs := commandLine(t, append([]string{"fix"}, tc.args...)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, tc.want) {
			t.Errorf("%v: code %d, want %q\n%s%s", tc.args, code, tc.want, out, errs)
		}
	}
}
