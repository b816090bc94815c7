package sqlmodel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/sqlmodel"
)

// parseFound reads a transaction over a schema that was found.
func parseFound(t *testing.T, schema, txn string) *ir.Program {
	t.Helper()
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "q.sql", Text: txn}}, sqlmodel.Options{Schema: []sqlmodel.File{{Name: "found.sql", Text: schema}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// havocs describes the statements that are not modelled: their tables, or * for
// all.
func havocs(p *ir.Program) string {
	var out []string
	for _, txn := range p.Txns {
		ir.Walk(txn.Body, func(s ir.Stmt) {
			if u, ok := s.(*ir.Unmodelled); ok {
				tables := "*"
				if u.Tables != nil {
					tables = ""
					for _, t := range u.Tables {
						tables += t.Name + " "
					}
				}
				out = append(out, u.Reason+": "+strings.TrimSpace(tables))
			}
		})
	}
	return strings.Join(out, "; ")
}

// TestFoundSchema is what becomes of statements of a schema that cannot be read:
// what is known of the tables that they name.
func TestFoundSchema(t *testing.T) {
	const tables = "CREATE TABLE a (id int PRIMARY KEY, v int);\nCREATE TABLE b (id int PRIMARY KEY, v int);\n"
	const writes = "-- name: t\nUPDATE a SET v = 1 WHERE id = $1;"
	unknown := "a table of which the schema was not read: *"
	for _, c := range []struct {
		name, schema, txn string
		havocs            string
		// note is how a note begins, with its place.
		note string
	}{
		{"all is read", tables, writes, "", ""},
		{"no SQL, of other tables", tables + "PRAGMA foreign_keys = ON;\n", writes, "", "found.sql:3:1: this statement is left out"},
		{"no SQL, of this table", tables + "\n  ALTER TABLE a SET FANCY;\n", writes, unknown, "found.sql:4:21: this statement is left out"},
		{"quoted", tables + `ALTER TABLE "a" SET FANCY;`, writes, unknown, "found.sql:3:21: this statement is left out"},
		{"a key for a table that is not there", tables + "ALTER TABLE b ADD FOREIGN KEY (v) REFERENCES gone (id);", writes, "", "found.sql:3:19: no statement on b is modelled"},
		{"the table with that key", tables + "ALTER TABLE b ADD FOREIGN KEY (v) REFERENCES gone (id);", "-- name: t\nDELETE FROM b;", unknown, ""},
		{"a column that is not there", tables + "ALTER TABLE a DROP COLUMN w;", writes, unknown, "found.sql:3:13: this statement is left out"},
		{"a declaration in another dialect", "CREATE TABLE a (id int AUTO_INCREMENT);", writes, unknown, "found.sql:1:24: this statement is left out"},
		{"a trigger in a language that is broken", tables + "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN FROB; END $$;\nCREATE TRIGGER g BEFORE UPDATE ON a FOR EACH ROW EXECUTE FUNCTION f();", writes,
			"trigger g (BEFORE): trigger g, whose function is not declared here: *", "found.sql:3:66: this statement is left out"},
		{"a function that is declared again, and broken", tables + "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';\nCREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT FROM FROM';",
			"-- name: t\nUPDATE a SET v = f() WHERE id = $1;", "the function f, which is not declared here: *", ""},
		{"a view that is declared again, and broken", tables + "CREATE VIEW w AS SELECT * FROM b;\nCREATE OR REPLACE VIEW w AS SELECT * FROM b FANCY JOIN;", "-- name: t\nSELECT * FROM w WHERE id = $1;",
			"a view of which the schema was not read (w): *", ""},
		{"a role that a template names", tables + "GRANT SELECT, UPDATE ON a TO {{.app_user}};\nREVOKE ALL ON a FROM ${ROLE}, PUBLIC;\nALTER TABLE a OWNER TO {{ .owner }};\n", writes, "", ""},
		{"a function that a role which a template names may execute", tables + "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';\nREVOKE ALL ON FUNCTION f() FROM PUBLIC;\nGRANT EXECUTE ON FUNCTION f() TO {{.app}};",
			"-- name: t\nUPDATE a SET v = f() WHERE id = $1;", "", ""},
		{"a role that may be PUBLIC and loses a function", tables + "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';\nREVOKE ALL ON FUNCTION f() FROM {{.app}};",
			"-- name: t\nUPDATE a SET v = f() WHERE id = $1;", "the function f, which is not declared here: *", "found.sql:4:33: this statement is left out"},
		{"a table that a template names", tables + "GRANT SELECT ON {{.table}} TO a;", writes, unknown, "found.sql:3:17: this statement is left out"},
		{"a column that a template names", tables + "ALTER TABLE a ADD {{.column}} int UNIQUE;", writes, unknown, "found.sql:3:19: this statement is left out"},
		{"a column that is called operator", tables + "ALTER TABLE a ADD operator text CHECK (operator IN ('<', '>'));", writes, "", ""},
		{"a block that changes the schema", tables + "DO $$ BEGIN EXECUTE 'ALTER TABLE a ADD UNIQUE (v)'; END $$;", writes, unknown, "found.sql:3:1: a DO block is not run"},
		{"a block that adds a constraint which is not there", tables + "DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conname = 'a_v') THEN ALTER TABLE a ADD CONSTRAINT a_v UNIQUE (v); END IF; END $$;", writes,
			"", "found.sql:3:1: statements of this DO block stand under conditions"},
		{"a block that adds a column which is there", tables + "DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE table_name = 'a' AND column_name = 'v') THEN ALTER TABLE a ADD COLUMN v int; END IF; END $$;", writes,
			"", "found.sql:3:1: statements of this DO block stand under conditions"},
		{"a block that drops what may be there", tables + "DO $$ BEGIN IF EXISTS (SELECT 1 FROM pg_constraint WHERE conname = 'gone') THEN ALTER TABLE a DROP CONSTRAINT gone; END IF; ALTER TABLE a ADD CHECK (v > 0); END $$;", writes,
			"", "found.sql:3:1: statements of this DO block stand under conditions"},
		{"a block that takes what is there for done", tables + "DO $$ BEGIN CREATE TABLE a (id int); EXCEPTION WHEN duplicate_table THEN NULL; END $$;", writes, "", "found.sql:3:1: statements of this DO block"},
		{"a block that makes a trigger once", tables + "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.v = NEW.v + 1; RETURN NEW; END $$;\n" + strings.Repeat("DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgname = 'g') THEN CREATE TRIGGER g BEFORE UPDATE ON a FOR EACH ROW EXECUTE FUNCTION f(); END IF; END $$;\n", 2), writes,
			"", "found.sql:5:1: statements of this DO block"},
		{"a block with a condition on rows", tables + "DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM b) THEN ALTER TABLE a ADD UNIQUE (v); END IF; END $$;", writes, unknown, "found.sql:3:50: whether this statement runs is not known"},
		{"a block about something else", tables + "DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_class WHERE relname = 'c') THEN ALTER TABLE a ADD UNIQUE (v); END IF; END $$;", writes, unknown, "found.sql:3:77: whether this statement runs is not known"},
		{"a block that makes a type of ranges where it is not there", "DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_type WHERE typname = 'span') THEN CREATE TYPE span AS RANGE (SUBTYPE = integer[]); END IF; END $$;\n" + tables,
			writes, "", "found.sql:1:1: statements of this DO block"},
		{"a block that loads an extension", "DO $$ DECLARE a text; BEGIN EXECUTE 'CREATE EXTENSION IF NOT EXISTS citext'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS a = RETURNED_SQLSTATE; RAISE EXCEPTION '%', a; END $$;\n" + tables, writes, "", ""},
		{"a block that names other tables than those behind it", "DO $$ BEGIN IF EXISTS (SELECT 1 FROM z) THEN ALTER TABLE z ADD w int; END IF; END $$;\n" + tables, writes, "", "found.sql:1:46: whether this statement runs is not known"},
		{"a block that names the table behind it", "DO $$ BEGIN IF EXISTS (SELECT 1 FROM z) THEN ALTER TABLE a ADD w int; END IF; END $$;\n" + tables, writes, unknown, "found.sql:1:46: whether this statement runs is not known"},
		{"a block that may end before", tables + "DO $$ BEGIN IF EXISTS (SELECT 1 FROM b) THEN RETURN; END IF; ALTER TABLE a ADD UNIQUE (v); END $$;", writes, unknown, "found.sql:3:1: a DO block is not run"},
		{"a block that computes a change of rows", tables + "DO $$ BEGIN EXECUTE format('UPDATE %I SET v = 0', 'a'); END $$;", writes, "", ""},
		{"a block that changes the schema in a loop", tables + "DO $$ BEGIN FOR i IN 1..2 LOOP ALTER TABLE a ADD UNIQUE (v); END LOOP; END $$;", writes, unknown, "found.sql:3:1: a DO block is not run"},
		{"a block that drops a check by a name that it looks for", tables + "ALTER TABLE a ADD CHECK (v > 0);\nDO $$ DECLARE c text; BEGIN SELECT conname INTO c FROM pg_constraint WHERE conrelid = 'a'::regclass AND contype = 'c'; EXECUTE 'ALTER TABLE a DROP CONSTRAINT ' || quote_ident(c); END $$;", writes,
			"", "found.sql:3:19: check a_check1 is left out: a check of a whose name is computed is dropped later"},
		{"a block that drops a check by a name that it looks for, where there is none", tables + "DO $$ DECLARE c text; BEGIN SELECT conname INTO c FROM pg_constraint WHERE conrelid = 'a'::regclass AND contype = 'c'; EXECUTE 'ALTER TABLE a DROP CONSTRAINT ' || quote_ident(c); END $$;", writes,
			"", ""},
		{"a block that drops any constraint", tables + "DO $$ DECLARE c text; BEGIN SELECT conname INTO c FROM pg_constraint WHERE conrelid = 'a'::regclass; EXECUTE format('ALTER TABLE a DROP CONSTRAINT %I', c); END $$;", writes,
			unknown, "found.sql:3:1: a DO block is not run"},
		{"a block that drops a key by a name that it looks for", tables + "DO $$ DECLARE c text; BEGIN SELECT conname INTO c FROM pg_constraint WHERE contype = 'u'; EXECUTE format('ALTER TABLE a DROP CONSTRAINT %I', c); END $$;", writes,
			unknown, "found.sql:3:1: a DO block is not run"},
		{"a block that adds another constraint, too", tables + "DO $$ DECLARE c text; BEGIN SELECT conname INTO c FROM pg_constraint WHERE contype = 'c'; EXECUTE 'ALTER TABLE a DROP CONSTRAINT ' || c || ', ADD UNIQUE (v)'; END $$;", writes,
			unknown, "found.sql:3:1: a DO block is not run"},
		{"a block that makes a text longer", tables + "ALTER TABLE a ADD t varchar(20);\nDO $$ DECLARE n int; BEGIN SELECT atttypmod INTO n FROM pg_attribute; IF n < 255 THEN ALTER TABLE a ALTER COLUMN t TYPE varchar(255); END IF; END $$;", writes, "", ""},
		{"a block that makes a number of a text", tables + "ALTER TABLE a ADD t varchar(20);\nDO $$ DECLARE n int; BEGIN SELECT atttypmod INTO n FROM pg_attribute; IF n < 255 THEN ALTER TABLE a ALTER COLUMN t TYPE int USING 1; END IF; END $$;", writes,
			unknown, "found.sql:4:87: whether this statement runs is not known"},
		{"a block that changes rows", tables + "DO $$ BEGIN UPDATE a SET v = 0; END $$;", writes, "", ""},
		{"a function that may change the schema", tables + "SELECT audit('a');", writes, unknown, "found.sql:3:1: this SELECT calls a function"},
		{"a function that does not", tables + "SELECT pg_catalog.setval('a', 1);", writes, "", ""},
		{"changes of rows", tables + "INSERT INTO a VALUES (1, 2); UPDATE a SET v = 3; DELETE FROM a; TRUNCATE a; LOCK TABLE a;", writes, "", ""},
		{"taken back", tables + "BEGIN; ALTER TABLE a ADD UNIQUE (v); ROLLBACK;", writes, unknown, "found.sql:3:38: this takes back"},
		{"committed", tables + "BEGIN; ALTER TABLE a ADD UNIQUE (v); COMMIT;", writes, "", ""},
		{"a table that nobody declares", tables, "-- name: t\nUPDATE c SET v = 1 WHERE id = $1;", unknown, "q.sql:2:1: the schema that was found has no table c"},
		{"a file that cannot be split", tables + "CREATE TABLE c (t text DEFAULT 'x);", writes, unknown, "found.sql:3:32: this file is left out"},
		{"a body with semicolons", tables + "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END;\nPRAGMA x;", writes, "", "found.sql:4:1: this statement is left out"},
		{"the name of the hidden key", tables + "CREATE TABLE c (rowid int);", "-- name: t\nDELETE FROM c;", unknown, "found.sql:3:14: no statement on c is modelled"},
		{"a temporary table", tables, "-- name: t\nBEGIN; CREATE TEMP TABLE c (id int); DELETE FROM c; COMMIT;", "CREATE TABLE inside of a function: ; a table that a function creates (c): ", ""},
		{"a table that a transaction leaves", tables, "-- name: t\nBEGIN; CREATE TABLE c (id int); DELETE FROM c; COMMIT;", "CREATE TABLE inside of a function: c; a table that a function creates (c): c", ""},
		{"a later file", "ALTER TABLE a ADD CHECK (v > 0);" + tables, writes, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parseFound(t, c.schema, c.txn)
			if got := havocs(p); got != c.havocs {
				t.Errorf("not modelled is %q, want %q", got, c.havocs)
			}
			var notes []string
			for _, n := range p.Notes {
				notes = append(notes, fmt.Sprintf("%s: %s", n.Pos, n.Text))
			}
			if !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, c.note) }) && (c.note != "" || len(notes) > 0) {
				t.Errorf("the notes are %q, want one like %q", notes, c.note)
			}
			for _, tab := range p.Tables {
				if len(tab.Rows) > 0 {
					t.Errorf("%s has initial rows: %v", tab.Name, tab.Rows)
				}
			}
		})
	}
}

