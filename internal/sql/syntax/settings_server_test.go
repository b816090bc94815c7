package syntax_test

import (
	"context"
	"math/rand"
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// TestSettings: random sequences of statements set what a server says that they set.
func TestSettings(t *testing.T) {
	server := pgtest.Open(t)
	conn := server.Conn(t, server.Database(t))
	ctx := context.Background()
	statements := []string{
		"SET default_transaction_isolation = 'serializable'",
		"SET SESSION Default_Transaction_Isolation TO 'repeatable read'",
		"SET default_transaction_isolation TO DEFAULT",
		"RESET default_transaction_isolation",
		"SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED",
		"SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY, ISOLATION LEVEL SERIALIZABLE",
		"SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
		"SET LOCAL default_transaction_isolation = 'serializable'",
		"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
		"SELECT set_config('default_transaction_isolation', 'read uncommitted', false)",
		"SELECT set_config('default_transaction_isolation', 'serializable', true)",
		"SET session_replication_role = replica",
		"SET session_replication_role TO 'local'",
		"SET session_replication_role = DEFAULT",
		"SELECT set_config('session_replication_role', 'replica', false)",
		"SELECT set_config('session_replication_role', 'origin', false)",
		"RESET session_replication_role",
		"RESET ALL",
		"DISCARD ALL",
		"DISCARD PLANS",
		"SET lock_timeout = '1s'",
	}
	rnd := rand.New(rand.NewSource(15))
	for range 60 {
		if _, err := conn.Exec(ctx, "RESET ALL"); err != nil {
			t.Fatal(err)
		}
		var got syntax.Settings
		var done []string
		for range 1 + rnd.Intn(6) {
			sql := statements[rnd.Intn(len(statements))]
			done = append(done, sql)
			if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			tree, err := pg.Parse(sql)
			if err != nil {
				t.Fatal(err)
			}
			got.Take(pg.Inner(tree[0].Stmt))
		}
		read := func(name string) string {
			res, err := conn.PgConn().Exec(ctx, "SHOW "+name).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			return string(res[0].Rows[0][0])
		}
		level, role := read("default_transaction_isolation"), read("session_replication_role")
		if want := syntax.NameOr(got.Level, "read committed"); want != level || got.Unchecked != (role == "replica") {
			t.Errorf("after %q the settings are %+v, and the server says %s and %s", done, got, level, role)
		}
	}
}
