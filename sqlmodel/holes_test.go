package sqlmodel

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/schema"
)

// TestFillHoles puts conditions in the place of § where it is a condition, and
// nothing elsewhere.
func TestFillHoles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"SELECT a FROM t WHERE b = $1 AND c IN (§)", "SELECT a FROM t WHERE b = $1 AND c IN (h())"},
		{"SELECT a FROM t WHERE b = $1 AND (§) ORDER BY a", "SELECT a FROM t WHERE b = $1 AND (h()) ORDER BY a"},
		{"DELETE FROM t WHERE b = $1 AND §", ""},
		{"UPDATE t SET a = 1 WHERE b = $1 § RETURNING a", "UPDATE t SET a = 1 WHERE h() RETURNING a"},
		{"UPDATE t SET a = 1 WHERE b = $1 §", ""},
		{"SELECT a FROM t WHERE b = $1 § ORDER BY a LIMIT 1", "SELECT a FROM t WHERE h() ORDER BY a LIMIT 1"},
		{"SELECT a FROM t WHERE b IN (§) AND c = 1 § LIMIT 1", "SELECT a FROM t WHERE h() LIMIT 1"},
		{"SELECT a FROM t §", ""},
		{"SELECT a FROM t WHERE b = 1 ORDER BY § LIMIT 3", ""},
		{"SELECT a FROM t WHERE b = 1 ORDER BY a LIMIT §", ""},
		{"SELECT a FROM t ORDER BY a §", ""},
		{"SELECT § FROM t", "SELECT * FROM t"},
		{"SELECT § FROM t WHERE a = ? AND (§) FOR UPDATE", "SELECT * FROM t WHERE a = ? AND (h()) FOR UPDATE"},
		{"SELECT a, § FROM t", ""},
		{"SELECT DISTINCT § FROM t", ""},
		{"SELECT b FROM t WHERE a IN (SELECT § FROM u)", ""},
		{"SELECT a FROM §", ""},
		{"SELECT a FROM t§ WHERE b = 1", ""},
		{"UPDATE t SET § WHERE b = 1", ""},
		{"UPDATE t SET a = 1 §", ""},
		{"INSERT INTO t VALUES (§)", ""},
		{"SELECT a FROM t WHERE b = f(§)", ""},
		{"SELECT a FROM t WHERE b IN (SELECT c FROM u WHERE §)", ""},
		{"SELECT a FROM t WHERE b = 1 § UNION SELECT a FROM u", ""},
		{"SELECT count(*) FROM t WHERE § GROUP BY a", ""},
		{"SELECT a FROM t WHERE § ; DELETE FROM t", ""},
		{"§", ""},
	} {
		got, star, ok := load.FillHoles(strings.ReplaceAll(c.text, "§", client.Hole))
		got = strings.NewReplacer(schema.HoleFunc, "h", "( ", "(", " )", ")").Replace(strings.Join(strings.Fields(got), " "))
		if star != strings.Contains(c.want, "*") {
			t.Errorf("%s: columns are known: %v", c.text, !star)
		}
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s:\n got %v %s\nwant %s", c.text, ok, got, c.want)
		}
	}
}

// TestBackticks writes names as MySQL quotes them.
func TestBackticks(t *testing.T) {
	if got, want := load.WithoutBackticks("SELECT `aB` FROM t WHERE b = '`C`'"), `SELECT "ab" FROM t WHERE b = '`+"`C`'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