// TestFoundFunctions: functions of a schema that was found are templates only by
// name, and called ones are inlined.
func TestFoundFunctions(t *testing.T) {
	schema := []sqlmodel.File{{Name: "found.sql", Text: "CREATE TABLE a (id int PRIMARY KEY, v int);\nCREATE FUNCTION set_a(k int) RETURNS void LANGUAGE sql AS 'UPDATE a SET v = 1 WHERE id = k';"}}
	files := []sqlmodel.File{{Name: "q.sql", Text: "-- name: t\nSELECT set_a($1);"}}
	p, err := sqlmodel.Parse(files, sqlmodel.Options{Schema: schema})
	if err != nil || len(p.Txns) != 1 || p.Txns[0].Name != "t" || havocs(p) != "" {
		t.Fatalf("the transactions are %+v (%v)", p, err)
	}
	if pos := p.Table("a").Pos.String(); pos != "found.sql:1:14" {
		t.Errorf("a stands at %s", pos)
	}
	if p, err = sqlmodel.Parse(nil, sqlmodel.Options{Schema: schema, Txns: []string{"set_a"}}); err != nil || len(p.Txns) != 1 {
		t.Errorf("the named function is no template: %+v (%v)", p, err)
	}
	if _, err = sqlmodel.Parse(nil, sqlmodel.Options{Schema: schema}); err == nil || !strings.Contains(err.Error(), "no transaction") {
		t.Errorf("a schema alone: %v", err)
	}
	schema[0].Text += "CREATE OPERATOR &&& (FROB FROB);"
	if _, err = sqlmodel.Parse(files, sqlmodel.Options{Schema: schema}); err == nil || !strings.Contains(err.Error(), "found.sql:2:93: this declares an operator") {
		t.Errorf("an operator that cannot be read: %v", err)
	}
}

