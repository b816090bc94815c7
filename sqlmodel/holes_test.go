package sqlmodel

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/client"
)

// TestFillHoles puts conditions in the place of § where it is a condition, and
// nothing elsewhere.
func TestFillHoles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"SELECT a FROM t WHERE b = $1 AND c IN (§)", "SELECT a FROM t WHERE b = $1 AND c IN (h())"},
		{"SELECT a FROM t WHERE b = $1 AND (§) ORDER BY a", "SELECT a FROM t WHERE b = $1 AND (h()) ORDER BY a"},
		{"DELETE FROM t WHERE b = $1 AND §", "DELETE FROM t WHERE ((b = $1 AND h()) OR h()) AND h()"},
		{"UPDATE t SET a = 1 WHERE b = $1 §", "UPDATE t SET a = 1 WHERE ((b = $1 AND h()) OR h()) AND h()"},
		{"SELECT a FROM t WHERE b = $1 § ORDER BY a LIMIT 1", "SELECT a FROM t WHERE ((b = $1 AND h()) OR h()) AND h() ORDER BY a LIMIT 1"},
		{"SELECT a FROM t §", "SELECT a FROM t WHERE h()"},
		{"SELECT a FROM t WHERE b = 1 ORDER BY § LIMIT 3", "SELECT a FROM t WHERE (b = 1) AND h() LIMIT 3"},
		{"SELECT a FROM t WHERE b = 1 ORDER BY a LIMIT §", "SELECT a FROM t WHERE (b = 1) AND h() ORDER BY a"},
		{"SELECT a FROM t ORDER BY a §", "SELECT a FROM t WHERE h() ORDER BY a"},
		{"SELECT § FROM t", ""},
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
		got, ok := fillHoles(strings.ReplaceAll(c.text, "§", client.Hole))
		got = strings.NewReplacer(holeFunc, "h", "( ", "(", " )", ")").Replace(strings.Join(strings.Fields(got), " "))
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s:\n got %v %s\nwant %s", c.text, ok, got, c.want)
		}
	}
}

// TestMySQLTexts writes texts that only MySQL has.
func TestMySQLTexts(t *testing.T) {
	got, ok := withoutLimit("UPDATE t SET a = ? WHERE b = ? OR c = 1 ORDER BY d LIMIT 1")
	want := "UPDATE t SET a = ? WHERE ( b = ? OR c = 1 ) AND " + holeFunc + "()"
	if got = strings.Join(strings.Fields(got), " "); !ok || got != want {
		t.Errorf("got %v %s, want %s", ok, got, want)
	}
	got, ok = withoutLimit("DELETE FROM t LIMIT 5")
	if got = strings.Join(strings.Fields(got), " "); !ok || got != "DELETE FROM t WHERE "+holeFunc+"()" {
		t.Errorf("got %v %s", ok, got)
	}
	for _, text := range []string{"UPDATE t SET a = 1", "SELECT a FROM t LIMIT 1", "DELETE FROM t WHERE a IN (SELECT b FROM u LIMIT 1)"} {
		if got, ok := withoutLimit(text); ok {
			t.Errorf("%s has no limit, but %s", text, got)
		}
	}
	if got, want := withoutBackticks("SELECT `aB` FROM t WHERE b = '`C`'"), `SELECT "ab" FROM t WHERE b = '`+"`C`'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
