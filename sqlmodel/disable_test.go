package sqlmodel_test

import (
	"context"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/sqlmodel"
)

// TestSwitchTriggers: triggers that are turned off do not run, and with all of them
// foreign keys are not checked. A server says the same.
func TestSwitchTriggers(t *testing.T) {
	server := pgtest.Open(t)
	const tables = `CREATE TABLE a (id int PRIMARY KEY);
CREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a, n int);
CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stop'; END $$;
CREATE TRIGGER x BEFORE UPDATE OF n ON b FOR EACH ROW EXECUTE FUNCTION stop();
`
	const update, key = "UPDATE b SET n = 1;", "UPDATE b SET a = 7;"
	for _, c := range []struct {
		alter                       string
		stops, guarded, notModelled bool
	}{
		{"", true, true, false},
		{"ALTER TABLE b DISABLE TRIGGER x;", false, true, false},
		{"ALTER TABLE b DISABLE TRIGGER x; ALTER TABLE b ENABLE TRIGGER x;", true, true, false},
		{"ALTER TABLE b DISABLE TRIGGER USER;", false, true, false},
		{"ALTER TABLE b DISABLE TRIGGER USER; ALTER TABLE b ENABLE TRIGGER USER;", true, true, false},
		{"ALTER TABLE b ENABLE REPLICA TRIGGER x;", false, true, false},
		{"ALTER TABLE b DISABLE TRIGGER x; ALTER TABLE b ENABLE ALWAYS TRIGGER x;", true, true, false},
		{"ALTER TABLE b DISABLE TRIGGER ALL;", false, false, true},
		{"ALTER TABLE a DISABLE TRIGGER ALL;", true, true, true}, // the child is checked still
		{"ALTER TABLE b DISABLE TRIGGER ALL; ALTER TABLE b ENABLE TRIGGER ALL;", true, true, false},
		{"ALTER TABLE b DISABLE TRIGGER ALL; ALTER TABLE b ENABLE TRIGGER USER;", true, false, true},
		{"ALTER TABLE b DISABLE TRIGGER x; DROP TRIGGER x ON b; ALTER TABLE b ENABLE TRIGGER ALL;", false, true, false},
	} {
		t.Run(c.alter, func(t *testing.T) {
			dsn := server.Database(t)
			server.Exec(t, dsn, tables+c.alter+"INSERT INTO a VALUES (1); INSERT INTO b VALUES (1, 1, 0);")
			conn := server.Conn(t, dsn)
			for sql, want := range map[string]bool{update: c.stops, key: c.guarded} {
				if _, err := conn.Exec(context.Background(), sql); (err != nil) != want {
					t.Errorf("the server does %s with error %v, want one: %t", sql, err, want)
				}
			}
			for _, sql := range []string{update, key} {
				p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "s.sql", Text: tables + c.alter + "\nCREATE FUNCTION f() RETURNS void LANGUAGE sql AS '" + sql + "';"}}, sqlmodel.Options{})
				if err != nil {
					t.Fatal(err)
				}
				text := p.Txn("f").String()
				if got := strings.Contains(text, "abort") || strings.Contains(text, "fail"); got != (sql == update && c.stops) {
					t.Errorf("%s stops: %t\n%s", sql, got, text)
				}
				if got := havocs(p); (got != "") != (sql == key && c.notModelled) {
					t.Errorf("%s: not modelled is %q\n%s", sql, got, p)
				}
				if got := len(p.Tables[1].ForeignKeys) > 0; got == c.notModelled {
					t.Errorf("b has a foreign key: %t", got)
				}
			}
		})
	}
}