// TestRowsOfTheirOwn: what is no table of the model has rows all the same, which
// statements of two transactions may share.
func TestRowsOfTheirOwn(t *testing.T) {
	for schema, want := range map[string]string{
		"CREATE TABLE m AS SELECT 1 AS k, 0 AS v;":                  "a table made by a query (m): m",
		"CREATE MATERIALIZED VIEW m AS SELECT 1 AS k, 0 AS v;":      "a table made by a query (m): m",
		"CREATE FOREIGN TABLE m (k int, v int) SERVER s;":           "a foreign table (m): m",
		"CREATE TABLE x (k int); CREATE TABLE m AS SELECT * FROM x": "a table made by a query (m): x m",
	} {
		p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "m.sql", Text: schema + ";\n-- name: t\nUPDATE m SET v = 1 WHERE k = $1;"}}, sqlmodel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := havocs(p); got != want {
			t.Errorf("%s: not modelled is %q, want %q", schema, got, want)
		}
	}
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "m.sql", Text: "-- name: t\nSELECT v FROM remote('x') AS r (v int);"}}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if havocs(p) == "" || len(p.Tables) != 1 {
		t.Errorf("without a table, statements that may touch any touch none: %v, %d tables", havocs(p), len(p.Tables))
	}
}

// TestIndexesAgain declares indexes on expressions several times: the columns that
// stand for these are there once.
func TestIndexesAgain(t *testing.T) {
	for indexes, want := range map[string]int{
		"CREATE UNIQUE INDEX i ON a (lower(s)); DROP INDEX i; CREATE UNIQUE INDEX i ON a (upper(s));":                    1,
		"CREATE UNIQUE INDEX i ON a (lower(s)); CREATE UNIQUE INDEX IF NOT EXISTS i ON a (lower(s));":                    1,
		"CREATE UNIQUE INDEX ON a (lower(s)); CREATE UNIQUE INDEX ON a (upper(s));":                                      2,
		"CREATE UNIQUE INDEX i ON a (lower(s)); DROP INDEX i;":                                                           0,
		"CREATE UNIQUE INDEX i ON a (lower(s), upper(s)); CREATE UNIQUE INDEX j ON a (lower(s)); DROP INDEX IF EXISTS i": 1,
	} {
		text := "CREATE TABLE a (id int PRIMARY KEY, s text);" + indexes + ";\n-- name: t\nDELETE FROM a;"
		p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "a.sql", Text: text}}, sqlmodel.Options{})
		if err != nil {
			t.Errorf("%s: %v", indexes, err)
			continue
		}
		hidden := 0
		for _, c := range p.Table("a").Columns {
			if c.Hidden {
				hidden++
			}
		}
		if hidden != want {
			t.Errorf("%s: %d hidden columns, want %d", indexes, hidden, want)
		}
	}
}

