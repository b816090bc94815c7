package sqlmodel_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/sqlmodel"
)

// TestModelledOrNot: what the IR cannot say is not said, and what stands beside it is.
func TestModelledOrNot(t *testing.T) {
	const parent = "CREATE TABLE r (id int PRIMARY KEY); CREATE TABLE a (id int PRIMARY KEY, r int REFERENCES r ON DELETE CASCADE); "
	const remove = " CREATE FUNCTION f(k int) RETURNS void LANGUAGE sql AS 'DELETE FROM r WHERE id = k';"
	guarded := func(when, text string) string {
		return parent + "CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN " + text + " END'; CREATE TRIGGER g " + when + " FOR EACH ROW EXECUTE FUNCTION g();"
	}
	seen := func(when, statement string) string {
		result := "void"
		if strings.Contains(statement, "RETURNING") {
			result = "int"
		}
		return "CREATE TABLE t (id int PRIMARY KEY, n int); CREATE TABLE w (id int PRIMARY KEY, n int); CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE w SET n = n + 1; RETURN NULL; END'; " +
			"CREATE TRIGGER g " + when + " EXECUTE FUNCTION g(); CREATE FUNCTION f(k int) RETURNS " + result + " LANGUAGE sql AS '" + statement + "';"
	}
	const keyed = "CREATE TABLE t (id int PRIMARY KEY, n int, m int UNIQUE%s); CREATE FUNCTION f(k int) RETURNS void LANGUAGE sql AS 'INSERT INTO t VALUES (k, k, k) ON CONFLICT DO NOTHING';"
	const stable = "CREATE TABLE t (id int PRIMARY KEY, n int); CREATE FUNCTION f(k int) RETURNS int LANGUAGE sql %s AS 'SELECT n FROM t WHERE id = k FOR UPDATE';"
	const handled = "CREATE TABLE t (id int PRIMARY KEY, n int); CREATE FUNCTION f(k int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN BEGIN SELECT n INTO x FROM t WHERE id = k%s; IF x > 1 THEN RAISE EXCEPTION 'no' USING ERRCODE = 'P0099'; END IF; EXCEPTION WHEN SQLSTATE 'P0099' THEN %s END; RETURN 0; END $$;"
	const upsert = "CREATE TABLE t (id int PRIMARY KEY, n int, u int UNIQUE); CREATE FUNCTION f(k int) RETURNS int LANGUAGE sql AS 'INSERT INTO t VALUES (k, k, k) ON CONFLICT (u) DO UPDATE SET %s = excluded.n + 1 RETURNING n';"
	for _, c := range []struct {
		name, sql, word string
		has             bool // whether the program has the word
	}{
		{"rows that one action reaches", parent + "CREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a ON DELETE CASCADE);" + remove, "unmodelled", false},
		{"rows that actions reach in two ways", parent + "CREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a ON DELETE CASCADE, r int REFERENCES r ON DELETE CASCADE);" + remove, "unmodelled", true},
		{"rows that actions reach beside each other", parent + "CREATE TABLE b (id int PRIMARY KEY, r int REFERENCES r ON DELETE CASCADE);" + remove, "unmodelled", false},
		{"rows that actions reach, of which some refer to others", parent + "CREATE TABLE b (id int PRIMARY KEY, r int REFERENCES r ON DELETE CASCADE, a int REFERENCES a);" + remove, "unmodelled", true},
		{"a row that refers to what an action took", parent + "CREATE TABLE c (id int PRIMARY KEY, a int REFERENCES a); CREATE FUNCTION f(k int) RETURNS void LANGUAGE sql AS 'DELETE FROM r WHERE id = k; INSERT INTO c VALUES (k, k)';", "unmodelled", true},
		{"a row that refers to nothing, after an action", parent + "CREATE TABLE c (id int PRIMARY KEY, a int); CREATE FUNCTION f(k int) RETURNS void LANGUAGE sql AS 'DELETE FROM r WHERE id = k; INSERT INTO c VALUES (k, k)';", "unmodelled", false},
		{"ON CONFLICT of any key", strings.Replace(keyed, "%s", "", 1), "unmodelled", false},
		{"ON CONFLICT of any key, of which one is checked at commit", strings.Replace(keyed, "%s", " DEFERRABLE INITIALLY DEFERRED", 1), "on conflict", false},
		{"an action on rows with a trigger before", guarded("BEFORE DELETE ON a", "IF old.id > 3 THEN RETURN NULL; END IF; RETURN old;") + remove, "delete r", false},
		{"an action on rows with a trigger before something else", guarded("BEFORE INSERT ON a", "IF new.id > 3 THEN RETURN NULL; END IF; RETURN new;") + remove, "delete r", true},
		{"a statement that looks at what a trigger wrote before", seen("BEFORE UPDATE ON t FOR EACH STATEMENT", "UPDATE t SET n = (SELECT max(n) FROM w) WHERE id = k"), "unmodelled", true},
		{"a statement that looks at what a trigger writes behind it", seen("AFTER UPDATE ON t FOR EACH STATEMENT", "UPDATE t SET n = (SELECT max(n) FROM w) WHERE id = k"), "unmodelled", false},
		{"RETURNING that looks at what a row trigger of an UPDATE wrote", seen("AFTER UPDATE ON t FOR EACH ROW", "UPDATE t SET n = 7 WHERE id = k RETURNING (SELECT max(n) FROM w)"), "unmodelled", true},
		{"RETURNING that looks at what a row trigger of an INSERT would write", seen("AFTER INSERT ON t FOR EACH ROW", "UPDATE t SET n = 7 WHERE id = k RETURNING (SELECT max(n) FROM w)"), "unmodelled", false},
		{"a STABLE function that locks", strings.Replace(stable, "%s", "STABLE", 1), "for update", false},
		{"a VOLATILE function that locks", strings.Replace(stable, "%s", "VOLATILE", 1), "for update", true},
		{"a handler of a block that locks", strings.NewReplacer("x FROM t WHERE id = k%s", "x FROM t WHERE id = k FOR UPDATE", "THEN %s", "THEN RETURN 1;").Replace(handled), "rollback to", true},
		{"a handler of a block that reads", strings.NewReplacer("x FROM t WHERE id = k%s", "x FROM t WHERE id = k", "THEN %s", "THEN RETURN 1;").Replace(handled), "rollback to", false},
		{"a handler that raises", strings.NewReplacer("x FROM t WHERE id = k%s", "x FROM t WHERE id = k", "THEN %s", "THEN RAISE;").Replace(handled), "abort", true},
		{"a handler that may return", strings.NewReplacer("x FROM t WHERE id = k%s", "x FROM t WHERE id = k", "THEN %s", "THEN IF k > 0 THEN RETURN 1; END IF; RAISE;").Replace(handled), "emit 1", true},
		{"a trigger on a view that writes another table", "CREATE TABLE t (id int PRIMARY KEY, n int); CREATE TABLE w (id int PRIMARY KEY); CREATE VIEW v AS SELECT id, n FROM t; CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO w VALUES (new.id); RETURN new; END'; CREATE TRIGGER g INSTEAD OF UPDATE ON v FOR EACH ROW EXECUTE FUNCTION g(); CREATE FUNCTION f(k int) RETURNS void LANGUAGE sql AS 'UPDATE v SET n = k';", "unmodelled (t, w)", true},
		{"a rule on a view that writes another table", "CREATE TABLE t (id int PRIMARY KEY, n int); CREATE TABLE w (id int PRIMARY KEY); CREATE VIEW v AS SELECT id, n FROM t; CREATE RULE r AS ON UPDATE TO v DO INSTEAD INSERT INTO w VALUES (new.id); CREATE FUNCTION f(k int) RETURNS void LANGUAGE sql AS 'UPDATE v SET n = k';", "unmodelled (t, w)", true},
		{"a write of a view of one table", "CREATE TABLE t (id int PRIMARY KEY, n int); CREATE VIEW v AS SELECT id, n AS m FROM t WHERE id > 3; CREATE FUNCTION f(k int) RETURNS void LANGUAGE sql AS 'UPDATE v SET m = k';", "update t set n = k where t.id > 3", true},
		{"a default of a sequence", "CREATE SEQUENCE q; CREATE TABLE t (id int PRIMARY KEY, n int DEFAULT nextval('q')); CREATE FUNCTION f(k int) RETURNS void LANGUAGE sql AS 'INSERT INTO t (id) VALUES (k)';", ":= fresh", true},
		{"a default of what a sequence gave last", "CREATE SEQUENCE q; CREATE TABLE t (id int PRIMARY KEY, n int DEFAULT currval('q')); CREATE FUNCTION f(k int) RETURNS void LANGUAGE sql AS 'INSERT INTO t (id) VALUES (k)';", ":= fresh", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := body(program(t, c.sql))
			if got := strings.Contains(text, c.word); got != c.has {
				t.Errorf("%q: %t, in\n%s\nof\n%s", c.word, got, text, c.sql)
			}
		})
	}
	// What an upsert returns is read behind it.
	text := body(program(t, strings.Replace(upsert, "%s", "n", 1)))
	if read, write := strings.Index(text, "select "), strings.Index(text, "insert "); write < 0 || read < write {
		t.Errorf("the row is read at %d, and written at %d\n%s", read, write, text)
	}
	if text := body(program(t, strings.Replace(upsert, "%s", "u", 1))); !strings.Contains(text, "unmodelled (t) 'RETURNING") {
		t.Errorf("a column in conflict changes, and what is returned is read in\n%s", text)
	}
	if _, err := sqlmodel.Parse([]sqlmodel.File{{Name: "s.sql", Text: "CREATE TABLE t (n int); CREATE FUNCTION f() RETURNS void LANGUAGE sql AS 'INSERT INTO t VALUES (1) ON CONFLICT (rowid) DO NOTHING';"}}, sqlmodel.Options{}); err == nil {
		t.Error("ON CONFLICT names a column that only the IR has")
	}
}
