package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
		{[]string{"./..."}, "robust fix repairs .sql files"},
		{[]string{path + "x.sql"}, "no such file"},
	} {
		code, out, errs := commandLine(t, append([]string{"fix"}, tc.args...)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, tc.want) {
			t.Errorf("%v: code %d, want %q\n%s%s", tc.args, code, tc.want, out, errs)
		}
	}
}