// TestEmptiedChildren: what TRUNCATE takes away of children does not come between a deletion and its actions.
func TestEmptiedChildren(t *testing.T) {
	const schema = "CREATE TABLE a (id int PRIMARY KEY);\nCREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a ON DELETE CASCADE);\nCREATE TABLE c (id int PRIMARY KEY, b int REFERENCES b ON DELETE CASCADE);\n"
	p := parseFound(t, schema, "-- name: remove\nDELETE FROM a WHERE id = $1;\n-- name: clear\nTRUNCATE b, c;")
	var kinds []string
	for _, s := range p.Txns[0].Body {
		kinds = append(kinds, strings.TrimPrefix(fmt.Sprintf("%T", s), "*ir."))
	}
	if got := strings.Join(kinds, " "); got != "Send Unmodelled Unmodelled Delete Cascade Cascade" {
		t.Errorf("the statements are %s:\n%s", got, p.Txns[0])
	}
}

// TestColumnsAgain: columns that are added where they are already leave a table known, if they are the same.
func TestColumnsAgain(t *testing.T) {
	const table = "CREATE TABLE a (id int PRIMARY KEY, v text NOT NULL DEFAULT '', w int);\n"
	const write = "-- name: t\nUPDATE a SET v = 'x' WHERE id = $1;"
	unknown := "a table of which the schema was not read: *"
	for alter, want := range map[string]string{
		"ALTER TABLE a ADD COLUMN w int;":                                       "",
		"ALTER TABLE a ADD w int, ADD v text DEFAULT '' NOT NULL;":              "",
		"ALTER TABLE a ADD COLUMN w bigint;":                                    unknown,
		"ALTER TABLE a ADD COLUMN w int UNIQUE;":                                unknown,
		"ALTER TABLE a ADD COLUMN w int NOT NULL;":                              unknown,
		"ALTER TABLE a ADD COLUMN v text NOT NULL DEFAULT 'a';":                 unknown,
		"ALTER TABLE a ADD COLUMN w int, ADD CONSTRAINT u UNIQUE (w);":          unknown,
		"ALTER TABLE a ADD COLUMN w int; ALTER TABLE a DROP COLUMN IF EXISTS x": "",
	} {
		if got := havocs(parseFound(t, table+alter, write)); got != want {
			t.Errorf("%s: %q, want %q", alter, got, want)
		}
	}
}
