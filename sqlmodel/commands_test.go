package sqlmodel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/ir"
)

// TestCommands: statements are part of the command that the server runs with one
// snapshot at READ COMMITTED, and locks that no statement has are known.
func TestCommands(t *testing.T) {
	const schemaName = `CREATE TABLE t (id int PRIMARY KEY, v int); CREATE TABLE u (id int PRIMARY KEY, v int);
CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO u SELECT new.id, count(*) FROM u; RETURN new; END $$;
CREATE TRIGGER noted AFTER UPDATE ON t FOR EACH ROW EXECUTE FUNCTION noted();
CREATE FUNCTION twice() RETURNS int LANGUAGE plpgsql AS $$ DECLARE a int; BEGIN SELECT v INTO a FROM u; SELECT a + v INTO a FROM u; RETURN a; END $$;
`
	function := func(body string) string {
		return "CREATE FUNCTION f(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE a int; b int; BEGIN " + body + " RETURN a; END $$;"
	}
	for _, c := range []struct {
		name, text string
		// commands groups the statements that have to do with tables: those of one
		// command together.
		commands string
		dropped  string
	}{
		{"straight", function("SELECT v INTO a FROM t WHERE id = p; UPDATE u SET v = a WHERE id = p;"), "Select; Update", ""},
		{"subquery", function("UPDATE u SET v = (SELECT max(v) FROM t) WHERE id = p; DELETE FROM u;"), "Select Update; Delete", ""},
		{"insert select", function("INSERT INTO u SELECT id, v FROM t; DELETE FROM t;"), "Foreach Insert; Delete", ""},
		{"condition", function("IF (SELECT count(*) FROM t) > 3 THEN DELETE FROM u; END IF;"), "Select; Delete", ""},
		{"loop", function("FOR a IN SELECT id FROM t LOOP UPDATE u SET v = 1 WHERE id = a; DELETE FROM u WHERE id = p; END LOOP;"), "Foreach; Update; Delete", ""},
		{"call", function("a := twice(); DELETE FROM u;"), "Select Select; Delete", ""},
		{"trigger", function("UPDATE t SET v = 1 WHERE id = p; DELETE FROM u;"), "Select Update Select Insert; Delete", ""},
		{"stable", strings.Replace(function("SELECT v INTO a FROM t; SELECT v INTO b FROM u;"), "plpgsql AS", "plpgsql STABLE AS", 1), "Select Select", ""},
		{"sql", "CREATE FUNCTION f(p int) RETURNS bigint LANGUAGE sql AS $$ UPDATE u SET v = 1; SELECT count(*) FROM u; $$;", "Update; Select", ""},
		{"script", "-- name: f\nBEGIN; SELECT v FROM u WHERE id = :p; UPDATE u SET v = 2 WHERE id = :p; COMMIT;", "EmitRows; Update", ""},
		{"advisory", function("PERFORM pg_advisory_xact_lock(p); DELETE FROM u;"), "Delete", "advisory lock"},
		{"try", function("IF pg_try_advisory_xact_lock(p) THEN DELETE FROM u; END IF;"), "Delete", "advisory lock"},
		{"lock in exists", function("IF EXISTS (SELECT 1 FROM t WHERE id = p FOR UPDATE) THEN DELETE FROM u; END IF;"), "LockRows If; Delete", ""},
		{"lock", function("SELECT v INTO a FROM t WHERE id = p FOR UPDATE; DELETE FROM u;"), "Select; Delete", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Parse([]File{{Name: "f.sql", Text: schemaName + c.text}}, Options{Txns: []string{"f"}})
			if err != nil {
				t.Fatal(err)
			}
			f := p.Txn("f")
			got, last, dropped := "", 0, ""
			ir.Walk(f.Body, func(s ir.Stmt) {
				if d, ok := s.(*ir.Dropped); ok {
					dropped += d.Kind.String()
				}
				if len(ir.Reads(s)) == 0 && ir.Written(s) == nil {
					return
				}
				name := strings.TrimPrefix(fmt.Sprintf("%T", s), "*ir.")
				switch {
				case s.Command() == 0:
					got += "; ?"
				case s.Command() == last:
					got += " "
				default:
					got += "; "
				}
				got += name
				last = s.Command()
			})
			if got = strings.TrimPrefix(got, "; "); got != c.commands || dropped != c.dropped {
				t.Errorf("got  %s, dropped %s\nwant %s, dropped %s\n%s", got, dropped, c.commands, c.dropped, p)
			}
		})
	}
}

// TestLevelIsNotSent: what a script sets is the level of the transaction, and whoever replays it begins at the level
// that is judged.
func TestLevelIsNotSent(t *testing.T) {
	for _, c := range []struct{ set, level, sent string }{
		{"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "serializable", "SELECT v FROM u"},
		{"SET LOCAL transaction_isolation = 'serializable'", "serializable", "SELECT v FROM u"},
		{"SET TRANSACTION READ ONLY", "", "SET TRANSACTION READ ONLY; SELECT v FROM u"},
	} {
		p, err := Parse([]File{{Name: "f.sql", Text: "CREATE TABLE u (id int PRIMARY KEY, v int);\n-- name: f\nBEGIN; " + c.set + "; SELECT v FROM u; COMMIT;"}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var sent []string
		ir.Walk(p.Txns[0].Body, func(s ir.Stmt) {
			if send, ok := s.(*ir.Send); ok {
				sent = append(sent, strings.Join(send.Text, "§"))
			}
		})
		if got := strings.Join(sent, "; "); got != c.sent || p.Txns[0].Level != c.level {
			t.Errorf("%s: level %q, sent %q; want %q, %q", c.set, p.Txns[0].Level, got, c.level, c.sent)
		}
	}
}
