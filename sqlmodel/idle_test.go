package sqlmodel

import (
	"regexp"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/load"
)

// TestIdle checks which statements of other databases touch no rows.
func TestIdle(t *testing.T) {
	sets := regexp.MustCompile("(?i)^(PRAGMA|SET|(UN)?LISTEN) ")
	for _, c := range []struct {
		sql         string
		mysql, idle bool
	}{
		{"PRAGMA foreign_keys = ON", false, true},
		{"pragma main.foreign_keys(1);", false, true},
		{"PRAGMA foreign_keys", false, true},
		{"PRAGMA foreign_keys = OFF", false, false},
		{"PRAGMA defer_foreign_keys = 1", false, false},
		{"PRAGMA ignore_check_constraints = 0", false, false},
		{"PRAGMA user_version = 3", false, false},
		{"PRAGMA foreign_key_check", false, false},
		{"PRAGMA cache_size = -20000", false, true},
		{"PRAGMA wal_checkpoint(FULL)", false, true},
		{"PRAGMA journal_mode = WAL; DELETE FROM t", false, false},
		{"SHOW TABLES; DELETE FROM t", true, false},
		{"SHOW TABLES LIKE 'a'", false, false},
		{"SHOW TABLES LIKE 'a'", true, true},
		{"SHOW FULL COLUMNS FROM t", true, true},
		{"SHOW TABLE STATUS", true, false},
		{"SET NAMES utf8mb4", true, true},
		{"SET SESSION innodb_lock_wait_timeout = 3", true, true},
		{"SET @@session.time_zone = '+00:00'", true, true},
		{"SET time_zone = '+00:00', foreign_key_checks = 0", true, false},
		{"SET foreign_key_checks = 0", true, false},
		{"SET autocommit = 0", true, false},
		{"SET @x = 1", true, false},
		{"USE shop", true, true},
		{"UPDATE t SET a = 1", true, false},
		{"LISTEN " + client.Hole, false, true},
		{`UNLISTEN "` + client.Hole + `";`, false, true},
		{"LISTEN " + client.Hole, true, false},
		{"LISTEN " + client.Hole + "; DELETE FROM t", false, false},
	} {
		if got := load.TouchesNoRows(c.sql, c.mysql); got != c.idle {
			t.Errorf("%s: got %v", c.sql, got)
		}
		prog, err := Client(t.Context(), []File{{Name: "s.sql", Text: programSchema}}, []*client.Txn{txn_("f", vars("n int"), with(sql(c.sql), func(q *client.Query) { q.Into = []string{"n"} }), emit("n"))}, Options{MySQL: c.mysql})
		if err != nil {
			t.Fatal(err)
		}
		if text := prog.Txns[0].String(); strings.Contains(text, "unmodelled") == (c.idle || !sets.MatchString(c.sql)) {
			t.Errorf("%s: got %s", c.sql, text)
		}
	}
}

// TestJoined: a transaction that began elsewhere may have locks, for which its statements may be refused.
func TestJoined(t *testing.T) {
	t.Parallel()
	for _, joined := range []bool{false, true} {
		txn := txn_("f", nil, sql("UPDATE accounts SET balance = 1"))
		txn.Joined = joined
		prog, err := Client(t.Context(), []File{{Name: "s.sql", Text: programSchema}}, []*client.Txn{txn}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(prog.String(), "dropped "); got != map[bool]int{true: 1}[joined] {
			t.Errorf("joined %v: %d places where the database may refuse more:\n%s", joined, got, prog)
		}
	}
}
